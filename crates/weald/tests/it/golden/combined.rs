//! Models of models: in golden files, at random, and such that mean nothing.

use std::sync::Arc;

use weald::adaboost::{BoostedModel, Round, Tables, Voice};
use weald::any::{AnyModel, Trained};
use weald::base::constant::ConstantModel;
use weald::base::design::{Design, DesignRows, NOWHERE};
use weald::base::linear::LinearModel;
use weald::base::nearest_neighbours::NeighboursModel;
use weald::base::neighbours::Neighbours;
use weald::combine::{
    Aggregate, Calibrated, Coded, Dynamic, Isotonic, Knora, Mixture, ProbabilityMap, Scheme,
    Sigmoid, Stacked, Temperature, expert_names,
};
use weald::data::{Field, FieldKind, Schema};
use weald::ensemble::Named;
use weald::model::Output;
use weald::tree::{Rule, Tree, TreeModel};

use super::base::design;
use super::hostile::{File, refused};
use super::models::{STRANGE, leaf, names, node, schema, trained};
use super::mutation::Choices;

const PRIOR: [f64; 3] = [0.125, 0.375, 0.5];

fn classes() -> Output {
    Output::Probabilities { classes: names(&["ash", "elm", "oak"]) }
}

/// A tree that asks one column of numbers.
fn stump(schema: &Arc<Schema>, output: &Output, feature: u32, values: Vec<f64>) -> AnyModel {
    let rule = Rule::Number { feature, threshold: 0.25, missing_left: true };
    let nodes = vec![node(rule, 2, 8.0), leaf(3.0), leaf(5.0)];
    let tree = Tree { nodes, values, width: output.width(), linear: None };
    AnyModel::Tree(TreeModel { tree, schema: schema.clone(), output: output.clone() })
}

fn constant(schema: &Arc<Schema>, output: &Output, value: &[f64]) -> AnyModel {
    let (value, schema, output) = (value.to_vec(), schema.clone(), output.clone());
    AnyModel::Constant(ConstantModel { value, schema, output })
}

/// A tree and a constant of three classes.
fn two_of_classes() -> Vec<Named<AnyModel>> {
    let values = vec![0.25, 0.5, 0.25, 1.0, 0.0, 0.0, 0.5, 0.25, 0.25];
    let tree = stump(&schema(), &classes(), 2, values);
    vec![Named::new("tree", tree), Named::new(STRANGE, constant(&schema(), &classes(), &PRIOR))]
}

/// A tree of what two members say, and of the columns that they see.
pub fn stacked() -> Trained {
    let (schema, output) = (schema(), classes());
    let said = |name: &str| ["ash", "elm", "oak"].map(|class| format!("{name}: {class}"));
    let number = |name| Arc::new(Field::new(name, FieldKind::Numeric));
    let said = said("tree").into_iter().chain(said(STRANGE)).map(number);
    let above = Arc::new(Schema { fields: said.chain(schema.fields.iter().cloned()).collect() });
    // Of what the first member says of "ash", and of a column that is passed through.
    let number = |feature, threshold| Rule::Number { feature, threshold, missing_left: false };
    let tree = Tree {
        nodes: vec![
            node(number(0, 0.75), 2, 8.0),
            leaf(3.0),
            node(number(6, 1.5), 4, 5.0),
            leaf(2.0),
            leaf(3.0),
        ],
        values: [PRIOR, [0.0, 0.5, 0.5], PRIOR, [0.1 + 0.2, 0.7, 0.0], [0.0, 0.0, 1.0]].concat(),
        width: 3,
        linear: None,
    };
    let last = AnyModel::Tree(TreeModel { tree, schema: above, output });
    let model = Stacked {
        members: two_of_classes(),
        last,
        pass_through: true,
        prior: PRIOR.to_vec(),
        schema,
    };
    let settings = [("members", "tree=decision-tree"), ("pass_through", "true")];
    trained(AnyModel::Stacked(Box::new(model)), "stacking", &settings, 7, vec![])
}

/// Two members, and four rows that tell which of them is right.
pub fn dynamic() -> Trained {
    let members = two_of_classes();
    let of_right = Output::Values { names: members.iter().map(|m| m.name.clone()).collect() };
    let numbers = vec![0.5, -1.0, 1e12, 0.0, -0.0, 5e-324, 0.1 + 0.2, 0.25];
    let slots = vec![NOWHERE, 1, 5, 0, 3, 4, NOWHERE, 2, NOWHERE, 0, 1, 26];
    let right = NeighboursModel {
        k: 2,
        neighbours: Neighbours::new(
            DesignRows::new(design(), numbers, slots, 4),
            vec![1, 2, u32::MAX, 1],
        ),
        weights: vec![1.0, 0.1 + 0.2, 5e-324, 1e308],
        targets: vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0],
        schema: schema(),
        output: of_right,
    };
    let (prior, output) = (PRIOR.to_vec(), classes());
    let model = Dynamic { members, rule: Knora::Union, right, prior, output };
    trained(AnyModel::Dynamic(Box::new(model)), "dynamic-selection", &[("k", "2")], 7, vec![])
}

