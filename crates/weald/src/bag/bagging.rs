//! Bagging (Breiman 1996, "Bagging predictors").
//!
//! Members are fitted on bootstraps of the rows and vote, or are averaged. What a learner owes to
//! the rows it happened to see is averaged out, so that bagging helps learners that vary, such as
//! deep trees, and leaves steady ones, such as stumps on easy data, as they are. The rows that a
//! member has not seen test it.
//!
//! Where the paper votes, the default here is the mean of the class probabilities, which is better
//! where members know how sure they are; `combine` turns the vote on.

use crate::data::{Resampling, Sample, Weights, resample};
use crate::ensemble::{Batches, Combiner, Ensemble, Member, OutOfBag, OutOfBagCurve};
use crate::error::Result;
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::observer::Event;
use crate::parameter::{Value, out_of_range};
use crate::run::Run;
use crate::scores::Scores;
use crate::seed::Seed;

/// Members that each thread fits before the others' are waited for.
const MEMBERS_PER_THREAD: usize = 4;

/// Fits a committee of members that see different rows or columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Bagging<L> {
    /// What members are fitted by.
    pub base: L,
    /// How many members; at the most, where `patience` is given.
    pub n_members: usize,
    /// How the rows of a member are drawn.
    pub resampling: Resampling,
    /// How many rows are drawn, as a share of those there are.
    pub sample_share: f64,
    /// How many columns a member sees, as a share of those there are; drawn without replacement.
    pub feature_share: f64,
    /// How the members' answers become one.
    pub combine: Combiner,
    /// Ends when the mean out-of-bag error of this many members is hardly better than that of as
    /// many before them.
    pub patience: Option<usize>,
}

/// What bagging of a learner returns.
pub type Committee<L> = Ensemble<Member<<L as Learner>::Model>>;

impl<L: Default> Default for Bagging<L> {
    fn default() -> Bagging<L> {
        Bagging::of(L::default())
    }
}

impl<L> Bagging<L> {
    /// Bagging of `base`, all else as by default.
    pub fn of(base: L) -> Bagging<L> {
        Bagging {
            base,
            n_members: 100,
            resampling: Resampling::Bootstrap,
            sample_share: 1.0,
            feature_share: 1.0,
            combine: Combiner::Mean,
            patience: None,
        }
    }

    /// Whether all values are in range; the learner checks its own.
    pub fn check_ranges(&self) -> Result<()> {
        if self.n_members == 0 {
            return out_of_range("n_members", 0, "at least 1");
        }
        if !(self.feature_share > 0.0 && self.feature_share <= 1.0) {
            let expected = "a share above 0 and at most 1";
            return out_of_range("feature_share", self.feature_share, expected);
        }
        if !self.combine.is_sum() {
            let expected = "mean, vote or borda, which rows out of the bag can be added up by";
            return out_of_range("combine", self.combine.show(), expected);
        }
        self.resampling.check(self.sample_share)?;
        match self.patience {
            Some(0) => out_of_range("patience", 0, "at least 1, or none"),
            Some(patience) if !self.resampling.leaves_out(self.sample_share) => {
                out_of_range("patience", patience, "none where every member sees every row")
            }
            _ => Ok(()),
        }
    }

    /// The columns of a member; `None`: all.
    fn draw_columns(&self, n_columns: usize, seed: Seed) -> Option<Box<[u32]>> {
        let n_drawn = ((self.feature_share * n_columns as f64).round() as usize).max(1);
        (n_drawn < n_columns).then(|| resample::columns(n_columns, n_drawn, seed).into())
    }
}

impl<L: Learner> Learner for Bagging<L> {
    type Model = Committee<L>;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Committee<L>> {
        self.fit_out_of_bag(sample, run).map(|(model, _)| model)
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.base.prepare(sample, run)
    }

