//! Running the program in a folder of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that goes away with it.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let name = format!("weald-cli-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Where a file of the folder is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Copies a table that comes with the repository, so that messages name it briefly.
    pub fn copy_example(&self, name: &str) {
        std::fs::copy(example(name), self.path(name)).unwrap();
    }

    /// Reads a file as text.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program, about to run in the folder, without the tester's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weald"));
        command.args(arguments).current_dir(&self.0);
        for name in
            ["COLUMNS", "NO_COLOR", "WEALD_DATA", "WEALD_THREADS", "WEALD_SIMD", "RUST_BACKTRACE"]
        {
            command.env_remove(name);
        }
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Done {
        Done::from(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs the program with `input` on standard input.
    pub fn pipe(&self, arguments: &[&str], input: &[u8]) -> Done {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Done::from(output)
    }

    /// Trains a tree called `m.weald` on an example table; quick, and the same each time.
    pub fn trained(&self, data: &str, target: &str) -> Done {
        let file = example(data);
        let train = ["train", file.to_str().unwrap(), "-t", target, "-m", "decision-tree"];
        let done = self.run(&[&train[..], &["-o", "m.weald"]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        done
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a run left behind.
pub struct Done {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Done {
        Done {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A table that comes with the repository.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name).canonicalize().unwrap()
}

/// `text` with every number as `#`, digits of names such as `F1` kept: for snapshots of words.
pub fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let starts = c.is_ascii_digit() && !before.is_alphanumeric();
        if starts {
            while characters.peek().is_some_and(|c| c.is_ascii_digit() || ".,".contains(*c)) {
                characters.next();
            }
            out.push('#');
            before = '#';
        } else {
            out.push(c);
            before = c;
        }
    }
    out
}
