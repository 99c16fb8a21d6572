#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`weir check -n 2` of an OCR program: a mistake of a rank is named with the rank, what other ranks order is not named.

ocr_ranks_test.py WEIR PROGRAM SOURCE
"""
import json
import os
import subprocess
import sys
import unittest

WEIR, PROGRAM, SOURCE = sys.argv[1:]


def check(*words, workers="2"):
    return subprocess.run([WEIR, "check", *words], capture_output=True, text=True, timeout=110, check=False,
                          env={**os.environ, "WEIR_WORKERS": workers})


class OcrRanks(unittest.TestCase):
    def test_what_an_edt_does_not_have_is_named_with_its_rank(self):
        with open(SOURCE, encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if "FINDS undeclared" in text)
        done = check("-n", "2", "--json", PROGRAM, "undeclared")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        findings = json.loads(done.stdout)
        found = [(f["finding"], f["rank"], f["task"]["name"], f["at"].get("line")) for f in findings]
        self.assertEqual(found, [("undeclared", 1, "read_kept", line)])
        # Rank 0 has created the EDT: no function of the library that does so for it here is named.
        self.assertNotIn("spawned", findings[0]["task"])
        self.assertNotIn("created at", findings[0]["text"])

    def test_a_block_of_another_rank_that_its_edt_has_released_is_not_said_to_be_gone(self):
        done = check("-n", "2", "--json", PROGRAM, "released")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        found = [(f["finding"], f["rank"], f["memory"]) for f in json.loads(done.stdout)]
        self.assertEqual(found, [("released", 1, "bytes 8 to 15 of the 80000 bytes of a data block")])

    def test_edts_of_a_rank_that_nothing_orders_are_named_with_it(self):
        done = check("-n", "2", PROGRAM, "unordered")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r'(?m)^weir check: rank 1: EDT "add_one".*nothing orders them$')
        self.assertNotIn("ld-linux", done.stderr)

    def test_nothing_is_found_where_other_ranks_order_what_is_done(self):
        for workers in "1", "2":
            for _ in range(3):
                done = check("-n", "2", "--json", PROGRAM, "sound", workers=workers)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(json.loads(done.stdout), [], done.stdout + done.stderr)

    def test_an_edt_that_another_rank_makes_with_all_it_needs_comes_after_what_that_follows_from(self):
        for what in "back", "through":
            done = check("-n", "2", "--json", PROGRAM, what)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(json.loads(done.stdout), [], done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