/// Two experts of a number, and a gate that believes them in parts.
pub fn mixture() -> Trained {
    let (schema, output) = (schema(), Output::Value);
    let experts = vec![
        stump(&schema, &output, 0, vec![0.5, -1e300, 0.1 + 0.2]),
        constant(&schema, &output, &[-0.0]),
    ];
    let design = design();
    let n = design.width() + 1;
    let model = Mixture {
        gate: gate(design, schema, 2, (0..n).map(|i| 0.5 - 0.125 * (i % 7) as f64).collect()),
        experts,
        variances: vec![vec![5e-324], vec![1e300]],
        likelihoods: vec![f64::NEG_INFINITY, -1.5, -0.1],
        prior: vec![0.75],
        output,
    };
    let settings = [("expert", "ridge"), ("n_experts", "2")];
    trained(AnyModel::Mixture(Box::new(model)), "mixture-of-experts", &settings, 7, vec![])
}

fn gate(
    design: Arc<Design>,
    schema: Arc<Schema>,
    n_experts: usize,
    coefficients: Vec<f64>,
) -> LinearModel {
    LinearModel {
        design,
        coefficients,
        scale: 1.0,
        prior: vec![1.0 / n_experts as f64; n_experts],
        n_steps: 0,
        schema,
        output: Output::Probabilities { classes: expert_names(n_experts) },
    }
}

/// Each of three classes against each other, and a fourth that no row has.
pub fn coded() -> Trained {
    let answers = Output::Probabilities { classes: names(&["no", "yes"]) };
    let member = |feature: u32, yes: f64| {
        let values = vec![0.5, 0.5, 1.0 - yes, yes, 0.75, 0.25];
        stump(&schema(), &answers, feature, values)
    };
    let (yes, no) = (Some(true), Some(false));
    let model = Coded {
        members: vec![member(0, 0.875), member(2, 0.5), constant(&schema(), &answers, &[0.0, 1.0])],
        tasks: vec![
            vec![yes, None, no, None],
            vec![yes, None, None, no],
            vec![None, None, yes, no],
        ],
        scheme: Scheme::OneVsOne(Aggregate::Coupling),
        sizes: vec![3.0, 0.0, 0.1 + 0.2, 5e-324],
        prior: vec![0.5, 0.0, 0.375, 0.125],
        schema: schema(),
        output: Output::Probabilities { classes: names(&["ash", STRANGE, "elm", "oak"]) },
    };
    let settings = [("aggregate", "coupling"), ("base", "decision-tree")];
    trained(AnyModel::Coded(Box::new(model)), "one-vs-one", &settings, 7, vec![])
}

/// A tree of three classes whose probabilities are put right.
fn calibrated(map: ProbabilityMap, name: &str) -> Trained {
    let base = two_of_classes().remove(0).learner;
    let model = AnyModel::Calibrated(Box::new(Calibrated { base, map }));
    let settings = [("base", "decision-tree"), ("map", name)];
    trained(model, "calibration", &settings, 7, vec![])
}

/// By one number.
pub fn temperature() -> Trained {
    calibrated(ProbabilityMap::Temperature(Temperature(0.1 + 0.2)), "temperature")
}

/// By two numbers for each class.
pub fn sigmoid() -> Trained {
    let of = |slope, intercept| Sigmoid { slope, intercept };
    let curves = vec![of(0.75, -0.1), of(0.0, 5e-324), of(1e3, 0.1 + 0.2)];
    calibrated(ProbabilityMap::Sigmoid(curves), "sigmoid")
}

/// By a curve for each class: one with a slope, one that is flat, one that jumps.
pub fn isotonic() -> Trained {
    let curves = [
        vec![(0.0, 0.1 + 0.2), (0.375, 0.5), (1.0, 0.875)],
        vec![(0.25, 0.125)],
        vec![(5e-324, 1e-9), (0.25, 1e-9), (0.25 + f64::EPSILON, 0.75), (0.5, 0.75)],
    ];
    let curves = curves.map(|knots| Isotonic { knots }).into();
    calibrated(ProbabilityMap::Isotonic(curves), "isotonic")
}