    fn fit_with_out_of_bag(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<Option<(Committee<L>, Scores)>> {
        if !self.resampling.leaves_out(self.sample_share) {
            return Ok(None);
        }
        let (model, honest) = self.fit_out_of_bag(sample, run)?;
        Ok(honest.map(|honest| (model, honest.predictions())))
    }
}

impl<L: Learner> Bagging<L> {
    /// The committee, and what it says of the rows out of each bag; nothing if no rows are left out,
    /// or if the members predict something else than the target, such as quantiles.
    pub fn fit_out_of_bag(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<(Committee<L>, Option<OutOfBag>)> {
        self.check_ranges()?;
        sample.check_targets()?;
        self.combine.check_output(&Output::of(sample.target))?;
        run.install(|| {
            self.prepare(sample, run)?;
            run.report(&Event::Stage { name: "fitting members" });
            self.fit_members(sample, run)
        })
    }

    fn fit_members(
        &self,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<(Committee<L>, Option<OutOfBag>)> {
        let (n_members, patience) = (self.n_members, self.patience);
        let batches = Batches { n_members, least: None, per_thread: MEMBERS_PER_THREAD, patience };
        let width = Output::of(sample.target).width();
        let mut out_of_bag = batches.out_of_bag(sample, width, run)?;
        let mut members: Vec<Member<L::Model>> = Vec::new();
        let urn = self.resampling.urn(sample)?; // L
        let fit = |run: &Run<'_>| {
            let bag = urn.draw(self.sample_share, run.seed)?; // L_b
            let member = self.fit_member(&sample.reweighted(&bag), run)?; // phi(x, L_b)
            let honest = self.answers_out_of_bag(&member, sample, &bag)?;
            Ok((member, honest))
        };
        type Fitted<M> = (Member<M>, Option<(Vec<u32>, Scores)>);
        let add = |(member, honest): Fitted<L::Model>, out_of_bag: &mut OutOfBag| {
            members.push(member);
            if let Some((rows, answers)) = honest {
                out_of_bag.add(&rows, answers.rows());
            }
        };
        batches.fit(run, &mut out_of_bag, fit, add)?;
        let weights = vec![1.0; members.len()];
        let mut committee = Ensemble::new(members, weights, self.combine)?; // av_B phi(x, L_b)
        committee.out_of_bag = OutOfBagCurve::of(out_of_bag.curve());
        let is_tested = committee.out_of_bag.is_some();
        Ok((committee, Some(out_of_bag).filter(|_| is_tested)))
    }

    /// Fits one member on the rows of its bag and the columns drawn for it.
    fn fit_member(&self, bag: &Sample<'_>, run: &Run<'_>) -> Result<Member<L::Model>> {
        let schema = bag.table.schema().clone();
        let columns = self.draw_columns(schema.len(), run.seed);
        let subspace = columns.as_ref().map(|columns| bag.table.subspace(columns));
        let table = subspace.as_ref().unwrap_or(bag.table);
        let model = self.base.fit(&Sample { table, ..*bag }, run)?;
        Ok(Member { model, schema, columns })
    }

    /// The rows that a member has not seen, and what it says of them.
    fn answers_out_of_bag(
        &self,
        member: &Member<L::Model>,
        sample: &Sample<'_>,
        bag: &Weights,
    ) -> Result<Option<(Vec<u32>, Scores)>> {
        if !self.resampling.leaves_out(self.sample_share) {
            return Ok(None);
        }
        if *member.output() != Output::of(sample.target) {
            return match self.patience {
                Some(patience) => out_of_range(
                    "patience",
                    patience,
                    "none where members predict something else than the target",
                ),
                None => Ok(None),
            };
        }
        let rows = sample.rows_out_of(bag);
        let table = match &member.columns {
            Some(columns) => sample.table.subspace(columns),
            None => sample.table.clone(),
        };
        let places: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        let answers = member.model.scores(&table.take(&places));
        let mut answers =
            answers.map_err(|e| e.in_rows(&places).of_answers(|| "a member".into()))?;
        answers.rows_mut().for_each(|answer| self.combine.count(answer));
        Ok(Some((rows, answers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::constant::Constant;

    #[test]
    fn columns_are_drawn_without_replacement_and_equally_often() {
        let patches = Bagging { feature_share: 0.3, ..Bagging::random_patches(Constant {}) };
        let mut seen = [0u32; 10];
        for member in 0..5000 {
            let columns = patches.draw_columns(10, Seed(4).child(member)).unwrap();
            assert!(columns.len() == 3 && columns.windows(2).all(|pair| pair[0] < pair[1]));
            columns.iter().for_each(|&column| seen[column as usize] += 1);
        }
        // 1500 each, with a standard deviation of 32.
        assert!(seen.iter().all(|&n| n.abs_diff(1500) < 150), "{seen:?}");
        let narrow = Bagging { feature_share: 0.01, ..patches };
        assert_eq!(narrow.draw_columns(10, Seed(1)).map(|columns| columns.len()), Some(1));
        assert_eq!(narrow.draw_columns(1, Seed(1)), None);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let of = |change: fn(&mut Bagging<Constant>)| {
            let mut bagging = Bagging::<Constant>::default();
            change(&mut bagging);
            bagging.check_ranges().map_err(|error| error.to_string())
        };
        assert_eq!(of(|_| ()), Ok(()));
        for (change, words) in [
            ((|b| b.n_members = 0) as fn(&mut Bagging<Constant>), "`n_members` is \"0\""),
            (|b| b.feature_share = 0.0, "`feature_share` is \"0\""),
            (|b| b.feature_share = f64::NAN, "`feature_share` is \"NaN\""),
            (|b| b.feature_share = 1.5, "at most 1"),
            (|b| b.sample_share = -1.0, "`sample_share` is \"-1\""),
            (|b| b.patience = Some(0), "at least 1, or none"),
            (
                |b| *b = Bagging { patience: Some(5), ..Bagging::random_subspace(Constant {}) },
                "none where every member sees every row",
            ),
        ] {
            let error = of(change).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
