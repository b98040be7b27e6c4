//! Finding the split of a node whose rows add vectors, from its histograms.
//!
//! As for packed pairs: every numeric feature's best cut is ranked first, in doubles; those that
//! may be the best are then looked at again by the criterion, which decides.

use super::criterion::Criterion;
use super::kernel::vectors::{Block, RANKING_ERROR, RankParameters, best_score};
use super::search::{Asked, Search};
use super::splitter::{Occupied, Offer};
use super::statistic::{Statistic, Sum, Vectors};
use super::vector_histograms::{VectorHistograms, marginals};
use super::workspace::Workspace;
use crate::data::bins::MISSING_U8;
use crate::data::planes::Place;

impl<T: Statistic, C: Criterion<T::Sum>> Search<'_, T, C> {
    /// The best splits of the features that may be the node's best.
    pub(super) fn summed_vectors(
        &self,
        node: &Asked<'_, T::Sum>,
        histograms: &VectorHistograms,
    ) -> Vec<Offer> {
        let Some(vectors) = self.statistic.vectors() else { return Vec::new() };
        let planes = self.bins.planes();
        let allows = |f: &&usize| self.constraints.allow(node.leeway, **f);
        let features: Vec<usize> = node.features.iter().filter(allows).copied().collect();
        self.with_workspace(|workspace| {
            let mut shared = std::mem::take(&mut workspace.shared_blocks);
            self.take_apart((vectors, histograms), &features, &mut shared);
            let n = vectors.n_blocks();
            let cells_of = |place: &Place| match &place.shared {
                Some(cells) => &shared[cells.start * n..cells.end * n],
                None => histograms.own_cells(vectors, place),
            };
            let scores = self.vector_scores(node, vectors, &features, cells_of);
            let best = scores.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
            let error = RANKING_ERROR * (8 + vectors.weight_at()) as f64;
            let floor = best - 2.0 * error * best.abs();
            let hopeless = |score: f64| score < floor || score == f64::NEG_INFINITY;
            let mut offers = Vec::new();
            for (&feature, score) in features.iter().zip(scores) {
                if score.is_some_and(hopeless) {
                    continue;
                }
                let column = self.bins.column(feature);
                match planes.place(feature) {
                    Some(place) => workspace.occupied.fill_vectors(
                        self.statistic,
                        vectors,
                        column.n_bins(),
                        cells_of(place),
                    ),
                    None => workspace.sum_column(self.statistic, column, node.entries),
                }
                let candidate = self.candidate(feature, node);
                offers.extend(self.best_of(&candidate, self.criterion, workspace));
            }
            workspace.shared_blocks = shared;
            offers
        })
    }

    /// Leaves the occupied bins of one feature of a node in the workspace.
    pub(super) fn occupy_vectors(
        &self,
        feature: usize,
        histograms: &VectorHistograms,
        place: &Place,
        workspace: &mut Workspace<T::Sum>,
    ) {
        let Some(vectors) = self.statistic.vectors() else { return };
        let (n, n_bins) = (vectors.n_blocks(), self.bins.column(feature).n_bins());
        let Workspace { occupied, shared_blocks, .. } = workspace;
        let cells = match &place.shared {
            Some(cells) => {
                self.take_apart((vectors, histograms), &[feature], shared_blocks);
                &shared_blocks[cells.start * n..cells.end * n]
            }
            None => histograms.own_cells(vectors, place),
        };
        occupied.fill_vectors(self.statistic, vectors, n_bins, cells);
    }

    /// Reads the cells of those features off that share bytes.
    fn take_apart(
        &self,
        (vectors, histograms): (&Vectors, &VectorHistograms),
        wanted: &[usize],
        shared: &mut Vec<Block>,
    ) {
        let (planes, n) = (self.bins.planes(), vectors.n_blocks());
        shared.resize(planes.n_shared_cells() * n, [0; 8]);
        for (plane, bundles) in planes.bundles.iter().enumerate() {
            for (place, bundle) in bundles.iter().enumerate() {
                let is_wanted = |feature: &usize| wanted.binary_search(feature).is_ok();
                let features = || bundle.members().map(|member| member.feature);
                if bundle.alone().is_some() || !features().any(|f| is_wanted(&f)) {
                    continue;
                }
                let cells = histograms.cells(vectors, plane, place);
                marginals(bundle, cells, n, |member, cells| {
                    let place = planes.place(member.feature).and_then(|p| p.shared.clone());
                    if let Some(place) = place {
                        shared[place.start * n..place.end * n].copy_from_slice(cells);
                    }
                });
            }
        }
    }

    /// The score of each feature's best cut; `None` where features are not ranked.
    fn vector_scores<'c>(
        &self,
        node: &Asked<'_, T::Sum>,
        vectors: &Vectors,
        features: &[usize],
        cells_of: impl Fn(&Place) -> &'c [Block],
    ) -> Vec<Option<f64>> {
        let total = self.statistic.sum_as_blocks(node.total);
        let Some((ranked, total)) = self.criterion.ranked_vectors().zip(total) else {
            return vec![None; features.len()];
        };
        let limits = self.limits.child();
        let parameters = RankParameters {
            ranked,
            total,
            weight_at: vectors.weight_at(),
            min_weight: limits.min_weight,
            min_rows: limits.min_rows as f64,
        };
        let score = |&feature: &usize| {
            let place = self.bins.planes().place(feature).filter(|_| self.is_number(feature))?;
            Some(best_score(cells_of(place), self.bins.column(feature).n_bins(), &parameters))
        };
        features.iter().map(score).collect()
    }
}

impl<S: Sum> Occupied<S> {
    /// Becomes what the cells of one feature hold, one cell for each bin and then, if there is one
    /// more, that of missing values.
    fn fill_vectors<T: Statistic<Sum = S>>(
        &mut self,
        statistic: &T,
        vectors: &Vectors,
        n_bins: usize,
        cells: &[Block],
    ) {
        self.clear();
        let cells = cells.chunks_exact(vectors.n_blocks()).enumerate();
        for (code, cell) in cells.filter(|(_, cell)| vectors.rows_of(cell) > 0) {
            if code < n_bins {
                self.push(statistic, code as u16);
                let last = self.codes.len() - 1;
                statistic.add_blocks(cell, &mut self.sums[last]);
            } else {
                debug_assert!(code <= usize::from(MISSING_U8));
                statistic.add_blocks(cell, &mut self.missing);
            }
        }
    }
}
