"""Whatever users bring: arrays of every kind, frames of every library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import weald
from conftest import numbers


def fitted(X, y, **parameters):
    return weald.RandomForestClassifier(8, random_state=1, **parameters).fit(X, y)


def test_every_layout_of_an_array_gives_the_same_model():
    X, y = numbers()
    X = X.astype(np.float32)
    X[3, 2] = np.nan
    expected = fitted(X, y).model_._core.to_bytes()
    padded = np.zeros((len(X) * 2, 7), dtype=np.float32)
    padded[::2, 1:6] = X
    swapped = X.astype(">f4")
    readonly = X.copy()
    readonly.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(np.float32)
    for same in (
        np.asfortranarray(X),
        X.astype(np.float64),
        padded[::2, 1:6],
        X[::-1][::-1],
        np.ascontiguousarray(X[::-1])[::-1],
        X[:, ::-1][:, ::-1],
        swapped,
        readonly,
        unaligned.reshape(X.shape),
        X.tolist(),
        X.astype(object),
    ):
        assert fitted(same, y).model_._core.to_bytes() == expected


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, bool])
def test_integers_are_numbers(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if kind is bool else 100, (200, 4)).astype(kind)
    y = (X[:, 0] > X[:, 1]).astype(int)
    a = fitted(X, y).model_._core.to_bytes()
    assert a == fitted(X.astype(np.float64), y).model_._core.to_bytes()


def test_sparse_matrices_are_their_dense_selves():
    X, y = numbers()
    X = np.where(np.abs(X) < 0.8, 0.0, X)
    expected = fitted(X, y).model_._core.to_bytes()
    for make in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.coo_array):
        model = fitted(make(X), y)
        assert model.model_._core.to_bytes() == expected
        assert np.array_equal(model.predict(make(X)), model.predict(X))


def test_a_sparse_matrix_too_large_for_memory_is_refused():
    X = sparse.csr_array((10**8, 10**6))
    with pytest.raises(MemoryError, match="GiB written out"):
        weald._table.dense(X)


def test_frames_of_all_libraries_give_the_same_model(frame):
    X, y = frame
    X = X.drop(columns="day")
    X["count"] = X["count"].astype("float64")
    expected = fitted(X, y)
    arrow = pa.Table.from_pandas(X)
    for other in (pl.from_pandas(X), arrow, Stream(arrow)):
        model = fitted(other, y)
        assert list(model.feature_names_in_) == list(X.columns)
        assert np.array_equal(model.predict_proba(other), expected.predict_proba(X))
        with pytest.raises(ValueError, match="same order"):
            model.predict(other_order(other))
    dtypes = X.convert_dtypes(dtype_backend="pyarrow")
    dtypes["colour"] = X["colour"]
    assert np.array_equal(fitted(dtypes, y).predict_proba(dtypes), expected.predict_proba(X))
    nullable = X.convert_dtypes()
    assert np.array_equal(fitted(nullable, y).predict_proba(nullable), expected.predict_proba(X))


class Stream:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self):
        return len(self.table)


def other_order(X):
    if isinstance(X, Stream):
        return Stream(X.table.select(X.table.column_names[::-1]))
    return X.select(list(X.columns if isinstance(X, pl.DataFrame) else X.column_names)[::-1])


def test_categories_are_kept_by_level_not_by_code(frame):
    X, y = frame
    model = fitted(X, y)
    expected = model.predict_proba(X)
    recoded = X.copy()
    recoded["colour"] = X["colour"].cat.reorder_categories(["red", "blue", "green"])
    assert np.array_equal(model.predict_proba(recoded), expected)
    recoded["colour"] = X["colour"].astype(object)
    assert np.array_equal(model.predict_proba(recoded), expected)
    subset = X[X["colour"] == "blue"].copy()
    subset["colour"] = subset["colour"].cat.remove_unused_categories()
    assert np.array_equal(model.predict_proba(subset), expected[(X["colour"] == "blue").to_numpy()])


def test_levels_that_were_not_seen_count_as_missing_and_are_told(frame):
    X, y = frame
    model = fitted(X, y)
    other = X.assign(colour="violet")
    with pytest.warns(weald.DataWarning, match="'colour' holds levels .* in 400 rows"):
        found = model.predict_proba(other)
    assert np.array_equal(found, model.predict_proba(X.assign(colour=pd.Series([None] * 400))))


def test_categories_of_a_matrix_are_chosen_by_position():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 400), rng.normal(size=400)]).astype(float)
    y = np.isin(X[:, 0], [0, 3, 4]).astype(int)
    model = weald.DecisionTreeClassifier(categorical_features=[0], max_depth=1).fit(X, y)
    assert model.score(X, y) == 1.0
    assert weald.DecisionTreeClassifier(max_depth=1).fit(X, y).score(X, y) < 1.0
    masked = weald.DecisionTreeClassifier(categorical_features=[True, False], max_depth=1)
    assert masked.fit(X, y).score(X, y) == 1.0
    with pytest.raises(ValueError, match="X has 2 features"):
        weald.DecisionTreeClassifier(categorical_features=[7]).fit(X, y)
    with pytest.raises(ValueError, match="not a column"):
        weald.DecisionTreeClassifier(categorical_features=["town"]).fit(X, y)


def test_a_data_set_is_binned_once_and_taken_by_every_estimator(frame):
    X, y = frame
    data = weald.Dataset(X, y)
    assert data.shape == (400, 6)
    for make in (weald.RandomForestClassifier, weald.GradientBoostingClassifier):
        model = make(n_estimators=10, random_state=0)
        a = model.fit(data).predict_proba(data)
        assert np.array_equal(a, model.fit(X, y).predict_proba(X))
        assert list(model.feature_names_in_) == list(X.columns)


def test_several_targets():
    X, _ = numbers(200)
    Y = np.column_stack([X[:, 0] * 2, X[:, 1] - 1])
    for make in (weald.RandomForestRegressor, weald.DecisionTreeRegressor, weald.BaggingRegressor):
        model = make(random_state=0).fit(X, Y)
        assert model.predict(X).shape == (200, 2)
        assert model.score(X, Y) > 0.8
    model = weald.RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, Y)
    assert model.oob_prediction_.shape == (200, 2) and model.oob_score_ > 0.5


def test_out_of_bag_scores():
    X, y = numbers(400)
    model = weald.RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    assert 0.7 < model.oob_score_ < 0.95
    assert model.oob_decision_function_.shape == (400, 2)
    errors = model.model_.out_of_bag_errors
    assert len(errors) == 50 and errors[-1] == pytest.approx(1 - model.oob_score_)
    bagging = weald.BaggingRegressor(n_estimators=30, oob_score=True, random_state=0)
    assert bagging.fit(X, X[:, 0]).oob_score_ > 0.9
    with pytest.raises(ValueError, match="Out of bag"):
        weald.RandomForestClassifier(bootstrap=False, oob_score=True).fit(X, y)


@pytest.mark.parametrize("kind", [int, bool, float])
def test_labels_that_are_objects_are_scored_like_others(kind):
    X, y = numbers()
    objects = y.astype(kind).astype(object)
    forest = fitted(X, objects, oob_score=True)
    plain = fitted(X, y, oob_score=True)
    assert forest.classes_.dtype == np.array([kind(0)]).dtype
    assert forest.score(X, objects) == plain.score(X, y)
    assert forest.oob_score_ == plain.oob_score_


def test_labels_of_no_known_kind_are_named():
    X, y = numbers()
    days = np.array([pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")], dtype=object)[y]
    with pytest.raises(ValueError, match=r"y holds Timestamp.*; make text of it.*astype\(str\)"):
        fitted(X, days)


def test_frames_of_arrow_are_taken_by_position_where_the_fit_had_no_names():
    X, y = numbers()
    model = fitted(X, y)
    expected = model.predict_proba(X)
    frame = pd.DataFrame(X, columns=list("abcde"))
    table = pa.Table.from_pandas(frame)
    for other in (table, table.to_batches()[0], pl.from_pandas(frame)):
        with pytest.warns(UserWarning, match="was fitted without feature names"):
            assert np.array_equal(model.predict_proba(other), expected)
    with pytest.raises(ValueError, match="X has 4 features, but RandomForestClassifier is expect"):
        model.predict(table.drop_columns(["c"]))
    words = "Stream with names of columns, but there were none"
    with pytest.warns(UserWarning), pytest.raises(ValueError, match=words):
        model.predict(Stream(table))
    with pytest.raises(ValueError, match="a RecordBatchReader, which can be read only once"):
        model.predict(pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))
