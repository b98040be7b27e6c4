//! `weald evaluate`: a model's metrics on rows whose answers are known.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde_json::{Value, json};
use weald::any::Trained;
use weald::data::{ClassLabels, ClassList, Column, FieldKind, Target, Weights, spelling};
use weald::error::{Error, quoted};
use weald::model::{Model, Output};
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::Seed;

use super::predict::{add, tell_unseen};
use crate::args::EvaluateArguments;
use crate::assessment::{Measured, prior};
use crate::confusion::Confusion;
use crate::each_target::View;
use crate::failure::{Failure, Kind, Result};
use crate::given::block_scores;
use crate::stream::Stream;
use crate::{model_file, output, say, source, tables, target};

/// Reads, predicts, compares.
pub fn run(arguments: &EvaluateArguments) -> Result<()> {
    let trained = model_file::load(&arguments.model, Some(&arguments.file))?.trained;
    if let Output::Anomaly | Output::LogDensity = trained.model.output() {
        let headline = format!("a model of the method {} has no target", trained.method);
        return Err(Failure::new(Kind::Model, headline)
            .at(arguments.model.display().to_string())
            .help("`weald detect FILE --model MODEL --truth COL` compares it with a column"));
    }
    let rows = read(&trained, arguments)?;
    let widened = |scores: &Scores| widened(scores, trained.model.output(), &rows.target);
    let scores = widened(&rows.scores);
    let (baseline, origin) = baseline(&trained, &rows);
    let baseline = widened(&baseline);
    let mut measured = Vec::new();
    for view in View::all(&rows.target, trained.model.output()) {
        for metric in view.metrics() {
            let value = |scores: &Scores| {
                view.measure(metric, scores, &rows.weights, rows.groups.as_deref()).map(|x| vec![x])
            };
            let (model, baseline) = (value(&scores)?, value(&baseline)?);
            let target = view.name.clone();
            measured.push(Measured { metric, target, model, tree: None, baseline });
        }
    }
    let confusion = match &rows.target {
        Target::Classes(labels) => Some(Confusion::new(labels, &scores.classes(), &rows.weights)),
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => None,
    };
    if arguments.json {
        let document = as_json(arguments, &trained, &rows, &measured, &confusion, &origin);
        return output::print_json(&document);
    }
    let mut text = format!(
        "on {}:\n{}",
        say::count(rows.target.len(), "row", "rows"),
        tables::metrics(&measured, &trained.method)
    );
    if let Some(confusion) = confusion.as_ref().and_then(Confusion::show) {
        text.push('\n');
        text.push_str(&confusion);
    }
    output::print(&text)?;
    say::line(&format!("the baseline predicts the {origin}, whatever the row"));
    Ok(())
}

/// What is measured.
struct Rows {
    scores: Scores,
    target: Target,
    weights: Weights,
    groups: Option<Vec<u32>>,
    /// Rows of a class that the model never saw.
    n_unknown: usize,
}

