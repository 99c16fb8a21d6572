#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`weir check` of a job's ranks: a mistake on one rank is named with the rank, what is right on all is not named.

ranks_test.py WEIR PROGRAM SOURCE
"""
import json
import re
import subprocess
import sys
import unittest

WEIR, PROGRAM, SOURCE = sys.argv[1:]


def check(*words):
    return subprocess.run([WEIR, "check", *words], capture_output=True, text=True, timeout=110, check=False)


class Ranks(unittest.TestCase):
    def line(self):
        with open(SOURCE, encoding="utf-8") as file:
            return next(number for number, line in enumerate(file, 1) if "FINDS on rank 1" in line)

    def test_a_mistake_on_a_rank_is_named_with_the_rank(self):
        for ranks in "2", "3":
            done = check("-n", ranks, "--json", PROGRAM)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            found = [(f["finding"], f["rank"], f["task"]["name"], f["at"].get("line")) for f in json.loads(done.stdout)]
            self.assertEqual(found, [("undeclared", 1, "bad", self.line())])

    def test_as_text_each_line_is_whole(self):
        done = check("-n", "2", PROGRAM)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r'(?m)^weir check: rank 1: task "bad" \(spawned at ranks\.cpp:\d+\) reads 8 bytes that its '
                                      r"footprint does not name$")
        for line in done.stderr.splitlines():
            self.assertTrue(re.match(r"weir check: |  (at|where) ", line), done.stderr)

    def test_nothing_is_found_where_all_is_right(self):
        for ranks in "1", "2", "4":
            done = check("-n", ranks, "--json", PROGRAM, "sound")
            self.assertEqual((done.returncode, json.loads(done.stdout)), (0, []), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
