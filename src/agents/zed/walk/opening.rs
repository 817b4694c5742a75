//! How the walk begins a thread's document.

use super::feed::{Feed, Reading, Taken};
use super::load::Loaded;
use super::{MessageRows, Open, Walk};
use crate::agents::zed::blob::Opened;
use crate::agents::zed::context::Context;
use crate::agents::zed::thread::document::{Damage, ThreadReader};
use crate::agents::zed::threads_db::Thread;
use crate::error::{Kind, Result};
use crate::store::sqlite::Blob;
use std::sync::Arc;

impl<M: MessageRows> Walk<M> {
    /// Begins a thread's document; `None` when the thread was deleted meanwhile, or cannot hold what is asked for.
    pub(super) fn open(&mut self, thread: &Thread, context: Context, loaded: Option<Loaded>) -> Result<Option<Open>> {
        let opened = match loaded {
            Some(Loaded::Taken(taken)) => return Ok(self.begin_taken(thread, context, taken)),
            Some(Loaded::Opened(opened)) => opened,
            Some(Loaded::Passed) | None => return Ok(None),
        };
        let needs_fields = self.how.wanted.needs_fields(thread);
        if opened.is_whole() && needs_fields {
            let text = Arc::clone(&opened.text);
            let taken = Taken::of(self.reader(opened, M::ALL_FIELDS, false), text);
            return Ok(self.begin_taken(thread, context, Arc::new(taken)));
        }
        self.begin_reading(thread, context, opened, needs_fields)
    }

    fn begin_taken(&mut self, thread: &Thread, mut context: Context, taken: Arc<Taken>) -> Option<Open> {
        if !self.how.needles.may_be_in(&taken.text) {
            return None;
        }
        if self.how.wanted.needs_fields(thread) {
            context.add(thread, &taken.fields, self.how.wanted);
            self.maker.begin(&context, &taken.fields, &mut self.out);
        }
        let text = Some(Arc::clone(&taken.text));
        let asked = self.maker.wants_messages().then(|| self.asked());
        let feed = Feed::Taken { taken, next: 0, asked };
        Some(Open { thread: thread.clone(), context, text, feed, before: None, is_unread: false })
    }

    fn begin_reading(
        &mut self,
        thread: &Thread,
        mut context: Context,
        mut opened: Opened<Blob>,
        needs_fields: bool,
    ) -> Result<Option<Open>> {
        if opened.is_whole() && !self.how.needles.may_be_in(&opened.text) {
            return Ok(None);
        }
        if needs_fields {
            let mut reader = self.reader(opened, M::ALL_FIELDS, false).without_messages();
            while let Some(passed) = reader.next_message() {
                // Damage is told when it is read again. What was saved in between is sound then.
                if let Some(damage) = passed.err().filter(|damage| damage.error.kind() == Kind::Busy) {
                    return Err(damage.error);
                }
            }
            context.add(thread, reader.fields(), self.how.wanted);
            self.maker.begin(&context, reader.fields(), &mut self.out);
            // Two decoders at once would take twice the memory.
            drop(reader);
            let Some(again) = self.inflate(thread)? else { return Ok(None) };
            opened = again;
        }
        let text = opened.is_whole().then(|| Arc::clone(&opened.text));
        let feed = Feed::Reading(Box::new(self.reader(opened, M::FIELDS, true)));
        let is_unread = self.how.reads_beginnings;
        Ok(Some(Open { thread: thread.clone(), context, text, feed, before: None, is_unread }))
    }

    /// A document was saved since its beginning was read, and nothing of it was given out: what it is now will do.
    pub(super) fn begin_again(&mut self, open: Open) {
        let Open { thread, context, .. } = open;
        let again = self.inflate(&thread).and_then(|opened| match opened {
            Some(opened) => self.begin_reading(&thread, context.clone(), opened, false),
            None => Ok(None),
        });
        match again {
            Ok(open) => self.current = open.map(|open| Open { is_unread: false, ..open }),
            Err(error) => self.fail(&thread, &context, None, Damage::whole(error)),
        }
    }

    fn inflate(&mut self, thread: &Thread) -> Result<Option<Opened<Blob>>> {
        let Some(blob) = thread.blob()? else { return Ok(None) };
        let bounds = self.how.bounds_of(&blob);
        self.inflater.open(blob, thread.head.data_type.as_deref(), bounds).map(Some)
    }

    /// The messages that are to be given: those asked for, the one before the first (what it calls is answered in the
    /// next), and those that the table looks ahead.
    fn asked(&self) -> (usize, usize) {
        (self.messages.0.saturating_sub(1), self.messages.1.saturating_add(M::AHEAD))
    }

    fn reader(&self, opened: Opened<Blob>, fields: &'static [&'static str], is_last: bool) -> Reading {
        let reader = ThreadReader::new(opened.into_reader(), fields);
        if !self.maker.wants_messages() {
            return reader.without_messages();
        }
        let (first, last) = self.asked();
        reader.between(first, last, is_last)
    }
}
