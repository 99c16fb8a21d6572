#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OCR programs that are killed with SIGKILL at random times go on from their checkpoints to the result of an undisturbed run;
what cannot go on, and what no checkpoint can be made of, is named.

WEIR_TEST_KILLS and WEIR_TEST_SEED as in checkpoint_test.py.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from checkpoint_test import SEED, check, environment, finish, kill_again_and_again, one_or_all, ranks_of, whole

ALWAYS = {"WEIR_CHECKPOINT_EVERY": "0"}


def without_times(out):
    """Nor with the size of the rounding error, which the program has found small enough: its check adds products to a block
    in mode EW, whose order is free, and a run that goes on may have another."""
    return re.sub(r"error [0-9.]+ of", "some error of", re.sub(r"[0-9.]+ (s|GFLOP/s)(?=[,;])", "some time", out))


def part_of(o, rounds):
    return str(round(rounds * o.part))


def says(command, *texts, code=None, **variables):
    done = subprocess.run(command, env=environment(**variables), capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL if code is None else None)
    check(done.returncode == code if code is not None else done.returncode != 0,
          f"{command} {variables}: status {done.returncode}\n{done.stderr}")
    for text in texts:
        check(text in done.stderr, f"{command} {variables}: {text!r} is not in\n{done.stderr}")


def ocr_objects(o):
    for program in one_or_all(o.objects, o.objects128):
        job = [program, part_of(o, 500)]
        kill_again_and_again([job], program, finish(job), 1.0)


def ocr_workers(o):
    """The run that goes on may have another number of workers."""
    job = [o.objects, "15"]
    right = finish(job)
    with tempfile.TemporaryDirectory() as folder:
        for workers in ("1", "3"):
            out = finish(job, WEIR_CHECKPOINT=folder, WEIR_WORKERS=workers, **ALWAYS)
            check(out == right, f"{workers} workers: {out!r} instead of {right!r}")
            check(whole(folder), "no checkpoint was made")
            for others in ("2", "1"):
                out = finish(job, WEIR_RESTART=folder, WEIR_WORKERS=others)
                check(out == right, f"from {workers} to {others} workers: {out!r} instead of {right!r}")


def ocr_app(o):
    job = [o.app, *o.arguments.split()]
    kill_again_and_again([job], o.app, without_times(finish(job)), 0.6, without_times)


def ocr_tiers(o):
    """Data blocks that do not all fit in memory, and lie in a file."""
    job = [o.app, *o.arguments.split()]
    with tempfile.TemporaryDirectory() as folder:
        tiers = {"WEIR_TIERS": f"memory=640KiB,file={folder}:64MiB"}
        kill_again_and_again([job], o.app, without_times(finish(job, **tiers)), 1.0, without_times, **tiers)


def over_ranks(o, program, arguments, longest_s, ranks=(2, 4), result_of=str, **variables):
    right = result_of(finish([program, *arguments], **variables))
    for count in ranks:
        job = [o.weir, "run", "-n", str(count), program, *arguments]
        kill_again_and_again([job], program, right, longest_s, result_of, WEIR_WORKERS="1", **variables)


def ocr_ranks(o):
    """A rank is killed, and all go on: objects that know one another from rank to rank."""
    for program, ranks, spread in one_or_all((o.objects, (2, 4), {}), (o.objects128, (3,), {}), (o.objects, (2,), {"WEIR_OCR_SPREAD": "1"})):
        over_ranks(o, program, [part_of(o, 60)], 0.8, ranks, **spread)


def ocr_ranks_app(o):
    """An application that knows nothing of ranks, whose EDTs go to where nothing runs."""
    over_ranks(o, o.app, o.arguments.split(), 0.6, (2,), without_times, WEIR_OCR_SPREAD="1")


def ocr_ranks_blocks(o):
    """Blocks that EDTs of other ranks write, in place and as copies, while they are lent and come back."""
    with tempfile.TemporaryDirectory() as folder:
        few = {"WEIR_TIERS": f"memory=6MiB,file={folder}:64MiB"}
        for program, sizes, steps, ranks, tiers in one_or_all(
                (o.blocks, "12 200000 4", 600, (2, 4), {}), (o.blocks128, "40 2000 6", 1200, (3,), {}), (o.blocks, "60 200000 6", 400, (2,), few)):
            over_ranks(o, program, [*sizes.split(), part_of(o, steps)], 0.6, ranks, **tiers)


