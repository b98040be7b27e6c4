//! Models that are not trees: in golden files, at random, and such that mean nothing.

use std::sync::Arc;

use weald::any::{AnyModel, Trained};
use weald::base::design::{Coding, Design, DesignRows, NOWHERE, Standard};
use weald::base::linear::LinearModel;
use weald::base::naive_bayes::NaiveBayesModel;
use weald::base::nearest_neighbours::NeighboursModel;
use weald::base::neighbours::Neighbours;
use weald::data::{FieldKind, Schema};
use weald::model::Output;

use super::hostile::{File, refused};
use super::models::{names, schema, trained};

/// Numbers and levels of the schema of all golden files, some of which are not used.
pub fn design() -> Arc<Design> {
    let standard = Standard { mean: 0.25, deviation: 1.5, low: -1.0, high: 2.0 };
    let wide = Standard { mean: -0.0, deviation: 1e300, low: -1e308, high: 1e308 };
    let some: Vec<bool> = (0..70).map(|level| level % 3 == 0).collect();
    Arc::new(Design::new(vec![
        Coding::Numbers { standard: Some(standard), has_missing: true },
        Coding::levels(&[true, false, true], true),
        Coding::Numbers { standard: Some(wide), has_missing: false },
        Coding::levels(&some, false),
    ]))
}

fn classes() -> Output {
    Output::Probabilities { classes: names(&["ash", "elm", "oak"]) }
}

/// Margins of three classes, coefficients at the edges of what they can be.
pub fn linear() -> Trained {
    let design = design();
    let n = 3 * (design.width() + 1);
    let mut coefficients: Vec<f64> =
        (0..n).map(|i| f64::from(i as u32 % 7) * 0.25 - 0.75).collect();
    coefficients[1] = f64::MAX;
    coefficients[2] = -0.0;
    coefficients[40] = 5e-324;
    let prior = vec![0.125, 0.375, 0.5];
    let model = LinearModel {
        design,
        coefficients,
        scale: 0.1 + 0.2,
        prior,
        n_steps: 12,
        schema: schema(),
        output: classes(),
    };
    trained(AnyModel::Linear(model), "linear-svm", &[("loss", "hinge")], 7, vec![])
}

/// A class that is impossible, and small and large variances.
pub fn naive_bayes() -> Trained {
    let design = design();
    let n = design.n_indicators() * 3;
    let model = NaiveBayesModel {
        design,
        priors: vec![-0.5, f64::NEG_INFINITY, -0.75],
        means: vec![0.5, -0.0, -1e12, 0.1 + 0.2, 1.0, 2.0],
        variances: vec![1e-9, 1.0, 1e18, 0.25, 5.0, 1e-12],
        levels: (0..n).map(|i| -0.125 * f64::from(i as u32 % 9)).collect(),
        schema: schema(),
        output: classes(),
    };
    trained(AnyModel::NaiveBayes(model), "naive-bayes", &[("smoothing", "0.5")], 7, vec![])
}

/// Four rows, one of them often, of large numbers.
pub fn neighbours() -> Trained {
    let numbers = vec![0.5, -1.0, 1e12, 0.0, -0.0, 5e-324, 0.1 + 0.2, 0.25];
    let slots = vec![NOWHERE, 1, 5, 0, 3, 4, NOWHERE, 2, NOWHERE, 0, 1, 26];
    let rows = DesignRows::new(design(), numbers, slots, 4);
    let model = NeighboursModel {
        k: 3,
        neighbours: Neighbours::new(rows, vec![1, 2, u32::MAX, 1]),
        weights: vec![1.0, 0.1 + 0.2, 5e-324, 1e308],
        targets: vec![f64::MAX, -0.0, 5e-324, -1.5],
        schema: schema(),
        output: Output::Value,
    };
    trained(AnyModel::Neighbours(Box::new(model)), "nearest-neighbours", &[("k", "3")], 7, vec![])
}

