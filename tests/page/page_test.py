#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The page of `weir report --html` in a real browser: page_test.py WEIR MANY_TASKS DESCRIPTION

First on the page of a recorded trace with blocks, then on that of a run of a million tasks that is made here. Prints what
it measures. Needs python3-selenium, chromium and chromium-driver. With --pictures DIR it leaves screenshots there.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import Browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import weir_trace

TASKS = 1_000_000


class OnAPage(unittest.TestCase):
    page = None

    def open(self, **how):
        browser = Browser(self.page, **how)
        self.addCleanup(browser.close)  # fails when the page wrote errors, or asked the network for anything
        self.browser = browser
        return browser

    def canvas(self):
        return self.browser.driver.find_element(By.ID, "timeline")

    def key(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()
        self.browser.settle()

    def focus_timeline(self):
        self.browser.run("weirReport.timeline.canvas.focus()")

    def view(self):
        view = self.browser.value("weirReport.timeline.view")
        return view["start"], view["end"]

    def selected(self):
        return self.browser.value("weirReport.timeline.selected")

    def said(self):
        return self.browser.value("document.getElementById('status').textContent")

    def details(self):
        return self.browser.driver.find_element(By.ID, "details").text

    def move_to(self, x, y):
        """From the canvas's upper left corner."""
        canvas = self.canvas()
        size = canvas.size
        ActionChains(self.browser.driver).move_to_element_with_offset(
            canvas, x - size["width"] // 2, y - size["height"] // 2).perform()

    def place_of(self, task):
        box = self.browser.value(f"weirReport.timeline.boxOf({task})")
        return int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2)

    def into_sight(self, task):
        self.browser.run(f"const t = weirReport.timeline; t.select({task}); t.zoomToSelected(); t.select(0);")
        self.browser.settle()

    # A task in the middle of the run that has neighbours.
    def some_task(self):
        return self.browser.value(
            "(() => { const m = weirReport.model;"
            " for (let t = m.taskCount >> 1; t <= m.taskCount; t++) if (m.before(t).length) return t;"
            " return m.taskCount >> 1; })()")


class Everywhere:
    """What holds on every page."""

    def test_zooms_with_the_wheel_and_keys_and_pans_with_both(self):
        self.open()
        whole = self.view()
        self.move_to(600, 60)
        self.browser.cdp("Input.dispatchMouseEvent", type="mouseWheel", x=600, y=self.canvas().location["y"] + 60,
                         deltaX=0, deltaY=-400, modifiers=2)
        self.browser.settle()
        closer = self.view()
        self.assertLess(closer[1] - closer[0], 0.8 * (whole[1] - whole[0]))
        self.focus_timeline()
        self.key("+")
        still_closer = self.view()
        self.assertLess(still_closer[1] - still_closer[0], 0.8 * (closer[1] - closer[0]))
        self.key(Keys.ARROW_RIGHT)
        later = self.view()
        self.assertGreater(later[0], still_closer[0])
        self.assertAlmostEqual(later[1] - later[0], still_closer[1] - still_closer[0], delta=2)
        ActionChains(self.browser.driver).drag_and_drop_by_offset(self.canvas(), 150, 0).perform()
        self.browser.settle()
        self.assertLess(self.view()[0], later[0])
        self.key("-")
        self.key("0")
        self.assertEqual(self.view(), whole)

    def test_hover_shows_the_task_with_its_parts(self):
        self.open()
        task = self.some_task()
        self.into_sight(task)
        self.move_to(*self.place_of(task))
        self.browser.settle()
        tooltip = self.browser.driver.find_element(By.ID, "tooltip")
        self.assertTrue(tooltip.is_displayed())
        self.assertIn(self.browser.value(f"weirReport.model.titleOf({task})"), tooltip.text)
        for words in ("took", "own code", "footprint"):
            self.assertIn(words, tooltip.text)

    def test_click_selects_and_escape_forgets(self):
        self.open()
        task = self.some_task()
        self.into_sight(task)
        self.move_to(*self.place_of(task))
        ActionChains(self.browser.driver).click().perform()
        self.assertEqual(self.selected(), task)
        for words in (self.browser.value(f"weirReport.model.titleOf({task})"), "started", "own code", "from its spawn",
                      "critical"):
            self.assertIn(words, self.details())
        before = self.browser.value(f"weirReport.model.before({task})")
        for earlier in before:
            self.assertIn(task, self.browser.value(f"weirReport.model.after({earlier})"))
        if before:
            self.assertIn("Comes after", self.details())
        self.key(Keys.ESCAPE)
        self.assertEqual(self.selected(), 0)
        self.assertIn("No task selected", self.details())

    def test_keys_go_from_task_to_task(self):
        self.open()
        self.focus_timeline()
        self.key("n")
        first = self.selected()
        self.assertGreater(first, 0)
        self.key("n")
        second = self.selected()
        self.assertNotEqual(first, second)
        start = "weirReport.model.start[{}]"
        self.assertGreater(self.browser.value(start.format(second)), self.browser.value(start.format(first)))
        self.key("p")
        self.assertEqual(self.selected(), first)
        self.key(Keys.ENTER)
        near = self.view()
        self.assertLessEqual(near[0], self.browser.value(start.format(first)))
        self.assertLess(near[1] - near[0], max(5 * self.browser.value(f"weirReport.model.ns[{first}]"), 60))
        self.assertIn("took", self.said())
        self.key("c")
        # On a machine that is busy with other things the program's own code may have taken longer than any chain of tasks.
        if self.browser.value("weirReport.model.pathTasks.length") == 0:
            self.assertIn("No task is on the critical path", self.said())
            return
        self.assertTrue(self.browser.value(f"weirReport.model.isCritical({self.selected()})"))
        self.assertIn("on the critical path", self.details())
        self.assertIn("took", self.said())

    def test_help_opens_and_closes(self):
        self.open()
        self.focus_timeline()
        self.key("?")
        self.assertTrue(self.browser.value("document.getElementById('help').open"))
        self.key(Keys.ESCAPE)
        self.assertFalse(self.browser.value("document.getElementById('help').open"))

    def test_tab_reaches_everything_and_what_has_the_focus_is_seen(self):
        self.open()
        seen = []
        for _ in range(40):
            self.key(Keys.TAB)
            seen.append(self.browser.value("document.activeElement.id"))
            if self.browser.value("document.activeElement !== document.body"):
                self.assertNotEqual(self.browser.value("getComputedStyle(document.activeElement).outlineStyle"), "none", seen)
        wanted = ["theme", "help-button", "search-text", "zoom-in", "zoom-out", "zoom-fit", "path-next", "timeline"]
        places = [seen.index(name) for name in wanted]
        self.assertEqual(places, sorted(places))

    def test_search_finds_by_name_and_number(self):
        self.open()
        name = self.browser.value("weirReport.model.report.names[0].name")
        count = self.browser.value("weirReport.model.report.names[0].tasks")
        self.focus_timeline()
        self.key("/")
        self.key(name, Keys.ENTER)
        self.assertEqual(self.browser.driver.find_element(By.ID, "search-count").text,
                         f"{count:,} task" + ("" if count == 1 else "s"))
        self.assertEqual(self.browser.value(f"weirReport.model.nameOf({self.selected()})"), name)
        first = self.selected()
        self.key(Keys.ENTER)
        self.assertGreater(self.selected(), first)
        number = self.browser.value("weirReport.model.number[3]")
        self.browser.run("weirReport.search.clear()")
        self.key(f"#{number}", Keys.ENTER)
        self.assertEqual(self.selected(), 3)
        self.key(Keys.ESCAPE)
        self.assertEqual(self.browser.value("weirReport.search.input.value"), "")

    def test_keys_go_from_steal_to_steal(self):
        self.open()
        steals = self.browser.value("weirReport.model.steals.at.length")
        self.assertGreater(steals, 0)
        self.focus_timeline()
        self.key("s")
        first = self.browser.value("weirReport.timeline.steal")
        self.assertGreaterEqual(first, 0)
        said = self.said()
        self.assertRegex(said, r"^worker \d+: \d[\d,]* tasks? taken from worker \d+, ")
        for words in ("Steal", "from", "tasks"):
            self.assertIn(words, self.details())
        self.key("s")
        self.assertEqual(self.browser.value("weirReport.timeline.steal"), min(first + 1, steals - 1))
        self.key("S")
        self.assertEqual(self.browser.value("weirReport.timeline.steal"), first)
        at = self.browser.value(f"weirReport.model.steals.at[{first}]")
        start, end = self.view()
        self.assertTrue(start <= at <= end)
        self.key(Keys.ESCAPE)
        self.assertEqual(self.browser.value("weirReport.timeline.steal"), -1)
        rows = self.browser.driver.find_elements(By.CSS_SELECTOR, "#steals-table tbody tr")
        table = sum(int(row.find_elements(By.TAG_NAME, "td")[1].text.replace(",", "")) for row in rows)
        self.assertEqual(table, steals)

    def test_hover_shows_a_steal(self):
        self.open()
        place = self.browser.value("(() => { const t = weirReport.timeline, m = weirReport.model; t.selectSteal(1);"
                                   " const s = t.steal; t.magnify(1); const at = m.steals.at[s];"
                                   " t.showView(at - m.wall / 1e4, at + m.wall / 1e4);"
                                   " const line = t.lineOfRow(m.rowOfTrack.get(m.steals.track[s]));"
                                   " return {x: t.xOf(at), y: line.y - t.scroller.scrollTop + 1}; })()")
        self.browser.settle()
        self.move_to(int(place["x"]), int(place["y"]))
        self.browser.settle()
        tooltip = self.browser.driver.find_element(By.ID, "tooltip")
        self.assertTrue(tooltip.is_displayed())
        self.assertIn("taken from worker", tooltip.text)

    def test_dark_and_light(self):
        dark = "getComputedStyle(document.body).backgroundColor"
        brightness = f"d3.hsl({dark}).l"
        self.open(dark=True)
        self.assertLess(self.browser.value(brightness), 0.2)
        self.browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        self.browser.settle()
        self.assertGreater(self.browser.value(brightness), 0.8)
        button = self.browser.driver.find_element(By.ID, "theme")
        button.click()  # light
        button.click()  # dark
        self.assertLess(self.browser.value(brightness), 0.2)
        pixel = "Array.from(weirReport.timeline.context.getImageData(2, 2, 1, 1).data)"
        self.browser.settle()
        self.assertLess(max(self.browser.value(pixel)[:3]), 60)

    def test_moves_at_once_where_less_motion_is_wanted(self):
        steps = ("(async () => { const t = weirReport.timeline, { wall } = weirReport.model; t.showView(0, wall / 8);"
                 " t.fit(); const atOnce = t.view.end;"
                 " while (t.view.end !== wall) await new Promise((done) => requestAnimationFrame(done));"
                 " return atOnce === wall; })()")
        for calm in (True, False):
            self.open(calm=calm)
            self.assertEqual(self.browser.value("await " + steps), calm)

    def test_nothing_is_cut_off_on_a_small_screen(self):
        self.open(width=360, height=740)
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 360)
        self.focus_timeline()
        self.key("n")
        self.assertGreater(self.selected(), 0)

    def test_text_has_contrast(self):
        for dark in (False, True):
            self.open(dark=dark)
            for name in ("text", "faint", "accent", "mark"):
                ratio = self.browser.value(
                    "(() => { const lum = (c) => { const f = (v) => (v /= 255, v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);"
                    " c = d3.rgb(c); return 0.2126 * f(c.r) + 0.7152 * f(c.g) + 0.0722 * f(c.b); };"
                    " const css = (n) => getComputedStyle(document.documentElement).getPropertyValue('--' + n).trim();"
                    f" const [a, b] = [lum(css('{name}')), lum(css('card'))].sort((x, y) => y - x);"
                    " return (a + 0.05) / (b + 0.05); })()")
                self.assertGreaterEqual(ratio, 4.5, f"{name}, dark {dark}")


