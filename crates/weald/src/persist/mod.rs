//! The model file: bytes that hold a [`Trained`] for ever.
//!
//! [`to_bytes`] and [`from_bytes`] touch no files. A file of format version 1 loads in every later
//! weald. Files from strangers are expected: whatever the bytes, loading ends with a proven model
//! or an error, in time linear in the file (but for sorting its names) and memory of at most three
//! times the file's size and 16 MB.
//!
//! # The format
//!
//! A [safetensors](https://github.com/huggingface/safetensors) file: the header's length as a
//! little-endian `u64`, a JSON header padded with spaces to a multiple of 8, then the arrays,
//! little-endian, one after another without gaps, wide elements first.
//!
//! The header's `__metadata__` has one entry, `weald`: the *document*, JSON within a JSON string.
//!
//! | key          | what it holds                                                              |
//! |--------------|----------------------------------------------------------------------------|
//! | `sha256`     | the digest, always first (below)                                           |
//! | `format`     | the format version, [`FORMAT_VERSION`]                                     |
//! | `weald`      | the version of weald that wrote the file                                   |
//! | `kind`       | `constant`, `tree`, `additive`, `forest`, `committee`, `boosted`, `isolation`, `density`, `stacked`, `dynamic`, `mixture`, `coded`, `calibrated`, `linear`, `naive-bayes` or `neighbours`: which arrays follow; `checkpoint` and `stream`: no model, but the state of a fit or of a stream |
//! | `method`, `parameters`, `seed`, `n_rows`, `target`, `metrics` | as in [`Trained`]; the values of metrics are text, so that NaN and every digit survive |
//!
//! Column, level and class names come from data and may be many, so they are not in the header but
//! in the array `names` (`u8`), itself a JSON document: `output` (`"value"`,
//! `"hazard"`, `"ranking"`, `"anomaly"`, `"log-density"`, `{"probabilities":{"classes":[…]}}`, `{"values":{"names":[…]}}`,
//! `{"several-probabilities":{"outputs":[{"name":…,"classes":[…]},…]}}` or
//! `{"quantiles":{"levels":[…]}}`, levels as text) and `schema`. Spaces follow it where n names in lists (levels
//! and classes) take more bytes of memory than the file pays for: its length is at least
//! (96 n - 12 MiB) / 3.
//!
//! A constant has one more array, `constant.value` (`f64`, one number an output). An additive model
//! has `additive.start` (`f64`, one number a score), `additive.link` (`u8`, one code) and trees of
//! one number a node, or of one for each score; the mean of several runs has `additive.runs` (`u64`,
//! their number), and of each round the trees of one run after the other; if rows were held out, also `curve.held_out` (`f64`, the loss before the first
//! round and after each), and in the document `curve` with the `loss`, the `rows` in words and the
//! `first_round`. Trees are concatenated:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `tree.offsets`   | `u64` | where each tree's nodes start; one more entry than trees            |
//! | `node.feature`   | `u32` | the column; `u32::MAX` in a leaf                                     |
//! | `node.right`     | `u32` | the right child, counted from the tree's root; 0 in a leaf          |
//! | `node.threshold` | `f64` | the split point; +0 where the rule is not numeric                   |
//! | `node.flags`     | `u8`  | 0 leaf, 1 number, 2 categories; +4: missing values go left          |
//! | `node.weight`, `node.cost` | `f64` | as in [`Node`](crate::tree::Node)                         |
//! | `node.value`     | `f64` | nodes × outputs                                                     |
//! | `set.offsets`    | `u64` | where each category rule's words start, in node order; one more entry than such rules |
//! | `set.words`      | `u64` | bit `code % 64` of word `code / 64`: the level goes left            |
//!
//! If leaves of an additive model are linear ([`LinearLeaf`](crate::tree::LinearLeaf)), these
//! follow; if none is, none of these is there:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `linear.node`    | `u64` | the node of each linear leaf, counted from the first of all nodes, rising |
//! | `linear.base`    | `f64` | what each says where every column is at its lowest                  |
//! | `linear.low`, `linear.high` | `f64` | the range that what it says is held within            |
//! | `linear.offsets` | `u64` | where each leaf's slopes start; one more entry than linear leaves   |
//! | `slope.feature`  | `u32` | the column, of numbers; rising in each leaf                         |
//! | `slope.value`    | `f64` | what is added for each unit above the lowest value                  |
//! | `slope.low`, `slope.high` | `f64` | the range that values are held within                     |
//!
//! A forest has `tree.offsets`, `node.feature`, `node.right`, `node.threshold` and `node.flags`
//! as above, and:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `set.offsets`    | `u64` | where each category rule's levels start                             |
//! | `set.levels`     | `u32` | levels, rising; with +8 in the node's flags those that go left, else all others do |
//! | `leaf.values`    | `f64` | what leaves say, values × outputs                                   |
//! | `leaf.value`     | `u32` | which of them each leaf says, in the order of the nodes             |
//! | `leaf.weight`    | `f32` | the weight of the rows that each leaf was grown on                  |
//! | `importance.plain`, `importance.unbiased` | `f64` | one number a column; the second only if there were rows out of a bag |
//! | `permutation.increase`, `permutation.error` | `f64` | one number a column, if columns were shuffled |
//! | `out_of_bag.errors` | `f64` | the out-of-bag error after each tree, if there were such rows     |
//! | `out_of_bag.without` | `u64` | one number: the rows that are in every bag                       |
//!
//! and, if it keeps its training rows, which are numbered from 0, those of weight 0 left out:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `kept.offsets`   | `u64` | where each leaf's rows start; one more entry than leaves            |
//! | `kept.rows`      | `u32` | the rows of each leaf, rising                                       |
//! | `kept.counts`    | `u32` | how often each of them is in the tree's bag, at least once          |
//! | `kept.copies`    | `u32` | how often each training row stands in the sample, at least once     |
//! | `kept.weights`   | `f64` | what each copy of it weighs                                         |
//! | `kept.targets`   | `f64` | its target, where that is a number                                  |
//! | `kept.resampling` | `u8` | one code: 0 bootstrap, 1 subsample, 2 none, 3 stratified, 4 balanced, 5 weighted |
//!
//! A committee is of models of any kind, each a container within the file, not more than two levels
//! deep:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `committee.members` | `u8` | the members, one after the other                                  |
//! | `committee.ends` | `u64` | where each of them ends                                             |
//! | `committee.weights` | `f64` | what the answer of each weighs                                   |
//! | `committee.combiner` | `u8` | one code: 0 mean, 1 vote, 2 median, 3 minimum, 4 maximum, 5 product, 6 trimmed mean, 7 Borda's count |
//! | `committee.trim` | `f64` | the share that is trimmed at either end, of a trimmed mean          |
//! | `out_of_bag.errors`, `out_of_bag.without` | | as in a forest, after each member         |
//!
//! A boosted model has `committee.members` and `committee.ends` too, and:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `boosted.voice`  | `u8`  | one code, as [`Voice`](crate::adaboost::Voice) lists them: 0 sign, 1 vote, 2 log shares, 3 confidences, 4 plausibilities, 5 numbers, 6 median, 7 mean |
//! | `boosted.floor`  | `f64` | the least share that is believed, of log shares; else nothing       |
//! | `boosted.rounds` | `f64` | rounds × 7, as in [`Round`](crate::adaboost::Round)                 |
//! | `boosted.bound`  | `f64` | only where it does not follow from the voice: the training error is at most this many times the product of the normalisers; 0 for no bound |
//! | `boosted.prior`  | `f64` | one number an output                                                |
//!
//! An isolation forest has `isolation.threshold` (`f64`, the score above which a row is an anomaly),
//! `isolation.sample_rows` (`u64`, the rows that each tree has seen) and the trees of a forest, whose
//! leaves say how many splits isolate a row. If its cuts are oblique it has `tree.offsets`,
//! `node.right` and `node.threshold` as above instead, and:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `tree.seed`      | `u64` | by what levels have their places in each tree                       |
//! | `node.reach`     | `f64` | how far from the threshold a row may be to be counted a split       |
//! | `node.rows`      | `u32` | how many rows came to each node                                     |
//! | `term.offsets`   | `u64` | where the terms of each node's direction start; one more entry than nodes |
//! | `term.feature`   | `u32` | the column of each term                                             |
//! | `term.coefficient`, `term.centre` | `f64` | a value less the centre is multiplied by the coefficient |
//!
//! A density has the trees of a forest, whose leaves say how dense rows lie in them relative to the
//! measure, and:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `measure.reach`  | `f64` | columns × 4: the smallest and the largest number, and the lengths of the tails; 0 of levels |
//! | `density.threshold` | `f64` | the log density below which a row is an anomaly                  |
//! | `density.out_of_bag` | `f64` | the mean log density of rows out of the bag, if there were any   |
//! | `density.min_split_rows` | `u64` | rows that a node needed to be divided                        |
//! | `density.depths` | `u8`  | a container with the trees of a forest, whose leaves say how deep they lie, if they were kept |
//!
//! A stacked model has `committee.members` and `committee.ends` too, and:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `stacked.names`  | `u8`  | what members are called: a JSON list; spaces follow it where what members say has more names than the file pays for |
//! | `stacked.last`   | `u8`  | a container with the model of what they say; its columns follow from their names and the classes |
//! | `stacked.pass_through` | `u8` | 1 if it sees the columns too, else 0                            |
//! | `stacked.prior`  | `f64` | one number an output                                                |
//!
//! Members of which those answer that are right nearby have `committee.members` and
//! `committee.ends`, `dynamic.names` (`u8`, a JSON list), `dynamic.rule` (`u8`, one code: 0
//! eliminate, 1 union), `dynamic.prior` (`f64`, one number an output) and `dynamic.right` (`u8`, a
//! container with nearest neighbours, whose targets are 1 for each member that is right about a row
//! and 0 for all others). A mixture of experts has its experts in `committee.members` and
//! `committee.ends`, and:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `mixture.gate`   | `u8`  | a container with a linear model, whose classes are the experts      |
//! | `mixture.variances` | `f64` | experts × numbers that are predicted; none for classes           |
//! | `mixture.likelihoods` | `f64` | the mean log-likelihood of a row after each round              |
//! | `mixture.prior`  | `f64` | one number an output                                                |
//!
//! Models of two classes that tell several apart have `committee.members` and `committee.ends`, and:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `coded.tasks`    | `u8`  | tasks × classes: 2 yes, 1 no, 0 the class has no part in the task   |
//! | `coded.scheme`   | `u8`  | the scheme, as its parameter says it                                |
//! | `coded.sizes`    | `f64` | the weight of the rows of each class                                |
//! | `coded.prior`    | `f64` | one number an output                                                |
//!
//! A model whose probabilities are put right has:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `calibrated.base` | `u8` | a container with the model                                          |
//! | `calibrated.map` | `u8`  | one code: 0 temperature, 1 sigmoid, 2 isotonic                      |
//! | `calibrated.temperature` | `f64` | one number, of a temperature                                |
//! | `calibrated.sigmoid` | `f64` | curves × 2: slope and intercept, of a sigmoid                   |
//! | `calibrated.ends` | `u64` | where the knots of each curve end, of an isotonic map              |
//! | `calibrated.knots` | `f64` | knots × 2: what is said, and what becomes of it                   |
//!
//! There is a curve for each class, but of two only for the second, and for a single one none.
//!
//! A linear model, naive Bayes and nearest neighbours have a design
//! ([`Design`](crate::base::design::Design)), columns × 4 numbers among others; columns of the design
//! are numbers first, then indicators:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `design.standard` | `f64` | columns × 4: the mean, the deviation, the smallest and the largest number; 0 where none is used |
//! | `design.flags`   | `u8`  | for each column: 1 if it has a number, +2 if an indicator of missing values |
//! | `design.levels`  | `u32` | for each level of each column of categories its indicator among those of the column; `u32::MAX` for none |
//!
//! To these a linear model adds `coefficients.value` (`f64`, scores × columns of the design and the
//! intercept), `coefficients.scale` (`f64`, one number: what scores are multiplied by to be
//! logarithms of probabilities) and `coefficients.prior` (`f64`, one number an output: what all
//! training rows are together) and `coefficients.steps` (`u64`, one number: steps taken to find them). Naive Bayes adds `bayes.priors` (`f64`, one number a class),
//! `bayes.means` and `bayes.variances` (numbers × classes) and `bayes.levels` (indicators × classes).
//! Nearest neighbours add their `n` training rows:
//!
//! | array            | type  | what it holds                                                       |
//! |------------------|-------|---------------------------------------------------------------------|
//! | `neighbours.k`   | `u64` | one number: how many rows answer                                    |
//! | `row.numbers`    | `f64` | n × numbers of the design                                           |
//! | `row.indicators` | `u32` | for each row and column that has indicators, which is 1; `u32::MAX` for none |
//! | `row.copies`     | `u32` | how often each row stands there, at least once                      |
//! | `row.weight`     | `f64` | what each copy of it weighs                                         |
//! | `row.targets`    | `f64` | n × targets: the code of the class, or the numbers                  |
//!
//! A member has the layout of a file. Its document holds its `kind` and `curve`, and `values` if it
//! has a number for each class instead of probabilities; its output and columns are the file's, but
//! members of a boosted model that are of numbers predict one, and those of tasks have the
//! classes no and yes. If it sees some of the columns, the array `member.columns` (`u32`)
//! says which, rising, and its nodes count columns within that list. Members are containers of their
//! own, not arrays under names of their own, so that the header stays small however many they are.
//!
//! # The digest
//!
//! The SHA-256 of the whole file, first byte to last, in which the 64 characters of the digest
//! themselves stand as 64 times the character `0`; written as lower-case hexadecimal. It starts at
//! byte 48 in every file of every version. So no bit of a file can change unnoticed. It protects
//! against accidents, not against forgery: who changes a file can also write a new digest. That is
//! why the structure is proven whatever the digest says.
//!
//! # Not the `safetensors` crate
//!
//! The crate buffers a header it does not understand at many times its size, accepts repeated
//! names, and cannot tell a file that was cut short from one that is not a model. A test reads our
//! files with it.

