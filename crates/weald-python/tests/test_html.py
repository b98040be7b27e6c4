"""Models in notebooks: what the summary tells, and that names stay text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weald
from conftest import numbers
from looking import hand_made

BAD = "<script>alert('x')</script>"


class Reader(HTMLParser):
    """Collects tags and text, and sees that tags are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words = ""
        self.feed(html)
        self.close()
        assert not self.open, "tags are left open"

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += f"{data} "


@pytest.fixture(scope="module")
def forest() -> weald.RandomForestClassifier:
    return weald.RandomForestClassifier(20, random_state=7).fit(*numbers(200))


def test_a_model_tells_what_it_is(forest: Any) -> None:
    model = hand_made(forest, shares=[0.5, 0.3, 0.1, 0.1, 0.0])
    words = Reader(model._repr_html_()).words
    for expected in ("random-forest", "200 rows", "2 classes: 0, 1", "20", "out-of-bag"):
        assert expected in words, expected
    assert re.search(rf"leaves\s+{forest.model_.n_leaves}\b", words)
    assert re.search(r"seed\s+7\b", words)
    assert re.search(rf"weald\s+{re.escape(weald.__version__)}", words)
    assert "50.0%" in words and "x0" in words
    assert "x4" not in words and "1 column is not shown" in words


def test_leaves_are_counted_over_all_trees() -> None:
    X, y = numbers(200)
    tree = weald.DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y)
    bagged = weald.BaggingClassifier(
        weald.DecisionTreeClassifier(max_leaf_nodes=5), n_estimators=3, random_state=1
    ).fit(X, y)
    boosted = weald.GradientBoostingClassifier(4, max_leaves=3).fit(X, y)
    assert tree.model_.n_leaves == 5
    assert bagged.model_.n_leaves == 15
    assert boosted.model_.n_leaves == 12


def test_names_of_columns_and_classes_stay_text() -> None:
    import pandas as pd

    X, y = numbers(200)
    frame = pd.DataFrame(X[:, :2], columns=[BAD, f"{BAD}&"])
    target = pd.Series(np.where(y == 1, BAD, "b"), name=BAD)
    forest = weald.RandomForestClassifier(3, random_state=1).fit(frame, target)
    reader = Reader(forest.model_._repr_html_())
    assert "script" not in reader.tags
    assert reader.words.count("<script>alert(") >= 4
    diagram = forest._repr_html_()
    assert "<script>alert(" not in diagram


def test_a_curve_is_drawn_with_a_dot_where_the_model_ends(forest: Any) -> None:
    errors = [0.5, 0.25, 0.75, 0.25, 0.0]
    html = hand_made(forest, out_of_bag_errors=errors)._repr_html_()
    (line,) = re.findall(r'points="([^"]*)"', html)
    heights = [float(point.split(",")[1]) for point in line.split()]
    assert heights == pytest.approx([7.7, 12.3, 3.0, 12.3, 17.0], abs=0.06)
    assert 'cx="117.0" cy="17.0"' in html


def test_a_curve_of_many_rounds_stays_small(forest: Any) -> None:
    errors = list(np.linspace(0.5, 0.1, 5000))
    html = hand_made(forest, out_of_bag_errors=errors)._repr_html_()
    assert len(html) < 12_000


@pytest.mark.parametrize("errors", [None, [], [0.5], [float("nan"), 0.5], [float("inf"), 1.0]])
def test_curves_that_cannot_be_drawn_are_left_out(forest: Any, errors: Any) -> None:
    html = hand_made(forest, out_of_bag_errors=errors)._repr_html_()
    assert "polyline" not in html
    Reader(html)


def test_the_held_out_loss_is_that_of_the_rounds_that_are_kept() -> None:
    X, y = numbers(400)
    model = weald.GradientBoostingClassifier(
        40, 0.3, early_stopping_rounds=5, validation="random", random_state=1
    ).fit(X, y)
    loss, _, values = model.model_.learning_curve
    words = Reader(model.model_._repr_html_()).words
    assert f"held-out loss ({loss})" in words
    assert f"{values[model.n_estimators_]:.4g}" in words


def test_models_of_numbers_and_of_one_leaf_are_shown() -> None:
    X, _ = numbers(200)
    several = weald.RandomForestRegressor(3, random_state=1).fit(X, X[:, :2])
    words = Reader(several.model_._repr_html_()).words
    assert "y0, y1 (values)" in words
    with pytest.warns(weald.DataWarning):
        constant = weald.DecisionTreeRegressor().fit(np.zeros((4, 1)), np.arange(4.0))
    assert re.search(r"leaves\s+1\b", Reader(constant.model_._repr_html_()).words)


def test_an_estimator_shows_scikit_learns_diagram_and_then_its_model(forest: Any) -> None:
    blank = weald.RandomForestClassifier()
    assert "sk-top-container" in blank._repr_html_()
    assert "trained on" not in blank._repr_html_()
    for html in (forest._repr_html_(), forest._repr_mimebundle_()["text/html"]):
        assert html.index("sk-top-container") < html.index("trained on")
        assert html.count("trained on") == 1


def test_whoever_wants_text_gets_no_html(forest: Any) -> None:
    with sklearn.config_context(display="text"):
        assert not hasattr(forest, "_repr_html_")
        assert set(forest._repr_mimebundle_()) == {"text/plain"}


def test_a_pipeline_is_shown(forest: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), weald.RandomForestClassifier(3)).fit(*numbers(200))
    assert "RandomForestClassifier" in pipeline._repr_html_()
