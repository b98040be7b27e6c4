//! Fitting the members of a committee many at a time, until there are enough of them.
//!
//! Members are fitted in any order and added in theirs, so that sums over them, the error after each
//! and the member to end with do not depend on threads.

use super::enough::has_settled;
use super::out_of_bag::OutOfBag;
use crate::data::Sample;
use crate::error::{Error, Result};
use crate::observer::Event;
use crate::run::Run;

/// How many members there are to be.
#[derive(Debug, Clone, Copy)]
pub struct Batches {
    /// At the most.
    pub n_members: usize,
    /// At least, and no more where nothing tells whether they are enough; `None` for as many as there may
    /// be then.
    pub least: Option<usize>,
    /// Members that each thread fits before the others' are waited for.
    pub per_thread: usize,
    /// Members over which the out-of-bag loss must still fall to go on.
    pub patience: Option<usize>,
}

impl Batches {
    /// What is to become of rows out of the bag: no members yet, with answers of `width` numbers.
    ///
    /// # Errors
    /// If there is not the memory for the answers.
    pub fn out_of_bag(&self, sample: &Sample<'_>, width: usize, run: &Run<'_>) -> Result<OutOfBag> {
        let n_rows = sample.n_rows();
        // The sums, and the answers of a member of each thread.
        let copies = 1 + run.threads();
        let bytes = n_rows.saturating_mul(width).saturating_mul(copies * size_of::<f64>());
        run.needs(bytes, || format!("predictions of {n_rows} rows with {width} numbers each"))?;
        let out_of_bag = OutOfBag::new(sample, width);
        Ok(if self.patience.is_some() { out_of_bag.judging(sample) } else { out_of_bag })
    }

    /// Calls `add` with one member after the other, as `fit` makes them: until there are all, the
    /// error out of the bag has settled, or the run is stopped.
    ///
    /// # Errors
    /// Those of `fit`, or [`Error::Interrupted`] if the run was stopped before the first member.
    pub fn fit<'r, M: Send>(
        &self,
        run: &Run<'r>,
        out_of_bag: &mut OutOfBag,
        fit: impl Fn(&Run<'r>) -> Result<M> + Sync,
        mut add: impl FnMut(M, &mut OutOfBag),
    ) -> Result<()> {
        let is_over = |out_of_bag: &OutOfBag| {
            let curve = out_of_bag.curve();
            match (self.least, curve.last()) {
                (Some(least), _) if curve.len() < least => false,
                (Some(_), Some(last)) if last.loss.is_nan() => true,
                _ => has_settled(curve, self.patience),
            }
        };
        let mut n_added = 0;
        while n_added < self.n_members && !is_over(out_of_bag) && !run.stopped() {
            let n = (self.per_thread * run.threads()).min(self.n_members - n_added);
            for member in run.fit_members(n_added..n_added + n, &fit)? {
                if is_over(out_of_bag) {
                    break;
                }
                add(member, out_of_bag);
                let error = out_of_bag.error().map(|found| found.error).filter(|e| !e.is_nan());
                let honest = error.map(|error| ("out-of-bag error", error));
                run.report(&Event::Member { index: n_added, total: self.n_members, honest });
                n_added += 1;
            }
        }
        if n_added == 0 { Err(Error::Interrupted) } else { Ok(()) }
    }
}