/// Reads and predicts block by block; only scores, truth and weights are kept.
fn read(trained: &Trained, arguments: &EvaluateArguments) -> Result<Rows> {
    let options = arguments.reading.options();
    let (model, names) = (&trained.model, trained.target_names());
    let kind = |at: usize| match model.output() {
        Output::Probabilities { classes } => FieldKind::Categorical { levels: classes.clone() },
        Output::SeveralProbabilities { outputs } => {
            FieldKind::Categorical { levels: outputs[at].classes.clone() }
        }
        _ => FieldKind::Numeric,
    };
    let mut stream = Stream::open(&arguments.file, model.schema(), &options, |columns| {
        columns.predicting(model.output().width());
        for (at, name) in names.iter().enumerate() {
            columns.also(name, kind(at), "the target");
        }
        if let Some(weight) = &arguments.weight {
            columns.also(weight, FieldKind::Numeric, "--weight");
        }
        if let Some(offset) = &arguments.offset {
            columns.also(offset, FieldKind::Numeric, "--offset");
        }
        columns.as_text(arguments.group.as_slice(), "--group");
    })?;
    let run =
        Run::quiet(Seed(trained.seed), arguments.reading.threads).map_err(Failure::library)?;
    let width = model.output().width();
    let (mut scores, mut weights) = (Vec::new(), Vec::new());
    let mut truth: Vec<Answers> = names.iter().map(|_| Answers::default()).collect();
    let mut groups = Groups::default();
    let (mut unseen, mut n_read, mut n_left_out) = (Vec::new(), 0, 0);
    while let Some(table) = stream.next()? {
        let mut missing = Vec::new();
        for name in &names {
            let column = table.column(table.require(name).map_err(|e| stream.failure(e))?);
            let own = target::missing_rows(column);
            if let (Some(row), false) = (own.first(), arguments.drop_missing_target) {
                return Err(without_target(name, n_read + row + 1, &arguments.file));
            }
            missing.extend(own);
        }
        missing.sort_unstable();
        missing.dedup();
        let n_before = n_read;
        n_read += table.n_rows();
        n_left_out += missing.len();
        let rows: Vec<usize> =
            (0..table.n_rows()).filter(|row| missing.binary_search(row).is_err()).collect();
        let table = table.take(&rows);
        let column = |name: &str| table.require(name).map(|at| table.column(at));
        for (at, name) in names.iter().enumerate() {
            truth[at].add(column(name).map_err(|e| stream.failure(e))?);
        }
        if let Some(Ok(Column::Numeric(numbers))) = arguments.weight.as_deref().map(column) {
            weights.extend(numbers.iter());
        }
        if let Some(Ok(group)) = arguments.group.as_deref().map(column) {
            groups.add(group);
        }
        let aligned = model.schema().align(&table).map_err(|e| stream.failure(e))?;
        let offset = arguments.offset.as_deref();
        let block = run.install(|| block_scores(model, (&table, &aligned), offset, n_before));
        scores.extend_from_slice(block.map_err(|e| stream.failure(e))?.values());
        add(&mut unseen, aligned.unseen());
    }
    say::line(&format!("read {}: {}", source::name(&arguments.file), count_rows(n_read)));
    stream.tell_notes();
    tell_unseen(&unseen);
    if n_left_out > 0 {
        say::note(&format!("left out {} whose target is missing", count_rows(n_left_out)));
    }
    let mut all = Scores::zeros(scores.len() / width, width);
    all.values_mut().copy_from_slice(&scores);
    if all.n_rows() == 0 {
        return Err(stream.failure(Error::NoRows));
    }
    let (target, n_unknown) = finish(truth, model.output())?;
    if n_unknown > 0 {
        say::warning(&format!(
            "{} of a class that the model never saw; they count as wrong",
            say::count(n_unknown, "row is", "rows are")
        ));
    }
    let weights = match &arguments.weight {
        Some(name) => Weights::real(weights).map_err(|e| {
            stream.failure(e).fact(format!("the weights are the column {}", quoted(name)))
        })?,
        None => Weights::Uniform,
    };
    let groups = arguments.group.as_ref().map(|_| groups.codes);
    Ok(Rows { scores: all, target, weights, groups, n_unknown })
}

fn count_rows(n: usize) -> String {
    say::count(n, "row", "rows")
}

fn without_target(name: &str, row: usize, file: &Path) -> Failure {
    Failure::new(Kind::Data, format!("the target {} is missing in row {row}", quoted(name)))
        .at(format!("{}, row {row}, column {}", source::name(file), quoted(name)))
        .help("pass --drop-missing-target to leave such rows out")
}

/// The groups of the rows so far; rows without a group form one.
#[derive(Default)]
struct Groups {
    known: BTreeMap<Option<String>, u32>,
    codes: Vec<u32>,
}

