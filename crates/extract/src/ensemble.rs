//! Several extractors as one: each votes for the texts that it keeps.
//!
//! T. Gottron: *Combining Content Extraction Heuristics: The CombinE System*, iiWAS 2008. There, too, several
//! extractors see a page, and the kept text is a union, an intersection or a vote.
//!
//! Let w(m) be the weight of a member m. A member whose weight is 0 does not vote. A text is kept by the votes of
//! enough members, or if the sum of the weights of the members that keep it is large enough:
//!
//! | votes | a text is kept by |
//! |---|---|
//! | union | any member that votes |
//! | intersection | every member that votes |
//! | majority | members with more than half of all weights |
//! | weighted | members with at least `threshold` of all weights |
//!
//! So it is with the comments that members keep apart. The score is the mean of the members' scores, by their weights.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::strip::{Forms, Strip};
use crate::texts::{select, visible};
use crate::view::View;
use crate::{Explanation, Extractor, Figure, PageContext, ParameterError, Preset, Rule, Selection};
use dehusk_html::NodeId;

/// How many votes a text needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Votes {
    /// That of any member.
    Union,
    /// Those of all members.
    Intersection,
    /// More than half of all weights.
    #[default]
    Majority,
    /// At least the threshold's share of all weights.
    Weighted,
}

/// Several extractors as one.
#[derive(Clone, Debug)]
pub struct Ensemble {
    members: Vec<Member>,
    votes: Votes,
    threshold: f64,
    all_weights: f64,
    /// How many members vote.
    voters: usize,
}

#[derive(Clone, Debug)]
struct Member {
    preset: Preset,
    weight: f64,
}

impl Member {
    fn votes(&self) -> bool {
        self.weight > 0.0
    }
}

/// Weights are sums of floats. A sum that is less than this off a bound is on it.
const TOLERANCE: f64 = 1e-9;

impl Ensemble {
    /// Makes an ensemble of presets. `weights` has one for each of them; if it is empty, each has 1. `threshold` is the
    /// share of all weights that [`Votes::Weighted`] asks for; the others ignore it.
    ///
    /// # Errors
    /// Those of [`Ensemble::check`].
    pub fn new(members: Vec<Preset>, weights: &[f64], votes: Votes, threshold: f64) -> Result<Self, ParameterError> {
        Self::check(members.len(), weights, threshold)?;
        let weights = weights.iter().copied().chain(std::iter::repeat(1.0));
        let members: Vec<Member> = members
            .into_iter()
            .zip(weights)
            .map(|(preset, weight)| Member { preset, weight })
            .collect();
        Ok(Self {
            all_weights: members.iter().map(|member| member.weight).sum(),
            voters: members.iter().filter(|member| member.votes()).count(),
            members,
            votes,
            threshold,
        })
    }

    /// Checks what an ensemble of so many members is made of.
    ///
    /// # Errors
    /// There are no members, a weight for each member is missing, a weight is negative or not finite, all are 0, or the
    /// threshold does not lie between 0 and 1.
    pub fn check(members: usize, weights: &[f64], threshold: f64) -> Result<(), ParameterError> {
        if members == 0 {
            return Err(ParameterError::invalid("members", "must name at least one preset"));
        }
        if !weights.is_empty() && weights.len() != members {
            let requirement = format!("must have a weight for each of the {members} members");
            return Err(ParameterError::invalid("weights", requirement));
        }
        let all_weights: f64 = weights.iter().sum();
        let is_sum = weights.is_empty() || (all_weights > 0.0 && all_weights.is_finite());
        if !is_sum || weights.iter().any(|weight| !(0.0..=f64::MAX).contains(weight)) {
            return Err(ParameterError::invalid(
                "weights",
                "must be numbers of 0 or more with a finite sum above 0",
            ));
        }
        ParameterError::check_share("threshold", threshold)
    }

