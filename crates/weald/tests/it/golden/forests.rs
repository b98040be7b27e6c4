//! Forests in golden files, and what makes them mean nothing.

use weald::any::{AnyModel, Trained};
use weald::data::Resampling;
use weald::ensemble::OutOfBagCurve;
use weald::forest::{ForestModel, Importance, LeafRows, PermutationImportance};
use weald::model::Output;
use weald::predict::{DeepTree, DeepTrees};
use weald::tree::{LevelSet, Node, Rule, Tree};

use super::hostile::{File, refused};
use super::models::{STRANGE, leaf, names, node, schema, trained};

/// Small nodes, sets of levels, missing values alone, every importance, and the rows of each leaf.
pub fn of_numbers() -> Trained {
    let levels = |feature, n: usize, codes: &[u32], missing_left| Rule::Categories {
        feature,
        left: LevelSet::new(n, codes.iter().copied()),
        missing_left,
    };
    let number = |threshold| Rule::Number { feature: 0, threshold, missing_left: true };
    let trees = [
        tree(
            vec![
                node(number(f64::NEG_INFINITY), 2, 6.0),
                leaf(1.0),
                node(levels(3, 70, &[1, 63, 64], false), 4, 5.0),
                leaf(2.0),
                node(number(1.75), 6, 3.0),
                leaf(1.0),
                leaf(2.0),
            ],
            &[[-1e308], [-0.0], [0.1 + 0.2], [5e-324]],
        ),
        tree(
            vec![node(levels(1, 3, &[0, 2], false), 2, 5.0), leaf(2.0), leaf(3.0)],
            &[[-1.25], [1e300]],
        ),
    ];
    let rows = LeafRows {
        targets: vec![-1e300, 0.0, 5e-324, 0.1 + 0.2, f64::MAX],
        copies: vec![1, 3, 1, 1, 2],
        weights: vec![1.0, 0.1 + 0.2, 5e-324, 7.5, 1.0],
        resampling: Resampling::Bootstrap,
        offsets: vec![0, 1, 3, 4, 6, 8, 11],
        rows: vec![2, 0, 3, 1, 1, 4, 0, 4, 1, 2, 3],
        counts: vec![1, 1, 1, 1, 1, 1, 1, 1, 1, 1, u32::MAX],
    };
    let model = ForestModel {
        out_of_bag: Some(OutOfBagCurve { errors: vec![f64::NAN, f64::INFINITY], n_without: 3 }),
        importance: Importance {
            plain: vec![0.75, 0.25, 0.0, 5e-324],
            unbiased: vec![0.5, -0.1, -0.0, 0.1 + 0.2],
        },
        permutation: Some(PermutationImportance {
            increase: vec![1.5, -0.5, 0.0, 1e300],
            standard_error: vec![0.5, 0.25, 0.0, 5e-324],
        }),
        rows: Some(Box::new(rows)),
        ..forest(&trees, Output::Value)
    };
    let settings = [("keep_rows", "true"), ("n_trees", "2")];
    trained(AnyModel::Forest(Box::new(model)), "random-forest", &settings, 7, vec![])
}

/// Thresholds in double precision, leaves that say the same, a set that is all levels but a few, and
/// a tree that is one leaf. Nothing that need not be there.
pub fn of_classes() -> Trained {
    let most = LevelSet::new(70, (0..70).filter(|code| ![63, 65].contains(code)));
    let trees = [
        tree(
            vec![
                node(Rule::Number { feature: 2, threshold: 5e-324, missing_left: false }, 4, 6.0),
                node(Rule::Categories { feature: 3, left: most, missing_left: true }, 3, 4.0),
                leaf(3.0),
                leaf(1.0),
                leaf(2.0),
            ],
            &[[0.125, 0.25, 0.625], [1.0, 0.0, 0.0], [0.125, 0.25, 0.625]],
        ),
        tree(vec![leaf(6.0)], &[[1.0 / 3.0; 3]]),
    ];
    let classes = names(&["", "setosa\u{7f}", STRANGE]);
    let model = forest(&trees, Output::Probabilities { classes });
    trained(AnyModel::Forest(Box::new(model)), "extra-trees", &[], u64::MAX, vec![])
}

/// A tree with these numbers in its leaves.
fn tree<const N: usize>(nodes: Vec<Node>, leaves: &[[f64; N]]) -> Tree {
    let mut leaves = leaves.iter();
    let value = |node: &Node| match node.rule {
        Rule::Leaf => *leaves.next().unwrap(),
        _ => [0.5; N],
    };
    let values = nodes.iter().flat_map(value).collect();
    Tree { nodes, values, width: N, linear: None }
}

/// A forest that knows nothing but its trees.
fn forest(trees: &[Tree], output: Output) -> ForestModel {
    let schema = schema();
    let mut packed = DeepTrees::new(&schema, output.width());
    trees.iter().for_each(|tree| packed.push(&DeepTree::of(&schema, tree)));
    packed.finish();
    ForestModel {
        trees: packed,
        output,
        out_of_bag: None,
        importance: Importance { plain: vec![0.25; schema.len()], unbiased: vec![] },
        permutation: None,
        rows: None,
        schema,
    }
}

