//! A tree as a drawing.
//!
//! Leaves stand evenly spaced in a row of columns, parents centred over their children. A box
//! says what its node predicts, how much of the training weight came there, and what it asks;
//! "yes" is always the left branch. Long names are cut and stand whole in the tooltip.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::colour::hue;
use super::sketch::{Shown, Sketch};
use super::words::{number, percent};
use crate::terminal::{clean, fit};

/// Width of a character of the body text, about, in pixels.
const CHARACTER: f64 = 7.3;
/// Height of a line of text.
const LINE: f64 = 17.0;
/// Space inside a box, left and right.
const PADDING: f64 = 10.0;
/// Space between boxes of one row.
const GAP: f64 = 22.0;
/// Space between rows, for the edges and their labels.
const DROP: f64 = 52.0;
/// Space around the drawing.
const MARGIN: f64 = 20.0;
/// Characters that a box's line may have.
const LONGEST: usize = 34;
/// Classes whose colours are explained.
const LEGEND: usize = 10;

/// The tree as an SVG document.
pub fn svg(sketch: &Sketch, title: &str) -> String {
    let frame = Frame::of(sketch, title);
    let mut out = String::new();
    let (width, height) = (frame.width, frame.height);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        escaped(title)
    );
    heading(&mut out, sketch, title, &frame);
    out.push_str("<g stroke=\"#9a9a9a\" stroke-width=\"1.5\" fill=\"none\">\n");
    for (at, node) in sketch.nodes.iter().enumerate() {
        if let Some((left, right)) = node.children {
            edge(&mut out, sketch, &frame, at, left);
            edge(&mut out, sketch, &frame, at, right);
        }
    }
    out.push_str("</g>\n");
    for (at, node) in sketch.nodes.iter().enumerate() {
        if let Some((left, right)) = node.children {
            edge_label(&mut out, sketch, &frame, at, left, "yes");
            edge_label(&mut out, sketch, &frame, at, right, "no");
        }
        draw_box(&mut out, node, at, &frame);
    }
    out.push_str("</svg>\n");
    out
}

/// Where everything stands.
struct Frame {
    /// The middle of each node's box.
    centres: Vec<f64>,
    box_width: f64,
    /// The height of each node's box.
    heights: Vec<f64>,
    /// From the top of a row to the top of the next.
    pitch: f64,
    /// Where the first row begins.
    first_row: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn of(sketch: &Sketch, title: &str) -> Frame {
        let longest = sketch.nodes.iter().flat_map(lines).map(|l| l.width()).max().unwrap_or(1);
        let box_width = longest.clamp(10, LONGEST) as f64 * CHARACTER + 2.0 * PADDING;
        let bar = if sketch.classes.is_empty() { 0.0 } else { 9.0 };
        let height = |node: &Shown| lines(node).len() as f64 * LINE + 12.0 + bar;
        let heights: Vec<f64> = sketch.nodes.iter().map(height).collect();
        let inner = |(node, height): (&Shown, &f64)| node.children.map(|_| *height);
        let pitch = sketch.nodes.iter().zip(&heights).filter_map(inner).fold(0.0, f64::max) + DROP;
        let first_row = MARGIN + if sketch.classes.is_empty() { 34.0 } else { 56.0 };
        let (centres, n_places) = places(sketch);
        let bottom = |(node, height): (&Shown, &f64)| node.depth as f64 * pitch + height;
        let bottom = sketch.nodes.iter().zip(&heights).map(bottom).fold(0.0, f64::max);
        let drawing = n_places as f64 * (box_width + GAP) - GAP + 2.0 * MARGIN;
        let words = fit(title, 80).width() as f64 * 9.0 + 2.0 * MARGIN;
        let width = drawing.max(words).max(360.0);
        let shift = (width - drawing) / 2.0 + MARGIN + box_width / 2.0;
        let centres = centres.into_iter().map(|c| c * (box_width + GAP) + shift).collect();
        let height = first_row + bottom + MARGIN;
        Frame { centres, box_width, heights, pitch, first_row, width, height }
    }

    fn top(&self, depth: usize) -> f64 {
        self.first_row + depth as f64 * self.pitch
    }
}

/// The column of each node, counted in boxes, and how many columns there are: shown leaves from
/// left to right, parents in the middle of their children.
fn places(sketch: &Sketch) -> (Vec<f64>, usize) {
    let mut columns = vec![0.0; sketch.nodes.len()];
    let mut n_places = 0;
    for (at, node) in sketch.nodes.iter().enumerate() {
        if node.children.is_none() {
            columns[at] = n_places as f64;
            n_places += 1;
        }
    }
    // Children stand after their parents.
    for at in (0..sketch.nodes.len()).rev() {
        if let Some((left, right)) = sketch.nodes[at].children {
            columns[at] = (columns[left] + columns[right]) / 2.0;
        }
    }
    (columns, n_places)
}

/// What stands in a box, uncut.
fn lines(node: &Shown) -> Vec<String> {
    let mut lines = vec![clean(&node.answer)];
    lines.push(format!("{} of weight, {}", percent(node.share), number(node.weight)));
    if let Some(question) = &node.question {
        lines.push(format!("{}?", clean(question)));
    }
    if node.hidden > 0 {
        lines.push(format!("… {} more nodes", node.hidden));
    }
    lines
}