    /// Whether a text is kept that these members keep.
    fn is_enough<'m>(&self, members: impl Iterator<Item = &'m Member>) -> bool {
        let (mut count, mut weights) = (0, 0.0);
        for member in members.filter(|member| member.votes()) {
            count += 1;
            weights += member.weight;
        }
        let share = weights / self.all_weights;
        match self.votes {
            Votes::Union => count > 0,
            Votes::Intersection => count == self.voters,
            Votes::Majority => share > 0.5 + TOLERANCE,
            Votes::Weighted => count > 0 && share >= self.threshold - TOLERANCE,
        }
    }

    /// The ballot of each member on a page.
    fn ballots<'e, 'p>(&'e self, page: &PageContext<'p>) -> Vec<Ballot<'e, 'p>> {
        let ballot = |member: &'e Member| Ballot {
            member,
            selection: page.selection(&member.preset),
            view: page.view(member.preset.strip()),
        };
        self.members.iter().map(ballot).collect()
    }
}

/// A member, and what it makes of a page.
struct Ballot<'e, 'p> {
    member: &'e Member,
    selection: Rc<Selection>,
    view: Rc<View<'p>>,
}

impl Ballot<'_, '_> {
    fn keeps(&self, text: NodeId) -> bool {
        self.selection.contains(text) && !self.view.is_masked(text)
    }

    fn keeps_comment(&self, text: NodeId) -> bool {
        let mut comments = self.selection.comments.iter();
        comments.any(|range| range.contains(&text)) && !self.view.is_masked(text)
    }
}

/// Nothing is masked that a member may keep.
fn strip() -> Strip {
    Strip {
        controls: true,
        ..Strip::new(Forms::Keep)
    }
}

impl Extractor for Ensemble {
    fn strip(&self) -> Strip {
        strip()
    }

    fn describe(&self) -> String {
        let voters = self.members.iter().filter(|member| member.votes());
        let names: Vec<&str> = voters.map(|member| member.preset.name.as_str()).collect();
        let votes = match self.votes {
            Votes::Union => "any".to_owned(),
            Votes::Intersection => "all".to_owned(),
            Votes::Majority => "more than half".to_owned(),
            Votes::Weighted => format!("at least {} of the weights", self.threshold),
        };
        format!(
            "keep texts that {votes} of {} keep; score = mean of their scores",
            names.join(", ")
        )
    }

    fn extract(&self, page: &PageContext<'_>) -> Selection {
        let view = page.view(&strip());
        let ballots = self.ballots(page);
        let mut selection = select(&view, |id| {
            let votes = ballots.iter().filter(|ballot| ballot.keeps(id));
            self.is_enough(votes.map(|ballot| ballot.member))
        });
        if ballots.iter().any(|ballot| !ballot.selection.comments.is_empty()) {
            let text = std::mem::take(&mut selection.ranges);
            let kept = Selection::new(text);
            let comments = select(&view, |id| {
                let votes = ballots.iter().filter(|ballot| ballot.keeps_comment(id));
                !kept.contains(id) && self.is_enough(votes.map(|ballot| ballot.member))
            });
            (selection.ranges, selection.comments) = (kept.ranges, comments.ranges);
        }
        let scores: f64 = ballots
            .iter()
            .map(|ballot| ballot.member.weight * ballot.selection.score)
            .sum();
        selection.score = if selection.ranges.is_empty() {
            0.0
        } else {
            scores / self.all_weights
        };
        selection
    }

    fn explain(&self, page: &PageContext<'_>, selection: &Selection, nodes: &[NodeId]) -> Vec<Explanation> {
        let (view, ballots) = (page.view(&strip()), self.ballots(page));
        nodes
            .iter()
            .map(|id| self.explain_node(&ballots, &view, selection, *id))
            .collect()
    }
}

static VOTES: Rule = Rule::new(
    "ensemble.votes",
    "votes for all of its texts: {for}; for some: {part}; for none: {against}; the weights for all of them are {sum} of \
     {all}, and {needed} kept",
);

