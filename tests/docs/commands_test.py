#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""commands_test.py ROOT BUILD: what commands.py refuses, and what it lets pass."""
import pathlib
import sys

import commands

WRONG = ["weir bench task", "weir bench tasks --round 3", "weir run seismic --variant weir", "weir-bench-weir metg_ftt 2 1000 3 8",
         "weir-bench-none chain 1 1 1 1", "build/release/bench/micro/spawn_bench --benchmark_filter='steps|nothing_like_it'",
         "build/release/bench/micro/spawn_bench --benchmark_filer=steps", "build/release/bench/micro/spown_bench",
         "python3 bench/no_cost.py", "python3 bench/hook_cost.py --no-such-option",
         "python3 bench/ocr_table.py build/release/bench/micro/nothing", "make raun", "weeir topo",
         "weir run -n 2 build/release/bench/ranks/weir_rank_bench --round 5", "build/release/bench/micro/checkpoint_cost /scratch 4096 5 6", "weir run --nosuch 2 build/release/bench/ranks/weir_rank_bench",
         "mpirun -n 2 build/release/bench/ranks/nothing"]
RIGHT = ["weir bench tasks --rounds 3 --benches metg", "weir-bench-weir metg_fft_fresh 2 1000 3 8", "weir-bench-weir chain 2 9 3 8",
         "build/release/bench/micro/spawn_bench --benchmark_filter='steps|items' --benchmark_repetitions=9",
         "python3 bench/ocr_table.py build/release/bench/micro/ocr_bench", "make run ARGS=--paper  # a comment",
         "weir run -n 2 build/release/bench/ranks/weir_rank_bench --rounds 5", "mpirun -n 2 build/release/bench/ranks/weir_rank_bench", "build/release/bench/micro/checkpoint_cost /scratch 4096 5"]
TEXT = "# Title\n\n```\nweir topo\n\nmake run\n```\nSee `deps_bench\n--benchmark_filter=x` and `other`.\n"


def main():
    programs = commands.Programs(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    wrong = [f"passes: {command}" for command in WRONG if not programs.offences(command)]
    wrong += [f"is refused: {command}: {programs.offences(command)}" for command in RIGHT if programs.offences(command)]
    found = list(commands.commands_of(TEXT))
    if found != [(4, "weir topo"), (6, "make run"), (8, "deps_bench --benchmark_filter=x")]:
        wrong.append(f"commands found: {found}")
    sys.exit("\n".join(wrong) or 0)


main()
