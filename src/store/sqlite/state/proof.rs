//! The proofs that run after the reads.
//!
//! Facts they rest on: inside a generation of the log committed frames never change; a checkpoint copies only
//! committed frames, after they are in the log; a new generation writes its header first.

use super::sidecar::Sidecar;
use super::snapshot::{State, is_live};
use super::stamp::Stamp;
use super::wal::Wal;
use super::{Files, Proof, REPLACED, Refusal};
use crate::error::Error;

/// What a state is at the start of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// The newest.
    Same,
    /// The log holds more: [`State::extend`] takes it in.
    Grown,
    /// Another generation, journal or file: build anew.
    Gone,
}

impl State {
    /// Was everything read so far of this state?
    pub fn check(&self, files: &Files) -> Proof {
        self.check_that(files, |newer| !self.read.contains(newer), self.read.highest())
    }

    /// The same for one page that was just read.
    pub fn check_page(&self, files: &Files, page: u32) -> Proof {
        let is_logged = self.log.as_ref().is_some_and(|log| log.index.offset(page).is_some());
        self.check_that(files, |newer| is_logged || newer != page, if is_logged { 0 } else { page })
    }

    /// `is_fine` says of the page in a newer frame that it was not read from the main file; `highest` is the highest
    /// page that was.
    ///
    /// - Proof 1. A page of the log is right if the log's header is unchanged *after* the read.
    /// - Proof 2. A page of the main file can only have been overwritten by a checkpoint of a frame newer than the
    ///   index, which was committed, hence in the log, before. So the frames behind the index are walked after the
    ///   reads, and a committed page among them that was read from the main file is doubted. Without this a reader
    ///   was wrong twice in 2244 reads beside a busy writer.
    /// - Proof 3. A checkpoint may cut the main file, and the pages cut off are in no frame: a newer commit that
    ///   makes the database smaller than the highest page read is doubted too.
    /// - Neither walk nor doubt is needed while the main file's stamp is the one from before the index: then there
    ///   was no checkpoint, and newer commits are in the log alone.
    /// - The log's header and place come LAST: a restart before or during the walk shows there.
    fn check_that(&self, files: &Files, is_fine: impl Fn(u32) -> bool, highest: u32) -> Proof {
        if let Some(log) = &self.log {
            let now = Stamp::at(&files.main)?;
            if now.is_none_or(|now| now.id != self.look.stamp.id) {
                return Err(Refusal::Moved(REPLACED));
            }
            let is_main_still = self.look.is_settled && now == Some(self.look.stamp);
            if !is_main_still && !log.index.spares(&log.file, is_fine, highest).map_err(|it| log.error(&it))? {
                return Err(Refusal::Moved("a checkpoint may have overwritten a page that was read"));
            }
            self.confirm_log(log)?;
        }
        if self.rests_on_main() { self.confirm_main(files) } else { Ok(()) }
    }

    /// Is the log as it was indexed, and in its place?
    ///
    /// Comparing a large transaction costs 24 bytes a frame. A log whose stamp is that of the last comparison was not
    /// written since (proof 8), so there is nothing to compare.
    pub(super) fn confirm_log(&self, log: &Sidecar<Wal>) -> Proof {
        let look = self.clock.look(&log.path)?;
        if self.confirmed.get().is_some_and(|confirmed| look.is_some_and(|look| look.stamp == confirmed)) {
            return Ok(());
        }
        let is_in_place = look.is_some_and(|look| look.stamp.id == log.stamp.id);
        if !is_in_place || !log.index.is_same(&log.file).map_err(|error| log.error(&error))? {
            return Err(Refusal::Moved("the log was restarted"));
        }
        self.confirmed.set(look.filter(|look| look.is_settled).map(|look| look.stamp));
        Ok(())
    }

    /// Does the main file have to stand still? Not beside a log with commits, which has every change first.
    pub(super) fn rests_on_main(&self) -> bool {
        self.journal.is_some() || self.log.as_ref().is_none_or(|log| log.index.frames() == 0)
    }

    /// Proofs 6, 7 and 11: main file untouched; journal of the same transaction (its records may have grown: pages
    /// in them that were not yet written stand unchanged in the main file); super-journal there or not as before.
    pub(super) fn confirm_main(&self, files: &Files) -> Proof {
        if Stamp::at(&files.main)? != Some(self.look.stamp) {
            return Err(Refusal::Moved("the main file was written"));
        }
        let Some(journal) = &self.journal else { return Ok(()) };
        let is_same = journal.index.is_same(&journal.file).map_err(|error| journal.error(&error))?;
        if !is_same || !journal.is_in_place()? {
            return Err(Refusal::Moved("the journal was replaced"));
        }
        if is_live(&journal.index) != self.is_undone {
            return Err(Refusal::Moved("the transaction over several databases ended"));
        }
        Ok(())
    }

    /// At the start of a read: is this the newest state?
    pub fn freshness(&self, files: &Files) -> Result<Freshness, Error> {
        let is_still = |proof: Proof| match proof {
            Ok(()) => Ok(true),
            Err(Refusal::Moved(_)) => Ok(false),
            Err(Refusal::Failed(error)) => Err(error),
        };
        let Some(log) = &self.log else {
            let is_same = Stamp::at(&files.log)? == self.unused_log
                && (self.journal.is_some() || Stamp::at(&files.journal)? == self.unused_journal)
                && is_still(self.confirm_main(files))?;
            return Ok(if is_same { Freshness::Same } else { Freshness::Gone });
        };
        let is_main_there = Stamp::at(&files.main)?.is_some_and(|now| now.id == self.look.stamp.id);
        if !is_main_there || !is_still(self.confirm_log(log))? {
            return Ok(Freshness::Gone);
        }
        if self.rests_on_main() && !is_still(self.confirm_main(files))? {
            return Ok(Freshness::Gone);
        }
        let has_newer = log.index.has_newer(&log.file).map_err(|error| log.error(&error))?;
        Ok(if has_newer { Freshness::Grown } else { Freshness::Same })
    }
}
