#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of SHMEM programs, as a newcomer makes them: weir run -n N --trace t.weir, weir report, weir trace.

usage: trace_test.py WEIR PROGRAM [MPIRUN]
"""
import json
import os
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TESTS / "multi"), str(TESTS / "page")]
from page_parts import Page
from traced_job import MPIRUN, PROGRAM, WEIR, Perfetto, TracedJob

PUT = 10 * 8 + 1000 + 8  # bytes that each PE puts to the next one
GET, ATOMIC = 3 * 8, 8


class Traces(TracedJob):
    def expect_known_bytes(self, report, pes):
        self.assertEqual(report["pes"], pes)
        traffic = {(t["from"], t["to"]): t for t in report["traffic"]}
        wanted = {(pe, (pe + 1) % pes) for pe in range(pes)} | {(pe, 0) for pe in range(pes)}
        self.assertEqual(set(traffic), wanted)
        for pe in range(pes):
            to_next = traffic[pe, (pe + 1) % pes]
            self.assertEqual((to_next["put_bytes"], to_next["puts"]), (PUT, 12))
            self.assertEqual((to_next["get_bytes"], to_next["gets"]), (GET, 1))
            self.assertEqual(traffic[pe, 0]["atomic_bytes"], ATOMIC)

    def test_a_report_has_the_bytes_that_each_pe_has_moved(self):
        for pes in 2, 4:
            self.run_traced(pes)
            report = self.report()
            self.expect_known_bytes(report, pes)
            self.assertEqual(report["missing"], [])

    def test_a_report_says_who_came_last_and_by_whose_put_waits_ended(self):
        self.run_traced(2)
        report = self.report()
        self.assertEqual(report["collectives"]["barrier"]["calls"], 2)
        late = {pe["pe"]: pe for pe in report["times"]}[1]
        self.assertGreaterEqual(late["came_last"], 1)
        self.assertEqual({(w["pe"], w["ended_by"]) for w in report["waits_until"]}, {(0, 1), (1, 0)})
        text = self.call(WEIR, "report", "t.weir").stdout
        self.assertIn("PE 1 came last to", text)
        self.assertIn("1.09 KiB", text)

    def test_files_named_one_by_one_are_a_job_too(self):
        self.run_traced(2)
        self.assertEqual(self.report("t.0.weir", "t.1.weir")["missing"], [])
        self.assertEqual(self.report("t.1.weir")["missing"], [0])

    def test_the_title_names_the_files_that_are_of_the_run(self):
        self.run_traced(2)
        self.call(WEIR, "run", "-n", "2", "--trace", "u.weir", PROGRAM)
        text = self.call(WEIR, "report", "t.0.weir", "u.0.weir", "u.1.weir").stdout
        self.assertTrue(text.startswith("u.0.weir to u.1.weir: 2 PEs"), text)
        self.assertIn("t.0.weir is of another run, and left out", text)

    def test_each_way_to_end_leaves_the_files(self):
        for how in "return", "exit", "finalize":
            self.run_traced(2, how)
            self.assertEqual(self.traces(), ["t.0.weir", "t.1.weir"], how)
            self.expect_known_bytes(self.report(), 2)

    def test_a_second_start_has_files_of_its_own(self):
        self.run_traced(2, "again")
        self.assertEqual(self.traces(), ["t.0.weir", "t.1.weir", "t.start2.0.weir", "t.start2.1.weir"])
        self.expect_known_bytes(self.report(), 2)
        second = self.report("t.start2.weir")
        self.assertEqual(sum(t["puts"] for t in second["traffic"]), 2)
        self.assertIn("the PEs have started the library 2 times: this is start 1; --runtime N shows another",
                      self.call(WEIR, "report", "t.weir").stdout)
        self.assertEqual(self.report("t.weir", "--runtime", "2")["traffic"], second["traffic"])
        self.assertIn("have started the library 2 times, and --runtime 3 asks for another start",
                      self.call(WEIR, "report", "t.weir", "--runtime", "3", status=2).stderr)
        for name in self.traces():
            os.remove(os.path.join(self.folder, name))
        self.run_traced(1, "again")
        self.assertEqual(self.traces(), ["t.0.weir", "t.start2.0.weir"])
        self.call(PROGRAM, "again", WEIR_TRACE="alone.weir")
        self.assertEqual(self.traces()[:2], ["alone.start2.weir", "alone.weir"])

    def test_one_step_has_all_starts(self):
        done = self.call(WEIR, "run", "-n", "2", "--report", "--trace", "x.json", PROGRAM, "again")
        self.assertIn("the PEs have started the library 2 times: this is start 1", done.stdout)
        processes = Perfetto(json.loads(self.read("x.json"))["traceEvents"]).processes
        self.assertEqual(sorted(processes.values()), [f"PE {pe}, start {start}" for pe in (0, 1) for start in (1, 2)])

    def test_a_later_start_of_another_run_is_none_of_this_one(self):
        self.run_traced(2, "again")
        self.run_traced(2)
        self.assertNotIn("started the library", self.call(WEIR, "report", "t.weir").stdout)

    def test_global_exit_leaves_the_whole_file_of_who_called_it(self):
        self.run_traced(2, "global_exit")
        self.assertIn("t.1.weir", self.traces())
        self.assertNotIn(1, self.report()["missing"])

    def test_a_pe_that_is_killed_is_named_and_the_others_are_reported_on(self):
        self.run_traced(2, "abort", status=None)
        report = self.report()
        self.assertTrue(any("PE 1" in remark for remark in report["remarks"]), report["remarks"])

    def test_a_file_that_is_gone_is_named(self):
        self.run_traced(2)
        os.remove(os.path.join(self.folder, "t.0.weir"))
        report = self.report()
        self.assertEqual(report["missing"], [0])
        self.assertIn("PE 0 of 2 has left no file, or it was not given", report["remarks"])

    def test_pes_that_share_no_memory_are_traced_too(self):
        self.run_traced(2, WEIR_SHMEM_REMOTE="all")
        self.expect_known_bytes(self.report(), 2)

    def test_weir_run_records_runs_and_reports_in_one_step(self):
        done = json.loads(self.call(WEIR, "run", "-n", "2", "--report", "--json", PROGRAM).stdout)
        self.assertEqual((done[0]["ranks"], done[0]["status"]), (2, 0))
        self.expect_known_bytes(done[1]["report"], 2)
        self.assertEqual(self.traces(), [])  # the traces are gone
        self.call(WEIR, "run", "-n", "2", "--report", "--trace", "t.weir", PROGRAM)
        self.assertEqual(self.traces(), ["t.0.weir", "t.1.weir"])
        text = self.call(WEIR, "run", "-n", "2", "--report", "--trace", "t.weir", "false", status=1).stdout
        self.assertNotIn("PE 0", text)  # the traces that are there are of an earlier run

    def test_the_page_of_a_job_has_every_call_and_what_ended_waits(self):
        page = Page(self.page())
        self.expect_known_bytes(page.about["report"], 2)
        names = [page.about["names"][name] for name in page.column("task.name")[1:]]
        self.assertEqual((names.count("put"), names.count("wait_until"), names.count("barrier")), (24, 2, 2))
        self.assertEqual([row["name"] for row in page.about["rows"]], ["PE 0", "PE 1"])
        self.assertEqual({page.column("call.peer")[1 + i] for i, name in enumerate(names) if name == "put"}, {1, 2})
        ends = list(zip(page.column("end.call"), page.column("end.by"), strict=True))
        tracks = page.column("task.track")
        waits = [(call, by) for call, by in ends if names[call - 1] == "wait_until"]
        self.assertEqual(len(waits), 2)
        for call, by in waits:
            self.assertEqual((names[by - 1], tracks[by]), ("put", 1 - tracks[call]))
        self.assertNotRegex(page.own_parts(), r"https?://|@[A-Z]+@|url\(|<img")

    def test_perfetto_gets_a_process_for_each_pe(self):
        self.run_traced(2)
        trace = self.perfetto()
        self.assertEqual(sorted(trace.processes.values()), ["PE 0", "PE 1"])
        puts = [e for e in trace.events if e["name"] == "put" and trace.processes[e["pid"]] == "PE 0"]
        self.assertEqual(sum(e["args"]["bytes"] for e in puts), PUT)
        self.assertEqual({e["args"]["pe"] for e in puts}, {1})

    def test_perfetto_gets_an_arrow_from_each_put_to_the_wait_that_it_ended(self):
        self.run_traced(4)
        trace = self.perfetto()
        pes = {pid: int(name.split()[1]) for pid, name in trace.processes.items()}
        arrows = trace.arrows("ended the wait")
        self.assertEqual(len(arrows), 4)
        for start, end in arrows:
            self.assertEqual((pes[start["pid"]] + 1) % 4, pes[end["pid"]])
            self.assertLessEqual(start["ts"], end["ts"])
            self.assertIn("put", trace.slices_at(start))
            self.assertIn("wait_until", trace.slices_at(end))

    @unittest.skipUnless(MPIRUN, "no mpirun")
    def test_mpirun_gives_each_pe_a_file_of_its_own(self):
        self.run_traced_by_mpirun(2)
        self.assertEqual(self.traces(), ["t.0.weir", "t.1.weir"])
        self.expect_known_bytes(self.report(), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
