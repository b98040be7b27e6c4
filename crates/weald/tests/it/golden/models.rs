//! The models in the golden files, made by hand, and a table to predict.

use std::collections::BTreeMap;
use std::sync::Arc;

use weald::any::{AnyModel, MetricValue, TargetField, Trained};
use weald::base::constant::ConstantModel;
use weald::boost::{AdditiveModel, LearningCurve};
use weald::data::{ClassList, Column, Field, FieldKind, Levels, MISSING, Schema, Table};
use weald::ensemble::{Combiner, Ensemble, Member, OutOfBagCurve};
use weald::loss::Link;
use weald::model::Output;
use weald::tree::{LevelSet, LinearLeaf, LinearLeaves, Node, Rule, Slope, Tree, TreeModel};

/// A column whose name has another script, a quote, a backslash and control characters.
pub const STRANGE: &str = "größe \"цвет\" \\ 🌲\u{0}\u{1b}[31m\u{202e}\n";

/// Class shares, whatever the row.
pub fn constant() -> Trained {
    let model = ConstantModel {
        value: vec![0.625, 0.375],
        schema: schema(),
        output: Output::Probabilities { classes: names(&["no", "yes"]) },
    };
    let metrics = vec![
        metric("accuracy", "test", 0.1 + 0.2, 0.625),
        metric("auc", "test", f64::NAN, f64::NAN),
    ];
    trained(AnyModel::Constant(model), "constant", &[], u64::MAX, metrics)
}

/// Numeric rules only; values and thresholds at the edges of what a number can be.
pub fn regression() -> Trained {
    let number =
        |feature, threshold, missing_left| Rule::Number { feature, threshold, missing_left };
    let tree = Tree {
        nodes: vec![
            node(number(0, 1.5, true), 4, 10.0),
            node(number(2, -0.0, false), 3, 6.0),
            leaf(1.0),
            leaf(5.0),
            node(number(2, 5e-324, false), 6, 4.0),
            leaf(0.5),
            leaf(3.5),
        ],
        values: vec![0.5, -1.25, f64::MIN, -0.0, 0.1 + 0.2, 5e-324, f64::MAX],
        width: 1,
        linear: None,
    };
    let model = TreeModel { tree, schema: schema(), output: Output::Value };
    let settings = [("max_depth", "2"), ("pruning", "cost-complexity:0.01")];
    let metrics = vec![
        metric("r2", "cross-validation", f64::NEG_INFINITY, -0.0),
        metric("rmse", "train", 1e300, f64::INFINITY),
    ];
    trained(AnyModel::Tree(model), "decision-tree", &settings, 42, metrics)
}

/// Category rules, missing directions, an infinite threshold, and a set of two words.
pub fn classification() -> Trained {
    let categories = |feature, n: usize, codes: &[u32], missing_left| Rule::Categories {
        feature,
        left: LevelSet::new(n, codes.iter().copied()),
        missing_left,
    };
    let infinite = Rule::Number { feature: 0, threshold: f64::INFINITY, missing_left: true };
    let thirds = [1.0 / 3.0; 3];
    let values: [[f64; 3]; 9] = [
        thirds,
        [0.25, 0.5, 0.25],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        thirds,
        [0.5, 0.5, 0.0],
        [0.125, 0.25, 0.625],
        [0.0, 0.0, 1.0],
        [0.75, 0.25, 0.0],
    ];
    let tree = Tree {
        nodes: vec![
            node(categories(1, 3, &[0, 2], false), 4, 9.0),
            node(categories(3, 70, &[1, 63, 64, 69], true), 3, 5.0),
            leaf(2.0),
            leaf(3.0),
            node(infinite, 8, 4.0),
            node(categories(3, 70, &[], true), 7, 3.0),
            leaf(1.0),
            leaf(2.0),
            leaf(1.0),
        ],
        values: values.as_flattened().to_vec(),
        width: 3,
        linear: None,
    };
    let classes = names(&["", "setosa\u{7f}", STRANGE]);
    let model = TreeModel { tree, schema: schema(), output: Output::Probabilities { classes } };
    let settings = [("criterion", "gain-ratio"), ("pruning", "error-based:0.25")];
    let metrics = vec![metric("log loss", "test", 0.123_456_789_012_345_67, 1.098_612_288_668_11)];
    trained(AnyModel::Tree(model), "c45", &settings, 0, metrics)
}

