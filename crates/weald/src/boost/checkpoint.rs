//! The state of a boosting run, kept now and then, so that a run that was broken off can go on.
//!
//! All randomness is keyed by the round and scores are sums of trees in their order, so the trees
//! and the held-out losses so far are the whole state. What the run was given is kept as digests:
//! a run that goes on must be given the same.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::additive::AdditiveModel;
use super::gradient_boosting::GradientBoosting;
use super::rounds::Boosting;
use crate::data::{Column, Sample, Schema, Table, Target, Weights};
use crate::error::{Error, Result};
use crate::learner::{Extras, Progress};
use crate::loss::Loss;
use crate::parameter::Parameters;
use crate::seed::Seed;

/// Keeps the state of a fit if someone wants it.
pub struct Keeper<'a> {
    extras: &'a Extras<'a, AdditiveModel>,
    given: BTreeMap<String, String>,
}

impl<'a> Keeper<'a> {
    /// An error if the fit is to go on from the state of another one.
    pub fn new(
        (settings, loss): (&GradientBoosting, &dyn Loss),
        sample: &Sample<'_>,
        extras: &'a Extras<'a, AdditiveModel>,
        seed: Seed,
    ) -> Result<Keeper<'a>> {
        let mut keeper = Keeper { extras, given: BTreeMap::new() };
        if extras.checkpoint.is_none() && extras.resumed.is_none() {
            return Ok(keeper);
        }
        keeper.given = given((settings, loss), sample, extras, seed);
        if let Some(resumed) = extras.resumed {
            let names = keeper.given.keys().chain(resumed.given.keys());
            let mut differ: Vec<String> = names
                .filter(|name| keeper.given.get(*name) != resumed.given.get(*name))
                .cloned()
                .collect();
            differ.sort_unstable();
            differ.dedup();
            if !differ.is_empty() {
                let hint = "give the same data, settings and seed, or start again without it";
                return Err(Error::Checkpoint { differ, hint });
            }
        }
        Ok(keeper)
    }

    /// Whether the state is one that this fit can have: `n_folds` models of so many scores, with
    /// trees of so many numbers, and with the same number of rounds, or one model. A file may hold
    /// anything.
    pub fn check(
        &self,
        n_folds: usize,
        schema: &Schema,
        (n_scores, tree_width): (usize, usize),
    ) -> Result<()> {
        let Some(resumed) = self.extras.resumed else { return Ok(()) };
        let before = self.extras.continued.map_or(0, AdditiveModel::n_steps);
        let n_rounds = resumed.models.first().map_or(0, AdditiveModel::n_rounds);
        let is_sound = |model: &AdditiveModel| {
            let n_trees = n_rounds * (n_scores / tree_width);
            *model.schema == *schema
                && model.tree_width().is_none_or(|width| width == tree_width)
                && (model.start.len(), model.trees.len(), model.n_runs) == (n_scores, n_trees, 1)
        };
        let is_count = [1, n_folds].contains(&resumed.models.len());
        if is_count && n_rounds >= before && resumed.models.iter().all(is_sound) {
            return Ok(());
        }
        let differ = vec!["models".into()];
        Err(Error::Checkpoint { differ, hint: "it was not written by this fit; start again" })
    }

    /// The model that run number `index` of `n` side by side goes on from.
    pub fn resumed(&self, index: usize, n: usize) -> Option<&'a AdditiveModel> {
        self.extras.resumed.filter(|r| r.models.len() == n).and_then(|r| r.models.get(index))
    }

    /// Held-out losses of the fit so far.
    pub fn losses(&self) -> &'a [f64] {
        self.extras.resumed.map_or(&[], |resumed| &resumed.losses)
    }

    /// Keeps the state, if it is due.
    pub fn keep_if_due(&self, runs: &[Boosting<'_, '_>], losses: &[f64], n_rounds: usize) {
        if self.extras.checkpoint.is_some_and(|c| c.is_due(n_rounds)) {
            self.keep(runs, losses, n_rounds);
        }
    }

    /// Keeps the state after so many rounds.
    pub fn keep(&self, runs: &[Boosting<'_, '_>], losses: &[f64], n_rounds: usize) {
        if let Some(checkpoint) = self.extras.checkpoint {
            checkpoint.keep(Progress {
                given: self.given.clone(),
                models: runs.iter().map(|run| run.state(n_rounds)).collect(),
                losses: losses.to_vec(),
            });
        }
    }
}

