//! A file as features and target, in single precision where nothing is lost, as the peers have it.

use std::path::Path;

use weald::data::{Column, MISSING, Numbers, Table, Target, View};

/// Features and what is to be predicted.
pub struct Rows {
    pub table: Table,
    pub target: Target,
}

/// Reads `file`; `classes`: the column `target` holds classes, even if they are numbers.
pub fn read(file: &str, target: &str, classes: bool) -> Result<Rows, Box<dyn std::error::Error>> {
    let frame = weald_io::read(Path::new(file), &weald_io::ReadOptions::default())?;
    let at = frame.table.require(target)?;
    let others = (0..frame.table.n_columns()).filter(|&f| f != at);
    let columns = others.map(|f| (frame.table.name(f).into(), narrowed(frame.table.column(f))));
    let table = Table::new(columns.collect())?;
    Ok(Rows { table, target: target_of(frame.table.column(at), classes)? })
}

impl Rows {
    /// The first `n` rows, copied.
    pub fn first(&self, n: usize) -> Rows {
        let rows: Vec<usize> = (0..self.table.n_rows().min(n)).collect();
        let target = match &self.target {
            Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
                self.target.take(&rows)
            }
            Target::Classes(labels) => {
                let name = |&code: &u32| labels.classes()[code as usize].as_str();
                let names: Vec<&str> = labels.codes()[..rows.len()].iter().map(name).collect();
                Target::from_names(&names)
            }
        };
        Rows { table: self.table.take(&rows), target }
    }
}

/// One row as `Model::predict_row` takes it.
pub fn row(table: &Table, row: usize) -> Vec<f64> {
    let value = |column: &Column| match column {
        Column::Numeric(numbers) => numbers.at(row),
        Column::Categorical(c) if c.codes()[row] == MISSING => f64::NAN,
        Column::Categorical(c) => c.codes()[row].into(),
    };
    table.columns().iter().map(value).collect()
}

fn narrowed(column: &Column) -> Column {
    match column {
        Column::Numeric(numbers) => {
            let exact = |x: f64| f64::from(x as f32) == x || x.is_nan();
            if !numbers.iter().all(exact) {
                return column.clone();
            }
            let single: Vec<f32> = numbers.iter().map(|x| x as f32).collect();
            Column::Numeric(Numbers::F32(View::from(single)))
        }
        Column::Categorical(_) => column.clone(),
    }
}

fn target_of(column: &Column, classes: bool) -> weald::Result<Target> {
    match column {
        Column::Numeric(numbers) if classes => {
            let names: Vec<String> = numbers.iter().map(|x| x.to_string()).collect();
            Ok(Target::from_names(&names))
        }
        Column::Numeric(numbers) => Target::numbers(numbers.iter().collect()),
        Column::Categorical(c) => Target::classes(c.codes().to_vec(), c.levels().clone()),
    }
}
