"""Charts of fitted models, for notebooks: each function returns a plotly figure.

plotly is optional (``pip install weald[plot]``). Figures have a background of their own, so that
they can be read in light and dark notebooks, and follow ``plotly.io.templates.default`` if it was
changed. Series differ in colour, dash and label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ._model import Model
from ._sketch import Node, Sketch, Spot, answer, answers, best_class, question, sketch
from ._words import counted, marked, number, shortened

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_BARS = 30
"""How many columns :func:`importance` shows."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Those of Okabe and Ito that stand out on white and on black."""

DASHES = ("solid", "dash", "dot", "dashdot")
GREY = "#8a8a8a"
ROOM = 100.0
"""Pixels between the cards of one depth of a tree and those of the next."""


def importance(estimator: Any) -> Figure:
    """Draw how much each column matters: its share of the improvement that all splits made.

    The 30 most important columns are shown; what the others have together is said above.

    Parameters
    ----------
    estimator : fitted estimator or weald.Model
        What to look at.
    """
    go = _plotly()
    names, shares = _importances(estimator)
    order = sorted(range(len(names)), key=lambda at: (-shares[at], at))
    shown = order[:MOST_BARS]
    left_out = order[MOST_BARS:]
    note = ""
    if left_out:
        rest = sum(shares[at] for at in left_out)
        columns = counted(len(left_out), "column", "columns")
        note = f"The {MOST_BARS} most important of {number(len(names))} columns. "
        note += f"{columns} left out have {rest:.1%} together."
    places = list(range(len(shown)))
    figure = go.Figure(
        go.Bar(
            x=[100 * shares[at] for at in shown],
            y=places,
            orientation="h",
            marker={"color": COLOURS[0]},
            text=[f"{shares[at]:.1%}" for at in shown],
            textposition="outside",
            cliponaxis=False,
            customdata=[marked(shortened(names[at], 200)) for at in shown],
            hovertemplate="%{customdata}: %{x:.4g} %<extra></extra>",
        )
    )
    longest = max((100 * shares[at] for at in shown), default=0.0)
    figure.update_xaxes(
        title={"text": "share of the improvement that all splits made, in %"},
        range=[0, 1.12 * longest or 1.0],
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(
        tickvals=places,
        ticktext=[marked(shortened(names[at], 32)) for at in shown],
        range=[len(shown) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
        ticks="outside",
        ticklen=5,
        tickcolor="rgba(0,0,0,0)",
    )
    _dress(figure, "Importance of columns", note, height=130 + 24 * len(shown))
    figure.update_layout(bargap=0.3)
    return figure


def learning_curve(estimators: Any) -> Figure:
    """Draw the loss of held-out rows, before the first round of boosting and after each.

    A dot marks the round that the model ends with.

    Parameters
    ----------
    estimators : fitted estimator, weald.Model, or dict of them by name
        What to look at; several are compared, if they have one loss.
    """
    curves: dict[str, tuple[list[float], int]] = {}
    losses: dict[str, str] = {}
    rows: dict[str, str] = {}
    for name, model in _by_name(estimators).items():
        curve = model.learning_curve
        if curve is None:
            raise ValueError(
                f"{_subject(name)} has no learning curve: no rows were held out. "
                "Fit gradient boosting with early_stopping_rounds, or with an eval_set"
            )
        losses[name], rows[name], values = curve
        curves[name] = (values, model.n_members)
    _check_one(losses, "losses")
    loss = marked(next(iter(losses.values())))
    figure = _curves(curves, first=0, x="rounds", y=f"held-out loss ({loss})", kept=True)
    note = "Loss of " + _each(rows)
    if len(curves) == 1:
        note += f": {_result(figure)}"
    _dress(figure, "Learning curve", note, height=420)
    return figure


def oob_curve(estimators: Any) -> Figure:
    """Draw the error on rows out of the bag after each member of a forest or of bagging.

    Parameters
    ----------
    estimators : fitted estimator, weald.Model, or dict of them by name
        What to look at; several are compared, if they have one kind of error.
    """
    curves: dict[str, tuple[list[float], int]] = {}
    kinds: dict[str, str] = {}
    for name, model in _by_name(estimators).items():
        errors = model.out_of_bag_errors
        if not errors or all(math.isnan(error) for error in errors):
            raise ValueError(
                f"{_subject(name)} has no out-of-bag errors: its members have seen every row, or "
                "it has no members. Fit a forest or bagging with bootstrap=True"
            )
        is_rate = model.class_lists is not None
        kinds[name] = "share of rows misclassified, in %" if is_rate else "mean squared error"
        unit = 100.0 if is_rate else 1.0
        curves[name] = ([unit * error for error in errors], model.n_members)
    _check_one(kinds, "kinds of error")
    kind = next(iter(kinds.values()))
    figure = _curves(curves, first=1, x="members", y=kind, kept=False)
    note = _result(figure) if len(curves) == 1 else ""
    _dress(figure, "Out-of-bag error", note, height=420)
    return figure


def tree(estimator: Any, tree: int = 0, max_depth: int | None = None) -> Figure:
    """Draw one tree, its root on the left; rows for which a question is true go up.

    Parameters
    ----------
    estimator : fitted estimator or weald.Model
        What to look at.
    tree : default 0
        Which tree, from 0. Boosting for several classes has a tree for each class in each round.
    max_depth : default None
        How many splits deep; None: as deep as can be read. What is hidden is counted.
    """
    go = _plotly()
    model = _model(estimator)
    if not 0 <= tree < model.n_trees:
        raise ValueError(f"there is no tree {tree}; there are {model.n_trees}, counted from 0")
    nodes = model._core.tree(tree)
    drawn = sketch(nodes, max_depth)
    figure = go.Figure()
    columns = _columns(drawn, nodes, model.classes)
    _draw_ways(figure, drawn, nodes, columns)
    _draw_nodes(figure, drawn, nodes, columns, model.classes)
    note = counted(len(nodes), "node", "nodes")
    if drawn.n_hidden:
        note += f", {number(drawn.n_hidden)} of them below depth {drawn.depth} and not shown"
    if model.method == "gradient-boosting":
        note += ". Leaves say what they add to the score"
    title = f"{marked(model.method)}, tree {tree} of {number(model.n_trees)}"
    _dress(figure, title, note, height=100 + 34 * drawn.n_ends)
    width = columns[-1][1]
    figure.update_layout(width=max(420, width + 40), margin={"b": 10, "r": 20}, showlegend=False)
    figure.update_xaxes(visible=False, range=[0, max(380, width)])
    figure.update_yaxes(visible=False, range=[drawn.n_ends - 0.4, -0.6])
    return figure


# The parts of a tree.


def _columns(
    drawn: Sketch, nodes: Sequence[Node], classes: Sequence[str] | None
) -> list[tuple[float, float]]:
    """Where the cards of each depth begin and end, in pixels."""
    columns: list[tuple[float, float]] = []
    for depth in range(drawn.depth + 1):
        cards = [spot for spot in drawn.spots if spot.depth == depth]
        longest = max(len(_card(spot, nodes, classes)) for spot in cards)
        start = columns[-1][1] + ROOM if columns else 0.0
        columns.append((start, start + 14.0 + 6.6 * longest))
    return columns


def _card(spot: Spot, nodes: Sequence[Node], classes: Sequence[str] | None) -> str:
    """What is written on a node."""
    node = nodes[spot.node]
    words = answer(node["value"], classes) if node["feature"] is None else question(node)
    return f"{words} (+{number(spot.n_hidden)})" if spot.n_hidden else words


def _draw_ways(
    figure: Figure,
    drawn: Sketch,
    nodes: Sequence[Node],
    columns: Sequence[tuple[float, float]],
) -> None:
    """The ways from each split to its children, and what they are called."""
    x: list[float | None] = []
    y: list[float | None] = []
    for spot in drawn.spots:
        if not spot.children:
            continue
        for child, words in zip(spot.children, answers(nodes[spot.node]), strict=True):
            start, end = columns[spot.depth]
            x += [start, end, end + ROOM / 4, columns[child.depth][0], None]
            y += [spot.height, spot.height, child.height, child.height, None]
            figure.add_annotation(
                x=end + ROOM / 4 + 2,
                y=child.height,
                text=words,
                showarrow=False,
                yshift=8,
                xanchor="left",
                font={"size": 10, "color": GREY},
            )
    line = {"color": GREY, "width": 1.2}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip")


def _draw_nodes(
    figure: Figure,
    drawn: Sketch,
    nodes: Sequence[Node],
    columns: Sequence[tuple[float, float]],
    classes: Sequence[str] | None,
) -> None:
    """A card for each node: dark on white, whatever the background."""
    for spot in drawn.spots:
        node = nodes[spot.node]
        is_leaf = node["feature"] is None
        winner = best_class(node["value"], classes) if is_leaf else None
        figure.add_annotation(
            x=columns[spot.depth][0],
            y=spot.height,
            xanchor="left",
            text=marked(_card(spot, nodes, classes)),
            hovertext=_told(node, classes),
            showarrow=False,
            bgcolor="#ffffff",
            bordercolor=COLOURS[(winner or 0) % len(COLOURS)] if is_leaf else GREY,
            borderwidth=2 if is_leaf else 1,
            borderpad=4,
            font={"size": 11, "color": "#222222"},
        )


def _told(node: Node, classes: Sequence[str] | None) -> str:
    """All that is known of a node."""
    lines = []
    if node["feature"] is not None:
        lines.append(question(node))
        if "threshold" in node:
            lines.append(f"threshold {node['threshold']!r}")
        levels = node.get("levels", [])
        if len(levels) > 2:
            lines.append(shortened(", ".join(shortened(level, 24) for level in levels[:40]), 300))
    if node["value"] is not None:
        says = answer(node["value"], classes)
        lines.append(f"says {says}" if node["feature"] is None else f"would say {says}")
    if node["weight"] is not None:
        lines.append(f"weight {number(node['weight'])}")
    return "<br>".join(marked(line) for line in lines)


# The parts of curves.


def _curves(
    curves: Mapping[str, tuple[list[float], int]], *, first: int, x: str, y: str, kept: bool
) -> Figure:
    """Lines, each with a dot at the round that is kept, or else at the last member."""
    figure = _plotly().Figure()
    unit = " %" if y.endswith("%") else ""
    for at, (name, (values, n_members)) in enumerate(curves.items()):
        colour, dash = COLOURS[at % len(COLOURS)], DASHES[at // len(COLOURS) % len(DASHES)]
        steps = list(range(first, first + len(values)))
        end = min(max(n_members - first, 0), len(values) - 1) if kept else len(values) - 1
        label = marked(shortened(name, 40))
        members = counted(steps[end], x.removesuffix("s"), x)
        figure.add_scatter(
            x=steps,
            y=values,
            mode="lines",
            name=f"{label}<br>{number(values[end])}{unit} after {members}",
            legendgroup=str(at),
            line={"color": colour, "width": 2, "dash": dash},
            customdata=[f"{label}: " if len(curves) > 1 else ""] * len(values),
            hovertemplate=f"%{{customdata}}%{{y:.5g}}{unit} after %{{x}} {x}<extra></extra>",
        )
        figure.add_scatter(
            x=[steps[end]],
            y=[values[end]],
            mode="markers",
            marker={"color": colour, "size": 8},
            legendgroup=str(at),
            cliponaxis=False,
            hoverinfo="skip",
            showlegend=False,
        )
    figure.update_xaxes(title={"text": x}, rangemode="tozero", showgrid=False, zeroline=False)
    figure.update_yaxes(title={"text": y}, zeroline=False)
    figure.update_layout(showlegend=len(curves) > 1)
    return figure


def _result(figure: Figure) -> str:
    """What the dot of the only curve stands for."""
    return str(figure.data[0].name).rpartition("<br>")[2]


def _check_one(values: Mapping[str, str], what: str) -> None:
    """Whether curves can share an axis."""
    if len(set(values.values())) > 1:
        told = ", ".join(f"{name!r} has {value}" for name, value in values.items())
        raise ValueError(f"models of different {what} cannot share an axis: {told}")


def _each(words: Mapping[str, str]) -> str:
    """What is said of each model, once if it is the same of all."""
    if len(set(words.values())) == 1:
        return marked(next(iter(words.values())))
    told = (f"{shortened(name, 40)}: {word}" for name, word in words.items())
    return marked("; ".join(told))


# What all charts share.


def _plotly() -> Any:
    """plotly's module of graph objects."""
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise ImportError("weald.plot needs plotly: pip install weald[plot]") from error
    return go


def _dress(figure: Figure, title: str, note: str, *, height: int) -> None:
    """The look that all charts have."""
    import plotly.io

    if plotly.io.templates.default in (None, "plotly"):
        figure.update_layout(template="plotly_white")
    text = f"{title}<br><sup>{note}</sup>" if note else title
    figure.update_layout(
        title={"text": text, "x": 0, "xref": "paper", "xanchor": "left", "font": {"size": 16}},
        height=height,
        margin={"l": 20, "r": 40, "t": 70, "b": 50},
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)


def _model(estimator: Any) -> Model:
    if isinstance(estimator, Model):
        return estimator
    check_is_fitted(estimator)
    model = getattr(estimator, "model_", None)
    if not isinstance(model, Model):
        raise TypeError(f"expected an estimator of weald or a weald.Model, found {estimator!r:.80}")
    return model


def _by_name(estimators: Any) -> dict[str, Model]:
    """Models by name; one that has no name is called by its method."""
    if not isinstance(estimators, Mapping):
        model = _model(estimators)
        return {model.method: model}
    if not estimators:
        raise ValueError("no models are given")
    return {str(name): _model(estimator) for name, estimator in estimators.items()}


def _subject(name: str) -> str:
    return f"the model {name!r}"


def _importances(estimator: Any) -> tuple[list[str], list[float]]:
    model = _model(estimator)
    shares = model.feature_importances if estimator is model else estimator.feature_importances_
    return model.feature_names, [float(share) for share in shares]
