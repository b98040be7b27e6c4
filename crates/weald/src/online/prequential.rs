//! Learners as experts: what each would have said of a row before it came.

use crate::data::{Sample, Table, Target, Weights};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::model::Model;
use crate::run::Run;

/// Rows before the first fit; until then a learner has nothing to say.
const FIRST_FIT: usize = 8;

/// What a learner says of each row of a stream, after a fit on rows before it. `answer` makes an
/// answer of a row's scores.
///
/// It is fitted again whenever the rows have doubled: all fits together cost about twice the last
/// one, and a model has seen at least half of the rows that came before. It says nothing of the
/// first eight rows. Later rows are never looked at: they are not even there when cuts are made.
pub fn prequential<L: Learner, Answer>(
    learner: &L,
    (table, target): (&Table, &Target),
    answer: impl Fn(&[f64]) -> Answer,
    run: &Run<'_>,
) -> Result<Vec<Option<Answer>>> {
    let n_rows = Sample::new(table, target, &Weights::Uniform)?.n_rows();
    let mut answers: Vec<Option<Answer>> = (0..FIRST_FIT.min(n_rows)).map(|_| None).collect();
    while answers.len() < n_rows {
        let n_seen = answers.len();
        let before: Vec<usize> = (0..n_seen).collect();
        let next: Vec<usize> = (n_seen..n_rows.min(2 * n_seen)).collect();
        let (seen, truth) = (table.take(&before), target.take(&before));
        let model = learner.fit(&Sample::new(&seen, &truth, &Weights::Uniform)?, run)?;
        if run.stopped() {
            return Err(Error::Interrupted);
        }
        let scores = run.install(|| model.scores(&table.take(&next)))?;
        answers.extend(scores.rows().map(|row| Some(answer(row))));
    }
    Ok(answers)
}
