"""The progress bar: where it is shown, what it says, and that it is closed."""

from __future__ import annotations

import builtins
import io
import re
import sys
import types
from contextlib import redirect_stderr
from typing import Any

import pytest
import tqdm.auto

import weald
from conftest import numbers
from weald._listen import Progress
from weald._progress import Bar


class Terminal(io.StringIO):
    """What looks like a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every bar that is made."""
    made: list[Any] = []

    class Kept(tqdm.auto.tqdm):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named, mininterval=0)
            self.is_closed = False
            self.totals: list[Any] = []
            self.postfixes: list[str] = []
            made.append(self)

        def update(self, n: float | None = 1) -> bool | None:
            self.totals.append(self.total)
            self.postfixes.append(self.postfix)
            return super().update(n)

        def close(self) -> None:
            self.is_closed = True
            super().close()

    monkeypatch.setattr(tqdm.auto, "tqdm", Kept)
    return made


def test_a_forest_shows_its_trees_and_its_out_of_bag_error(bars: list[Any]) -> None:
    with redirect_stderr(Terminal()) as terminal:
        forest = weald.RandomForestClassifier(12, random_state=1, verbose=1).fit(*numbers(200))
    (bar,) = bars
    assert bar.is_closed and bar.n == bar.total == 12
    last = f"out-of-bag error {forest.model_.out_of_bag_errors[-1]:.4g}"
    assert bar.postfixes[-1] == last
    screen = terminal.getvalue()
    assert "RandomForestClassifier, growing trees" in screen
    assert "12/12" in screen and last in screen and "tree/s" in screen
    assert screen.endswith("\n")


def test_boosting_shows_its_held_out_loss_and_is_whole_when_it_ends_early(bars: list[Any]) -> None:
    X, y = numbers(400)
    model = weald.GradientBoostingClassifier(
        200, 0.5, early_stopping_rounds=3, validation="random", random_state=1, verbose=1
    )
    with redirect_stderr(Terminal()):
        model.fit(X, y)
    (bar,) = bars
    values = model.model_.learning_curve[2]
    assert bar.totals[0] == 200 and bar.n == len(values) - 1 < 200
    assert bar.is_closed and bar.total == bar.n
    assert bar.postfixes[-1] == f"held-out loss {values[-1]:.4g}"


def test_the_bar_starts_anew_where_a_stage_does(bars: list[Any]) -> None:
    X, y = numbers(400)
    model = weald.GradientBoostingClassifier(
        60, 0.5, early_stopping_rounds=3, validation="folds:3", random_state=1, verbose=1
    )
    with redirect_stderr(Terminal()) as terminal:
        model.fit(X, y)
    (bar,) = bars
    assert bar.totals[0] == 60 and bar.totals[-1] == model.n_estimators_ == bar.n
    screen = terminal.getvalue()
    assert "boosting on folds" in screen
    assert re.search(r"GradientBoostingClassifier, boosting: 100%", screen)


def test_an_interrupted_bar_is_closed_and_stays_as_far_as_it_came(bars: list[Any]) -> None:
    def interrupt(progress: weald.Progress) -> None:
        if progress.kind == "member" and progress.done == 3:
            raise KeyboardInterrupt

    forest = weald.RandomForestClassifier(500, n_jobs=1, verbose=1, callbacks=[interrupt])
    with pytest.raises(KeyboardInterrupt), redirect_stderr(Terminal()):
        forest.fit(*numbers(200))
    (bar,) = bars
    assert bar.is_closed
    assert bar.n < 500 and bar.total == 500
    assert 3 <= forest.model_.n_members < 500
    assert forest.predict(numbers(200)[0]).shape == (200,)


def test_the_bar_of_a_fit_that_fails_is_closed(bars: list[Any]) -> None:
    X, y = numbers(200)
    with pytest.raises(weald.WealdError, match="n_estimators"), redirect_stderr(Terminal()):
        weald.RandomForestClassifier(-1, verbose=1).fit(X, y)
    (bar,) = bars
    assert bar.is_closed


def test_a_callback_that_ends_the_fit_ends_the_bar(bars: list[Any]) -> None:
    X, y = numbers(200)
    ends = [lambda progress: progress.kind == "member" and progress.done == 4]
    model = weald.GradientBoostingClassifier(50, verbose=1, callbacks=ends)
    with redirect_stderr(Terminal()):
        model.fit(X, y)
    (bar,) = bars
    assert model.n_estimators_ == bar.n == bar.total == 4


@pytest.mark.parametrize("verbose", [0, 1])
def test_nothing_is_shown_where_nobody_watches(
    verbose: int, bars: list[Any], capfd: pytest.CaptureFixture[str]
) -> None:
    weald.RandomForestClassifier(3, verbose=verbose).fit(*numbers(200))
    assert bars == [] and capfd.readouterr() == ("", "")


def test_a_quiet_estimator_shows_nothing_in_a_terminal(bars: list[Any]) -> None:
    with redirect_stderr(Terminal()) as terminal:
        weald.RandomForestClassifier(3).fit(*numbers(200))
    assert bars == [] and terminal.getvalue() == ""


@pytest.mark.parametrize(("config", "is_shown"), [({"IPKernelApp": {}}, True), ({}, False)])
def test_a_notebook_has_a_bar_though_it_has_no_terminal(
    config: dict[str, Any], is_shown: bool, bars: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(config=config)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    weald.RandomForestClassifier(3, verbose=1).fit(*numbers(200))
    assert bool(bars) == is_shown


def test_without_a_stderr_there_is_no_bar(bars: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    weald.RandomForestClassifier(3, verbose=1).fit(*numbers(200))
    assert bars == []


@pytest.mark.parametrize("is_terminal", [True, False])
def test_without_tqdm_the_error_says_what_to_install(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def without_tqdm(name: str, *given: Any, **named: Any) -> Any:
        if name.split(".")[0] == "tqdm":
            raise ImportError(name)
        return imported(name, *given, **named)

    monkeypatch.setattr(sys, "stderr", Terminal() if is_terminal else io.StringIO())
    monkeypatch.setattr(builtins, "__import__", without_tqdm)
    forest = weald.RandomForestClassifier(3, verbose=1)
    if not is_terminal:  # a job without a screen needs no bar
        assert forest.fit(*numbers(200)).n_estimators_ == 3
        return
    with pytest.raises(ImportError, match=r"needs tqdm: pip install weald\[progress\]"):
        forest.fit(*numbers(200))


def test_what_has_no_members_is_not_drawn(bars: list[Any]) -> None:
    with redirect_stderr(Terminal()), Bar("Tree") as bar:
        bar(Progress("stage", "binning", None, None, None))
        bar(Progress("rows", None, 5, 10, None))
    assert bars[0].n == 0 and bars[0].is_closed