/// Two rounds of members whose shares are taken as logarithms.
pub fn boosted() -> Trained {
    let round = |coefficient: f64| Round {
        error: 0.25,
        edge: 0.1 + 0.2,
        coefficient,
        normaliser: 0.875,
        reach: 13.5,
        training_error: Some(0.125),
        min_margin: None,
    };
    let model = BoostedModel {
        members: two_of_classes().into_iter().map(|member| member.learner).collect(),
        voice: Voice::LogShares { floor: 1e-9 },
        rounds: vec![round(1.0), round(-0.0)],
        prior: PRIOR.to_vec(),
        bound_factor: None,
        schema: schema(),
        output: classes(),
        tables: Tables::default(),
    };
    trained(AnyModel::Boosted(model), "adaboost", &[("algorithm", "real")], 7, vec![])
}

/// A model of models of any of these kinds, of choices.
pub fn any(schema: &Arc<Schema>, output: &Output, choices: &mut Choices) -> AnyModel {
    let n = 1 + choices.next() as usize % 3;
    let prior = choices.values(output.width());
    let kind = choices.next() % 5;
    let is_of_classes = matches!(output, Output::Probabilities { .. });
    if kind == 0 && is_of_classes && output.width() > 1 {
        return AnyModel::Coded(Box::new(any_coded(schema, output, prior, choices)));
    }
    if kind == 4 && is_of_classes {
        let base = choices.part(schema, output);
        let map = any_map(output.width(), choices);
        return AnyModel::Calibrated(Box::new(Calibrated { base, map }));
    }
    let members: Vec<AnyModel> = (0..n).map(|_| choices.part(schema, output)).collect();
    let (schema, output) = (schema.clone(), output.clone());
    let named = |(i, member): (usize, AnyModel)| Named::new(&format!("member {i}"), member);
    match kind {
        1 => {
            let design = plain(&schema);
            let n_scores = if n == 2 { 1 } else { n };
            let coefficients = (0..n_scores * (design.width() + 1)).map(|i| i as f64 - 2.0);
            let coefficients = coefficients.collect();
            let n_variances = if is_of_classes { 0 } else { output.width() };
            let variances = (0..n).map(|_| (0..n_variances).map(|_| choices.share()).collect());
            AnyModel::Mixture(Box::new(Mixture {
                variances: variances.collect(),
                likelihoods: (0..n).map(|_| choices.share() - 1.0).collect(),
                gate: gate(design, schema, n, coefficients),
                experts: members,
                prior,
                output,
            }))
        }
        2 if is_of_classes => {
            let members: Vec<_> = members.into_iter().enumerate().map(named).collect();
            let design = plain(&schema);
            let n_rows = 1 + choices.next() as usize % 4;
            let numbers = (0..n_rows * design.n_numbers()).map(|_| choices.share()).collect();
            let slots = vec![NOWHERE; n_rows * design.n_slots()];
            let right = NeighboursModel {
                k: n_rows,
                neighbours: Neighbours::new(
                    DesignRows::new(design, numbers, slots, n_rows),
                    vec![1; n_rows],
                ),
                weights: (0..n_rows).map(|_| choices.share()).collect(),
                targets: (0..n_rows * n).map(|_| (choices.next() % 2) as f64).collect(),
                schema,
                output: Output::Values { names: members.iter().map(|m| m.name.clone()).collect() },
            };
            let rule = [Knora::Eliminate, Knora::Union][choices.next() as usize % 2];
            AnyModel::Dynamic(Box::new(Dynamic { members, rule, right, prior, output }))
        }
        _ => {
            let members: Vec<_> = members.into_iter().enumerate().map(named).collect();
            let said: Vec<String> = match &output {
                Output::Probabilities { classes } if classes.len() == 2 => {
                    vec![format!(": {}", classes[1])]
                }
                Output::Probabilities { classes } => {
                    classes.iter().map(|class| format!(": {class}")).collect()
                }
                _ => vec![String::new()],
            };
            let names = members.iter().flat_map(|m| said.iter().map(move |s| m.name.clone() + s));
            let field = |name| Arc::new(Field::new(name, FieldKind::Numeric));
            let above = Arc::new(Schema { fields: names.map(field).collect() });
            let last = choices.part(&above, &output);
            AnyModel::Stacked(Box::new(Stacked {
                members,
                last,
                pass_through: false,
                prior,
                schema,
            }))
        }
    }
}

