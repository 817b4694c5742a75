//! Positioned reads and big-endian words: all that the indexes need of a file.

use std::io;

/// Positioned reads that leave no cursor behind.
pub trait ReadAt {
    /// Fills `buffer` from `offset`; returns fewer bytes than asked only at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The `N` bytes at `offset`, or `None` where the file ends before.
    fn array_at<const N: usize>(&self, offset: u64) -> io::Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        Ok((self.read_at(&mut bytes, offset)? == N).then_some(bytes))
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|start| self.get(start..)).unwrap_or_default();
        Ok(buffer.iter_mut().zip(rest).map(|(to, from)| *to = *from).count())
    }
}

impl ReadAt for std::fs::File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match super::platform::read_at(self, rest, offset + done as u64) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }
}

/// The big-endian word at `offset` of a header; callers pass headers that hold it (0 past the end).
pub fn be32(bytes: &[u8], offset: usize) -> u32 {
    bytes.get(offset..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_be_bytes(*word))
}

/// Is this a page size that SQLite knows? Every number derived from a page size relies on it.
pub fn is_page_size(bytes: u32) -> bool {
    bytes.is_power_of_two() && (512..=65536).contains(&bytes)
}