mod boosted;
mod calibrated;
mod checkpoint;
mod coded;
mod committee;
mod container;
mod density;
mod design;
mod digest;
mod document;
mod dynamic;
mod foreign;
mod forest;
mod header;
mod isolation;
mod json;
mod leaf_rows;
mod linear;
mod linear_model;
mod mixture;
mod naive_bayes;
mod names;
mod neighbours;
mod proof;
mod rules;
mod stacked;
mod stream;
mod trees;

pub use checkpoint::{is_checkpoint, progress_from_bytes, progress_to_bytes};
pub use stream::{stream_from_bytes, stream_to_bytes};

use std::sync::Arc;

use crate::any::{AnyModel, Trained};
use crate::base::constant::ConstantModel;
use crate::boost::{AdditiveModel, LearningCurve};
use crate::data::Schema;
use crate::error::{Error, ModelFileError};
use crate::loss::Link;
use crate::model::Output;
use crate::tree::TreeModel;
use container::{ArrayWriter, Arrays, Element};
use document::{CurveFacts, Document, Kind};
use names::Names;

/// The format version that this weald writes, and the newest that it reads.
pub const FORMAT_VERSION: u64 = 1;

/// The bytes of the model file: a pure function of the model and the version of weald.
///
/// Nothing is checked: bytes of a model that no learner returns (a NaN threshold, a column twice)
/// are refused by [`from_bytes`]; [`to_proven_bytes`] refuses them at once.
pub fn to_bytes(trained: &Trained) -> Vec<u8> {
    to_bytes_as(trained, env!("CARGO_PKG_VERSION"))
}

