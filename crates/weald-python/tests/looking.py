"""Models whose importances, curves and trees are made by hand."""

from __future__ import annotations

from typing import Any

import weald


class HandMade:
    """A fitted core model with importances and a tree of one's own."""

    def __init__(
        self,
        core: Any,
        *,
        shares: list[float] | None = None,
        nodes: list[dict[str, Any]] | None = None,
        **others: Any,
    ) -> None:
        self._core = core
        self._shares = shares
        self._nodes = nodes
        self.__dict__.update(others)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def importance(self) -> list[float]:
        return self._core.importance() if self._shares is None else self._shares

    def tree(self, index: int) -> list[dict[str, Any]]:
        return self._core.tree(index) if self._nodes is None else self._nodes


def hand_made(model: Any, **given: Any) -> weald.Model:
    """A model like the one of an estimator, apart from what is given."""
    core = model.model_._core if hasattr(model, "model_") else model._core
    return weald.Model(HandMade(core, **given))


def leaf(value: list[float], weight: float | None = 1.0) -> dict[str, Any]:
    """A leaf, as the extension tells it."""
    return {"feature": None, "value": value, "weight": weight, "gain": None}


def split(feature: str, left: int, right: int, **given: Any) -> dict[str, Any]:
    """A split, as the extension tells it: at a half unless something else is given."""
    node = {"feature": feature, "left": left, "right": right, "missing_left": False}
    node |= {"value": None, "weight": None, "gain": None}
    return node | ({} if "levels" in given else {"threshold": 0.5}) | given


def chain(n_splits: int) -> list[dict[str, Any]]:
    """A tree whose left children are leaves, in pre-order."""
    nodes = []
    for at in range(n_splits):
        nodes += [split(f"x{at}", 2 * at + 1, 2 * at + 2), leaf([float(at)])]
    return [*nodes, leaf([-1.0])]
