"""A tree laid out for drawing: where its nodes stand, and what they say.

The root is on the left and rows go to the right: text runs that way too, so that deep trees stay
readable. What is cut off is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from ._words import number, shortened

MOST_ENDS = 40
"""How many nodes without children are drawn, if nothing else is asked for."""


class Node(TypedDict):
    """A node of a tree, as the extension lists them in pre-order."""

    feature: str | None
    """The column that it splits on; None in a leaf, which has no children."""
    left: NotRequired[int]
    right: NotRequired[int]
    threshold: NotRequired[float]
    """Rows with a number below go left."""
    levels: NotRequired[list[str]]
    """The levels that go left, of a split on categories."""
    missing_left: NotRequired[bool]
    value: list[float] | None
    """What it says: a probability for each class, or numbers; None where that is not kept."""
    weight: float | None
    """What the training rows in it weigh; None where that is not kept."""
    gain: float | None
    """What the split improves; None in a leaf and where that is not kept."""


@dataclass
class Spot:
    """A node with its place."""

    node: int
    depth: int
    height: float = 0.0
    """How far down it stands, in ends."""
    children: list[Spot] = field(default_factory=list)
    n_hidden: int = 0
    """Nodes below it that are not drawn."""


@dataclass(frozen=True)
class Sketch:
    """A tree with a place for each node that is drawn, in pre-order."""

    spots: list[Spot]
    n_ends: int
    depth: int
    n_hidden: int


def sketch(nodes: Sequence[Node], max_depth: int | None = None) -> Sketch:
    """Lay out a tree; without a depth, as much of it as can be read."""
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth is {max_depth}; expected a depth from 0, or None")
    depth = _readable_depth(nodes) if max_depth is None else max_depth
    spots: list[Spot] = []
    n_ends = 0
    waiting: list[tuple[int, int, Spot | None]] = [(0, 0, None)]
    while waiting:
        node, at, parent = waiting.pop()
        spot = Spot(node, at)
        spots.append(spot)
        if parent is not None:
            parent.children.append(spot)
        if _is_leaf(nodes[node]) or at >= depth:
            spot.height = float(n_ends)
            n_ends += 1
            spot.n_hidden = 0 if _is_leaf(nodes[node]) else _n_below(nodes, node)
            continue
        waiting += [(nodes[node]["right"], at + 1, spot), (nodes[node]["left"], at + 1, spot)]
    for spot in reversed(spots):  # children stand after their parents
        if spot.children:
            spot.height = sum(child.height for child in spot.children) / len(spot.children)
    n_hidden = sum(spot.n_hidden for spot in spots)
    return Sketch(spots, n_ends, max(spot.depth for spot in spots), n_hidden)


def _is_leaf(node: Node) -> bool:
    return node["feature"] is None


def _readable_depth(nodes: Sequence[Node]) -> int:
    """The depth to which a tree has no more ends than can be read."""
    depth, n_leaves, level = 0, 0, [0]
    while level and n_leaves + len(level) <= MOST_ENDS:
        n_leaves += sum(_is_leaf(nodes[node]) for node in level)
        inner = [nodes[node] for node in level if not _is_leaf(nodes[node])]
        level = [child for node in inner for child in (node["left"], node["right"])]
        depth += 1
    return max(depth - 1, 0)


def _n_below(nodes: Sequence[Node], node: int) -> int:
    found, waiting = 0, [node]
    while waiting:
        at = nodes[waiting.pop()]
        if not _is_leaf(at):
            found += 2
            waiting += [at["left"], at["right"]]
    return found


def question(node: Node) -> str:
    """What a split asks; rows for which it is true go left."""
    name = shortened(str(node["feature"]), 24)
    levels = node.get("levels")
    if levels:
        if len(levels) == 1:
            return f"{name} is {shortened(levels[0], 20)}"
        shown = ", ".join(shortened(level, 10) for level in levels[:2])
        more = f" + {len(levels) - 2} more" if len(levels) > 2 else ""
        return f"{name} in {shown}{more}"
    if _asks_for_missing(node):
        return f"{name} is missing"
    return f"{name} < {number(node['threshold'])}"


def answers(node: Node) -> tuple[str, str]:
    """What the two ways from a split are called: rows without a value go one of them."""
    if _asks_for_missing(node):
        return "yes", "no"
    return ("yes, missing", "no") if node["missing_left"] else ("yes", "no, missing")


def _asks_for_missing(node: Node) -> bool:
    """Whether rows without a value go left alone: no level, and no number, is on that side."""
    if node.get("levels") is not None:
        return not node["levels"]
    return node["threshold"] == float("-inf")


def answer(value: Sequence[float] | None, classes: Sequence[str] | None) -> str:
    """What a node says: its most probable class, or its numbers."""
    if value is None:
        return ""
    winner = best_class(value, classes)
    if winner is not None and classes is not None:
        return f"{shortened(classes[winner], 20)}, {value[winner]:.0%}"
    shown = ", ".join(number(part) for part in value[:4])
    return shown + (f" + {len(value) - 4} more" if len(value) > 4 else "")


def best_class(value: Sequence[float] | None, classes: Sequence[str] | None) -> int | None:
    """The most probable class; None if the value is no distribution over classes."""
    if value is None or classes is None or len(value) != len(classes):
        return None
    if min(value) < 0.0 or abs(sum(value) - 1.0) > 1e-4:
        return None
    return max(range(len(value)), key=lambda at: (value[at], -at))
