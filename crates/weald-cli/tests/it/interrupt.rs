//! Ctrl-C during a long fit: what there is is kept.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::Folder;

/// A table whose unpruned tree takes long: many rows, and a target that is noise.
fn noise(folder: &Folder) {
    let mut state = 1u64;
    let mut draw = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 44
    };
    let mut text = String::from("a,b,c,d,e,f,g,h,i,j,k,l,y\n");
    for _ in 0..300_000 {
        for _ in 0..12 {
            text += &draw().to_string();
            text.push(',');
        }
        text += if draw() % 2 == 0 { "no\n" } else { "yes\n" };
    }
    folder.write("noise.csv", text);
}

/// What became of a program that was interrupted.
#[cfg(unix)]
struct Interrupted {
    code: Option<i32>,
    stdout: String,
    /// What stood on standard error after the signal.
    rest: String,
    took: Duration,
}

/// Runs the program, sends SIGINT `delay` after it told that it begins, and waits for its end.
#[cfg(unix)]
fn interrupted(folder: &Folder, arguments: &[&str], delay: Duration) -> Interrupted {
    let mut child = folder
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("fitting") && !line.starts_with("comparing") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "the program ended early");
    }
    std::thread::sleep(delay);
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap();
    assert!(sent.success());
    let start = Instant::now();
    let code = child.wait().unwrap().code();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    let (mut rest, mut stdout) = (String::new(), String::new());
    stderr.read_to_string(&mut rest).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    Interrupted { code, stdout, rest, took }
}

/// How far a fit is after a while depends on the machine: too early there is nothing to keep yet,
/// too late it is done. One of these moments is in between.
const MOMENTS: [u64; 10] = [200, 300, 150, 400, 100, 600, 50, 900, 25, 1500];

#[cfg(unix)]
#[test]
fn the_first_ctrl_c_keeps_a_partial_model() {
    let folder = Folder::new();
    noise(&folder);
    let tree = ["train", "noise.csv", "-t", "y", "-m", "decision-tree"];
    let arguments = [&tree[..], &["--threads", "1", "-o", "m.weald"]].concat();
    for milliseconds in MOMENTS {
        let Interrupted { code, rest, .. } =
            interrupted(&folder, &arguments, Duration::from_millis(milliseconds));
        let has_model = folder.path("m.weald").is_file();
        match code {
            Some(130) if rest.contains("there was a model to keep") => {
                assert!(!has_model, "{rest}")
            }
            Some(130) if rest.contains("nothing was written") => {}
            Some(130) if rest.contains("is whole") => assert!(has_model, "{rest}"),
            Some(130) => {
                assert!(rest.contains("press Ctrl-C again"), "{rest}");
                assert!(rest.contains("the model in m.weald is partial"), "{rest}");
                assert_eq!(folder.run(&["inspect", "m.weald"]).code, 0);
                return;
            }
            Some(0) => assert!(has_model, "{rest}"),
            other => panic!("{other:?}: {rest}"),
        }
        let _ = std::fs::remove_file(folder.path("m.weald"));
    }
    panic!("no moment of the fit could be interrupted");
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_tells_what_it_has() {
    let folder = Folder::new();
    noise(&folder);
    // The stump is done soon, the forest never.
    let arguments = ["compare", "noise.csv", "-t", "y", "--methods", "stump,random-forest"];
    let arguments = [&arguments[..], &["--threads", "1", "--set", "n_trees=100000"]].concat();
    for milliseconds in [2000, 4000, 1000, 8000, 500, 16_000] {
        let Interrupted { code, stdout, rest, .. } =
            interrupted(&folder, &arguments, Duration::from_millis(milliseconds));
        assert_eq!(code, Some(130), "{rest}");
        assert!(rest.contains("press Ctrl-C again"), "{rest}");
        if rest.contains("stopped before any method was measured") {
            assert_eq!(stdout, "");
            continue;
        }
        let told = "1 of 3 methods were measured, on the first fold alone";
        assert!(rest.contains(told) && rest.contains("run the same command again"), "{rest}");
        assert!(stdout.contains("stump") && !stdout.contains("random-forest"), "{stdout}");
        return;
    }
    panic!("the stump was never measured");
}

#[cfg(unix)]
#[test]
fn interrupted_stacking_ends_soon_and_leaves_no_half_model() {
    let folder = Folder::new();
    noise(&folder);
    let arguments = ["train", "noise.csv", "-t", "y", "-m", "stacking", "-o", "m.weald"];
    let members = ["--set", "members=logistic-regression,random-forest", "--threads", "1"];
    let long = ["--set", "random-forest.n_trees=100000"];
    let arguments = [&arguments[..], &members, &long].concat();
    for milliseconds in [100, 1000, 4000] {
        let Interrupted { code, rest, took, .. } =
            interrupted(&folder, &arguments, Duration::from_millis(milliseconds));
        assert_eq!(code, Some(130), "{rest}");
        assert!(rest.contains("press Ctrl-C again"), "{rest}");
        assert!(rest.contains("there was a model to keep"), "{took:?}: {rest}");
        assert!(!folder.path("m.weald").exists(), "{rest}");
    }
}
