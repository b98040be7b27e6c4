"""Tables of Arrow streams: what is shared, what is gathered, what is refused."""

import gc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import weald
from weald._weald import Table, WealdError


def of_arrow(stream, categorical=(), numeric=()):
    return Table.of_arrow(stream, list(categorical), list(numeric))


class Stream:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, source):
        self.source = source

    def __arrow_c_stream__(self, requested_schema=None):
        return self.source.__arrow_c_stream__(requested_schema)


def test_columns_have_their_kinds():
    columns = {
        "x": pa.array([1.5, None, 2.0], pa.float32()),
        "n": pa.array([1, 2, 3], pa.int64()),
        "word": ["b", None, "a"],
        "flag": [True, False, None],
        "key": pa.array(["u", "v", "u"]).dictionary_encode(),
        "day": pa.array([0, 1, 2], pa.date32()),
    }
    arrow = pa.table(columns)
    for source in (arrow, Stream(arrow), arrow.to_reader(), pl.from_arrow(arrow)):
        table = of_arrow(source, categorical=["n"])
        assert table.n_rows == 3
        assert table.names == list(columns)
        levels = [None, ["1", "2", "3"], ["a", "b"], ["false", "true"], ["u", "v"], None]
        assert table.levels == levels


def test_chunks_slices_and_nothing_are_read():
    whole = pa.table({"x": np.arange(10.0), "word": list("abcdefghij")})
    chunks = pa.concat_tables([whole.slice(7), whole.slice(0, 0), whole.slice(2, 3)])
    assert of_arrow(chunks).n_rows == 6
    assert of_arrow(chunks).levels == [None, list("cdehij")]
    assert of_arrow(whole.slice(4, 2)).levels == [None, ["e", "f"]]
    assert of_arrow(whole.slice(0, 0)).n_rows == 0
    assert of_arrow(pa.schema({"x": pa.float64()}).empty_table()).names == ["x"]


def test_the_memory_of_a_stream_outlives_its_source():
    allocated = pa.total_allocated_bytes()
    source = pa.table({"x": pa.array(np.arange(1e6)).take(pa.array(np.arange(10**6)))})
    table = of_arrow(source)
    del source
    gc.collect()
    # The table keeps the values, and gives them back.
    assert pa.total_allocated_bytes() - allocated >= 8 * 10**6
    assert table.n_rows == 10**6
    del table
    gc.collect()
    assert pa.total_allocated_bytes() - allocated < 8 * 10**6


def test_a_stream_is_read_once():
    reader = pa.table({"x": [1.0, 2.0]}).to_reader()
    assert of_arrow(reader).n_rows == 2
    capsule = pa.table({"x": [1.0]}).__arrow_c_stream__()

    class Held:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    assert of_arrow(Held()).n_rows == 1
    with pytest.raises(WealdError, match="released"):
        of_arrow(Held())


def test_a_stream_may_run_python_and_may_fail():
    schema = pa.schema({"x": pa.float64()})
    batch = pa.record_batch({"x": [1.0, 2.0]})

    def batches(fails):
        yield batch
        if fails:
            raise ValueError("the source is gone")
        yield batch

    assert of_arrow(pa.RecordBatchReader.from_batches(schema, batches(False))).n_rows == 4
    with pytest.raises(WealdError, match="the source is gone"):
        of_arrow(pa.RecordBatchReader.from_batches(schema, batches(True)))


def test_what_is_no_stream_or_has_no_meaning_is_refused():
    with pytest.raises(WealdError, match="an Arrow stream is needed"):
        of_arrow(np.zeros(3))

    class Odd:
        def __init__(self, what):
            self.what = what

        def __arrow_c_stream__(self, requested_schema=None):
            return self.what

    array = pa.array([1.0])
    for odd in (3, array.__arrow_c_array__()[0], array.__arrow_c_array__()[1]):
        with pytest.raises(WealdError, match="an Arrow stream is needed"):
            of_arrow(Odd(odd))
    with pytest.raises(WealdError, match='"list" of the stream is of type'):
        of_arrow(pa.table({"list": [[1], [2]]}))
    with pytest.raises(WealdError, match='"word" holds "oak" in row 1'):
        of_arrow(pa.table({"word": ["oak"]}), numeric=["word"])
    # A stream of single arrays has no columns.
    with pytest.raises(WealdError):
        of_arrow(pa.chunked_array([[1.0], [2.0]]))


def test_names_that_arrow_cannot_hand_over_are_refused():
    values = [1.0, 2.0, 3.0] * 4
    nested = pl.DataFrame({"a": [{"x\0": 1}] * 12})
    with pytest.raises(ValueError, match="the column 'a' is of type Struct"):
        weald.DecisionTreeRegressor().fit(nested, values)
    column = pd.Series(values, dtype=pd.ArrowDtype(pa.float64()))
    for frame in (
        pl.DataFrame({"a\0b": values}),
        pa.table({"a\0b": values}),
        pd.DataFrame({"a\0b": column}),
    ):
        with pytest.raises(
            ValueError, match=r"the column 'a\\x00b' has a NUL character in its name"
        ):
            weald.DecisionTreeRegressor().fit(frame, values)
