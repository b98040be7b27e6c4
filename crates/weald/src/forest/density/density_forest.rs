//! Density forests: the mean over many random partitions of the space.
//!
//! Each tree is completely random, grown on some of the rows. Its leaves are cells; the density in
//! one is the share of the tree's rows that it holds, by its volume ([`cells`](super::cells)). One
//! tree is a coarse histogram; the mean over many is smooth, and finer where rows are many.
//!
//! To prefer over kernels where the data have several scales, levels or missing values; kernels
//! follow thin curved shapes better. The lecture's score is that of [`depth`](super::depth).

use super::cell_rows::{CellRows, Chosen, Jury, TREES_AT_ONCE, n_judged, read};
use super::cells::Crowd;
use super::measure::Measure;
use super::model::DensityModel;
use crate::data::{FewRows, Sample};
use crate::error::{Error, Result};
use crate::forest::contamination::{Contamination, threshold_of};
use crate::learner::Learner;
use crate::model::Model;
use crate::observer::Event;
use crate::parameter::{Parameter, Parameters, out_of_range, parameter_list};
use crate::predict::{DeepTree, DeepTrees};
use crate::run::Run;
use crate::tree::walk::Reader;
use crate::tree::{CompletelyRandomTree, Tiles};

/// Estimates where rows are many.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityForest {
    /// How many trees.
    pub n_trees: usize,
    /// How many rows each tree sees, as a share of those there are; drawn without replacement, or
    /// by weight with replacement where rows have real weights.
    pub sample_share: f64,
    /// Rows that each tree sees at the most.
    pub max_tree_rows: usize,
    /// Rows that a node needs to be divided.
    pub min_split_rows: CellRows,
    /// Whether whole trees are kept, for the depths of rows in them.
    pub keep_depths: bool,
    /// How many rows are anomalies: those with the lowest densities.
    pub contamination: Contamination,
}

impl Default for DensityForest {
    fn default() -> DensityForest {
        DensityForest {
            n_trees: 100,
            sample_share: 0.65,
            max_tree_rows: 1 << 14,
            min_split_rows: CellRows::Auto,
            keep_depths: false,
            contamination: Contamination::Auto,
        }
    }
}

impl Learner for DensityForest {
    type Model = DensityModel;

    /// The target plays no part.
    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<DensityModel> {
        self.check()?;
        sample.check_rows()?;
        run.install(|| {
            let ground = Ground::of(self, sample, run)?;
            let chosen = self.choose(&ground, run)?;
            run.report(&Event::Stage { name: "growing trees" });
            let mut model = self.grow(&ground, chosen, run)?;
            if let Contamination::Share(share) = self.contamination {
                let scores = model.scores(sample.table)?;
                let rare: Vec<f64> = scores.values().iter().map(|log| -log).collect();
                model.threshold = -threshold_of(share, &rare, sample.weights);
            }
            Ok(model)
        })
    }
}

/// What all trees share.
struct Ground<'a> {
    sample: Sample<'a>,
    columns: Vec<Reader<'a>>,
    features: Vec<u32>,
    tiles: Tiles<'a>,
    rows: FewRows,
    /// Rows that a tree sees.
    n_drawn: usize,
    measure: Measure,
}

impl<'a> Ground<'a> {
    fn of(forest: &DensityForest, sample: &Sample<'a>, run: &Run<'_>) -> Result<Ground<'a>> {
        let rows = FewRows::of(sample)?;
        let share = (forest.sample_share * rows.len() as f64).round() as usize;
        // Some are left out to judge by, if there are two.
        let most = match forest.min_split_rows {
            CellRows::Auto => rows.len() - 1,
            CellRows::Rows(_) => rows.len(),
        };
        Ok(Ground {
            sample: *sample,
            columns: Reader::of(sample.table),
            features: (0..sample.table.n_columns() as u32).collect(),
            tiles: Tiles::of(sample.table),
            n_drawn: share.min(most).clamp(1, forest.max_tree_rows),
            measure: Measure::of(sample, run),
            rows,
        })
    }

    /// The completely random tree of a run, and the places that its rows were drawn from.
    fn crowd(&self, run: &Run<'_>) -> (Crowd<'_>, Vec<usize>) {
        let grower = CompletelyRandomTree { max_depth: None, min_split_rows: 2 };
        let bag = self.rows.draw_places(self.n_drawn, run.seed);
        let rows: Vec<u32> = bag.iter().map(|&place| self.rows.row(place)).collect();
        let tree = grower.grow(&self.tiles.tile(&rows, &self.features, run.seed), run.seed);
        (Crowd::of(tree, &rows, &self.columns), bag)
    }
}

