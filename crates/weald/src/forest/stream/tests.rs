//! Tests of trees whose rows come and go.

mod exactness;
mod invariants;
