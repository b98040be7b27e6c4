//! Isolation forests (Liu, Ting & Zhou 2008).
//!
//! `psi` rows are drawn for each tree, which is completely random and at most `ceil(log2 psi)`
//! deep. A row is the more anomalous the fewer splits part it from the rows that were drawn:
//! `s(x) = 2^(-E[h(x)] / c(psi))`. Where the paper leaves it open: rows with real weights are drawn
//! by weight, with replacement; counts are rows that stand there several times.
//!
//! Rows are drawn by what they hold, as everywhere, so that their order does not matter. From
//! [`MOST_BY_CONTENT`] rows on they are drawn by where they stand: to read them all would take many
//! times as long as to grow the trees.

use super::model::{IsolationModel, IsolationTrees};
use super::oblique::{Direction, ObliqueTreeGrower};
use super::oblique_trees::{ObliqueTree, ObliqueTrees};
use crate::data::{FewRows, Sample, resample};
use crate::error::{Error, Result};
use crate::forest::contamination::{Contamination, threshold_of};
use crate::forest::path_length::path_length;
use crate::learner::Learner;
use crate::model::Model;
use crate::observer::Event;
use crate::parameter::{Parameter, Parameters, Value, named_values, out_of_range, parameter_list};
use crate::predict::{DeepTree, DeepTrees};
use crate::run::Run;
use crate::seed::Seed;
use crate::tree::{CompletelyRandomTree, FeatureCount, Rule, Tile, Tiles};

/// Rows of a table, at the most, that are drawn by what they hold.
pub const MOST_BY_CONTENT: usize = 1 << 16;

/// Trees that are grown before progress is told.
const TREES_AT_ONCE: usize = 128;

/// Grows completely random trees on a few rows each.
#[derive(Debug, Clone, PartialEq)]
pub struct IsolationForest {
    /// How many trees.
    pub n_trees: usize,
    /// Rows that each tree sees: the paper's psi. All, where there are fewer.
    pub sample_rows: usize,
    /// Splits on the longest way from a tree's root to a leaf.
    pub max_depth: HeightLimit,
    /// Columns that each tree sees.
    pub max_features: FeatureCount,
    /// Across what the rows of a node are cut.
    pub cuts: Cuts,
    /// Columns that a direction is made of, where cuts have one.
    pub cut_features: FeatureCount,
    /// Directions that are tried in each node, where the best cut is sought.
    pub cut_trials: usize,
    /// How many rows are anomalies.
    pub contamination: Contamination,
}

/// Across what rows are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cuts {
    /// One column, anywhere.
    Axis,
    /// A random direction, anywhere.
    Oblique,
    /// Of some random directions the one, and the place in it, that separates best.
    Separating,
}
named_values!(Cuts { Axis = "axis", Oblique = "oblique", Separating = "separating" });

/// How deep trees may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeightLimit {
    /// `ceil(log2 psi)`, about the mean depth of a tree of so many rows.
    Auto,
    /// Until each row is alone.
    None,
    /// So many splits.
    At(usize),
}

impl Default for IsolationForest {
    fn default() -> IsolationForest {
        IsolationForest {
            n_trees: 100,
            sample_rows: 256,
            max_depth: HeightLimit::Auto,
            max_features: FeatureCount::All,
            cuts: Cuts::Axis,
            cut_features: FeatureCount::All,
            cut_trials: 10,
            contamination: Contamination::Auto,
        }
    }
}

impl IsolationForest {
    /// Cuts in directions of all columns (Hariri, Carrasco Kind & Brunner 2019).
    pub fn extended() -> IsolationForest {
        IsolationForest { cuts: Cuts::Oblique, ..IsolationForest::default() }
    }

    /// The best of ten directions of two columns (Liu, Ting & Zhou 2010).
    pub fn sci() -> IsolationForest {
        IsolationForest {
            cuts: Cuts::Separating,
            cut_features: FeatureCount::Count(2),
            max_depth: HeightLimit::None,
            ..IsolationForest::default()
        }
    }
}

impl Learner for IsolationForest {
    type Model = IsolationModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<IsolationModel> {
        self.check()?;
        sample.check_rows()?;
        run.install(|| {
            let rows = match sample.n_rows() > MOST_BY_CONTENT {
                true => FewRows::by_place(sample)?,
                false => FewRows::of(sample)?,
            };
            let tiles = Tiles::of(sample.table);
            let psi = self.sample_rows.min(rows.len());
            let n_columns = sample.table.n_columns();
            let n_features = self.max_features.of(n_columns);
            run.report(&Event::Stage { name: "growing trees" });
            let trees = self.grow(sample, run, psi, |seed| {
                let features = resample::columns(n_columns, n_features, seed);
                tiles.tile(&rows.draw(psi, seed), &features, seed)
            })?;
            self.model(trees, psi, sample)
        })
    }
}

