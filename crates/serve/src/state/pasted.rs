//! Pages that were pasted into the inspector.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::http::Refusal;

/// Most pasted pages that are kept. The oldest are forgotten.
const KEPT: usize = 8;

/// Most bytes of them, but that one page is always kept.
const KEPT_BYTES: usize = 32 << 20;

/// Pages that were pasted.
#[derive(Default)]
pub(crate) struct Pasted(Mutex<PastedPages>);

#[derive(Default)]
struct PastedPages {
    /// How many there were.
    count: u64,
    /// The last of them with their numbers, the newest first.
    kept: VecDeque<(u64, Arc<Vec<u8>>)>,
}

impl Pasted {
    fn pages(&self) -> MutexGuard<'_, PastedPages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a page, and returns its number.
    pub(crate) fn add(&self, page: Vec<u8>) -> u64 {
        let mut pages = self.pages();
        pages.count += 1;
        let number = pages.count;
        pages.kept.push_front((number, Arc::new(page)));
        let bytes = |kept: &VecDeque<(u64, Arc<Vec<u8>>)>| kept.iter().map(|(_, page)| page.len()).sum::<usize>();
        while pages.kept.len() > KEPT || pages.kept.len() > 1 && bytes(&pages.kept) > KEPT_BYTES {
            pages.kept.pop_back();
        }
        number
    }

    /// The page with a number, if it is still kept.
    pub(crate) fn get(&self, number: &str) -> Result<Arc<Vec<u8>>, Refusal> {
        let pages = self.pages();
        let found = pages.kept.iter().find(|(known, _)| known.to_string() == number);
        let page = found.map(|(_, page)| Arc::clone(page));
        page.ok_or_else(|| Refusal::new(404, "no_page", "this pasted page is forgotten; paste it again"))
    }
}
