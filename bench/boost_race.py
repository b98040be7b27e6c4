"""Races gradient boosting against its peers: see `race`.

bench/run boost_race [--jobs dense,small] [--peers lightgbm,xgboost] [--threads 1,2]
    [--repeat 3] [--scale 0.01] [--output FILE]
"""

import boost_settings
import race
from boost_jobs import JOBS
from boost_libraries import LIBRARIES

ABOUT = """\
What could not be matched: see `bench/boost_settings.py`; CatBoost grows its own symmetric trees of
64 leaves. onnxruntime and lleaves run LightGBM's model.
"""


def options(parser):
    parser.add_argument("--trees", type=int, default=boost_settings.Settings.trees)
    parser.add_argument("--leaves", type=int, default=boost_settings.Settings.leaves)


def settings(args, job, columns):
    return boost_settings.Settings(trees=args.trees, leaves=args.leaves)


def weald(settings):
    return {"weald": ["gradient-boosting", *boost_settings.weald(settings)]}


CONTEST = race.Contest(
    name="boost",
    title="Gradient boosting against its peers",
    about=ABOUT,
    jobs=JOBS,
    libraries=LIBRARIES,
    options=options,
    settings=settings,
    weald=weald,
)

if __name__ == "__main__":
    race.run(CONTEST, __doc__.splitlines()[0])
