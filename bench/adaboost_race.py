"""Races AdaBoost of stumps against scikit-learn's: see `race`.

bench/run adaboost_race [--jobs dense] [--threads 1,2] [--repeat 3] [--rounds 100]
    [--scale 0.01] [--output FILE]
"""

import adaboost_settings
import race
from adaboost_libraries import LIBRARIES
from jobs import Job

ABOUT = """\
Settings: see `bench/adaboost_settings.py`. weald's fit includes the record of each round: training
error, bound and smallest margin. Saved: the length of the file, for scikit-learn of a pickle.
"""

PEERS = ("scikit-learn",)
JOBS = {
    "dense": Job("binary", 200_000, 200_000, peers=PEERS),
    "small": Job("binary", 10_000, 100_000, peers=PEERS),
    "letter": Job(public="letter", peers=PEERS),
}


def options(parser):
    parser.add_argument("--rounds", type=int, default=adaboost_settings.Settings.rounds)


def settings(args, job, columns):
    return adaboost_settings.Settings(rounds=args.rounds)


def weald(settings):
    return {"weald": adaboost_settings.weald(settings)}


CONTEST = race.Contest(
    name="adaboost",
    title="AdaBoost of stumps against its peer",
    about=ABOUT,
    jobs=JOBS,
    libraries=LIBRARIES,
    options=options,
    settings=settings,
    weald=weald,
)

if __name__ == "__main__":
    race.run(CONTEST, __doc__.splitlines()[0])
