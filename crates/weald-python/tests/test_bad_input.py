"""What each bad input gets: a clear error or a named warning, never a wrong answer in silence."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import weald
from conftest import ESTIMATORS, TREES, made, numbers

SUPERVISED = [name for name in ESTIMATORS if name != "GradientBoostingRanker"]


def refused(words, X, y, make=weald.RandomForestClassifier, error=ValueError, **fit):
    with pytest.raises(error, match=words):
        make().fit(X, y, **fit)


X, y = numbers(60)


@pytest.mark.parametrize("name", SUPERVISED)
def test_shapes_and_lengths(name):
    make = partial(made, name)
    refused(r"0 sample\(s\)", X[:0], y[:0], make)
    refused(r"0 feature\(s\)", X[:, :0], y, make)
    refused(r"0 sample\(s\)", pd.DataFrame(X[:0]), y[:0], make)
    refused(r"inconsistent numbers of samples: \[60, 59\]", X, y[:-1], make)
    refused("1D array", X[:, 0], y, make)
    refused("requires y to be passed", X, None, make)


@pytest.mark.parametrize("name", SUPERVISED)
def test_targets_that_are_no_numbers(name):
    make = partial(made, name)
    for bad in (np.nan, np.inf):
        target = y.astype(float)
        target[[7, 9]] = bad
        refused(r"Input y contains (NaN|infinity): in row 7 and 1 more", X, target, make)


@pytest.mark.parametrize("lacking", [None, np.nan, pd.NA, pd.NaT])
def test_labels_that_are_missing(lacking):
    for name in (n for n in SUPERVISED if "Classifier" in n):
        target = np.where(y == 1, "yes", "no").astype(object)
        target[[7, 9, 30]] = lacking
        refused(
            "Input y contains (None|NaN|<NA>|NaT): in row 7 and 2 more",
            X,
            target,
            partial(made, name),
        )
    words = "Input y contains (None|NaN|<NA>|NaT): in row 3"
    refused(words, X, pd.Series(["a", "b", "c", lacking] * 15))
    refused(words, X, pd.Series(["a", "b", "c", None] * 15, dtype="category"))
    refused(words, X, pd.Series(["a", "b", "c", None] * 15, dtype="string"))
    refused(words, X, pd.Series([1, 2, 3, None] * 15, dtype="Int64"))
    refused(words, X, pd.Series([True, False, True, None] * 15, dtype="boolean"))
    refused(words, X, ["a", "b", "c", lacking] * 15)
    refused("y holds 'a' in row 0 but 1 in row 1; labels must be of one type", X, ["a", 1] * 30)
    refused(words, X, pd.Series(["a", "b", "c", lacking] * 15), make=lambda: weald.Halving())


@pytest.mark.parametrize("first", [2**63 + 1, 2**64 - 2, 2**63 - 1, 0])
def test_labels_of_64_bits(first):
    target = np.where(y == 1, np.uint64(first + 1), np.uint64(first))
    for name in (n for n in SUPERVISED if "Classifier" in n):
        model = made(name).fit(X, target)
        assert model.classes_.dtype == np.uint64 and list(model.classes_) == [first, first + 1]
        assert set(model.predict(X)) <= {np.uint64(first), np.uint64(first + 1)}
    boosting = weald.GradientBoostingClassifier(5, early_stopping_rounds=2)
    boosting.fit(X, target, eval_set=(X, target))
    boosting.fit(X, target, eval_set=(X, [int(label) for label in target]))
    # As doubles the two are the same.
    with pytest.raises(ValueError, match="which the training rows do not"):
        boosting.fit(X, target, eval_set=(X, target + np.uint64(1)))
    with pytest.raises(ValueError, match="which the training rows do not"):
        boosting.fit(X, target, eval_set=(X, target.astype(str)))
    small = np.where(y == 1, np.int8(127), np.int8(-128))
    assert list(weald.NaiveBayes().fit(X, small).classes_) == [-128, 127]
    assert weald.NaiveBayes().fit(X, y == 1).classes_.dtype == bool


@pytest.mark.parametrize("name", SUPERVISED)
@pytest.mark.parametrize("size", [1e308, 1e-300])
def test_weights_of_any_size(name, size):
    model = made(name, random_state=0)
    usual = model.fit(X, y, sample_weight=np.full(60, np.frexp(size)[0])).predict(X)
    assert np.array_equal(model.fit(X, y, sample_weight=np.full(60, size)).predict(X), usual)


def test_masked_values():
    masked = np.ma.array(X.copy(), mask=False)
    masked[5:40, 0] = np.ma.masked
    masked.data[5:40, 0] = 1e9
    missing = masked.filled(np.nan)
    for make in (weald.DecisionTreeClassifier, weald.GradientBoostingClassifier, weald.NaiveBayes):
        model = make(random_state=0).fit(missing, y)
        said = model.predict_proba(missing)
        assert np.array_equal(model.predict_proba(masked), said)
        assert np.array_equal(model.model_.predict_proba(masked), said)
        assert np.array_equal(make(random_state=0).fit(masked, y).predict_proba(missing), said)
        dataset = weald.Dataset(masked, y)
        assert np.array_equal(make(random_state=0).fit(dataset).predict_proba(missing), said)
    whole = np.ma.array(np.round(X * 9).astype(int), mask=False)
    whole[3, 1] = np.ma.masked
    model = weald.DecisionTreeClassifier().fit(whole, y)
    assert np.array_equal(model.predict(whole), model.predict(whole.astype(float).filled(np.nan)))
    lacking = np.ma.array(y, mask=np.arange(60) == 4)
    refused("y is masked in row 4", X, lacking)
    refused("y is masked in row 4", X, lacking.astype(float), weald.RandomForestRegressor)
    refused(
        "sample_weight is masked in row 4",
        X,
        y,
        sample_weight=np.ma.array(X[:, 0] ** 2, mask=lacking.mask),
    )
    assert weald.NaiveBayes().fit(X, np.ma.array(y)).score(X, y) > 0.5


def test_containers_that_are_no_tables():
    structured = np.zeros(60, dtype=[("a", float), ("b", float)])
    refused("structured array", structured, y)
    refused("collect it first", pl.DataFrame(X).lazy(), y)
    for series in (pd.Series(X[:, 0]), pl.Series(X[:, 0]), pa.chunked_array([X[:, 0]])):
        refused("Expected 2D array, got 1D array instead", series, y)
    frame = pl.DataFrame(X).with_columns(nothing=pl.lit(None))
    with pytest.warns(weald.DataWarning, match="without any value"):
        weald.NaiveBayes().fit(frame, y)
        weald.DecisionTreeClassifier().fit(frame, y)
    model = weald.NaiveBayes().fit(X, y.astype(object))
    assert model.classes_.dtype.kind == "i"


def test_what_comes_with_rows():
    boosting = partial(weald.GradientBoostingClassifier, 3)
    refused("eval_set holds 2 pairs", X, y, boosting, eval_set=[(X, y), (X, y)])
    refused("eval_set has no y", X, y, boosting, eval_set=(X, None))
    boosting().fit(X, y, eval_set=[(X, y)])
    refused("init_model is 'x'", X, y, boosting, error=TypeError, init_model="x")
    refused("not fitted", X, y, boosting, init_model=weald.GradientBoostingClassifier())
    stack = partial(made, "StackingClassifier")
    refused("Input groups contains None: in row 1", X, y, stack, groups=["a", None, "b"] * 20)
    refused("Input groups contains NaN: in row 2", X, y, stack, groups=[1.0, 2.0, np.nan] * 20)
    refused("groups holds 'a' in row 0 but 1", X, y, stack, groups=["a", 1] * 30)
    dates = np.arange(60).astype("datetime64[D]")
    refused("y holds times", X, dates, weald.Ridge)
    forest = weald.RandomForestClassifier(3).fit(X, y)
    for n in (2.5, "a", None, -1):
        with pytest.raises(ValueError, match="n is"):
            weald.query(forest, X, n)
        with pytest.raises(ValueError, match="n_samples is"):
            weald.DensityForest(3).fit(X).sample(n)
    with pytest.raises(ValueError, match="row is an array of shape"):
        forest.model_.predict_row(X[:1])


def test_control_characters_are_not_shown_raw():
    odd = pd.DataFrame({"a\x1b[31m": X[:, 0], "b": X[:, 1]})
    model = weald.DecisionTreeClassifier(max_depth=2).fit(
        odd, np.where(y == 1, "p\x1b[1m", "q\x07")
    )
    for shown in (repr(model.model_), model._repr_html_(), model.model_._repr_html_()):
        assert "\x1b" not in shown and "\x07" not in shown
    with pytest.raises(ValueError) as caught:
        model.model_.predict(odd[["b"]])
    assert "\x1b" not in str(caught.value)


def test_a_continuous_target_is_for_regressors():
    for name in (n for n in SUPERVISED if "Classifier" in n):
        refused("Unknown label type: continuous", X, X[:, 0], partial(made, name))


def test_one_class_is_fitted_with_a_warning():
    for name in (n for n in SUPERVISED if "Classifier" in n):
        with pytest.warns(weald.DataWarning, match='every row has the class "3"'):
            model = made(name).fit(X, np.full(60, 3))
        assert model.predict_proba(X).shape == (60, 1)
        assert (model.predict(X) == 3).all()


def test_useless_columns_are_named():
    frame = pd.DataFrame({"a": X[:, 0], "same": 1.0, "gone": np.nan})
    with pytest.warns(weald.DataWarning) as heard:
        weald.RandomForestClassifier(5).fit(frame, y)
    told = [str(one.message) for one in heard]
    assert any("constant" in words and '"same"' in words for words in told), told
    assert any("without any value" in words and '"gone"' in words for words in told), told
    with pytest.warns(weald.DataWarning) as heard:
        weald.RandomForestClassifier(5).fit(frame[["same"]], y)
    assert any("predicts the same for every row" in str(one.message) for one in heard)


def test_infinite_and_extreme_features():
    wild = X.copy()
    wild[3, 0], wild[4, 0], wild[5, 1], wild[6, 1], wild[7, 2] = (
        np.inf,
        -np.inf,
        1e300,
        5e-324,
        -0.0,
    )
    with pytest.warns(weald.DataWarning, match="infinite values"):
        model = weald.DecisionTreeClassifier().fit(wild, y)
    assert model.score(wild, y) == 1.0


def test_text_in_a_column_of_numbers():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    model = weald.RandomForestClassifier(5).fit(frame, y)
    dirty = frame.astype({"b": object})
    dirty.loc[[4, 9], "b"] = "n/a?"
    words = r"'b' should hold numbers, but row 5 has 'n/a\?' \(and 1 more"
    with pytest.raises(weald.WealdError, match=words):
        model.predict(dirty)
    with pytest.raises(weald.WealdError, match=r"'b' holds text, but .* in row 1 is not"):
        weald.RandomForestClassifier(5).fit(dirty, y)
    refused("could not convert string", [["a"]] * 60, y)
    refused("Complex data not supported", X.astype(complex), y)


def test_column_names():
    twice = pd.DataFrame(X[:, :2], columns=["a", "a"])
    refused(r"unique column names, got:\n- 'a' 2 times", twice, y)


def test_weights():
    make = weald.RandomForestClassifier
    refused("weight of row 3 is -1", X, y, make, sample_weight=np.where(np.arange(60) == 2, -1, 1))
    refused("NaN", X, y, make, sample_weight=np.full(60, np.nan))
    refused("zero", X, y, make, sample_weight=np.zeros(60))
    refused("sample_weight.shape", X, y, make, sample_weight=np.ones(59))


def test_parameters():
    def bad(words, make=weald.RandomForestClassifier, **parameters):
        with pytest.raises(ValueError, match=words):
            make(**parameters).fit(X, y)

    bad('`n_estimators` is "0"; expected at least 1', n_estimators=0)
    bad('`max_features` is "most"', max_features="most")
    bad('`criterion` is "giny"', criterion="giny")
    bad("n_jobs is 0", n_jobs=0)
    bad("random_state is -1", random_state=-1)
    bad("max_samples needs bootstrap", max_samples=0.5, bootstrap=False)
    bad("monotone_constraints has 2 values, but there are 5", monotone_constraints=[1, 0])
    bad("monotone_constraints is 3", monotone_constraints=[3, 0, 0, 0, 0])
    bad("class_weight names '7'", class_weight={7: 2.0})
    bad("either ccp_alpha or pruning", weald.DecisionTreeClassifier, ccp_alpha=0.1, pruning="none")
    bad("`loss` is", weald.GradientBoostingClassifier, loss="sqared")
    bad("eval_set|learning_rate", weald.GradientBoostingClassifier, learning_rate=-1)


def test_another_number_of_columns():
    model = weald.RandomForestClassifier(5).fit(X, y)
    with pytest.raises(
        ValueError, match="X has 4 features, but RandomForestClassifier is expecting 5"
    ):
        model.predict(X[:, :4])


def test_model_files(tmp_path):
    path = tmp_path / "m.weald"
    weald.RandomForestClassifier(5, random_state=0).fit(X, y).save(path)
    model = weald.load(path)
    assert model.method == "random-forest" and model.n_members == 5
    names = model.feature_names
    shuffled = pd.DataFrame(X, columns=names)[names[::-1]].assign(extra=1)
    assert np.array_equal(model.predict_proba(shuffled), model.predict_proba(X))
    with pytest.raises(weald.WealdError, match='lacks the column "x1"'):
        model.predict(shuffled.drop(columns="x1"))
    data = path.read_bytes()
    for bad, words in (
        (data[:-5], "truncated|shorter|end"),
        (b"PK\x03\x04" + data, "not a weald model file"),
        (data[:-3] + b"abc", "damaged|checksum|SHA"),
        (b"", "truncated: it has only 0 bytes"),
    ):
        path.write_bytes(bad)
        with pytest.raises(weald.ModelFileError, match=words):
            weald.load(path)
    with pytest.raises(OSError, match="No such file"):
        weald.load(tmp_path / "none.weald")
    with pytest.raises(FileNotFoundError):
        weald.RandomForestClassifier(5).fit(X, y).save(tmp_path / "no" / "m.weald")


def test_a_file_that_is_no_model_is_not_replaced(tmp_path):
    model = weald.DecisionTreeClassifier().fit(X, y)
    table, link = tmp_path / "data.csv", tmp_path / "link"
    table.write_text("a,b\n1,2\n")
    link.symlink_to(table)
    for path in (table, link):
        with pytest.raises(FileExistsError, match="not a model"):
            model.save(path)
    assert table.read_text() == "a,b\n1,2\n"
    path = tmp_path / ("m" * 255)
    path.touch(mode=0o600)
    for _ in range(2):
        model.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert weald.load(path).method == "decision-tree"
    assert len(list(tmp_path.iterdir())) == 3


def test_threads_have_a_ceiling():
    for n_jobs in (1025, 100_000):
        with pytest.raises(ValueError, match="at most 1024"):
            weald.RandomForestClassifier(5, n_jobs=n_jobs).fit(X, y)
    model = weald.RandomForestClassifier(5).fit(X, y).set_params(n_jobs=100_000)
    with pytest.raises(ValueError, match="at most 1024"):
        model.predict(X)


def test_an_unfitted_estimator_says_so():
    from sklearn.exceptions import NotFittedError

    for name in ESTIMATORS:
        of_trees = ("apply", "decision_path") if name in TREES else ()
        for method in ("predict", *of_trees):
            with pytest.raises(NotFittedError):
                getattr(made(name), method)(X)
        with pytest.raises(NotFittedError):
            made(name).save("m.weald")
