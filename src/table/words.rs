//! Closed vocabularies: columns whose value is one of a few words.

/// Declares an enum whose variants are the words of a column.
#[macro_export]
macro_rules! words {
    ($(#[doc = $doc:literal])+ pub enum $Words:ident { $( $(#[doc = $word_doc:literal])+ $Word:ident = $text:literal, )+ }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $Words { $( $(#[doc = $word_doc])+ $Word, )+ }
        impl $Words {
            /// The word as the column shows it.
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$Word => $text, )+ }
            }
        }
        impl $crate::table::Field for $Words {
            const TYPE: $crate::table::Type = $crate::table::Type::Text;
            fn cell(&self) -> $crate::table::Cell<'_> {
                $crate::table::Cell::Text(std::borrow::Cow::Borrowed(self.as_str()))
            }
        }
    };
}
