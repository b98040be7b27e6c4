"""One spelling of levels, and integers kept whole, in every container."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import weald
from weald import _table

N = 60
KINDS = {
    "bool": ([True, False, None], "boolean", ["false", "true"]),
    "int": ([10, 2, 9_007_199_254_740_993, None], "number", ["10", "2", "9007199254740993"]),
    "float": ([1.0, 2.5, 0.1, None], "number", ["0.1", "1", "2.5"]),
    "text": (["True", "true", "01", None], None, ["01", "True", "true"]),
}


def containers(kind):
    """The same rows in every container that holds such levels."""
    values = (KINDS[kind][0] * N)[:N]
    some = [v for v in KINDS[kind][0] if v is not None]
    codes = [-1 if v is None else some.index(v) for v in values]
    pandas_types = {"bool": "boolean", "int": "Int64", "float": "Float64", "text": "string"}
    arrow_types = {
        "bool": pa.bool_(),
        "int": pa.int64(),
        "float": pa.float64(),
        "text": pa.string(),
    }
    arrow = pa.array(values, arrow_types[kind])
    frames = {
        "object": pd.DataFrame({"c": pd.Series(values, dtype=object)}),
        "nullable": pd.DataFrame({"c": pd.array(values, dtype=pandas_types[kind])}),
        "category": pd.DataFrame({"c": pd.Categorical.from_codes(codes, some)}),
        "pandas arrow": pd.DataFrame(
            {"c": pd.Series(values, dtype=pd.ArrowDtype(arrow_types[kind]))}
        ),
        "polars": pl.DataFrame({"c": values}),
        "pyarrow": pa.table({"c": arrow}),
        "chunks": pa.table({"c": pa.chunked_array([arrow[:7], arrow[7:]])}),
    }
    if kind != "bool":  # pyarrow encodes no booleans
        frames["dictionary"] = pa.table({"c": arrow.dictionary_encode()})
    return frames


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_fitted_on_one_container_predicts_every_other(kind):
    _, meaning, levels = KINDS[kind]
    frames = containers(kind)
    y = np.array([i % 4 for i in range(N)])
    models = {
        name: weald.DecisionTreeClassifier(categorical_features=["c"], random_state=0).fit(X, y)
        for name, X in frames.items()
    }
    for name, model in models.items():
        assert model.model_._core.levels == [levels], name
        table = _table.table_of_frame(frames[name], ["c"], [True])
        assert table.meanings == [meaning], name
        expected = model.predict_proba(frames["object"])
        for other, X in frames.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert np.array_equal(model.predict_proba(X), expected), (name, other)
    assert len({bytes(m.model_._core.to_bytes()) for m in models.values()}) == 1


def test_integers_of_a_matrix_are_levels_as_they_are():
    first = 2**53
    X = np.array([[first + i % 3, i % 2] for i in range(N)])
    y = np.array([(i % 3) == 1 for i in range(N)])
    for given in (X, X.tolist(), X.astype(object), sparse.csr_array(X), X.astype(np.uint64)):
        model = weald.DecisionTreeClassifier(categorical_features=[0]).fit(given, y)
        assert model.score(given, y) == 1.0
        assert model.model_._core.levels[0] == [str(first + i) for i in range(3)]
        frame = pd.DataFrame(X, columns=["a", "b"])
        assert model.model_.predict(frame.rename(columns={"a": "x0", "b": "x1"}))[1] == "true"
    booleans = weald.DecisionTreeClassifier(categorical_features=[0]).fit(X[:, 1:] == 1, y)
    assert booleans.model_._core.levels == [["false", "true"]]


@pytest.mark.parametrize(
    "X",
    [
        np.array([[2**53 + 1], [1]]),
        np.array([[2**63 + 1], [1]], dtype=np.uint64),
        np.array([[-(2**53) - 1], [1]]),
        [[2**53 + 1], [1]],
        sparse.csr_array([[2**53 + 1], [1]]),
        pd.DataFrame({"x0": [2**53 + 1, 1]}),
        pd.DataFrame({"x0": pd.array([2**53 + 1, None], dtype="Int64")}),
        pd.DataFrame({"x0": pd.Series([2**53 + 1, 1], dtype="int64[pyarrow]")}),
        pd.DataFrame({"x0": pd.Series([2**70 + 1, 1], dtype=object)}),
        pl.DataFrame({"x0": [2**53 + 1, 1]}),
        pa.table({"x0": [2**53 + 1, 1]}),
        pa.table({"x0": pa.array([Decimal("1234567890.123456789"), None])}),
    ],
)
def test_numbers_that_lose_digits_are_told_of(X):
    with pytest.warns(weald.DataWarning, match="'x0'|\"x0\""):
        weald.DecisionTreeRegressor().fit(X, [0.0, 1.0])


def test_integers_that_floats_hold_are_not_told_of():
    X = np.array([[2**53], [2**60], [-(2**63)], [3]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weald.DecisionTreeRegressor().fit(X, np.arange(4.0))
        weald.DecisionTreeRegressor().fit(pd.DataFrame(X), np.arange(4.0))


def test_text_that_is_nearly_all_numbers_is_refused():
    values = [str(i) for i in range(30)]
    values[4] = "x"
    grouped = [f"{i},000" for i in range(1, 31)]
    y = np.arange(30) % 2
    for words in (values, grouped):
        wrong = "'x'" if words is values else "'1,000'"
        for X in (
            pd.DataFrame({"n": words}),
            pd.DataFrame({"n": words}, dtype="string"),
            pl.DataFrame({"n": words}),
            pa.table({"n": words}),
        ):
            with pytest.raises(weald.WealdError, match="categorical_features") as raised:
                weald.DecisionTreeClassifier().fit(X, y)
            assert wrong.strip("'") in str(raised.value)
            weald.DecisionTreeClassifier(categorical_features=["n"]).fit(X, y)
    weald.DecisionTreeClassifier().fit(pd.DataFrame({"n": [f"0{i}" for i in range(30)]}), y)
    weald.DecisionTreeClassifier().fit(pd.DataFrame({"n": pd.Categorical(values)}), y)


def test_blank_text_is_missing_as_in_files():
    table = _table.table_of_frame(pd.DataFrame({"c": ["a", "", " ", "b"]}), ["c"], [None])
    assert (
        table.levels
        == _table.table_of_frame(pl.DataFrame({"c": ["a", "", " ", "b"]}), ["c"], [None]).levels
        == [["a", "b"]]
    )


def test_level_names():
    assert [_table.level_name(v) for v in (1, 1.0, np.float32(0.1), 1e300, -0.0, 1e-7, True)] == [
        "1",
        "1",
        "0.1",
        "1e300",
        "0",
        "1e-7",
        "true",
    ]
    assert _table.level_name(Decimal("1.50")) == "1.5"
    assert _table.level_name("1.50") == "1.50"


def test_levels_of_several_kinds_that_are_spelled_alike_are_refused():
    y = [0, 1] * 20
    for one, other in ((1, "1"), (True, "true"), (2.5, "2.5")):
        mixed = np.array([one, other] * 20, dtype=object)
        words = r"the column 'c' holds the levels .* spelled alike"
        with pytest.raises(ValueError, match=words):
            weald.DecisionTreeClassifier().fit(pd.DataFrame({"c": pd.Categorical(mixed)}), y)
    mixed = np.array([[1], ["1"]] * 20, dtype=object)
    with pytest.raises(ValueError, match=r"'x0' holds the levels 1 and '1'"):
        weald.DecisionTreeClassifier(categorical_features=[0]).fit(
            weald.Dataset(mixed, categorical_features=[0]), y
        )
