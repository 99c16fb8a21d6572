#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Workers that are programs of their own: attached by name, and started by weir run --islands.

    attach_test.py WEIR PEER STRANGER

PEER is tests/multi/island/peer.cpp, STRANGER another program, which only attaches.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WEIR, PEER, STRANGER = (os.path.abspath(path) for path in sys.argv[1:4])
KINDS = ["coherent", "checked"]


class Attaching(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-attach-")
        self.segment = os.path.join(self.folder.name, "segment")
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.folder.cleanup()

    def start(self, *words, stdin=subprocess.DEVNULL, **variables):
        everything = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_")}
        everything.update({"WEIR_ISLAND_HEAP": "16", "WEIR_BIND": "none"}, **variables)
        process = subprocess.Popen(words, env=everything, cwd=self.folder.name, text=True, stdin=stdin,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.started.append(process)
        return process

    def end(self, process, seconds=50):
        out, error = process.communicate(timeout=seconds)
        return process.returncode, out, error

    # Processes whose command line names the folder's programs and that are not zombies.
    def workers_of(self, session):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
        return found

    def expect_nobody(self, session):
        for _ in range(1000):
            if not self.workers_of(session):
                return
            time.sleep(0.01)
        self.fail(f"processes are left: {self.workers_of(session)}")

    def test_programs_attach_by_name_beside_forked_workers(self):
        for kind in KINDS:
            for second in ([PEER, "attach", self.segment], [PEER, "attach", self.segment]):
                master = self.start(PEER, "attached", WEIR_ISLAND_SEGMENT=self.segment, WEIR_WORKERS="3",
                                    WEIR_ISLAND_MEMORY=kind)
                worker = self.start(*second)
                self.assertEqual(self.end(master), (0, "0 wrong, 16 elsewhere, 3 workers\n", ""))
                self.assertEqual(self.end(worker), (0, "", ""))
                self.assertFalse(os.path.exists(self.segment), "the name is left")

    def test_weir_run_starts_them(self):
        for kind in KINDS:
            run = self.start(WEIR, "run", "--islands", "2", "--island-memory", kind, PEER, "run")
            self.assertEqual(self.end(run), (0, "0 wrong, 16 elsewhere, 2 workers\n", ""))
            self.expect_nobody(run.pid)

    def test_a_second_master_has_memory_of_its_own(self):
        run = self.start(WEIR, "run", "--islands", "2", PEER, "two", WEIR_WORKERS="2")
        self.assertEqual(self.end(run), (0, "0 wrong, 16 elsewhere, 2 workers\n" * 2, ""))

    def test_memory_needs_no_folder_for_files_of_memory(self):
        script = 'mount -t tmpfs -o size=64k none /dev/shm || exit 77; exec "$@"'
        words = (WEIR, "run", "--islands", "2", PEER, "run")
        for container in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
            run = self.start(*container, "sh", "-c", script, "sh", *words)
            status, out, error = self.end(run)
            if status == 77 or "unshare:" in error:
                continue  # it may not be made
            self.assertEqual((status, out, error), (0, "0 wrong, 16 elsewhere, 2 workers\n", ""))
            return
        self.skipTest("no container can be made here")

    def test_memory_is_found_through_programs_that_close_what_they_inherit(self):
        script = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], close_fds=True).returncode)"
        run = self.start(WEIR, "run", "--islands", "2", sys.executable, "-c", script, PEER, "run")
        self.assertEqual(self.end(run), (0, "0 wrong, 16 elsewhere, 2 workers\n", ""))

    def test_memory_is_found_in_containers_without_root(self):
        container = ["unshare", "--map-root-user"]
        if subprocess.run([*container, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no container can be made here")
        run = self.start(WEIR, "run", "--islands", "2", *container, PEER, "run")
        self.assertEqual(self.end(run), (0, "0 wrong, 16 elsewhere, 2 workers\n", ""))

    def test_a_file_that_is_there_is_used_and_stays(self):
        with open(self.segment, "wb") as file:
            file.write(b"\1" * (20 << 20))
        for _ in range(2):  # the second time with what the first has left there
            run = self.start(WEIR, "run", "--islands", "2", "--island-segment", self.segment, PEER, "run")
            self.assertEqual(self.end(run), (0, "0 wrong, 16 elsewhere, 2 workers\n", ""))
        self.assertTrue(os.path.exists(self.segment))

    def test_an_empty_file_that_is_there_is_made_large_enough_and_stays(self):
        with open(self.segment, "wb"):
            pass
        run = self.start(WEIR, "run", "--islands", "2", "--island-segment", self.segment, PEER, "run")
        self.assertEqual(self.end(run), (0, "0 wrong, 16 elsewhere, 2 workers\n", ""))
        self.assertGreater(os.path.getsize(self.segment), 16 << 20)

    def test_another_program_without_the_tasks_is_named(self):
        master = self.start(PEER, "attached", WEIR_ISLAND_SEGMENT=self.segment, WEIR_WORKERS="1")
        stranger = self.start(STRANGER, self.segment)
        status, _, error = self.end(master)
        self.assertEqual(status, 3)
        self.assertRegex(error, r"on worker 1, threw: its code is of the program or library with build id [0-9a-f]{16}")
        self.assertIn(f"which process {stranger.pid} has not loaded", error)
        self.end(stranger)

    def test_a_dead_worker_is_named(self):
        master = self.start(PEER, "crash", WEIR_ISLAND_SEGMENT=self.segment, WEIR_ATTACHED="1")
        worker = self.start(PEER, "attach", self.segment)
        status, _, error = self.end(master)
        self.assertEqual(status, 3)
        self.assertRegex(error, rf"worker 1 \(process {worker.pid}\) is gone .*, while it had task 'crash'")
        run = self.start(WEIR, "run", "--islands", "2", PEER, "crash")
        status, _, error = self.end(run)
        self.assertEqual(status, 3)
        self.assertRegex(error, r"weir: a worker of the islands \(process \d+\) ended by signal 9")
        self.assertRegex(error, r"island_peer: worker \d \(process \d+\) is gone")
        self.expect_nobody(run.pid)

    def test_what_a_dead_worker_had_runs_elsewhere(self):
        run = self.start(WEIR, "run", "--islands", "2", PEER, "die")
        status, out, error = self.end(run)
        self.assertEqual((status, out), (0, "begun\n0 wrong, 16 elsewhere, 2 workers\n"), error)
        self.assertRegex(error, r"is gone .* is given to other workers")

    def test_a_dead_master_is_named(self):
        master = self.start(PEER, "forever", WEIR_ISLAND_SEGMENT=self.segment, WEIR_ATTACHED="2", WEIR_WORKERS="2")
        workers = [self.start(PEER, "attach", self.segment) for _ in range(2)]
        self.assertEqual(master.stdout.readline(), "begun\n")
        master.kill()
        ended = {}
        while not ended:  # the one without a task
            ended = {w.pid: self.end(w) for w in workers if w.poll() is not None}
            time.sleep(0.01)
        for pid, (status, _, error) in ended.items():
            self.assertEqual(status, 3)
            self.assertRegex(error, rf"worker \d \(process {pid}\) of .*: its master, process {master.pid}, is gone")

    def test_ctrl_c_leaves_nothing(self):
        run = self.start(WEIR, "run", "--islands", "2", PEER, "forever")
        self.assertEqual(run.stdout.readline(), "begun\n")
        os.killpg(run.pid, signal.SIGINT)
        status, _, _ = self.end(run)
        self.assertEqual(status, -signal.SIGINT)
        self.expect_nobody(run.pid)

    def test_a_worker_that_never_attaches_ends_the_run(self):
        run = self.start(WEIR, "run", "--islands", "2", PEER, "early")
        status, _, error = self.end(run)
        self.assertNotEqual(status, 0)
        self.assertIn("ended by signal 9", error)
        self.expect_nobody(run.pid)

    def test_a_worker_that_ends_well_before_it_attaches_ends_the_run(self):
        run = self.start(WEIR, "run", "--islands", "2", PEER, "quits")
        status, _, error = self.end(run)
        self.assertEqual(status, -signal.SIGTERM)
        self.assertRegex(error, r"a worker of the islands \(process \d+\) ended with exit status 0, and had not come to a")
        self.expect_nobody(run.pid)

    def test_a_program_without_islands_is_told(self):
        status, out, error = self.end(self.start(WEIR, "run", "--islands", "2", "sh", "-c", "echo ran"))
        self.assertEqual((status, out), (0, "ran\n" * 3))
        self.assertIn("weir: --islands: sh has made no weir::island::Master: each of the processes ran", error)

    def test_a_file_is_read_by_each_process_and_a_pipe_by_the_master(self):
        path = os.path.join(self.folder.name, "numbers")
        with open(path, "w") as file:
            file.write("".join(f"{i}\n" for i in range(30000)))
        command = (WEIR, "run", "--islands", "2", PEER, "reads")
        with open(path) as file:
            file.seek(4)  # without 0 and 1
            os.lseek(file.fileno(), 4, os.SEEK_SET)
            self.assertEqual(self.end(self.start(*command, stdin=file)),
                             (0, "29998 numbers, sum 449984999, 2 workers read 29998 to 29998\n", ""))
        run = self.start(*command, stdin=subprocess.PIPE)
        run.stdin.write("5\n6\n7\n")
        self.assertEqual(self.end(run), (0, "3 numbers, sum 18, 2 workers read 0 to 0\n", ""))

    def test_whoever_opens_and_closes_the_file_lives_on(self):
        with open(self.segment, "wb"):
            pass
        variables = {"WEIR_ISLAND_SEGMENT": self.segment, "WEIR_ATTACHED": "2", "WEIR_WORKERS": "2"}
        master = self.start(PEER, "opens", **variables)
        workers = [self.start(PEER, "attach", self.segment) for _ in range(2)]
        self.assertEqual(self.end(master), (0, "20 steps, 0 rerun\n", ""))
        for worker in workers:
            self.assertEqual(self.end(worker), (0, "", ""))

    def test_a_file_in_which_a_worker_of_a_dead_master_is_in_a_task_is_refused(self):
        with open(self.segment, "wb"):
            pass
        master = self.start(PEER, "forever", WEIR_ISLAND_SEGMENT=self.segment, WEIR_ATTACHED="1", WEIR_WORKERS="1")
        worker = self.start(PEER, "attach", self.segment)
        while not os.path.exists(os.path.join(self.folder.name, "in-task")):
            time.sleep(0.01)
        master.kill()
        master.wait()
        status, _, error = self.end(self.start(PEER, "run", WEIR_ISLAND_SEGMENT=self.segment, WEIR_WORKERS="1"))
        self.assertEqual(status, 3)
        self.assertIn("a worker of a master that has ended is still in a task there", error)
        worker.kill()
        worker.wait()
        self.assertEqual(self.end(self.start(PEER, "run", WEIR_ISLAND_SEGMENT=self.segment, WEIR_WORKERS="1")),
                         (0, "0 wrong, 16 elsewhere, 1 workers\n", ""))

    def test_more_than_are_waited_for_are_refused(self):
        master = self.start(PEER, "forever", WEIR_ISLAND_SEGMENT=self.segment, WEIR_ATTACHED="1")
        with open(self.segment + "-keep", "w"):
            pass
        while not os.path.exists(self.segment):
            time.sleep(0.01)
        os.link(self.segment, self.segment + "2")  # the name goes when all are there
        worker = self.start(PEER, "attach", self.segment)
        self.assertEqual(master.stdout.readline(), "begun\n")
        status, _, error = self.end(self.start(PEER, "attach", self.segment + "2"))
        self.assertEqual(status, 3)
        self.assertRegex(error, "all 1 programs that its master, process .*, waits for have attached")
        master.kill()
        worker.kill()

    def test_what_cannot_be_is_refused(self):
        status, _, error = self.end(self.start(PEER, "attached", WEIR_WORKERS="1"))
        self.assertEqual(status, 3)
        self.assertIn("options.island_segment has to name what they attach to", error)
        status, _, error = self.end(self.start(WEIR, "run", "-n", "2", "--islands", "2", PEER, "run"))
        self.assertEqual(status, 2)
        self.assertIn("--islands: not with -n", error)
        status, _, error = self.end(self.start(WEIR, "run", "--islands", "2", "no-such-program"))
        self.assertEqual(status, 2)
        self.assertIn("no-such-program", error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
