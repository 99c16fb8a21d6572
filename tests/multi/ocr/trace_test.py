#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of an OCR program over ranks, as a newcomer makes them: weir run -n N --trace t.weir, weir report, weir trace;
and weir explain while it waits.

usage: trace_test.py WEIR PROGRAM [MPIRUN]
"""
import os
import pathlib
import re
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from traced_job import MPIRUN, PROGRAM, WEIR, TracedJob

LARGE = 800_000  # bytes of the block that goes there and back
LONG = 300e6  # ns that making and using it take at least


class OcrRankTraces(TracedJob):
    arguments = ("traced",)
    variables = {"WEIR_WORKERS": "2"}

    def test_a_report_has_the_bytes_that_went_from_rank_to_rank(self):
        for ranks in 2, 3:
            self.run_traced(ranks)
            report = self.report()
            self.assertEqual((report["ranks"], report["missing"], report["remarks"]), (ranks, [], []))
            bytes_of = {(t["from"], t["to"]): t["bytes"] for t in report["traffic"]}
            last = ranks - 1
            for pair in (0, last), (last, 0):  # and messages of some hundred bytes, which say what is asked
                self.assertGreater(bytes_of[pair], LARGE)
                self.assertLess(bytes_of[pair], LARGE + 10_000)
            self.assertEqual(set(bytes_of), {(0, last), (last, 0)})
            self.assertEqual(report["before_sent"], 0)

    def test_a_report_says_who_waited_for_whose_block_and_answers(self):
        self.run_traced(2)
        waits = {(w["rank"], w["data"]): w for w in self.report()["top_waits"]}
        block = waits[1, "block"]
        self.assertEqual((block["for"], block["times"]), (0, 1))
        self.assertIn("use_large", block["tasks"])
        self.assertIn("make_large", block["made_by"])  # which held it
        self.assertRegex(block["longest"], r"^block\[0x[0-9a-f]+\]$")
        self.assertGreater(block["ns"], 0)
        answer = waits[0, "create EDT"]
        self.assertEqual((answer["for"], answer["times"]), (1, 1))
        self.assertIn("make_large", answer["tasks"])

    def test_the_critical_path_goes_through_a_block_that_is_lent(self):
        self.run_traced(2)
        report = self.report()
        path = " ".join(step["name"] for step in report["critical_path"])
        self.assertIn("make_large", path)
        self.assertIn("use_large", path)
        self.assertGreaterEqual(report["critical_path_ns"], 2 * LONG)  # it is held on one rank, and then on the other
        self.assertGreaterEqual(report["path_crossings"], 1)
        self.assertIn("for a rank: create EDT", {name["name"] for name in report["names"]})

    def test_a_report_as_text_has_a_row_for_each_rank(self):
        self.run_traced(2)
        text = self.call(WEIR, "report", "t.weir", COLUMNS="80").stdout
        self.assertIn("2 ranks on 1 host", text)
        # Names of EDTs are long, and their columns are not.
        self.assertRegex(text, r"(?m)^rank 1 +EDT \S*use_large +rank 0 +block +EDT \S*make_large +1 ")
        self.assertRegex(text, r"(?m)^rank 1 worker 0 ( *[0-9.]+%)+ +\d+$")
        self.assertRegex(text, r"rank 1 +[0-9.]+%")
        self.assertRegex(text, r"(?m)^rank 0 +- +\d+")

    def test_all_messages_of_larger_programs_have_both_ends(self):
        for body in "writers", "events", "labels", "finish", "versions", "homes":
            self.run_traced(3, body)
            report = self.report()
            self.assertEqual((report["missing"], report["remarks"]), ([], []), body)
            self.assertTrue(report["traffic"], body)
            self.assertEqual(report["one_ended"], 0, body)
            self.assertEqual(report["before_sent"], 0, body)

    def test_perfetto_gets_arrows_between_ranks(self):
        self.run_traced(2)
        perfetto = self.perfetto()
        seen = set()
        for start, end in perfetto.arrows("message"):
            self.assertNotEqual(start["pid"], end["pid"])
            self.assertLessEqual(start["ts"], end["ts"])
            seen.add((" ".join(perfetto.slices_at(start)), " ".join(perfetto.slices_at(end))))
        self.assertTrue(any("make_large" in a and "for a rank: create EDT" in b for a, b in seen), seen)
        self.assertTrue(any("for a rank: create EDT" in a and "make_large" in b for a, b in seen), seen)
        self.assertTrue(any("use_large" in b for a, b in seen), seen)

    def test_the_page_has_the_ranks(self):
        page = self.page()
        self.assertIn('"top_waits"', page)
        self.assertIn("for a rank: create EDT", page)

    def test_explain_says_on_all_ranks_what_they_wait_for(self):
        with self.started(WEIR, "run", "-n", "2", PROGRAM, "explained", WEIR_WORKERS="2") as job:
            wanted = ("rank 0 of 2:", "rank 1 of 2:", "of rank 0", "hold_large", "end_it")
            said, end = "", time.monotonic() + 60
            while not all(text in said for text in wanted) and time.monotonic() < end and job.poll() is None:
                time.sleep(0.1)
                said = self.call(WEIR, "explain", str(job.pid), status=None).stdout
            with open(os.path.join(self.folder, "go"), "w", encoding="utf-8"):
                pass
            self.assertEqual(job.wait(timeout=60), 0)
        for text in wanted:
            self.assertIn(text, said)
        self.assertRegex(said, r"data block 0x[0-9a-f]+ of rank 0")

    def test_explain_says_which_edts_of_other_ranks_a_finish_scope_waits_for(self):
        with self.started(WEIR, "run", "-n", "2", PROGRAM, "explained-scope", WEIR_WORKERS="2") as job:
            said, end = "", time.monotonic() + 60
            while len(set(re.findall(r"for EDT 0x[0-9a-f]+ of rank 1 to end", said))) < 3 and time.monotonic() < end and job.poll() is None:
                time.sleep(0.1)
                said = self.call(WEIR, "explain", str(job.pid), status=None).stdout
            with open(os.path.join(self.folder, "go"), "w", encoding="utf-8"):
                pass
            self.assertEqual(job.wait(timeout=60), 0)
        self.assertEqual(len(set(re.findall(r"for EDT 0x[0-9a-f]+ of rank 1 to end", said))), 3, said)
        self.assertIn("3 for what another rank does", said)
        for accusation in ("never happens", "ocrAddDependence() is missing"):
            self.assertNotIn(accusation, said)

    def test_explain_says_what_has_been_asked_of_another_rank(self):
        with self.started(WEIR, "run", "-n", "2", PROGRAM, "asks-stopped", WEIR_WORKERS="2") as job:
            stopped = os.path.join(self.folder, "stopped")
            said, end = "", time.monotonic() + 60
            while "to answer" not in said and time.monotonic() < end and job.poll() is None:
                time.sleep(0.1)
                if os.path.exists(stopped):  # and never answers
                    said = self.call(WEIR, "explain", "--timeout", "5", str(job.pid), status=None).stdout
            with open(stopped, encoding="utf-8") as file:
                os.kill(int(file.read()), signal.SIGCONT)
            self.assertEqual(job.wait(timeout=60), 0)
        self.assertRegex(said, r"EDT \S*ask_stopped(.|\n)*for rank 1 to answer: create EDT")

    @unittest.skipUnless(MPIRUN, "no mpirun")
    def test_mpirun_gives_each_rank_a_file_of_its_own(self):
        self.run_traced_by_mpirun(2)
        report = self.report()
        self.assertEqual((report["ranks"], report["missing"], report["remarks"]), (2, [], []))
        self.assertEqual({(t["from"], t["to"]) for t in report["traffic"]}, {(0, 1), (1, 0)})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