impl IsolationForest {
    /// The trees, each grown on the tile of its seed.
    fn grow(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
        psi: usize,
        tile: impl Fn(Seed) -> Tile + Sync,
    ) -> Result<IsolationTrees> {
        let schema = sample.table.schema();
        let max_depth = self.max_depth.of(psi);
        let isolating = CompletelyRandomTree { max_depth, min_split_rows: 2 };
        match self.cuts {
            Cuts::Axis => {
                let mut trees = DeepTrees::new(schema, 1);
                let grow = |run: &Run<'_>| {
                    let mut tree = isolating.grow(&tile(run.seed), run.seed);
                    let of_nodes = tree.values.iter_mut().zip(&tree.nodes);
                    for (depth, leaf) in of_nodes.filter(|(_, node)| node.rule == Rule::Leaf) {
                        *depth = path_length(*depth, leaf.weight as u64); // h(x) = e + c(size)
                    }
                    DeepTree::of(schema, &tree)
                };
                self.each_tree(run, grow, |tree| trees.push(&tree))?;
                trees.finish();
                Ok(IsolationTrees::Axis(Box::new(trees)))
            }
            Cuts::Oblique | Cuts::Separating => {
                let direction = match self.cuts {
                    Cuts::Separating => Direction::Best { trials: self.cut_trials },
                    _ => Direction::Any,
                };
                let n_features = self.cut_features.of(self.max_features.of(schema.len()));
                let grower = ObliqueTreeGrower { max_depth, n_features, direction };
                let mut trees = ObliqueTrees::new(schema);
                let grow = |run: &Run<'_>| grower.grow(&tile(run.seed), run.seed);
                self.each_tree(run, grow, |tree: ObliqueTree| trees.push(tree))?;
                Ok(IsolationTrees::Oblique(trees))
            }
        }
    }

    /// Grows trees on all threads and adds them in their order.
    fn each_tree<'r, T: Send>(
        &self,
        run: &Run<'r>,
        grow: impl Fn(&Run<'r>) -> T + Sync,
        mut add: impl FnMut(T),
    ) -> Result<()> {
        let mut n_added = 0;
        while n_added < self.n_trees && !run.stopped() {
            let end = self.n_trees.min(n_added + TREES_AT_ONCE);
            let grow = |run: &Run<'r>| {
                run.poll();
                Ok(grow(run))
            };
            for tree in run.fit_members(n_added..end, grow)? {
                add(tree);
                run.report(&Event::Member { index: n_added, total: self.n_trees, honest: None });
                n_added += 1;
            }
        }
        if n_added == 0 { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn model(
        &self,
        trees: IsolationTrees,
        psi: usize,
        sample: &Sample<'_>,
    ) -> Result<IsolationModel> {
        let schema = sample.table.schema().clone();
        let mut model = IsolationModel::new(trees, schema, psi as u64, 0.5);
        if let Contamination::Share(share) = self.contamination {
            let scores = model.scores(sample.table)?;
            model.threshold = threshold_of(share, scores.values(), sample.weights);
        }
        Ok(model)
    }
}

impl HeightLimit {
    /// The limit for trees of so many rows.
    pub fn of(self, psi: usize) -> Option<usize> {
        match self {
            HeightLimit::Auto => Some(psi.next_power_of_two().ilog2().max(1) as usize),
            HeightLimit::None => None,
            HeightLimit::At(depth) => Some(depth),
        }
    }
}

impl Value for HeightLimit {
    fn show(&self) -> String {
        match self {
            HeightLimit::Auto => "auto".into(),
            HeightLimit::None => "none".into(),
            HeightLimit::At(depth) => depth.to_string(),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        *self = match (text, text.parse()) {
            ("auto", _) => HeightLimit::Auto,
            ("none", _) => HeightLimit::None,
            (_, Ok(depth)) => HeightLimit::At(depth),
            _ => return false,
        };
        true
    }

    fn expected(&self) -> String {
        "auto, none, or a whole number".into()
    }
}

impl Parameters for IsolationForest {
    fn method(&self) -> &'static str {
        "isolation-forest"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            n_trees: "how many trees",
            sample_rows: "rows that each tree sees (psi)",
            max_depth: "splits on the longest way from root to leaf; auto is ceil(log2 psi)",
            max_features: "columns that each tree sees",
            cuts: "across what rows are cut",
            cut_features: "columns that a direction is made of, where cuts have one",
            cut_trials: "directions tried in each node, where the best is sought",
            contamination: "how many rows are anomalies; auto: those with a score above 0.5",
        ]
    }

    fn check(&self) -> Result<()> {
        let at_least = |name: &str, found: usize, least: usize| match found >= least {
            true => Ok(()),
            false => out_of_range(name, found, &format!("at least {least}")),
        };
        at_least("n_trees", self.n_trees, 1)?;
        at_least("sample_rows", self.sample_rows, 2)?;
        at_least("cut_trials", self.cut_trials, 1)?;
        if self.max_depth == HeightLimit::At(0) {
            return out_of_range("max_depth", 0, "at least 1, auto or none");
        }
        self.max_features.check()?;
        if let (Err(_), count) = (self.cut_features.check(), self.cut_features) {
            return out_of_range("cut_features", count.show(), "at least one column");
        }
        self.contamination.check()
    }
}
