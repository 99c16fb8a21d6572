#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SHMEM programs at the edges of what is allowed: how they end, and what is said of those that go beyond.

usage: edges_test.py WEIR EDGES LIBRARY POLLS INSTRUMENTED, the last "-" where there is no AddressSanitizer
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

WEIR, EDGES, LIBRARY, POLLS, INSTRUMENTED = sys.argv[1:6]
SECONDS = 100  # when something hangs


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_words(self, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "SHMEM_"))}
        return subprocess.run(words, cwd=self.folder, env={**environment, **variables}, capture_output=True, text=True,
                              timeout=SECONDS, check=False)

    def run_pes(self, pes, *words, **variables):
        return self.run_words(WEIR, "run", "-n", str(pes), *words, **variables)

    def expect_status(self, status, done):
        self.assertEqual(done.returncode, status, f"{done.args}: {done.stdout}{done.stderr}")


class Ends(Program):
    def expect_all_is_written(self, pes, how, status, job_status):
        done = self.run_pes(pes, EDGES, "prints", how, str(status))
        self.expect_status(job_status, done)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"PE {pe} prints" for pe in range(pes)], how)
        for pe in range(pes):
            self.assertEqual(pathlib.Path(self.folder, f"out.{pe}").read_text(), f"result of PE {pe}\n", how)

    def test_global_exit_of_one_writes_what_all_have_printed(self):
        for pes in 1, 3:
            self.expect_all_is_written(pes, "global_exit", 5, 5)

    def test_global_exit_of_all_writes_what_all_have_printed(self):
        self.expect_all_is_written(3, "all_global_exit", 6, 6)

    def test_exit_with_a_status_writes_what_all_have_printed(self):
        for pes in 1, 3:
            self.expect_all_is_written(pes, "exit", 3, 3)

    def test_return_with_a_status_writes_what_has_been_printed(self):
        for pes in 1, 2:
            self.expect_all_is_written(pes, "return", 4, 4)

    def test_a_status_of_which_the_system_keeps_nothing_is_none(self):
        self.expect_all_is_written(2, "return", 256, 0)


class Streams(Program):
    def test_what_is_printed_to_closed_streams_is_not_in_the_heap(self):
        for pes in 1, 2:
            for closed in ">&-", "<&- >&-", "<&-", "<&- >&- 2>&-":
                done = self.run_pes(pes, "sh", "-c", f'exec "$0" prints_nowhere {closed}', EDGES)
                self.expect_status(0, done)


class Counts(Program):
    def expect_line(self, which, text, **variables):
        done = self.run_pes(2, EDGES, "counts", which, **variables)
        self.expect_status(1, done)
        self.assertRegex(done.stderr, text, which)

    def test_more_elements_than_there_are_addresses_are_named(self):
        for apart in {}, {"WEIR_SHMEM_REMOTE": "all"}:
            self.expect_line("put", r"shmem_long_put: 2305843009213693953 elements of 8 bytes are more than", **apart)
            self.expect_line("get_nbi", "shmem_long_get_nbi: 18446744073709551615 elements of 8 bytes are more than", **apart)
            self.expect_line("broadcast", "shmem_long_broadcast: 18446744073709551615 elements of 8 bytes are more than", **apart)

    def test_strides_beyond_all_addresses_are_named(self):
        for which in "iput", "iput_in_place", "iput_stride", "ibput", "ibput_stride":
            for apart in {}, {"WEIR_SHMEM_REMOTE": "all"}:
                routine = f"shmem_long_{which.split('_', maxsplit=1)[0]}"
                self.expect_line(which, f"{routine}: .* are more than there are addresses", **apart)
        self.expect_line("iget", "shmem_long_iget: .* are more than there are addresses")
        self.expect_line("ibget_block", "shmem_long_ibget: .* are more than there are addresses")

    def test_strides_of_alltoalls_below_1_are_named(self):
        for apart in {}, {"WEIR_SHMEM_REMOTE": "all"}:
            self.expect_line("alltoalls", "shmem_long_alltoalls: dst is 1 and sst is 0: both must be at least 1", **apart)


    def test_strides_of_alltoalls_beyond_all_addresses_are_named(self):
        for which in "alltoalls_dst", "alltoalls_sst":
            for apart in {}, {"WEIR_SHMEM_REMOTE": "all"}:
                self.expect_line(which, "shmem_long_alltoalls: 2 elements of 8 bytes for each of 2 PEs, .* more than there", **apart)

    def test_parts_of_all_members_that_are_more_than_all_addresses_are_named(self):
        for which in "alltoall", "fcollect":
            self.expect_line(which, f"shmem_long_{which}: 1152921504606846976 elements of 8 bytes are more than")
        self.expect_line("reduce", "shmem_long_sum_reduce: 2305843009213693953 elements of 8 bytes are more than")

    def test_a_negative_number_of_elements_to_reduce_is_named(self):
        self.expect_line("to_all", "shmem_long_sum_to_all: the number of elements is -1: it must not be negative")


