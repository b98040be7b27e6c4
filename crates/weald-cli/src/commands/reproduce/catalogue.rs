//! Data sets in a folder: which there are, where, and what is to be predicted.
//!
//! The program has no data of its own. A folder has a file `index.json`, a list of sets.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weald::data::Target;
use weald::error::{nearest, quoted};
use weald_io::ReadOptions;

use crate::args::TaskArgument;
use crate::dataset::{self, Dataset, Expected, Roles};
use crate::failure::{Failure, Kind, Result};
use crate::source;

/// Where sets are looked for if nobody says where.
const BESIDE: &str = "../shared/data";
/// Tasks of sets that have no classes to predict.
const NO_CLASSES: [&str; 3] = ["regression", "ranking", "density"];

/// A folder of data sets.
pub struct Catalogue {
    folder: PathBuf,
    sets: Vec<Set>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub file: PathBuf,
    /// The column to predict.
    pub target: String,
    /// What kind of target that is, if the set says so.
    pub task: Option<String>,
    /// Columns of categories, even if they hold numbers.
    pub categorical: Vec<String>,
    /// The rows to train on and to test on, if the set has its own.
    pub split: Option<(Range<usize>, Range<usize>)>,
    /// How many rows, if that is known.
    pub n_rows: Option<usize>,
}

/// The place that was given, or else the usual one.
pub fn place(given: Option<&Path>) -> PathBuf {
    given.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new(BESIDE)).to_path_buf()
}

impl Catalogue {
    /// Reads what a folder has.
    pub fn open(folder: &Path) -> Result<Catalogue> {
        let shown = folder.display().to_string();
        let index = folder.join("index.json");
        let text = match std::fs::read_to_string(&index) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let what =
                    if folder.is_dir() { "no index.json in the folder" } else { "no folder" };
                return Err(Failure::new(Kind::Io, format!("there is {what} {}", quoted(&shown)))
                    .fact("weald has no data sets of its own")
                    .help("say where they are with --data or WEALD_DATA")
                    .help("`weald reproduce --help` tells what such a folder has"));
            }
            Err(error) => return Err(Failure::io("read", &index.display().to_string(), &error)),
        };
        let at = |failure: Failure| failure.at(index.display().to_string());
        let list: Value = serde_json::from_str(&text)
            .map_err(|error| at(Failure::new(Kind::Data, format!("no JSON: {error}"))))?;
        let Some(list) = list.as_array() else {
            return Err(at(Failure::new(Kind::Data, "expected a list of data sets")));
        };
        let set = |(index, entry): (usize, &Value)| {
            Set::of(entry, folder).ok_or_else(|| {
                let headline = format!("set {} has no name, file or target", index + 1);
                at(Failure::new(Kind::Data, headline)
                    .help("`weald reproduce --help` tells what a set has"))
            })
        };
        // Sets without a target are for other questions, such as densities.
        let with_target = list.iter().enumerate().filter(|(_, entry)| !entry["target"].is_null());
        let sets = with_target.map(set).collect::<Result<_>>()?;
        Ok(Catalogue { folder: folder.to_path_buf(), sets })
    }

    /// The set of this name.
    pub fn find(&self, name: &str) -> Result<&Set> {
        self.sets.iter().find(|set| set.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.sets.iter().map(|set| set.name.as_str()).collect();
            Failure::new(Kind::Data, format!("there is no data set {}", quoted(name)))
                .at(self.folder.join("index.json").display().to_string())
                .fact(format!("the sets are {}", dataset::listed(&names)))
                .suggest(nearest(name, names.iter().copied()))
                .help("add it there, or say where it is with --data")
        })
    }
}

impl Set {
    fn of(entry: &Value, folder: &Path) -> Option<Set> {
        let text = |key: &str| entry[key].as_str().map(String::from);
        let whole = |value: &Value| value.as_u64().map(|n| n as usize);
        let range = |part: &str| {
            let part = &entry["split"][part];
            Some(whole(&part[0])?..whole(&part[1])?)
        };
        let categorical = entry["categorical"].as_array().into_iter().flatten();
        Some(Set {
            name: text("name")?,
            file: folder.join(text("file")?),
            target: text("target")?,
            task: text("task"),
            categorical: categorical.filter_map(|c| c.as_str().map(String::from)).collect(),
            split: range("train").zip(range("test")),
            n_rows: whole(&entry["rows"]),
        })
    }

    /// Reads it as rows of classes. `aloud`: says what was read. A target of numbers is an error: each
    /// of them would be a class.
    pub fn load(&self, threads: usize, aloud: bool) -> Result<Dataset> {
        if let Some(task) = self.task.as_deref().filter(|task| NO_CLASSES.contains(task)) {
            return Err(self.no_classes().fact(format!("index.json says that its task is {task}")));
        }
        let categorical = self.categorical.iter().filter(|c| **c != self.target).cloned();
        let options =
            ReadOptions { categorical: categorical.collect(), threads, ..Default::default() };
        let frame = match aloud {
            true => source::load(&self.file, &options)?,
            false => weald_io::read(&self.file, &options).map_err(|e| source::read_failure(&e))?,
        };
        if frame.table.position(&self.target).is_none() {
            let names: Vec<&str> = frame.table.names().collect();
            let headline = format!("there is no column {} to predict", quoted(&self.target));
            return Err(Failure::new(Kind::Data, headline)
                .at(self.file.display().to_string())
                .fact(format!("the columns are {}", dataset::listed(&names)))
                .help("is this the right table?"));
        }
        // A set that says nothing of its task has what its values say.
        let task = self.task.is_some().then_some(TaskArgument::Classification);
        let roles = Roles {
            weight: None,
            group: None,
            offset: None,
            drop: &[],
            task,
            drop_missing_target: false,
        };
        let target = std::slice::from_ref(&self.target);
        let data = dataset::assemble(&frame, &self.file, target, &Expected::Task(task), &roles)?;
        match data.target {
            Target::Classes(_) => Ok(data),
            _ => Err(self
                .no_classes()
                .help("if they are classes, say so in index.json: \"task\": \"multiclass\"")),
        }
    }

    fn no_classes(&self) -> Failure {
        let (name, target) = (quoted(&self.name), quoted(&self.target));
        Failure::new(Kind::Data, format!("{name} has numbers to predict ({target}), not classes"))
            .at(self.file.display().to_string())
    }

    /// The rows to train on and those to test on, if the set says so.
    pub fn parts(&self, data: &Dataset) -> Result<Option<(Vec<usize>, Vec<usize>)>> {
        let Some((train, test)) = &self.split else { return Ok(None) };
        let n = data.n_rows();
        if train.is_empty() || test.is_empty() || train.end.max(test.end) > n {
            let headline = format!("the split of {} does not fit its {n} rows", quoted(&self.name));
            return Err(Failure::new(Kind::Data, headline).at(self.file.display().to_string()));
        }
        Ok(Some((train.clone().collect(), test.clone().collect())))
    }
}
