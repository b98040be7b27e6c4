"""weald's extension module, as it is built from Rust. Users have the classes of ``weald``."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from ._sketch import Node

__all__ = [
    "Fitted",
    "InternalError",
    "Model",
    "ModelFileError",
    "Online",
    "OutOfMemoryError",
    "Rows",
    "Stages",
    "Stream",
    "Table",
    "Target",
    "WealdError",
    "__version__",
    "_panic",
    "corrected_t_test",
    "fit",
    "methods",
    "nearly_numbers",
    "settings",
    "spelled",
]

__version__: str

class WealdError(ValueError):
    """Input or parameters that weald cannot use."""

class OutOfMemoryError(MemoryError):
    """Work that needs more memory than there is; refused before it begins."""

class ModelFileError(WealdError):
    """A model file that cannot be read."""

class InternalError(RuntimeError):
    """A fault of weald itself; please report it."""

@final
class Table:
    """Columns of one length. Numbers stay where they are; bins are computed once and kept."""

    @staticmethod
    def of_matrix(names: list[str], matrix: NDArray[Any]) -> Table:
        """The columns of a matrix of 32-bit or 64-bit floats, which is not copied."""
    @staticmethod
    def of_columns(columns: list[tuple[str, Any, list[str] | None, str | None]]) -> Table:
        """Named columns, with what they stand for, if that is more than numbers or text: an array
        of floats, which is not copied, an array of 32-bit codes with the names of its levels, the
        largest code being a missing value, or a table, whose first column it is."""
    @staticmethod
    def of_arrow(source: Any, categorical: list[str], numeric: list[str]) -> Table:
        """The columns of an Arrow stream; which hold categories, and which hold numbers, whatever
        their types say."""
    @property
    def n_rows(self) -> int:
        """How many rows."""
    @property
    def names(self) -> list[str]:
        """The names of the columns."""
    @property
    def levels(self) -> list[list[str] | None]:
        """The levels of each column; `None` for numbers."""
    @property
    def meanings(self) -> list[str | None]:
        """What each column stands for, if that is more than numbers or text."""
    @property
    def warnings(self) -> list[str]:
        """What was met that may surprise, in words."""

@final
class Target:
    """What is to be predicted."""

    @staticmethod
    def none(n_rows: int) -> Target:
        """Nothing to predict, for so many rows."""
    @staticmethod
    def of_classes(codes: NDArray[np.uint32], names: list[str]) -> Target:
        """A class for each row, as a position in `names`."""
    @staticmethod
    def of_numbers(values: NDArray[np.float64]) -> Target:
        """A number for each row."""
    @staticmethod
    def of_several_classes(
        codes: NDArray[np.uint32], names: list[str], classes: list[list[str]]
    ) -> Target:
        """A class of each name for each row, as positions in that name's list of classes."""
    @staticmethod
    def of_several(values: NDArray[np.float64], names: list[str]) -> Target:
        """Several numbers for each row, one for each name."""

@final
class Rows:
    """Rows that are not trained on, and what belongs to them."""

    def __new__(
        cls,
        table: Table,
        target: Target,
        *,
        weights: NDArray[np.float64] | None = None,
        groups: NDArray[np.uint32] | None = None,
        offset: NDArray[np.float64] | None = None,
    ) -> Rows: ...
    @property
    def weight(self) -> float: ...

@final
class Fitted:
    """What a fit gives."""

    @property
    def model(self) -> Model:
        """The model."""
    @property
    def warnings(self) -> list[str]:
        """What was suspicious, in words."""
    @property
    def raised(self) -> BaseException | None:
        """What to raise once the model has been put away: the fit was interrupted."""
    @property
    def out_of_bag(self) -> NDArray[np.float64] | None:
        """What the members that have not seen a row say of it, where that was asked for."""