class SmallTrace(Everywhere, OnAPage):
    def test_shows_moves_tiers_and_links(self):
        self.open()
        self.assertGreater(self.browser.value("weirReport.timeline.lines.filter((l) => l.kind === 'move').length"), 0)
        self.assertEqual(self.browser.value("document.querySelectorAll('#tiers svg').length"),
                         self.browser.value("weirReport.model.tiers.length"))
        moved = self.browser.value("d3.sum(weirReport.model.moves.bytes)")
        self.assertEqual(moved, self.browser.value("d3.sum(weirReport.model.report.links, (l) => l.bytes)"))
        line = self.browser.value("weirReport.timeline.lines.find((l) => l.kind === 'move')")
        x = self.browser.value("weirReport.timeline.xOf(weirReport.model.moves.start[0] + weirReport.model.moves.ns[0] / 2)")
        self.move_to(int(x), int(line["y"] + line["height"] / 2))
        self.browser.settle()
        self.assertIn("GB/s", self.browser.driver.find_element(By.ID, "tooltip").text)

    def test_screenshots(self):
        for dark in (False, True):
            for width in (1400, 800, 390):
                self.open(width=width, dark=dark)
                with tempfile.NamedTemporaryFile(suffix=".png") as file:
                    place = PICTURES / f"small-{'dark' if dark else 'light'}-{width}.png" if PICTURES else file.name
                    self.browser.screenshot(place, whole=True)
                    self.assertGreater(os.path.getsize(place), 10_000)