/// [`to_bytes`], proven: [`from_bytes`] takes them. What replaces a file should come from here.
///
/// # Errors
/// [`Error::NotSavable`] says why they would be refused.
pub fn to_proven_bytes(trained: &Trained) -> crate::Result<Vec<u8>> {
    let bytes = to_bytes(trained);
    // The digest was made of these very bytes.
    read(&bytes, |_| Ok(())).map_err(Error::NotSavable)?;
    Ok(bytes)
}

/// The model that a file's bytes hold, if it is whole, of a known version, and proven sound.
pub fn from_bytes(bytes: &[u8]) -> crate::Result<Trained> {
    Ok(read(bytes, digest::verify)?)
}

/// [`from_bytes`] without the digest: for tests and fuzzing of everything behind it.
#[doc(hidden)]
pub fn from_bytes_unverified(bytes: &[u8]) -> crate::Result<Trained> {
    Ok(read(bytes, |_| Ok(()))?)
}

/// [`to_bytes`] as if by another version of weald: for tests of saved files.
#[doc(hidden)]
pub fn to_bytes_as(trained: &Trained, weald: &str) -> Vec<u8> {
    let mut arrays = ArrayWriter::default();
    let kind = write(&trained.model, &mut arrays);
    arrays.bytes("names", Names::of(&trained.model).to_json());
    let mut bytes = arrays.finish(&Document::of(trained, kind, weald).to_json());
    digest::seal(&mut bytes);
    bytes
}

