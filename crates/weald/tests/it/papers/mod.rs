//! Algorithms written out line by line as in their papers, and worked numbers.

mod goss;
mod gradient_boosting;
mod islr;
