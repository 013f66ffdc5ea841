//! How well clusters agree with known ones.
//!
//! With `n(t, f)` documents in known cluster `t` and found cluster `f`, `n(t)` and `n(f)` their sums, and `N` documents:
//!
//! - **Pairs**: two documents of one cluster are a pair. P = Σ C(n(t, f), 2) / Σ C(n(f), 2), R = Σ C(n(t, f), 2) /
//!   Σ C(n(t), 2), where C(n, 2) = n(n - 1)/2.
//! - **Adjusted Rand index** (Hubert and Arabie, "Comparing partitions", 1985): (Σ C(n(t, f), 2) - E) / (M - E), where E =
//!   Σ C(n(t), 2) · Σ C(n(f), 2) / C(N, 2) is what chance gives, and M the mean of the two sums. It is 1 if M = E, because
//!   then both groupings are one cluster, or all of single documents.
//! - **BCubed** (Bagga and Baldwin, "Entity-based cross-document coreferencing using the vector space model", 1998): P is
//!   the mean over documents of the share of its found cluster that is of its known one, Σ n(t, f)² / n(f) / N; R the
//!   same with n(t).
//!
//! A document that is in no group is a cluster of its own.

use std::collections::HashMap;

use super::labels::NO_GROUP;

/// Precision, recall and F1, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The share of what was found that is true.
    pub precision: f64,
    /// The share of what is true that was found.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

impl Agreement {
    fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, f1 }
    }
}

/// How well clusters agree with known ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterScore {
    /// Of pairs of documents. If neither grouping has a pair, all three are 1; if only one has, all three are 0.
    pub pairs: Agreement,
    /// BCubed.
    pub bcubed: Agreement,
    /// The adjusted Rand index, from -1 to 1.
    pub adjusted_rand: f64,
    /// Known clusters of two documents and more.
    pub known: u64,
    /// Found clusters of two documents and more.
    pub found: u64,
}

/// Scores the groups of documents, given as their known and their found group.
pub(super) fn score(documents: impl Iterator<Item = (u32, u32)>) -> ClusterScore {
    let (mut cells, mut known, mut found) = (HashMap::new(), HashMap::new(), HashMap::new());
    // Documents that are a cluster of their own in both groupings.
    let mut alone = 0_u64;
    for (t, f) in documents {
        match (t, f) {
            (NO_GROUP, NO_GROUP) => alone += 1,
            // A group of one has no other document, so its cell has none.
            (NO_GROUP, f) => {
                *found.entry(f).or_insert(0_u64) += 1;
                *cells.entry((NO_GROUP, f)).or_insert(0_u64) += 1;
            }
            (t, NO_GROUP) => {
                *known.entry(t).or_insert(0_u64) += 1;
                *cells.entry((t, NO_GROUP)).or_insert(0_u64) += 1;
            }
            (t, f) => {
                *known.entry(t).or_insert(0_u64) += 1;
                *found.entry(f).or_insert(0_u64) += 1;
                *cells.entry((t, f)).or_insert(0_u64) += 1;
            }
        }
    }
    let documents = alone + cells.values().sum::<u64>();
    let pairs_of = |sizes: &HashMap<u32, u64>| sizes.values().map(|n| pairs(*n)).sum::<f64>();
    let (in_known, in_found) = (pairs_of(&known), pairs_of(&found));
    let (mut in_both, mut precision, mut recall) = (0.0, alone as f64, alone as f64);
    for ((t, f), n) in in_order(&cells) {
        let size = |sizes: &HashMap<u32, u64>, group| sizes.get(&group).map_or(1.0, |n: &u64| *n as f64);
        // Documents without a group are in one cell, but each is a cluster of its own.
        let together = if t == NO_GROUP || f == NO_GROUP { 1 } else { n };
        let squares = (n / together) as f64 * (together * together) as f64;
        in_both += (n / together) as f64 * pairs(together);
        precision += squares / size(&found, f);
        recall += squares / size(&known, t);
    }
    let of_all = documents.max(1) as f64;
    let pair_score = match (in_known > 0.0, in_found > 0.0) {
        (false, false) => Agreement::new(1.0, 1.0),
        (true, true) => Agreement::new(in_both / in_found, in_both / in_known),
        _ => Agreement::new(0.0, 0.0),
    };
    let chance = in_known * in_found / pairs(documents).max(1.0);
    let most = f64::midpoint(in_known, in_found);
    ClusterScore {
        pairs: pair_score,
        bcubed: Agreement::new(precision / of_all, recall / of_all),
        adjusted_rand: if most == chance {
            1.0
        } else {
            (in_both - chance) / (most - chance)
        },
        known: known.values().filter(|n| **n > 1).count() as u64,
        found: found.values().filter(|n| **n > 1).count() as u64,
    }
}

/// The pairs of `n` documents.
fn pairs(n: u64) -> f64 {
    n as f64 * (n as f64 - 1.0).max(0.0) / 2.0
}

