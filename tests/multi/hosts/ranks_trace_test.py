#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The traces of ranks on two hosts are one report, by one clock: nothing comes before it was sent.

ranks_trace_test.py openmpi|mpich WEIR PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

MISSING = 77
MPI, WEIR, PROGRAM = sys.argv[1:]
HOSTS = pathlib.Path(__file__).with_name("hosts.py")


def main():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([HOSTS, "--mpi", MPI, "--hosts", "2", "--slots", "1", "--timeout", "100", PROGRAM, "traced"], cwd=folder,
                              env=os.environ | {"WEIR_TRACE": f"{folder}/t.weir", "WEIR_WORKERS": "2"}, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            sys.exit(done.returncode)
        text = subprocess.run([WEIR, "report", f"{folder}/t.weir", "--json"], capture_output=True, text=True, check=True).stdout
        report = json.loads(text)[0]
        sent = {(t["from"], t["to"]): t["messages"] for t in report["traffic"]}
        wanted = (2, [], [], {(0, 1): 2, (1, 0): 1}, 0)
        if (report["ranks"], report["missing"], report["remarks"], sent, report["before_sent"]) != wanted:
            sys.exit(f"the report is not of both ranks by one clock:\n{text}")


if __name__ == "__main__":
    main()
