#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Traces of weir run -n N --hosts FILE, brought by each mpirun there is from a host that is this one.

usage: hosts_trace_test.py WEIR PROGRAM, which is cluster_rank
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WEIR, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
SECONDS = 100  # when something hangs
STARTERS = [program for program in map(shutil.which, ("mpirun.openmpi", "mpiexec.hydra")) if program]
# An mpirun that starts a job as another one does, and brings nothing afterwards.
LAME = """#!/bin/sh
case "$*" in *"tar -cf"*) exit 7;; esac
exec {} "$@"
"""
# One that says 0 of a job that Ctrl-C has ended, as MPICH's may.
POLITE = """#!/bin/sh
case "$*" in *" explained"*) trap : INT; {} "$@"; exit 0;; esac
exec {} "$@"
"""


class TracesOnHosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "hosts").write_text("localhost slots=2\n")
        (self.folder / "there").mkdir()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("WEIR_", "PMI", "OMPI_"))}
        self.environment.update(LC_ALL="C", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WEIR_WORKERS="2",
                                OMPI_MCA_rmaps_base_oversubscribe="1")

    def start(self, starter, *words):
        for name in self.here():
            (self.folder / name).unlink()
        environment = {**self.environment, "WEIR_MPIRUN": starter, "TMPDIR": str(self.folder / "there")}
        return subprocess.Popen([WEIR, "run", "-n", "2", "--hosts", "hosts", *words], cwd=self.folder, env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def run_to_end(self, starter, *words, status=0):
        job = self.start(starter, *words)
        out, error = job.communicate(timeout=SECONDS)
        if status is not None:
            self.assertEqual(job.returncode, status, f"{words}: {out}{error}")
        return job.returncode, out, error

    def here(self):
        return sorted(path.name for path in self.folder.iterdir() if path.name.startswith((".", "t.")))

    def there(self):
        return sorted(path.name for path in (self.folder / "there").iterdir() if ".weir" in path.name)

    def expect_both_ranks(self, report):
        self.assertEqual((report["ranks"], report["missing"], report["remarks"]), (2, [], []))
        self.assertEqual({(t["from"], t["to"]): t["messages"] for t in report["traffic"]}, {(0, 1): 2, (1, 0): 1})

    def report(self, *files):
        done = subprocess.run([WEIR, "report", *files, "--json"], cwd=self.folder, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)[0]

    def test_are_here_at_the_end_by_the_names_of_their_ranks(self):
        for starter in STARTERS:
            self.run_to_end(starter, "--trace", "t.weir", PROGRAM, "traced")
            self.assertEqual((self.here(), self.there()), (["t.0.weir", "t.1.weir"], []))
            self.expect_both_ranks(self.report("t.weir"))

    def test_give_a_report_in_one_step_and_go(self):
        for starter in STARTERS:
            _, out, _ = self.run_to_end(starter, "--report", "--json", PROGRAM, "traced")
            run, report = json.loads(out)
            self.assertEqual((run["ranks"], run["status"]), (2, 0))
            self.expect_both_ranks(report["report"])
            self.assertEqual((self.here(), self.there()), ([], []))

    def test_give_a_picture_for_perfetto_in_one_step_and_go(self):
        for starter in STARTERS:
            self.run_to_end(starter, "--trace", "t.json", PROGRAM, "traced")
            self.assertEqual((self.here(), self.there()), (["t.json"], []))
            events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
            self.assertEqual(sorted(e["args"]["name"] for e in events if e["name"] == "process_name"), ["rank 0", "rank 1"])

    def test_of_a_rank_that_is_killed_end_early(self):
        for starter in STARTERS:
            status, out, error = self.run_to_end(starter, "--trace", "t.weir", PROGRAM, "traced-killed", status=None)
            self.assertNotEqual(status, 0, out + error)
            self.assertIn("t.1.weir.part", self.here())
            self.assertEqual(self.there(), [])
            self.assertIn("t.1.weir.part ends early: rank 1 had not ended, or was killed", self.report("t.weir")["remarks"])

    def test_of_a_job_that_ctrl_c_has_ended_are_here_too(self):
        polite = self.folder / "polite"
        polite.write_text(POLITE.format(STARTERS[-1], STARTERS[-1]))
        polite.chmod(0o755)
        for starter in [*STARTERS, str(polite)]:
            job = self.start(starter, "--trace", "t.weir", PROGRAM, "explained")
            end = time.monotonic() + SECONDS
            while len(self.there()) < 2 and job.poll() is None and time.monotonic() < end:
                time.sleep(0.1)
            os.killpg(job.pid, signal.SIGINT)
            out, error = job.communicate(timeout=SECONDS)
            self.assertNotEqual(job.returncode, 0, out + error)
            self.assertEqual((self.here(), self.there()), (["t.0.weir.part", "t.1.weir.part"], []), out + error)

    def test_change_nothing_about_the_status_of_the_job(self):
        for starter in STARTERS:
            self.run_to_end(starter, "--trace", "t.weir", "sh", "-c", f"{PROGRAM} traced; exit 3", status=3)
            self.assertEqual(self.here(), ["t.0.weir", "t.1.weir"])

    def test_stay_where_they_are_when_they_cannot_be_brought(self):
        for starter in STARTERS:
            lame = self.folder / "lame"
            lame.write_text(LAME.format(starter))
            lame.chmod(0o755)
            _, _, error = self.run_to_end(str(lame), "--trace", "t.weir", PROGRAM, "traced", status=1)
            self.assertIn("weir: the traces of host localhost cannot be brought: ", error)
            self.assertEqual((self.here(), len(self.there())), ([], 2))
            for name in self.there():
                self.assertIn(name.split(".")[0], error)
                (self.folder / "there" / name).unlink()

    def test_are_missed_when_there_are_none(self):
        for starter in STARTERS:
            _, _, error = self.run_to_end(starter, "--trace", "t.weir", "true", status=1)
            self.assertIn("true has made no PE of this version of Weir's OpenSHMEM, and no runtime in any rank", error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
