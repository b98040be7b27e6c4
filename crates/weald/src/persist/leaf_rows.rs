//! The training rows that a forest keeps, as flat arrays.

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::damaged;
use super::trees::Offsets;
use crate::data::Resampling;
use crate::error::ModelFileError;
use crate::forest::LeafRows;
use crate::model::Output;
use crate::predict::DeepTrees;

/// The codes of resamplings are their places here.
const RESAMPLINGS: [Resampling; 6] = [
    Resampling::Bootstrap,
    Resampling::Subsample,
    Resampling::None,
    Resampling::Stratified,
    Resampling::Balanced,
    Resampling::Weighted,
];

/// Adds the arrays.
pub(super) fn write(kept: &LeafRows, arrays: &mut ArrayWriter) {
    arrays.wholes("kept.offsets", kept.offsets.iter().map(|&offset| offset as u64));
    arrays.halves("kept.rows", kept.rows.iter().copied());
    arrays.halves("kept.counts", kept.counts.iter().copied());
    arrays.halves("kept.copies", kept.copies.iter().copied());
    arrays.numbers("kept.weights", &[kept.weights.len()], kept.weights.iter().copied());
    if !kept.targets.is_empty() {
        arrays.numbers("kept.targets", &[kept.targets.len()], kept.targets.iter().copied());
    }
    let code = RESAMPLINGS.iter().position(|&known| known == kept.resampling);
    arrays.bytes("kept.resampling", vec![code.unwrap_or(0) as u8]);
}

