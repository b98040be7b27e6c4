"""Callbacks and the log: what is told of a fit, and how it is stopped."""

import logging

import numpy as np
import pytest
from sklearn.datasets import make_regression

import weald


@pytest.fixture
def rows():
    return make_regression(300, 5, noise=5.0, random_state=0)


ESTIMATORS = [
    weald.GradientBoostingRegressor(40, random_state=0),
    weald.RandomForestRegressor(40, random_state=0, n_jobs=2),
    weald.ExtraTreesRegressor(40, random_state=0, n_jobs=2),
    weald.BaggingRegressor(n_estimators=40, random_state=0, n_jobs=2),
]
named = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


def fresh(estimator, **changed):
    return type(estimator)(**(estimator.get_params(deep=False) | changed))


@named
def test_members_are_told_in_order_after_the_stage(estimator, rows):
    told = []
    model = fresh(estimator, callbacks=[told.append]).fit(*rows)
    assert all(isinstance(event, weald.Progress) for event in told)
    members = [event for event in told if event.kind == "member"]
    assert [event.done for event in members] == list(range(1, 41))
    assert {event.total for event in members} == {40}
    assert told[0].kind == "stage" and told[0].name
    assert told.index(members[0]) > max(i for i, e in enumerate(told) if e.kind == "stage")
    if model.model_.out_of_bag_errors:
        errors = [event.value for event in members if event.value is not None]
        known = [error for error in model.model_.out_of_bag_errors if not np.isnan(error)]
        assert errors == known and members[-1].name == "out-of-bag error"


@named
def test_a_true_answer_ends_the_fit_with_the_members_so_far(estimator, rows):
    def stop(progress):
        return progress.kind == "member" and progress.done == 5

    model = fresh(estimator, callbacks=[stop]).fit(*rows)
    assert 5 <= model.n_estimators_ < 40
    if isinstance(estimator, weald.GradientBoostingRegressor):
        assert model.n_estimators_ == 5
    as_many = fresh(estimator, n_estimators=model.n_estimators_).fit(*rows)
    assert (model.predict(rows[0]) == as_many.predict(rows[0])).all()


@named
def test_answers_that_are_not_true_do_not_end_it(estimator, rows):
    # What `list.append` or a count returns is no wish to stop.
    model = fresh(estimator, callbacks=[lambda _: 1, lambda _: "yes", lambda _: None]).fit(*rows)
    assert model.n_estimators_ == 40


@named
def test_an_exception_in_a_callback_reaches_the_user_and_leaves_the_estimator_as_it_was(
    estimator, rows
):
    class OddError(Exception):
        pass

    def fail(progress):
        if progress.kind == "member" and progress.done == 3:
            raise OddError(progress.done)

    model = fresh(estimator, callbacks=[fail])
    with pytest.raises(OddError) as caught:
        model.fit(*rows)
    assert caught.value.args == (3,)
    assert not hasattr(model, "model_") and not hasattr(model, "n_features_in_")
    model.set_params(callbacks=None).fit(*rows)
    assert model.n_estimators_ == 40


@named
def test_an_interrupt_in_a_callback_keeps_the_members_so_far(estimator, rows):
    def interrupt(progress):
        if progress.kind == "member" and progress.done == 3:
            raise KeyboardInterrupt

    model = fresh(estimator, callbacks=[interrupt])
    with pytest.raises(KeyboardInterrupt):
        model.fit(*rows)
    assert 3 <= model.n_estimators_ < 40
    as_many = fresh(estimator, n_estimators=model.n_estimators_).fit(*rows)
    assert (model.predict(rows[0]) == as_many.predict(rows[0])).all()


def test_an_exception_before_the_first_member_leaves_nothing(rows):
    def fail(progress):
        raise OSError("at once")

    model = weald.GradientBoostingRegressor(5, callbacks=[fail])
    with pytest.raises(OSError, match="at once"):
        model.fit(*rows)
    assert not hasattr(model, "model_")


def test_every_callback_is_told_in_turn(rows):
    told = []
    callbacks = [lambda p: told.append(("first", p)), lambda p: told.append(("second", p))]
    weald.GradientBoostingRegressor(3, callbacks=callbacks).fit(*rows)
    assert [who for who, _ in told] == ["first", "second"] * (len(told) // 2)
    assert all(a == b for (_, a), (_, b) in zip(told[::2], told[1::2], strict=True))


def test_held_out_losses_are_told_as_they_come(rows):
    told = []
    model = weald.GradientBoostingRegressor(
        30, early_stopping_rounds=5, callbacks=[told.append], validation="random", random_state=0
    ).fit(*rows)
    values = [event.value for event in told if event.kind == "member"]
    assert values == list(model.validation_curve_[1:])
    assert {event.name for event in told if event.kind == "member"} == {"held-out loss"}


def test_the_log_has_it_all_at_debug_and_nothing_above(rows, caplog):
    with caplog.at_level(logging.DEBUG, logger="weald"):
        weald.RandomForestRegressor(6, random_state=0).fit(*rows)
    lines = [record.getMessage() for record in caplog.records]
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}
    assert lines[-1].startswith("6 of 6, out-of-bag error ")
    assert any("of 6" not in line for line in lines), "stages are named"
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="weald"):
        weald.RandomForestRegressor(6, random_state=0).fit(*rows)
    assert not caplog.records