fn numbers() -> File {
    File::open("v1_forest")
}

fn classes() -> File {
    File::open("v1_class_forest")
}

#[test]
fn forests_that_mean_nothing() {
    let right = |at, x: u32| numbers().put("node.right", at, x.to_le_bytes());
    refused(right(0, 1), "a right child is node 1, expected node 2");
    refused(right(4, 7), "a right child is node 7");
    refused(right(8, 1), "is a leaf with the child 1");
    let feature = |at, x: u32| numbers().put("node.feature", at, x.to_le_bytes());
    refused(feature(0, 4), "node 0 asks for column 4 of 4");
    refused(feature(0, 1), "which holds categories");
    refused(feature(2, 0), "which holds numbers");
    refused(numbers().put("node.flags", 0, [9]), "node 0 has the flags 9");
    let nan = f64::NAN.to_le_bytes();
    refused(numbers().put("node.threshold", 0, nan), "node 0 has the threshold NaN");
    let offset = |at, x: u64| numbers().put("tree.offsets", at, x.to_le_bytes());
    refused(offset(1, 6), "a right child is node 6");
    refused(offset(2, 9), "tree.offsets ends at 9, expected 10");
    let level = |at, x: u32| numbers().put("set.levels", at, x.to_le_bytes());
    refused(level(1, 1), "node 2 has a list of levels that do not rise up to the 70 there are");
    refused(level(2, 70), "node 2 has a list of levels that do not rise up to the 70");
    refused(level(3, 3), "node 7 has a list of levels that do not rise up to the 3 there are");
    let set = |at, x: u64| numbers().put("set.offsets", at, x.to_le_bytes());
    refused(set(1, 6), "set.offsets: 4 follows 6");
    refused(set(2, 3), "set.offsets ends at 3, expected 4");
}

#[test]
fn leaves_of_forests_that_mean_nothing() {
    let weight = |x: f32| numbers().put("leaf.weight", 1, x.to_le_bytes());
    refused(weight(f32::NAN), "a leaf has the weight NaN");
    refused(weight(-1.0), "a leaf has the weight -1");
    let value = |x: f64| numbers().put("leaf.values", 2, x.to_le_bytes());
    refused(value(f64::INFINITY), "value 2 has the value inf, expected a finite number");
    let most = f64::MAX.to_le_bytes();
    refused(value(f64::MAX).put("leaf.values", 5, most), "its trees add up to infinity");
    let share = |x: f64| classes().put("leaf.values", 2, x.to_le_bytes());
    refused(share(1.5), "value 0 has the value 1.5, expected a probability");
    let place = |at, x: u32| classes().put("leaf.value", at, x.to_le_bytes());
    refused(place(3, 3), "a leaf says value 3 of 3");
    refused(place(0, u32::MAX), "a leaf says value 4294967295 of 3");
    let number = |array: &str, x: f64| numbers().put(array, 1, x.to_le_bytes());
    refused(number("importance.plain", f64::NAN), "the importance of a column is not finite");
    refused(number("importance.unbiased", f64::INFINITY), "the importance of a column is not");
    refused(number("out_of_bag.errors", -0.5), "an out-of-bag error is -0.5");
    let gone = |name: &str| numbers().replace(name, &format!("{name}s"));
    refused(gone("leaf.weight"), "the array leaf.weight is not there");
    refused(gone("importance.plain"), "the array importance.plain is not there");
    refused(gone("permutation.error"), "the array permutation.error is not there");
    refused(gone("out_of_bag.without"), "the array out_of_bag.without is not there");
}

#[test]
fn kept_rows_that_mean_nothing() {
    let row = |at, x: u32| numbers().put("kept.rows", at, x.to_le_bytes());
    refused(row(10, 5), "leaf 5 has row 5 of 5");
    refused(row(2, 0), "the rows of leaf 1 are none, or out of order");
    let count = |x: u32| numbers().put("kept.counts", 3, x.to_le_bytes());
    refused(count(0), "leaf 2 has row 1 of 5 0 times");
    let copies = |x: u32| numbers().put("kept.copies", 4, x.to_le_bytes());
    refused(copies(0), "row 4 stands there 0 times");
    let number = |array: &str, x: f64| numbers().put(array, 0, x.to_le_bytes());
    refused(number("kept.weights", 0.0), "row 0 stands there 1 times with weight 0");
    refused(number("kept.weights", f64::INFINITY), "row 0 stands there 1 times with weight inf");
    refused(number("kept.targets", f64::NAN), "the target of a row is NaN");
    refused(numbers().put("kept.resampling", 0, [6]), "how its rows were drawn");
    let offset = |at, x: u64| numbers().put("kept.offsets", at, x.to_le_bytes());
    refused(offset(1, 0), "the rows of leaf 0 are none");
    refused(offset(6, 12), "kept.offsets ends at 12, expected 11");
    refused(offset(2, u64::MAX), "kept.offsets: 4 follows 18446744073709551615");
    let gone = |name: &str| numbers().replace(name, &format!("{name}s"));
    refused(gone("kept.counts"), "the array kept.counts is not there");
    refused(gone("kept.rows"), "there is a strange array");
}
