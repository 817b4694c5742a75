//! Linux: which filesystems keep exact times, and who holds a lock.
#![allow(unsafe_code, reason = "statfs, clock_gettime and fcntl have no safe wrapper in the standard library")]
#![allow(clippy::unnecessary_cast, reason = "the widths of these C types differ between architectures")]

use crate::store::sqlite::state::stamp::{Instant, Stamp};
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

const EXT4: i64 = 0xef53;
const XFS: i64 = 0x5846_5342;
const BTRFS: i64 = 0x9123_683e;
const TMPFS: i64 = 0x0102_1994;

/// Does the kernel give every write after a look a fresh time? From 6.13 on, on four filesystems.
pub fn has_exact_times(path: &Path) -> bool {
    let is_exact = |kind: &libc::statfs| [EXT4, XFS, BTRFS, TMPFS].contains(&(kind.f_type as i64));
    is_exact_kernel() && filesystem(path).as_ref().is_some_and(is_exact)
}

fn is_exact_kernel() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|it| it.parse::<u32>().ok());
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 13)
    })
}

/// What the kernel says about the filesystem that holds `path`.
pub fn filesystem(path: &Path) -> Option<libc::statfs> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut answer = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: `path` is NUL-terminated and `answer` is as large as the call fills; all zeros are a valid statfs.
    unsafe { (libc::statfs(path.as_ptr(), answer.as_mut_ptr()) == 0).then(|| answer.assume_init()) }
}

/// When the running tick of file times began.
pub fn tick() -> Instant {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a timespec that the call fills. Should it fail, zeros say that every stamp is doubtful.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut now) };
    (now.tv_sec as i64, now.tv_nsec as i64)
}

/// SQLite's lock bytes in the main file.
const RESERVED_BYTE: i64 = 0x4000_0001;
const SHARED_FIRST: i64 = 0x4000_0002;
const SHARED_SIZE: i64 = 510;

/// Somebody holds RESERVED or more on the file: is it no more than RESERVED?
///
/// Asked of a descriptor that the process has open on this file anyway (the host's VFS made it): opening and closing
/// one of our own would drop the process's locks. The question takes no lock.
pub fn is_only_reserved(stamp: &Stamp) -> bool {
    let Ok(directory) = std::fs::read_dir("/proc/self/fd") else { return false };
    let descriptors = directory.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let Some(descriptor) = descriptors.into_iter().find(|descriptor| is_on(*descriptor, stamp)) else { return false };
    let reserved = holder(descriptor, RESERVED_BYTE, 1, libc::F_WRLCK);
    let exclusive = holder(descriptor, SHARED_FIRST, SHARED_SIZE, libc::F_RDLCK);
    if !is_on(descriptor, stamp) {
        return false;
    }
    if reserved == Some(libc::F_WRLCK) {
        return exclusive == Some(libc::F_UNLCK);
    }
    // Our own process's locks do not show there; the kernel's table has them.
    holds_only_reserved(stamp.id.inode)
}

fn is_on(descriptor: i32, stamp: &Stamp) -> bool {
    let mut answer = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: `answer` is as large as the call fills, and all zeros are a valid stat; a descriptor that is closed
    // meanwhile makes the call fail.
    let answer = unsafe { (libc::fstat(descriptor, answer.as_mut_ptr()) == 0).then(|| answer.assume_init()) };
    answer.is_some_and(|it| it.st_ino as u64 == stamp.id.inode && it.st_dev as u64 == stamp.id.device)
}

/// The kind of lock of another process that stands against a lock of `kind`, or `F_UNLCK`.
fn holder(descriptor: i32, start: i64, len: i64, kind: i32) -> Option<i32> {
    let mut lock = MaybeUninit::<libc::flock>::zeroed();
    // SAFETY: all zeros are a valid flock; F_GETLK only asks, and fills the struct it is given.
    unsafe {
        let lock = lock.assume_init_mut();
        lock.l_type = kind as _;
        lock.l_whence = libc::SEEK_SET as _;
        lock.l_start = start as _;
        lock.l_len = len as _;
        (libc::fcntl(descriptor, libc::F_GETLK, &raw mut *lock) == 0).then_some(lock.l_type as i32)
    }
}

fn holds_only_reserved(inode: u64) -> bool {
    let Ok(table) = std::fs::read_to_string("/proc/locks") else { return false };
    let (mut is_reserved, mut is_exclusive) = (false, false);
    for line in table.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        // `1: POSIX ADVISORY WRITE 4711 fe:00:131 1073741825 1073741825`
        let [_, _, _, "WRITE", _, file, first, last] = words.as_slice() else { continue };
        if file.rsplit(':').next().and_then(|word| word.parse().ok()) != Some(inode) {
            continue;
        }
        let Ok(first) = first.parse::<i64>() else { return false };
        let last = last.parse().unwrap_or(i64::MAX);
        is_reserved |= (first..=last).contains(&RESERVED_BYTE);
        is_exclusive |= last >= SHARED_FIRST;
    }
    is_reserved && !is_exclusive
}
