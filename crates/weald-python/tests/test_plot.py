"""Charts: what is drawn, what is escaped, and what is said when there is nothing to draw."""

from __future__ import annotations

import builtins
import json
from typing import Any

import numpy as np
import plotly.io
import pytest
from sklearn.exceptions import NotFittedError

import weald
from conftest import numbers
from looking import chain, hand_made, leaf, split

BAD = "<script>alert(1)</script><b>$x$"


@pytest.fixture(scope="module")
def forest() -> weald.RandomForestClassifier:
    return weald.RandomForestClassifier(20, random_state=1).fit(*numbers(200))


@pytest.fixture(scope="module")
def boosted() -> weald.GradientBoostingClassifier:
    X, y = numbers(400)
    return weald.GradientBoostingClassifier(
        40, 0.3, early_stopping_rounds=5, validation="random", random_state=1
    ).fit(X, y)


def texts(figure: Any) -> list[str]:
    """Every text of a figure."""

    def inside(part: Any) -> list[str]:
        if isinstance(part, dict):
            return [text for value in part.values() for text in inside(value)]
        if isinstance(part, list):
            return [text for value in part for text in inside(value)]
        return [part] if isinstance(part, str) else []

    return inside(json.loads(figure.to_json()))


def test_importance_is_sorted_and_says_what_is_left_out(forest: Any) -> None:
    names = [f"x{i}" for i in range(40)]
    shares = np.arange(40.0) / np.arange(40.0).sum()
    figure = weald.plot.importance(hand_made(forest, shares=list(shares), names=names))
    (bars,) = figure.data
    assert bars.orientation == "h" and len(bars.x) == 30
    assert np.allclose(bars.x, 100 * shares[::-1][:30])
    assert list(figure.layout.yaxis.ticktext[:2]) == ["x39", "x38"]
    top, bottom = figure.layout.yaxis.range[::-1]
    assert top < 0 < 29 < bottom, "the most important column is at the top"
    assert "10 columns left out" in figure.layout.title.text
    assert f"{shares[:10].sum():.1%}" in figure.layout.title.text
    assert "%" in figure.layout.xaxis.title.text


def test_equal_importances_keep_the_order_of_columns(forest: Any) -> None:
    figure = weald.plot.importance(hand_made(forest, shares=[0.2, 0.3, 0.3, 0.2, 0.0]))
    assert list(figure.layout.yaxis.ticktext) == ["x1", "x2", "x0", "x3", "x4"]
    assert "left out" not in figure.layout.title.text


def test_a_model_without_splits_has_bars_of_no_length(forest: Any) -> None:
    figure = weald.plot.importance(hand_made(forest, shares=[0.0] * 5))
    assert list(figure.data[0].x) == [0.0] * 5
    assert figure.layout.xaxis.range[1] > 0


def test_importances_are_those_of_the_estimator(forest: Any) -> None:
    bars = weald.plot.importance(forest).data[0]
    assert np.allclose(bars.x, 100 * np.sort(forest.feature_importances_)[::-1])
    assert list(weald.plot.importance(forest.model_).data[0].x) == list(bars.x)

    class Own(weald.RandomForestClassifier):
        feature_importances_ = np.array([0.1, 0.2, 0.3, 0.4, 0.0])

    own = Own()
    own.model_ = forest.model_
    assert list(weald.plot.importance(own).data[0].x) == [40.0, 30.0, 20.0, 10.0, 0.0]


def test_names_are_neither_tags_nor_formulas(forest: Any, boosted: Any) -> None:
    names = [BAD, f"{BAD}2", "b", "c", "d"]
    nodes = [split(BAD, 1, 2, levels=[BAD, "u", "v", "w"]), leaf([1.0, 0.0])]
    nodes.append(leaf([0.25, 0.75]))
    figures = [
        weald.plot.importance(hand_made(forest, names=names)),
        weald.plot.tree(hand_made(forest, nodes=nodes, classes=[BAD, "b"])),
        weald.plot.learning_curve({BAD: boosted, "b": boosted}),
        weald.plot.oob_curve({BAD: forest, "b": forest}),
    ]
    for figure in figures:
        found = [text for text in texts(figure) if "alert" in text]
        assert found
        for text in found:
            assert "<script" not in text and "<b>" not in text and "$" not in text, text


def test_long_names_are_cut_but_stay_apart(forest: Any) -> None:
    names = ["long " * 20 + str(i) for i in range(5)]
    figure = weald.plot.importance(hand_made(forest, names=names))
    assert max(map(len, figure.layout.yaxis.ticktext)) <= 32
    assert len(set(figure.data[0].y)) == 5
    assert len(set(figure.data[0].customdata)) == 5, "hovering shows the whole name"