/// Some map of the probabilities of so many classes.
fn any_map(n_classes: usize, choices: &mut Choices) -> ProbabilityMap {
    let n_curves = match n_classes {
        1 => 0,
        2 => 1,
        n => n,
    };
    match choices.next() % 3 {
        0 => ProbabilityMap::Temperature(Temperature(choices.share() + 0.01)),
        1 => {
            let mut curve =
                |_| Sigmoid { slope: 3.0 * choices.share(), intercept: choices.share() - 0.5 };
            ProbabilityMap::Sigmoid((0..n_curves).map(&mut curve).collect())
        }
        _ => {
            let mut curve = |_| {
                let n_knots = 1 + choices.next() as usize % 3;
                let high = 0.5 + 0.49 * choices.share();
                let knot = |i| (0.3 * i as f64, high * (i + 1) as f64 / (n_knots + 1) as f64);
                Isotonic { knots: (0..n_knots).map(knot).collect() }
            };
            ProbabilityMap::Isotonic((0..n_curves).map(&mut curve).collect())
        }
    }
}

/// One task for each class, or some codes for all of them.
fn any_coded(
    schema: &Arc<Schema>,
    output: &Output,
    prior: Vec<f64>,
    choices: &mut Choices,
) -> Coded<AnyModel> {
    let k = output.width();
    let (scheme, tasks): (Scheme, Vec<Vec<Option<bool>>>) = match choices.next() % 2 {
        // Of two classes one task says all.
        0 if k > 2 => {
            let task = |class| (0..k).map(|other| Some(other == class)).collect();
            (Scheme::OneVsRest, (0..k).map(task).collect())
        }
        _ => {
            let n_tasks = 1 + choices.next() as usize % 3;
            let mut task = |_| (0..k).map(|_| Some(choices.next() % 2 == 1)).collect();
            (Scheme::OutputCodes(Some(n_tasks)), (0..n_tasks).map(&mut task).collect())
        }
    };
    let answers = Output::Probabilities { classes: names(&["no", "yes"]) };
    Coded {
        members: tasks.iter().map(|_| choices.part(schema, &answers)).collect(),
        sizes: (0..k).map(|_| choices.share()).collect(),
        tasks,
        scheme,
        prior,
        schema: schema.clone(),
        output: output.clone(),
    }
}

/// A design in which no column says anything but whether it is missing.
fn plain(schema: &Schema) -> Arc<Design> {
    use weald::base::design::{Coding, Standard};
    let standard = Some(Standard { mean: 0.5, deviation: 2.0, low: -1.0, high: 2.0 });
    let coding = |field: &Arc<Field>| match &field.kind {
        FieldKind::Numeric => Coding::Numbers { standard, has_missing: false },
        FieldKind::Categorical { levels } => Coding::levels(&vec![true; levels.len()], true),
    };
    Arc::new(Design::new(schema.fields.iter().map(coding).collect()))
}

#[test]
fn stacked_models_that_mean_nothing() {
    let file = || File::open("v1_stacked");
    refused(
        file().put("stacked.pass_through", 0, [2]),
        "whether columns are passed through is [2]",
    );
    refused(file().put("stacked.pass_through", 0, [0]), "node 2 asks for column 6 of 6");
    refused(file().put("stacked.prior", 0, 1.5f64.to_le_bytes()), "the prior has the value 1.5");
    refused(file().put("stacked.names", 0, *b"{"), "the names of its members");
    refused(file().put("stacked.names", 2, *b"\"],  "), "the names of its members");
    refused(file().put("committee.ends", 1, 1u64.to_le_bytes()), "member 1 ends at byte 1");
    let gone = |name: &str| file().replace(name, &format!("{name}s"));
    refused(gone("stacked.last"), "the array stacked.last is not there");
    refused(gone("stacked.prior"), "the array stacked.prior is not there");
}

#[test]
fn dynamic_members_that_mean_nothing() {
    let file = || File::open("v1_dynamic");
    refused(file().put("dynamic.rule", 0, [2]), "its rule is [2]");
    refused(file().put("dynamic.prior", 1, f64::NAN.to_le_bytes()), "the prior has the value NaN");
    let half = file().put_within("dynamic.right", "row.targets", 1, 0.5f64.to_le_bytes());
    refused(half, "a member is right 0.5 times about a row");
    let none = file().put_within("dynamic.right", "neighbours.k", 0, 0u64.to_le_bytes());
    refused(none, "0 of 4 rows answer");
    refused(file().put("dynamic.names", 1, *b"\",\""), "it has 2 members but 3 names");
    let gone = file().replace("dynamic.right", "dynamic.wrong");
    refused(gone, "the array dynamic.right is not there");
}

