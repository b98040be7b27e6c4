"""A fitted model as a table of HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any


def model_html(model: Any) -> str:
    """What a model is, in a table."""
    rows = [
        ("method", model.method),
        ("members", model.n_members),
        ("columns", len(model.feature_names)),
        ("rows", model.n_rows),
        ("predicts", ", ".join(model.classes) if model.classes else model.output),
        ("seed", model.seed),
    ]
    errors = model.out_of_bag_errors
    if errors:
        rows.append(("out-of-bag error", f"{errors[-1]:.4g}"))
    cells = "".join(f"<tr><th>{escape(k)}</th><td>{escape(str(v))}</td></tr>" for k, v in rows)
    return f"<table>{cells}</table>"