impl Groups {
    fn add(&mut self, column: &Column) {
        for name in target::names(column) {
            let next = self.known.len() as u32;
            self.codes.push(*self.known.entry(name).or_insert(next));
        }
    }
}

/// The true answers of a target so far: numbers, or the names of classes by code.
#[derive(Default)]
struct Answers {
    numbers: Vec<f64>,
    names: Vec<String>,
    codes: Vec<u32>,
}

impl Answers {
    fn add(&mut self, column: &Column) {
        match column {
            Column::Numeric(numbers) => self.numbers.extend(numbers.iter()),
            Column::Categorical(c) => {
                let codes: Vec<u32> = c.levels().iter().map(|level| self.code(level)).collect();
                self.codes.extend(c.codes().iter().map(|&code| codes[code as usize]));
            }
        }
    }

    fn code(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|n| n == name);
        let at = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        at as u32
    }

    /// The class of each row, those that the model never saw after its own.
    fn labels(&self, known: &[String]) -> Result<ClassLabels> {
        let (codes, all) = matched(&self.names, known);
        let codes = self.codes.iter().map(|&code| codes[code as usize]).collect();
        ClassLabels::new(codes, all.into()).map_err(Failure::library)
    }
}

/// The target, and how many rows are of a class that the model never saw.
fn finish(answers: Vec<Answers>, output: &Output) -> Result<(Target, usize)> {
    let numbers = || answers.iter().map(|own| own.numbers.clone());
    match output {
        Output::Probabilities { classes } => {
            let labels = answers[0].labels(classes)?;
            let is_unknown = |code: &&u32| **code as usize >= classes.len();
            let n_unknown = labels.codes().iter().filter(is_unknown).count();
            Ok((Target::Classes(labels), n_unknown))
        }
        Output::SeveralProbabilities { outputs } => {
            let of = |(own, known): (&Answers, &ClassList)| own.labels(&known.classes);
            let labels: Vec<ClassLabels> =
                answers.iter().zip(outputs.iter()).map(of).collect::<Result<_>>()?;
            let is_unknown = |row: &usize| {
                let codes = labels.iter().map(|labels| labels.codes()[*row] as usize);
                codes.zip(outputs.iter()).any(|(code, known)| code >= known.classes.len())
            };
            let n_unknown = (0..labels[0].codes().len()).filter(is_unknown).count();
            let names: Vec<String> = outputs.iter().map(|output| output.name.clone()).collect();
            let target = Target::several_classes(&names, &labels).map_err(Failure::library)?;
            Ok((target, n_unknown))
        }
        Output::Values { names } => {
            let target = Target::several(names.clone(), &numbers().collect::<Vec<_>>());
            Ok((target.map_err(Failure::library)?, 0))
        }
        _ => {
            let target = Target::numbers(numbers().flatten().collect());
            Ok((target.map_err(Failure::library)?, 0))
        }
    }
}

/// The class of each name, and all classes: the model's first, those it never saw after them.
/// Numbers and booleans match however they are written.
fn matched(names: &[String], known: &[String]) -> (Vec<u32>, Vec<String>) {
    let mut all = known.to_vec();
    let mut codes = Vec::with_capacity(names.len());
    for name in names {
        let at = spelling::place_of_class(name, known).unwrap_or_else(|| {
            all.push(name.clone());
            all.len() - 1
        });
        codes.push(at as u32);
    }
    (codes, all)
}

/// What the baseline says of the rows, and where it comes from: the training rows.
fn baseline(trained: &Trained, rows: &Rows) -> (Scores, String) {
    let origin = match trained.model.output() {
        Output::Probabilities { .. } | Output::SeveralProbabilities { .. } => {
            "class shares of the training rows"
        }
        Output::Quantiles { .. } => "quantiles of the training rows",
        Output::Hazard | Output::Ranking => "same number",
        _ => "mean of the training rows",
    };
    (prior(&trained.model, rows.target.len()), origin.into())
}

