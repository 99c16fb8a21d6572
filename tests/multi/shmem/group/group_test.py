# SPDX-License-Identifier: Apache-2.0

"""group_test.py PROGRAM PES TEST [REMOTE]: starts PES processes as a job's ranks, and wants all to end well.

REMOTE: which PEs do as if they were on different hosts (WEIR_SHMEM_REMOTE). The test `lost` wants the others to name
the PE that was killed. WEIR_SHMEM_SEEDS: how many seeds for tests that have one (default: 2).
"""
import os
import random
import subprocess
import sys

LIMIT = 100  # seconds


def run(program, pes, test, remote, seed):
    """The outputs and statuses of the ranks."""
    ranks = []
    job = f"test-{os.getpid()}-{seed}"
    for rank in range(pes):
        env = dict(os.environ, WEIR_RANK=str(rank), WEIR_RANKS=str(pes), WEIR_HOST_RANK=str(rank),
                   WEIR_HOST_RANKS=str(pes), WEIR_JOB=job, SHMEM_SYMMETRIC_SIZE="64M")
        if remote:
            env["WEIR_SHMEM_REMOTE"] = remote
        ranks.append(subprocess.Popen([program, test, str(seed)], env=env, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True))
    results = []
    for rank in ranks:
        try:
            text, _ = rank.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            for other in ranks:
                other.kill()
            text = rank.communicate()[0] + f"\nnot ended after {LIMIT} s"
        results.append((rank.returncode, text))
    return results


def is_right(test, results):
    if test != "lost":
        return all(status == 0 for status, _ in results)
    lost = len(results) - 1
    named = [text for status, text in results[:-1] if status not in (0, None) and f"PE {lost} " in text]
    return results[-1][0] == -9 and len(named) > 0 and all(status != 0 for status, _ in results)


def main():
    program, pes, test = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    remote = sys.argv[4] if len(sys.argv) > 4 else ""
    text = os.environ.get("WEIR_SHMEM_SEEDS")
    has_seed = test in ("random", "threads")
    count = int(text) if text else 2
    first = random.randrange(1 << 30) if text else 1
    for seed in range(first, first + (count if has_seed else 1)):
        results = run(program, pes, test, remote, seed)
        if not is_right(test, results):
            print(f"seed {seed}")
            for rank, (status, output) in enumerate(results):
                print(f"rank {rank}: status {status}\n{output}")
            sys.exit(1)


main()
