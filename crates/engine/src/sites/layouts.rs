//! The layouts of a host's pages.

use dehusk_extract::site::{Shape, TextHash};

/// A layout of a host: pages of one structure, such as those of its articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many of the remembered pages have it.
    pub pages: u32,
    /// How many texts at least two of these pages hold.
    pub texts: u32,
    /// How much more alike these pages are than the nearest other layout, in percent: the mean silhouette
    /// (P. J. Rousseeuw, 1987). A page alone is nothing to be sure of: 0.
    pub sure: u32,
}

/// The layouts of pages with these shapes and texts, each text with the pages that hold it. Those of most pages come
/// first.
pub(super) fn of(shapes: &[Shape], texts: &[(TextHash, u32)]) -> Vec<Layout> {
    let groups = groups(shapes);
    let layout = |group: &Vec<usize>| {
        let own = group.iter().fold(0u32, |own, page| own | 1 << page);
        let repeated = texts.iter().filter(|(_, pages)| (pages & own).count_ones() > 1);
        Layout {
            pages: group.len() as u32,
            texts: repeated.count() as u32,
            sure: sure(shapes, &groups, group),
        }
    };
    let mut layouts: Vec<Layout> = groups.iter().map(layout).collect();
    layouts.sort_by_key(|layout| (std::cmp::Reverse(layout.pages), layout.texts, layout.sure));
    layouts
}

/// The numbers of the pages of each layout. A page joins the layout that it is most alike, or begins a new one.
fn groups(shapes: &[Shape]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (page, shape) in shapes.iter().enumerate() {
        let first = groups.iter_mut().max_by_key(|group| shape.similarity(shapes[group[0]]));
        match first.filter(|group| shape.is_alike(shapes[group[0]])) {
            Some(group) => group.push(page),
            None => groups.push(vec![page]),
        }
    }
    groups
}

fn sure(shapes: &[Shape], groups: &[Vec<usize>], own: &Vec<usize>) -> u32 {
    if own.len() < 2 {
        return 0;
    }
    // How far a page is from others, in percent.
    let distance = |page: usize, others: &[usize]| {
        let others = others.iter().filter(|other| **other != page);
        let (count, sum) = others.fold((0, 0), |(count, sum), other| {
            (count + 1, sum + 100 - shapes[page].similarity(shapes[*other]))
        });
        sum / count.max(1)
    };
    let silhouette = |page: &usize| {
        let within = distance(*page, own);
        let others = groups.iter().filter(|group| *group != own);
        let nearest = others.map(|group| distance(*page, group)).min().unwrap_or(100);
        100 * nearest.saturating_sub(within) / nearest.max(1)
    };
    own.iter().map(silhouette).sum::<u32>() / own.len() as u32
}
