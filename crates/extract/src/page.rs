//! A page as extractors see it.

use std::cell::{RefCell, RefMut};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use dehusk_html::{Dom, NodeId, Tag};

use crate::fusion::Workspace;
use crate::range_difference::range_difference;
use crate::site::{self, OtherPages, PageTexts};
use crate::strip::Strip;
use crate::view::{View, ViewBuffers};
use crate::{Explanation, Extractor, Preset, Selection};

/// A page as extractors see it: its DOM, its URL, its views and the selections of other extractors.
///
/// Views and selections are made when they are first asked for, and then shared. So an extractor pays only for what it
/// uses, and several extractors on one page pay once for what they have in common.
#[derive(Debug)]
pub struct PageContext<'p> {
    dom: &'p Dom<'p>,
    url: &'p str,
    /// Other pages of its host, and how many of them must hold a block's text to drop it; 0 for no number.
    site: Option<(OtherPages, u32)>,
    views: RefCell<Vec<(Strip, Rc<View<'p>>)>>,
    selections: RefCell<Vec<CachedSelection>>,
    pool: RefCell<ViewPool>,
}

/// An extractor and what it selected.
type CachedSelection = (Arc<dyn Extractor>, Rc<Selection>);

/// Buffers that are kept from page to page: those of views, and those of the learned extractor.
#[derive(Debug, Default)]
pub struct ViewPool {
    views: Vec<ViewBuffers>,
    /// Made when it is first needed.
    workspace: Option<Box<Workspace>>,
}

impl<'p> PageContext<'p> {
    /// A page with its URL, which is `""` where it is unknown.
    pub fn new(dom: &'p Dom<'p>, url: &'p str) -> Self {
        Self::with_pool(dom, url, ViewPool::default())
    }

    /// The same with buffers of an earlier page.
    pub fn with_pool(dom: &'p Dom<'p>, url: &'p str, pool: ViewPool) -> Self {
        Self {
            dom,
            url,
            site: None,
            views: RefCell::default(),
            selections: RefCell::default(),
            pool: pool.into(),
        }
    }

    /// The same page with what is known of other pages of its host. Every extractor leaves out the blocks whose text at
    /// least `least` of them hold, if that is not 0.
    #[must_use]
    pub fn with_others(mut self, others: OtherPages, least: u32) -> Self {
        self.site = Some((others, least));
        self
    }

    /// The other pages that are known of its host.
    pub fn others(&self) -> Option<&OtherPages> {
        self.site.as_ref().map(|(others, _)| others)
    }

    /// The page's tree.
    pub fn dom(&self) -> &'p Dom<'p> {
        self.dom
    }

    /// The page's URL; `""` where it is unknown.
    pub fn url(&self) -> &'p str {
        self.url
    }

    /// The view under a strip.
    pub fn view(&self, strip: &Strip) -> Rc<View<'p>> {
        let find = |(of, view): &(Strip, Rc<View<'p>>)| (of == strip).then(|| Rc::clone(view));
        let found = self.views.borrow().iter().find_map(find);
        found.unwrap_or_else(|| {
            let buffers = self.pool.borrow_mut().views.pop().unwrap_or_default();
            let view = Rc::new(strip.view(self.dom, buffers));
            self.views.borrow_mut().push((strip.clone(), Rc::clone(&view)));
            view
        })
    }

    /// The selection of a preset. Its extractor runs when the selection is first asked for.
    pub fn selection(&self, preset: &Preset) -> Rc<Selection> {
        let is_same = |of: &Arc<dyn Extractor>| Arc::ptr_eq(of, &preset.extractor);
        let find = |(of, selection): &CachedSelection| is_same(of).then(|| Rc::clone(selection));
        let found = self.selections.borrow().iter().find_map(find);
        found.unwrap_or_else(|| {
            // Nothing is borrowed here: the extractor may ask for other views and selections.
            let mut selection = preset.extractor.extract(self);
            self.drop_repeated(&mut selection);
            let selection = Rc::new(selection);
            let mut selections = self.selections.borrow_mut();
            selections.push((Arc::clone(&preset.extractor), Rc::clone(&selection)));
            selection
        })
    }

    /// Explains the fate of some nodes by a preset. A node has no explanation if the extractor explains it with another
    /// one.
    pub fn explain(&self, preset: &Preset, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let mut explanations = preset.extractor.explain(self, selection, nodes);
        let Some((others, least)) = self.dropping() else {
            return explanations;
        };
        let (repeated, known) = (self.repeated(others, least), others.len());
        for node in nodes {
            let texts = self.dom.subtree(*node).filter(|id| self.dom.words(*id) > 0);
            let mut texts = texts.filter(|id| self.dom.node(*id).tag == Tag::Text).peekable();
            let is_repeated = |id: NodeId| repeated.binary_search_by_key(&id, |range| range.start).is_ok();
            if selection.contains(*node) || texts.peek().is_none() || !texts.all(is_repeated) {
                continue;
            }
            explanations.retain(|explanation| explanation.node != *node);
            let explanation = Explanation::new(*node, selection, &site::REPEATED);
            let explanation = explanation.count("least", least).count("known", known);
            explanations.push(explanation);
        }
        explanations
    }

    /// The other pages, and how many of them must hold a block to drop it, if blocks are to be dropped.
    fn dropping(&self) -> Option<(&OtherPages, u32)> {
        let (others, least) = self.site.as_ref()?;
        (*least > 0).then_some((others, *least))
    }

    /// The text nodes of the blocks that too many other pages hold.
    fn repeated(&self, others: &OtherPages, least: u32) -> Vec<Range<NodeId>> {
        let mut repeated = Vec::new();
        PageTexts::default().repeated(self.dom, others, least, &mut repeated);
        repeated
    }

    /// Leaves out these blocks.
    fn drop_repeated(&self, selection: &mut Selection) {
        let Some((others, least)) = self.dropping() else {
            return;
        };
        let repeated = self.repeated(others, least);
        let mut rest = Vec::new();
        for range in &selection.ranges {
            range_difference(self.dom, range.clone(), &repeated, &mut rest);
        }
        // A page of template alone keeps what it has.
        if !rest.is_empty() {
            selection.ranges = rest;
        }
    }

    /// The memory of the learned extractor.
    pub(crate) fn workspace(&self) -> RefMut<'_, Workspace> {
        RefMut::map(self.pool.borrow_mut(), |pool| {
            &mut **pool.workspace.get_or_insert_default()
        })
    }

    /// Drops all views and keeps the buffers of those that are not in use. An evaluation of hundreds of presets bounds
    /// its memory in this way.
    pub fn drop_views(&self) {
        let views = self.views.take().into_iter();
        let free = views.filter_map(|(_, view)| Rc::into_inner(view));
        self.pool.borrow_mut().views.extend(free.map(View::into_buffers));
    }

    /// Drops all selections, so that extractors run again when they are asked for.
    pub fn drop_selections(&self) {
        self.selections.take();
    }

    /// Gives the buffers back for the next page.
    pub fn into_pool(self) -> ViewPool {
        self.drop_views();
        let mut pool = self.pool.into_inner();
        if let Some(workspace) = &mut pool.workspace {
            workspace.shrink();
        }
        pool
    }
}
