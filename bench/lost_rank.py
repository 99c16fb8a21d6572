#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""How long a job lives whose rank was killed: lost_rank.py KILLS RANKS PROGRAM COMMAND...

Starts COMMAND, which runs PROGRAM as RANKS processes, KILLS times; kills one of these with SIGKILL after 0.25 to 1.25 s, and waits until
none of them is left. Each job has to say which one it was, and to end with another status than 0.
"""

import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import time


def processes_of(name):
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            before, after = (folder / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue
        if before.split("(", 1)[1] == name[:15] and after.split()[0] != "Z":
            found.append(int(folder.name))
    return found


def kill_one(command, name, ranks, chooser):
    """Seconds until the command has ended, and until no rank is left."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as job:
        time.sleep(0.25 + chooser.random())
        there = processes_of(name)
        if len(there) != ranks:
            job.kill()
            sys.exit(f"{len(there)} processes of {name} run, not {ranks}: give it more to do; {job.stderr.read()}")
        start = time.monotonic()
        os.kill(chooser.choice(there), signal.SIGKILL)
        said = job.stderr.read()
        status = job.wait()
        ended = time.monotonic()
        while processes_of(name):
            time.sleep(0.005)
        if status == 0 or not re.search(r"rank \d+ .*(SIGKILL|is lost)", said):
            sys.exit(f"status {status}, and no rank is named: {said}")
        return ended - start, time.monotonic() - start


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    kills, ranks, name, command = int(sys.argv[1]), int(sys.argv[2]), os.path.basename(sys.argv[3]), sys.argv[4:]
    chooser = random.Random(1)
    ended, gone = zip(*(kill_one(command, name, ranks, chooser) for _ in range(kills)))
    for what, seconds in (("it ended", ended), ("no rank was left", gone)):
        print(f"until {what}: median {statistics.median(seconds):.3f} s, at most {max(seconds):.3f} s")


if __name__ == "__main__":
    main()
