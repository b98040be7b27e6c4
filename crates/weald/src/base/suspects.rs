//! Input that does not stop a fit but that the user should look at.

use crate::data::bins::Spread;
use crate::data::{Column, MISSING, Sample, Target};
use crate::observer::Warning;
use crate::run::{Run, SuspectColumns};

/// Tells the observer of input that the user should look at; members leave that to their committee.
pub(super) fn report_suspects(sample: &Sample<'_>, run: &Run<'_>) {
    if run.is_member() {
        return;
    }
    if let Target::Classes(labels) = sample.target
        && let Some(&first) = labels.codes().first()
        && labels.codes().iter().all(|&c| c == first)
    {
        run.warn(Warning::SingleClass { class: labels.classes()[first as usize].clone() });
    }
    let mut suspects = SuspectColumns::default();
    for (feature, column) in sample.table.columns().iter().enumerate() {
        let name = || sample.table.name(feature).to_string();
        match spread(column) {
            Spread::Nothing => suspects.missing.push(name()),
            Spread::OneValue => suspects.constant.push(name()),
            Spread::Many => {}
        }
        if let Column::Numeric(numbers) = column
            && numbers.iter().any(f64::is_infinite)
        {
            suspects.infinite.push(name());
        }
    }
    run.warn_of_columns(suspects, sample.table.n_columns());
}

/// How many different values a column has, as far as that matters.
fn spread(column: &Column) -> Spread {
    let of = |mut known: Box<dyn Iterator<Item = f64> + '_>, n_missing: usize| match known.next() {
        None => Spread::Nothing,
        Some(first) if n_missing == 0 && known.all(|x| x == first) => Spread::OneValue,
        Some(_) => Spread::Many,
    };
    match column {
        Column::Numeric(numbers) => {
            of(Box::new(numbers.iter().filter(|x| !x.is_nan())), column.n_missing())
        }
        Column::Categorical(c) => {
            let known = c.codes().iter().filter(|code| **code != MISSING);
            of(Box::new(known.map(|&code| f64::from(code))), column.n_missing())
        }
    }
}