impl Ensemble {
    fn explain_node(
        &self,
        ballots: &[Ballot<'_, '_>],
        view: &View<'_>,
        selection: &Selection,
        id: NodeId,
    ) -> Explanation {
        let dom = view.dom();
        let is_text = |id: &NodeId| dom.node(*id).tag.is_text();
        let texts: Vec<NodeId> = visible(view, dom.subtree(id)).filter(is_text).collect();
        let kept = |ballot: &Ballot<'_, '_>| texts.iter().filter(|text| ballot.keeps(**text)).count();
        let kept: Vec<usize> = ballots.iter().map(kept).collect();
        let all = texts.len();
        let asked = |is_asked: fn(usize, usize) -> bool| {
            let asked = ballots.iter().zip(&kept).filter(move |(_, kept)| is_asked(**kept, all));
            asked.map(|(ballot, _)| ballot.member)
        };
        let names = |is_asked| {
            let name = |member: &Member| format!("{} ({})", member.preset.name, member.weight);
            asked(is_asked).map(name).collect::<Vec<String>>()
        };
        let needed = match self.votes {
            Votes::Union => "what any member keeps is".to_owned(),
            Votes::Intersection => "what all members with a weight keep is".to_owned(),
            Votes::Majority => "more than half is".to_owned(),
            Votes::Weighted => format!("a share of {} is", self.threshold),
        };
        let list = |names: &[String]| {
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        };
        Explanation::new(id, selection, &VOTES)
            .with("for", Figure::Names(list(&names(|kept, all| kept == all))))
            .with("part", Figure::Names(list(&names(|kept, all| kept > 0 && kept < all))))
            .with("against", Figure::Names(list(&names(|kept, all| kept == 0 && all > 0))))
            .parameter(
                "sum",
                asked(|kept, all| kept == all).fold(0.0, |sum, member| sum + member.weight),
            )
            .parameter("all", self.all_weights)
            .with("needed", Figure::Names(needed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use dehusk_html::{Buffers, parse};

    const PAGE: &str =
        "<ul><li><a href=1>Home</a></ul><p>The ferry was late again today, it came at noon.</p><p>Short</p>";

    fn presets(names: &[&str]) -> Vec<Preset> {
        names
            .iter()
            .map(|name| registry::preset(name).expect("a preset"))
            .collect()
    }

    fn kept(members: &[&str], weights: &[f64], votes: Votes, threshold: f64) -> String {
        let ensemble = Ensemble::new(presets(members), weights, votes, threshold).expect("an ensemble");
        let dom = parse(PAGE, Buffers::default());
        let page = PageContext::new(&dom, "");
        let mut text = String::new();
        ensemble
            .extract(&page)
            .render_text(&page.view(&ensemble.strip()), &mut text);
        text
    }

    #[test]
    fn a_text_is_kept_if_it_has_votes_enough() {
        // econ keeps the sentence, lqf both paragraphs, crunch-links everything.
        let all = ["econ", "lqf", "crunch-links"];
        let kept = |weights: &[f64], votes, threshold| kept(&all, weights, votes, threshold);
        let sentence = "The ferry was late again today, it came at noon.";
        let both = format!("{sentence}\n\nShort");
        assert_eq!(kept(&[], Votes::Union, 0.0), format!("- Home\n\n{both}"));
        assert_eq!(kept(&[], Votes::Intersection, 0.0), sentence);
        assert_eq!(kept(&[], Votes::Majority, 0.0), both);
        assert_eq!(kept(&[1.0, 0.0, 0.0], Votes::Majority, 0.0), sentence);
        assert_eq!(kept(&[0.1, 0.2, 0.7], Votes::Weighted, 0.9), both);
        assert_eq!(
            kept(&[0.1, 0.2, 0.7], Votes::Weighted, 0.7),
            format!("- Home\n\n{both}")
        );
    }

    #[test]
    fn union_and_intersection_count_members_however_small_their_weights() {
        let (sentence, unequal) = ("The ferry was late again today, it came at noon.", [1e10, 1.0]);
        // The first member keeps everything, the second the sentence.
        assert_eq!(
            kept(&["crunch-links", "econ"], &unequal, Votes::Intersection, 0.0),
            sentence
        );
        let both = format!("{sentence}\n\nShort");
        assert_eq!(kept(&["econ", "lqf"], &unequal, Votes::Union, 0.0), both);
    }

    #[test]
    fn a_member_of_weight_0_does_not_vote() {
        let sentence = "The ferry was late again today, it came at noon.";
        for votes in [Votes::Union, Votes::Intersection, Votes::Majority, Votes::Weighted] {
            assert_eq!(kept(&["econ", "lqf"], &[1.0, 0.0], votes, 0.0), sentence, "{votes:?}");
        }
        let both = format!("{sentence}\n\nShort");
        assert_eq!(kept(&["econ", "lqf"], &[0.0, 1.0], Votes::Intersection, 0.0), both);
    }

    #[test]
    fn a_threshold_of_0_asks_for_one_vote() {
        let both = "The ferry was late again today, it came at noon.\n\nShort";
        assert_eq!(kept(&["econ", "lqf"], &[9.0, 1.0], Votes::Weighted, 0.0), both);
    }

    #[test]
    fn an_ensemble_of_one_is_its_member() {
        for votes in [Votes::Union, Votes::Intersection, Votes::Majority, Votes::Weighted] {
            assert_eq!(
                kept(&["econ"], &[3.0], votes, 1.0),
                "The ferry was late again today, it came at noon."
            );
        }
    }

    #[test]
    fn the_score_is_the_mean_of_the_scores() {
        let dom = parse(PAGE, Buffers::default());
        let page = PageContext::new(&dom, "");
        let ensemble = Ensemble::new(presets(&["lqf", "crunch-links"]), &[3.0, 1.0], Votes::Union, 0.0).expect("valid");
        // 11 of the page's 12 words, and all of them.
        assert_eq!(ensemble.extract(&page).score, (3.0 * 11.0 / 12.0 + 1.0) / 4.0);
    }

    #[test]
    fn the_votes_are_explained() {
        let dom = parse(PAGE, Buffers::default());
        let page = PageContext::new(&dom, "");
        let ensemble = Ensemble::new(presets(&["econ", "lqf"]), &[], Votes::Union, 0.0).expect("valid");
        let selection = ensemble.extract(&page);
        let explained = ensemble.explain(&page, &selection, &[dom.body()]);
        assert_eq!(
            explained[0].to_string(),
            "votes for all of its texts: none; for some: econ (1), lqf (1); for none: none; the weights for all of them \
             are 0 of 2, and what any member keeps is kept"
        );
    }

    #[test]
    fn what_is_no_ensemble_is_refused() {
        let error = |members: &[&str], weights: &[f64], threshold| {
            let made = Ensemble::new(presets(members), weights, Votes::Weighted, threshold);
            made.expect_err("an error").to_string()
        };
        assert_eq!(error(&[], &[], 0.5), "“members” must name at least one preset");
        assert_eq!(
            error(&["econ"], &[1.0, 2.0], 0.5),
            "“weights” must have a weight for each of the 1 members"
        );
        for weights in [&[-1.0][..], &[f64::NAN], &[f64::INFINITY], &[0.0]] {
            assert_eq!(
                error(&["econ"], weights, 0.5),
                "“weights” must be numbers of 0 or more with a finite sum above 0"
            );
        }
        assert_eq!(
            error(&["econ", "lqf"], &[f64::MAX, f64::MAX], 0.5),
            "“weights” must be numbers of 0 or more with a finite sum above 0"
        );
        assert_eq!(
            error(&["econ"], &[], 2.0),
            "“threshold” must lie between 0 and 1, not be 2"
        );
    }
}
