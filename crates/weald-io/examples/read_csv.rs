//! Reads a file as often as asked and prints the time as JSON:
//! `read_csv data.csv [threads] [repetitions]`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use weald_io::{ReadOptions, read};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: read_csv <path> [threads] [repetitions]");
        return ExitCode::from(2);
    };
    let mut number = |default| arguments.next().and_then(|a| a.parse().ok()).unwrap_or(default);
    let options = ReadOptions { threads: number(0), ..ReadOptions::default() };
    for _ in 0..number(1) {
        let start = Instant::now();
        match read(Path::new(&path), &options) {
            Ok(frame) => {
                let seconds = start.elapsed().as_secs_f64();
                let (rows, columns) = (frame.table.n_rows(), frame.table.n_columns());
                println!("{{\"seconds\":{seconds},\"rows\":{rows},\"columns\":{columns}}}");
            }
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::from(if error.is_io() { 5 } else { 3 });
            }
        }
    }
    ExitCode::SUCCESS
}
