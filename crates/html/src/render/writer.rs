//! The interface between the walk over a selection and a writer.

use std::borrow::Cow;

use super::posts::Post;
use super::role::Gap;
use super::table::Span;
use crate::dom::NodeId;

/// How a part of a paragraph is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emphasis {
    Strong,
    Italic,
}

/// The elements that have a beginning and an end in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Open<'e> {
    Heading(u8),
    List,
    /// An item with its marker, such as `-` or `7.`, and its number if it has one.
    Item {
        marker: Cow<'static, str>,
        number: Option<i64>,
    },
    /// The note of a footnote with this number. It closes as an item.
    Note(&'e str),
    Quote,
    /// A callout of this kind. It closes as a quote.
    Alert(&'e str),
    /// Code with its language, or `""`.
    Code(&'e str),
    Table,
    /// A row with the element that it is in.
    Row(NodeId),
    Cell(Span),
    /// Bold or italic text within a paragraph.
    Emphasis(Emphasis),
    /// Words of code within a paragraph.
    InlineCode,
    /// A link to this address.
    Link(&'e str),
}

/// The same elements at their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    Heading,
    List,
    Item,
    Quote,
    Code,
    Table,
    Row,
    Cell,
    Emphasis,
    InlineCode,
    Link,
}

/// Writes one form of text.
///
/// A gap comes before the first text of everything that opened since the text before, so that what holds no text leaves
/// no trace.
pub(super) trait Writer {
    /// Whether the walk reports inline code, links and images.
    const INLINE: bool;

    /// Whether the walk reports addresses of links.
    fn wants_links(&self) -> bool {
        false
    }

    /// Whether the walk reports images.
    fn wants_images(&self) -> bool {
        false
    }

    /// Whether the walk reports the language of code.
    fn wants_language(&self) -> bool {
        Self::INLINE
    }

    fn space(&mut self);

    /// Takes a gap of at least [`Gap::InnerCell`]; a text follows.
    fn gap(&mut self, gap: Gap);

    /// Takes the borders of rows and cells of a table in a cell that the next gap has, if it is no larger one. Of a
    /// larger gap, they come after it, without the first.
    fn inner_borders(&mut self, borders: &str);

    /// Takes a gap of at least [`Gap::Line`] before the first text of a post. What is written by itself is `""`.
    fn post(&mut self, gap: Gap, post: Post);

    /// Takes a part of a paragraph. It has neither line ends nor white space at its borders.
    fn text(&mut self, text: &str);

    /// Takes a part of code, exactly as it is shown.
    fn code(&mut self, text: &str);

    fn open(&mut self, element: Open<'_>);

    fn close(&mut self, element: Close);

    fn rule(&mut self) {}

    /// Takes mathematics in TeX. A gap came before it.
    fn math(&mut self, tex: &str, is_display: bool);

    /// Takes a reference to a footnote with this number. A gap came before it.
    fn reference(&mut self, _number: &str) {}

    fn image(&mut self, _address: &str, _alt: &str) {}

    /// The text so far, up to where the next text continues.
    fn tail(&self) -> &str;
}

/// The borders within a table in a cell, without the one before its first row.
pub(super) fn without_first(borders: &str) -> &str {
    borders.split_once(' ').map_or("", |(_, rest)| rest)
}
