//! Committees: each member a container of its own within the file, all under one schema.

use std::borrow::Borrow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::document::{CurveFacts, Kind, curve_of};
use super::forest::{read_curve, write_curve};
use super::{damaged, json, read_model, write as write_model};
use crate::any::AnyModel;
use crate::data::Schema;
use crate::ensemble::{Combiner, Ensemble, Member};
use crate::error::ModelFileError;
use crate::model::{Model, Output};

/// The array of the columns of a member that does not see all.
const COLUMNS: &str = "member.columns";

/// Bytes that a member has at the least. It takes more in memory, whatever it says: so a small file
/// cannot ask for much.
const LEAST_MEMBER: usize = 256;

/// How many models a member may be within: models within each other without end would take a small
/// file far.
const MOST_WITHIN: usize = 2;

/// What a member's header says about it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberDocument {
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curve: Option<CurveFacts>,
    /// Whether it has a number for each class, instead of probabilities.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    values: bool,
}

/// Adds the arrays of a committee.
pub(super) fn write(model: &Ensemble<Member<AnyModel>>, arrays: &mut ArrayWriter) {
    let (ends, members) = members_to_bytes(model.members.iter(), model.output());
    arrays.wholes("committee.ends", ends.into_iter());
    arrays.numbers("committee.weights", &[model.weights.len()], model.weights.iter().copied());
    let (combiner, trim) = match model.combiner {
        Combiner::Mean => (0, None),
        Combiner::Vote => (1, None),
        Combiner::Median => (2, None),
        Combiner::Minimum => (3, None),
        Combiner::Maximum => (4, None),
        Combiner::Product => (5, None),
        Combiner::TrimmedMean(share) => (6, Some(share)),
        Combiner::Borda => (7, None),
    };
    arrays.bytes("committee.combiner", vec![combiner]);
    if let Some(share) = trim {
        arrays.numbers("committee.trim", &[1], [share].into_iter());
    }
    arrays.bytes("committee.members", members);
    write_curve(model.out_of_bag.as_ref(), arrays);
}

/// The members of a model of such an output one after the other, and where each of them ends.
pub(super) fn members_to_bytes<M: Borrow<Member<AnyModel>>>(
    members: impl Iterator<Item = M>,
    output: &Output,
) -> (Vec<u64>, Vec<u8>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for member in members {
        bytes.extend(member_to_bytes(member.borrow(), output));
        ends.push(bytes.len() as u64);
    }
    (ends, bytes)
}

/// Takes the arrays of a committee that is within so many models, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
    depth: usize,
) -> Result<Ensemble<Member<AnyModel>>, ModelFileError> {
    let combiner = match arrays.list("committee.combiner", Element::U8)? {
        [0] => Combiner::Mean,
        [1] => Combiner::Vote,
        [2] => Combiner::Median,
        [3] => Combiner::Minimum,
        [4] => Combiner::Maximum,
        [5] => Combiner::Product,
        [6] => {
            let share = arrays.shaped("committee.trim", Element::F64, &[1])?;
            Combiner::TrimmedMean(numbers(share).next().unwrap_or(f64::NAN))
        }
        [7] => Combiner::Borda,
        codes => return damaged(format!("its combiner is {codes:?}")),
    };
    let n_weights = arrays.length_of("committee.weights").unwrap_or(0);
    let weights = arrays.shaped("committee.weights", Element::F64, &[n_weights])?;
    let members = read_members(arrays, &schema, |_| output.clone(), depth)?;
    let out_of_bag = read_curve(arrays, members.len())?;
    let committee = Ensemble::new(members, numbers(weights).collect(), combiner);
    match committee {
        Ok(committee) => Ok(Ensemble { out_of_bag, ..committee }),
        Err(error) => damaged(format!("its committee is none: {error}")),
    }
}

/// Takes the arrays of members, given what a member predicts that says it has values, or that does
/// not, and proves them.
pub(super) fn read_members(
    arrays: &mut Arrays<'_>,
    schema: &Arc<Schema>,
    output: impl Fn(bool) -> Output,
    depth: usize,
) -> Result<Vec<Member<AnyModel>>, ModelFileError> {
    let ends = arrays.list("committee.ends", Element::U64)?.as_chunks().0;
    let bytes = arrays.list("committee.members", Element::U8)?;
    if ends.len() > bytes.len() / LEAST_MEMBER {
        return damaged(format!("it has {} members in only {} bytes", ends.len(), bytes.len()));
    }
    let mut members = Vec::with_capacity(ends.len());
    let mut start = 0;
    for (at, end) in ends.iter().enumerate() {
        let end = u64::from_le_bytes(*end);
        let own = usize::try_from(end).ok().and_then(|end| bytes.get(start..end));
        let Some(own) = own else {
            return damaged(format!("member {at} ends at byte {end} of {}", bytes.len()));
        };
        let member = member_from_bytes(own, schema, &output, depth + 1);
        members.push(member.or_else(|error| damaged(format!("member {at}: {}", reason(error))))?);
        start += own.len();
    }
    match start == bytes.len() {
        true => Ok(members),
        false => damaged(format!("{} bytes follow the last member", bytes.len() - start)),
    }
}