/// Three scores and two rounds of trees, with a learning curve that began after a round before.
pub fn additive() -> Trained {
    let infinite = Rule::Number { feature: 0, threshold: f64::INFINITY, missing_left: false };
    let left = LevelSet::new(70, [0, 64]);
    let rules = [
        infinite,
        Rule::Categories { feature: 3, left, missing_left: true },
        Rule::Number { feature: 2, threshold: 0.5, missing_left: true },
    ];
    let stump = |(i, rule): (usize, Rule)| Tree {
        nodes: vec![node(rule, 2, 8.0), leaf(3.0), leaf(5.0)],
        values: vec![0.0, 0.25 * (i as f64 + 1.0), -0.5],
        width: 1,
        linear: None,
    };
    let alone =
        |value| Tree { nodes: vec![leaf(8.0)], values: vec![value], width: 1, linear: None };
    let mut trees: Vec<Tree> = rules.into_iter().enumerate().map(stump).collect();
    trees.extend([0.125, -0.0, 5e-324].map(alone));
    let model = AdditiveModel {
        start: vec![-1.0, 0.5, 0.0],
        trees: trees.into(),
        n_runs: 1,
        link: Link::Softmax,
        schema: schema(),
        output: Output::Probabilities { classes: names(&["ash", "elm", "oak"]) },
        curve: Some(LearningCurve {
            loss: "softmax".into(),
            rows: "5 folds of \"цвет\"\n".into(),
            first_round: 1,
            held_out: vec![f64::INFINITY, 1.0986122886681098, 0.1 + 0.2],
        }),
    };
    let settings = [("n_trees", "2"), ("loss", "softmax")];
    trained(AnyModel::Additive(model), "gradient-boosting", &settings, 7, vec![])
}

/// One score, a logarithm, and no curve.
pub fn counts() -> Trained {
    let rule = Rule::Number { feature: 2, threshold: -0.5, missing_left: false };
    let tree = Tree {
        nodes: vec![node(rule, 2, 8.0), leaf(3.0), leaf(5.0)],
        values: vec![0.1, 0.75, -1.5],
        width: 1,
        linear: None,
    };
    let model = AdditiveModel {
        start: vec![2.0],
        n_runs: 1,
        trees: vec![tree].into(),
        link: Link::Log,
        schema: schema(),
        output: Output::Value,
        curve: None,
    };
    trained(AnyModel::Additive(model), "gradient-boosting", &[("loss", "poisson")], 7, vec![])
}

/// Two trees with linear leaves around one without, and numbers at the edges of what they can be.
pub fn linear() -> Trained {
    let slope = |feature, slope, low, high| Slope { feature, slope, low, high };
    let number = |feature, threshold| Rule::Number { feature, threshold, missing_left: true };
    let stump = |linear: Vec<LinearLeaf>| Tree {
        nodes: vec![node(number(2, -0.5), 2, 8.0), leaf(3.0), leaf(5.0)],
        values: vec![0.1, 0.75, -1.5],
        width: 1,
        linear: (!linear.is_empty()).then(|| Box::new(LinearLeaves(linear))),
    };
    let linear = |node, base, (low, high), slopes| LinearLeaf { node, base, slopes, low, high };
    let both = vec![
        linear(1, -0.0, (-1e300, 5e-324), vec![slope(2, 5e-324, -1e300, 1e300)]),
        linear(
            2,
            0.1 + 0.2,
            (0.0, f64::MAX / 4.0),
            vec![slope(0, -0.25, -1.0, 2.0), slope(2, 1e9, -0.0, 5e-324)],
        ),
    ];
    let right = linear(2, -1.0, (-0.75, -0.75), vec![slope(0, 0.5, 0.5, 0.5)]);
    let model = AdditiveModel {
        start: vec![2.0],
        n_runs: 1,
        trees: vec![stump(both), stump(vec![]), stump(vec![right])].into(),
        link: Link::Identity,
        schema: schema(),
        output: Output::Value,
        curve: None,
    };
    let settings = [("linear_leaves", "true"), ("linear_l2", "0.5")];
    trained(AnyModel::Additive(model), "gradient-boosting", &settings, 7, vec![])
}

