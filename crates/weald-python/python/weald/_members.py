"""Methods whose members are fitted by several estimators: weald's, or anyone's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from sklearn.utils import get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from ._at_once import at_once
from ._base import check_categories, during_bases, is_ours
from ._estimator import Estimator, Given
from ._foreign import Base, check_base
from ._unseen import AsksUnseen

PLACEHOLDER = "constant"
"""The method that stands for a member of Python where parameters are told."""


@dataclass(eq=False, repr=False)
class OfMembers(_BaseComposition, AsksUnseen, Estimator):
    """An estimator of several others, each under a name."""

    estimators: Any = None

    def _members(self) -> list[tuple[str, Any]]:
        """The members with their names; none if weald's own are taken."""
        if self.estimators is None:
            return []
        members = list(self.estimators)
        for member in members:
            if not isinstance(member, tuple | list) or len(member) != 2:
                raise ValueError(
                    f"estimators holds {member!r:.80}; expected pairs of a name and an estimator"
                )
        self._validate_names([name for name, _ in members])
        kept = [(name, member) for name, member in members if member != "drop"]
        if not kept:
            raise ValueError(
                "estimators is an empty list, or all of it is dropped; expected at least one pair "
                "of a name and an estimator"
            )
        return kept

    def _last(self) -> Any:
        """What learns from members, where something does and it is given."""
        return None

    def _check_members(self) -> None:
        kind, owner = str(get_tags(self).estimator_type), type(self).__name__
        last = self._last()
        given = [member for _, member in self._members()] + ([] if last is None else [last])
        for member in given:
            check_base(member, kind, owner)
            if _is_own(member):
                check_categories(member, self)

    def _told(self) -> list[tuple[str, Any]]:
        """The members under the names that parameters have for them."""
        told: list[tuple[str, Any]] = []
        counts: dict[str, int] = {}
        for _, member in self._members():
            method = member._method if _is_own(member) else PLACEHOLDER
            counts[method] = counts.get(method, 0) + 1
            told.append((method if counts[method] == 1 else f"{method}-{counts[method]}", member))
        return told

    def _settings(self, given: Given) -> dict[str, str]:
        settings: dict[str, str] = {}
        told, last = self._told(), self._last()
        if told:
            methods = [m._method if _is_own(m) else PLACEHOLDER for _, m in told]
            settings["members"] = ",".join(methods)
        if last is not None:
            settings["last"] = last._method if _is_own(last) else PLACEHOLDER
            told.append(("last", last))
        for name, member in told:
            own = member._settings(given) if _is_own(member) else {}
            settings |= {f"{name}.{key}": value for key, value in own.items()}
        return settings | super()._settings(given)

    def _parts(self, given: Given) -> dict[str, Any]:
        has_names = hasattr(self, "feature_names_in_")
        named = zip(self._told(), self._members(), strict=True)
        bases = [
            (told, Base(member, given.classes, has_names=has_names, place=f"member {name!r}"))
            for (told, member), (name, _) in named
            if not _is_own(member)
        ]
        last = self._last()
        if last is not None and not _is_own(last):
            bases.append(
                ("last", Base(last, given.classes, has_names=False, place="final_estimator"))
            )
        return {"bases": bases} if bases else {}

    @property
    def _parts_are_python(self) -> bool:
        given = [member for _, member in self._members()]
        last = self._last()
        return any(not _is_own(member) for member in given + ([] if last is None else [last]))

    @contextmanager
    def _during(self, parts: dict[str, Any]) -> Iterator[None]:
        with during_bases(parts):
            yield

    @at_once
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the members.

        ``groups`` says which rows belong together: members are never asked about rows of a group
        that they have seen.
        """
        self._check_members()
        if hasattr(self, "cv"):
            groups = self._groups_of(self.cv, X, y, groups)
        self._fit(X, y, sample_weight, groups=groups)
        return self

    def _fitted(self) -> None:
        self.n_estimators_ = self.model_.n_members

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members; None for those of weald, which are in ``model_``."""
        check_is_fitted(self)
        members = self.model_._core.members
        if members is None:
            return [None] * self.n_estimators_
        return [member for member, _ in members][: self.n_estimators_]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters; those of members stand behind their names, as ``rf__max_depth``."""
        if self.estimators is None:
            return dict(super().get_params(deep=deep))
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a member by its name, or one of its parameters."""
        if self.estimators is None:
            super().set_params(**params)
        else:
            self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        for _, member in self._members():
            if hasattr(member, "__sklearn_tags__") and not _is_own(member):
                theirs = get_tags(member)
                tags.input_tags.allow_nan &= theirs.input_tags.allow_nan
                tags.target_tags.multi_output &= theirs.target_tags.multi_output
        return tags


def _is_own(member: Any) -> bool:
    """Whether weald fits a member by itself: weights of classes are told to Python's alone."""
    weighs = getattr(member, "class_weight", None) is not None
    return is_ours(member) and (not weighs or member._weighs_classes_itself)
