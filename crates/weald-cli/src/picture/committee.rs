//! A committee as text: what its members see, and its out-of-bag error.

use std::fmt::Write as _;

use weald::any::AnyModel;
use weald::ensemble::{Combiner, Ensemble, Member};
use weald::model::Model;

use super::curve::bars;
use super::out_of_bag;
use crate::say::count;
use crate::terminal::wrap;

/// What members see, and the out-of-bag error, member by member.
pub fn committee(model: &Ensemble<Member<AnyModel>>, width: usize) -> String {
    let mut out = format!("{}\n", wrap(&members(model), width).join("\n"));
    if let Some(curve) = &model.out_of_bag {
        let words = out_of_bag(curve, model.output(), ("member", "members"));
        let _ = writeln!(out, "{}", wrap(&words, width).join("\n"));
        let _ = writeln!(out, "{}", bars(&curve.errors, width.min(60)));
    }
    out
}

/// "100 members, each sees 4 of 9 columns; the mean of what they say".
fn members(model: &Ensemble<Member<AnyModel>>) -> String {
    let n = count(model.members.len(), "member", "members");
    let all = model.schema().len();
    let seen = || model.members.iter().map(Member::n_columns);
    let (least, most) = (seen().min().unwrap_or(all), seen().max().unwrap_or(all));
    let columns = match (least == most, least == all) {
        (true, true) => "all columns".to_string(),
        (true, false) => format!("{least} of {}", count(all, "column", "columns")),
        _ => format!("{least} to {most} of {}", count(all, "column", "columns")),
    };
    let combined = match model.combiner {
        Combiner::Mean => "the mean of what they say",
        Combiner::Vote => "they vote",
        Combiner::Median => "the median of what they say",
        Combiner::Minimum => "the lowest that they say",
        Combiner::Maximum => "the highest that they say",
        Combiner::Product => "the geometric mean of what they say",
        Combiner::TrimmedMean(_) => "the mean of what they say, without the extremes",
        Combiner::Borda => "by how they rank the classes",
    };
    format!("{n}, each sees {columns}; {combined}")
}