/// What a fit is given: settings and seed as text, the rest as digests.
fn given(
    (settings, loss): (&GradientBoosting, &dyn Loss),
    sample: &Sample<'_>,
    extras: &Extras<'_, AdditiveModel>,
    seed: Seed,
) -> BTreeMap<String, String> {
    let mut given = BTreeMap::new();
    let mut put = |name: &str, value: String| {
        given.insert(name.to_string(), value);
    };
    put("version", env!("CARGO_PKG_VERSION").into());
    put("seed", seed.0.to_string());
    put("loss function", format!("{loss:?}"));
    for setting in settings.settings() {
        put(&setting.name, setting.value);
    }
    let Extras { validation, continued, metric, .. } = extras;
    let mut put_sample = |part: &str, sample: &Sample<'_>| {
        put(&format!("{part}table"), digest(|hash| hash_table(sample.table, hash)));
        put(&format!("{part}target"), digest(|hash| hash_target(sample.target, hash)));
        put(&format!("{part}weights"), digest(|hash| hash_weights(sample.weights, hash)));
        put(&format!("{part}groups"), digest(|hash| hash_wholes(sample.groups, hash)));
        put(&format!("{part}offset"), digest(|hash| hash_reals(sample.offset, hash)));
    };
    put_sample("", sample);
    if let Some(validation) = validation {
        put_sample("validation ", validation);
    }
    if let Some(metric) = metric {
        put("metric", metric.name().into());
    }
    if let Some(model) = continued {
        // Every digit of every field is in the text, and old models are not large.
        put("model to go on from", digest(|hash| hash.update(format!("{model:?}"))));
    }
    given
}

fn digest(feed: impl FnOnce(&mut Sha256)) -> String {
    let mut hash = Sha256::new();
    feed(&mut hash);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash_table(table: &Table, hash: &mut Sha256) {
    for (name, column) in table.names().zip(table.columns()) {
        hash_text(name, hash);
        match column {
            Column::Numeric(numbers) => numbers.iter().for_each(|x| hash.update(bits(x))),
            Column::Categorical(categories) => {
                categories.levels().iter().for_each(|level| hash_text(level, hash));
                hash_wholes(Some(categories.codes()), hash);
            }
        }
    }
}

fn hash_target(target: &Target, hash: &mut Sha256) {
    match target {
        Target::Numbers(values) => hash_reals(Some(values), hash),
        Target::Several(several) => {
            several.names().iter().for_each(|name| hash_text(name, hash));
            (0..several.n_rows()).for_each(|row| hash_reals(Some(several.row(row)), hash));
        }
        Target::SeveralClasses(several) => {
            for output in several.outputs().iter() {
                hash_text(&output.name, hash);
                output.classes.iter().for_each(|class| hash_text(class, hash));
            }
            (0..several.n_rows()).for_each(|row| hash_wholes(Some(several.row(row)), hash));
        }
        Target::Classes(labels) => {
            labels.classes().iter().for_each(|class| hash_text(class, hash));
            hash_wholes(Some(labels.codes()), hash);
        }
    }
}

fn hash_weights(weights: &Weights, hash: &mut Sha256) {
    match weights {
        Weights::Uniform => {}
        Weights::Counts(counts) => hash_wholes(Some(counts), hash),
        Weights::Real(weights) => hash_reals(Some(weights), hash),
    }
}

/// With its length first, so that no two lists of texts look alike.
fn hash_text(text: &str, hash: &mut Sha256) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

fn hash_wholes(values: Option<&[u32]>, hash: &mut Sha256) {
    values.unwrap_or_default().iter().for_each(|x| hash.update(x.to_le_bytes()));
}

fn hash_reals(values: Option<&[f64]>, hash: &mut Sha256) {
    values.unwrap_or_default().iter().for_each(|&x| hash.update(bits(x)));
}

/// One NaN is as good as another.
fn bits(x: f64) -> [u8; 8] {
    if x.is_nan() { f64::NAN.to_le_bytes() } else { x.to_le_bytes() }
}