@final
class Model:
    """A fitted model of any method."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Model:
        """The model that a file holds."""
    @staticmethod
    def from_bytes(bytes: bytes) -> Model:
        """The model that a file's bytes hold."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model to a file: the old file is there until the new one is. A file that is no
        model is not replaced."""
    def to_bytes(self) -> bytes:
        """What a file of this model holds."""
    def __reduce__(self) -> tuple[Callable[..., Model], tuple[Any, ...]]: ...
    def scores(
        self, table: Table, threads: int
    ) -> tuple[NDArray[np.float64], list[tuple[str, int]], list[str]]:
        """What the model says of each row: class probabilities, or numbers. With it, the columns
        that hold levels it has not seen, each with how many rows, and columns it has no use for."""
    def most_probable(
        self, table: Table, threads: int
    ) -> tuple[NDArray[np.uint32], list[tuple[str, int]], list[str]]:
        """The class that the model holds most likely of each row, the first of equals, by its
        number; and what ``scores`` tells besides."""
    def raw_scores(self, table: Table, threads: int) -> NDArray[np.float64]:
        """The scores of each row before they become predictions, such as log-odds."""
    def margins(self, table: Table, target: Target, threads: int) -> NDArray[np.float64]:
        """The margin of each row, given its class: how far the score of its class leads, as a share
        of how far it could."""
    def predict_row(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the model says of one row, given a number for each column: the code of the level for
        categories, NaN for what is missing."""
    def coefficients(self) -> tuple[list[str], list[list[float]], list[float]]:
        """What one unit of each column adds to each score, by name, and the intercepts."""
    @property
    def n_steps(self) -> int:
        """How many steps were taken to find the coefficients of a score, at the most."""
    def leaves(self, table: Table, threads: int) -> NDArray[np.uint32]:
        """The leaf of each row in each tree, as a node number of that tree: rows by trees."""
    def paths(
        self, table: Table, threads: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], list[int]]:
        """The nodes that each row passes, counted through all trees."""
    def importance(self) -> list[float]:
        """The share of the improvement that the splits on each column made."""
    def tree(self, index: int) -> list[Node]:
        """The nodes of one tree, each as a dict."""
    def staged(self, table: Table, threads: int) -> Stages:
        """Predictions after one member, after two, and so on."""
    def quantiles(self, table: Table, levels: Sequence[float], threads: int) -> NDArray[np.float64]:
        """Quantiles of what may happen, for each row; of a forest of numbers that has kept its
        rows."""
    def standard_errors(self, table: Table, threads: int) -> NDArray[np.float64]:
        """How far each prediction may be off by the choice of rows; of a forest that has kept
        them."""
    def proximity(self, table: Table, other: Table, threads: int) -> NDArray[np.float64]:
        """How near each row is to each row of another table: the share of trees with both in one
        leaf."""
    def doubts(self, table: Table, by: str, threads: int) -> NDArray[np.float64]:
        """How much the model is in doubt about each row: by "tie", "entropy" or "kl"."""
    def path_lengths(self, table: Table, threads: int) -> NDArray[np.float64]:
        """How many splits isolate each row, on the mean over trees."""
    def credits(self, table: Table, threads: int) -> NDArray[np.float64]:
        """How much each column isolates each row: rows by columns."""
    @property
    def threshold(self) -> float | None:
        """The score above which a row is an anomaly; `None` if it is no isolation forest."""
    @property
    def sample_rows(self) -> int | None:
        """Rows that each tree of an isolation forest has seen; `None` of other models."""
    @property
    def typical(self) -> float | None:
        """The binary logarithm of the score of a row that no column isolates; `None` if it is no
        isolation forest."""
    def draw(
        self, n_rows: int, seed: int
    ) -> list[tuple[str, NDArray[Any], list[str] | None, str | None]]:
        """Rows drawn from a density, column by column."""
    def depth_scores(self, table: Table, threads: int) -> NDArray[np.float64]:
        """How deep each row lies in completely random trees, as a share of the sum over all
        rows."""
    @property
    def density_threshold(self) -> float | None:
        """The log density below which a row is an anomaly; `None` if it is no density."""
    @property
    def chosen_cells(self) -> tuple[int, float | None] | None:
        """Rows that a node of a density needed to be divided, and the mean log density of rows out
        of the bag; `None` if it is no density."""
    @property
    def unbiased_importance(self) -> list[float] | None:
        """The importance of each column on rows in and out of the bag together, without favour for
        columns of many values; `None` if it is not a forest or no rows were left out."""
    @property
    def permutation_importance(self) -> tuple[list[float], list[float]] | None:
        """What the error of a tree rises by when a column is shuffled, and the standard error of
        that; `None` if it was not asked for."""
    @property
    def n_trees(self) -> int:
        """How many trees it has."""
    @property
    def depth(self) -> int:
        """Splits on the longest way from a root to a leaf."""
    @staticmethod
    def of_members(members: list[tuple[Any, Any] | None], shell: bytes) -> Model:
        """A committee of members that are Python's, from what a pickle holds."""
    @property
    def likelihoods(self) -> list[float] | None:
        """The mean log-likelihood of a row after each round; `None` but of mixtures of experts."""
    def gate(self, table: Table, threads: int) -> NDArray[np.float64]:
        """How much the gate of a mixture believes each expert, row by row."""
    @property
    def weights(self) -> list[float] | None:
        """What the answer of each member weighs; `None` if members are not weighed."""
    @property
    def members(self) -> list[tuple[Any, list[int] | None]] | None:
        """The fitted members that are Python's, each with the columns that it sees, if not all;
        `None` if the model is weald's own."""
    @property
    def rounds(
        self,
    ) -> list[tuple[float, float, float, float, float | None, float | None, float | None]] | None:
        """The rounds of AdaBoost, each with its error, edge, coefficient, normaliser, what the
        training error is at most (`None` where nothing bounds it), the training error and the
        least margin; `None` of other methods."""
    @property
    def method(self) -> str:
        """The method that made it."""
    @property
    def parameters(self) -> dict[str, str]:
        """The method's parameters, as text."""
    @property
    def seed(self) -> int:
        """The seed."""
    @property
    def n_rows(self) -> int:
        """Rows that it was trained on."""
    @property
    def target_names(self) -> list[str]:
        """What is predicted: a name for each output."""
    @property
    def names(self) -> list[str]:
        """The names of its columns."""
    @property
    def levels(self) -> list[list[str] | None]:
        """The levels of each column; `None` for numbers."""
    @property
    def classes(self) -> list[str] | None:
        """The names of its classes; `None` if it predicts numbers."""
    @property
    def class_lists(self) -> list[list[str]] | None:
        """The names of the classes of each output; `None` if it predicts numbers."""
    @property
    def output(self) -> str:
        """What its numbers are: probabilities, value, values, quantiles, hazard or ranking."""
    @property
    def n_members(self) -> int:
        """How many members it has; of a single tree, 1."""
    @property
    def n_leaves(self) -> int:
        """How many leaves its trees have."""
    @property
    def out_of_bag_errors(self) -> list[float] | None:
        """The error on rows out of the bag after each member; `None` if there were none."""
    @property
    def learning_curve(self) -> tuple[str, str, list[float]] | None:
        """The held-out loss before the first round and after each, with its name and what rows were
        held out; `None` if none were."""

