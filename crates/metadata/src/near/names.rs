//! Names near the title: links to authors, and elements whose classes mark them as bylines.

use super::*;

/// The types of items that are threads.
const THREADS: [&str; 3] = ["DiscussionForumPosting", "Question", "QAPage"];

/// How many elements around a name are looked at.
const MOST_ITEMS_AROUND: usize = 24;

impl Search<'_, '_> {
    /// Searches nodes before the title for an element that is marked as the author and holds nothing else. In a forum,
    /// the author of the thread is there, and those who answered are after the title. On other pages, these are the
    /// authors of other things, unless the title is in the same item.
    pub(super) fn search_marked(&mut self, nodes: Range<NodeId>, place: u8) {
        if !self.goals.author {
            return;
        }
        let is_marked = |id: &NodeId| {
            let raw = self.dom.raw(*id);
            raw.contains("itemprop") && self.dom.attribute(*id, "itemprop").is_some_and(|name| name == "author")
        };
        if let Some(id) = nodes.into_iter().find(|id| is_marked(id) && self.is_of_page(*id)) {
            self.read_byline(id, place);
        }
        self.goals.author &= !self.claims.all(Field::Author).iter().any(|claim| claim.is_near);
    }

    /// Whether what an element names belongs to the page: in a thread, or in an item that also holds the title.
    fn is_of_page(&self, id: NodeId) -> bool {
        let parent = |id: &NodeId| Some(self.dom.node(*id).parent).filter(|_| *id != 0);
        let mut around = std::iter::successors(parent(&id), parent).take(MOST_ITEMS_AROUND);
        let attribute = |id: NodeId, name: &str| {
            let mut attributes = self.attributes(id);
            attributes
                .find(|(own, _)| own.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
        };
        let mut item = || around.find(|id| attribute(*id, "itemscope").is_some());
        self.goals.is_thread
            || item().is_some_and(|item| {
                let kind = attribute(item, "itemtype").unwrap_or_default();
                let is_thread = THREADS.iter().any(|known| kind.trim_end().ends_with(known));
                is_thread || self.title.is_some_and(|title| self.dom.subtree(item).contains(&title))
            })
    }

    /// An element with attributes that may mark it as a byline.
    pub(super) fn read_byline(&mut self, id: NodeId, place: u8) {
        let node = self.dom.node(id);
        let is_small = self.dom.subtree(id).len() <= MOST_BYLINE_NODES;
        let mut found = None;
        for (name, value) in Attributes::new(self.dom.raw(id)) {
            let source = match name {
                // A forum writes who wrote a post into the element of the whole post.
                "data-author" | "data-author-username" => {
                    if let Some(name) = bylines::name(&clean(&decode_attribute(value))) {
                        self.claim(id, &name, Source::Byline, place);
                        self.goals.author = false;
                        return;
                    }
                    continue;
                }
                "rel" if value.eq_ignore_ascii_case("author") => Source::RelAuthor,
                "itemprop" if value.eq_ignore_ascii_case("author") => Source::Microdata,
                "class" | "id" | "data-testid" | "data-component" | "href" if bylines::is_byline_class(name, value) => {
                    Source::Byline
                }
                _ => continue,
            };
            found = found.or(Some(source));
        }
        let Some(source) = found else {
            return;
        };
        if !is_small {
            if source == Source::Microdata {
                self.read_name_within(id, place);
            }
            return;
        }
        let words = self.words(id);
        if words == 0 || words > MOST_BYLINE_WORDS || node.tag.is_heading() {
            return;
        }
        let text = self.inner_name(id);
        self.claim_name(id, &text, source, place);
    }

    /// The name within a large element with `itemprop="author"`, which has a picture, counts and buttons, too.
    fn read_name_within(&mut self, id: NodeId, place: u8) {
        let mut inside = self.dom.subtree(id).take(MOST_BYLINE_NODES);
        let is_name = |id: &NodeId| self.dom.attribute(*id, "itemprop").is_some_and(|name| name == "name");
        if let Some(id) = inside.find(is_name)
            && self.dom.node(id).tag != Tag::Meta
            && self.words(id) <= MOST_BYLINE_WORDS
        {
            self.claim_name(id, &text_of(self.dom, id), Source::Microdata, place);
        }
    }

    /// The text of a byline that is the name: that of its link, or else its first text that is more than a label.
    fn inner_name(&self, id: NodeId) -> String {
        let inside = self.dom.subtree(id);
        let mut texts = inside
            .clone()
            .filter(|id| self.dom.node(*id).tag == Tag::Text)
            .map(|id| clean(&text_of(self.dom, id)));
        let links = inside
            .filter(|id| self.dom.node(*id).tag == Tag::A)
            .map(|id| clean(&text_of(self.dom, self.first_block(id))));
        let is_name = |text: &String| bylines::visible_name(text, &self.context.language).is_some();
        let link = links.into_iter().find(is_name);
        link.or_else(|| texts.find(is_name)).unwrap_or_default()
    }

    /// The first block of an element of blocks, or the element: after the name, a card has what somebody does.
    fn first_block(&self, id: NodeId) -> NodeId {
        let is_block = |id: &NodeId| self.dom.node(*id).tag.is_block() && self.dom.words(*id) > 0;
        self.dom.children(id).find(is_block).unwrap_or(id)
    }

    /// A name in the same text as a day.
    pub(super) fn claim_name_beside_day(&mut self, id: NodeId, text: &str, place: u8) {
        if let Some(name) = bylines::name_beside_day(text, &self.context.language) {
            self.claim_name(id, &name, Source::Visible, place);
        }
    }

    pub(super) fn claim_name(&mut self, id: NodeId, text: &str, source: Source, place: u8) {
        // A single word after "by" is mostly what a list is sorted by: category, style.
        let is_word = |name: &String| name.bytes().all(|b| b.is_ascii_alphabetic());
        let is_name = |name: &String| source != Source::Visible || !is_word(name);
        if let Some(name) = bylines::visible_name(text, &self.context.language).filter(is_name) {
            self.claim(id, &name, source, place);
        }
    }

    /// Claims a name that was found in a node.
    pub(super) fn claim(&mut self, id: NodeId, name: &str, source: Source, place: u8) {
        // A card has other lines, too, such as counts, which are the same on many pages.
        let first_word = name.split(' ').next().unwrap_or_default();
        let has_name = |id: &NodeId| self.dom.node(*id).tag == Tag::Text && self.dom.raw(*id).contains(first_word);
        if self.shared.has_others()
            && let Some(text) = self.dom.subtree(id).take(MOST_BYLINE_NODES).find(has_name)
            && self.shared.has_text(text)
        {
            self.shared_names.push(squeeze(name));
        }
        self.claims.add_near(Field::Author, source, place, name);
    }
}
