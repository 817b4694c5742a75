//! Small files that are read whole: settings, exports, values that a program keeps a file each.

use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Kind, Result};
use crate::store::sqlite::HostFile;
use crate::time::Time;

/// The file's bytes, `most` at the most.
///
/// # Errors
/// [`Kind::Io`] where it cannot be read or is no regular file; [`Kind::Limit`] where it is larger.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let placed = |error: Error| error.in_file(path.to_string_lossy());
    read_open(path, most).map_err(placed)
}

fn read_open(path: &Path, most: u64) -> Result<Vec<u8>> {
    // Asked before it is opened: opening a pipe waits for a writer. Opened through the host's VFS: whatever the name
    // says, it may be a database that the host has open, and whose locks a plain open and close would drop.
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::new(Kind::Io, "expected a file"));
    }
    let mut bytes = Vec::new();
    HostFile::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(Kind::Limit, format!("the file is larger than {most} bytes")));
    }
    Ok(bytes)
}

/// When the file was last changed. `None` where nothing tells.
pub fn modified(path: &Path) -> Option<Time> {
    std::fs::metadata(path).ok()?.modified().ok().and_then(Time::from_system_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_a_limit() {
        let file = std::env::temp_dir().join(format!("agent-history-file-{}", std::process::id()));
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5), Ok(b"12345".to_vec()));
        let place = file.to_string_lossy();
        let error = read(&file, 4).unwrap_err().to_string();
        assert_eq!(error, format!("limit: the file is larger than 4 bytes ({place})"));
        assert!(modified(&file).is_some());
        std::fs::remove_file(&file).unwrap();
        assert_eq!(read(&file, 5).unwrap_err().kind(), Kind::Io);
        assert_eq!(modified(&file), None);
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = std::env::temp_dir();
        let error = read(&folder, 5).unwrap_err().to_string();
        assert_eq!(error, format!("io: expected a file ({})", folder.to_string_lossy()));
    }
}
