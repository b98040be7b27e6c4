"""Dates, times and spans: one number in every container and unit."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import weald
from weald import _table, _times

DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(40)]
MOMENTS = [dt.datetime(d.year, d.month, d.day) for d in DAYS]


def moments():
    """The same forty days in every container."""
    zone = dt.timezone(dt.timedelta(hours=2))
    aware = [m.replace(tzinfo=dt.UTC).astimezone(zone) for m in MOMENTS]
    frames = {
        "objects": pd.DataFrame({"t": pd.Series(MOMENTS, dtype=object)}),
        "aware objects": pd.DataFrame({"t": pd.Series(aware, dtype=object)}),
        "dates": pd.DataFrame({"t": pd.Series(DAYS, dtype=object)}),
        "aware": pd.DataFrame({"t": pd.to_datetime(aware).tz_convert("Asia/Tokyo")}),
        "polars dates": pl.DataFrame({"t": DAYS}),
        "polars": pl.DataFrame({"t": MOMENTS}),
        "pyarrow dates": pa.table({"t": pa.array(DAYS)}),
        "pyarrow": pa.table({"t": pa.array(aware, pa.timestamp("us", tz="Asia/Tokyo"))}),
        "pandas arrow": pd.DataFrame({"t": pd.Series(DAYS, dtype=pd.ArrowDtype(pa.date32()))}),
    }
    for unit in ("s", "ms", "us", "ns"):
        frames[unit] = pd.DataFrame({"t": np.array(MOMENTS, dtype=f"datetime64[{unit}]")})
    return frames


def test_a_model_of_times_predicts_every_container_and_unit():
    frames = moments()
    y = np.sin(np.arange(40.0))
    for name, X in frames.items():
        table = _table.table_of_frame(X, ["t"], [None])
        assert table.meanings == ["instant"], name
        model = weald.DecisionTreeRegressor().fit(X, y)
        for other, rows in frames.items():
            assert np.array_equal(model.predict(rows), y), (name, other)
    days = np.array(DAYS, dtype="datetime64[D]").reshape(-1, 1)
    model = weald.DecisionTreeRegressor().fit(days, y)
    for unit in ("h", "m", "s", "ms", "us", "ns"):
        assert np.array_equal(model.predict(days.astype(f"datetime64[{unit}]")), y)
    assert np.array_equal(model.predict([[np.datetime64(day)] for day in DAYS]), y)
    loaded = weald.Model(type(model.model_._core).from_bytes(model.model_._core.to_bytes()))
    assert np.array_equal(loaded.predict(frames["ns"].rename(columns={"t": "x0"})), y)


def test_numbers_are_no_times_and_dates_no_spans():
    frames = moments()
    y = np.arange(40.0)
    model = weald.DecisionTreeRegressor().fit(frames["s"], y)
    numbers = pd.DataFrame({"t": np.arange(19_723.0, 19_763.0)})
    with pytest.raises(weald.WealdError, match=r"holds numbers.*dates or times"):
        model.predict(numbers)
    with pytest.raises(weald.WealdError, match="lengths of time"):
        model.predict(pd.DataFrame({"t": pd.to_timedelta(np.arange(40), unit="D")}))
    with pytest.raises(weald.WealdError, match="dates or times"):
        weald.DecisionTreeRegressor().fit(numbers, y).predict(frames["s"])
    nothing = model.predict(pd.DataFrame({"t": [None] * 3}))
    assert np.array_equal(nothing, model.predict(pd.DataFrame({"t": pd.Series([pd.NaT] * 3)})))


def test_dates_far_away_are_what_they_are():
    far = [dt.datetime(9999, 12, 31), dt.datetime(1, 1, 1), None]
    expected = [253_402_214_400.0, -62_135_596_800.0, np.nan]
    for series in (
        pd.Series(far, dtype=object),
        pd.Series([None if f is None else f.date() for f in far], dtype=object),
        pd.Series(np.array(far, dtype="datetime64[s]")),
        pd.Series(far, dtype=pd.ArrowDtype(pa.timestamp("us"))),
    ):
        table = _table.table_of_frame(pd.DataFrame({"t": series}), ["t"], [None])
        assert table.meanings == ["instant"]
        found = _table._of_series("t", series, None)[0]
        if isinstance(found, np.ndarray):
            assert np.array_equal(found, expected, equal_nan=True)


def test_every_unit_of_numpy():
    assert _times.seconds(np.array(["2024-03", "NaT"], "M8[M]"))[0][0] == 1_709_251_200.0
    assert _times.seconds(np.array([3], "m8[W]"))[0][0] == 3 * 7 * 86_400.0
    assert _times.seconds(np.array([-100], "m8[ms]"))[0][0] == -0.1
    assert _times.seconds(np.array([5], "m8[10s]"))[0][0] == 50.0
    assert _times.seconds(np.array([5], ">m8[s]"))[0][0] == 5.0
    assert np.isnan(_times.seconds(np.array(["NaT"], "m8"))[0][0])
    with pytest.raises(ValueError, match="no fixed length"):
        _times.seconds(np.array([1], "m8[Y]"))
    one = np.array(["2024-03-01T10:30:05.25"], "M8[ms]")
    for unit in ("ms", "us", "ns"):
        assert _times.seconds(one.astype(f"M8[{unit}]")) == (1_709_289_005.25, 0)
    fine = np.array(["2024-03-01T10:30:05.000000001", "2024-03-02T00:00:00.000000003"], "M8[ns]")
    with pytest.warns(weald.DataWarning, match="holds 2 times finer"):
        weald.DecisionTreeRegressor().fit(pd.DataFrame({"t": fine}), [0.0, 1.0])


def test_objects_that_hide_dates_are_refused():
    X = np.array([[np.datetime64("2024-01-01"), 1.0]] * 4, dtype=object)
    with pytest.raises(weald.WealdError, match="pass a frame"):
        weald.DecisionTreeRegressor().fit(X, np.arange(4.0))


def test_dates_as_categories_are_spelled_alike():
    moments = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2, 3, 4, 5, 250_000), None]
    spelled = [["2024-01-01", "2024-01-02 03:04:05.25"]]
    for X in (
        pd.DataFrame({"t": pd.Series(moments, dtype=object)}),
        pd.DataFrame({"t": pd.to_datetime(moments)}),
        pd.DataFrame({"t": pd.Categorical(moments)}),
        pl.DataFrame({"t": moments}),
        pa.table({"t": moments}),
    ):
        assert _table.table_of_frame(X, ["t"], [True]).levels == spelled
    spans = [dt.timedelta(hours=1), dt.timedelta(days=-1), None]
    for X in (pd.DataFrame({"t": pd.to_timedelta(spans)}), pl.DataFrame({"t": spans})):
        assert _table.table_of_frame(X, ["t"], [True]).levels == [["-24:00:00", "01:00:00"]]


def test_rows_drawn_from_a_density_are_times_again():
    X = pd.DataFrame({"t": np.array(MOMENTS, dtype="datetime64[s]")})
    model = weald.DensityForest(random_state=0).fit(X)
    drawn = model.sample(5, random_state=1)
    assert drawn["t"].dtype.kind == "M"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(model.score_samples(drawn)).all()
