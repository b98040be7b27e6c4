//! Random models survive a round trip; random changes of files do no harm.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use weald::adaboost::{BoostedModel, Round, Tables, Voice};
use weald::any::{AnyModel, MetricValue, TargetField, Trained};
use weald::base::constant::ConstantModel;
use weald::boost::{AdditiveModel, LearningCurve};
use weald::data::{Field, FieldKind, Resampling, Schema};
use weald::ensemble::{Combiner, Ensemble, Member, OutOfBagCurve};
use weald::forest::isolation::{
    IsolationModel, IsolationTrees, ObliqueNode, ObliqueTree, ObliqueTrees, Term,
};
use weald::forest::{ForestModel, Importance, LeafRows, PermutationImportance};
use weald::loss::Link;
use weald::model::Output;
use weald::persist::{from_bytes, to_bytes};
use weald::predict::{DeepTree, DeepTrees};
use weald::seed::Seed;
use weald::tree::{LevelSet, LinearLeaf, LinearLeaves, Node, Rule, Slope, Tree, TreeModel};

use super::damage::is_harmless;
use super::hostile::File;
use super::models::shown;
use super::{GOLDEN, golden};
use super::{base, combined, unlabelled};

proptest! {
    #[test]
    fn any_model_survives_a_round_trip(trained in trained()) {
        let bytes = to_bytes(&trained);
        let back = from_bytes(&bytes).unwrap();
        prop_assert_eq!(shown(&back), shown(&trained));
        prop_assert!(to_bytes(&back) == bytes);
        prop_assert!(safetensors::SafeTensors::deserialize(&bytes).is_ok());
    }

    #[test]
    fn no_change_of_a_random_file_does_harm(
        trained in trained(),
        changes in vec(change(), 1..6),
        keep_length in any::<bool>(),
    ) {
        is_harmless(&changed(to_bytes(&trained), &changes, keep_length));
    }

    #[test]
    fn no_change_of_a_golden_file_does_harm(
        which in 0..GOLDEN.len(),
        changes in vec(change(), 1..6),
        keep_length in any::<bool>(),
    ) {
        is_harmless(&changed(golden(GOLDEN[which].name), &changes, keep_length));
    }

    #[test]
    fn no_other_number_in_a_header_does_harm(
        which in 0..GOLDEN.len(),
        place in any::<prop::sample::Index>(),
        number in number(),
    ) {
        let mut file = File::open(GOLDEN[which].name);
        let runs = digit_runs(&file.header);
        file.header.replace_range(place.get(&runs).clone(), &number);
        is_harmless(&file.bytes());
    }
}

/// One change of a list of bytes; places are shares of its length.
#[derive(Debug, Clone)]
enum Change {
    Set(prop::sample::Index, u8),
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Delete(prop::sample::Index, usize),
    Duplicate(prop::sample::Index, usize, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    let length = || 1usize..40;
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (place(), 0u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        (place(), vec(any::<u8>(), 1..20)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (place(), length()).prop_map(|(at, n)| Change::Delete(at, n)),
        (place(), length(), place()).prop_map(|(at, n, to)| Change::Duplicate(at, n, to)),
    ]
}

/// The bytes with all changes made. With `keep_length` the header's length follows changes within
/// the header, so that more than the length is tested.
fn changed(mut bytes: Vec<u8>, changes: &[Change], keep_length: bool) -> Vec<u8> {
    for change in changes {
        if bytes.len() < 9 {
            break;
        }
        let (before, mut first) = (bytes.len(), bytes.len());
        let mut splice = |at: usize, remove: usize, insert: &[u8]| {
            first = at;
            let end = (at + remove).min(bytes.len());
            bytes.splice(at..end, insert.iter().copied());
        };
        let place = |at: &prop::sample::Index| at.index(before);
        match change {
            Change::Set(at, byte) => splice(place(at), 1, &[*byte]),
            Change::Flip(at, bit) => bytes[place(at)] ^= 1 << bit,
            Change::Insert(at, new) => splice(place(at), 0, new),
            Change::Delete(at, n) => splice(place(at), *n, &[]),
            Change::Duplicate(at, n, to) => {
                let slice = bytes[place(at)..].iter().copied().take(*n).collect::<Vec<_>>();
                bytes.splice(place(to)..place(to), slice);
                first = place(to);
            }
        }
        let Some(length) = bytes.first_chunk().map(|b| u64::from_le_bytes(*b)) else { break };
        if keep_length && first >= 8 && (first as u64) < length.saturating_add(8) {
            let length = length.wrapping_add(bytes.len() as u64).wrapping_sub(before as u64);
            bytes[..8].copy_from_slice(&length.to_le_bytes());
        }
    }
    bytes
}

/// A number as it may stand in JSON.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        (0u64..100).prop_map(|n| n.to_string()),
        (0u32..64, 0u64..3).prop_map(|(bit, n)| ((1u64 << bit).wrapping_add(n)).to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|x| format!("{x:?}")),
        "-?[0-9]{1,30}(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,4})?",
    ]
}