class NoTaskOnThePath(OnAPage):
    """The program's own code took longer than any chain of tasks."""

    def test_says_so(self):
        self.open()
        self.assertEqual(self.browser.value("weirReport.model.pathTasks.length"), 0)
        self.assertFalse(self.browser.driver.find_element(By.ID, "path-next").is_enabled())
        self.focus_timeline()
        self.key("c")
        self.assertIn("No task is on the critical path", self.said())
        self.assertEqual(self.selected(), 0)

    def test_says_that_there_is_no_later_task(self):
        self.open()
        self.focus_timeline()
        self.key("n")
        last = 0
        while self.selected() != last:
            last = self.selected()
            self.key("n")
        self.assertIn("No later task on worker 0", self.said())


class NoTask(OnAPage):
    """A runtime that was made and ended."""

    def test_opens_and_has_nothing_to_select(self):
        for dark in (False, True):
            self.open(dark=dark)
            self.assertEqual(self.browser.value("weirReport.model.taskCount"), 0)
            self.focus_timeline()
            for key in ("n", "p", "c", "s", Keys.ENTER, Keys.ARROW_DOWN, "+", "-", "0"):
                self.key(key)
            self.assertEqual(self.selected(), 0)
            self.key("n")
            self.assertIn("No task starts", self.said())
            summary = self.browser.driver.find_element(By.ID, "summary").text
            self.assertIn("no task has run", summary)
            self.assertIn("1.00 times the bound", summary)  # which is the program's own code
            self.assertFalse(self.browser.driver.find_element(By.ID, "names-section").is_displayed())
            self.browser.screenshot(PICTURES / f"none-{dark}.png" if PICTURES else os.devnull, whole=True)


