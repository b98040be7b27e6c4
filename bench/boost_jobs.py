"""What gradient boosting is raced on: made numbers and public sets, by name."""

from dataclasses import dataclass

import public_data
from made_data import made

FITTING = ["lightgbm", "lightgbm-quantized", "xgboost", "catboost", "scikit-learn", "ydf"]
PREDICTING = [*FITTING, "onnxruntime", "lleaves"]
N_COLUMNS = 28


@dataclass(frozen=True)
class Job:
    """`task` of made numbers, or the name of a public set, and who races unless told otherwise."""

    task: str = ""
    train: int = 0
    test: int = 0
    public: str = ""
    peers: tuple = tuple(FITTING)

    def parts(self, scale):
        """Training and test rows; `scale` takes that share of them."""
        if self.public:
            entry = public_data.entries()[self.public]
            parts = public_data.parts(entry, public_data.read(entry))
            return [part.iloc[: max(round(len(part) * scale), 500)] for part in parts]
        sizes = [max(round(rows * scale), 500) for rows in (self.train, self.test)]
        return [made(sizes[i], N_COLUMNS, self.task, seed=i) for i in (0, 1)]


MILLION = 1_000_000
JOBS = {
    "dense": Job("binary", MILLION, 200_000),
    "regression": Job("regression", MILLION, 200_000),
    "small": Job("binary", 10_000, 200_000),
    "classes": Job("five-class", 300_000, 100_000),
    "census": Job(public="census_income_kdd"),
    "connect4": Job(public="connect4"),
    "adult": Job(public="adult"),
    "flights": Job(public="nycflights13"),
    "predict": Job("binary", 200_000, MILLION, peers=tuple(PREDICTING)),
}
for name, rows in [("10k", 10_000), ("100k", 100_000), ("1M", MILLION), ("10M", 10 * MILLION)]:
    JOBS[f"growth-{name}"] = Job("binary", rows, 100_000, peers=("lightgbm", "xgboost"))


def chosen(words):
    """Jobs by name; `growth` means all sizes, `all` every job."""
    names = []
    for word in words:
        found = [name for name in JOBS if word in ("all", name, name.split("-")[0])]
        if not found:
            raise SystemExit(f"no job {word}: there are {', '.join(JOBS)}, growth and all")
        names += found
    return list(dict.fromkeys(names))