/// Adds the arrays of a model; which they are.
fn write(model: &AnyModel, arrays: &mut ArrayWriter) -> Kind {
    match model {
        AnyModel::Constant(model) => {
            arrays.numbers("constant.value", &[model.value.len()], model.value.iter().copied());
            Kind::Constant
        }
        AnyModel::Tree(model) => {
            trees::write(std::slice::from_ref(&model.tree), arrays);
            Kind::Tree
        }
        AnyModel::Additive(model) => {
            let start = model.start.iter().copied();
            arrays.numbers("additive.start", &[model.start.len()], start);
            arrays.bytes("additive.link", vec![model.link.code()]);
            if model.n_runs > 1 {
                arrays.wholes("additive.runs", std::iter::once(model.n_runs as u64));
            }
            trees::write(&model.trees, arrays);
            linear::write(&model.trees, arrays);
            if let Some(curve) = &model.curve {
                let losses = curve.held_out.iter().copied();
                arrays.numbers("curve.held_out", &[curve.held_out.len()], losses);
            }
            Kind::Additive
        }
        AnyModel::Forest(model) => {
            forest::write(model, arrays);
            Kind::Forest
        }
        AnyModel::Committee(model) => {
            committee::write(model, arrays);
            Kind::Committee
        }
        AnyModel::Boosted(model) => {
            boosted::write(model, arrays);
            Kind::Boosted
        }
        AnyModel::Isolation(model) => {
            isolation::write(model, arrays);
            Kind::Isolation
        }
        AnyModel::Density(model) => {
            density::write(model, arrays);
            Kind::Density
        }
        AnyModel::Stacked(model) => {
            stacked::write(model, arrays);
            Kind::Stacked
        }
        AnyModel::Dynamic(model) => {
            dynamic::write(model, arrays);
            Kind::Dynamic
        }
        AnyModel::Mixture(model) => {
            mixture::write(model, arrays);
            Kind::Mixture
        }
        AnyModel::Coded(model) => {
            coded::write(model, arrays);
            Kind::Coded
        }
        AnyModel::Calibrated(model) => {
            calibrated::write(model, arrays);
            Kind::Calibrated
        }
        AnyModel::Linear(model) => {
            linear_model::write(model, arrays);
            Kind::Linear
        }
        AnyModel::NaiveBayes(model) => {
            naive_bayes::write(model, arrays);
            Kind::NaiveBayes
        }
        AnyModel::Neighbours(model) => {
            neighbours::write(model, arrays);
            Kind::Neighbours
        }
    }
}

