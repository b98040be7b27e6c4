"""Races random forests and extra trees against their peers: see `race`.

    bench/run forest_race [--jobs dense,letter] [--peers scikit-learn,ranger] [--threads 1,2]
        [--repeat 3] [--seeds 5] [--scale 0.01] [--trees 100] [--output FILE]

ranger runs by R: the race installs Debian's r-cran-ranger if it is not there.
"""

import forest_settings
import race
from forest_jobs import JOBS
from forest_libraries import LIBRARIES, prepare

ABOUT = """\
What could not be matched: see `bench/forest_settings.py`. weald's fit includes the out-of-bag
error, the peers' do not. Model: what its trees hold in memory, for scikit-learn their arrays, for
ranger R's `object.size`; other libraries do not say. Saved: the length of the file, for
scikit-learn of a pickle, for ranger of R's serialisation, both unpacked. With several seeds,
quality is their mean ± standard deviation, and the repetitions are runs with these seeds.
"""


def options(parser):
    parser.add_argument("--trees", type=int, default=forest_settings.Settings.trees)


def settings(args, job, columns):
    features = forest_settings.feature_count(job.settings["features"], columns)
    extra = job.settings.get("extra", False)
    return forest_settings.Settings(trees=args.trees, features=features, extra=extra)


def weald(settings):
    return {
        "weald": forest_settings.weald(settings, "fine"),
        "weald-fast": forest_settings.weald(settings, "fast"),
        "weald-exact": forest_settings.weald(settings, "exact"),
    }


CONTEST = race.Contest(
    name="forest",
    title="Forests against their peers",
    about=ABOUT,
    jobs=JOBS,
    libraries=LIBRARIES,
    options=options,
    settings=settings,
    weald=weald,
    prepare=prepare,
)

if __name__ == "__main__":
    race.run(CONTEST, __doc__.splitlines()[0])
