#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What WEIR_CHECK=1 says of programs that make mistakes, and that it says nothing of those that make none.

    checked_test.py WEIR MISTAKES LIBRARY REMOTE

The command line, the program, its library, and what WEIR_SHMEM_REMOTE is set to (- for nothing)."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ALL_SAME = ": all its members make the same calls with the same arguments, in the same order"
IN_ORDER = "; all members of a team or an active set make the same collective calls, in the same order"
SET = "the active set PE_start 0, logPE_stride 0, PE_size"
STATIC = "static data of the program + N"

# mistake, PEs, exit status, a line that is printed ("": none with "weir:"). Numbers of bytes and addresses are N.
EXPECTED = [
    ("put_overlaps", 2, 1, "PE 0 of 2: shmem_long_put: dest and source overlap: 24 of the 32 bytes at N of PE 0 and at N are the "
     "same memory. Bytes are copied in any order: copy through another array"),
    ("get_overlaps", 2, 1, "PE 0 of 2: shmem_getmem: dest and source overlap: 24 of the 32 bytes at N of PE 0 and at N are the "
     "same memory. Bytes are copied in any order: copy through another array"),
    ("iput_overlaps", 2, 1, "PE 0 of 2: shmem_long_iput: dest and source overlap: block 2 of dest (at N) and block 3 of source (at N) "
     "have 8 of their 8 bytes in common. Blocks are copied in any order: copy through another array"),
    ("iget_overlaps", 2, 1, "PE 0 of 2: shmem_long_iget: dest and source overlap: block 6 of dest (at N) and block 2 of source (at N) "
     "have 8 of their 8 bytes in common. Blocks are copied in any order: copy through another array"),
    ("strided_apart", 2, 0, ""),
    ("broadcast_overlaps", 2, 1, f"PE 0 of 2: shmem_long_broadcast: dest ({STATIC}) and source ({STATIC}) overlap in 48 bytes: "
     "they must be the same array, or have no byte in common"),
    ("fcollect_in_place", 2, 1, f"PE 0 of 2: shmem_long_fcollect: dest ({STATIC}) and source ({STATIC}) overlap in 64 bytes: "
     "they must have no byte in common"),
    ("collect_in_place", 2, 1, f"PE 0 of 2: shmem_long_collect: dest ({STATIC}) and source ({STATIC}) overlap in 64 bytes: "
     "they must have no byte in common"),
    ("collect_overlaps", 2, 1, f"PE 0 of 2: shmem_long_collect: dest ({STATIC}) and source ({STATIC}) overlap in 64 bytes: "
     "they must have no byte in common"),
    ("alltoalls_in_place", 2, 1, "PE 0 of 2: shmem_long_alltoalls: dest and source overlap: block 0 of dest (at N) and block 0 of "
     "source (at N) have 8 of their 8 bytes in common. Blocks are copied in any order: copy through another array"),
    ("alltoalls_apart", 2, 0, ""),
    ("reduce_overlaps", 2, 1, f"PE 0 of 2: shmem_long_sum_reduce: dest ({STATIC}) and source ({STATIC}) overlap in 56 bytes: "
     "they must be the same array, or have no byte in common"),
    ("reduce_on_stack", 2, 1, "PE 0 of 2: shmem_double_sum_to_all: dest N is not symmetric: other PEs cannot reach it. It may "
     "work with few bytes here, and not elsewhere; use memory of shmem_malloc, or a global or static variable"),
    ("other_root", 3, 1, f"PE 0 of 3: shmem_long_broadcast: PE 0 has called shmem_long_broadcast (nelems 8, elements of 8 bytes, "
     f"PE_root 0, dest {STATIC}, source {STATIC}), and PE 1 has called shmem_long_broadcast (nelems 8, elements of 8 bytes, PE_root "
     f"1, dest {STATIC}, source {STATIC}), as the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("other_count", 2, 1, f"PE 0 of 2: shmem_long_fcollect: PE 0 has called shmem_long_fcollect (nelems 4, elements of 8 bytes, dest "
     f"{STATIC}, source {STATIC}), and PE 1 has called shmem_long_fcollect (nelems 3, elements of 8 bytes, dest {STATIC}, source "
     f"{STATIC}), as the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("other_dest", 2, 1, f"PE 0 of 2: shmem_long_max_reduce: PE 0 has called shmem_long_max_reduce (max of int64, nreduce 4, dest "
     f"{STATIC}, source {STATIC}), and PE 1 has called shmem_long_max_reduce (max of int64, nreduce 4, dest {STATIC}, source "
     f"{STATIC}), as the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("other_op", 2, 1, f"PE 0 of 2: shmem_int_sum_reduce: PE 0 has called shmem_int_sum_reduce (sum of int32, nreduce 4, dest "
     f"{STATIC}, source {STATIC}), and PE 1 has called shmem_int_max_reduce (max of int32, nreduce 4, dest {STATIC}, source "
     f"{STATIC}), as the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("barrier_and_broadcast", 3, 1, f"PE 0 of 3: shmem_barrier: PE 0 has called shmem_barrier, and PE 1 has called "
     f"shmem_broadcast64 (nelems 8, elements of 8 bytes, PE_root 0, dest {STATIC}, source {STATIC}), as the same collective of "
     f"{SET} 3, pSync {STATIC}{ALL_SAME}"),
    ("one_barrier_more", 2, 1, "PE 0 of 2: shmem_barrier_all: PE 0 has called shmem_barrier_all, and PE 1 has called "
     f"shmem_finalize, as the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("leaves_a_team", 2, 1, "PE 0 of 2: shmem_team_sync: PE 0 is in shmem_team_sync of the team of 2 PEs (0, 1), and waits for PE 1; "
     f"PE 1 is in shmem_finalize of SHMEM_TEAM_WORLD, and waits for PE 0{IN_ORDER}"),
    ("other_team", 2, 1, "PE 0 of 2: shmem_team_sync: PE 0 is in shmem_team_sync of the team of 2 PEs (0, 1), and waits for PE 1; "
     f"PE 1 is in shmem_barrier_all of SHMEM_TEAM_WORLD, and waits for PE 0{IN_ORDER}"),
    ("other_set", 3, 1, f"PE 0 of 3: shmem_barrier: PE 0 is in shmem_barrier of {SET} 3, pSync {STATIC}, and waits for PE 1; PE 1 is "
     f"in shmem_barrier of {SET} 2, pSync {STATIC}, and waits for PE 0{IN_ORDER}"),
    ("other_psync", 2, 1, f"PE 0 of 2: shmem_barrier: PE 0 is in shmem_barrier of {SET} 2, pSync {STATIC}, and waits for PE 1; PE 1 "
     f"is in shmem_barrier of {SET} 2, pSync {STATIC}, and waits for PE 0{IN_ORDER}"),
    ("other_size", 2, 1, "PE 0 of 2: shmem_malloc: PE 0 has called shmem_malloc (size 100), and PE 1 has called shmem_malloc (size "
     f"200), as the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("frees_alone", 2, 1, "PE 0 of 2: shmem_free: PE 0 has called shmem_free (ptr heap + 0), and PE 1 has called shmem_finalize, as "
     f"the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("frees_twice", 2, 1, "PE 0 of 2: shmem_free: N was not given by shmem_malloc or its like, or was freed before"),
    ("other_split", 2, 1, "PE 0 of 2: shmem_team_split_strided: PE 0 has called shmem_team_split_strided (start 0, stride 1, size 2), "
     f"and PE 1 has called shmem_team_split_strided (start 0, stride 1, size 1), as the same collective of SHMEM_TEAM_WORLD{ALL_SAME}"),
    ("used_team_that_is_gone", 2, 1, "PE 0 of 2: shmem_team_sync: N is no team: it was destroyed before, or never made"),
    ("sync_value", 2, 1, "PE 0 of 2: shmem_sync: pSync[3] is 7: every element of pSync is SHMEM_SYNC_VALUE (0) before the call, on "
     "all PEs, and there are SHMEM_SYNC_SIZE (16) of them"),
    ("private_context", 2, 1, "PE 0 of 2: shmem_finalize: context 1 of those that this PE has created (options SHMEM_CTX_PRIVATE | "
     "SHMEM_CTX_NOSTORE, 2 PEs) is not destroyed: shmem_finalize destroys those without SHMEM_CTX_PRIVATE only; call "
     "shmem_ctx_destroy() before"),
    ("leaves_context_and_team", 2, 0, "PE 0 of 2: note: context 1 of those that this PE has created (options SHMEM_CTX_SERIALIZED, 2 "
     "PEs) is not destroyed before the end: shmem_finalize does it"),
    ("leaves_context_and_team", 2, 0, "PE 1 of 2: note: a team of 2 PEs is not destroyed before the end: shmem_finalize does it"),
    ("in_place", 1, 0, ""),
    ("in_place", 3, 0, ""),
    ("collects_nothing", 2, 0, ""),
    ("ends_early", 2, 1, f"PE 0 of 2: shmem_long_broadcast: PE 0 has called shmem_long_broadcast (nelems 8, elements of 8 bytes, "
     f"PE_root 0, dest {STATIC}, source {STATIC}), and PE 1 has called the end of the program, as the same collective of "
     f"SHMEM_TEAM_WORLD{ALL_SAME}"),
]
# Without memory in common there is no overlap with another PE's, and both ranges of a PE's own stay the same.


def plain(line):
    line = re.sub(r"static data of the program \+ \d+", STATIC, line)
    return re.sub(r"0x[0-9a-f]+", "N", line)


def run(weir, program, mistake, pes, environment):
    command = [weir, "run", "-n", str(pes), program, mistake]
    return subprocess.run(command, text=True, capture_output=True, check=False, timeout=100, env=environment)


# A library that each PE has in a folder of its own, the second with a long name: texts of places differ, and are cut.
LIBRARY = [
    ("library_alike", 0, ""),
    ("library_other_source", 1, "PE 0 of 2: shmem_long_broadcast: PE 0 has called shmem_long_broadcast (nelems 4, elements of 8 bytes, "
     "PE_root 0, dest static data of "),
]


def check_library(weir, program, library, environment):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        copies = [f"{folder}/h0/lib.so", f"{folder}/h1{'x' * 190}/lib.so"]
        for copy in copies:
            os.mkdir(os.path.dirname(copy))
            shutil.copy(library, copy)
        for mistake, status, text in LIBRARY:
            command = [weir, "run", "-n", "2", "sh", "-c", 'for LIBRARY in "$2"/h"$WEIR_RANK"*/lib.so; do export LIBRARY; exec "$0" "$1"; done',
                       program, mistake, folder]
            done = subprocess.run(command, text=True, capture_output=True, check=False, timeout=100, env=environment)
            if done.returncode != status or text not in done.stderr or (not text and done.stderr):
                print(f"{mistake}: exit status {done.returncode}, not {status}; not said:\n{text}\nprinted:\n{done.stderr}")
                wrong += 1
    return wrong


def main():
    weir, program, library, remote = sys.argv[1:]
    environment = os.environ | {"WEIR_CHECK": "1"}
    if remote != "-":
        environment["WEIR_SHMEM_REMOTE"] = remote
    wrong = check_library(weir, program, library, environment)
    for mistake, pes, status, line in EXPECTED:
        done = run(weir, program, mistake, pes, environment)
        # Which PE is the first to say it is open where each sees it by itself.
        said = [plain(text).replace("weir: ", "", 1) for text in done.stderr.splitlines() if text.startswith("weir: PE ")]
        alike = [re.sub(r"^PE \d+ of|of PE \d+ and", "", text) for text in said]
        is_said = line in said or re.sub(r"^PE \d+ of|of PE \d+ and", "", line) in alike if line else not said
        if done.returncode != status or not is_said:
            print(f"{mistake} with {pes} PEs: exit status {done.returncode}, not {status}; not said:\n{line}\nprinted:\n"
                  f"{done.stdout}{done.stderr}")
            wrong += 1
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