fn read(
    bytes: &[u8],
    verify: impl Fn(&[u8]) -> Result<(), ModelFileError>,
) -> Result<Trained, ModelFileError> {
    let mut arrays = Arrays::open(bytes)?;
    verify(bytes)?;
    let mut document = Document::parse(&arrays.take_document())?;
    if document.kind == Kind::Checkpoint {
        let what = "it is the checkpoint of a fit that was broken off";
        return Err(ModelFileError::Foreign(what.into()));
    }
    if document.kind == Kind::Stream {
        return Err(ModelFileError::Foreign("it is the state of a stream".into()));
    }
    let Names { output, schema } = Names::parse(arrays.list("names", Element::U8)?)?;
    let output = proof::output(output.into())?;
    proof::schema(&schema)?;
    let curve = document.curve.take();
    let model = read_model((document.kind, 0), curve, &mut arrays, (schema, output))?;
    arrays.finish()?;
    Ok(document.into_trained(model))
}

/// Takes the arrays of a model of these columns and this output, which are proven, and proves it.
/// It is within so many models.
fn read_model(
    (kind, depth): (Kind, usize),
    mut curve: Option<CurveFacts>,
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
) -> Result<AnyModel, ModelFileError> {
    let width = output.width();
    let needed = match output {
        Output::Anomaly => Some(Kind::Isolation),
        Output::LogDensity => Some(Kind::Density),
        _ => None,
    };
    if needed.is_some_and(|needed| needed != kind) {
        return damaged("a model of another kind says how anomalous or how dense rows are");
    }
    let model = match kind {
        Kind::Constant => {
            let value = arrays.shaped("constant.value", Element::F64, &[width])?;
            let value = container::numbers(value).collect();
            AnyModel::Constant(ConstantModel { value, schema, output })
        }
        Kind::Tree => {
            let tree = trees::read_one(arrays, &schema, width)?;
            AnyModel::Tree(TreeModel { tree, schema, output })
        }
        Kind::Additive => {
            let start: Vec<f64> =
                container::numbers(arrays.list("additive.start", Element::F64)?).collect();
            let link = match arrays.list("additive.link", Element::U8)? {
                [code] => Link::from_code(*code),
                _ => None,
            };
            let Some(link) = link else { return damaged("its link is none of those known") };
            let n_runs = if arrays.has("additive.runs") {
                let runs = arrays.shaped("additive.runs", Element::U64, &[1])?;
                runs.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
            } else {
                1
            };
            let n_runs = usize::try_from(n_runs).unwrap_or(0);
            let width = trees::width_of_values(arrays, start.len())?;
            let mut trees = trees::read(arrays, &schema, width)?;
            linear::read(arrays, &mut trees)?;
            let curve = match curve.take() {
                Some(facts) => Some(learning_curve(facts, arrays)?),
                None => None,
            };
            let trees = trees.into();
            AnyModel::Additive(AdditiveModel { start, trees, n_runs, link, schema, output, curve })
        }
        Kind::Forest => AnyModel::Forest(Box::new(forest::read(arrays, schema, output)?)),
        Kind::Committee => AnyModel::Committee(committee::read(arrays, (schema, output), depth)?),
        Kind::Boosted => AnyModel::Boosted(boosted::read(arrays, (schema, output), depth)?),
        Kind::Stacked => {
            AnyModel::Stacked(Box::new(stacked::read(arrays, (schema, output), depth)?))
        }
        Kind::Dynamic => {
            AnyModel::Dynamic(Box::new(dynamic::read(arrays, (schema, output), depth)?))
        }
        Kind::Mixture => {
            AnyModel::Mixture(Box::new(mixture::read(arrays, (schema, output), depth)?))
        }
        Kind::Coded => AnyModel::Coded(Box::new(coded::read(arrays, (schema, output), depth)?)),
        Kind::Calibrated => {
            AnyModel::Calibrated(Box::new(calibrated::read(arrays, (schema, output), depth)?))
        }
        Kind::Isolation => AnyModel::Isolation(Box::new(isolation::read(arrays, schema, &output)?)),
        Kind::Density => AnyModel::Density(Box::new(density::read(arrays, schema, &output)?)),
        Kind::Linear => AnyModel::Linear(linear_model::read(arrays, (schema, output))?),
        Kind::NaiveBayes => AnyModel::NaiveBayes(naive_bayes::read(arrays, (schema, output))?),
        Kind::Neighbours => {
            AnyModel::Neighbours(Box::new(neighbours::read(arrays, (schema, output))?))
        }
        Kind::Checkpoint | Kind::Stream => return damaged("it holds no model"),
    };
    if curve.is_some() {
        return damaged("it has a learning curve, but no rounds");
    }
    proof::model(&model)?;
    Ok(model)
}

fn learning_curve(
    facts: CurveFacts,
    arrays: &mut Arrays<'_>,
) -> Result<LearningCurve, ModelFileError> {
    let CurveFacts { loss, rows, first_round } = facts;
    let held_out: Vec<f64> =
        container::numbers(arrays.list("curve.held_out", Element::F64)?).collect();
    // A round takes far more bytes than this in any file that could have made so many.
    let (Ok(first_round), false) = (u32::try_from(first_round), held_out.is_empty()) else {
        return damaged(format!("its learning curve begins after {first_round} rounds"));
    };
    if held_out.iter().any(|loss| loss.is_nan()) {
        return damaged("a loss of its learning curve is NaN");
    }
    Ok(LearningCurve { loss, rows, first_round: first_round as usize, held_out })
}

/// An error for bytes that are not those that were written.
fn damaged<T>(what: impl Into<String>) -> Result<T, ModelFileError> {
    Err(ModelFileError::Damaged(what.into()))
}
