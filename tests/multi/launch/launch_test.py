#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""weir run -n with real processes: launch_test.py WEIR RANK HELLO

RANK is rank.cpp; HELLO is a program that makes a weir::Runtime.
"""
import collections
import ctypes
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

WEIR, RANK, HELLO = (os.path.abspath(path) for path in sys.argv[1:4])
SECONDS = 60  # when something hangs
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "PMI", "OMPI_COMM"))}
ENVIRONMENT.update(LC_ALL="C", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
PATIENT = "while :; do sleep 1000; done"


def run(*words, input=None, **more):
    return subprocess.run([WEIR, "run", *words], env={**ENVIRONMENT, **more.pop("env", {})}, input=input, text=True,
                          capture_output=True, timeout=SECONDS, check=False, **more)


def end_with_parent():
    """Of a test that is ended itself nothing is left: the launcher is killed, and so are its ranks."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(*words, **more):
    return subprocess.Popen([WEIR, "run", *words], env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=end_with_parent, **more)


def sh(script):
    return ["sh", "-c", script]


def end_of(process):
    out, error = process.communicate(timeout=SECONDS)
    return process.returncode, out, error


def until_full(pipe):
    """Of which nothing is read: how many bytes it holds."""
    held, before = 0, -1
    while held == 0 or held != before:
        time.sleep(0.3)
        held, before = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0], held
    return held


class Gone:
    """That processes which a job names on its standard output are gone in the end."""

    def __init__(self, pids):
        self.descriptors = []
        for pid in pids:
            try:
                self.descriptors.append(os.pidfd_open(pid))
            except ProcessLookupError:
                pass

    def wait(self, test):
        for descriptor in self.descriptors:
            ready, _, _ = select.select([descriptor], [], [], SECONDS)
            test.assertTrue(ready, "a process runs still")
            os.close(descriptor)


