# SPDX-License-Identifier: Apache-2.0

"""What the tests of traces of jobs have in common: a folder for each test, weir run --trace, weir report, weir trace.

usage of such a test: TEST WEIR PROGRAM [MPIRUN]
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

WEIR, PROGRAM, MPIRUN = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""


class TracedJob(unittest.TestCase):
    arguments = ()  # of the program, where a test does not give others
    variables = {}  # of its environment

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_")}

    def call(self, *words, status=0, **variables):
        """A command in the test's folder, which has to end with that status; None: with any."""
        done = subprocess.run(words, cwd=self.folder, env={**self.environment, **variables}, capture_output=True, text=True,
                              timeout=100)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    @contextlib.contextmanager
    def started(self, *words, **variables):
        """A job that runs meanwhile. When the test fails in it, the job ends, too: nobody would let it go on."""
        with subprocess.Popen(words, cwd=self.folder, env={**self.environment, **variables}) as job:
            try:
                yield job
            except BaseException:
                job.terminate()
                raise

    def run_traced(self, processes, *arguments, status=0, **variables):
        """Makes t.weir of a job of the program by weir run."""
        return self.call(WEIR, "run", "-n", str(processes), "--trace", "t.weir", PROGRAM, *(arguments or self.arguments),
                         status=status, **{**self.variables, **variables})

    def run_traced_by_mpirun(self, processes, *arguments):
        self.call(MPIRUN, "-n", str(processes), PROGRAM, *(arguments or self.arguments), WEIR_TRACE="t.weir",
                  OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                  **self.variables)

    def traces(self):
        return sorted(name for name in os.listdir(self.folder) if ".weir" in name)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def report(self, *files):
        return json.loads(self.call(WEIR, "report", *(files or ["t.weir"]), "--json").stdout)[0]

    def perfetto(self):
        """Perfetto's form of t.weir."""
        self.call(WEIR, "trace", "t.weir", "--to", "x.json")
        return Perfetto(json.loads(self.read("x.json"))["traceEvents"])

    def page(self):
        """The text of the page that weir run --html makes of a job of two; the test is skipped where weir makes no pages."""
        done = self.call(WEIR, "run", "-n", "2", "--html", "p.html", PROGRAM, *self.arguments, status=None)
        if "install node-d3" in done.stdout + done.stderr:
            self.skipTest("this weir makes no pages")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read("p.html")


class Perfetto:
    def __init__(self, events):
        self.events = events
        self.processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}

    def slices_at(self, point):
        """The names of the slices that an end of an arrow lies in."""
        return [e["name"] for e in self.events if e["ph"] == "X" and (e["pid"], e["tid"]) == (point["pid"], point["tid"])
                and e["ts"] <= point["ts"] <= e["ts"] + e["dur"]]

    def arrows(self, name):
        """The pairs of start and end of the arrows of that name."""
        starts, ends = ({e["id"]: e for e in self.events if e["ph"] == ph and e["name"] == name} for ph in "sf")
        if set(starts) != set(ends):
            raise AssertionError(f"arrows '{name}' begin as {sorted(starts)} and end as {sorted(ends)}")
        return [(start, ends[number]) for number, start in starts.items()]
