#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The page of `weir report --html` without a browser: structure_test.py WEIR DESCRIPTION...

It asks for nothing from outside, and the numbers in it add up to those of `weir report --json`.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import weir_trace
from page_parts import Page

PARTS = ["running_ns", "program_ns", "analysing_ns", "scheduling_ns", "moving_ns"]


class Structure(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "page.html"
            trace = pathlib.Path(folder) / "trace.weir"
            trace.write_bytes(weir_trace.convert(json.loads(DESCRIPTION.read_text())))
            result = subprocess.run([WEIR, "report", trace, "--html", file, "--json"], check=True, capture_output=True)
            self.report = json.loads(result.stdout)[0]
            self.page = Page(file.read_text())

    def test_it_asks_for_nothing_from_outside(self):
        own = self.page.own_parts()
        self.assertNotRegex(own, r"https?://|//[a-z]+\.[a-z]+/|@import|url\(|<link(?! rel=\"icon\" href=\"data:,\")|<iframe|<img")
        self.assertNotRegex(own, r"\bfetch\(|XMLHttpRequest|WebSocket|\bimport\(")
        self.assertIn("default-src 'none'", own)

    def test_it_carries_the_licence_of_its_library(self):
        self.assertIn("Redistribution and use in source and binary forms", self.page.text)
        self.assertIn("Mike Bostock", self.page.text)

    def test_it_has_no_mark_left(self):
        self.assertIsNone(re.search(r"@[A-Z]+@", self.page.own_parts()))

    def test_rows_add_up_to_the_report(self):
        lengths, parts = self.page.column("piece.ns"), self.page.column("piece.part")
        first = 0
        for row, worker in zip(self.page.about["rows"], self.report["workers"], strict=True):
            sums = [0] * 11  # the last: a guest that was not there
            for i in range(first, first + row["pieces"]):
                sums[parts[i] & 15] += lengths[i]
            first += row["pieces"]
            self.assertEqual(row["name"], worker["worker"])
            self.assertEqual(sum(sums), self.report["wall_ns"])
            for part, name in enumerate(PARTS):
                self.assertEqual(sums[part], worker[name], name)
        self.assertEqual(first, len(lengths))

    def test_tasks_edges_and_path_are_those_of_the_report(self):
        flags, times = self.page.column("task.flags"), self.page.column("path.ns")
        self.assertEqual(sum(1 for flag in flags if flag & 1), self.report["tasks"])
        self.assertEqual(sum(times), self.report["critical_path_ns"])
        counts, distances = self.page.column("edge.count"), self.page.column("edge.distance")
        self.assertEqual(sum(counts), len(distances))
        at = iter(distances)
        for task, count in enumerate(counts):
            for _ in range(count):
                self.assertIn(task - next(at), range(1, task))
        starts = self.page.column("task.start")[1:]
        self.assertEqual(starts, sorted(starts))

    def test_moves_are_those_of_the_report(self):
        links, sizes = self.page.column("move.link"), self.page.column("move.bytes")
        for link in self.report["links"]:
            number = self.page.about["links"].index(f"{link['from']} to {link['to']}")
            self.assertEqual(sum(s for s, l in zip(sizes, links) if l == number), link["bytes"])
        lanes = {}
        for place in zip(self.page.column("move.start"), self.page.column("move.ns"), links, self.page.column("move.lane")):
            start, length, lane = place[0], place[1], place[2:]
            self.assertGreaterEqual(start, lanes.get(lane, 0), "moves of a lane overlap")
            lanes[lane] = start + length


if __name__ == "__main__":
    WEIR, *traces = sys.argv[1:]
    failed = False
    for DESCRIPTION in map(pathlib.Path, traces):
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Structure)
        failed = not unittest.TextTestRunner().run(suite).wasSuccessful() or failed
    sys.exit(failed)