def test_a_learning_curve_marks_the_round_that_is_kept(boosted: Any) -> None:
    loss, _, values = boosted.model_.learning_curve
    line, dot = weald.plot.learning_curve(boosted).data
    assert list(line.x) == list(range(len(values))) and list(line.y) == values
    assert dot.x[0] == boosted.n_estimators_
    assert dot.y[0] == values[boosted.n_estimators_] == min(values)
    figure = weald.plot.learning_curve(boosted)
    assert loss in figure.layout.yaxis.title.text and figure.layout.xaxis.title.text == "rounds"


def test_curves_of_several_models_differ_in_colour_or_dash_and_are_named(boosted: Any) -> None:
    names = [f"model {i}" for i in range(9)]
    figure = weald.plot.learning_curve(dict.fromkeys(names, boosted))
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    assert len({(line.line.color, line.line.dash) for line in lines}) == 9
    rounds = boosted.n_estimators_
    for name, line, dot in zip(names, lines, dots, strict=True):
        assert line.name.startswith(f"{name}<br>") and line.name.endswith(f" {rounds} rounds")
        assert dot.x[0] == rounds and dot.marker.color == line.line.color


def test_losses_that_differ_do_not_share_an_axis(boosted: Any) -> None:
    other = hand_made(boosted, learning_curve=("squared", "a share", [1.0, 0.5]))
    with pytest.raises(ValueError, match="different losses cannot share an axis"):
        weald.plot.learning_curve({"a": boosted, "b": other})


def test_an_out_of_bag_curve_is_in_percent_for_classes(forest: Any) -> None:
    figure = weald.plot.oob_curve(forest)
    errors = forest.model_.out_of_bag_errors
    line, dot = figure.data
    assert list(line.x) == list(range(1, 21))
    assert np.allclose(line.y, 100 * np.array(errors))
    assert dot.x[0] == 20 and np.isclose(dot.y[0], 100 * errors[-1])
    assert figure.layout.yaxis.title.text == "share of rows misclassified, in %"


def test_classes_and_numbers_do_not_share_an_axis(forest: Any) -> None:
    X, _ = numbers(200)
    other = weald.RandomForestRegressor(5, random_state=1).fit(X, X[:, 0])
    assert weald.plot.oob_curve(other).layout.yaxis.title.text == "mean squared error"
    with pytest.raises(ValueError, match="different kinds of error"):
        weald.plot.oob_curve({"classes": forest, "numbers": other})


def test_models_without_a_curve_say_how_to_get_one(forest: Any, boosted: Any) -> None:
    with pytest.raises(ValueError, match="early_stopping_rounds"):
        weald.plot.learning_curve(forest)
    with pytest.raises(ValueError, match="bootstrap=True"):
        weald.plot.oob_curve({"mine": boosted})
    with pytest.raises(ValueError, match="no models are given"):
        weald.plot.oob_curve({})


def test_a_tree_is_drawn_with_its_questions_and_answers(forest: Any) -> None:
    nodes = [
        split("height", 1, 2, threshold=1.5, missing_left=True, weight=10.0),
        leaf([0.9, 0.1], 4.0),
        split("colour", 3, 4, levels=["red"], weight=6.0),
        leaf([0.2, 0.8], 5.0),
        split("depth", 5, 6, threshold=float("-inf"), missing_left=True),
        leaf([1.0, 0.0]),
        leaf([0.0, 1.0]),
    ]
    figure = weald.plot.tree(hand_made(forest, nodes=nodes, classes=["ash", "oak"]))
    words = [note.text for note in figure.layout.annotations]
    for expected in ("height &lt; 1.5", "colour is red", "depth is missing"):
        assert expected in words
    for expected in ("ash, 90%", "oak, 80%", "ash, 100%", "oak, 100%"):
        assert expected in words
    assert words.count("yes, missing") == 1 and words.count("no, missing") == 1
    assert words.count("yes") == 2 and words.count("no") == 2
    assert "7 nodes" in figure.layout.title.text and "not shown" not in figure.layout.title.text


def test_a_fitted_tree_is_drawn_as_it_is(frame: Any) -> None:
    X, y = frame
    model = weald.DecisionTreeClassifier(max_depth=3).fit(X, y)
    nodes = model.model_._core.tree(0)
    figure = weald.plot.tree(model)
    cards = [note for note in figure.layout.annotations if note.bordercolor]
    assert len(cards) == len(nodes)
    assert f"{len(nodes)} nodes" in figure.layout.title.text
    leaves = [card for card in cards if card.borderwidth == 2]
    assert len(leaves) == model.get_n_leaves()
    for node, card in zip(nodes, cards, strict=True):
        if node["feature"] is None:
            best = int(np.argmax(node["value"]))
            assert card.text == f"{model.classes_[best]}, {node['value'][best]:.0%}"
        else:
            assert card.text.startswith(f"{node['feature']} ")