/// Members of three kinds, each with columns of its own, one of them with a learning curve.
pub fn committee() -> Trained {
    let AnyModel::Additive(boosted) = additive().model else { panic!() };
    let (schema, output) = (schema(), boosted.output.clone());
    let member = |model, columns| Member { model, schema: schema.clone(), columns };
    let left = LevelSet::new(70, [1, 64]);
    let categories = Rule::Categories { feature: 1, left, missing_left: false };
    let number = Rule::Number { feature: 0, threshold: 0.25, missing_left: true };
    let tree = Tree {
        nodes: vec![
            node(categories, 2, 9.0),
            leaf(4.0),
            node(number, 4, 5.0),
            leaf(2.0),
            leaf(3.0),
        ],
        values: [
            [0.25, 0.5, 0.25],
            [1.0, 0.0, 0.0],
            [0.5, 0.25, 0.25],
            [0.0, 0.75, 0.25],
            [0.1; 3],
        ]
        .as_flattened()
        .to_vec(),
        width: 3,
        linear: None,
    };
    let own = |columns: &[u32]| Arc::new(schema.select(columns));
    let tree = TreeModel { tree, schema: own(&[2, 3]), output: output.clone() };
    let value = vec![0.125, 0.375, 0.5];
    let constant = ConstantModel { value, schema: own(&[1]), output: output.clone() };
    let members = vec![
        member(AnyModel::Tree(tree), Some([2, 3].into())),
        member(AnyModel::Additive(boosted), None),
        member(AnyModel::Constant(constant), Some([1].into())),
    ];
    let mut model = Ensemble::new(members, vec![1.0, 0.1 + 0.2, 5e-324], Combiner::Mean).unwrap();
    let errors = vec![f64::NAN, f64::INFINITY, 0.1 + 0.2];
    model.out_of_bag = Some(OutOfBagCurve { errors, n_without: 3 });
    let settings = [("base", "decision-tree"), ("base.max_depth", "2"), ("n_members", "3")];
    trained(AnyModel::Committee(model), "random-patches", &settings, 7, vec![])
}

/// Two numbers a row, one of a strange name.
pub fn several() -> Trained {
    let rule = Rule::Number { feature: 0, threshold: 1.5, missing_left: true };
    let tree = Tree {
        nodes: vec![node(rule, 2, 8.0), leaf(5.0), leaf(3.0)],
        values: vec![1.5, 2.5, 0.1 + 0.2, -0.0, f64::MIN, 5e-324],
        width: 2,
        linear: None,
    };
    let output = Output::Values { names: names(&["height", STRANGE]) };
    let model = TreeModel { tree, schema: schema(), output };
    trained(AnyModel::Tree(model), "decision-tree", &[("max_depth", "1")], 7, vec![])
}

/// Classes of two targets, one of a strange name.
fn two_targets() -> Output {
    let list =
        |name: &str, classes: &[&str]| ClassList { name: name.into(), classes: names(classes) };
    let outputs = [list("colour", &["red", STRANGE, "green"]), list(STRANGE, &["no", "yes"])];
    Output::SeveralProbabilities { outputs: outputs.into() }
}