/// The title and, for classes, what the colours mean.
fn heading(out: &mut String, sketch: &Sketch, title: &str, frame: &Frame) {
    let y = MARGIN + 12.0;
    let _ = writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"16\" font-weight=\"bold\">{}</text>",
        escaped(&fit(title, 80))
    );
    let mut x = MARGIN;
    let y = MARGIN + 26.0;
    for (i, (class, colour)) in sketch.classes.iter().enumerate() {
        let name = fit(class, 20);
        let needed = 18.0 + name.width() as f64 * CHARACTER + 14.0;
        if i == LEGEND || x + needed > frame.width - 80.0 {
            let more = sketch.classes.len() - i;
            let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{}\">… {more} more</text>", y + 11.0);
            break;
        }
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{}\">{}</text>",
            x + 18.0,
            y + 11.0,
            escaped(&name)
        );
        x += needed;
    }
}

fn edge(out: &mut String, sketch: &Sketch, frame: &Frame, parent: usize, child: usize) {
    let (x0, x1) = (frame.centres[parent], frame.centres[child]);
    let depth = sketch.nodes[parent].depth;
    let y0 = frame.top(depth) + frame.heights[parent];
    let y1 = frame.top(depth + 1);
    let middle = y0 + (y1 - y0) * 0.45;
    let _ = writeln!(
        out,
        "<path d=\"M{x0:.1} {y0:.1}C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}\"/>"
    );
}

fn edge_label(
    out: &mut String,
    sketch: &Sketch,
    frame: &Frame,
    parent: usize,
    child: usize,
    word: &str,
) {
    let missing = if sketch.nodes[child].takes_missing { ", missing" } else { "" };
    let x = frame.centres[child];
    let y = frame.top(sketch.nodes[parent].depth + 1) - 8.0;
    let (anchor, x) = if word == "yes" { ("end", x - 6.0) } else { ("start", x + 6.0) };
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"11\" fill=\"#555\" \
         text-anchor=\"{anchor}\">{word}{missing}</text>"
    );
}

fn draw_box(out: &mut String, node: &Shown, at: usize, frame: &Frame) {
    let (centre, top) = (frame.centres[at], frame.top(node.depth));
    let left = centre - frame.box_width / 2.0;
    let lines = lines(node);
    let whole = if node.condition.is_empty() {
        lines.join("\n")
    } else {
        format!("{}\n{}", clean(&node.condition), lines.join("\n"))
    };
    let leaf = node.question.is_none();
    let (border, thick) = if leaf { ("#333333", 1.6) } else { ("#9a9a9a", 1.0) };
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
         height=\"{:.1}\" rx=\"7\" fill=\"{}\" stroke=\"{border}\" stroke-width=\"{thick}\"/>",
        escaped(&whole),
        frame.box_width,
        frame.heights[at],
        node.colour
    );
    for (i, line) in lines.iter().enumerate() {
        let y = top + 5.0 + LINE * (i as f64 + 0.8);
        let style = match i {
            0 => " font-weight=\"bold\"",
            1 => " font-size=\"11\" fill=\"#444\"",
            _ if line.starts_with('…') => " font-style=\"italic\"",
            _ => "",
        };
        let _ = writeln!(
            out,
            "<text x=\"{centre:.1}\" y=\"{y:.1}\" text-anchor=\"middle\"{style}>{}</text>",
            escaped(&fit(line, LONGEST))
        );
    }
    bar(out, node, left, top + frame.heights[at], frame);
    out.push_str("</g>\n");
}

/// The shares of the classes, side by side along the bottom of a box.
fn bar(out: &mut String, node: &Shown, left: f64, bottom: f64, frame: &Frame) {
    let width = frame.box_width - 2.0 * PADDING;
    let y = bottom - 13.0;
    let mut x = left + PADDING;
    for (class, share) in node.classes.iter().enumerate() {
        let length = share * width;
        if length >= 0.5 {
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"6\" fill=\"{}\"/>",
                hue(class)
            );
        }
        x += length;
    }
    if !node.classes.is_empty() {
        out.push('\n');
    }
}

/// Text between tags or inside quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sketch::tests::example;
    use super::*;

    #[test]
    fn parents_stand_in_the_middle_of_their_children() {
        let (columns, n_places) = places(&Sketch::new(&example(), 9));
        assert_eq!(columns, [0.75, 0.0, 1.5, 1.0, 2.0]);
        assert_eq!(n_places, 3);
    }

    #[test]
    fn names_are_escaped() {
        let drawing = svg(&Sketch::new(&example(), 9), "a <b> & \"c\"");
        assert!(drawing.contains("a &lt;b&gt; &amp; &quot;c&quot;"), "{drawing}");
        assert!(drawing.contains("brand in {A&amp;B, C&quot;}?"), "{drawing}");
        assert_eq!(drawing.matches("<path").count(), 4);
        assert_eq!(drawing.matches("<g").count(), drawing.matches("</g>").count());
    }

    #[test]
    fn no_box_leaves_the_drawing() {
        let sketch = Sketch::new(&example(), 9);
        let frame = Frame::of(&sketch, "t");
        for (at, node) in sketch.nodes.iter().enumerate() {
            assert!(frame.centres[at] - frame.box_width / 2.0 >= 0.0);
            assert!(frame.centres[at] + frame.box_width / 2.0 <= frame.width);
            assert!(frame.top(node.depth) + frame.heights[at] <= frame.height);
        }
    }
}
