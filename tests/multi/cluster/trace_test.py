#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of ranks, as a newcomer makes them: weir run -n N --trace t.weir, weir report, weir trace.

usage: trace_test.py WEIR PROGRAM [MPIRUN]
"""
import json
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from traced_job import MPIRUN, PROGRAM, WEIR, TracedJob

SMALL, LARGE = 100 * 8, 100_000 * 8  # bytes of the tiles
LONG = 300e6  # ns that making and using the large tile take at least


class RankTraces(TracedJob):
    arguments = ("traced",)
    variables = {"WEIR_WORKERS": "2"}

    def expect_known_bytes(self, report, ranks):
        self.assertEqual((report["ranks"], report["missing"], report["remarks"]), (ranks, [], []))
        wanted = {(rank, (rank - 1) % ranks): [1, SMALL] for rank in range(ranks)}
        for rank in range(1, ranks):
            sum_of = wanted.setdefault((0, rank), [0, 0])
            sum_of[0] += 1
            sum_of[1] += LARGE
        self.assertEqual({(t["from"], t["to"]): [t["messages"], t["bytes"]] for t in report["traffic"]}, wanted)

    def test_a_report_has_the_bytes_that_went_from_rank_to_rank(self):
        for ranks in 2, 3:
            self.run_traced(ranks)
            self.assertEqual(self.traces(), [f"t.{rank}.weir" for rank in range(ranks)])
            self.expect_known_bytes(self.report(), ranks)

    def test_a_report_says_who_waited_for_whose_data(self):
        self.run_traced(3)
        report = self.report()
        waits = {(w["rank"], w["data"]): w for w in report["top_waits"]}
        for rank in 1, 2:
            wait = waits[rank, "large"]
            self.assertEqual((wait["for"], wait["tasks"], wait["made_by"], wait["times"], wait["longest"]),
                             (0, "use large", "make large", 1, "large[0]"))
            self.assertGreater(wait["ns"], 0)
            self.assertGreater(report["times"][rank]["waiting_for_ranks_ns"], 0)
        self.assertEqual(report["before_sent"], 0)

    def test_the_critical_path_goes_across_ranks(self):
        self.run_traced(2)
        report = self.report()
        path = {step["name"] for step in report["critical_path"]}
        self.assertGreaterEqual(report["critical_path_ns"], 2 * LONG)  # what is made on one rank, and then used on the other
        if {"make large", "use large"} <= path:  # unless the machine kept the program's own code for longer
            self.assertGreaterEqual(report["path_crossings"], 1)

    def test_a_report_as_text_has_a_row_for_each_rank(self):
        self.run_traced(2)
        text = self.call(WEIR, "report", "t.weir").stdout
        self.assertIn("2 ranks on 1 host", text)
        self.assertRegex(text, r"rank 1 +[0-9.]+%")
        self.assertRegex(text, r"rank 1 +use large +rank 0 +large +make large +1 ")

    def test_one_file_gives_what_it_has_and_names_the_ranks_that_are_missing(self):
        self.run_traced(2)
        report = self.report("t.1.weir")
        self.assertEqual((report["missing"], [t["rank"] for t in report["times"]]), ([0], [1]))
        self.assertIn({"from": 0, "to": 1, "messages": 2, "bytes": SMALL + LARGE}, report["traffic"])

    def test_a_rank_that_is_killed_leaves_what_it_had(self):
        self.run_traced(2, "traced-killed", status=None)
        report = self.report()
        self.assertIn("t.1.weir.part ends early: rank 1 had not ended, or was killed", report["remarks"])
        self.assertIn("make", {name["name"] for name in report["names"]})
        self.assertIn(0, {t["rank"] for t in report["times"]})

    def test_explain_asks_all_ranks(self):
        with self.started(WEIR, "run", "-n", "3", PROGRAM, "explained", **self.variables) as job:
            wanted = ("for task 'receive from rank 0'", "block 'large[0]'", "task 'make large'", "rank 0 of 3:",
                      "rank 1 of 3:", "rank 2 of 3:", "waits for a message from another rank")
            said, end = "", time.monotonic() + 60
            while not all(text in said for text in wanted) and time.monotonic() < end and job.poll() is None:
                time.sleep(0.1)
                said = self.call(WEIR, "explain", str(job.pid), status=None).stdout
            runtimes = json.loads(self.call(WEIR, "explain", str(job.pid), "--json").stdout)
            with open(os.path.join(self.folder, "go"), "w", encoding="utf-8"):
                pass
            self.assertEqual(job.wait(timeout=60), 0)
        for text in wanted:
            self.assertIn(text, said)
        self.assertEqual([runtime["rank"] for runtime in runtimes], [0, 1, 2])

    def test_several_starts_of_a_job_are_not_mixed(self):
        self.run_traced(2, "traced-twice")
        for start, word in (1, "first"), (2, "second"):
            report = self.report("t.weir", "--runtime", str(start))
            names = {name["name"] for name in report["names"]}
            self.assertTrue({f"make {word}", f"use {word}"} <= names, names)
            self.assertFalse([name for name in names if name.endswith("second" if start == 1 else "first")])
            self.assertEqual([(t["from"], t["to"], t["messages"]) for t in report["traffic"]], [(start - 1, 2 - start, 1)])
        report = self.report()
        words = {name["name"].split()[-1] for name in report["names"]} & {"first", "second"}
        self.assertEqual(len(words), 1, report["names"])
        self.assertIn("started their part of a job 2 times: this is start", " ".join(report["remarks"]))
        self.assertIn("--runtime 3 asks for another", self.call(WEIR, "report", "t.weir", "--runtime", "3", status=None).stderr)

    def test_what_is_simulated_is_one_rank(self):
        self.run_traced(2)
        done = self.call(WEIR, "sim", "t.weir", status=2)
        self.assertIn("give the file of one rank", done.stderr)
        self.call(WEIR, "sim", "t.0.weir")

    def test_processes_with_a_runtime_each_are_ranks_too(self):
        self.run_traced(2, "traced-alone")
        report = self.report()
        self.assertEqual((report["ranks"], report["traffic"], report["missing"]), (2, [], []))
        self.assertEqual([t["tasks"] for t in report["times"]], [10, 10])

    def test_weir_run_records_runs_and_reports_in_one_step(self):
        done = json.loads(self.call(WEIR, "run", "-n", "2", "--report", "--json", PROGRAM, "traced").stdout)
        self.assertEqual((done[0]["ranks"], done[0]["status"]), (2, 0))
        self.expect_known_bytes(done[1]["report"], 2)
        self.assertEqual(self.traces(), [])  # the traces are gone

    def test_weir_run_makes_a_picture_for_perfetto_in_one_step(self):
        self.call(WEIR, "run", "-n", "2", "--trace", "t.json", PROGRAM, "traced")
        events = json.loads(self.read("t.json"))["traceEvents"]
        self.assertEqual({e["args"]["name"] for e in events if e["name"] == "process_name"}, {"rank 0", "rank 1"})
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("t.")], ["t.json"])

    def test_the_page_has_the_ranks(self):
        page = self.page()
        self.assertIn('"top_waits"', page)
        self.assertIn("rank 1 worker 0", page)

    def test_perfetto_gets_an_arrow_from_who_has_sent_to_who_has_used_it(self):
        self.run_traced(2)
        trace = self.perfetto()
        self.assertEqual(sorted(trace.processes.values()), ["rank 0", "rank 1"])
        arrows = trace.arrows("message")
        self.assertEqual(len(arrows), 3)
        for start, end in arrows:
            self.assertNotEqual(start["pid"], end["pid"])
            self.assertLessEqual(start["ts"], end["ts"])
            self.assertIn("send", trace.slices_at(start))
            self.assertTrue({"use small", "use large"} & set(trace.slices_at(end)))

    @unittest.skipUnless(MPIRUN, "no mpirun")
    def test_mpirun_gives_each_rank_a_file_of_its_own(self):
        for body in "traced", "traced-alone":
            self.run_traced_by_mpirun(2, body)
            report = self.report()
            self.assertEqual((report["ranks"], report["missing"], report["remarks"]), (2, [], []))
            if body == "traced":
                self.expect_known_bytes(report, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
