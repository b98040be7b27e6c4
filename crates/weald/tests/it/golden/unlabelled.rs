//! Models of rows without a target: in golden files, at random, and such that mean nothing.

use std::sync::Arc;

use weald::any::{AnyModel, Trained};
use weald::data::{Field, FieldKind, Schema};
use weald::forest::DensityModel;
use weald::forest::density::{Chosen, ColumnMeasure, Measure, Reach};
use weald::forest::isolation::{
    IsolationModel, IsolationTrees, ObliqueNode, ObliqueTree, ObliqueTrees, Term,
};
use weald::forest::stream::{StreamingForest, StreamingModel};
use weald::persist::{from_bytes, stream_from_bytes, stream_to_bytes};
use weald::predict::{DeepTree, DeepTrees};
use weald::seed::Seed;
use weald::tree::{LevelSet, Rule, Tree};

use super::hostile::{File, refused};
use super::models::{leaf, node, probe, schema, trained};
use super::mutation::Choices;
use super::{kept, sha256};

/// Two trees, one of them a leaf, with these numbers in their leaves.
fn trees(leaves: [f64; 4]) -> DeepTrees {
    let schema = schema();
    let number = Rule::Number { feature: 0, threshold: 1.5, missing_left: true };
    let left = LevelSet::new(70, [1, 63, 64]);
    let categories = Rule::Categories { feature: 3, left, missing_left: false };
    let nodes =
        vec![node(number, 2, 7.0), leaf(1.0), node(categories, 4, 6.0), leaf(2.0), leaf(4.0)];
    let [a, b, c, d] = leaves;
    let tree = Tree { nodes, values: vec![0.0, a, 0.0, b, c], width: 1, linear: None };
    let alone = Tree { nodes: vec![leaf(7.0)], values: vec![d], width: 1, linear: None };
    let mut trees = DeepTrees::new(&schema, 1);
    [tree, alone].iter().for_each(|tree| trees.push(&DeepTree::of(&schema, tree)));
    trees.finish();
    trees
}

/// Trees that ask one column at a time.
pub fn isolation() -> Trained {
    let trees = IsolationTrees::Axis(Box::new(trees([1.0, 2.75, 3.5, 5e-324])));
    let model = IsolationModel::new(trees, schema(), 256, 0.1 + 0.2);
    let settings = [("contamination", "0.1"), ("n_trees", "2")];
    trained(AnyModel::Isolation(Box::new(model)), "isolation-forest", &settings, 7, vec![])
}

/// Trees that ask for directions, one of them with rows that count no split.
pub fn oblique() -> Trained {
    let schema = schema();
    let node = |right, first_term, threshold, reach, n_rows| ObliqueNode {
        right,
        first_term,
        threshold,
        reach,
        n_rows,
    };
    let term = |feature, coefficient, centre| Term { feature, coefficient, centre };
    let mut trees = ObliqueTrees::new(&schema);
    trees.push(ObliqueTree {
        seed: Seed(u64::MAX),
        nodes: vec![
            node(2, 0, 0.25, f64::INFINITY, 5),
            node(0, 2, 0.0, 0.0, 2),
            node(4, 2, -0.0, 0.5, 3),
            node(0, 3, 0.0, 0.0, 1),
            node(0, 3, 0.0, 0.0, u32::MAX),
        ],
        terms: vec![term(0, 1.5, -1.0), term(3, -1e9, 0.5), term(2, 5e-324, 1e300)],
    });
    trees.push(ObliqueTree { seed: Seed(0), nodes: vec![node(0, 0, 0.0, 0.0, 9)], terms: vec![] });
    let model = IsolationModel::new(IsolationTrees::Oblique(trees), schema, 9, 0.5);
    let settings = [("cuts", "separating"), ("n_trees", "2")];
    trained(AnyModel::Isolation(Box::new(model)), "isolation-forest", &settings, 7, vec![])
}

/// Densities in cells, and depths of whole trees.
pub fn density() -> Trained {
    let reach = |low, high, left, right| ColumnMeasure::Numbers(Reach { low, high, left, right });
    let columns = vec![
        reach(-1.0, 2.0, 0.5, 1e300),
        ColumnMeasure::Levels(3),
        reach(-0.0, 0.0, 5e-324, 0.1 + 0.2),
        ColumnMeasure::Levels(70),
    ];
    let chosen = Chosen { min_split_rows: 12, out_of_bag: Some(-1.25) };
    let depths = Some(trees([1.0, 2.0, 2.0, 0.0]));
    let mut model = DensityModel::new(
        trees([0.5, 1e300, 0.0, 1.0]),
        Measure { columns },
        schema(),
        chosen,
        depths,
    );
    model.threshold = -700.5;
    let settings = [("keep_depths", "true"), ("n_trees", "2")];
    trained(AnyModel::Density(Box::new(model)), "density-forest", &settings, 7, vec![])
}