/// A model of any of these kinds, of choices.
pub fn any(schema: &Arc<Schema>, output: &Output, next: &mut dyn FnMut() -> u64) -> AnyModel {
    let coding = |kind: &FieldKind, choice: u64| match kind {
        FieldKind::Numeric => {
            let low = f64::from(choice as u32 >> 8) - 1e6;
            let standard = Standard { mean: low + 1.0, deviation: 0.75, low, high: low + 3.0 };
            let standard = (!choice.is_multiple_of(3)).then_some(standard);
            Coding::Numbers { standard, has_missing: choice & 1 == 1 }
        }
        FieldKind::Categorical { levels } => {
            let seen: Vec<bool> =
                (0..levels.len()).map(|level| choice >> (level % 64) & 1 == 1).collect();
            Coding::levels(&seen, choice.is_multiple_of(5))
        }
    };
    let codings = schema.fields.iter().map(|field| coding(&field.kind, next())).collect();
    let design = Arc::new(Design::new(codings));
    let (schema, output, width) = (schema.clone(), output.clone(), output.width());
    let unit = |choice: u64| choice as f64 / u64::MAX as f64;
    let finite =
        |choice: u64| Some(f64::from_bits(choice)).filter(|x| x.is_finite()).unwrap_or(0.0);
    match (next() % 3, &output) {
        (0, Output::Probabilities { .. }) => {
            let n = design.n_numbers() * width;
            let mut logs = |n: usize| -> Vec<f64> { (0..n).map(|_| -8.0 * unit(next())).collect() };
            let priors = logs(width);
            let levels = logs(design.n_indicators() * width);
            let means = logs(n);
            let variances = logs(n).iter().map(|x| 0.5 - x).collect();
            AnyModel::NaiveBayes(NaiveBayesModel {
                design,
                priors,
                means,
                variances,
                levels,
                schema,
                output,
            })
        }
        (1, _) => {
            let n_rows = 1 + next() as usize % 4;
            let numbers = (0..n_rows * design.n_numbers()).map(|_| unit(next()) - 0.5).collect();
            let n = design.n_indicators() as u64;
            let slot =
                |choice: u64| if choice.is_multiple_of(3) { NOWHERE } else { (choice % n) as u32 };
            let slots = (0..n_rows * design.n_slots()).map(|_| slot(next())).collect();
            let copies = (0..n_rows).map(|_| 1 + (next() >> 40) as u32).collect();
            let target = |choice: u64| match &output {
                Output::Probabilities { classes } => (choice % classes.len() as u64) as f64,
                _ => finite(choice),
            };
            let targets = (0..n_rows).map(|_| target(next())).collect();
            let weights = (0..n_rows).map(|_| 0.25 + unit(next())).collect();
            let neighbours =
                Neighbours::new(DesignRows::new(design, numbers, slots, n_rows), copies);
            let k = 1 + (next() >> 1) as usize;
            let model = NeighboursModel { k, neighbours, weights, targets, schema, output };
            AnyModel::Neighbours(Box::new(model))
        }
        _ => {
            let n = LinearModel::n_scores(&output) * (design.width() + 1);
            let coefficients = (0..n).map(|_| finite(next())).collect();
            let prior = (0..width).map(|_| unit(next())).collect();
            let scale = unit(next()) + 0.01;
            AnyModel::Linear(LinearModel {
                design,
                coefficients,
                scale,
                prior,
                n_steps: next(),
                schema,
                output,
            })
        }
    }
}

fn coefficients() -> File {
    File::open("v1_coefficients")
}

fn bayes() -> File {
    File::open("v1_naive_bayes")
}

fn rows() -> File {
    File::open("v1_neighbours")
}