/// The same scores with probability 0 for each class that the model never saw.
fn widened(scores: &Scores, output: &Output, target: &Target) -> Scores {
    // Where the scores of each output stand, and where they will.
    let (from, to): (Vec<Range<usize>>, Vec<Range<usize>>) = match (output, target) {
        (Output::SeveralProbabilities { outputs }, Target::SeveralClasses(several)) => {
            let segments = |outputs: &[ClassList]| ClassList::segments(outputs).collect();
            (segments(outputs), segments(several.outputs()))
        }
        (_, Target::Classes(labels)) => {
            let one = |n: usize| std::iter::once(0..n).collect();
            (one(scores.width()), one(labels.n_classes().max(scores.width())))
        }
        _ => return scores.clone(),
    };
    let mut wide = Scores::zeros(scores.n_rows(), to.last().map_or(1, |last| last.end));
    for (wide, own) in wide.rows_mut().zip(scores.rows()) {
        for (from, to) in from.iter().zip(&to) {
            wide[to.start..to.start + from.len()].copy_from_slice(&own[from.clone()]);
        }
    }
    wide
}

fn as_json(
    arguments: &EvaluateArguments,
    trained: &Trained,
    rows: &Rows,
    measured: &[Measured],
    confusion: &Option<Confusion>,
    origin: &str,
) -> Value {
    let metric = |m: &Measured| {
        let mut metric = json!({
            "metric": m.metric.name(),
            "higher_is_better": m.metric.higher_is_better(),
            "model": m.model[0],
            "baseline": m.baseline[0],
        });
        if let Some(target) = &m.target {
            metric["target"] = json!(target);
        }
        metric
    };
    json!({
        "model": arguments.model.display().to_string(),
        "file": source::name(&arguments.file),
        "method": trained.method,
        "target": trained.target.name,
        "n_rows": rows.target.len(),
        "n_rows_of_unknown_class": rows.n_unknown,
        "baseline": origin,
        "metrics": measured.iter().map(metric).collect::<Vec<_>>(),
        "confusion": confusion.as_ref().map(Confusion::as_json),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_match_by_name_then_by_number() {
        let known = ["1".to_string(), "2".into()];
        let names = ["2".to_string(), "1.0".into(), "x".into(), "01".into()];
        let (codes, all) = matched(&names, &known);
        assert_eq!(codes, [1, 0, 2, 3]);
        assert_eq!(all, ["1", "2", "x", "01"]);
        let known = ["false".to_string(), "true".into()];
        assert_eq!(matched(&["True".to_string(), "FALSE".into()], &known).0, [1, 0]);
    }

    #[test]
    fn an_unknown_class_gets_probability_zero() {
        let mut scores = Scores::zeros(1, 2);
        scores.row_mut(0).copy_from_slice(&[0.25, 0.75]);
        let target = Target::from_names(&["a", "b", "c"]).take(&[2]);
        let output = Output::Probabilities { classes: ["a".to_string(), "b".into()].into() };
        assert_eq!(widened(&scores, &output, &target).row(0), [0.25, 0.75, 0.0]);
        let list = |name: &str, classes: &[&str]| ClassList {
            name: name.into(),
            classes: classes.iter().map(|class| class.to_string()).collect(),
        };
        let outputs = [list("x", &["a"]), list("y", &["c"])].into();
        let labels = |name: &str, classes: &[&str]| {
            let classes = classes.iter().map(|class| class.to_string()).collect();
            (name.to_string(), ClassLabels::new(vec![0], classes).ok().unwrap())
        };
        let (names, labels): (Vec<_>, Vec<_>) =
            [labels("x", &["a", "b"]), labels("y", &["c"])].into_iter().unzip();
        let target = Target::several_classes(&names, &labels).unwrap();
        let output = Output::SeveralProbabilities { outputs };
        assert_eq!(widened(&scores, &output, &target).row(0), [0.25, 0.0, 0.75]);
    }
}