/// A density of choices.
pub fn any_density(schema: Arc<Schema>, choices: &mut Choices) -> DensityModel {
    let n_trees = 1 + choices.next() as usize % 3;
    let trees = |choices: &mut Choices| {
        let mut trees = DeepTrees::new(&schema, 1);
        for _ in 0..n_trees {
            trees.push(&DeepTree::of(&schema, &choices.tree_of_shares(&schema)));
        }
        trees.finish();
        trees
    };
    let depths = choices.next().is_multiple_of(2).then(|| trees(choices));
    let out_of_bag = choices.next().is_multiple_of(2).then(|| -choices.share());
    let mut column = |field: &Arc<Field>| match &field.kind {
        FieldKind::Numeric => {
            let low = choices.share() - 0.5;
            let (high, left, right) = (low + choices.share(), choices.share(), choices.share());
            ColumnMeasure::Numbers(Reach { low, high, left, right })
        }
        FieldKind::Categorical { levels } => ColumnMeasure::Levels(levels.len()),
    };
    let measure = Measure { columns: schema.fields.iter().map(&mut column).collect() };
    let chosen = Chosen { min_split_rows: choices.next() as usize, out_of_bag };
    let mut model = DensityModel::new(trees(choices), measure, schema.clone(), chosen, depths);
    model.threshold = -choices.share();
    model
}

/// A stream that has seen the probe twice.
fn stream() -> StreamingModel {
    let forest = StreamingForest { n_trees: 2, window: 12, sample_rows: 4, ..Default::default() };
    let mut model = forest.start(&schema(), Seed(7)).unwrap();
    model.update(&probe()).unwrap();
    model.update(&probe()).unwrap();
    model
}

#[test]
fn a_golden_stream_goes_on_as_it_always_did() {
    let bytes = kept("v1_stream", || stream_to_bytes(&stream()));
    let mut loaded = stream_from_bytes(&bytes).unwrap();
    assert_eq!(stream_to_bytes(&loaded), bytes);
    assert_eq!((loaded.n_seen(), loaded.parameters().window), (16, 12));
    let scores = loaded.update(&probe()).unwrap();
    let expected = "ded3fc4b5ebd529e3d09c04e8afa689e12c91b517d3c293d533219763bb9f37c";
    assert_eq!(sha256(&scores), expected);
    for length in 0..bytes.len() {
        assert!(stream_from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    assert!(from_bytes(&bytes).unwrap_err().to_string().contains("state of a stream"));
}

#[test]
fn isolation_that_means_nothing() {
    let file = || File::open("v1_isolation");
    let threshold = file().put("isolation.threshold", 0, f64::NAN.to_le_bytes());
    refused(threshold, "its threshold is NaN");
    let rows = file().put("isolation.sample_rows", 0, 0u64.to_le_bytes());
    refused(rows, "its trees are of 0 rows");
    let depth = |x: f64| file().put("leaf.values", 0, x.to_le_bytes());
    refused(depth(-1.0), "a leaf is at the depth -1");
    refused(depth(f64::INFINITY), "expected a finite number");
    let right = file().put("node.right", 0, 1u32.to_le_bytes());
    refused(right, "a right child is node 1, expected node 2");
}

#[test]
fn directions_that_mean_nothing() {
    let file = || File::open("v1_oblique");
    let number = |array: &str, x: f64| file().put(array, 0, x.to_le_bytes());
    refused(number("node.threshold", f64::INFINITY), "a threshold is not finite");
    refused(number("node.reach", -0.5), "a reach is below 0");
    refused(number("node.reach", f64::NAN), "a reach is below 0");
    refused(number("term.coefficient", f64::NAN), "a direction has the term");
    refused(number("term.centre", f64::INFINITY), "a direction has the term");
    let feature = file().put("term.feature", 1, 4u32.to_le_bytes());
    refused(feature, "a direction has the term");
    let right = |at, x: u32| file().put("node.right", at, x.to_le_bytes());
    refused(right(0, 1), "a right child is node 1");
    refused(right(2, 0), "node");
    let offset = |at, x: u64| file().put("term.offsets", at, x.to_le_bytes());
    refused(offset(1, 4), "term.offsets: ");
    let offset = file().put("tree.offsets", 1, 4u64.to_le_bytes());
    refused(offset, "a right child is node 4");
}

#[test]
fn densities_that_mean_nothing() {
    let file = || File::open("v1_density");
    let reach = |at, x: f64| file().put("measure.reach", at, x.to_le_bytes());
    refused(reach(0, 3.0), "column 0 reaches from [3.0, 2.0, 0.5");
    refused(reach(2, 0.0), "column 0 reaches from");
    refused(reach(3, f64::INFINITY), "column 0 reaches from");
    refused(reach(8, f64::NAN), "column 2 reaches from");
    let value = file().put("leaf.values", 1, (-0.5f64).to_le_bytes());
    refused(value, "a leaf of a density says -0.5");
    let number = |array: &str| file().put(array, 0, f64::NAN.to_le_bytes());
    refused(number("density.threshold"), "density.threshold is NaN");
    refused(number("density.out_of_bag"), "density.out_of_bag is NaN");
    let depth = file().put_within("density.depths", "leaf.values", 0, (-1f64).to_le_bytes());
    refused(depth, "a leaf of a density says -1");
    let gone = file().replace("density.min_split_rows", "density.min_split_rowz");
    refused(gone, "the array density.min_split_rows is not there");
}
