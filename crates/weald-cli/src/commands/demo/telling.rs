//! A worked example of boosting in words and tables.

use std::fmt::Write as _;

use super::boosting::{CLASSES, Example, Step, Story};
use crate::picture::number;
use crate::tables::{figure, show, table, word};
use crate::terminal::{width, wrap};

/// Up to so many hypotheses are listed in each round; of more, the best.
const FEW: usize = 8;

/// The whole example.
pub fn text(example: &Example, story: &Story) -> String {
    let mut out = paragraph(example.about);
    out += "\n";
    if !example.picture.is_empty() {
        out += &format!("{}\n", example.picture);
    }
    out += &points(example, story);
    for (index, step) in story.steps.iter().enumerate() {
        out += &format!("\nRound {}\n\n", index + 1);
        out += &candidates(example, step);
        out += "\n";
        out += &weights(story, step);
        let round = &step.round;
        out += "\n";
        for line in [
            format!("epsilon = {}", with_fraction(round.error)),
            format!("alpha = 1/2 ln((1 - epsilon)/epsilon) = {}", four(round.coefficient)),
            format!("Z = 2 sqrt(epsilon (1 - epsilon)) = {}", four(round.normaliser)),
        ] {
            out += &paragraph(&line);
        }
    }
    out + &end(story)
}

fn points(example: &Example, story: &Story) -> String {
    let names: Vec<&str> = example.table.names().collect();
    let mut list = table(&[]);
    let headings = [word("point")].into_iter().chain(names.into_iter().map(figure));
    list.set_header(headings.chain([word("class")]));
    for row in 0..story.classes.len() {
        let values = example.point(row).into_iter().map(|x| figure(number(x)));
        let class = word(CLASSES[story.classes[row] as usize]);
        list.add_row([word(&point(row))].into_iter().chain(values).chain([class]));
    }
    show(&list)
}

/// The hypotheses of a round with their errors.
fn candidates(example: &Example, step: &Step) -> String {
    let n = example.list.len();
    let mut list = table(&[]);
    list.set_header([word("hypothesis"), word("says + where"), figure("error"), word("")]);
    let mut out = String::new();
    let listed: Vec<usize> = match n {
        0..=FEW => (0..n).collect(),
        _ => {
            out += &paragraph(&format!("The best of {n} half-planes:"));
            step.best.clone()
        }
    };
    for at in listed {
        let mark = match (at == step.taken, step.best.contains(&at)) {
            (true, _) => "best, taken",
            (_, true) => "best",
            _ => "",
        };
        let rule = example.rule(&example.list[at]);
        let error = figure(four(step.errors[at]));
        list.add_row([word(&hypothesis(at)), word(&rule), error, word(mark)]);
    }
    out + &show(&list)
}

/// The weights of a round, before and after.
fn weights(story: &Story, step: &Step) -> String {
    let mut list = table(&[]);
    let says = format!("{} says", hypothesis(step.taken));
    let headings = [word("point"), word("class"), figure("weight"), word(&says)];
    list.set_header(headings.into_iter().chain([figure("new weight")]));
    for (row, &class) in story.classes.iter().enumerate() {
        let said = CLASSES[step.says[row] as usize];
        let said = if step.says[row] == class { said.into() } else { format!("{said} wrong") };
        list.add_row([
            word(&point(row)),
            word(CLASSES[class as usize]),
            figure(four(step.before[row])),
            word(&said),
            figure(four(step.after[row])),
        ]);
    }
    show(&list)
}

/// What has become of it.
fn end(story: &Story) -> String {
    let n = story.steps.len();
    let mut sum = String::new();
    for step in &story.steps {
        let plus = if sum.is_empty() { "" } else { " + " };
        let _ = write!(sum, "{plus}{} {}", four(step.round.coefficient), hypothesis(step.taken));
    }
    let mut out = format!("\nAfter {n} rounds\n\n");
    out += &paragraph(&format!("H = sign({sum})"));
    let mut list = table(&[]);
    list.set_header([
        word("point"),
        word("class"),
        figure("score"),
        word("H says"),
        figure("margin"),
    ]);
    for (row, &class) in story.classes.iter().enumerate() {
        list.add_row([
            word(&point(row)),
            word(CLASSES[class as usize]),
            figure(format!("{:+.4}", story.scores[row])),
            word(CLASSES[story.says[row] as usize]),
            figure(four(story.margins[row])),
        ]);
    }
    out += &format!("\n{}\n", show(&list));
    let least = story.margins.iter().copied().fold(f64::INFINITY, f64::min);
    let mut facts = table(&[]);
    for (what, value) in [
        ("training errors", format!("{} of {}", story.n_errors(), story.classes.len())),
        ("smallest margin", four(least)),
        ("product of Z, which bounds the training error", four(story.product_of_z())),
        ("exp(-2 sum of gamma²), gamma = 1/2 - epsilon", four(story.edge_bound())),
    ] {
        facts.add_row([word(what), figure(value)]);
    }
    out + show(&facts).trim_start_matches('\n')
}

fn point(row: usize) -> String {
    format!("z{}", row + 1)
}

fn hypothesis(at: usize) -> String {
    format!("h{}", at + 1)
}

fn paragraph(text: &str) -> String {
    wrap(text, width()).join("\n") + "\n"
}

/// Four decimals.
fn four(x: f64) -> String {
    format!("{x:.4}")
}

/// Four decimals, after the fraction that the number is, if it is one of small numbers.
fn with_fraction(x: f64) -> String {
    let is_over = |&below: &u32| {
        let above = x * f64::from(below);
        (above - above.round()).abs() < 1e-6 && above.round() > 0.0
    };
    match (2..100).find(is_over) {
        Some(below) => format!("{}/{below} = {}", (x * f64::from(below)).round(), four(x)),
        None => four(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_small_numbers_are_spelled_out() {
        assert_eq!(with_fraction(3.0 / 14.0 + 1e-10), "3/14 = 0.2143");
        assert_eq!(with_fraction(0.5), "1/2 = 0.5000");
        assert_eq!(with_fraction(0.0), "0.0000");
        assert_eq!(with_fraction(std::f64::consts::FRAC_1_PI), "0.3183");
    }
}
