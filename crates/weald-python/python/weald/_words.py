"""Names and numbers as they are shown."""

from __future__ import annotations

import math
from html import escape


def shortened(text: str, most: int) -> str:
    """Text of at most so many characters, on one line, without control characters."""
    text = "".join(c if c.isprintable() else " " for c in text[: most + 1])
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def marked(text: str) -> str:
    """Text that neither a browser nor plotly reads as anything else: no tags, no formulas."""
    return escape(text).replace("$", "&#36;")


def number(value: float) -> str:
    """A number in four digits, or all of a whole one."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e7:
        return f"{int(value):,}".replace(",", "\u2009").replace("-", "\u2212")
    return f"{value:.4g}".replace("-", "\u2212")


def counted(n: int, one: str, several: str) -> str:
    """How many of something: "1 leaf", "2 leaves"."""
    return f"{number(n)} {one if n == 1 else several}"
