#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Traces an OCR program, and checks that its EDTs have names, makers, dependences, footprints and a critical path.

trace_ocr_test.py WEIR PROGRAM NAME [ARGUMENT...]

NAME is that of an EDT on the critical path, as the report says it.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def traced(weir, command, folder):
    """Events of a run, the report on it, and what the trace holds."""
    trace, json_file = (str(pathlib.Path(folder) / name) for name in ("trace.weir", "trace.json"))
    subprocess.run(command, check=True, timeout=60, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, WEIR_TRACE=trace, WEIR_WORKERS="2"))
    subprocess.run([weir, "trace", trace, "--to", json_file], check=True, timeout=60)
    events = json.loads(pathlib.Path(json_file).read_text())["traceEvents"]
    report = json.loads(subprocess.run([weir, "report", trace, "--json"], check=True, capture_output=True,
                                       timeout=60).stdout)[0]
    held = json.loads(subprocess.run([weir, "trace", trace, "--json"], check=True, capture_output=True, timeout=60).stdout)[0]
    return events, report, held


def main():
    weir, program, name, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        # The first thread may be off its core, outside of EDTs, for longer than the chain of EDTs takes: that is the
        # longest path then. Not in every run.
        for _ in range(5):
            events, report, held = traced(weir, [program, *arguments], folder)
            path = json.dumps(report["critical_path"])
            if name in path:
                break
    tasks = [e for e in events if e.get("cat") == "task"]
    names = collections.Counter(e["name"] for e in tasks)
    spawned = {e["args"]["task"] for e in events if e.get("cat") == "spawn"}
    flows = [e for e in events if e.get("cat") == "edge" and e["ph"] == "s"]
    ran = {e["args"]["task"] for e in tasks}
    footprints = {e["args"]["task"]: e["args"] for e in events if e.get("cat") == "footprint"}
    problems = []
    if not footprints or not footprints.keys() <= ran or any(f["bytes"] <= 0 or f["items"] <= 0 for f in footprints.values()):
        problems.append(f"footprints of {len(footprints)} EDTs: {list(footprints.values())[:10]}")
    reported = sum(n["footprint_bytes"] for n in report["names"])
    if reported != sum(f["bytes"] for f in footprints.values()):
        problems.append(f"the report's footprints are {reported} bytes")
    if held["accesses"] != sum(f["items"] for f in footprints.values()):
        problems.append(f"{held['accesses']} accesses to data blocks")
    if any(not n.startswith("EDT ") for n in names) or len(names) < 2:
        problems.append(f"names are {names}")
    if not ran <= spawned:
        problems.append(f"{len(ran - spawned)} of {len(ran)} EDTs were made by nobody")
    if len(flows) < len(ran) // 4:
        problems.append(f"{len(flows)} dependences of {len(ran)} EDTs")
    if report["counters"].get("small_block_slab_bytes", 0) <= 0:
        problems.append(f"no slabs of small blocks in {report['counters']}")
    if name not in path:
        problems.append(f"{name} is not on the critical path: {path[:1000]}")
    if problems:
        sys.exit("FAILED: " + "; ".join(problems))
    print(len(ran), "EDTs,", len(flows), "dependences,", dict(names))


main()
