#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of SHMEM programs, as a newcomer makes them: weir run -n N --trace t.weir, weir report, weir trace.

usage: trace_test.py WEIR PROGRAM [MPIRUN]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "page"))
from page_parts import Page

WEIR, PROGRAM, MPIRUN = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""
PUT = 10 * 8 + 1000 + 8  # bytes that each PE puts to the next one
GET, ATOMIC = 3 * 8, 8


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_")}

    def call(self, *words, status=0, **variables):
        done = subprocess.run(words, cwd=self.folder, env={**self.environment, **variables}, capture_output=True, text=True,
                              timeout=100)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    def run_traced(self, pes, how="finalize", status=0, **variables):
        return self.call(WEIR, "run", "-n", str(pes), "--trace", "t.weir", PROGRAM, how, status=status, **variables)

    def report(self, *files):
        return json.loads(self.call(WEIR, "report", *(files or ["t.weir"]), "--json").stdout)[0]

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

    def test_each_way_to_end_leaves_the_files(self):
        for how in "return", "exit", "finalize":
            self.run_traced(2, how)
            self.assertEqual(sorted(os.listdir(self.folder)), ["t.0.weir", "t.1.weir"], how)
            self.expect_known_bytes(self.report(), 2)

    def test_global_exit_leaves_the_whole_file_of_who_called_it(self):
        self.run_traced(2, "global_exit")
        self.assertIn("t.1.weir", os.listdir(self.folder))
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
        self.assertIn("PE 0 of 2 has left no file", report["remarks"])

    def test_pes_that_share_no_memory_are_traced_too(self):
        self.run_traced(2, WEIR_SHMEM_REMOTE="all")
        self.expect_known_bytes(self.report(), 2)

    def test_weir_run_records_runs_and_reports_in_one_step(self):
        done = json.loads(self.call(WEIR, "run", "-n", "2", "--report", "--json", PROGRAM).stdout)
        self.assertEqual((done[0]["ranks"], done[0]["status"]), (2, 0))
        self.expect_known_bytes(done[1]["report"], 2)
        self.assertEqual(os.listdir(self.folder), [])  # the traces are gone
        self.call(WEIR, "run", "-n", "2", "--report", "--trace", "t.weir", PROGRAM)
        self.assertEqual(sorted(os.listdir(self.folder)), ["t.0.weir", "t.1.weir"])
        text = self.call(WEIR, "run", "-n", "2", "--report", "--trace", "t.weir", "false", status=1).stdout
        self.assertNotIn("PE 0", text)  # the traces that are there are of an earlier run

    def test_the_page_of_a_job_has_every_call_and_what_ended_waits(self):
        text = self.call(WEIR, "run", "-n", "2", "--html", "p.html", PROGRAM).stdout
        if "install node-d3" in text:
            self.skipTest("this weir makes no pages")
        with open(os.path.join(self.folder, "p.html"), encoding="utf-8") as file:
            page = Page(file.read())
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
        self.call(WEIR, "trace", "t.weir", "--to", "x.json")
        with open(os.path.join(self.folder, "x.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertEqual(sorted(names.values()), ["PE 0", "PE 1"])
        puts = [e for e in events if e["name"] == "put" and names[e["pid"]] == "PE 0"]
        self.assertEqual(sum(e["args"]["bytes"] for e in puts), PUT)
        self.assertEqual({e["args"]["pe"] for e in puts}, {1})

    def test_perfetto_gets_an_arrow_from_each_put_to_the_wait_that_it_ended(self):
        self.run_traced(4)
        self.call(WEIR, "trace", "t.weir", "--to", "x.json")
        with open(os.path.join(self.folder, "x.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]

        def slices_at(point):
            return [e["name"] for e in events if e["ph"] == "X" and (e["pid"], e["tid"]) == (point["pid"], point["tid"])
                    and e["ts"] <= point["ts"] <= e["ts"] + e["dur"]]

        starts = {e["id"]: e for e in events if e["ph"] == "s"}
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual((len(starts), set(starts)), (4, set(ends)))
        pes = {e["pid"]: int(e["args"]["name"].split()[1]) for e in events if e["name"] == "process_name"}
        for number, start in starts.items():
            self.assertEqual((pes[start["pid"]] + 1) % 4, pes[ends[number]["pid"]])
            self.assertLessEqual(start["ts"], ends[number]["ts"])
            self.assertIn("put", slices_at(start))
            self.assertIn("wait_until", slices_at(ends[number]))

    @unittest.skipUnless(MPIRUN, "no mpirun")
    def test_mpirun_gives_each_pe_a_file_of_its_own(self):
        self.call(MPIRUN, "-n", "2", PROGRAM, "finalize", WEIR_TRACE="t.weir", OMPI_ALLOW_RUN_AS_ROOT="1",
                  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
        self.assertEqual(sorted(os.listdir(self.folder)), ["t.0.weir", "t.1.weir"])
        self.expect_known_bytes(self.report(), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
