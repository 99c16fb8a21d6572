#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The command `weir` in surroundings that are not the usual ones: what its parent ignores, what its files are called,
what a signal leaves of them.

command_test.py CASE WEIR PROGRAM    PROGRAM is program.cpp; CASE a function below
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}


def fail(text):
    sys.exit(f"command_test.py {sys.argv[1]}: {text}")


class Command:
    """In an empty folder, with a folder of temporary files of its own beside it."""

    def __init__(self, folder, weir, program):
        self.weir, self.program = weir, program
        self.here, self.temporary = pathlib.Path(folder) / "here", pathlib.Path(folder) / "temporary"
        self.here.mkdir()
        self.temporary.mkdir()

    def start(self, words, variables=None, **more):
        """PROGRAM among the words is the program; the command has a session, and so a group, of its own."""
        words = [self.program if word == "PROGRAM" else word for word in words]
        environment = {**ENVIRONMENT, "TMPDIR": str(self.temporary), **(variables or {})}
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen([self.weir, *words], cwd=self.here, env=environment, stdin=subprocess.DEVNULL,
                                start_new_session=True, **more)

    def run(self, words, wanted, variables=None, **more):
        """Its standard output and error; the status is that which is wanted."""
        process = self.start(words, variables, **more)
        try:
            output, error = process.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            fail(f"{words} does not end: {process.communicate()}")
        output, error = (text.decode(errors="replace") for text in (output or b"", error or b""))
        if process.returncode != wanted:
            fail(f"{words}: status {process.returncode}, wanted {wanted}: {output}{error}")
        return output, error

    def left(self):
        """What is there: names in its folder, and in that of temporary files."""
        return sorted(file.name for folder in (self.here, self.temporary) for file in folder.iterdir())


def ignore():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def ends(command):
    """The end of a program is known also where the parent ignores those of its children."""
    command.run(["run", "PROGRAM", "exit", "3"], 3, preexec_fn=ignore)
    command.run(["run", "-n", "2", "PROGRAM", "exit", "3"], 3, preexec_fn=ignore)
    command.run(["run", "sh", "-c", "(exit 5); exit $?"], 5, preexec_fn=ignore)
    command.run(["advise", "PROGRAM", "exit", "3"], 1, preexec_fn=ignore)


def ends_checked(command):
    """The same of a program that is checked."""
    _, error = command.run(["check", "PROGRAM", "exit", "3"], 3, preexec_fn=ignore)
    if "nothing found" not in error:
        fail(f"not checked: {error}")


def main():
    case, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](Command(folder, *(os.path.abspath(program) for program in programs)))


main()