@pytest.mark.parametrize("name", ["RandomForestRegressor", "GradientBoostingRegressor"])
def test_trees_of_ensembles_are_drawn(name: str) -> None:
    X, _ = numbers(200)
    model = getattr(weald, name)(n_estimators=3, random_state=1).fit(X, X[:, 0] + X[:, 1])
    figure = weald.plot.tree(model, tree=2, max_depth=1)
    assert "tree 2 of 3" in figure.layout.title.text
    assert len([note for note in figure.layout.annotations if note.bordercolor]) == 3
    for tree in (-1, 3):
        with pytest.raises(ValueError, match=f"there is no tree {tree}; there are 3"):
            weald.plot.tree(model, tree=tree)


def test_a_split_that_sends_only_missing_values_left_says_so(forest: Any) -> None:
    nodes = [split("colour", 1, 2, levels=[], missing_left=True), leaf([1.0]), leaf([2.0])]
    figure = weald.plot.tree(hand_made(forest, nodes=nodes, classes=None))
    words = [note.text for note in figure.layout.annotations]
    assert words.count("colour is missing") == words.count("yes") == words.count("no") == 1


def test_ends_of_a_tree_never_stand_in_one_place(forest: Any) -> None:
    figure = weald.plot.tree(hand_made(forest, nodes=chain(9), classes=None))
    cards = [(note.x, note.y) for note in figure.layout.annotations if note.bordercolor]
    assert len(cards) == len(set(cards)) == 19
    assert set(range(10)) <= {y for _, y in cards}


def test_what_is_below_the_depth_is_counted(forest: Any) -> None:
    model = hand_made(forest, nodes=chain(9), classes=None)
    figure = weald.plot.tree(model, max_depth=2)
    assert "14 of them below depth 2 and not shown" in figure.layout.title.text
    assert any(note.text == "x2 &lt; 0.5 (+14)" for note in figure.layout.annotations)
    with pytest.raises(ValueError, match="max_depth is -1"):
        weald.plot.tree(model, max_depth=-1)


def test_a_large_tree_is_drawn_as_far_as_it_can_be_read(forest: Any) -> None:
    figure = weald.plot.tree(hand_made(forest, nodes=chain(500), classes=None))
    assert len(figure.layout.annotations) < 300
    assert "not shown" in figure.layout.title.text


def test_a_tree_of_one_leaf_is_drawn(forest: Any) -> None:
    figure = weald.plot.tree(hand_made(forest, nodes=[leaf([2.5])], classes=None))
    assert [note.text for note in figure.layout.annotations] == ["2.5"]


@pytest.mark.parametrize("draw", ["importance", "learning_curve", "oob_curve", "tree"])
def test_what_is_not_fitted_cannot_be_drawn(draw: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(weald.plot, draw)(weald.RandomForestClassifier())


def test_other_estimators_are_refused() -> None:
    from sklearn.linear_model import LinearRegression

    X, y = numbers(200)
    with pytest.raises(TypeError, match="expected an estimator of weald"):
        weald.plot.oob_curve(LinearRegression().fit(X, y))


@pytest.mark.parametrize("draw", ["importance", "learning_curve", "oob_curve", "tree"])
def test_without_plotly_the_error_says_what_to_install(
    draw: str, forest: Any, boosted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def without_plotly(name: str, *given: Any, **named: Any) -> Any:
        if name.split(".")[0] == "plotly":
            raise ImportError(name)
        return imported(name, *given, **named)

    model = hand_made(boosted if draw == "learning_curve" else forest, nodes=[leaf([1.0])])
    monkeypatch.setattr(builtins, "__import__", without_plotly)
    with pytest.raises(ImportError, match=r"needs plotly: pip install weald\[plot\]"):
        getattr(weald.plot, draw)(model)


def test_a_template_that_the_user_has_chosen_is_kept(
    forest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    white = weald.plot.oob_curve(forest)
    monkeypatch.setattr(plotly.io.templates, "default", "plotly_dark")
    dark = weald.plot.oob_curve(forest)
    papers = [figure.layout.template.layout.paper_bgcolor for figure in (white, dark)]
    assert papers == ["white", "rgb(17,17,17)"]