class MillionTasks(Everywhere, OnAPage):
    tasks = None  # as weir report --json says

    def test_opens_with_every_task(self):
        times = []
        for _ in range(3):
            self.open()
            times.append(self.browser.value("weirReport.openMs"))
        tasks = self.browser.value("weirReport.model.taskCount")
        self.assertEqual(tasks, self.tasks)
        self.assertGreater(tasks, TASKS / 10)  # on a busy machine rings are emptied late, and lose some
        print(f"\nopened in {', '.join(f'{t:.0f}' for t in times)} ms: {self.page.stat().st_size / 2**20:.1f} MiB,"
              f" {tasks} tasks, {self.browser.value('weirReport.model.distances.length')} edges,"
              f" {self.browser.value('d3.sum(weirReport.model.workers, (w) => w.strip.length)')} pieces")

    def frames(self, what, move):
        """Moves the view in each of 120 frames; prints how long drawing took, and the time between frames."""
        result = self.browser.run(
            "const t = weirReport.timeline, gaps = []; t.frames.length = 0; let last = 0;"
            "for (let i = 0; i < 120; i++) {"
            f" {move};"
            " const now = await new Promise((done) => requestAnimationFrame(done));"
            " if (last) gaps.push(now - last); last = now; }"
            "return {gaps, draws: t.frames.slice()};")
        draws, gaps = sorted(result["draws"]), sorted(result["gaps"])
        print(f"{what}: drawing {statistics.median(draws):.1f} ms, 95 % {draws[int(0.95 * len(draws))]:.1f} ms, most"
              f" {draws[-1]:.1f} ms; between frames {statistics.median(gaps):.1f} ms, 95 % {gaps[int(0.95 * len(gaps))]:.1f} ms")
        return draws

    def test_draws_each_frame_of_scrolling_and_zooming(self):
        self.open()
        print()
        zoom = self.frames("zooming in", "t.magnify(1.06)")
        self.browser.run("weirReport.timeline.showView(0, weirReport.model.wall / 3)")
        pan = self.frames("panning over a third of the run", "t.pan(0.01)")
        self.browser.run("weirReport.timeline.showView(0, weirReport.model.wall / 1000)")
        near = self.frames("panning over a thousandth", "t.pan(0.05)")
        for draws in (zoom, pan, near):
            self.assertGreaterEqual(len(draws), 120)

    def test_screenshots(self):
        self.open()
        self.browser.run("const t = weirReport.timeline; t.selectOnPath(1); t.zoomToSelected(); t.magnify(0.05);")
        if PICTURES:
            self.browser.screenshot(PICTURES / "million.png", whole=True)
        self.assertEqual(self.browser.value("weirReport.timeline.hovered"), None)