@final
class Stream:
    """A forest over the last rows of a stream."""

    def __new__(
        cls, parameters: Sequence[tuple[str, str]], columns: Table, seed: int
    ) -> Stream: ...
    def update(self, table: Table, threads: int) -> NDArray[np.float64]:
        """Takes rows in their order; the score of each is what it was before it was added."""
    def scores(self, table: Table, threads: int) -> NDArray[np.float64]:
        """The score of each row, without adding it."""
    def log_density(self, table: Table, threads: int) -> NDArray[np.float64]:
        """The logarithm of the density of each row, without adding it."""
    @property
    def n_seen(self) -> int:
        """How many rows it has seen."""
    @property
    def n_bytes(self) -> int:
        """Bytes of memory that it takes."""
    @property
    def names(self) -> list[str]:
        """The names of its columns."""
    @property
    def is_categorical(self) -> list[bool]:
        """Whether each column holds categories."""
    def to_bytes(self) -> bytes:
        """What a file of its state holds."""
    @staticmethod
    def from_bytes(bytes: bytes) -> Stream:
        """The forest that a file's bytes hold, which goes on where it was."""
    def __reduce__(self) -> tuple[Callable[..., Stream], tuple[bytes]]: ...

@final
class Online:
    """A master of experts."""

    def __new__(
        cls,
        algorithm: str,
        parameters: Sequence[tuple[str, str]],
        n_experts: int,
        seed: int,
    ) -> Online: ...
    def update(
        self, advice: NDArray[np.float64], truth: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Takes steps in their order: what experts say, a row for each step, and the truth; classes
        as codes, NaN where an expert says nothing. What the master says at each step is
        returned."""
    def predict(self, advice: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the master would say of each row if it came next."""
    def update_losses(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Takes steps by the losses of experts, between 0 and 1; Hedge alone does. What the master
        loses at each step is returned."""
    @property
    def standing(self) -> tuple[int, list[float], float, float, float | None, float]:
        """Steps so far; mistakes or losses of each expert, of the best and of the master; the
        master's on the mean over its draws, if it draws; and the bound."""
    @property
    def n_wrong(self) -> int | None:
        """How often the master's class was wrong; `None` if it names none."""
    @property
    def weights(self) -> list[float]:
        """The trust in each expert; together 1."""
    @staticmethod
    def restored(
        algorithm: str,
        parameters: Sequence[tuple[str, str]],
        n_experts: int,
        seed: int,
        state: Sequence[int],
    ) -> Online:
        """The master that a pickle holds, which goes on where it was."""
    def __reduce__(self) -> tuple[Callable[..., Online], tuple[Any, ...]]: ...

@final
class Stages:
    """Predictions, stage by stage."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...

def fit(
    method: str,
    parameters: list[tuple[str, str]],
    rows: Rows,
    *,
    seed: int,
    threads: int,
    target_name: str = "target",
    validation: Rows | None = None,
    continued: Model | None = None,
    out_of_bag: bool = False,
    listener: Callable[..., Any] | None = None,
    bases: list[tuple[str, Any]] = ...,
    loss: Any = None,
    metric: Any = None,
) -> Fitted:
    """Fits a method on rows. `bases` in Python fit members, each under the name that parameters
    have for it: `base`, `last`, or the name of a member; a `loss` in Python is what boosting makes
    small, and a `metric` in Python what held-out rows are judged by."""

def methods() -> list[tuple[str, str, str]]:
    """Every method with its summary and its source."""

def settings(
    method: str, parameters: list[tuple[str, str]] = ...
) -> list[tuple[str, str, str, str]]:
    """Every parameter of a method: its name, value, what it accepts, and what it means. Those that
    are not given have their defaults."""

def corrected_t_test(
    differences: Sequence[float], test_per_train: float
) -> tuple[float, float, float] | None:
    """The corrected resampled t test of differences (Nadeau & Bengio 2003): their mean, t and the
    two-sided p; `None` if there are fewer than two."""

def spelled(number: float | str, single: bool) -> str:
    """What a level is called that is a number."""

def nearly_numbers(words: list[str], counts: list[int]) -> tuple[int, int, int] | None:
    """Whether words are nearly all numbers: how many values are, how many are not, and the first
    word that is not."""

def _panic(words: str) -> None:
    """Panics on a thread of its own, as a fault of weald would: to see that the process lives
    on."""