/// The cells in the order of their groups, so that a sum of fractions is the same each time.
fn in_order(cells: &HashMap<(u32, u32), u64>) -> Vec<((u32, u32), u64)> {
    let mut cells: Vec<_> = cells.iter().map(|(groups, n)| (*groups, *n)).collect();
    cells.sort_unstable();
    cells
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same figures from all pairs of documents, as the definitions have them.
    fn by_pairs(documents: &[(u32, u32)]) -> ClusterScore {
        let same = |a: u32, b: u32| a == b && a != NO_GROUP;
        let n = documents.len();
        let (mut both, mut known, mut found) = (0.0, 0.0, 0.0);
        let (mut precision, mut recall) = (0.0, 0.0);
        for a in 0..n {
            let (mut with_both, mut with_known, mut with_found) = (1.0, 1.0, 1.0);
            for b in (0..n).filter(|b| *b != a) {
                let in_known = same(documents[a].0, documents[b].0);
                let in_found = same(documents[a].1, documents[b].1);
                with_known += f64::from(in_known);
                with_found += f64::from(in_found);
                with_both += f64::from(in_known && in_found);
            }
            both += (with_both - 1.0) / 2.0;
            known += (with_known - 1.0) / 2.0;
            found += (with_found - 1.0) / 2.0;
            precision += with_both / with_found / n as f64;
            recall += with_both / with_known / n as f64;
        }
        let all = (n * n.saturating_sub(1) / 2) as f64;
        let chance = known * found / all.max(1.0);
        let most = (known + found) / 2.0;
        ClusterScore {
            pairs: match (known > 0.0, found > 0.0) {
                (false, false) => Agreement::new(1.0, 1.0),
                (true, true) => Agreement::new(both / found, both / known),
                _ => Agreement::new(0.0, 0.0),
            },
            bcubed: Agreement::new(precision, recall),
            adjusted_rand: if most == chance {
                1.0
            } else {
                (both - chance) / (most - chance)
            },
            known: 0,
            found: 0,
        }
    }

    #[test]
    fn figures_are_those_worked_out_by_hand() {
        // Known {1, 2, 3} and {4, 5, 6}; found {1, 2}, {3, 4, 5, 6}. Pairs: 6 known, 7 found, 1 + 3 = 4 of both.
        let found = score([(0, 0), (0, 0), (0, 1), (1, 1), (1, 1), (1, 1)].into_iter());
        assert_eq!((found.pairs.precision, found.pairs.recall), (4.0 / 7.0, 4.0 / 6.0));
        assert!((found.pairs.f1 - 8.0 / 13.0).abs() < 1e-12);
        // BCubed: P = (2·1 + 1/4 + 3·3/4)/6 = 4.5/6, R = (2·2/3 + 1/3 + 3)/6.
        assert_eq!(found.bcubed.precision, 0.75);
        assert!((found.bcubed.recall - 14.0 / 18.0).abs() < 1e-12);
        // Chance: 6·7/15 = 2.8; (4 - 2.8)/(6.5 - 2.8).
        assert!((found.adjusted_rand - 1.2 / 3.7).abs() < 1e-12);
        assert_eq!((found.known, found.found), (2, 2));
    }

    #[test]
    fn a_grouping_without_pairs_agrees_only_with_another_one() {
        let perfect = score([(NO_GROUP, 0), (1, NO_GROUP), (NO_GROUP, NO_GROUP)].into_iter());
        assert_eq!(
            (perfect.pairs.f1, perfect.bcubed.f1, perfect.adjusted_rand),
            (1.0, 1.0, 1.0)
        );
        let none = score([(0, NO_GROUP), (0, NO_GROUP)].into_iter());
        assert_eq!(
            (none.pairs.f1, none.bcubed.precision, none.bcubed.recall),
            (0.0, 1.0, 0.5)
        );
        assert_eq!(none.adjusted_rand, 0.0);
    }

    proptest! {
        #[test]
        fn the_contingency_table_gives_what_all_pairs_give(
            documents in proptest::collection::vec((0..6_u32, 0..6_u32), 1..40)
        ) {
            // The last group means no group.
            let group = |g: u32| if g == 5 { NO_GROUP } else { g };
            let documents: Vec<_> = documents.into_iter().map(|(t, f)| (group(t), group(f))).collect();
            let (a, b) = (score(documents.iter().copied()), by_pairs(&documents));
            for (a, b) in [
                (a.pairs.precision, b.pairs.precision), (a.pairs.recall, b.pairs.recall),
                (a.bcubed.precision, b.bcubed.precision), (a.bcubed.recall, b.bcubed.recall),
                (a.bcubed.f1, b.bcubed.f1), (a.adjusted_rand, b.adjusted_rand),
            ] {
                prop_assert!((a - b).abs() < 1e-9, "{} {}", a, b);
            }
        }
    }
}
