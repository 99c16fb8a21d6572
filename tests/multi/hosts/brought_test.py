#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir run --hosts FILE --trace and --report: hosts that share no folder and have clocks 1000 s apart give one report.

brought_test.py openmpi|mpich WEIR CLUSTER_RANK OCR_RANK SHMEM_PE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

MISSING = 77
MPI, WEIR, CLUSTER, OCR, SHMEM = sys.argv[1:]
HOSTS = pathlib.Path(__file__).with_name("hosts.py")
LONGEST = 900e9  # ns that a run takes at most by clocks that are aligned; others are 1000 s apart
# weir, and what it has left in the folder for temporary files of the first host
RUN = '"$@"; status=$?; ls "$TMPDIR" | sed -n "s/^weir-/left: weir-/p" >&2; exit $status'


def check(right, what, out):
    if not right:
        sys.exit(f"{what}; the output was:\n{out}")


class Job:
    def __init__(self, folder):
        self.folder, self.own = folder, f"{folder}/own"
        os.mkdir(self.own)

    def run(self, *words, slots=1):
        command = [HOSTS, "--mpi", MPI, "--hosts", "2", "--slots", str(slots), "--timeout", "100", "--own", self.own, "--clocks",
                   "--starts-ranks", "env", f"TMPDIR={self.own}", "sh", "-c", RUN, "run", WEIR, "run", "-n", str(2 * slots),
                   "--hosts", "HOSTS", *words]
        done = subprocess.run(command, cwd=self.folder, env=os.environ | {"WEIR_WORKERS": "2"}, capture_output=True, text=True,
                              check=False)
        if done.returncode == MISSING:
            print(done.stderr)
            sys.exit(MISSING)
        check("left: " not in done.stderr, "nothing is left on the first host", done.stderr)
        return done

    def report(self, *words, slots=1):
        done = self.run("--report", "--json", *words, slots=slots)
        check(done.returncode == 0, "a run with a report ends well", done.stdout + done.stderr)
        return json.loads(done.stdout)[1]["report"]

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith("t."))


def ranks(job):
    report = job.report(CLUSTER, "traced")
    sent = {(t["from"], t["to"]): t["messages"] for t in report["traffic"]}
    check((report["ranks"], report["missing"], report["remarks"]) == (2, [], []), "the report is of both ranks", report)
    check(sent == {(0, 1): 2, (1, 0): 1}, "the report has what each rank has sent", report)
    check(report["critical_path_ns"] < LONGEST, "the clocks of both hosts are one", report["critical_path_ns"])


def ocr(job):
    report = job.report(OCR, "traced")
    check((report["ranks"], report["missing"], report["remarks"]) == (2, [], []), "the report is of both ranks", report)
    check({(t["from"], t["to"]) for t in report["traffic"]} == {(0, 1), (1, 0)}, "the report has what each rank has sent", report)
    check(report["critical_path_ns"] < LONGEST, "the clocks of both hosts are one", report["critical_path_ns"])


def shmem(job):
    report = job.report(SHMEM, "finalize", slots=2)
    check((report["pes"], report["missing"], len(report["times"])) == (4, [], 4), "the report is of all PEs", report)


def killed(job):
    done = job.run("--trace", "t.weir", CLUSTER, "traced-killed")
    check(done.returncode != 0, "a job of which a rank is killed fails", done.stdout + done.stderr)
    check("t.1.weir.part" in job.files(), "the rank of the other host leaves what it had", job.files())
    done = subprocess.run([WEIR, "report", f"{job.folder}/t.weir", "--json"], capture_output=True, text=True, check=True)
    check("rank 1 had not ended, or was killed" in done.stdout, "the report says that it was killed", done.stdout)


def main():
    for part in ranks, ocr, shmem, killed:
        with tempfile.TemporaryDirectory() as folder:
            part(Job(folder))


if __name__ == "__main__":
    main()