class Collectives(Program):
    def expect_named(self, which, routine, size, **apart):
        done = self.run_pes(2, EDGES, "beyond", which, str(size), SHMEM_SYMMETRIC_SIZE="1M", **apart)
        self.expect_status(1, done)
        self.assertRegex(done.stderr, fr"{routine}: {size} bytes at 0x\w+ of PE \d go beyond the heap: from there to its "
                         "end are 8 bytes")

    def test_arrays_that_leave_the_heap_are_named(self):
        for size, apart in (64, {}), (100000, {"WEIR_SHMEM_REMOTE": "all"}):
            for which, routine in (("broadcast", "shmem_broadcastmem"), ("broadcast_source", "shmem_broadcastmem"),
                                   ("broadcast32", "shmem_broadcast32"), ("collect", "shmem_collectmem"),
                                   ("fcollect", "shmem_fcollectmem"), ("fcollect_source", "shmem_fcollectmem"),
                                   ("fcollect64", "shmem_fcollect64"), ("alltoall", "shmem_alltoallmem"),
                                   ("alltoalls", "shmem_alltoallsmem"), ("alltoalls_source", "shmem_alltoallsmem"),
                                   ("reduce", "shmem_uchar_sum_reduce"), ("inscan", "shmem_uchar_sum_inscan"),
                                   ("to_all", "shmem_long_max_to_all")):
                self.expect_named(which, routine, size, **apart)

    def test_arrays_that_end_with_the_heap_are_fine(self):
        for which in "broadcast", "collect", "fcollect", "fcollect_source", "alltoall", "reduce", "inscan", "to_all":
            self.expect_status(0, self.run_pes(2, EDGES, "beyond", which, "8", SHMEM_SYMMETRIC_SIZE="1M"))

    def test_a_store_behind_the_heap_ends_the_pe_that_makes_it(self):
        done = self.run_pes(2, EDGES, "stores_beyond", SHMEM_SYMMETRIC_SIZE="1M", ASAN_OPTIONS="handle_segv=0",
                            TSAN_OPTIONS="handle_segv=0")
        self.expect_status(139, done)
        self.assertRegex(done.stderr, r"rank 0 \(process \d+ on \S+\) was ended by SIGSEGV")

    def test_each_pe_may_collect_from_a_source_of_its_own_or_nothing(self):
        for variables in {}, {"WEIR_SHMEM_REMOTE": "odd"}, {"WEIR_SHMEM_REMOTE": "all"}, {"WEIR_CHECK": "1"}:
            for pes in 1, 4:
                self.expect_status(0, self.run_pes(pes, EDGES, "collects", **variables))

    def test_a_source_that_is_not_symmetric_is_that_of_its_pe(self):
        done = self.run_pes(2, EDGES, "private_collect")
        self.expect_status(1, done)
        self.assertIn("shmem_long_collect: the source of PE 1 is not symmetric, so that other PEs cannot read it", done.stderr)

    def test_sessions_of_no_context_are_nothing(self):
        for pes in 1, 2:
            self.expect_status(0, self.run_pes(pes, EDGES, "sessions"))


class Memory(Program):
    def test_constants_are_sources_of_any_size(self):
        for variables in {}, {"WEIR_SHMEM_REMOTE": "all"}, {"WEIR_CHECK": "1"}:
            self.expect_status(0, self.run_pes(3, EDGES, "constants", **variables))

    def test_a_constant_is_no_place_to_put_to(self):
        done = self.run_pes(2, EDGES, "constant_dest")
        self.expect_status(1, done)
        self.assertRegex(done.stderr, r"shmem_long_p: address 0x\w+ is not symmetric: .* read-only")

    def test_a_block_grows_where_there_is_room_in_all(self):
        for pes in 1, 2:
            self.expect_status(0, self.run_pes(pes, EDGES, "grows", SHMEM_SYMMETRIC_SIZE="64M"))


