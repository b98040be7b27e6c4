"""The machine a race runs on: what it is, whether it is quiet, how much memory a process holds."""

import os
import platform
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def described():
    """Processor, cores, memory, system, compiler, commit and day, in one line."""
    processor = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            processor = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    commit = output("git", "rev-parse", "--short=12", "HEAD")
    if output("git", "status", "--porcelain", "--", "crates", "bench/src", "Cargo.lock"):
        commit += " with changes"
    rust = " ".join(output("rustc", "--version").split()[:2])
    return (
        f"{processor}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}; "
        f"{rust}, Python {platform.python_version()}; "
        f"weald at commit {commit}; {datetime.now(UTC):%Y-%m-%d}"
    )


def output(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Watch:
    """How much of all cores' time is used by others than this process and its children."""

    def __init__(self):
        self.total, self.used, self.own = ticks()

    def share_of_others(self):
        """Since the watch began."""
        total, used, own = ticks()
        others = (used - self.used) - (own - self.own)
        return max(others, 0) / max(total - self.total, 1)


def ticks():
    """Clock ticks of all cores: all, used, and used by this process and its ended children."""
    words = Path("/proc/stat").read_text().split("\n")[0].split()[1:9]
    numbers = [int(word) for word in words]
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    own *= os.sysconf("SC_CLK_TCK")
    return sum(numbers), sum(numbers) - numbers[3] - numbers[4], own


def wait_until_quiet(patience, limit=0.05):
    """Waits for other work to end, at most `patience` seconds."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        watch = Watch()
        time.sleep(2)
        if watch.share_of_others() <= limit:
            return


def resident():
    """Bytes this process holds."""
    return status("VmRSS:")


def peak():
    """The most bytes held since the start or the last `forget_peak`."""
    return status("VmHWM:")


def forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


def status(key):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {key}")