def job_of(o, ranks, command, launcher="weir"):
    if launcher != "weir":
        return [o.mpi_ranks, launcher, str(ranks), *command]
    return [*command] if ranks == 1 else [o.weir, "run", "-n", str(ranks), *command]


def over_other_ranks(o, program, arguments, longest_s, most=4, launcher="weir", result_of=str, **variables):
    """A rank is killed, and others than there were go on: fewer, more, and again."""
    command = [program, *arguments]
    chooser = random.Random(SEED + 1)
    counts = [4, 2, 3, 1, 2, 4] + [chooser.randint(1, most) for _ in range(25)]
    jobs = [job_of(o, count, command, launcher) for count in counts]
    kill_again_and_again(jobs, program, result_of(finish(command, **variables)), longest_s, result_of, WEIR_WORKERS="1", **variables)


def ocr_other_ranks(o):
    for program, rounds, most, spread in one_or_all(
            (o.objects, 60, 4, {}), (o.objects128, 60, 4, {}), (o.places, 100, 4, {}), (o.places128, 100, 4, {}),
            (o.objects, 60, 3, {"WEIR_OCR_SPREAD": "1"})):
        over_other_ranks(o, program, [part_of(o, rounds)], 1.5, most, **spread)


def ocr_other_ranks_blocks(o):
    with tempfile.TemporaryDirectory() as folder:
        few = {"WEIR_TIERS": f"memory=6MiB,file={folder}:64MiB"}
        for program, sizes, steps, tiers in one_or_all(
                (o.blocks, "12 200000 4", 600, {}), (o.blocks128, "40 2000 6", 1200, {}), (o.blocks, "60 200000 6", 400, few)):
            over_other_ranks(o, program, [*sizes.split(), part_of(o, steps)], 1.5, **tiers)


def ocr_other_ranks_mpi(o):
    for program in one_or_all(o.objects, o.places128):
        over_other_ranks(o, program, [part_of(o, 60)], 2.5, launcher="openmpi")


def ocr_other_ranks_app(o):
    over_other_ranks(o, o.app, o.arguments.split(), 1.0, result_of=without_times, WEIR_OCR_SPREAD="1")