class Mistakes(Program):
    def test_what_was_destroyed_is_named(self):
        for which, text in (("team", r"shmem_team_my_pe: 0x\w+ is no team: it was destroyed before"),
                            ("sync", r"shmem_team_sync: 0x\w+ is no team: it was destroyed before"),
                            ("team twice", r"shmem_team_destroy: 0x\w+ is no team: it was destroyed before"),
                            ("context", r"shmem_ctx_long_p: the context 0x\w+ was destroyed before")):
            done = self.run_pes(2, EDGES, "destroyed", which)
            self.expect_status(1, done)
            self.assertRegex(done.stderr, text)

    def test_shrealloc_of_a_freed_block_is_null(self):
        done = self.run_pes(2, EDGES, "destroyed", "block")
        self.expect_status(0, done)
        self.assertRegex(done.stderr, r"shrealloc: 0x\w+ was freed before, or never given: the answer is NULL")

    def test_a_program_that_a_pe_starts_is_not_that_pe_once_more(self):
        done = self.run_pes(2, EDGES, "starts", f"{EDGES} counts none")
        self.expect_status(0, done)
        self.assertEqual(done.stdout, "status 256\n")
        self.assertRegex(done.stderr, r"this process was started by rank 0 of the job \(process \d+\), .*: it is none of the PEs")

    def test_a_program_that_a_pe_starts_may_be_a_job_of_its_own(self):
        for launcher in f"{WEIR} run -n 2", "env -u WEIR_RANK -u WEIR_RANKS -u WEIR_JOB -u WEIR_CONTROL":
            done = self.run_pes(2, EDGES, "starts", f"{launcher} {EDGES} counts none")
            self.expect_status(0, done)
            self.assertEqual(done.stdout, "status 0\n")

    def test_a_descriptor_of_the_library_that_was_closed_is_named(self):
        done = self.run_pes(2, EDGES, "closes_descriptors")
        self.expect_status(1, done)
        self.assertIn("the program has closed the descriptor by which this process tells weir run that it leaves", done.stderr)


class Polls(Program):
    NO_POLLS = ["counts", "reads_of_different_words", "locks_that_are_free", "tests_that_hold"]

    def polls(self, pes):
        cpu = min(os.sched_getaffinity(0))
        done = self.run_words("taskset", "-c", str(cpu), WEIR, "run", "-n", str(pes), POLLS)
        self.expect_status(0, done)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), 19 * pes)
        return lines

    @unittest.skipIf(shutil.which("taskset") is None, "no taskset")
    def test_questions_in_vain_give_the_turn_away_where_pes_share_a_processor(self):
        for kind, yielded in self.polls(2):
            self.assertEqual(yielded, "none" if kind in self.NO_POLLS else "some", kind)

    @unittest.skipIf(shutil.which("taskset") is None, "no taskset")
    def test_a_pe_alone_keeps_its_turn(self):
        for kind, yielded in self.polls(1):
            self.assertEqual(yielded, "none", kind)


class Limits(Program):
    def test_a_split_in_rows_and_columns_succeeds_or_fails_on_all(self):
        self.expect_status(0, self.run_pes(4, EDGES, "teams"))

    def test_any_number_of_libraries_has_symmetric_variables(self):
        for number in range(80):
            shutil.copy(LIBRARY, f"{self.folder}/l{number}.so")
        done = self.run_pes(2, EDGES, "libraries", self.folder)
        self.expect_status(0, done)
        self.assertEqual(done.stdout, "80 libraries\n" * 2)

    def test_a_library_may_be_closed_and_loaded_between_two_starts(self):
        shutil.copy(LIBRARY, f"{self.folder}/one.so")
        for pes in 1, 2:
            self.expect_status(0, self.run_pes(pes, EDGES, "closes", f"{self.folder}/one.so"))

    @unittest.skipIf(INSTRUMENTED == "-", "no AddressSanitizer, or Weir has it")
    def test_a_program_with_address_sanitizer_starts(self):
        for pes in 1, 2:
            self.expect_status(0, self.run_pes(pes, INSTRUMENTED, ASAN_OPTIONS="detect_leaks=0"))

    def test_a_heap_whose_tables_get_no_memory_is_named(self):
        done = self.run_words("sh", "-c", 'ulimit -v 4000000; exec "$0" counts none', EDGES, SHMEM_SYMMETRIC_SIZE="8T")
        self.expect_status(1, done)
        self.assertRegex(done.stderr, r"heap: 8 TiB are asked for, and this process gets no memory for the tables")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
