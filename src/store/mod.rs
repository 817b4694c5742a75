//! Bytes on disk to documents, per format. No agent is named here.

pub mod encoding;
pub mod file;
pub mod find;
pub mod hocon;
pub mod jsonc;
pub mod paths;
pub mod setting;
pub mod sqlite;
pub mod surrogates;
pub mod uri;
pub mod xml;
pub mod zstd;
