//! Linux: filesystems whose contents others change behind this kernel's back.
#![allow(unsafe_code, reason = "statvfs has no safe wrapper in the standard library")]
#![allow(clippy::unnecessary_cast, reason = "the widths of these C types differ between architectures")]

use super::linux::filesystem;
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const FUSE: i64 = 0x6573_5546;
/// FUSE programs that show another machine's files. The others (encryption, images, NTFS) are local: whoever writes
/// there goes through the same mount.
const REMOTE_FUSE: [&str; 10] = [
    "sshfs",
    "rclone",
    "s3fs",
    "gcsfuse",
    "glusterfs",
    "davfs",
    "curlftpfs",
    "gvfsd-fuse",
    "kio-fuse",
    "google-drive-ocamlfuse",
];

/// The name of a network filesystem, whose cached attributes would break the proofs. A read-only mount is taken as
/// at rest.
pub fn remote_kind(path: &Path) -> Option<&'static str> {
    let kind = match filesystem(path)?.f_type as i64 & 0xffff_ffff {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x0102_1997 => Some("9p"),
        0x5346_414f | 0x6b41_4653 => Some("AFS"),
        0x7375_7245 => Some("Coda"),
        0x00c3_6400 => Some("Ceph"),
        0x0bd0_0bd0 => Some("Lustre"),
        FUSE => {
            let device = std::fs::metadata(path).ok()?.dev();
            let device = format!("{}:{}", libc::major(device), libc::minor(device));
            remote_fuse(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, &device)
        }
        _ => None,
    };
    kind.filter(|_| !is_mounted_read_only(path))
}

/// The remote FUSE program that serves a device: `36 35 0:51 / /mnt rw - fuse.sshfs host: rw`.
fn remote_fuse(mounts: &str, device: &str) -> Option<&'static str> {
    let line = mounts.lines().find(|line| line.split(' ').nth(2) == Some(device))?;
    let kind = line.split_once(" - ")?.1.split(' ').next()?.strip_prefix("fuse.")?;
    REMOTE_FUSE.into_iter().find(|name| *name == kind)
}

fn is_mounted_read_only(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let mut answer = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: `path` is NUL-terminated and `answer` is as large as the call fills; all zeros are a valid statvfs.
    let answer = unsafe { (libc::statvfs(path.as_ptr(), answer.as_mut_ptr()) == 0).then(|| answer.assume_init()) };
    answer.is_some_and(|it| it.f_flag & libc::ST_RDONLY != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_remote_fuse_programs_are_refused() {
        let mounts = "22 27 0:21 / /proc rw,relatime - proc proc rw
36 27 0:51 / /mnt/far rw,nosuid shared:9 - fuse.sshfs ana@example.com: rw,user_id=0
37 27 0:52 / /home/ana/private rw - fuse.gocryptfs /home/ana/cipher rw
38 27 8:17 / /media/stick rw - fuseblk /dev/sdb1 rw";
        assert_eq!(remote_fuse(mounts, "0:51"), Some("sshfs"));
        for local in ["0:52", "8:17", "0:21", "9:9"] {
            assert_eq!(remote_fuse(mounts, local), None);
        }
        assert_eq!(remote_kind(&std::env::temp_dir()), None);
    }
}
