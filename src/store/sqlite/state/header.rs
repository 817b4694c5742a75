//! The header in the main file's first page.

use super::bytes::is_page_size;

/// What the main file's first page says.
#[derive(Default, Clone, Copy)]
pub struct Header {
    /// In bytes; 0: no database that we understand.
    pub page_size: u32,
    /// 1 rollback journal, 2 write-ahead log.
    pub version: u8,
    /// The change counter.
    pub counter: [u8; 4],
}

impl Header {
    /// Reads the header.
    pub fn parse(bytes: &[u8; 100]) -> Self {
        let page_size = match bytes.get(16..).and_then(<[u8]>::first_chunk).copied().map(u16::from_be_bytes) {
            Some(1) => 65536,
            other => u32::from(other.unwrap_or(0)),
        };
        if !bytes.starts_with(b"SQLite format 3\0") || !is_page_size(page_size) {
            return Self::default();
        }
        let counter = bytes.get(24..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        Self { page_size, version: bytes.get(18).copied().unwrap_or(0), counter }
    }
}