class Job(OnAPage):
    """Four PEs: the page of a job, where calls take the place of tasks."""

    def test_pictures_show_bytes_and_who_waited(self):
        self.open()
        cells = "document.querySelectorAll('#{} rect.cell').length"
        self.assertEqual(self.browser.value(cells.format("traffic")), self.browser.value("weirReport.model.report.traffic.length"))
        self.assertGreater(self.browser.value(cells.format("waits")), 0)
        self.browser.run("const s = document.getElementById('traffic-what'); s.value = '3'; s.dispatchEvent(new Event('change'));")
        self.assertEqual(self.browser.value(cells.format("traffic")), 4)  # atomics: each PE's, of PE 0

    def test_a_wait_leads_to_the_put_that_ended_it_and_back(self):
        self.open()
        wait = self.browser.value("(() => { const m = weirReport.model;"
                                  " for (let c = 1; c <= m.taskCount; c++) if (m.nameOf(c) === 'wait_until') return c; })()")
        self.browser.run(f"weirReport.timeline.select({wait}, {{reveal: true}})")
        self.assertIn("Waited for", self.details())
        self.browser.driver.find_element(By.CSS_SELECTOR, "#details button").click()
        self.assertEqual(self.browser.value("weirReport.model.nameOf(weirReport.timeline.selected)"), "put")
        self.assertIn(wait, self.browser.value("weirReport.model.after(weirReport.timeline.selected)"))
        self.assertIn("Was waited for by", self.details())

    def test_keys_and_search_find_calls(self):
        self.open()
        self.focus_timeline()
        self.key("n")
        first = self.selected()
        self.assertGreater(first, 0)
        for key in ("c", "s"):  # there is no critical path of calls, and nobody steals
            self.key(key)
        self.assertEqual(self.selected(), first)
        self.key("/")
        self.key("barrier", Keys.ENTER)
        self.assertEqual(self.browser.driver.find_element(By.ID, "search-count").text, "4 calls")

    def test_nothing_is_cut_off_on_a_small_screen(self):
        self.open(width=360, height=740)
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 360)

    def test_screenshots(self):
        for dark in (False, True):
            self.open(dark=dark)
            self.browser.screenshot(PICTURES / f"job-{dark}.png" if PICTURES else os.devnull, whole=True)


def made_up(trace, folder, name, change):
    """The recorded trace, changed."""
    recorded = json.loads(trace.read_text())
    change(recorded)
    path = folder / name
    path.write_bytes(weir_trace.convert(recorded))
    return path


def with_a_long_program(trace):
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event["cat"] != "wait"]
    trace["otherData"]["runtimes"][0]["end_us"] += 1e6


def without_events(trace):
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event["cat"] == "__metadata"]


def make_page(weir, trace, folder):
    page = folder / (trace.stem + ".html")
    subprocess.run([weir, "report", trace, "--html", page], check=True, stdout=subprocess.DEVNULL)
    return page


def main():
    global PICTURES
    parser = argparse.ArgumentParser()
    parser.add_argument("weir", type=pathlib.Path)
    parser.add_argument("many_tasks", type=pathlib.Path)
    parser.add_argument("small_trace", type=pathlib.Path, help="the description of one that has blocks")
    parser.add_argument("--pes", type=pathlib.Path, help="a SHMEM program, tests/multi/shmem/trace/traced.c")
    parser.add_argument("--pictures", type=pathlib.Path, help="a folder for screenshots")
    arguments = parser.parse_args()
    PICTURES = arguments.pictures
    if PICTURES:
        PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        small = arguments.small_trace
        SmallTrace.page = make_page(arguments.weir, made_up(small, folder, "small.weir", lambda _: None), folder)
        long_program = made_up(small, folder, "long_program.weir", with_a_long_program)
        NoTaskOnThePath.page = make_page(arguments.weir, long_program, folder)
        NoTask.page = make_page(arguments.weir, made_up(small, folder, "none.weir", without_events), folder)
        jobs = []
        if arguments.pes:
            Job.page = folder / "job.html"
            subprocess.run([arguments.weir, "run", "-n", "4", "--html", Job.page, arguments.pes], check=True, stdout=subprocess.DEVNULL)
            jobs.append(Job)
        trace = folder / "million.weir"
        environment = dict(os.environ, WEIR_TRACE=str(trace), WEIR_WORKERS="4")
        subprocess.run([arguments.many_tasks, str(TASKS)], check=True, env=environment, stdout=subprocess.DEVNULL)
        MillionTasks.page = make_page(arguments.weir, trace, folder)
        report = subprocess.run([arguments.weir, "report", trace, "--json"], check=True, stdout=subprocess.PIPE).stdout
        MillionTasks.tasks = json.loads(report)[0]["tasks"]
        trace.unlink()
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in
                                   (SmallTrace, NoTaskOnThePath, NoTask, *jobs, MillionTasks))
        return not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()


if __name__ == "__main__":
    raise SystemExit(main())
