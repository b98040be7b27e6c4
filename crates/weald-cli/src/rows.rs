//! Predictions as lines: CSV, or one JSON object a line.

use std::collections::HashSet;

use weald::data::{ClassList, Column, MISSING};
use weald::error::quoted;
use weald::model::Output;
use weald::scores::{Scores, argmax};

use crate::args::RowFormat;
use crate::failure::{Failure, Kind, Result};

/// Turns values into lines.
pub struct LineWriter {
    format: RowFormat,
    names: Vec<String>,
}

impl LineWriter {
    /// A writer of columns of these names, each of which must be another: a reader would take one for
    /// the other.
    pub fn new(format: RowFormat, names: Vec<String>) -> Result<LineWriter> {
        check_names(&names)?;
        Ok(LineWriter { format, names })
    }

    /// What stands before the first row.
    pub fn header(&self) -> String {
        match self.format {
            RowFormat::Csv => {
                let names: Vec<String> = self.names.iter().map(|n| csv_field(n)).collect();
                format!("{}\n", names.join(","))
            }
            RowFormat::JsonLines => String::new(),
        }
    }

    /// Adds one row.
    pub fn line(&self, out: &mut String, values: &[Value<'_>]) {
        match self.format {
            RowFormat::Csv => csv_line(out, values),
            RowFormat::JsonLines => json_line(out, &self.names, values),
        }
    }
}

/// Whether all columns of an output have names of their own.
pub fn check_names(names: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) else { return Ok(()) };
    let headline = format!("the output would have two columns {}", quoted(twice));
    Err(Failure::new(Kind::Usage, headline)
        .fact("columns to copy stand beside those that the command adds")
        .help("leave the column out of --keep and --id, name it once, or rename it in the table"))
}

/// Turns scores into lines.
pub struct RowWriter {
    output: Output,
    with_probabilities: bool,
    /// The columns: those that are kept, the prediction, the probabilities, and what stands beside
    /// them.
    lines: LineWriter,
}

impl RowWriter {
    /// A writer of predictions of this kind after the columns `kept` and before those of `more`.
    pub fn new(
        format: RowFormat,
        output: &Output,
        with_probabilities: bool,
        kept: &[String],
        more: Vec<String>,
    ) -> Result<RowWriter> {
        let mut names = kept.to_vec();
        match output {
            Output::Quantiles { levels } if levels.len() > 1 => {
                names.extend(levels.iter().map(|level| format!("prediction_q{level}")));
            }
            Output::Values { names: targets } => {
                names.extend(targets.iter().map(|target| format!("prediction_{target}")));
            }
            Output::SeveralProbabilities { outputs } => {
                names.extend(outputs.iter().map(|output| format!("prediction_{}", output.name)));
            }
            _ => names.push("prediction".into()),
        }
        if let (true, Output::SeveralProbabilities { outputs }) = (with_probabilities, output) {
            for ClassList { name, classes } in outputs.iter() {
                names.extend(classes.iter().map(|class| format!("probability_{name}_{class}")));
            }
        }
        if let (true, Output::Probabilities { classes }) = (with_probabilities, output) {
            names.extend(classes.iter().map(|class| format!("probability_{class}")));
        }
        names.extend(more);
        let lines = LineWriter::new(format, names)?;
        Ok(RowWriter { output: output.clone(), with_probabilities, lines })
    }

    /// What stands before the first row.
    pub fn header(&self) -> String {
        self.lines.header()
    }

    /// The lines of some rows, with the values of the kept columns and the further numbers.
    pub fn lines(&self, scores: &Scores, kept: &[&Column], more: Option<&Scores>) -> String {
        let mut out = String::with_capacity(scores.n_rows() * 16);
        let mut values: Vec<Value<'_>> = Vec::with_capacity(self.lines.names.len());
        for row in 0..scores.n_rows() {
            values.clear();
            values.extend(kept.iter().map(|column| Value::of(column, row)));
            let scores = scores.row(row);
            match &self.output {
                Output::Probabilities { classes } => {
                    values.push(Value::Text(&classes[argmax(scores)]));
                    if self.with_probabilities {
                        values.extend(scores.iter().map(|&p| Value::Number(p)));
                    }
                }
                Output::SeveralProbabilities { outputs } => {
                    for (of, list) in ClassList::segments(outputs).zip(outputs.iter()) {
                        values.push(Value::Text(&list.classes[argmax(&scores[of])]));
                    }
                    if self.with_probabilities {
                        values.extend(scores.iter().map(|&p| Value::Number(p)));
                    }
                }
                _ => values.extend(scores.iter().map(|&x| Value::Number(x))),
            }
            let more = more.into_iter().flat_map(|more| more.row(row));
            values.extend(more.map(|&x| Value::Number(x)));
            self.lines.line(&mut out, &values);
        }
        out
    }
}