def ocr_chain(o):
    """Each run goes on from a checkpoint that another number of ranks has made, which has gone on from such a one."""
    chooser = random.Random(SEED)
    for program, arguments in one_or_all((o.objects, [part_of(o, 150)]), (o.objects128, [part_of(o, 150)]), (o.places, [part_of(o, 250)]),
                                         (o.blocks, ["12", "20000", "4", part_of(o, 4000)])):
        command = [program, *arguments]
        right = finish(command)
        with tempfile.TemporaryDirectory() as folder:
            for count in (1, 2, 4, 2, 3, 1, 3):
                before = whole(folder)
                restart = {"WEIR_RESTART": folder} if before else {}
                job = subprocess.Popen(job_of(o, count, command), env=environment(WEIR_CHECKPOINT=folder, WEIR_WORKERS="1", **ALWAYS, **restart),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
                while whole(folder) == before and job.poll() is None:
                    time.sleep(0.002)
                time.sleep(chooser.uniform(0, 0.05))
                for victim in ranks_of(program, job.pid)[:1]:
                    try:
                        os.kill(victim, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                out, error = job.communicate(timeout=120)
                check(out == right or (out == "" and whole(folder) != before), f"{count} ranks from {before}: {out!r}; seed {SEED}\n{error}")
            for count in (4, 1):
                out = finish(job_of(o, count, command), WEIR_RESTART=folder, WEIR_WORKERS="1")
                check(out == right, f"{command} on {count} ranks: {out!r} instead of {right!r}; seed {SEED}")


def ocr_ranks_refused(o):
    """What is said where ranks cannot go on, or one of them can have no checkpoint; and that it is said once."""
    with tempfile.TemporaryDirectory() as top:
        folder = top + "/c"

        def run(ranks, *command):
            return [o.weir, "run", "-n", str(ranks), *command]

        def says_once(command, text, code, stdin=subprocess.DEVNULL, **variables):
            job = subprocess.Popen(command, env=environment(WEIR_WORKERS="1", **variables), stdin=stdin, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            error = job.stderr.read()
            out = job.stdout.read()
            status = job.wait(timeout=120)
            said = [line for line in error.splitlines() if line.startswith("weir: ") and not line.startswith("weir: rank ")]
            check(status == code and len(said) == 1 and text in said[0] and out == "", f"{command}: status {status}\n{out}\n{error}")

        def run_until_one_is_whole(folder, *job):
            """On a busy machine a short job may end before its first checkpoint is whole."""
            out = None
            for _ in range(50):
                out = finish(run(2, *job), WEIR_CHECKPOINT=folder, WEIR_WORKERS="1", **ALWAYS)
                if whole(folder):
                    break
            return out

        job = [o.objects, "10"]
        right = run_until_one_is_whole(folder, *job)
        [last] = whole(folder)
        before = contents_of(folder)
        check(finish(run(2, *job), WEIR_RESTART=folder) == right, "the last checkpoint does not lead to the result")
        says_once(run(2, *job), "there is no such folder", 2, WEIR_RESTART=top + "/none")
        with open(top + "/file", "w"):
            says_once(run(2, *job), "the folder cannot be made", 2, WEIR_CHECKPOINT=top + "/file")

        # One rank cannot restore what it has: none begins.
        image = f"{folder}/{last}/image.1"
        change_byte(image, place_of(image, b"ocr_objects"))
        says_once(run(2, *job), "rank 1: ", 2, WEIR_RESTART=folder)
        says_once(run(3, *job), "rank 1: ", 2, WEIR_RESTART=folder)
        says(job, 'image.1: the checksum of block "OCR frontier"', code=2, WEIR_RESTART=folder)
        change_byte(image, place_of(image, b"ocr_objects"[1:]) - 1)
        # Without one image others than the rank that wrote it know less, too.
        os.rename(image, top + "/kept")
        says_once(run(3, *job), "image.1: cannot be read", 2, WEIR_RESTART=folder)
        says(job, "image.1: cannot be read", code=2, WEIR_RESTART=folder)
        os.rename(top + "/kept", image)
        check(contents_of(folder) == before, "the checkpoint is another one")
        check(finish(run(2, *job), WEIR_RESTART=folder) == right, "the checkpoint does not lead to the result any more")

        # What two checkpoints have is of two moments, and so is what two folders have.
        run_until_one_is_whole(top + "/1", *job)
        [another] = whole(top + "/1")
        each_its_own = ["sh", "-c", f'WEIR_RESTART={top}/$WEIR_RANK exec "$@"', "sh"]
        os.symlink(folder, top + "/0")
        says_once(run(2, *each_its_own, *job), "the ranks would go on from different checkpoints", 2)
        shutil.copy(f"{top}/1/{another}/image.1", image)
        says_once(run(2, *job), "image.1: it is a part of another checkpoint than", 2, WEIR_RESTART=folder)

        # On the last rank.
        none = "no checkpoint can be made of this program: rank 1: "
        always = {"WEIR_CHECKPOINT": top + "/d", **ALWAYS}
        for what, text in (("static", "it has written to variables with static storage"), ("collective", "it has a collective event"),
                           ("thread", "a thread of the program's own uses OCR")):
            says_once(run(2, o.unwritable, what), none + text, 1, subprocess.PIPE, **always)


def killed_before_use(o, program, count, folder):
    """Whether the job was killed, after two checkpoints, before its EDTs used their blocks: a busy machine may let them."""
    before = whole(folder)
    variables = {"WEIR_CHECKPOINT": folder, "WEIR_WORKERS": "1", **ALWAYS, **({"WEIR_RESTART": folder} if before else {})}
    job = subprocess.Popen(job_of(o, count, [program]), env=environment(**variables),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    check(before or job.stdout.readline() == "destroyed\n", "EDTs use the blocks before they are destroyed")
    for _ in range(2):  # the first may be of a moment before
        while whole(folder) == before and job.poll() is None:
            time.sleep(0.002)
        before = whole(folder)
    for victim in ranks_of(program, job.pid):
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return job.communicate(timeout=120)[0] == ""


def ocr_ranks_destroyed(o):
    """EDTs that had data blocks of another rank, destroyed since, have them when they begin: also where that rank is now theirs, and
    after a run that has gone on was killed, too."""
    right = sorted(f"block {i}: right" for i in range(8))
    for program, ranks in ((o.destroyed, (2, 2)), (o.destroyed128, (3, 4))):
        for _ in range(20):
            with tempfile.TemporaryDirectory() as folder:
                if not all(killed_before_use(o, program, count, folder) for count in ranks):
                    continue
                for count in (ranks[0], 1, ranks[1] + 1):
                    out = finish(job_of(o, count, [program]), WEIR_RESTART=folder, WEIR_WORKERS="1")
                    check(sorted(out.splitlines()) == right, f"{ranks} ranks, then {count}: {out!r}")
            break
        else:
            check(False, f"{ranks} ranks: in none of 20 runs was the job killed before its EDTs used their blocks")


def change_byte(path, place):
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)
        file.seek(place)
        file.write(bytes([byte[0] ^ 1]))


def place_of(path, text):
    with open(path, "rb") as file:
        place = file.read().find(text)
    check(place >= 0, f"{path} has no {text!r}")
    return place


def ocr_refused(o):
    """What is said where an OCR program cannot go on."""
    with tempfile.TemporaryDirectory() as top:
        folder = top + "/c"
        job = [o.objects, "20"]
        says(job, "there is no such folder", WEIR_RESTART=folder)
        right = finish(job, WEIR_CHECKPOINT=folder, **ALWAYS)
        check(finish(job, WEIR_RESTART=folder) == right, "the last checkpoint does not lead to the result")
        [last] = whole(folder)
        image = f"{folder}/{last}/image.0"

        says([o.unwritable], "it was written by ocr_objects, and this is", WEIR_RESTART=folder)
        says([o.objects128, "20"], "the run that wrote it had functions of ocr_objects, and here it is built otherwise",
             WEIR_RESTART=folder)
        says([o.weir, "check", *job], "weir check watches a whole run", WEIR_CHECKPOINT=top + "/d")
        other = f"{top}/{os.path.basename(o.objects)}"  # of that name, but no OCR program
        shutil.copy(o.other, other)
        says([other], "it is a checkpoint of an OCR program, and this is none", WEIR_RESTART=folder)

        # The frontier comes first; what it says of a block's contents is behind a checksum, too.
        kept = top + "/kept"
        shutil.copytree(folder, kept)
        for place, what in ((4096 + 8, 'block "OCR frontier"'), (place_of(image, b"ocr_objects"), 'block "OCR frontier"')):
            change_byte(image, place)
            says(job, f"{last}/image.0: the checksum of {what}", "this part of the checkpoint is damaged", WEIR_RESTART=folder)
            change_byte(image, place)
        size = os.path.getsize(image)
        for length in (size - 1, size // 2, 100, 0):
            os.truncate(image, length)
            says(job, f"{last}/image.0", WEIR_RESTART=folder)
            shutil.copy(f"{kept}/{last}/image.0", image)
        os.truncate(f"{folder}/{last}/whole", 10)
        says(job, f"{last}/whole", WEIR_RESTART=folder)
        check(finish(job, WEIR_RESTART=kept) == right, "the copy does not lead to the result")


def ocr_unwritable(o):
    """What is said of a program of which no checkpoint can be made; and, where that may change, that it runs on."""
    none = "no checkpoint can be made of this program: "
    with tempfile.TemporaryDirectory() as folder:
        always = {"WEIR_CHECKPOINT": folder, **ALWAYS}

        def ends(what, *texts, program=o.unwritable):
            job = subprocess.Popen([program, what], env=environment(**always), stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            error = job.stderr.read()  # it ends by itself
            check(job.wait(timeout=120) == 1, f"{what}: status {job.returncode}\n{error}")
            for text in texts:
                check(text in error, f"{what}: {text!r} is not in\n{error}")
            job.stdin.close()
            job.stderr.close()

        def runs_on(what, text):
            job = subprocess.Popen([o.unwritable, what], env=environment(**always), stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            line = job.stderr.readline()
            check(text in line, f"{what}: {text!r} is not in {line!r}")
            job.stdin.write("go on\n")
            job.stdin.close()
            check(job.wait(timeout=120) == 0, f"{what}: status {job.returncode}\n{job.stderr.read()}")
            job.stderr.close()

        ends("static", none + "it has written to variables with static storage since it started (written)",
             "keep what they hold in data blocks or parameters")
        ends("collective", none + "it has a collective event")
        ends("thread", none + "a thread of the program's own uses OCR")
        runs_on("waits", "no checkpoint was written: an EDT waits within its function; the run goes on")
        runs_on("tasks", "no checkpoint was written: tasks of the C++ API that EDTs have begun")
        strip = shutil.which("strip")
        if strip is not None:
            stripped = folder + "/stripped"
            subprocess.run([strip, "-o", stripped, o.unwritable], check=True)
            ends("nothing", none + "it was stripped of its symbols", program=stripped)


def ocr_blocks(o):
    """Blocks that are written while EDTs run again: no EDT changes one before it is in the checkpoint, small or large."""
    with tempfile.TemporaryDirectory() as folder:
        few = {"WEIR_TIERS": f"memory=3MiB,file={folder}:64MiB"}
        for sizes, steps, tiers in (("40 200000 6", 1500, {}), ("7 5000000 3", 120, {}), ("40 200000 6", 500, few)):
            for program in one_or_all(o.blocks, o.blocks128):
                job = [program, *sizes.split(), part_of(o, steps)]
                kill_again_and_again([job], program, finish(job), 1 / o.part, **tiers)


def ocr_goes_on(o):
    """EDTs run while blocks are written, but for those that write these."""
    with tempfile.TemporaryDirectory() as folder:
        finish([o.goes_on], WEIR_CHECKPOINT=folder, **ALWAYS)
        check(whole(folder), "no checkpoint was made")


def ocr_tight(o):
    """Data blocks for which there is no room in the run that is to go on."""
    job = [o.blocks, "24", "200000", "4", "300"]
    with tempfile.TemporaryDirectory() as folder:
        right = finish(job, WEIR_CHECKPOINT=folder, **ALWAYS)
        [last] = whole(folder)
        before = contents_of(folder)
        for tiers in ("memory=2MiB", f"memory=1MiB,file={folder}:2MiB"):
            done = subprocess.run(job, env=environment(WEIR_RESTART=folder, WEIR_TIERS=tiers), capture_output=True,
                                  text=True, timeout=120)
            check(done.returncode == 2 and done.stdout == "", f"{tiers}: {done}")
            line = rf"weir: ocr: {folder}/{last}: a data block of 200000 bytes that it has cannot be made here: .*\n"
            check(re.fullmatch(line, done.stderr), f"{tiers}: {done.stderr}")
            check(contents_of(folder) == before, f"{tiers}: the checkpoint is another one")
        check(finish(job, WEIR_RESTART=folder) == right, "the checkpoint does not lead to the result")


def contents_of(folder):
    return {path: path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def ocr_half(o):
    """No EDT begins when memory ends while a program is restored, wherever that is."""
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.Popen([o.half], env=environment(WEIR_CHECKPOINT=folder, **ALWAYS), stdin=subprocess.PIPE)
        while not whole(folder):
            check(job.poll() is None, f"{o.half}: status {job.returncode}")
            time.sleep(0.01)
        job.kill()
        job.wait()
        job.stdin.close()
        [*_, last] = whole(folder)
        before = contents_of(folder)

        def go_on(which, workers):
            variables = environment(WEIR_RESTART=folder, FAIL_ALLOCATION=str(which), WEIR_WORKERS=workers)
            return subprocess.run([o.half], env=variables, input="go on\n", capture_output=True, text=True, timeout=120)

        good = go_on(-1, "1")
        check(good.returncode == 0 and good.stdout != "", f"status {good.returncode}\n{good.stderr}")
        count = int(good.stderr) - 1  # the last one is the worker's, for its first EDT
        chooser, failed = random.Random(SEED), 0
        step = max(1, count // 40)
        for which in sorted({*range(chooser.randint(1, step), count, step), *range(max(1, count - chooser.randint(144, 150)), count, 7)}):
            done = go_on(which, "2")
            what = f"allocation {which} of {count}: status {done.returncode}, {done.stdout!r}\n{done.stderr}"
            check(contents_of(folder) == before, f"{what}\nthe checkpoint is another one")
            if done.returncode == 0:  # it could do without
                check(done.stdout != "" and done.stderr == "", what)
                continue
            failed += 1
            check(done.returncode == 2 and done.stdout == "", what)
            check(re.fullmatch(rf"weir: ocr: {folder}/{last}: .*\n", done.stderr), what)
        check(failed > 40, f"only {failed} runs had too little memory")


CASES = {case.__name__: case for case in (ocr_objects, ocr_blocks, ocr_goes_on, ocr_half, ocr_tight, ocr_workers, ocr_app, ocr_tiers, ocr_ranks, ocr_ranks_app, ocr_ranks_blocks, ocr_ranks_destroyed, ocr_ranks_refused,
                                         ocr_other_ranks, ocr_other_ranks_blocks, ocr_other_ranks_mpi, ocr_other_ranks_app, ocr_chain, ocr_refused, ocr_unwritable)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    for program in ("weir", "objects", "objects128", "blocks", "blocks128", "places", "places128", "destroyed", "destroyed128", "mpi-ranks", "unwritable", "half", "goes_on", "other", "app"):
        parser.add_argument("--" + program)
    parser.add_argument("--arguments", default="")
    parser.add_argument("--part", type=float, default=1, help="how long programs are, of what is usual")
    options = parser.parse_args()
    print(f"seed {SEED}")
    CASES[options.case](options)


if __name__ == "__main__":
    sys.exit(main())