/// Takes the arrays, and proves that every row is there and in order.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    trees: &DeepTrees,
    output: &Output,
) -> Result<LeafRows, ModelFileError> {
    let halves = |bytes: &[u8]| -> Vec<u32> {
        bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    };
    let copies = halves(arrays.list("kept.copies", Element::U32)?);
    let n_rows = [copies.len()];
    let weights: Vec<f64> =
        numbers(arrays.shaped("kept.weights", Element::F64, &n_rows)?).collect();
    for (row, (&copies, &weight)) in copies.iter().zip(&weights).enumerate() {
        if copies == 0 || !(weight.is_finite() && weight > 0.0) {
            return damaged(format!("row {row} stands there {copies} times with weight {weight}"));
        }
    }
    let targets: Vec<f64> = match output {
        Output::Probabilities { .. }
        | Output::SeveralProbabilities { .. }
        | Output::Values { .. } => vec![],
        _ => numbers(arrays.shaped("kept.targets", Element::F64, &n_rows)?).collect(),
    };
    if let Some(bad) = targets.iter().find(|target| !target.is_finite()) {
        return damaged(format!("the target of a row is {bad}"));
    }
    let rows = halves(arrays.list("kept.rows", Element::U32)?);
    let counts = halves(arrays.shaped("kept.counts", Element::U32, &[rows.len()])?);
    let resampling = match arrays.list("kept.resampling", Element::U8)? {
        [code] => RESAMPLINGS.get(*code as usize).copied(),
        _ => None,
    };
    let Some(resampling) = resampling else {
        return damaged("how its rows were drawn is none of the ways known");
    };
    let offsets = Offsets::take(arrays, "kept.offsets", rows.len())?;
    if offsets.len() != trees.n_leaves() {
        return damaged(format!(
            "it keeps the rows of {} leaves of {}",
            offsets.len(),
            trees.n_leaves()
        ));
    }
    for leaf in 0..offsets.len() {
        let own = offsets.stretch(leaf);
        if own.is_empty() || !rows[own.clone()].is_sorted_by(|one, next| one < next) {
            return damaged(format!("the rows of leaf {leaf} are none, or out of order"));
        }
        for (&row, &count) in rows[own.clone()].iter().zip(&counts[own]) {
            if row as usize >= copies.len() || count == 0 {
                let n_rows = copies.len();
                return damaged(format!("leaf {leaf} has row {row} of {n_rows} {count} times"));
            }
        }
    }
    let ends = (0..offsets.len()).map(|leaf| offsets.stretch(leaf).end);
    let offsets = std::iter::once(0).chain(ends).collect();
    Ok(LeafRows { targets, copies, weights, resampling, offsets, rows, counts })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{from_bytes, to_bytes};
    use super::*;
    use crate::any::{AnyModel, TargetField, Trained};
    use crate::data::{Column, Sample, Table, Target, Weights};
    use crate::forest::RandomForest;
    use crate::learner::Learner;
    use crate::run::Run;
    use crate::seed::Seed;

    fn forest(target: &Target) -> Trained {
        let numbers: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 30)).collect();
        let table = Table::new(vec![("x".into(), Column::numeric(numbers))]).unwrap();
        let weights = Weights::real((0..30).map(|i| f64::from(i % 4) / 2.0).collect()).unwrap();
        let sample = Sample::new(&table, target, &weights).unwrap();
        let learner = RandomForest {
            n_trees: 3.into(),
            min_leaf_rows: 3,
            keep_rows: true,
            ..RandomForest::default()
        };
        let model = learner.fit(&sample, &Run::quiet(Seed(1), 1).unwrap()).unwrap();
        Trained {
            model: AnyModel::Forest(Box::new(model)),
            method: "random-forest".into(),
            parameters: BTreeMap::new(),
            seed: 1,
            target: TargetField { name: "y".into() },
            metrics: vec![],
            n_rows: 30,
        }
    }

    fn numbers_and_classes() -> [Trained; 2] {
        let numbers = Target::numbers((0..30).map(|i| f64::from(i * i % 11)).collect()).unwrap();
        let classes: Vec<&str> = (0..30).map(|i| ["a", "b"][i * i % 11 % 2]).collect();
        [forest(&numbers), forest(&Target::from_names(&classes))]
    }

    #[test]
    fn kept_rows_survive_a_file() {
        for trained in numbers_and_classes() {
            let bytes = to_bytes(&trained);
            let loaded = from_bytes(&bytes).unwrap();
            assert_eq!(loaded, trained);
            assert_eq!(to_bytes(&loaded), bytes);
        }
    }

    fn kept(trained: &mut Trained) -> &mut LeafRows {
        let AnyModel::Forest(model) = &mut trained.model else { panic!() };
        model.rows.as_mut().unwrap()
    }

    #[test]
    fn rows_that_cannot_be_are_refused() {
        let [numbers, classes] = numbers_and_classes();
        let refused = |damage: &dyn Fn(&mut LeafRows), words: &str| {
            let mut trained = numbers.clone();
            damage(kept(&mut trained));
            let error = from_bytes(&to_bytes(&trained)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        refused(&|kept| kept.rows[kept.offsets[1] - 1] = 22, "row 22 of 22");
        refused(&|kept| kept.rows[0] = u32::MAX, "out of order");
        refused(&|kept| kept.counts[1] = 0, " 0 times");
        refused(&|kept| kept.copies[4] = 0, "row 4 stands there 0 times");
        refused(&|kept| kept.weights[5] = -1.0, "with weight -1");
        refused(&|kept| kept.weights[6] = f64::NAN, "with weight NaN");
        refused(&|kept| kept.targets[3] = f64::INFINITY, "the target of a row is inf");
        refused(&|kept| kept.targets.truncate(21), "kept.targets");
        refused(&|kept| kept.targets.clear(), "kept.targets");
        refused(&|kept| kept.offsets[1] = kept.rows.len() + 1, "kept.offsets");
        refused(&|kept| kept.offsets[1] = 0, "are none");
        refused(&|kept| kept.offsets[0] = 1, "kept.offsets");
        let last = |kept: &mut LeafRows| {
            let end = kept.offsets.pop().unwrap();
            *kept.offsets.last_mut().unwrap() = end;
        };
        refused(&last, "leaves of");
        refused(&|kept| kept.counts.truncate(1), "kept.counts");
        let mut strange = classes.clone();
        kept(&mut strange).targets = vec![0.0; 22];
        let error = from_bytes(&to_bytes(&strange)).unwrap_err().to_string();
        assert!(error.contains("strange array"), "{error}");
    }
}
