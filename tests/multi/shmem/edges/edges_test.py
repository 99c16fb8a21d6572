#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SHMEM programs at the edges of what is allowed: how they end, and what is said of those that go beyond.

usage: edges_test.py WEIR EDGES LIBRARY INSTRUMENTED, the last "-" where there is no AddressSanitizer
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

WEIR, EDGES, LIBRARY, INSTRUMENTED = sys.argv[1:5]
SECONDS = 100  # when something hangs


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_words(self, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "SHMEM_"))}
        return subprocess.run(words, cwd=self.folder, env={**environment, **variables}, capture_output=True, text=True,
                              timeout=SECONDS, check=False)

    def run_pes(self, pes, *words, **variables):
        return self.run_words(WEIR, "run", "-n", str(pes), *words, **variables)

    def expect_status(self, status, done):
        self.assertEqual(done.returncode, status, f"{done.args}: {done.stdout}{done.stderr}")


class Ends(Program):
    def expect_all_is_written(self, pes, how, status, job_status):
        done = self.run_pes(pes, EDGES, "prints", how, str(status))
        self.expect_status(job_status, done)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"PE {pe} prints" for pe in range(pes)], how)
        for pe in range(pes):
            self.assertEqual(pathlib.Path(self.folder, f"out.{pe}").read_text(), f"result of PE {pe}\n", how)

    def test_global_exit_of_one_writes_what_all_have_printed(self):
        for pes in 1, 3:
            self.expect_all_is_written(pes, "global_exit", 5, 5)

    def test_global_exit_of_all_writes_what_all_have_printed(self):
        self.expect_all_is_written(3, "all_global_exit", 6, 6)

    def test_exit_with_a_status_writes_what_all_have_printed(self):
        for pes in 1, 3:
            self.expect_all_is_written(pes, "exit", 3, 3)

    def test_return_with_a_status_writes_what_has_been_printed(self):
        for pes in 1, 2:
            self.expect_all_is_written(pes, "return", 4, 4)

    def test_a_status_of_which_the_system_keeps_nothing_is_none(self):
        self.expect_all_is_written(2, "return", 256, 0)


class Streams(Program):
    def test_what_is_printed_to_closed_streams_is_not_in_the_heap(self):
        for pes in 1, 2:
            for closed in ">&-", "<&- >&-", "<&-", "<&- >&- 2>&-":
                done = self.run_pes(pes, "sh", "-c", f'exec "$0" prints_nowhere {closed}', EDGES)
                self.expect_status(0, done)


class Limits(Program):
    @unittest.skipIf(INSTRUMENTED == "-", "no AddressSanitizer, or Weir has it")
    def test_a_program_with_address_sanitizer_starts(self):
        for pes in 1, 2:
            self.expect_status(0, self.run_pes(pes, INSTRUMENTED, ASAN_OPTIONS="detect_leaks=0"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
