#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The line of progress of `weir run`, on a terminal of this script's own.

progress_test.py CASE WEIR PROGRAM

PROGRAM is seismic_ocr, for `weir run PROGRAM`.

What a terminal would show is worked out from what is written: carriage return, clearing to the end of the line, and
text. So a line that is too long, or left behind, is seen as a person would see it.
"""
import re
import signal
import subprocess
import sys
import tempfile

from terminal import PATIENCE, fail, run


def screen(shown):
    """The lines of a terminal that is wide enough, and the longest that any of them was."""
    lines, column, longest = [""], 0, 0
    for piece in re.findall(r"\x1b\[K|\r|\n|[^\x1b\r\n]+", shown):
        if piece == "\r":
            column = 0
        elif piece == "\n":
            lines.append("")
        elif piece == "\x1b[K":
            lines[-1] = lines[-1][:column]
        else:
            lines[-1] = lines[-1][:column] + piece + lines[-1][column + len(piece):]
            column += len(piece)
            longest = max(longest, len(lines[-1]))
    return lines, longest


def drawn(shown):
    return [line for line in re.split(r"\r|\x1b\[K|\n", shown) if line]


# The line is drawn five times a second: what runs takes longer, and with one worker half of the processor time of two.
ONE_WORKER = ["--workers", "1"]


def command(weir, folder, *options):
    # In a process of its own, of a program that moves blocks.
    return [weir, "run", "stencil3d", "--size", "128", "--block", "32", "--variants", "weir-ahead", "--slow", f"file:{folder}",
            *ONE_WORKER, *options]


def check_erased(shown):
    lines, _ = screen(shown)
    if any(lines):
        fail(f"left on the terminal: {lines!r}")


def check_isolated(weir, folder):
    shown, output, status = run(command(weir, folder, "--repeat", "3"), 100)
    if status != 0 or "weir-ahead" not in output:
        fail(f"ended with {status}: {output}{shown}")
    if not any(re.search(r"weir-ahead \d of 3  \d+/\d+ tasks", line) for line in drawn(shown)):
        fail(f"no tasks in {drawn(shown)}")
    if not any(re.search(r"memory +\d+ %", line) for line in drawn(shown)):
        fail(f"no tier in {drawn(shown)}")
    if re.search(r"\r\x1b\[K[^\r\n]", shown):
        fail(f"a line is cleared before it is drawn, which flickers: {shown!r}")
    check_erased(shown)


def check_width(weir, folder):
    for columns, environment in ((24, {}), (100, {"COLUMNS": "30"}), (12, {})):
        shown, _, status = run(command(weir, folder, "--repeat", "1"), columns, **environment)
        least = min(columns, int(environment.get("COLUMNS", columns)))
        _, longest = screen(shown)
        if status != 0 or longest >= least or longest == 0:
            fail(f"{columns} columns, {environment}: a line of {longest}, status {status}: {drawn(shown)}")
        check_erased(shown)


def check_interrupt(weir, folder):
    shown, _, status = run(command(weir, folder, "--repeat", "1000"), 80, interrupt=r"\d+/\d+ tasks")
    if status != -signal.SIGINT:
        fail(f"Ctrl-C ended it with {status}")
    lines, _ = screen(shown.replace("^C", ""))
    if any(lines):
        fail(f"Ctrl-C left on the terminal: {lines!r}")


def check_in_process(weir, folder):
    size = ["--size", "700", "--iterations", "1400", *ONE_WORKER, "--variants", "weir", "--no-image", "--repeat", "1"]
    shown, output, status = run([weir, "run", "seismic", *size], 80)
    if status != 0:
        fail(f"ended with {status}: {output}{shown}")
    if not any(re.search(r"weir 1 of 1  \d+/\d+ tasks", line) for line in drawn(shown)):
        fail(f"no tasks in {drawn(shown)}")
    check_erased(shown)


def check_none(weir, folder):
    shown, output, status = run(command(weir, folder, "--repeat", "1", "--json"), 80)
    if status != 0 or shown or not output.startswith("["):
        fail(f"--json shows {shown!r}")
    done = subprocess.run(command(weir, folder, "--repeat", "1"), capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0 or done.stderr:
        fail(f"to a pipe it shows {done.stderr!r}")


# A program that writes to the same terminal has the rows above; the last one is the line's.
TAKEN, GIVEN_BACK = "\x1b[1;23r", "\x1b7\x1b[r\x1b[24;1H\x1b[K\x1b8"
LINE = r"\x1b7\x1b\[24;1H([^\x1b]*)\x1b\[K\x1b8"


def of_program(weir, program, iterations, *options):
    return [weir, "run", *ONE_WORKER, *options, program, "--rows", "256", "--cols", "256", "--blocks", "8", "--iterations", str(iterations)]


def check_given_back(shown):
    if shown.count(TAKEN) != shown.count(GIVEN_BACK) or shown.rfind(GIVEN_BACK) < shown.rfind(TAKEN):
        fail(f"the last row is not given back: {shown!r}")
    rest = re.sub(LINE, "", shown.replace(GIVEN_BACK, ""))
    rest = rest.replace("\x1bD\x1bM\x1b7" + TAKEN + "\x1b8", "").replace("^C", "")
    if rest.strip():
        fail(f"beside the line there is {rest!r}")


def check_program(weir, program):
    shown, output, status = run(of_program(weir, program, 2000), 60, TERM="xterm")
    lines = re.findall(LINE, shown)
    if status != 0 or "iterations" not in output:
        fail(f"ended with {status}: {output}{shown}")
    if not any(re.fullmatch(r"seismic_ocr  \d+/\d+ tasks.*", line) for line in lines) or max(map(len, lines)) >= 60:
        fail(f"no tasks in {lines}")
    check_given_back(shown)


def check_program_interrupt(weir, program):
    shown, _, status = run(of_program(weir, program, 500000), 60, interrupt=r"\d+/\d+ tasks", TERM="xterm")
    if status != -signal.SIGINT:
        fail(f"Ctrl-C ended it with {status}")
    check_given_back(shown)


def check_program_none(weir, program):
    for options, environment in ((("--json",), {"TERM": "xterm"}), ((), {"TERM": "dumb"}), (("--explain", "off"), {"TERM": "xterm"})):
        shown, output, status = run(of_program(weir, program, 500, *options), 60, **environment)
        if status != 0 or "\x1b" in shown:
            fail(f"{options} {environment}: ended with {status}, shows {shown!r}, prints {output!r}")
    done = subprocess.run(of_program(weir, program, 500), capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0 or done.stderr:
        fail(f"to a pipe it shows {done.stderr!r}")


def main():
    case, weir, program = sys.argv[1:]
    checks = {"isolated": check_isolated, "width": check_width, "interrupt": check_interrupt,
              "in_process": check_in_process, "none": check_none, "program": check_program,
              "program_interrupt": check_program_interrupt, "program_none": check_program_none}
    with tempfile.TemporaryDirectory() as folder:
        checks[case](weir, program if case.startswith("program") else folder)


main()