fn digit_runs(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..bytes.len()).filter(|&at| digit(at) && (at == 0 || !digit(at - 1)));
    starts.map(|at| at..(at..).find(|&end| !digit(end)).unwrap()).collect()
}

prop_compose! {
    /// Any model that a learner could return, and many that none would.
    fn trained()(
        schema in schema(),
        output in output(),
        kind in 0..14,
        curve in proptest::option::of(curve()),
        choices in vec(any::<u64>(), 1..120),
        method in ".{0,12}",
        parameters in btree_map(".{0,6}", ".{0,6}", 0..4),
        seed in any::<u64>(),
        target in ".{0,6}",
        metrics in vec((".{0,4}", any::<f64>(), any::<f64>()), 0..3),
        n_rows in any::<u64>(),
    ) -> Trained {
        let (schema, width) = (Arc::new(schema), output.width());
        let mut choices = Choices { left: choices, shares: output != Output::Value };
        let model = match kind {
            0 => {
                let tree = choices.tree(&schema, width);
                AnyModel::Tree(TreeModel { tree, schema, output })
            }
            1 => {
                let value = (0..width).map(|_| choices.value()).collect();
                AnyModel::Constant(ConstantModel { value, schema, output })
            }
            2 => AnyModel::Forest(Box::new(choices.forest(schema, output))),
            3 => AnyModel::Additive(choices.additive(schema, output, curve)),
            4 => AnyModel::Committee(choices.committee(&schema, &output)),
            5 => AnyModel::Boosted(choices.boosted(&schema, output)),
            6 => AnyModel::Isolation(Box::new(choices.isolation(schema))),
            7 => AnyModel::Density(Box::new(unlabelled::any_density(schema, &mut choices))),
            8..11 => combined::any(&schema, &output, &mut choices),
            _ => base::any(&schema, &output, &mut || choices.next()),
        };
        let metric = |(metric, value, baseline)| MetricValue { metric, part: "test".into(), value, baseline };
        let metrics = metrics.into_iter().map(metric).collect();
        Trained { model, method, parameters, seed, target: TargetField { name: target }, metrics, n_rows }
    }
}

prop_compose! {
    fn curve()(
        loss in ".{0,6}",
        rows in ".{0,6}",
        first_round in any::<u32>(),
        held_out in vec(prop::num::f64::ANY.prop_filter("losses are numbers", |x| !x.is_nan()), 1..5),
    ) -> LearningCurve {
        LearningCurve { loss, rows, first_round: first_round as usize, held_out }
    }
}

fn schema() -> impl Strategy<Value = Schema> {
    let kind = || {
        prop_oneof![
            Just(FieldKind::Numeric),
            names(0..5).prop_map(|levels| FieldKind::Categorical { levels }),
            (60usize..140).prop_map(|n| {
                let levels = (0..n).map(|i| i.to_string()).collect();
                FieldKind::Categorical { levels }
            }),
        ]
    };
    names(1..5).prop_flat_map(move |names| {
        let n = names.len();
        (Just(names), vec(kind(), n)).prop_map(|(names, kinds)| {
            let field =
                |(name, kind): (&String, FieldKind)| Arc::new(Field::new(name.clone(), kind));
            Schema { fields: names.iter().zip(kinds).map(field).collect() }
        })
    })
}

fn output() -> impl Strategy<Value = Output> {
    prop_oneof![
        Just(Output::Value),
        names(1..5).prop_map(|classes| Output::Probabilities { classes }),
    ]
}

