#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Hangs a program in one way, and checks that its culprit is named.

explain_test.py CASE WEIR HANG

WEIR is the command line, HANG the program of hang.cpp, or for cases of OCR that of hang_ocr.c. For each case: what `weir explain --json` must say, what the
text must have, and whether the program says it by itself (it does when nothing runs) or only when it is asked.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 60


def fail(text):
    sys.exit(f"FAILED: {text}")


def thing(runtime, name):
    found = [t for t in runtime["things"] if t["name"] == name]
    return found[0] if found else None


def root_is(name):
    return lambda r: bool(r["roots"]) and thing(r, name) is not None and r["roots"][0]["id"] == thing(r, name)["id"]


def root_is_one_of(*names):
    return lambda r: any(root_is(name)(r) for name in names)


def asleep_in(name, call):
    return lambda r: thing(r, name) is not None and (thing(r, name)["asleep_in"] or "").startswith(call)


def waits_for(name, other, cause):
    def check(runtime):
        a, b = thing(runtime, name), thing(runtime, other)
        return a and b and any(w["for"] == b["id"] and w["cause"] == cause for w in a["waits"])
    return check


# As the footprint counts them, the items of a range one by one.
def waits_for_item(name, item):
    def check(runtime):
        waits = thing(runtime, name)["waits"] if thing(runtime, name) else []
        return any((w.get("by") or {}).get("item") == item for w in waits)
    return check


def cycle_of(*names):
    return lambda r: sorted(re.findall(r"task '(\w+)'", " ".join(w["name"] for w in r["cycle"]))) == sorted(names)


# Per case: what --json must say; texts that `weir explain` must print, the first of them, the culprit, in its first lines;
# whether the program says it by itself.
CASES = {
    "never_ends": ([root_is("writer"), waits_for("reader", "writer", "edge"), waits_for_item("ranger", 21)],
                   [r"task 'writer' \(\w+\), spawned at \S*hang\.cpp:\d+ \(.*never_ends.*\): has been running on worker",
                    r"5 wait for it, the first task '(reader|ranger)' \(\w+\), for (64|8) bytes at 0x\w+",
                    r"comes before it: 64 bytes at 0x\w+, in here \(item 1\), out there \(item 1\)"], False),
    "waits_for_later": ([cycle_of("parent", "successor"), waits_for("parent", "successor", "task"),
                         waits_for("successor", "parent", "edge")],
                        [r"in a circle: task '(parent|successor)'", "by its handle", "nothing has run for"], True),
    "lock_held": ([cycle_of("contender", "holder"), waits_for("contender", "holder", "lock")],
                  [r"in a circle: task '(holder|contender)'",
                   r"commutative data that task 'holder' \(\w+\) has: 8 bytes at 0x\w+, commutative in both \(item 1\)"], True),
    "lock_for_ever": ([root_is("holder"), waits_for("contender", "holder", "lock")], ["task 'holder'", "commutative data"], False),
    "no_room": ([root_is("large"), waits_for("small", "large", "room")],
                [r"task 'large' \(\w+\), spawned at \S*hang\.cpp:\d+ \(no_room\), holds 1572864 bytes of tier memory: block 'a'",
                 "task 'small' .* room for 1572864 bytes in tier memory .* for block 'b'; task 'large' .*, spawned at .*, "
                 "holds 1572864 bytes of tier memory: block 'a'"], False),
    "child": ([root_is("child"), waits_for("mother", "child", "children")], ["task 'child'", "its child task 'child'"], False),
    "two_locks": ([root_is_one_of("takes a", "takes b"), asleep_in("takes a", "futex()"), asleep_in("takes b", "futex()")],
                  [r"task 'takes [ab]' \(\w+\), spawned at \S*hang\.cpp:\d+ \(.*two_locks.*\): has been running on worker \d for [\d.]+ s "
                   r"at least, its thread asleep in futex\(\), for a lock or another thread"], False),
    "in_the_kernel": ([asleep_in("reader", "read()")], [r"task 'reader' .* its thread asleep in read\(\)"], False),
    "million": ([root_is("culprit"), lambda r: r["left"] == 1_000_001 and r["left_out"] > 0 and r["running"] == 1 and r["ready"] == 0],
                [r"task 'culprit' \(\w+\), spawned at \S*hang\.cpp:\d+ \(.*million.*\): has been running on worker",
                 r"and \d{6} more"], False),
    "many": ([root_is("first"), lambda r: r["left"] > 100],
             ["task 'first'", r"\d\d\d tasks left", r"and \d\d\d more", "chain", "fewer unfinished children"], False),
    "island": ([root_is("sleeper"), waits_for("patient", "sleeper", "edge"), lambda r: thing(r, "sleeper")["worker"] in (1, 2)],
               [r"task 'sleeper' \(\w+\), spawned at \S*hang_island\.cpp:\d+ \(main\): has been running on worker [12] for [\d.]+ s",
                "1 waits for it: task 'patient'", r"worker [12] process \d+, has 1 task"], False),
}
# In OCR: what must be printed, the first of it in the first lines; whether the program can be seen to make no progress.
OCR_CASES = {
    "ocr_unsatisfied": ([r"STICKY event 0x\w+, created in EDT mainEdt: nothing has satisfied it; 1 waits for it: EDT patient",
                         r"EDT patient \(\w+\), spawned at \S*hang_ocr\.c:\d+ .*: waits for slot 0: STICKY event"], True),
    "ocr_never_written": ([r"EDT writer \(\w+\), spawned at \S*hang_ocr\.c:\d+ .*: waits for slot 0: nothing was ever linked "
                           "to it: ocrAddDependence\\(\\) is missing; 2 wait for it", "EDT patient"], True),
    "ocr_cycle": (["they wait for each other, in a circle: (STICKY event 0x\\w+, created in EDT mainEdt waits for STICKY event "
                   "0x\\w+ ?){2}", "EDT patient"], True),
    "ocr_kept": ([r"EDT keeper .*; 1 waits for it: EDT patient \(\w+\), for data block 0x\w+ of 1000 bytes",
                  r"data block 0x\w+ of 1000 bytes, which EDT keeper \(\w+\) holds"], False),
}
FIRST_LINES = 8