#[test]
fn designs_that_mean_nothing() {
    let number = |at, x: f64| coefficients().put("design.standard", at, x.to_le_bytes());
    refused(number(1, 0.0), "the column \"x\" is made alike by");
    refused(number(1, -1.5), "the column \"x\" is made alike by");
    refused(number(0, f64::NAN), "the column \"x\" is made alike by");
    refused(number(0, 3.0), "the column \"x\" is made alike by");
    refused(number(3, f64::INFINITY), "the column \"x\" is made alike by");
    refused(number(4, 1.0), "is not read as its kind is");
    let flags = |at, x: u8| coefficients().put("design.flags", at, [x]);
    refused(flags(0, 4), "the column \"x\" has the flags 4");
    refused(flags(0, 2), "the column \"x\" is not read as its kind is");
    refused(flags(3, 1), "the column \"many\" is not read as its kind is");
    refused(flags(0, 1), "the array coefficients.value has the shape [3, 31], expected [3, 30]");
    let level = |at, x: u32| coefficients().put("design.levels", at, x.to_le_bytes());
    refused(level(2, 2), "are out of order");
    refused(level(3, 1), "the levels of the column \"many\" are out of order");
}

#[test]
fn linear_models_that_mean_nothing() {
    let number = |array: &str, x: f64| coefficients().put(array, 0, x.to_le_bytes());
    refused(number("coefficients.value", f64::NAN), "one of its coefficients is NaN");
    refused(number("coefficients.value", f64::INFINITY), "one of its coefficients is inf");
    refused(number("coefficients.scale", 0.0), "its margins are multiplied by 0");
    refused(number("coefficients.scale", f64::INFINITY), "its margins are multiplied by inf");
    refused(number("coefficients.prior", 1.5), "the prior has the value 1.5");
    let gone = |name: &str| coefficients().replace(name, &format!("{name}s"));
    refused(gone("coefficients.scale"), "the array coefficients.scale is not there");
    refused(gone("design.flags"), "the array design.flags is not there");
}

#[test]
fn naive_bayes_that_means_nothing() {
    let number = |array: &str, x: f64| bayes().put(array, 0, x.to_le_bytes());
    refused(number("bayes.priors", 0.5), "the array bayes.priors has 0.5");
    let impossible = f64::NEG_INFINITY.to_le_bytes();
    let all = number("bayes.priors", f64::NEG_INFINITY).put("bayes.priors", 2, impossible);
    refused(all, "all its classes are impossible");
    refused(number("bayes.means", f64::NAN), "the array bayes.means has NaN");
    refused(number("bayes.means", 1e13), "the array bayes.means has 10000000000000");
    refused(number("bayes.variances", 0.0), "the array bayes.variances has 0");
    refused(number("bayes.variances", f64::INFINITY), "the array bayes.variances has inf");
    refused(number("bayes.levels", 0.25), "the array bayes.levels has 0.25");
    refused(number("bayes.levels", f64::NEG_INFINITY), "the array bayes.levels has -inf");
}

#[test]
fn neighbours_that_mean_nothing() {
    let number = |array: &str, x: f64| rows().put(array, 0, x.to_le_bytes());
    refused(number("row.numbers", f64::NAN), "the array row.numbers has NaN");
    refused(number("row.numbers", 1e13), "the array row.numbers has");
    refused(number("row.weight", 0.0), "the array row.weight has 0");
    refused(number("row.weight", f64::INFINITY), "the array row.weight has inf");
    refused(number("row.targets", f64::NAN), "the array row.targets has NaN");
    refused(rows().put("row.copies", 1, 0u32.to_le_bytes()), "a row stands there 0 times");
    refused(rows().put("row.indicators", 1, 28u32.to_le_bytes()), "a row has the indicator 28");
    refused(rows().put("neighbours.k", 0, 0u64.to_le_bytes()), "0 of 4 rows answer");
    let gone = |name: &str| rows().replace(name, &format!("{name}s"));
    refused(gone("row.weight"), "3 of 0 rows answer");
    refused(gone("row.copies"), "the array row.copies is not there");
}
