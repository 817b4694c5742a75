//! What differs between operating systems. Linux is where all of it ran; macOS and Windows were never tried.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod remote;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