class Hung:
    """The program, running until the end of the with statement."""

    def __init__(self, program, *case, **environment):
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen([program, *case], stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        env=dict(os.environ, WEIR_BIND="none", **environment))
        if self.process.stdout.readline() != "ready\n":
            self.process.wait()
            fail(f"{case} did not come to hang: {self.said()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def says(self, pattern):
        deadline = time.monotonic() + PATIENCE
        while not re.search(pattern, " ".join(self.said().split())):
            if time.monotonic() > deadline:
                fail(f"no {pattern!r} on standard error:\n{self.said()}")
            time.sleep(0.05)


def explain(weir, process, *options):
    return subprocess.run([weir, "explain", str(process), *options], capture_output=True, text=True, timeout=PATIENCE)


def expect_texts(texts, said):
    """In what was said in answer, the first of the texts in its first lines."""
    whole = " ".join(said.split())
    first = " ".join(" ".join(said.splitlines()[:FIRST_LINES]).split())
    for wanted in texts:
        if not re.search(wanted, first if wanted == texts[0] else whole):
            fail(f"no {wanted!r} in {'the first lines of' if wanted == texts[0] else ''}:\n{said}")


def check_ocr(case, weir, program):
    texts, stuck = OCR_CASES[case]
    name = case.removeprefix("ocr_")
    with Hung(program, name, "busy") as hung:
        deadline = time.monotonic() + PATIENCE
        said = ""
        while "EDT patient" not in said and time.monotonic() < deadline:
            said = explain(weir, hung.process.pid).stdout
        expect_texts(texts, said)
        hung.process.send_signal(signal.SIGUSR1)
        hung.says(texts[-1])
    if not stuck:
        return
    done = subprocess.run([program, name], capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 1:
        fail(f"it makes no progress, and ended with {done.returncode}")
    expect_texts(["the program can make no progress", *texts], done.stderr)
    expect_texts(texts, done.stderr)


def check_hang(case, weir, program):
    checks, texts, by_itself = CASES[case]
    with Hung(program, case, WEIR_EXPLAIN_AFTER="1") as hung:
        deadline = time.monotonic() + PATIENCE
        while True:
            done = explain(weir, hung.process.pid, "--json")
            if done.returncode != 0:
                fail(f"weir explain --json ended with {done.returncode}: {done.stderr}")
            runtime = json.loads(done.stdout)[0]
            if all(check(runtime) for check in checks):
                break
            if time.monotonic() > deadline:
                fail(f"the culprit is not named:\n{json.dumps(runtime, indent=1)[:6000]}")
            time.sleep(0.1)
        time.sleep(1.5)  # twice as long as it takes to see that nothing runs
        expect_texts(texts, explain(weir, hung.process.pid).stdout)
        if by_itself:
            hung.says("nothing has run for")
        elif hung.said():
            fail(f"nobody asked, and it said:\n{hung.said()}")
        hung.process.send_signal(signal.SIGUSR1)
        hung.says("asked for by SIGUSR1")
        if hung.said().count("nothing has run for") > 2:
            fail(f"it says more than once that it hangs:\n{hung.said()}")


def check_long_task(weir, program):
    with Hung(program, "long_task", WEIR_EXPLAIN_AFTER="1") as hung:
        if hung.process.wait(PATIENCE) != 0 or hung.said():
            fail(f"a long task is no hang, and it said:\n{hung.said()}")


def check_own_signal(weir, program):
    with Hung(program, "own_signal") as hung:
        hung.process.send_signal(signal.SIGUSR1)
        if hung.process.stdout.readline() != "mine\n" or hung.said():
            fail(f"the program's own handler was not called: {hung.said()}")
    with Hung(program, "never_ends", WEIR_EXPLAIN="no-signal") as hung:
        if explain(weir, hung.process.pid).returncode != 0:
            fail("no-signal also answers no question")
        hung.process.send_signal(signal.SIGUSR1)
        if hung.process.wait(PATIENCE) != -signal.SIGUSR1:
            fail("no-signal took the signal")


def expect_error(done, *texts):
    if done.returncode == 0 or done.stdout or done.stderr.count("\n") != 1:
        fail(f"not one line of error, but {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    for text in texts:
        if text not in done.stderr:
            fail(f"no {text!r} in {done.stderr!r}")


def check_errors(weir, program):
    with subprocess.Popen(["sleep", "100"]) as other:
        expect_error(explain(weir, other.pid), "(sleep)", "does not use Weir")
        other.kill()
        other.wait()
    expect_error(explain(weir, other.pid), "there is no process")
    expect_error(explain(weir, "solver"), "solver")
    with Hung(program, "never_ends", WEIR_EXPLAIN="off") as hung:
        expect_error(explain(weir, hung.process.pid), "WEIR_EXPLAIN=off")
    with Hung(program, "never_ends") as hung:
        hung.process.send_signal(signal.SIGSTOP)
        expect_error(explain(weir, hung.process.pid, "--timeout", "30"), "is stopped, and cannot answer", "kill -CONT")
        hung.process.send_signal(signal.SIGCONT)
        if os.geteuid() == 0:
            check_other_user(weir, hung.process.pid)


def check_other_user(weir, process):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(weir, pathlib.Path(folder) / "weir")
        os.chmod(copy, 0o755)
        done = subprocess.run([copy, "explain", str(process)], capture_output=True, text=True, user=65534, cwd="/")
    expect_error(done, "of user 0", "sudo")


def main():
    case, weir, program = sys.argv[1:]
    special = {"long_task": check_long_task, "own_signal": check_own_signal, "errors": check_errors}
    if case in special:
        special[case](weir, program)
    elif case in OCR_CASES:
        check_ocr(case, weir, program)
    else:
        check_hang(case, weir, program)


main()