/// One value of a line.
pub enum Value<'a> {
    /// Nothing.
    Missing,
    /// A number.
    Number(f64),
    /// Text.
    Text(&'a str),
    /// Whether something is so.
    Truth(bool),
}

impl Value<'_> {
    /// That of a row.
    pub fn of(column: &Column, row: usize) -> Value<'_> {
        match column {
            Column::Numeric(numbers) => match numbers.at(row) {
                x if x.is_nan() => Value::Missing,
                x => Value::Number(x),
            },
            Column::Categorical(c) => match c.codes()[row] {
                MISSING => Value::Missing,
                code => Value::Text(&c.levels()[code as usize]),
            },
        }
    }
}

fn csv_line(out: &mut String, values: &[Value<'_>]) {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        match value {
            Value::Missing => {}
            Value::Number(x) => out.push_str(&x.to_string()),
            Value::Text(text) => out.push_str(&csv_field(text)),
            Value::Truth(is_so) => out.push_str(&is_so.to_string()),
        }
    }
    out.push('\n');
}

/// A field, in quotes if it needs them.
fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

fn json_line(out: &mut String, names: &[String], values: &[Value<'_>]) {
    out.push('{');
    for (i, (name, value)) in names.iter().zip(values).enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&json_text(name));
        out.push(':');
        match value {
            Value::Number(x) if x.is_finite() => out.push_str(&x.to_string()),
            // JSON has no infinities.
            Value::Number(x) => out.push_str(&json_text(&x.to_string())),
            Value::Missing => out.push_str("null"),
            Value::Text(text) => out.push_str(&json_text(text)),
            Value::Truth(is_so) => out.push_str(&is_so.to_string()),
        }
    }
    out.push_str("}\n");
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores() -> Scores {
        let mut scores = Scores::zeros(2, 2);
        scores.row_mut(0).copy_from_slice(&[0.25, 0.75]);
        scores.row_mut(1).copy_from_slice(&[1.0, 0.0]);
        scores
    }

    fn classes() -> Output {
        Output::Probabilities { classes: ["no, never".to_string(), "yes".into()].into() }
    }

    #[test]
    fn csv_is_quoted_where_it_must_be() {
        let writer =
            RowWriter::new(RowFormat::Csv, &classes(), true, &["id".into()], vec![]).unwrap();
        let id = Column::numeric(vec![7.0, f64::NAN]);
        assert_eq!(writer.header(), "id,prediction,\"probability_no, never\",probability_yes\n");
        assert_eq!(writer.lines(&scores(), &[&id], None), "7,yes,0.25,0.75\n,\"no, never\",1,0\n");
    }

    #[test]
    fn quantiles_have_a_column_each() {
        let several = Output::Quantiles { levels: [0.1, 0.9].into() };
        let writer =
            RowWriter::new(RowFormat::Csv, &several, false, &["id".into()], vec![]).unwrap();
        assert_eq!(writer.header(), "id,prediction_q0.1,prediction_q0.9\n");
        let id = Column::numeric(vec![7.0, 8.0]);
        assert_eq!(writer.lines(&scores(), &[&id], None), "7,0.25,0.75\n8,1,0\n");
        let one = Output::Quantiles { levels: [0.9].into() };
        assert_eq!(
            RowWriter::new(RowFormat::Csv, &one, false, &[], vec![]).unwrap().header(),
            "prediction\n"
        );
    }

    #[test]
    fn several_targets_have_a_column_each() {
        let several = Output::Values { names: ["a".to_string(), "b, c".into()].into() };
        let writer = RowWriter::new(RowFormat::Csv, &several, false, &[], vec![]).unwrap();
        assert_eq!(writer.header(), "prediction_a,\"prediction_b, c\"\n");
        assert_eq!(writer.lines(&scores(), &[], None), "0.25,0.75\n1,0\n");
    }

    #[test]
    fn json_lines_parse() {
        let writer =
            RowWriter::new(RowFormat::JsonLines, &classes(), true, &["a\"b".into()], vec![])
                .unwrap();
        let kept = Column::from_names(&[Some("x\n"), None]);
        for line in writer.lines(&scores(), &[&kept], None).lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value["prediction"].is_string());
        }
    }

    #[test]
    fn no_two_columns_have_one_name() {
        let new = |kept: &[&str], more: &[&str]| {
            let names = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
            RowWriter::new(RowFormat::Csv, &classes(), true, &names(kept), names(more)).is_ok()
        };
        assert!(new(&["id", "Prediction"], &["x"]));
        assert!(!new(&["id", "prediction"], &[]) && !new(&["id", "id"], &[]));
        assert!(!new(&["probability_yes"], &[]) && !new(&["x"], &["x"]) && !new(&[], &["x", "x"]));
    }
}
