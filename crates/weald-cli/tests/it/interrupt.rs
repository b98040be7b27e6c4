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

/// Trains, sends SIGINT `delay` after the fit began, and returns the exit code, what stood on
/// standard error since, and how long the program took to end.
#[cfg(unix)]
fn interrupted(folder: &Folder, delay: Duration) -> (Option<i32>, String, Duration) {
    let tree = ["train", "noise.csv", "-t", "y", "-m", "decision-tree"];
    let mut child = folder
        .command(&[&tree[..], &["--threads", "1", "-o", "m.weald"]].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("fitting") {
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
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    (code, rest, took)
}

#[cfg(unix)]
#[test]
fn the_first_ctrl_c_keeps_a_partial_model() {
    let folder = Folder::new();
    noise(&folder);
    // How far a fit is after a while depends on the machine: too early there is nothing to keep
    // yet, too late it is done. One of these moments is in between.
    for milliseconds in [200, 300, 150, 400, 100, 600, 50, 900, 25, 1500] {
        let (code, rest, took) = interrupted(&folder, Duration::from_millis(milliseconds));
        assert!(took < Duration::from_secs(20), "{took:?}");
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