#[test]
fn mixtures_that_mean_nothing() {
    let file = || File::open("v1_mixture");
    let variance = |x: f64| file().put("mixture.variances", 1, x.to_le_bytes());
    refused(variance(0.0), "an expert has the variance 0");
    refused(variance(f64::INFINITY), "an expert has the variance inf");
    refused(variance(f64::NAN), "an expert has the variance NaN");
    let likelihood = file().put("mixture.likelihoods", 1, f64::NAN.to_le_bytes());
    refused(likelihood, "a likelihood is NaN");
    let gate = |x: f64| file().put_within("mixture.gate", "coefficients.value", 0, x.to_le_bytes());
    refused(gate(f64::INFINITY), "one of its coefficients is inf");
    let gone = file().replace("mixture.variances", "mixture.variants ");
    refused(gone, "the array mixture.variances is not there");
}

#[test]
fn codes_that_mean_nothing() {
    let file = || File::open("v1_coded");
    let task = |at, code: u8| file().put("coded.tasks", at, [code]);
    refused(task(0, 3), "it has 12 codes for 3 tasks");
    refused(task(0, 1), "its tasks are not those of its scheme");
    refused(task(1, 1), "its tasks are not those of its scheme");
    let size = |at, x: f64| file().put("coded.sizes", at, x.to_le_bytes());
    refused(size(0, f64::NAN), "its classes have the sizes");
    refused(size(0, -1.0), "its classes have the sizes");
    // A class of some size that no task speaks of, and one without rows that tasks tell apart.
    refused(size(1, 1.0), "its tasks are not those of its scheme");
    refused(size(0, 0.0), "its tasks are not those of its scheme");
    refused(file().put("coded.scheme", 0, *b"x"), "its scheme is none of those known");
    refused(file().put("coded.prior", 0, 2f64.to_le_bytes()), "the prior has the value 2");
}

#[test]
fn maps_that_mean_nothing() {
    let file = || File::open("v1_temperature");
    refused(file().put("calibrated.map", 0, [3]), "its map is [3]");
    refused(file().put("calibrated.map", 0, [1]), "the array calibrated.sigmoid is not there");
    for t in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let file = file().put("calibrated.temperature", 0, t.to_le_bytes());
        refused(file, "its temperature is");
    }
    let damaged = file().put_within("calibrated.base", "node.right", 0, 9u32.to_le_bytes());
    refused(damaged, "a right child is node 9");
    let file = || File::open("v1_sigmoid");
    for (at, x) in [(0, -0.5), (0, f64::NAN), (1, f64::NEG_INFINITY), (2, f64::INFINITY)] {
        let file = file().put("calibrated.sigmoid", at, x.to_le_bytes());
        refused(file, "a sigmoid has the slope and the intercept");
    }
    let file = || File::open("v1_isotonic");
    let knot = |at, x: f64| file().put("calibrated.knots", at, x.to_le_bytes());
    for (at, x) in [(1, 0.0), (1, 0.6), (2, 0.0), (5, 1.0), (4, 1.5), (3, f64::NAN), (0, -0.1)] {
        refused(knot(at, x), "a curve of probabilities does not rise");
    }
    let end = |at, n: u64| file().put("calibrated.ends", at, n.to_le_bytes());
    refused(end(0, 0), "a curve ends with knot 0 of 8");
    refused(end(1, 3), "a curve ends with knot 3 of 8");
    refused(end(2, u64::MAX), "a curve ends with knot 18446744073709551615 of 8");
    refused(end(2, 7), "1 knots follow the last curve");
}

#[test]
fn rounds_that_mean_nothing() {
    let file = || File::open("v1_boosted");
    refused(file().put("boosted.voice", 0, [8]), "its voice is [8]");
    refused(file().put("boosted.voice", 0, [0]), "its voice is [0]");
    refused(file().put("boosted.voice", 0, [6]), "its voice is [6]");
    let floor = |x: f64| file().put("boosted.floor", 0, x.to_le_bytes());
    refused(floor(0.0), "its voice is [2], [0.0]");
    refused(floor(f64::NAN), "its voice is [2], [NaN]");
    let fact = |at, x: f64| file().put("boosted.rounds", at, x.to_le_bytes());
    refused(fact(2, f64::INFINITY), "a coefficient is inf");
    refused(fact(9, f64::NAN), "a coefficient is NaN");
    let both = fact(2, f64::MAX).put("boosted.rounds", 9, f64::MAX.to_le_bytes());
    refused(both, "its coefficients are no weights");
    refused(fact(4, -1.0), "its rounds reach");
    refused(fact(11, f64::INFINITY), "its rounds reach inf");
    refused(
        file().put("boosted.prior", 0, (-0.5f64).to_le_bytes()),
        "the prior has the value -0.5",
    );
}
