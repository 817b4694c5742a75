//! An element with all that is in it.

use super::{Element, Event, Reader, cut};
use crate::error::{Error, Kind};

/// Elements of one tree: about a hundred megabytes.
const MAX_TREE_ELEMENTS: usize = 1_000_000;

impl Reader<'_> {
    /// Reads on to the end of `element`, the one opened last, and returns it with all that is in it. Where the text is
    /// cut or is no XML any more, that is what stands before that place, and the element says so: [`Element::error`].
    pub fn tree(&mut self, element: Element) -> Element {
        let mut branch = Branch::of(element);
        let outside = self.open.len().saturating_sub(1);
        loop {
            let event = self.next_event();
            let is_end = matches!(event, Ok(None)) || self.is_over;
            match event {
                Ok(Some(Event::Open(child))) => branch.open(child),
                Ok(Some(Event::Close)) => {}
                Ok(None) => branch.fail(cut(self.position())),
                Err(error) if is_end => branch.fail(error),
                Err(error) => branch.spoil(error),
            }
            // An end may close more than the innermost element.
            let inside = if is_end { 0 } else { self.open.len().saturating_sub(outside) };
            branch.close_to(inside);
            if inside == 0 {
                return branch.finish();
            }
        }
    }
}

/// A tree in the making.
struct Branch {
    /// From the tree's root to the innermost element that is open.
    elements: Vec<Element>,
    count: usize,
    /// Open elements in the innermost one that are too many for the tree.
    passed_over: usize,
    /// Why all is missing that stands behind some place.
    failure: Option<Error>,
}

impl Branch {
    fn of(root: Element) -> Self {
        Self { elements: vec![root], count: 1, passed_over: 0, failure: None }
    }

    fn open(&mut self, child: Element) {
        if self.count < MAX_TREE_ELEMENTS {
            self.count += 1;
            return self.elements.push(child);
        }
        self.passed_over += 1;
        self.fail(Error::new(Kind::Limit, format!("more than {MAX_TREE_ELEMENTS} elements in one tree")));
    }

    /// Something in the innermost element does not read.
    fn spoil(&mut self, error: Error) {
        if let Some(element) = self.elements.last_mut() {
            element.error.get_or_insert(error);
        }
    }

    /// Nothing more is taken in.
    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    /// Closes elements until so many are open; the root stays.
    fn close_to(&mut self, open: usize) {
        while self.elements.len() > 1 && self.elements.len() + self.passed_over > open {
            if self.passed_over > 0 {
                self.passed_over -= 1;
            } else if let (Some(done), Some(parent)) = (self.elements.pop(), self.elements.last_mut()) {
                parent.children.push(done);
            }
        }
    }

    fn finish(mut self) -> Element {
        let mut root = self.elements.pop().unwrap_or_default();
        root.error = root.error.or(self.failure);
        root
    }
}
