#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds that each folder took in the last whole build: scripts/build_seconds.py BUILD_FOLDER [DEPTH].

Sums what ninja's log says of each object, archive and program. With as many jobs as cores these are about CPU seconds.
"""
import collections
import pathlib
import sys


def main() -> int:
    if not 2 <= len(sys.argv) <= 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    log = pathlib.Path(sys.argv[1]) / ".ninja_log"
    depth = int(sys.argv[2]) if len(sys.argv) == 3 else 2
    if not log.is_file():
        print(f"{log}: there is no such file: has this folder been built with ninja?", file=sys.stderr)
        return 1
    newest = {}
    for line in log.read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        if not output.startswith("/"):
            newest[output] = (int(end) - int(start)) / 1000
    seconds = collections.Counter()
    for output, took in newest.items():
        seconds["/".join(output.split("/CMakeFiles")[0].split("/")[:depth])] += took
    print(f"{sum(seconds.values()):8.1f}  all of {len(newest)}")
    for folder, took in seconds.most_common():
        if took >= 0.5:
            print(f"{took:8.1f}  {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