def state_of(pid):
    """As ps(1) shows it; Z where there is none."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def is_running(pid):
    return state_of(pid) != "Z"


class Output(unittest.TestCase):
    def test_each_line_has_its_rank_on_request(self):
        done = run("-n", "4", "--label", *sh('i=0; while [ $i -lt 200 ]; do echo "$WEIR_RANK says $i"; i=$((i+1)); done'))
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = collections.Counter()
        for line in done.stdout.splitlines():
            label, said = re.fullmatch(r"\[(\d)\] (\d) says \d+", line).groups()
            self.assertEqual(label, said)
            counts[label] += 1
        self.assertEqual(counts, {str(rank): 200 for rank in range(4)})

    def test_standard_error_is_labelled_too_and_stays_apart(self):
        done = run("-n", "2", "--label", *sh("echo to the error >&2; printf unfinished"))
        self.assertEqual(sorted(done.stderr.splitlines()), ["[0] to the error", "[1] to the error"])
        self.assertEqual(sorted(done.stdout.splitlines()), ["[0] unfinished", "[1] unfinished"])

    def test_lines_that_come_in_pieces_are_not_mixed(self):
        done = run("-n", "4", *sh('[ $WEIR_RANK = 0 ] || for i in 1 2 3 4 5 6 7 8 9; do printf $WEIR_RANK; printf $WEIR_RANK; '
                                  'printf "$WEIR_RANK\\n"; done'))
        self.assertEqual(collections.Counter(done.stdout.splitlines()), {str(rank) * 3: 9 for rank in range(1, 4)})

    def test_a_question_of_rank_0_comes_before_its_line_ends(self):
        process = start("-n", "2", *sh('[ $WEIR_RANK = 1 ] || { printf "size? "; read n; echo "it is $n"; }'), stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.read(6), "size? ")
        out, _ = process.communicate("7\n", timeout=SECONDS)
        self.assertEqual(out, "it is 7\n")

    def test_much_of_it_comes_whole(self):
        done = run("-n", "3", *sh("seq 1 100000"))
        self.assertEqual(collections.Counter(done.stdout.splitlines()), {str(number): 3 for number in range(1, 100001)})

    def test_a_reader_that_has_enough_ends_the_job(self):
        done = subprocess.run(["bash", "-c", f"{WEIR} run -n 2 yes | head -1; echo ${{PIPESTATUS[0]}}"], env=ENVIRONMENT,
                              text=True, capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual(done.stdout.splitlines(), ["y", str(128 + signal.SIGPIPE)])

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([WEIR, "run", "-n", "2", "echo", "x"], env=ENVIRONMENT, text=True, stdout=full,
                                  stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output cannot be written to", done.stderr)

    def test_input_is_for_rank_0(self):
        done = run("-n", "3", "--label", "cat", input="one\ntwo\n")
        self.assertEqual(done.stdout, "[0] one\n[0] two\n")

    def test_json_alone_is_on_standard_output(self):
        done = run("-n", "3", "--json", *sh("echo out; exit 0"))
        (run_of,) = json.loads(done.stdout)
        self.assertEqual((run_of["ranks"], run_of["status"], run_of["program"]), (3, 0, "sh"))
        self.assertEqual(done.stderr, "out\n" * 3)


class Terminal(unittest.TestCase):
    """Ranks on a terminal of our making."""

    def on_a_terminal(self, *words):
        pid, ours = pty.fork()
        if pid == 0:
            os.execve(WEIR, [WEIR, "run", *words], {**ENVIRONMENT, "TERM": "dumb"})
        return pid, ours

    def read_until(self, ours, done):
        text = ""
        while not done(text):
            ready, _, _ = select.select([ours], [], [], SECONDS)
            self.assertTrue(ready, f"nothing more comes after {text!r}")
            try:
                piece = os.read(ours, 4096).decode()
            except OSError:  # the end
                break
            text += piece
        return text.replace("\r\n", "\n")

    def test_ranks_see_one(self):
        pid, ours = self.on_a_terminal("-n", "2", *sh("test -t 1 && test -t 2 && echo terminal"))
        self.assertEqual(self.read_until(ours, lambda text: False), "terminal\n" * 2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)

    def test_a_question_shows_before_its_line_ends(self):
        pid, ours = self.on_a_terminal("-n", "2", *sh('[ $WEIR_RANK = 1 ] || { printf "size? "; read n; echo "it is $n"; }'))
        self.assertEqual(self.read_until(ours, lambda text: "? " in text), "size? ")
        os.write(ours, b"7\n")
        self.assertIn("it is 7", self.read_until(ours, lambda text: False))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)

    def test_ctrl_c_reaches_each_rank_once(self):
        script = 'trap "got=1; echo got" INT; echo ready; while [ -z "$got" ]; do sleep 0.1; done; exit 0'
        pid, ours = self.on_a_terminal("-n", "2", *sh(script))
        self.read_until(ours, lambda text: text.count("ready") == 2)
        os.write(ours, b"\x03")
        self.assertEqual(self.read_until(ours, lambda text: False).count("got"), 2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)


class Ends(unittest.TestCase):
    def first_dead(self, script, status, said):
        """Rank 1 does that, the others wait for ever: its end is named, theirs comes."""
        with tempfile.TemporaryDirectory() as folder:
            done = run("-n", "3", *sh(f'echo $$; echo x > {folder}/$WEIR_RANK; if [ $WEIR_RANK = 1 ]; then while [ $(ls {folder} | wc -l) '
                                      f'-lt 3 ]; do :; done; {script}; fi; exec sleep 1000'))
        self.assertEqual(done.returncode, status, done.stderr)
        line = done.stderr.splitlines()[-1]
        self.assertRegex(line, rf"^weir: rank 1 \(process \d+ on \S+\) {said}; 2 others are ended with it$")
        self.assertEqual(done.stderr.count("weir: "), 1)
        for pid in done.stdout.split():
            self.assertFalse(is_running(pid))

    def test_a_killed_rank_is_named_and_the_others_are_ended(self):
        self.first_dead("kill -KILL $$", 137, r"was ended by SIGKILL \(Killed\)")

    def test_a_crashed_rank_is_named_with_its_last_words(self):
        self.first_dead("echo first >&2; echo no room >&2; kill -SEGV $$", 139,
                        r"was ended by SIGSEGV \(Segmentation fault\); its last words: no room")

    def test_a_failed_rank_is_named_with_its_status(self):
        self.first_dead("exit 3", 3, "has ended with status 3")

    def test_ranks_that_take_no_notice_are_killed(self):
        done = run("-n", "3", *sh(f'[ $WEIR_RANK = 1 ] && exit 4; trap "" TERM; {PATIENT}'))
        self.assertEqual(done.returncode, 4)

    def test_what_shells_had_started_ends_with_them(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("-n", "2", *sh(f"if [ $WEIR_RANK = 1 ]; then while [ ! -e {folder}/up ]; do :; done; exit 3; fi; "
                                      f"sleep 1000 & echo $!; touch {folder}/up; wait"))
        self.assertEqual(done.returncode, 3)
        (pid,) = done.stdout.split()
        self.assertFalse(is_running(pid))

    def test_ranks_that_end_well_one_after_the_other_are_fine(self):
        done = run("-n", "4", *sh("[ $WEIR_RANK = 3 ] && seq 1 1000 >/dev/null; exit 0"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_rank_that_aborts_gives_the_job_its_status(self):
        done = run("-n", "3", RANK, "abort", "7")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr, r"^weir: rank 1 \(process \d+ on \S+\) has ended the job with status 7\n$")

    def test_a_rank_that_ends_the_job_well_says_nothing(self):
        done = run("-n", "3", RANK, "abort", "0")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_rank_that_joined_and_did_not_leave_is_lost(self):
        for how in ("vanish", "rejoin"):
            done = run("-n", "3", RANK, how)
            self.assertEqual(done.returncode, 1)
            self.assertIn("rank 1 (process ", done.stderr)
            self.assertIn("has ended with status 0, but had not left the job; 2 others are ended with it", done.stderr)

    def test_a_rank_that_ends_well_while_others_look_for_it_is_lost(self):
        done = run("-n", "3", RANK, "early")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"rank 1 \(process \d+ on \S+\) has ended with status 0, but others wait for it to start with them")

    def test_ranks_may_come_as_late_as_they_like(self):
        done = run("-n", "3", RANK, "late")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_rank_that_aborts_has_time_to_write_what_it_has_printed(self):
        done = run("-n", "2", RANK, "abort", "7")
        self.assertEqual((done.returncode, done.stdout), (7, "rank 1 has aborted the job\n"))

    def test_the_status_of_a_rank_that_has_left_counts(self):
        self.assertEqual(run("-n", "3", RANK, "leave").returncode, 5)

    def test_ranks_that_have_left_outlive_one_that_fails_afterwards(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/fifo")
            done = run("-n", "2", RANK, "outlive", f"{folder}/fifo")
        self.assertEqual(done.returncode, 5)
        self.assertTrue(done.stdout.endswith("\ndone\n"))
        self.assertRegex(done.stderr, r"^weir: rank 1 \(process \d+ on \S+\) has ended with status 5\n$")

    def test_the_rank_that_is_named_is_not_the_one_that_ended_because_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/fifo")
            done = run("-n", "2", RANK, "victim", f"{folder}/fifo")
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertIn("rank 1 (process ", done.stderr)
        self.assertNotIn("rank 0", done.stderr)

    def test_nor_the_one_that_has_noticed_it_while_the_launcher_was_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/fifo")
            process = start("-n", "2", RANK, "notices", f"{folder}/fifo")
            killed = int(process.stdout.readline())
            ranks = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            process.send_signal(signal.SIGSTOP)
            while state_of(process.pid) != "T":
                time.sleep(0.001)
            os.kill(killed, signal.SIGKILL)
            while any(is_running(int(rank)) for rank in ranks):
                time.sleep(0.001)
            process.send_signal(signal.SIGCONT)
            status, _, error = end_of(process)
        self.assertEqual(status, 137, error)
        self.assertIn(f"rank 1 (process {killed} on ", error)
        self.assertNotIn("rank 0", error)

    def test_a_program_that_is_not_there_is_refused_once(self):
        done = run("-n", "4", "./no-such-program")
        self.assertEqual((done.returncode, done.stderr), (2, "weir: ./no-such-program: cannot be run: No such file or directory\n"))


class Signals(unittest.TestCase):
    def ready(self, *words):
        process = start(*words)
        for _ in range(2):
            self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_a_signal_goes_to_every_rank(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            name = number.name.removeprefix("SIG")
            process = self.ready("-n", "2", *sh(f'trap "echo got; exit 0" {name}; echo ready; while :; do read x < /dev/null; done'))
            process.send_signal(number)
            self.assertEqual(end_of(process), (0, "got\n" * 2, ""))

    def test_the_job_ends_as_the_ranks_do(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.ready("-n", "2", *sh("echo ready; exec sleep 1000"))
            process.send_signal(number)
            self.assertEqual(end_of(process), (-number, "", ""))

    def test_a_reader_that_takes_nothing_does_not_keep_a_job_that_a_signal_has_ended(self):
        process = start("-n", "2", *sh("while :; do echo much; done"))
        until_full(process.stdout)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), -signal.SIGTERM)
        end_of(process)

    def test_a_reader_that_takes_nothing_does_not_keep_the_status_of_a_job_that_has_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/fails")
            process = start("-n", "2", *sh(f"[ $WEIR_RANK = 0 ] || {{ read x < {folder}/fails; exit 3; }}; while :; do echo much; done"))
            held = until_full(process.stdout)
            pathlib.Path(f"{folder}/fails").write_text("now\n")
            self.assertEqual(process.wait(SECONDS), 3)
            self.assertIn("has ended with status 3; 1 other is ended with it", process.stderr.read())
        lines = process.stdout.read().splitlines()
        self.assertEqual(set(lines), {"much"})
        self.assertGreater(5 * len(lines), held, "what the pipe had no room for is written when there is a reader")
        end_of(process)

    def test_a_failure_after_a_signal_that_was_handled_is_named(self):
        process = self.ready("-n", "2", *sh('trap "exit 9" HUP; echo ready; while :; do read x < /dev/null; done'))
        process.send_signal(signal.SIGHUP)
        status, _, error = end_of(process)
        self.assertEqual(status, 9)
        self.assertIn("has ended with status 9", error)

    def test_no_rank_outlives_a_killed_launcher(self):
        process = start("-n", "4", *sh("echo $$; exec sleep 1000"))
        gone = Gone([int(process.stdout.readline()) for _ in range(4)])
        process.kill()
        gone.wait(self)
        end_of(process)


class Ranks(unittest.TestCase):
    def test_are_run_by_a_launcher_with_a_small_stack(self):
        done = subprocess.run(["sh", "-c", f"ulimit -s 64 && exec {WEIR} run -n 2 echo said"], env=ENVIRONMENT,
                              text=True, capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "said\nsaid\n"), done.stderr)

    def test_know_who_they_are(self):
        done = run("-n", "3", RANK)
        lines = sorted(line.rsplit(" ", 1) for line in done.stdout.splitlines())
        self.assertEqual([words for words, _ in lines], [f"weir run {rank} 3 {rank} 3" for rank in range(3)])
        self.assertEqual(len({job for _, job in lines}), 1)
        again = run("-n", "1", RANK).stdout.split()[-1]
        self.assertNotEqual(again, lines[0][1], "another job has another name")

    def test_know_where_the_installation_has_its_parts(self):
        with tempfile.TemporaryDirectory(dir=os.path.dirname(WEIR)) as folder:
            prefix = pathlib.Path(folder).resolve()
            (prefix / "bin").mkdir()
            weir = prefix / "bin/weir"
            os.link(WEIR, weir)

            def told(**more):
                done = subprocess.run([weir, "run", "-n", "1", *sh("echo parts: $WEIR_LIBEXEC")], env={**ENVIRONMENT, **more},
                                      text=True, capture_output=True, timeout=SECONDS, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                return done.stdout

            self.assertEqual(told(), "parts:\n")
            (prefix / "libexec/weir").mkdir(parents=True)
            self.assertEqual(told(), f"parts: {prefix}/libexec/weir\n")
            self.assertEqual(told(WEIR_LIBEXEC="/mine"), "parts: /mine\n")

    def test_a_program_started_bare_is_one(self):
        done = subprocess.run([RANK], env=ENVIRONMENT, text=True, capture_output=True, timeout=SECONDS, check=True)
        self.assertEqual(done.stdout, "none 0 1 0 1 \n")

    def test_contradictions_are_named(self):
        done = subprocess.run([RANK], env={**ENVIRONMENT, "WEIR_RANK": "4", "WEIR_RANKS": "2"}, text=True, capture_output=True,
                              timeout=SECONDS, check=False)
        self.assertIn("WEIR_RANK=4 and WEIR_RANKS=2 contradict each other", done.stderr)

    def test_can_be_many_more_than_cores(self):
        done = run("-n", "64", *sh("echo $WEIR_RANK"))
        self.assertEqual(sorted(map(int, done.stdout.split())), list(range(64)), done.stderr)

    def test_get_nothing_of_an_outer_starter(self):
        outer = {"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "6", "PMI_RANK": "1", "PMI_SIZE": "2", "PMIX_RANK": "5",
                 "SLURM_PROCID": "1", "SLURM_STEP_ID": "0", "WEIR_RANK": "1", "WEIR_RANKS": "2"}
        done = run("-n", "1", RANK, env=outer)
        self.assertTrue(done.stdout.startswith("weir run 0 1 0 1 "), done.stdout + done.stderr)

    def test_have_the_cores_that_are_shown(self):
        words = sh("grep Cpus_allowed_list /proc/self/status")
        cores = len(os.sched_getaffinity(0))
        for count in {1, min(2, cores)}:
            done = run("-n", str(count), "--label", "--show-binding", *words)
            shown = dict(re.findall(r"rank (\d+): CPUs (\S+) of ", done.stderr))
            found = dict(re.findall(r"\[(\d+)\] Cpus_allowed_list:\s*(\S+)", done.stdout))
            self.assertEqual(shown, found)
            self.assertEqual(len(found), count)

    def test_stay_within_the_affinity_mask_of_the_launcher(self):
        cpu = min(os.sched_getaffinity(0))
        done = run("-n", "2", *sh("grep Cpus_allowed_list /proc/self/status"), preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual({line.split()[1] for line in done.stdout.splitlines()}, {str(cpu)})

    def test_are_not_bound_on_request(self):
        done = run("-n", "2", "--bind-ranks", "none", sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))")
        self.assertEqual(done.stdout, f"{len(os.sched_getaffinity(0))}\n" * 2)

    def test_that_share_cores_do_not_pin_their_workers(self):
        cores = len(os.sched_getaffinity(0))
        self.assertEqual(run("-n", str(cores + 1), *sh("echo $WEIR_BIND")).stdout, "none\n" * (cores + 1))
        self.assertEqual(run("-n", str(cores + 1), "--bind", "core", *sh("echo $WEIR_BIND")).stdout, "core\n" * (cores + 1))
        self.assertEqual(run("-n", "1", *sh("echo $WEIR_BIND")).stdout, "\n")

    def test_get_the_options_of_the_runtime_and_a_trace_each(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("-n", "2", "--workers", "1", "--trace", "t.weir", HELLO, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["t.0.weir", "t.1.weir"])


def starters():
    return [program for program in map(shutil.which, ("mpirun.openmpi", "mpiexec.hydra", "mpirun.mpich")) if program]


class OtherStarters(unittest.TestCase):
    def jobs(self, text, ranks):
        lines = re.findall(r"(Open MPI \(PMIx\)|MPICH \(PMI\)) (\d+) (\d+) (\d+) (\d+) (\S+)", text)
        self.assertEqual(sorted(line[1] for line in lines), [str(rank) for rank in range(ranks)], text)
        self.assertEqual({(line[2], line[4]) for line in lines}, {(str(ranks), str(ranks))})
        self.assertEqual(len({line[5] for line in lines}), 1, "one name of the job")

    def test_of_mpi_are_understood(self):
        for starter in starters():
            oversubscribe = ["--oversubscribe"] if "openmpi" in starter else []
            # A shell between the two changes nothing.
            for program in ([RANK], sh(f"{RANK}; true")):
                done = subprocess.run([starter, "-n", "3", *oversubscribe, *program], env=ENVIRONMENT, text=True, capture_output=True,
                                      timeout=SECONDS, check=False)
                self.jobs(done.stdout, 3)

    def test_of_mpi_start_ranks_on_hosts(self):
        with tempfile.TemporaryDirectory() as folder:
            hosts = pathlib.Path(folder) / "hosts"
            for text in ("localhost\n", "# all\nlocalhost slots=1\n", "localhost:2\n"):
                hosts.write_text(text)
                for starter in starters():
                    done = run("-n", "3", "--hosts", str(hosts), "--workers", "1", *sh(f"{RANK}; echo workers $WEIR_WORKERS"),
                               env={"WEIR_MPIRUN": starter, "WEIR_RANK": "1", "WEIR_RANKS": "2"})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.jobs(done.stdout, 3)
                    self.assertEqual(done.stdout.count("workers 1\n"), 3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
