//! Harrell's concordance index (Harrell, Lee & Mark 1996): how often the row with the higher hazard
//! has its event first.
//!
//! A positive truth is the time of an event, another the time until which none was seen. A pair
//! counts if the earlier of the two times is an event; at equal times, if one is an event and the
//! other is not. Equal hazards count half. Rows are paired in proportion to their weights. NaN if
//! no pair counts.

use super::judged::Judged;
use super::sum::Sum;

pub(super) fn concordance(judged: &Judged<'_, f64>) -> f64 {
    let mut rows: Vec<Row> = judged
        .rows()
        .map(|(scores, truth, weight)| Row {
            time: truth.abs(),
            is_event: truth > 0.0,
            hazard: scores[0],
            weight,
        })
        .collect();
    let mut hazards: Vec<f64> = rows.iter().map(|r| r.hazard).collect();
    hazards.sort_unstable_by(f64::total_cmp);
    hazards.dedup();
    // The longest times first, and of equal times those that were not seen to end.
    rows.sort_by(|a, b| b.time.total_cmp(&a.time).then(a.is_event.cmp(&b.is_event)));
    let mut outlived = Weighed::new(hazards.len());
    let (mut won, mut all) = (Sum::default(), Sum::default());
    for tie in rows.chunk_by(|a, b| a.time == b.time && a.is_event == b.is_event) {
        let place = |row: &Row| hazards.partition_point(|h| *h < row.hazard);
        for row in tie.iter().filter(|row| row.is_event) {
            let (lower, equal) = (outlived.below(place(row)), outlived.at[place(row)]);
            won.add(row.weight * (lower + equal / 2.0));
            all.add(row.weight * outlived.total);
        }
        tie.iter().for_each(|row| outlived.add(place(row), row.weight));
    }
    won.value() / all.value()
}

struct Row {
    time: f64,
    is_event: bool,
    hazard: f64,
    weight: f64,
}

/// Weights by place, and their sums from the first place on (a Fenwick tree).
struct Weighed {
    at: Vec<f64>,
    sums: Vec<f64>,
    total: f64,
}

impl Weighed {
    fn new(n: usize) -> Weighed {
        Weighed { at: vec![0.0; n], sums: vec![0.0; n + 1], total: 0.0 }
    }

    fn add(&mut self, place: usize, weight: f64) {
        self.at[place] += weight;
        self.total += weight;
        let mut node = place + 1;
        while node < self.sums.len() {
            self.sums[node] += weight;
            node += node & node.wrapping_neg();
        }
    }

    /// The weight at the places before this one.
    fn below(&self, place: usize) -> f64 {
        let (mut sum, mut node) = (0.0, place);
        while node > 0 {
            sum += self.sums[node];
            node &= node - 1;
        }
        sum
    }
}
