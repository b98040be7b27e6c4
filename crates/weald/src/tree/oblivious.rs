//! Growing level by level, all nodes of a level by the same question.

use std::borrow::Cow;

use rayon::prelude::*;

use super::criterion::Criterion;
use super::grow::{Divided, Fresh, Grower};
use super::grown::{GrownNode, Placed, in_pre_order};
use super::parts::NodeRows;
use super::question::LevelNode;
use super::statistic::Statistic;

/// A node of the level that is grown, and its place in the tree.
struct Member<'e, S> {
    place: usize,
    node: Fresh<S>,
    rows: NodeRows<'e>,
}

/// What becomes of a node when a question is asked.
enum Answer<'e, S> {
    /// It is split.
    Split(usize, Box<Divided<'e, Fresh<S>>>),
    /// It waits for the next question.
    Waits(Member<'e, S>),
    /// The run was stopped.
    Stopped,
}

impl<'a, T: Statistic, C: Criterion<T::Sum>> Grower<'a, '_, T, C> {
    /// One question for each level, as many as `max_leaves` leaves have room for.
    pub(super) fn oblivious(
        &self,
        rows: NodeRows<'_>,
        root: Fresh<T::Sum>,
        max_leaves: usize,
    ) -> (Vec<GrownNode>, Vec<Vec<usize>>) {
        let n_parts = rows.n_parts();
        let mut nodes = vec![Placed::new(&rows)];
        let mut level = vec![Member { place: 0, node: root, rows }];
        let n_levels = (max_leaves.max(1).ilog2() as usize).min(self.search.limits.max_depth);
        for depth in 1..=n_levels {
            let Some(answers) = self.ask(&mut level, depth, depth < n_levels) else { break };
            for answer in answers {
                match answer {
                    Answer::Split(place, divided) => {
                        nodes[place].split = Some((divided.split, nodes.len()));
                        for (node, rows) in [divided.left, divided.right] {
                            let place = nodes.len();
                            nodes.push(Placed::new(&rows));
                            level.push(Member { place, node, rows });
                        }
                    }
                    Answer::Waits(member) => level.push(member),
                    Answer::Stopped => {}
                }
            }
        }
        for Member { node, rows, .. } in level {
            self.release_fresh(node);
            rows.go_home();
        }
        in_pre_order(&nodes, n_parts)
    }

    /// Asks all nodes of a level the best question there is; `None`, and the level is as before, if
    /// there is none.
    fn ask<'e>(
        &self,
        level: &mut Vec<Member<'e, T::Sum>>,
        depth: usize,
        goes_on: bool,
    ) -> Option<Vec<Answer<'e, T::Sum>>> {
        // How deep a node is does not matter: it may have let questions pass.
        let allows = |member: &Member<'_, T::Sum>| {
            self.search.allows(0, member.rows.n_rows(), &member.node.total)
        };
        if self.run.poll() {
            return None;
        }
        let known: Vec<(usize, LevelNode<'_, T::Sum>)> = level
            .iter()
            .enumerate()
            .filter(|(_, member)| allows(member))
            .map(|(at, member)| (at, self.look_at(member)))
            .collect();
        let (places, known): (Vec<usize>, Vec<_>) = known.into_iter().unzip();
        let question = self.search.question(&known, self.run.seed.child(depth as u64))?;
        let mut asks = vec![false; level.len()];
        for (at, node) in places.into_iter().zip(&known) {
            asks[at] = self.search.asks(node, &question);
        }
        let answer = |(at, member): (usize, Member<'e, T::Sum>)| {
            if !asks[at] {
                return (at, Answer::Waits(member));
            }
            let Member { place, node, rows } = member;
            match self.part(rows, node.with(question.clone()), goes_on) {
                Some(divided) => (at, Answer::Split(place, Box::new(divided))),
                None => (at, Answer::Stopped),
            }
        };
        drop(known);
        let members = std::mem::take(level).into_iter().enumerate();
        let (big, small): (Vec<_>, Vec<_>) = members.partition(|(_, m)| self.is_big(&m.rows));
        let mut answers: Vec<_> = big.into_iter().map(answer).collect();
        answers.par_extend(small.into_par_iter().map(answer));
        // Gains are added up in the order of nodes: it must be the same for any number of threads.
        answers.sort_by_key(|(at, _)| *at);
        Some(answers.into_iter().map(|(_, answer)| answer).collect())
    }

    /// A node as the search for a question sees it.
    fn look_at<'m>(&self, member: &'m Member<'_, T::Sum>) -> LevelNode<'m, T::Sum> {
        let Member { node, rows, .. } = member;
        let reads_rows = node.histograms().is_none() || !self.search.all_in_planes();
        let parts = rows.entries();
        LevelNode {
            entries: match parts[..] {
                [entries] => Cow::Borrowed(entries),
                _ if reads_rows => Cow::Owned(parts.concat()),
                _ => Cow::Borrowed(&[]),
            },
            n_entries: rows.n_rows(),
            parts,
            total: &node.total,
            leeway: &node.leeway,
            histograms: node.histograms(),
        }
    }
}
