#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs are killed with SIGKILL at random times and go on from their checkpoints: the result is that of a run which nobody
has disturbed, to the last bit.

How many are killed: WEIR_TEST_KILLS, else a few, and of programs that differ little one, which the seed chooses.
The seed of the times is printed, and taken from WEIR_TEST_SEED.
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


def one_or_all(*forms):
    """Of the forms of a job one in an ordinary run, all when WEIR_TEST_KILLS is set."""
    return forms if "WEIR_TEST_KILLS" in os.environ else [random.Random(SEED).choice(forms)]


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


def run_once(job, checkpoint=None, restart=None, every="1000000"):
    """Checkpoints only where the program asks for one, unless it is time. Status, output and errors."""
    variables = {"WEIR_CHECKPOINT": checkpoint, "WEIR_CHECKPOINT_EVERY": every, "WEIR_RESTART": restart}
    done = subprocess.run(job, env=environment(**{name: value for name, value in variables.items() if value}),
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def goes_on(job_of, right):
    """A checkpoint of three ranks, from which any number of them goes on."""
    with tempfile.TemporaryDirectory() as folder:
        status, out, error = run_once(job_of(3), checkpoint=folder)
        check(status == 0 and out == right, f"{job_of(3)} with checkpoints: {out!r} instead of {right!r}\n{error}")
        for ranks_now in (1, 2, 3, 4):
            status, out, error = run_once(job_of(ranks_now), restart=folder)
            check(status == 0, f"{job_of(ranks_now)} from a checkpoint: status {status}\n{error}")
            last = right.splitlines()[-1]
            check(out.splitlines()[-1:] == [last], f"{job_of(ranks_now)} from a checkpoint: {out!r} instead of {last!r}")


def goes_on_twice(job_of, right):
    """The second checkpoint is of the last wait, and the run that makes it goes on from the first."""
    with tempfile.TemporaryDirectory() as folder:
        for ranks_now, restart in ((3, None), (2, folder), (4, folder)):
            status, out, error = run_once(job_of(ranks_now), folder, restart, "0" if restart else "1000000")
            check(status == 0 and out == right, f"{job_of(ranks_now)}: {status}, {out!r} instead of {right!r}\n{error}")


def gathers(o):
    """What gather() gave before the checkpoint is there again, or the run says that it is not."""
    def job_of(case, *arguments):
        return lambda ranks_now: [o.weir, "run", "-n", str(ranks_now), o.gathering_program, case, *arguments]

    for case in ("unchanged", "left_out", "kept"):
        goes_on(job_of(case), finish(job_of(case)(1)))
    for case in ("unchanged", "kept"):
        goes_on_twice(job_of(case), finish(job_of(case)(1)))

    wait = {"overwritten": "gather() of y[0] before wait 1: 2 tasks have written it by then, and 4 when ",
            "overwritten_at_once": "gather() of y[0] before wait 1: 1 tasks have written it by then, and 2 when ",
            "gone": "gather() of y[0] before wait 1: "}
    for case, text in wait.items():
        with tempfile.TemporaryDirectory() as folder:
            status, _, error = run_once(job_of(case)(2), checkpoint=folder)
            check(status == 0, f"{case}: status {status}\n{error}")
            if case != "gone":
                told = "a restart has to do without gather() of y[0] before wait 1"
                check(error.count(told) == 1, f"{case}: {told!r} is not once in\n{error}")
            for ranks_now in (1, 2, 3):
                status, out, error = run_once(job_of(case)(ranks_now), restart=folder)
                check(status != 0 and out == "", f"{case} from a checkpoint ended with status {status}: {out!r}")
                check(text in error and "Leave out this gather()" in error, f"{case}: {text!r} is not in\n{error}")

    for case, text in (("own_block", "writes a block of runtime(), of one rank alone"),
                       ("own_array", "gather() is given an array of one rank alone")):
        with tempfile.TemporaryDirectory() as folder:
            status, _, error = run_once(job_of(case)(2), checkpoint=folder)
            check(status != 0 and text in error, f"{case}: status {status}, {text!r} is not in\n{error}")


def files(o):
    """Files that were read before the checkpoint need not be there, and those that were written are not made again."""
    with tempfile.TemporaryDirectory() as top:
        def job_of(ranks_now):
            return [o.weir, "run", "-n", str(ranks_now), o.gathering_program, "files", top]

        pathlib.Path(top, "in").write_bytes(b"".join((7 * i).to_bytes(8, sys.byteorder) for i in range(1000)))
        status, right, error = run_once(job_of(3), checkpoint=top + "/c")
        check(status == 0, error)
        for name in ("in", "out", "part.0", "part.1", "part.2"):
            pathlib.Path(top, name).unlink()
        for ranks_now in (1, 2, 3, 4):
            status, out, error = run_once(job_of(ranks_now), restart=top + "/c")
            check(status == 0 and out == right, f"{ranks_now} ranks: status {status}, {out!r} instead of {right!r}\n{error}")
            check(os.listdir(top) == ["c"], f"a restart has made files: {os.listdir(top)}")


def examples(o):
    """One whose only wait is the last one, and what gather() gives is its result; one that leaves out what it shows."""
    with tempfile.TemporaryDirectory() as folder:
        job = [o.weir, "run", "-n", "3", o.heat]
        finish(job, WEIR_CHECKPOINT=folder, WEIR_CHECKPOINT_EVERY="0")
        for ranks_now in (1, 2, 3, 4):
            out = finish([o.weir, "run", "-n", str(ranks_now), o.heat], WEIR_RESTART=folder)
            check(out == f"heat on {ranks_now} ranks: as by one loop\n", out)
    with tempfile.TemporaryDirectory() as folder:
        out = finish([o.weir, "run", "-n", "2", o.show], WEIR_CHECKPOINT=folder, WEIR_CHECKPOINT_EVERY="0")
        check(out == "step 3: 3 to 3.99998\nstep 7: 7 to 7.99998\n", out)
        out = finish([o.weir, "run", "-n", "3", o.show], WEIR_RESTART=folder)
        check(out == "", out)


CASES = {case.__name__: case for case in (one_process, ranks, other_ranks, refused, gathers, files, examples)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--weir", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--ranks-program", required=True)
    parser.add_argument("--gathering-program", required=True)
    parser.add_argument("--heat", required=True)
    parser.add_argument("--show", required=True)
    options = parser.parse_args()
    print(f"seed {SEED}")
    CASES[options.case](options)


if __name__ == "__main__":
    main()
