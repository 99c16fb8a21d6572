#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs are killed with SIGKILL at random times and go on from their checkpoints: the result is that of a run which nobody
has disturbed, to the last bit.

How many are killed: WEIR_TEST_KILLS, else a few. The seed of the times is printed, and taken from WEIR_TEST_SEED.
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

KILLS = int(os.environ.get("WEIR_TEST_KILLS", "3"))
SEED = int(os.environ.get("WEIR_TEST_SEED", str(random.randrange(1 << 30))))


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    return {**kept, **variables}


def finish(command, **variables):
    done = subprocess.run(command, env=environment(**variables), capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"{command} {variables}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def members(leader):
    """Those that still run of the processes that this one leads by setsid(): a launcher may give each rank a group of its own."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def ranks_of(program, leader):
    name = os.path.basename(program)
    found = []
    for pid in members(leader):
        try:
            if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == name[:15]:
                found.append(pid)
        except OSError:
            continue
    return found


def run_and_kill(command, program, folder, after_s, chooser, **variables):
    """One process of the job is killed. Returns what the job has written, and whether it had ended by itself."""
    job = subprocess.Popen(command, env=environment(WEIR_CHECKPOINT=folder, WEIR_CHECKPOINT_EVERY="0", **variables),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(after_s)
    victims = ranks_of(program, job.pid)
    if victims:
        try:
            os.kill(chooser.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            pass
    out, error = job.communicate(timeout=120)
    deadline = time.monotonic() + 20
    while members(job.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    check(not members(job.pid), f"{command}: processes are left")
    return out, error, job.returncode == 0


def whole(folder):
    return sorted(name for name in os.listdir(folder) if name.startswith("checkpoint.")) if os.path.isdir(folder) else []


def kill_again_and_again(commands, program, right, longest_s, result_of=str, **variables):
    """Each command goes on from where the one before it was killed, until one ends by itself; then from the beginning."""
    chooser = random.Random(SEED)
    killed = ended = went_on = 0
    with tempfile.TemporaryDirectory() as folder:
        turn = 0
        while killed < KILLS or ended == 0:
            turn += 1
            check(turn < 20 * KILLS + 40, f"{killed} kills and {ended} ends after {turn} turns")
            restart = {"WEIR_RESTART": folder} if whole(folder) else {}
            went_on += bool(restart)
            restart |= variables
            command = commands[turn % len(commands)]
            after_s = chooser.uniform(0, longest_s) if killed < KILLS else 1e9
            if after_s > 1e6:
                out, well, error = finish(command, WEIR_CHECKPOINT=folder, WEIR_CHECKPOINT_EVERY="0", **restart), True, ""
            else:
                out, error, well = run_and_kill(command, program, folder, after_s, chooser, **restart)
            check(len(whole(folder)) <= 2, f"{whole(folder)}: old checkpoints stay")
            if not well:
                check("damaged" not in error and "does not fit" not in error and "Sanitizer" not in error, error)
                killed += 1
                continue
            check(result_of(out) == right, f"{command} {restart}: {out!r} instead of {right!r}; seed {SEED}\n{error}")
            ended += 1
            subprocess.run(["rm", "-rf", folder + "/next"] + [f"{folder}/{name}" for name in whole(folder)], check=True)
    print(f"{killed} killed, {went_on} went on, {ended} ended: {right.strip()}")


def one_process(o):
    kill_again_and_again([[o.program]], o.program, finish([o.program]), 1.5)


def ranks(o):
    job = [o.weir, "run", "-n", "2", o.ranks_program, "60"]
    kill_again_and_again([job], o.ranks_program, finish(job), 2.5)


def other_ranks(o):
    jobs = [[o.weir, "run", "-n", "3", o.ranks_program, "60"], [o.ranks_program, "60", "cyclic"],
            [o.weir, "run", "-n", "2", o.ranks_program, "60", "cyclic"]]
    kill_again_and_again(jobs, o.ranks_program, finish(jobs[1]), 2.0)


def refused(o):
    """What is said where a run cannot write, or cannot go on."""
    with tempfile.TemporaryDirectory() as top:
        folder = top + "/c"

        def says(command, *texts, **variables):
            done = subprocess.run(command, env=environment(**variables), capture_output=True, text=True, timeout=120)
            check(done.returncode != 0, f"{command} {variables} ended well")
            for text in texts:
                check(text in done.stderr, f"{command} {variables}: {text!r} is not in\n{done.stderr}")

        job = [o.weir, "run", "-n", "2", o.ranks_program]
        says([*job, "5"], "there is no such folder", WEIR_RESTART=folder)
        says([*job, "5"], "/no/where: the folder cannot be made: No such file or directory", WEIR_CHECKPOINT="/no/where")
        finish([*job, "5"], WEIR_CHECKPOINT=folder, WEIR_CHECKPOINT_EVERY="0")
        says([*job, "4"], "up to wait 4 this run does what the one did that wrote it", WEIR_RESTART=folder)
        says([o.program], "it was written by mixing_rank, and this is", WEIR_RESTART=folder)
        [last] = whole(folder)
        with open(f"{folder}/{last}/image.1", "r+b") as image:
            image.seek(5000)
            byte = image.read(1)
            image.seek(5000)
            image.write(bytes([byte[0] ^ 1]))
        says([*job, "5"], f"{last}/image.1: the checksum of block \"a[", "does not fit: this part of the checkpoint is damaged",
             WEIR_RESTART=folder)


CASES = {case.__name__: case for case in (one_process, ranks, other_ranks, refused)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--weir", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--ranks-program", required=True)
    options = parser.parse_args()
    print(f"seed {SEED}")
    CASES[options.case](options)


if __name__ == "__main__":
    main()
