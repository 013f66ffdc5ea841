//! What CETD's decisions hung on, for people.

use super::{Cetd, Density, DensitySums, Method, Threshold, WithoutLinks};
use crate::view::View;
use crate::{Selection, Why};
use dehusk_html::NodeId;

pub(super) fn rule(cetd: &Cetd) -> String {
    let density = match cetd.density {
        Density::Text => "text density",
        Density::Composite => "composite text density",
    };
    let mut rule = match cetd.method {
        Method::Smoothing => format!(
            "the text right inside of each tag whose {density}, averaged with its neighbours', is at least {} of the body's",
            cetd.lambda
        ),
        Method::DensitySum => {
            let threshold = match cetd.threshold {
                Threshold::Path => "the least on the path from the page's greatest DensitySum to the body",
                Threshold::Body => "the body's",
            };
            let mut rule = format!(
                "of each tag that is reached through tags of a {density} of at least {} of {threshold}, the tag with the \
                 greatest DensitySum in it",
                cetd.lambda
            );
            if cetd.least_block > 0.0 {
                rule.push_str(&format!(
                    ", if it is at least {} of the page's greatest",
                    cetd.least_block
                ));
            }
            if cetd.ancestor_text {
                rule.push_str("; and the text right inside of its ancestors");
            }
            rule
        }
    };
    if cetd.density == Density::Composite && cetd.without_links == WithoutLinks::Content {
        rule.push_str("; a page without links is content");
    }
    rule.push_str("; score of a node = its density, of the selection = the share of its characters outside links");
    rule
}

pub(super) fn why<'s>(cetd: &'s Cetd, view: &'s View<'_>, selection: &'s Selection) -> Why<'s> {
    let dom = view.dom();
    let body = dom.body();
    if dom.is_empty() || view.subtree(body).text.chars == 0 {
        return Box::new(|_| None);
    }
    let linkless = view.subtree(body).control_chars == 0;
    if linkless && cetd.density == Density::Composite && cetd.without_links == WithoutLinks::Content {
        return Box::new(|_| Some("the page has no character in a link, so all of it is content".to_owned()));
    }
    let mut measured = cetd.densities(view);
    if cetd.method == Method::Smoothing {
        measured.smooth();
        let threshold = cetd.lambda * measured.density(body);
        return Box::new(move |id| {
            let tag = if dom.node(id).tag.is_text() {
                dom.node(id).parent
            } else {
                id
            };
            let density = measured.density(tag);
            Some(match (selection.contains(id), density >= threshold) {
                (true, true) => format!("the density of #{tag} is {density:.4}, at least {threshold:.4}"),
                (false, false) => format!("the density of #{tag} is {density:.4}, below {threshold:.4}"),
                (true, false) => {
                    format!("each tag in #{tag} that holds a text itself has a density of at least {threshold:.4}")
                }
                (false, true) => format!("no tag in #{tag} that holds a text itself has a density of {threshold:.4}"),
            })
        });
    }
    let sums = cetd.density_sums(view);
    let greatest_in = |sums: &DensitySums, id| sums.best_under(id).map_or(0.0, |best| sums.sum(best));
    let threshold = cetd.lambda * measured.threshold(&sums, cetd.threshold);
    let greatest = greatest_in(&sums, body);
    let least_sum = cetd.least_block * greatest;
    Box::new(move |id| {
        let mut way: Vec<NodeId> =
            std::iter::successors(Some(id), |at| (*at > body).then(|| dom.node(*at).parent)).collect();
        way.reverse();
        let reached = way.iter().take_while(|at| measured.density(**at) >= threshold);
        let Some(last) = reached.last().copied() else {
            return Some(format!(
                "the body's density is {:.4}, below {threshold:.4}",
                measured.density(body)
            ));
        };
        // The first tag on the way that led to the node.
        let from = way
            .iter()
            .copied()
            .find(|at| sums.best_under(*at) == Some(id) && *at <= last);
        Some(match (selection.contains(id), from) {
            (true, Some(from)) => format!(
                "its DensitySum {:.4} is the greatest in #{from}, which has a density of {:.4}, at least {threshold:.4}",
                sums.sum(id),
                measured.density(from)
            ),
            (true, None) => format!(
                "it is a text right inside of #{}, which a block is in",
                dom.node(id).parent
            ),
            (false, _) => match way.iter().copied().find(|at| *at > last) {
                Some(first) if !dom.node(first).tag.is_text() => format!(
                    "#{first} has a density of {:.4}, below {threshold:.4}",
                    measured.density(first)
                ),
                _ if least_sum > 0.0 && !dom.node(last).tag.is_text() => format!(
                    "the greatest DensitySum in #{last} is {:.4}, below {least_sum:.4}, which is {} of the page's \
                     greatest",
                    greatest_in(&sums, last),
                    cetd.least_block
                ),
                _ => "it is a text right inside of a tag that is no block".to_owned(),
            },
        })
    })
}