/// [`read_members`] that see all columns and have one output.
pub(super) fn read_whole_members(
    arrays: &mut Arrays<'_>,
    schema: &Arc<Schema>,
    output: &Output,
    depth: usize,
) -> Result<Vec<AnyModel>, ModelFileError> {
    let members = read_members(arrays, schema, |_| output.clone(), depth)?;
    if let Some(at) = members.iter().position(|member| member.columns.is_some()) {
        return damaged(format!("member {at} has columns of its own"));
    }
    Ok(members.into_iter().map(|member| member.model).collect())
}

/// Adds the arrays of models that see all columns, as members.
pub(super) fn write_whole_members<'m>(
    models: impl Iterator<Item = &'m AnyModel>,
    (schema, output): (&Arc<Schema>, &Output),
    arrays: &mut ArrayWriter,
) {
    let member =
        |model: &AnyModel| Member { model: model.clone(), schema: schema.clone(), columns: None };
    let (ends, members) = members_to_bytes(models.map(member), output);
    arrays.wholes("committee.ends", ends.into_iter());
    arrays.bytes("committee.members", members);
}

/// What is wrong, whatever the kind of error: in a member all are damage.
fn reason(error: ModelFileError) -> String {
    match error {
        ModelFileError::Damaged(what)
        | ModelFileError::Truncated(what)
        | ModelFileError::Foreign(what) => what,
        newer @ ModelFileError::Newer { .. } => newer.to_string(),
    }
}

/// A member as a container.
pub(super) fn member_to_bytes(member: &Member<AnyModel>, output: &Output) -> Vec<u8> {
    let mut arrays = ArrayWriter::default();
    let kind = write_model(&member.model, &mut arrays);
    if let Some(columns) = &member.columns {
        arrays.halves(COLUMNS, columns.iter().copied());
    }
    let values = member.output() != output && matches!(member.output(), Output::Values { .. });
    let document = MemberDocument { kind, curve: curve_of(&member.model), values };
    let document = serde_json::to_string(&document).expect("text has a JSON form");
    arrays.finish(&format!("{document:<LEAST_MEMBER$}"))
}

/// The member that a container holds which is within so many models.
pub(super) fn member_from_bytes(
    bytes: &[u8],
    schema: &Arc<Schema>,
    output: &impl Fn(bool) -> Output,
    depth: usize,
) -> Result<Member<AnyModel>, ModelFileError> {
    let mut arrays = Arrays::open(bytes)?;
    let document = arrays.take_document();
    let MemberDocument { kind, curve, values } = json::parse(document.as_bytes(), "its document")?;
    if depth > MOST_WITHIN {
        return damaged(format!("it is within {depth} models, expected at most {MOST_WITHIN}"));
    }
    let columns = match arrays.has(COLUMNS) {
        true => Some(read_columns(&mut arrays, schema.len())?),
        false => None,
    };
    let own = match &columns {
        Some(columns) => Arc::new(schema.select(columns)),
        None => schema.clone(),
    };
    let model = read_model((kind, depth), curve, &mut arrays, (own, output(values)))?;
    arrays.finish()?;
    Ok(Member { model, schema: schema.clone(), columns })
}

/// The columns of a member: proven to rise, and to be some of those there are.
fn read_columns(arrays: &mut Arrays<'_>, n_columns: usize) -> Result<Box<[u32]>, ModelFileError> {
    let columns = arrays.list(COLUMNS, Element::U32)?.as_chunks().0.iter();
    let columns: Box<[u32]> = columns.map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let rise = columns.windows(2).all(|pair| pair[0] < pair[1]);
    match columns.last() {
        Some(&last) if rise && (last as usize) < n_columns => Ok(columns),
        _ => damaged(format!("its {} columns are not among the {n_columns}", columns.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::constant::ConstantModel;
    use crate::data::{Field, FieldKind};

    fn schema() -> Arc<Schema> {
        let field = Field::new("x", FieldKind::Numeric);
        Arc::new(Schema { fields: vec![field.into()] })
    }

    #[test]
    fn members_pay_for_the_memory_they_take() {
        let constant = ConstantModel { value: vec![0.5], schema: schema(), output: Output::Value };
        let model = AnyModel::Constant(constant);
        let smallest =
            member_to_bytes(&Member { model, schema: schema(), columns: None }, &Output::Value);
        assert!(smallest.len() >= LEAST_MEMBER);
        assert!(size_of::<Member<AnyModel>>() <= 2 * LEAST_MEMBER);
        let mut arrays = ArrayWriter::default();
        arrays.bytes("committee.combiner", vec![0]);
        arrays.wholes("committee.ends", std::iter::repeat_n(0, 1000));
        arrays.numbers("committee.weights", &[1000], std::iter::repeat_n(1.0, 1000));
        arrays.bytes("committee.members", vec![0; 999 * LEAST_MEMBER]);
        let file = arrays.finish("{}");
        let mut arrays = Arrays::open(&file).unwrap();
        let error = read(&mut arrays, (schema(), Output::Value), 0).unwrap_err().to_string();
        assert!(error.contains("it has 1000 members in only 255744 bytes"), "{error}");
    }
}
