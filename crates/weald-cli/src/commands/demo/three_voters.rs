//! Three voters: when a vote errs less than each of them, and when it errs more.

use serde_json::{Value, json};
use weald::base::half_plane::HalfPlane;
use weald::data::{Column, Table, Target};
use weald::ensemble::{Combiner, Ensemble};
use weald::model::Model;

use super::boosting::CLASSES;
use crate::failure::{Failure, Result};
use crate::output::{print, print_json};
use crate::say::count;
use crate::tables::{show, table, word};
use crate::terminal::{width, wrap};

/// A row in each of the four regions where errors overlap, and who is wrong there.
const OVERLAPPING: &[[bool; 3]] =
    &[[true, true, false], [true, false, true], [false, true, true], [true, true, true]];
/// As many errors of each voter, no two on one row.
const APART: &[[bool; 3]] = &[
    [true, false, false],
    [true, false, false],
    [true, false, false],
    [false, true, false],
    [false, true, false],
    [false, true, false],
    [false, false, true],
    [false, false, true],
    [false, false, true],
];

/// Votes twice, and tells who was wrong.
pub fn run(as_json: bool) -> Result<()> {
    let together = Vote::held(OVERLAPPING).map_err(Failure::library)?;
    let apart = Vote::held(APART).map_err(Failure::library)?;
    if as_json {
        let (together, apart) = (together.as_json(), apart.as_json());
        return print_json(
            &json!({ "demo": "three-voters", "overlapping": together, "apart": apart }),
        );
    }
    let first = "Three voters whose errors overlap: one row in each of the four regions where two \
                 of them or all three are wrong.";
    let second = "The same number of errors, but no two on one row.";
    let text = [(first, together), (second, apart)].map(|(words, vote)| vote.text(words));
    print(&text.join("\n"))
}

/// Who was wrong on which row: each of the voters, and the vote of all.
struct Vote {
    wrong: Vec<Vec<bool>>,
}

impl Vote {
    /// All rows are of the class `+`. A voter sees one column and says `+` where it is above 0.
    fn held(wrong: &[[bool; 3]]) -> weald::Result<Vote> {
        let column = |voter: usize| {
            let says = wrong.iter().map(|row| if row[voter] { -1.0 } else { 1.0 });
            (format!("voter {}", voter + 1), Column::numeric(says.collect()))
        };
        let table = Table::new((0..3).map(column).collect())?;
        let target = Target::classes(vec![1; wrong.len()], CLASSES.map(String::from).into())?;
        let voter = |at| HalfPlane::new((&table, &target), (at, 0.0), 1);
        let voters = (0..3).map(voter).collect::<weald::Result<Vec<_>>>()?;
        let is_wrong = |model: &dyn Model| -> weald::Result<Vec<bool>> {
            Ok(model.scores(&table)?.classes().iter().map(|&class| class != 1).collect())
        };
        let mut all = voters.iter().map(|v| is_wrong(v)).collect::<weald::Result<Vec<_>>>()?;
        all.push(is_wrong(&Ensemble::new(voters, vec![1.0; 3], Combiner::Vote)?)?);
        Ok(Vote { wrong: all })
    }

    fn errors(&self) -> Vec<usize> {
        self.wrong.iter().map(|rows| rows.iter().filter(|&&wrong| wrong).count()).collect()
    }

    fn text(&self, words: &str) -> String {
        let mut list = table(&["row", "voter 1", "voter 2", "voter 3", "vote"]);
        for row in 0..self.wrong[0].len() {
            let says = self.wrong.iter().map(|who| word(if who[row] { "wrong" } else { "right" }));
            list.add_row([word_of(&(row + 1))].into_iter().chain(says));
        }
        let errors = self.errors();
        list.add_row([word("errors")].into_iter().chain(errors.iter().map(word_of)));
        let (voter, vote) = (errors[0], errors[3]);
        let verdict = match vote.cmp(&voter) {
            std::cmp::Ordering::Greater => "voting hurts",
            std::cmp::Ordering::Less => "voting helps",
            std::cmp::Ordering::Equal => "voting changes nothing",
        };
        let each = count(voter, "row", "rows");
        let last = format!("Each voter errs on {each}, the vote on {vote}: {verdict}.");
        let lines = |text: &str| wrap(text, width()).join("\n");
        format!("{}\n\n{}\n{}\n", lines(words), show(&list), lines(&last))
    }

    fn as_json(&self) -> Value {
        let errors = self.errors();
        let (vote, voters) = (&self.wrong[3], &self.wrong[..3]);
        json!({
            "n_rows": vote.len(),
            "voters": voters.iter().zip(&errors)
                .map(|(wrong, n)| json!({ "wrong": wrong, "n_errors": n }))
                .collect::<Vec<_>>(),
            "vote": { "wrong": vote, "n_errors": errors[3] },
        })
    }
}

fn word_of(n: &usize) -> comfy_table::Cell {
    word(&n.to_string())
}
