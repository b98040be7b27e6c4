"""Races isolation forests against scikit-learn's and isotree's: see `race`.

bench/run isolation_race [--jobs big,http] [--threads 1,2] [--repeat 3] [--scale 0.01]
    [--output FILE]
"""

from dataclasses import dataclass

from sklearn import metrics

import isolation_settings
import public_data
import race
from isolation_libraries import LIBRARIES
from jobs import Job
from made_data import made

ABOUT = """\
Settings: see `bench/isolation_settings.py`. All rows are trained on without their labels, and then
scored; AUC is by the labels. Saved: the length of the file, for the peers of a pickle. weald says
nothing of its leaves here.
"""

PEERS = ("scikit-learn", "isotree")


@dataclass(frozen=True)
class Rows(Job):
    """All rows, to train on and to score."""

    def parts(self, scale):
        if self.public:
            rows = public_data.read(public_data.entries()[self.public])
        else:
            rows = made(self.train, self.columns, self.task)
        rows = rows.iloc[: max(round(len(rows) * scale), 500)]
        return [rows, rows]


JOBS = {
    "big": Rows("anomalies", 1_000_000, columns=10, peers=PEERS),
    "http": Rows(public="ad_http", peers=PEERS),
    "cover": Rows(public="ad_cover", peers=PEERS),
    "shuttle": Rows(public="ad_shuttle", peers=PEERS),
}


def options(parser):
    parser.add_argument("--trees", type=int, default=isolation_settings.Settings.trees)


def settings(args, job, columns):
    return isolation_settings.Settings(trees=args.trees)


def weald(settings):
    return {"weald": isolation_settings.weald(settings)}


def quality(truth, predicted, classes):
    return {"AUC": float(metrics.roc_auc_score(truth, predicted[:, 1]))}


CONTEST = race.Contest(
    name="isolation",
    title="Isolation forests against their peers",
    about=ABOUT,
    jobs=JOBS,
    libraries=LIBRARIES,
    options=options,
    settings=settings,
    weald=weald,
    quality=quality,
)

if __name__ == "__main__":
    race.run(CONTEST, __doc__.splitlines()[0])
