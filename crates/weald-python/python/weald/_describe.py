"""Docstrings: the meaning of each parameter is written once, in the library."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, TypeVar

from . import _weald

T = TypeVar("T", bound=type)

OF_THE_RUN = ("categorical_features", "n_jobs", "random_state", "verbose", "callbacks")

OWN = {
    "criterion": (
        'What a good split lowers: "gini", "entropy" or "gain_ratio" for classes, "squared_error" '
        "for numbers."
    ),
    "bootstrap": "Whether each member sees a bootstrap of the rows; all rows otherwise.",
    "resampling": (
        'How the rows of a member are drawn: "bootstrap", "subsample", "stratified", "balanced", '
        '"weighted" or "none"; None: as ``bootstrap`` says.'
    ),
    "oob_score": (
        "Whether to keep what members say of the rows they have not seen, and the score of that."
    ),
    "max_samples": "How many rows are drawn for a member: a share, or a count; None: as many.",
    "max_features": (
        'Features drawn for each split: "sqrt", "log2", "third", "log2+1", a count, or a share; '
        "None: all."
    ),
    "class_weight": 'How much the rows of each class count: None, "balanced", or a dict by class.',
    "monotone_constraints": (
        "Columns along which predictions may only rise (1) or fall (-1): a value for each column, "
        "or a dict by name."
    ),
    "interaction_constraints": (
        "Sets of columns, by name or position, that may be used in one branch of a tree."
    ),
    "categorical_features": (
        'Which columns hold categories: "from_dtype" (text, booleans and categories of a frame), '
        "a list of names, positions or a mask, or None."
    ),
    "ccp_alpha": "The price of a leaf in cost-complexity pruning; 0: no pruning.",
    "pruning": 'What is cut back after growing, such as "error-based:0.25".',
    "estimator": (
        "What members are fitted by: an estimator of weald or of scikit-learn; None: a full tree."
    ),
    "min_weight_fraction_leaf": "The share of all weight that each leaf must keep.",
    "n_jobs": "Threads: a count, -1 for as many as there are cores, None for 1.",
    "random_state": (
        "The seed. An int gives the same model, to the byte, on any number of threads; a generator "
        "is drawn from."
    ),
    "verbose": "Whether to show a progress bar.",
    "callbacks": (
        "Functions that are told of progress; a fit ends when one answers ``True`` and keeps the "
        "members it has. What one raises leaves the estimator as it was."
    ),
}


def documented(cls: T) -> T:
    """Append the section on parameters to the docstring of an estimator."""
    own: Any = cls
    meanings = {
        name: (meaning, accepts) for name, _, accepts, meaning in _weald.settings(own._method)
    }
    lines = ["Parameters", "----------"]
    parameters = dict(inspect.signature(own).parameters)
    # What says how a fit is run comes last.
    of_the_run = [name for name in OF_THE_RUN if name in parameters]
    for name in [*(name for name in parameters if name not in of_the_run), *of_the_run]:
        parameter = parameters[name]
        words = _words(cls, name, meanings)
        lines.append(f"{name} : default {parameter.default!r}")
        lines += textwrap.wrap(words, 92, initial_indent="    ", subsequent_indent="    ")
    cls.__doc__ = inspect.cleandoc(cls.__doc__ or "") + "\n\n" + "\n".join(lines) + "\n"
    return cls


def _words(cls: Any, name: str, meanings: dict[str, tuple[str, str]]) -> str:
    own = cls._described.get(name) if hasattr(cls, "_described") else None
    if own or name in OWN:
        return own or OWN[name]
    meaning, accepts = meanings[cls._renamed[name]]
    return f"{meaning[0].upper()}{meaning[1:]}: {accepts}."
