"""Errors of the library in the words of Python: it calls parameters otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._weald import WealdError

_NAMED = re.compile(r"`(?P<name>[\w.\-]+)` is (?P<value>\".*?\"); expected", re.DOTALL)

_OTHERS = {
    "sample_share": ("max_samples",),
    "sample_rows": ("max_samples",),
    "feature_share": ("max_features",),
    "monotone": ("monotone_constraints",),
    "interactions": ("interaction_constraints",),
    "n_trees": ("n_estimators",),
    "l2": ("C", "alpha", "reg_lambda"),
    "min_leaf_weight": ("min_weight_fraction_leaf",),
    "held_out": ("cv",),
    "weighing": ("n_rounds",),
    "class_weights": ("class_weight",),
    "combine": ("voting",),
    "scheme": ("aggregate", "n_tasks"),
    "algorithm": ("loss",),
    "pruning": ("ccp_alpha",),
    "beta": ("eta",),
    "min_leaf_rows": ("min_samples_leaf", "min_samples_split"),
    "base": ("estimator",),
    "members": ("estimators",),
    "last": ("final_estimator",),
}
"""Parameters that are made of others here, besides those that are passed on under another name."""


@contextmanager
def named_as_here(estimator: Any) -> Iterator[None]:
    """Errors about a parameter of the library name that of the estimator, and its value."""
    try:
        yield
    except WealdError as error:
        for name in ("monotone_constraints", "interaction_constraints"):
            # Given as the library's text, which is told without a name.
            is_text = isinstance(getattr(estimator, name, None), str)
            if is_text and str(error).startswith("there is no column"):
                raise type(error)(f"{name}: {error}") from None
        found = _NAMED.match(str(error))
        known = None if found is None else _parameter(estimator, found["name"])
        if found is None or known is None:
            raise
        name, value, is_renamed = known
        told = found["value"] if is_renamed else f"{value!r:.80}"
        expected = _said_here(estimator, str(error)[found.end() :])
        raise type(error)(f"`{name}` is {told}; expected{expected}") from None


def _said_here(estimator: Any, expected: str) -> str:
    """What is expected, where that names other parameters."""
    for ours, theirs in getattr(estimator, "_renamed", {}).items():
        if "_" in theirs and ours != theirs:
            expected = re.sub(rf"\b{theirs}\b", ours, expected)
    return expected


def _parameter(estimator: Any, name: str) -> tuple[str, Any, bool] | None:
    """What a parameter of the library is called here, its value, and whether that is passed on."""
    part, _, rest = name.partition(".")
    if rest:
        own_name = {"base": "estimator", "last": "final_estimator"}.get(part)
        for place, member in _members(estimator):
            if place == own_name or (own_name is None and member._method == part):
                found = _parameter(member, rest)
                return None if found is None else (f"{place}__{found[0]}", *found[1:])
        return None
    own = estimator.get_params(deep=False)
    renamed = {theirs: ours for ours, theirs in getattr(estimator, "_renamed", {}).items()}
    if name in renamed:
        return renamed[name], own.get(renamed[name]), True
    others = [other for other in _OTHERS.get(name, ()) if other in own]
    if name in own and not (name == "pruning" and own["ccp_alpha"]):
        return name, own[name], True
    if others:
        others.sort(key=lambda other: own[other] is None)  # Those that are given come first.
        return others[0], own[others[0]], False
    for place, member in _members(estimator):
        found = _parameter(member, name)
        if found is not None:
            return f"{place}__{found[0]}", *found[1:]
    return None


def _members(estimator: Any) -> list[tuple[str, Any]]:
    """weald's own estimators that an estimator is made of, by their names."""
    named = list(getattr(estimator, "estimators", None) or [])
    named += [(name, getattr(estimator, name, None)) for name in ("estimator", "final_estimator")]
    return [(name, member) for name, member in named if hasattr(member, "_settings")]
