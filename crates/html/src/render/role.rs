//! Roles of elements in the form of a text.

use crate::dom::tag::{TAG_COUNT, Tag};

/// The gap between two texts. A larger gap includes the smaller ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Gap {
    None,
    Space,
    /// The border of two cells of a table in a cell. Its rows and cells are on the line of the cell.
    InnerCell,
    /// The border of two cells of a data table.
    Cell,
    Line,
    Paragraph,
    /// Nothing has been written yet.
    Start,
}

/// The part that an element plays in the form of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Nothing: the text continues.
    Inline,
    Text,
    /// Content that a page never shows.
    Hidden,
    Break,
    Rule,
    /// A paragraph or a container of paragraphs.
    Block,
    /// A line of its own.
    Line,
    /// Separates words.
    Spaced,
    Button,
    Term,
    Heading,
    Preformatted,
    List,
    Item,
    Quote,
    Table,
    /// A part of a table that has rows.
    Section,
    Row,
    Cell,
    /// The reading of characters (`rt`).
    Reading,
    Quotation,
    Superscript,
    Math,
    Strong,
    Italic,
    Code,
    Link,
    Image,
}

static ROLES: [Role; TAG_COUNT] = {
    use Tag::*;
    let lists: &[(Role, &[Tag])] = &[
        (Role::Text, &[Text]),
        (
            Role::Hidden,
            &[Head, Iframe, Noembed, Noframes, RawText, Script, Style, Template, Title],
        ),
        (Role::Break, &[Br]),
        (Role::Rule, &[Hr]),
        (
            Role::Block,
            &[
                Address, Article, Aside, Body, Caption, Center, Details, Dialog, Div, Dl, Fieldset, Figcaption, Figure,
                Footer, Form, Frameset, Header, Hgroup, Html, Legend, Main, Multicol, Nav, P, Search, Section, Summary,
            ],
        ),
        (Role::Line, &[Dd, Optgroup, Option]),
        (Role::Spaced, &[Select]),
        (Role::Button, &[Button]),
        (Role::Term, &[Dt]),
        (Role::Heading, &[H1, H2, H3, H4, H5, H6]),
        (Role::Preformatted, &[Listing, Plaintext, Pre, Textarea, Xmp]),
        (Role::List, &[Dir, Menu, Ol, Ul]),
        (Role::Item, &[Li]),
        (Role::Quote, &[Blockquote]),
        (Role::Table, &[Table]),
        (Role::Section, &[Tbody, Tfoot, Thead]),
        (Role::Row, &[Tr]),
        (Role::Cell, &[Td, Th]),
        (Role::Reading, &[Rt]),
        (Role::Quotation, &[Q]),
        (Role::Superscript, &[Sup]),
        (Role::Math, &[Math]),
        (Role::Strong, &[B, Strong]),
        (Role::Italic, &[Em, I]),
        (Role::Code, &[Code]),
        (Role::Link, &[A]),
        (Role::Image, &[Img]),
    ];
    let mut roles = [Role::Inline; TAG_COUNT];
    let mut i = 0;
    while i < lists.len() {
        let (role, tags) = lists[i];
        let mut j = 0;
        while j < tags.len() {
            roles[tags[j] as usize] = role;
            j += 1;
        }
        i += 1;
    }
    roles
};

impl Role {
    #[inline]
    pub(super) fn from_tag(tag: Tag) -> Role {
        ROLES[tag as usize]
    }

    /// The gap at the start and end of an element, unless something else decides it.
    pub(super) fn border(self) -> Gap {
        match self {
            Role::Line | Role::Break => Gap::Line,
            Role::Spaced | Role::Button | Role::Cell => Gap::Space,
            Role::Rule
            | Role::Block
            | Role::Term
            | Role::Heading
            | Role::Preformatted
            | Role::List
            | Role::Item
            | Role::Quote
            | Role::Table
            | Role::Section
            | Role::Row => Gap::Paragraph,
            _ => Gap::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_the_parser_are_borders() {
        for &tag in Tag::ALL {
            let border = Role::from_tag(tag).border();
            assert_eq!(tag.is_hidden(), Role::from_tag(tag) == Role::Hidden, "{tag:?}");
            if !tag.is_hidden() && !matches!(tag, Tag::Br | Tag::Textarea) {
                assert_eq!(tag.is_block(), border >= Gap::Line, "{tag:?}");
                assert_eq!(tag.is_spaced(), border == Gap::Space, "{tag:?}");
            }
        }
    }
}
