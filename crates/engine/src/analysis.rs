//! Parses a page and runs extractors on it. Runs, evaluations and the command line all do this here.

use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::config::Rules;

use crate::page::Page;
use crate::reason::PageFault;
use crate::sites::{HostCache, SharedMetadata};
use dehusk_extract::view::View;
use dehusk_extract::{PageContext, Preset, Selection, ViewPool};
use dehusk_html::{Buffers, Dom};
use dehusk_metadata::{PageFacts, PageMetadata, Rights};

/// Analyzes pages one after the other. Reuses the buffers from page to page.
#[derive(Debug, Default)]
pub struct Analyzer {
    buffers: Buffers,
    views: ViewPool,
    hosts: HostCache,
}

/// A parsed page and the selections of the rules' extractors.
#[derive(Debug)]
pub struct Analysis<'a, 'p> {
    page: &'a Page<'a>,
    rules: &'a Rules,
    context: &'a PageContext<'p>,
    parsing: Duration,
}

/// The selection of one extractor on a page.
#[derive(Debug)]
#[non_exhaustive]
pub struct Extraction<'a, 'p> {
    /// The extractor.
    pub preset: &'a Preset,
    /// The view that it read.
    pub view: Rc<View<'p>>,
    /// Its selection.
    pub selection: Rc<Selection>,
}

impl Analyzer {
    /// Parses a page by the rules and passes its analysis to `visit`.
    ///
    /// # Errors
    /// The page is too much work for the parser, or has too many nodes.
    pub fn analyze<T>(
        &mut self,
        rules: &Rules,
        page: &Page<'_>,
        visit: impl FnOnce(&Analysis<'_, '_>) -> T,
    ) -> Result<T, PageFault> {
        // The buffers are taken out, so that a panic of an extractor leaves empty ones.
        let buffers = std::mem::take(&mut self.buffers);
        let views = std::mem::take(&mut self.views);
        let limits = rules.config.limits.of_tree();
        let started = Instant::now();
        let dom = (rules.parse)(&page.html, buffers, limits).map_err(|_| PageFault::TooCostly)?;
        let parsing = started.elapsed();
        let mut context = PageContext::with_pool(&dom, &page.url, views);
        let sites = rules.sites.as_ref();
        if let Some(others) = sites.and_then(|sites| self.hosts.others(sites, &dom, &page.url)) {
            context = context.with_others(others, rules.config.extract.drop_repeated);
        }
        let visited = visit(&Analysis {
            page,
            rules,
            context: &context,
            parsing,
        });
        self.views = context.into_pool();
        self.buffers = dom.into_buffers();
        Ok(visited)
    }
}

impl<'a, 'p> Analysis<'a, 'p> {
    /// The page.
    pub fn page(&self) -> &'a Page<'a> {
        self.page
    }

    /// The rules.
    #[doc(hidden)]
    pub fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// The page's tree.
    pub fn dom(&self) -> &'p Dom<'p> {
        self.context.dom()
    }

    /// The page as extractors see it.
    pub fn context(&self) -> &'a PageContext<'p> {
        self.context
    }

    /// The time that parsing took.
    pub fn parsing(&self) -> Duration {
        self.parsing
    }

    /// The metadata of the page.
    #[doc(hidden)]
    pub fn metadata(&self) -> PageMetadata {
        self.metadata_beside(self.main_preset())
    }

    /// The metadata of the page, which is searched for near the content that an extractor selects.
    pub(crate) fn metadata_beside(&self, preset: Option<&Preset>) -> PageMetadata {
        let content = preset.and_then(|preset| {
            let selection = self.context.selection(preset);
            Some((selection.ranges.first()?.start, selection.ranges.last()?.end))
        });
        let others = self.context.others().map(SharedMetadata);
        let facts = PageFacts {
            url: &self.page.url,
            created: &self.page.provenance.date,
            content,
            others: others.as_ref().map(|others| others as _),
        };
        dehusk_metadata::read(self.dom(), facts)
    }

    /// The demands of the page and its server, if the rules want to know them.
    pub(crate) fn rights(&self) -> Option<Rights> {
        let wants = self.rules.wants_rights();
        wants.then(|| self.page.rights.with_page(self.dom(), &self.page.url))
    }

    /// The extractor that makes the text: the first, or the first of its fallbacks whose score is high enough. If none
    /// is, it is the first of all that selects something.
    pub(crate) fn main_preset(&self) -> Option<&'a Preset> {
        let first = self.rules.presets.first();
        if self.rules.fallback.is_empty() {
            return first;
        }
        let least = self.rules.config.extract.fallback_score;
        let all = || first.into_iter().chain(&self.rules.fallback);
        let selects = |preset: &&Preset| !self.context.selection(preset).ranges.is_empty();
        let is_sure = |preset: &&Preset| selects(preset) && self.context.selection(preset).score >= least;
        all().find(is_sure).or_else(|| all().find(selects)).or(first)
    }

    /// The extraction of each extractor of the rules, in order; in the place of the first, that of the preset that
    /// makes the text. An extractor runs when the iterator reaches it, and at most once.
    pub fn extractions(&self) -> impl Iterator<Item = Extraction<'a, 'p>> {
        self.extractions_by(self.main_preset())
    }

    /// The same with the preset that makes the text.
    pub(crate) fn extractions_by(&self, main: Option<&'a Preset>) -> impl Iterator<Item = Extraction<'a, 'p>> {
        let context = self.context;
        let presets = main.into_iter().chain(self.rules.presets.iter().skip(1));
        presets.map(move |preset| Extraction {
            preset,
            view: context.view(preset.strip()),
            selection: context.selection(preset),
        })
    }
}