/// A tree of classes of two targets.
pub fn several_classes() -> Trained {
    let rule = Rule::Number { feature: 0, threshold: 1.5, missing_left: true };
    let values = [
        [0.25, 0.5, 0.25, 0.1, 0.9],
        [0.0, 1.0, 0.0, 1.0, 0.0],
        [0.1 + 0.2, 0.2, 0.5, 5e-324, 1.0],
    ];
    let tree = Tree {
        nodes: vec![node(rule, 2, 8.0), leaf(5.0), leaf(3.0)],
        values: values.concat(),
        width: 5,
        linear: None,
    };
    let model = TreeModel { tree, schema: schema(), output: two_targets() };
    trained(AnyModel::Tree(model), "decision-tree", &[("max_depth", "1")], 7, vec![])
}

/// Boosted classes of two targets: three scores of one, and log-odds of the other.
pub fn several_boosted() -> Trained {
    let rule = Rule::Number { feature: 0, threshold: -0.5, missing_left: false };
    let tree = Tree {
        nodes: vec![node(rule, 2, 8.0), leaf(5.0), leaf(3.0)],
        values: vec![0.0, 0.0, 0.0, 0.0, 0.5, -1.5, 0.1 + 0.2, 700.0, -0.25, 1.0, -2.0, -0.75],
        width: 4,
        linear: None,
    };
    let model = AdditiveModel {
        start: vec![0.5, -0.25, 0.0, 0.125],
        trees: vec![tree.clone(), tree].into(),
        n_runs: 1,
        link: Link::Each,
        schema: schema(),
        output: two_targets(),
        curve: None,
    };
    trained(AnyModel::Additive(model), "gradient-boosting", &[("n_trees", "2")], 7, vec![])
}

/// Rows that reach every leaf, with infinities, missing values and a level the models do not know.
pub fn probe() -> Table {
    let x = vec![f64::NEG_INFINITY, -1.0, 0.0, 5e-324, 1.5, 2.0, f64::INFINITY, f64::NAN];
    let z = vec![-0.0, 0.0, -1.0, f64::NAN, 1.0, -1.0, 0.0, f64::NAN];
    let colors = ["red", "green", "blue", "purple", "green", "red", "green"];
    let mut colors: Vec<Option<&str>> = colors.into_iter().map(Some).collect();
    colors.push(None);
    let codes = vec![1, 63, 64, 69, 0, 68, 2, MISSING];
    Table::new(vec![
        ("x".into(), Column::numeric(x)),
        (STRANGE.into(), Column::from_names(&colors)),
        ("z".into(), Column::numeric(z)),
        ("many".into(), Column::categorical(codes, many()).unwrap()),
    ])
    .unwrap()
}

/// A model as text in which NaN is NaN and -0 is not 0.
pub fn shown(trained: &Trained) -> String {
    format!("{trained:#?}")
}

pub fn schema() -> Arc<Schema> {
    let field = |name: &str, kind| Arc::new(Field::new(name, kind));
    let categorical = |levels| FieldKind::Categorical { levels };
    Arc::new(Schema {
        fields: vec![
            field("x", FieldKind::Numeric),
            field(STRANGE, categorical(names(&["red", "green", "blue"]))),
            field("z", FieldKind::Numeric),
            field("many", categorical(many())),
        ],
    })
}

fn many() -> Levels {
    (0..70).map(|i| i.to_string()).collect()
}

pub fn names(names: &[&str]) -> Arc<[String]> {
    names.iter().map(|name| name.to_string()).collect()
}

pub fn node(rule: Rule, right: u32, weight: f64) -> Node {
    Node { rule, right, weight, cost: weight / 7.0 }
}

pub fn leaf(weight: f64) -> Node {
    node(Rule::Leaf, 0, weight)
}

fn metric(metric: &str, part: &str, value: f64, baseline: f64) -> MetricValue {
    MetricValue { metric: metric.into(), part: part.into(), value, baseline }
}

pub fn trained(
    model: AnyModel,
    method: &str,
    settings: &[(&str, &str)],
    seed: u64,
    metrics: Vec<MetricValue>,
) -> Trained {
    let parameters: BTreeMap<_, _> =
        settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let target = TargetField { name: "y\t\u{1F332}".into() };
    Trained { model, method: method.into(), parameters, seed, target, metrics, n_rows: 10 }
}
