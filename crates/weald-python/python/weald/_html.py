"""Fitted models in notebooks: a summary in HTML, below scikit-learn's diagram of estimators.

Text takes the colour of its surroundings, so that it can be read in light and dark notebooks. There
are no scripts and no ids, and every name is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

from ._model import Model
from ._weald import __version__
from ._words import counted, marked, number, shortened

MOST_BARS = 10
"""How many columns are shown with their importance."""

BLUE = "#3a8dc4"
STYLE = {
    "box": (
        "max-width:34em;margin:.6em 0;padding:.6em .8em;border:1px solid rgba(128,128,128,.45);"
        "border-radius:4px;font:13px/1.45 system-ui,sans-serif;color:inherit;background:none;"
        "text-align:left;overflow-wrap:anywhere"
    ),
    "table": "border-collapse:collapse;margin:.3em 0 0;color:inherit;background:none;width:100%",
    "name": (
        "text-align:left;font-weight:normal;opacity:.75;padding:1px 1em 1px 0;"
        "white-space:nowrap;vertical-align:top;width:1%;background:none;border:none"
    ),
    "value": "text-align:left;padding:1px 0;background:none;border:none",
    "note": "opacity:.75;margin:.5em 0 0",
}


class Shown(BaseEstimator):
    """An estimator whose fitted model is summed up below its diagram."""

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._model_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._model_html()
        return bundle

    def _model_html(self) -> str:
        model = getattr(self, "model_", None)
        return "" if model is None else model_html(model)


def model_html(model: Model) -> str:
    """What a model is, in a small box."""
    rows = [(name, marked(str(value))) for name, value in _facts(model)]
    curve = _curve(model)
    if curve is not None:
        name, values, kept = curve
        rows.append((name, f"{marked(number(values[kept]))} {_sparkline(values, kept)}"))
    cells = "".join(_row(marked(name), value) for name, value in rows)
    version = f'<span style="font-weight:normal;opacity:.75">weald {marked(__version__)}</span>'
    head = f'<div style="font-weight:600">{marked(model.method)} {version}</div>'
    table = f'<table style="{STYLE["table"]}">{cells}</table>'
    return f'<div style="{STYLE["box"]}">{head}{table}{_bars(model)}</div>'


def _facts(model: Model) -> list[tuple[str, str]]:
    n_columns = len(model.feature_names)
    n_categorical = sum(levels is not None for levels in model._core.levels)
    columns = number(n_columns)
    if n_categorical:
        columns += f", {number(n_categorical)} of them categorical"
    facts = [("predicts", _predicted(model)), ("trained on", f"{number(model.n_rows)} rows")]
    facts.append(("columns", columns))
    if model.n_members > 1:
        facts.append(("members", number(model.n_members)))
    if model.n_trees:
        facts.append(("leaves", number(model.n_leaves)))
    return [*facts, ("seed", str(model.seed))]


def _predicted(model: Model) -> str:
    if model.classes is None:
        names = [shortened(name, 40) for name in model.target_names]
        return f"{_listed(names, 5)} ({model.output})"
    classes = _listed([shortened(name, 40) for name in model.classes], 5)
    of = counted(len(model.classes), "class", "classes")
    return f"{shortened(model.target_names[0], 40)}, {of}: {classes}"


def _listed(names: Sequence[str], most: int) -> str:
    more = f" and {number(len(names) - most)} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _row(name: str, value: str) -> str:
    cells = f'<th style="{STYLE["name"]}">{name}</th><td style="{STYLE["value"]}">{value}</td>'
    return f'<tr style="background:none">{cells}</tr>'


def _curve(model: Model) -> tuple[str, list[float], int] | None:
    """The curve of honest errors, with its name and the place that the model ends with."""
    errors = [error for error in model.out_of_bag_errors or [] if not math.isnan(error)]
    if errors:
        kind = "error rate" if model.class_lists is not None else "squared error"
        return f"out-of-bag {kind}", errors, len(errors) - 1
    curve = model.learning_curve
    if curve is None or not curve[2]:
        return None
    loss, _, losses = curve
    return f"held-out loss ({loss})", losses, min(model.n_members, len(losses) - 1)


def _sparkline(values: Sequence[float], kept: int) -> str:
    """A line of 120 by 20 pixels, with a dot where the model ends."""
    width, height, edge, most = 120.0, 20.0, 3.0, 120
    finite = [value for value in values if math.isfinite(value)]
    if len(finite) < 2 or len(finite) < len(values):
        return ""
    lowest, highest = min(finite), max(finite)
    scale = (height - 2 * edge) / (highest - lowest) if highest > lowest else 0.0

    def place(at: int) -> tuple[str, str]:
        x = edge + at * (width - 2 * edge) / (len(values) - 1)
        y = edge + (highest - values[at]) * scale
        return f"{x:.1f}", f"{y:.1f}"

    steps = sorted({round(i * (len(values) - 1) / most) for i in range(most + 1)} | {kept})
    points = " ".join(",".join(place(at)) for at in steps)
    x, y = place(kept)
    label = f"from {number(values[0])} to {number(values[kept])}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" aria-label="{marked(label)}" style="vertical-align:middle;margin-left:.5em">'
        f'<polyline points="{points}" fill="none" stroke="{BLUE}" stroke-width="1.5"/>'
        f'<circle cx="{x}" cy="{y}" r="2.5" fill="{BLUE}"/></svg>'
    )


def _bars(model: Model) -> str:
    """The most important columns, as bars."""
    if not model.n_trees:
        return ""
    shares = [float(share) for share in model.feature_importances]
    order = sorted(range(len(shares)), key=lambda at: (-shares[at], at))
    shown = [at for at in order[:MOST_BARS] if shares[at] > 0.0]
    if not shown:
        return ""
    names = model.feature_names
    cells = "".join(
        _row(marked(shortened(names[at], 28)), _bar(shares[at], shares[shown[0]])) for at in shown
    )
    left = len(names) - len(shown)
    others = f" {counted(left, 'column is', 'columns are')} not shown." if left else ""
    note = f'<div style="{STYLE["note"]}">Share of the improvement that splits made.{others}</div>'
    return f'{note}<table style="{STYLE["table"]}">{cells}</table>'


def _bar(share: float, largest: float) -> str:
    bar = (
        f'<span style="display:inline-block;vertical-align:middle;height:.7em;'
        f'width:{70 * share / largest:.1f}%;min-width:1px;background:{BLUE}"></span>'
    )
    return f"{bar} {share:.1%}"