impl DensityForest {
    /// How many rows a node needs to be divided.
    fn choose(&self, ground: &Ground<'_>, run: &Run<'_>) -> Result<Chosen> {
        if let CellRows::Rows(min_split_rows) = self.min_split_rows {
            return Ok(Chosen { min_split_rows, out_of_bag: None });
        }
        run.report(&Event::Stage { name: "choosing how fine cells are" });
        let places = ground.rows.draw_places(n_judged(ground.rows.len()), run.seed);
        let row = |place: usize| read(&ground.columns, ground.rows.row(place) as usize);
        let judges = places.into_iter().map(|place| (place, row(place))).collect();
        let jury = Jury::new(judges, &ground.measure, ground.n_drawn);
        jury.choose(self.n_trees, run, |run| ground.crowd(run))
    }

    fn grow(&self, ground: &Ground<'_>, chosen: Chosen, run: &Run<'_>) -> Result<DensityModel> {
        let schema = ground.sample.table.schema();
        let mut trees = DeepTrees::new(schema, 1);
        let mut depths = self.keep_depths.then(|| DeepTrees::new(schema, 1));
        let grow = |run: &Run<'_>| {
            run.poll();
            let (crowd, _) = ground.crowd(run);
            let densities = crowd.densities(chosen.min_split_rows, &ground.measure, |_| true);
            let whole = self.keep_depths.then(|| DeepTree::of(schema, crowd.tree()));
            Ok((DeepTree::of(schema, &densities), whole))
        };
        while trees.len() < self.n_trees && !run.stopped() {
            let end = self.n_trees.min(trees.len() + TREES_AT_ONCE);
            for (tree, whole) in run.fit_members(trees.len()..end, grow)? {
                let (index, total) = (trees.len(), self.n_trees);
                trees.push(&tree);
                if let (Some(depths), Some(whole)) = (&mut depths, &whole) {
                    depths.push(whole);
                }
                run.report(&Event::Member { index, total, honest: None });
            }
        }
        if trees.is_empty() {
            return Err(Error::Interrupted);
        }
        trees.finish();
        depths.iter_mut().for_each(DeepTrees::finish);
        let measure = ground.measure.clone();
        Ok(DensityModel::new(trees, measure, schema.clone(), chosen, depths))
    }
}

impl Parameters for DensityForest {
    fn method(&self) -> &'static str {
        "density-forest"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            n_trees: "how many trees",
            sample_share: "rows that each tree sees, as a share of those there are",
            max_tree_rows: "rows that each tree sees at the most",
            min_split_rows: "rows a node needs to be divided; auto: chosen by rows out of the bag",
            keep_depths: "whether whole trees are kept, for the depths of rows in them",
            contamination: "how many rows are anomalies, those with the lowest densities; auto: none",
        ]
    }

    fn check(&self) -> Result<()> {
        let share = self.sample_share;
        if self.n_trees == 0 {
            return out_of_range("n_trees", 0, "at least 1");
        }
        if !(share > 0.0 && share <= 1.0) {
            return out_of_range("sample_share", share, "a share above 0 and at most 1");
        }
        if share == 1.0 && self.min_split_rows == CellRows::Auto {
            let expected = "below 1 where min_split_rows is auto, which needs rows out of the bag";
            return out_of_range("sample_share", share, expected);
        }
        if self.max_tree_rows < 2 {
            return out_of_range("max_tree_rows", self.max_tree_rows, "at least 2");
        }
        self.contamination.check()?;
        match self.min_split_rows {
            CellRows::Rows(rows) if rows < 2 => {
                out_of_range("min_split_rows", rows, "at least 2, or auto")
            }
            _ => Ok(()),
        }
    }
}