/// Distinct names of any characters, in any order.
fn names(n: std::ops::Range<usize>) -> impl Strategy<Value = Arc<[String]>> {
    let text = any::<Vec<char>>().prop_map(|chars| chars.into_iter().take(8).collect::<String>());
    btree_set(text, n)
        .prop_map(|set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
        .prop_map(Into::into)
}

/// A list of random numbers that a model is made of.
pub struct Choices {
    left: Vec<u64>,
    shares: bool,
}

impl Choices {
    pub fn next(&mut self) -> u64 {
        self.left.pop().unwrap_or(0)
    }

    /// Above 0, at most 1.
    pub fn share(&mut self) -> f64 {
        (self.next() as f64 / u64::MAX as f64).max(1e-9)
    }

    /// So many numbers of an answer.
    pub fn values(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.value()).collect()
    }

    /// A tree or a constant of such an output.
    pub fn part(&mut self, schema: &Arc<Schema>, output: &Output) -> AnyModel {
        let (schema, output, width) = (schema.clone(), output.clone(), output.width());
        match self.next() % 3 {
            0 => AnyModel::Constant(ConstantModel { value: self.values(width), schema, output }),
            _ => AnyModel::Tree(TreeModel { tree: self.tree(&schema, width), schema, output }),
        }
    }

    /// A tree whose leaves say numbers that are not below 0.
    pub fn tree_of_shares(&mut self, schema: &Schema) -> Tree {
        self.shares = true;
        let mut tree = self.tree(schema, 1);
        tree.nodes.iter_mut().for_each(|node| node.weight = 1.0);
        tree
    }

    fn finite(&mut self) -> f64 {
        let x = f64::from_bits(self.next());
        if x.is_finite() { x } else { 0.0 }
    }

    fn value(&mut self) -> f64 {
        if self.shares { self.next() as f64 / u64::MAX as f64 } else { self.finite() }
    }

    fn tree(&mut self, schema: &Schema, width: usize) -> Tree {
        let mut tree = Tree { nodes: vec![], values: vec![], width, linear: None };
        self.grow(&mut tree, schema);
        tree
    }

    fn additive(
        &mut self,
        schema: Arc<Schema>,
        output: Output,
        curve: Option<LearningCurve>,
    ) -> AdditiveModel {
        let link = match (output.width(), &output) {
            (_, Output::Value) => [Link::Identity, Link::Log][self.next() as usize % 2],
            (2, _) => {
                let links = [Link::Logistic, Link::DoubleLogistic, Link::Softmax];
                links[self.next() as usize % 3]
            }
            _ => Link::Softmax,
        };
        let n_scores = if link == Link::Softmax { output.width() } else { 1 };
        // Trees do not add up to infinity.
        self.shares = true;
        let start = (0..n_scores).map(|_| self.value()).collect();
        let n_trees = self.next() as usize % 4 * n_scores;
        let trees: Vec<Tree> = (0..n_trees).map(|_| self.tree(&schema, 1)).collect();
        let trees: Vec<Tree> = trees.into_iter().map(|tree| self.linear(tree, &schema)).collect();
        AdditiveModel { start, trees: trees.into(), n_runs: 1, link, schema, output, curve }
    }

    /// Trees and constants, each with columns of its own.
    fn committee(&mut self, schema: &Arc<Schema>, output: &Output) -> Ensemble<Member<AnyModel>> {
        let n_members = 1 + self.next() as usize % 5;
        let member = |choices: &mut Choices| {
            let mask = choices.next();
            let some = (0..schema.len() as u32).filter(|column| mask >> column & 1 == 1);
            let some: Box<[u32]> = some.collect();
            let columns = Some(some).filter(|columns| !columns.is_empty());
            let own = columns.as_ref().map_or(schema.clone(), |c| Arc::new(schema.select(c)));
            let (width, output) = (output.width(), output.clone());
            let model = if mask >> 20 & 1 == 1 {
                let value = (0..width).map(|_| choices.value()).collect();
                AnyModel::Constant(ConstantModel { value, schema: own, output })
            } else {
                AnyModel::Tree(TreeModel { tree: choices.tree(&own, width), schema: own, output })
            };
            Member { model, schema: schema.clone(), columns }
        };
        let members: Vec<_> = (0..n_members).map(|_| member(self)).collect();
        let weights = (0..n_members).map(|_| self.next() as f64).collect::<Vec<_>>();
        let weights = weights.into_iter().map(|w| if w == 0.0 { 1.0 } else { w }).collect();
        let can_vote = *output != Output::Value && self.next() % 2 == 1;
        let combiner = if can_vote { Combiner::Vote } else { Combiner::Mean };
        let mut committee = Ensemble::new(members, weights, combiner).unwrap();
        let errors = (0..n_members).map(|_| self.finite().abs()).collect();
        let curve = OutOfBagCurve { errors, n_without: n_members };
        committee.out_of_bag = Some(curve).filter(|_| self.next() % 2 == 1);
        committee
    }

    /// Trees that isolate rows, across columns or directions.
    fn isolation(&mut self, schema: Arc<Schema>) -> IsolationModel {
        self.shares = true;
        let n_trees = 1 + self.next() as usize % 3;
        let is_oblique = self.next() % 2 == 1;
        let trees = if is_oblique {
            let mut trees = ObliqueTrees::new(&schema);
            (0..n_trees).for_each(|_| trees.push(self.oblique(&schema)));
            IsolationTrees::Oblique(trees)
        } else {
            let mut trees = DeepTrees::new(&schema, 1);
            for _ in 0..n_trees {
                let mut tree = self.tree(&schema, 1);
                tree.nodes.iter_mut().for_each(|node| node.weight = 1.0);
                trees.push(&DeepTree::of(&schema, &tree));
            }
            trees.finish();
            IsolationTrees::Axis(Box::new(trees))
        };
        IsolationModel::new(trees, schema, 1 + self.next() % 300, self.finite())
    }

    /// A tree of the shape of an ordinary one, with a direction in each inner node.
    fn oblique(&mut self, schema: &Schema) -> ObliqueTree {
        let shape = self.tree(schema, 1);
        let mut tree = ObliqueTree { seed: Seed(self.next()), nodes: vec![], terms: vec![] };
        for node in &shape.nodes {
            let is_leaf = node.rule == Rule::Leaf;
            tree.nodes.push(ObliqueNode {
                right: if is_leaf { 0 } else { node.right },
                first_term: tree.terms.len() as u32,
                threshold: self.finite(),
                reach: if self.next().is_multiple_of(2) {
                    f64::INFINITY
                } else {
                    self.finite().abs()
                },
                n_rows: self.next() as u32,
            });
            for _ in 0..if is_leaf { 0 } else { 1 + self.next() % 3 } {
                let feature = (self.next() % schema.len() as u64) as u32;
                let (coefficient, centre) = (self.finite(), self.finite());
                tree.terms.push(Term { feature, coefficient, centre });
            }
        }
        tree
    }

    /// Trees that speak in turn, with any voice that goes with the output.
    fn boosted(&mut self, schema: &Arc<Schema>, output: Output) -> BoostedModel<AnyModel> {
        let n_classes = if output == Output::Value { 0 } else { output.width() };
        let of_classes = [
            Voice::Vote,
            Voice::LogShares { floor: 0.001 },
            Voice::Confidences,
            Voice::Plausibilities,
            Voice::Numbers,
            if n_classes == 2 { Voice::Sign } else { Voice::Vote },
        ];
        let voice = match n_classes {
            0 => [Voice::Median, Voice::Mean][self.next() as usize % 2],
            _ => of_classes[self.next() as usize % of_classes.len()],
        };
        let of_member = match (voice, &output) {
            (Voice::Numbers | Voice::Median | Voice::Mean, _) => Output::Value,
            (Voice::Confidences, Output::Probabilities { classes }) => {
                Output::Values { names: classes.clone() }
            }
            _ => output.clone(),
        };
        let n_rounds = 1 + self.next() as usize % 3;
        let prior = (0..output.width()).map(|_| self.value()).collect();
        let mut member = |_| {
            let tree = self.tree(schema, of_member.width());
            let (schema, output) = (schema.clone(), of_member.clone());
            AnyModel::Tree(TreeModel { tree, schema, output })
        };
        let n_members = n_rounds * voice.members_per_round(n_classes);
        let members = (0..n_members).map(&mut member).collect();
        let mut share = || self.next() as f64 / u64::MAX as f64;
        let mut round = |_| Round {
            error: share(),
            edge: share(),
            coefficient: 0.5 + share(),
            normaliser: share(),
            reach: share(),
            training_error: Some(share()),
            min_margin: None,
        };
        let rounds = (0..n_rounds).map(&mut round).collect();
        let (schema, tables) = (schema.clone(), Tables::default());
        let bound_factor = (n_classes > 0).then_some(1.0);
        BoostedModel { members, voice, rounds, prior, bound_factor, schema, output, tables }
    }

    /// The tree with some of its leaves linear.
    fn linear(&mut self, mut tree: Tree, schema: &Schema) -> Tree {
        let is_number = |f: &usize| schema.fields[*f].kind == FieldKind::Numeric;
        let numeric: Vec<usize> = (0..schema.len()).filter(is_number).collect();
        let mut leaves = Vec::new();
        for node in (0..tree.nodes.len()).filter(|&at| tree.is_leaf(at)) {
            let choice = self.next() as usize;
            if choice.is_multiple_of(3) || numeric.is_empty() {
                continue;
            }
            let chosen = &numeric[choice / 3 % numeric.len()..];
            let mut slope = |feature: &usize| {
                let low = self.value() * 9.0;
                let (high, slope) = (low + self.value(), -self.value());
                Slope { feature: *feature as u32, slope, low, high }
            };
            let slopes = chosen.iter().map(&mut slope).collect();
            let (base, low, high) = (self.value(), -self.value(), self.value());
            leaves.push(LinearLeaf { node: node as u32, base, slopes, low, high });
        }
        tree.linear = (!leaves.is_empty()).then(|| Box::new(LinearLeaves(leaves)));
        tree
    }

    /// Adds a subtree; it has a leaf at the latest when the choices are used up.
    fn grow(&mut self, tree: &mut Tree, schema: &Schema) {
        let at = tree.nodes.len();
        let rule = self.rule(schema);
        let is_leaf = rule == Rule::Leaf;
        tree.nodes.push(Node { rule, right: 0, weight: self.finite(), cost: self.finite() });
        for _ in 0..tree.width {
            let value = self.value();
            tree.values.push(value);
        }
        if !is_leaf {
            self.grow(tree, schema);
            tree.nodes[at].right = tree.nodes.len() as u32;
            self.grow(tree, schema);
        }
    }

    fn forest(&mut self, schema: Arc<Schema>, output: Output) -> ForestModel {
        // Trees do not add up to infinity.
        self.shares = true;
        let n_trees = 1 + self.next() as usize % 3;
        let mut trees = DeepTrees::new(&schema, output.width());
        for _ in 0..n_trees {
            let mut tree = self.tree(&schema, output.width());
            tree.nodes.iter_mut().for_each(|node| node.weight = 1.0);
            trees.push(&DeepTree::of(&schema, &tree));
        }
        trees.finish();
        let choice = self.next();
        let share = |bit: usize| (choice >> (bit % 40)) as u8 as f64 / 255.0;
        let of_columns = || (0..schema.len()).map(share).collect::<Vec<f64>>();
        let rows = (choice & 8 == 8).then(|| Box::new(self.leaf_rows(trees.n_leaves(), &output)));
        ForestModel {
            trees,
            rows,
            out_of_bag: (choice & 1 == 1).then(|| OutOfBagCurve {
                errors: (0..n_trees).map(share).collect(),
                n_without: choice as usize,
            }),
            importance: Importance {
                plain: of_columns(),
                unbiased: if choice & 2 == 2 { of_columns() } else { vec![] },
            },
            permutation: (choice & 4 == 4).then(|| PermutationImportance {
                increase: of_columns(),
                standard_error: of_columns(),
            }),
            schema,
            output,
        }
    }

    /// Kept rows, one or two of three in each leaf.
    fn leaf_rows(&mut self, n_leaves: usize, output: &Output) -> LeafRows {
        let ways = [Resampling::Bootstrap, Resampling::Subsample, Resampling::None];
        let resampling = ways[self.next() as usize % 3];
        let targets = match output {
            Output::Value => (0..3).map(|_| self.finite()).collect(),
            _ => vec![],
        };
        let copies = (0..3).map(|_| 1 + self.next() as u32 / 2).collect();
        let weights = (0..3).map(|_| 1.0 + self.next() as f64).collect();
        let (mut offsets, mut rows, mut counts) = (vec![0], vec![], vec![]);
        for _ in 0..n_leaves {
            let own: &[u32] = [&[0][..], &[2], &[0, 1], &[1, 2]][self.next() as usize % 4];
            rows.extend(own);
            counts.extend(own.iter().map(|_| 1 + self.next() as u32 / 2));
            offsets.push(rows.len());
        }
        LeafRows { targets, copies, weights, resampling, offsets, rows, counts }
    }

    fn rule(&mut self, schema: &Schema) -> Rule {
        let choice = self.next();
        if choice.is_multiple_of(4) {
            return Rule::Leaf;
        }
        let feature = (choice >> 8) as usize % schema.len();
        let missing_left = choice & 16 != 0;
        match &schema.fields[feature].kind {
            FieldKind::Numeric => {
                let x = f64::from_bits(self.next());
                let threshold = if x.is_nan() { f64::NEG_INFINITY } else { x };
                Rule::Number { feature: feature as u32, threshold, missing_left }
            }
            FieldKind::Categorical { levels } => {
                let codes: Vec<u32> = (0..levels.len() as u32)
                    .filter(|code| choice.rotate_right(code * 7) & 1 == 1)
                    .collect();
                let left = LevelSet::new(levels.len(), codes);
                Rule::Categories { feature: feature as u32, left, missing_left }
            }
        }
    }
}
