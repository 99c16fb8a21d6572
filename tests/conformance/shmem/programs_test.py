#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How OpenSHMEM programs end, and what they say before that.

    programs_test.py WEIR FOLDER HAS_OWN     the command line, the folder of the programs, and 1 where the library's variables
                                             have a section of their own (weir_has_own_variables() of CMake), 0 elsewhere"""
import os
import pathlib
import subprocess
import sys
import tempfile

# program with its arguments, PEs, exit status, lines that it prints in any order
EXPECTED = [
    ("ends_without_finalize", 1, 0, ["PE 0 of 1 has 42"]),
    ("ends_without_finalize", 3, 0, [f"PE {pe} of 3 has 42" for pe in range(3)]),
    ("global_exit", 1, 7, []),
    ("global_exit", 4, 7, []),
    ("global_exit 0", 2, 0, []),
    ("global_exit 256", 2, 1, []),  # of which eight bits are 0
    ("profiler", 2, 0, []),
    ("protected_pages", 2, 0, []),
    ("symmetric_new", 1, 0, ["PE 0 has 0"]),
    ("symmetric_new", 3, 0, ["PE 0 has 2", "PE 1 has 0", "PE 2 has 1"]),
    *((f"symmetric_new {call}", 3, 0, [f"PE {pe} has 0" for pe in range(3)])
      for call in ("barrier", "split", "context", "quiet", "lock", "lock calloc")),
    ("too_large", 2, 0, []),
]
SILENT = ("protected_pages", "too_large")  # on standard error, too


# variable, what the first lines of PE 0 have in them
TOLD = [
    ("SHMEM_VERSION", ["Weir OpenSHMEM, OpenSHMEM 1.6, 2 PEs by "]),
    ("SMA_VERSION", ["Weir OpenSHMEM, OpenSHMEM 1.6, 2 PEs by "]),
    ("SHMEM_INFO", ["Weir OpenSHMEM, OpenSHMEM 1.6, 2 PEs by ", "SHMEM_SYMMETRIC_SIZE", "512M", "SHMEM_INFO", "(1)"]),
]


def check_told(weir, folder):
    wrong = 0
    for variable, texts in TOLD:
        done = subprocess.run([weir, "run", "-n", "2", f"{folder}/shmem_program_profiler"], text=True, capture_output=True,
                              check=False, timeout=60,
                              env=os.environ | {variable: "1", "SHMEM_SYMMETRIC_SIZE": "512M"})
        if done.returncode != 0 or any(text not in done.stdout for text in texts):
            print(f"{variable}=1: exit status {done.returncode}, printed:\n{done.stdout}{done.stderr}")
            wrong += 1
    return wrong


# A program and what it does, PEs, what is said of which routine.
NAMED = [
    ("not_symmetric signal", 1, "PE 0 of 1: shmem_signal_wait_until: address 0x8 is not symmetric"),
    ("not_symmetric wait", 1, "PE 0 of 1: shmem_wait_until: address 0x8 is not symmetric"),
    ("not_symmetric wait_of_a_type", 1, "PE 0 of 1: shmem_int_wait_until: address 0x8 is not symmetric"),
    ("not_symmetric put", 1, "PE 0 of 1: shmem_long_p: address 0x8 is not symmetric"),
    ("not_symmetric get", 1, "PE 0 of 1: shmem_long_g: address 0x8 is not symmetric"),
    ("not_symmetric get_of_a_context", 1, "PE 0 of 1: shmem_ctx_getmem: address 0x8 is not symmetric"),
    ("symmetric_new mistake", 2, "PE 0 of 2: shmem_long_p: address 0x8 is not symmetric"),
    ("clears_a_lock set", 2, "PE 1 of 2: shmem_clear_lock: the lock is not this PE's: PE 0 has it, or is the last that waits"),
    ("clears_a_lock tested", 2, "PE 1 of 2: shmem_clear_lock: the lock is not this PE's: PE 0 has it, or is the last that waits"),
    ("clears_a_lock free", 2, "PE 1 of 2: shmem_clear_lock: the lock is not set"),
]


def check_named(weir, folder):
    wrong = 0
    for program, pes, text in NAMED:
        done = subprocess.run([weir, "run", "-n", str(pes), f"{folder}/shmem_program_{program.split()[0]}", *program.split()[1:]], text=True,
                              capture_output=True, check=False, timeout=60)
        if done.returncode != 1 or f"weir: {text}" not in done.stderr:
            print(f"{program}: exit status {done.returncode}, not 1; printed:\n{done.stderr}")
            wrong += 1
    return wrong


# Where the library's own variables lie between the program's (cmake/own_variables.cmake).
def check_ends(weir, folder, has_own):
    program = f"{folder}/shmem_program_beyond_variables"
    if not has_own:
        return 0
    if b"\0weir_data\0" not in pathlib.Path(program).read_bytes():
        print(f"{program}: no section weir_data")
        return 1
    wrong = 0
    for variable, checked, text in [("zero", "0", "go beyond the static data of the program"),
                                    ("zero", "1", "go beyond the static data of the program"),
                                    ("initialised", "1", "go beyond the program's variables, into those of the library")]:
        done = subprocess.run([weir, "run", "-n", "2", program, variable], text=True, capture_output=True, check=False, timeout=60,
                              env=os.environ | {"WEIR_CHECK": checked})
        if done.returncode != 1 or "PE 0 of 2: shmem_putmem: 552 bytes at 0x" not in done.stderr or text not in done.stderr:
            print(f"{program} {variable}, WEIR_CHECK={checked}: exit status {done.returncode}, not 1; printed:\n{done.stderr}")
            wrong += 1
    return wrong


# What the program in Fortran is to do, its exit status, what standard error has in it.
IN_FORTRAN = [
    ("iput", 1, "the number of elements is -1: it must not be negative"),
    ("put", 1, "the number of elements is -1: it must not be negative"),
    ("broadcast", 1, "the number of elements is -1: it must not be negative"),
    ("fcollect", 1, "the number of elements is -1: it must not be negative"),
    ("sum", 1, "the number of elements is -1: it must not be negative"),
    ("ends", 6, "has ended the job with status 6"),
    ("wait", 1, "shmem_int4_wait_: address 0x8 is not symmetric"),
    ("wait_of_no_type", 1, "shmem_wait_: address 0x8 is not symmetric"),
    ("compare", 1, "shmem_wait_until_: comparison 9 is unknown"),
    ("lock_twice", 1, "shmem_set_lock_: the lock is set by this PE already: it would wait for itself"),
    ("lock_of_7", 1, "shmem_set_lock_: the lock on PE 0 holds 7, which no PE has set"),
    ("lock_has_left", 1, "shmem_set_lock_: waits for PE 0, which has left without it"),
    ("deadlock", 1, "all PEs wait, and nothing can end that: PE 0 in shmem_int4_wait_, until words_, which is 0, is != 0; "
                    "PE 1 in shmem_set_lock_, for the lock words_+0x4, which PE 0 has or gets before it"),
]


def check_fortran(weir, program):
    wrong = 0
    for what, status, text in IN_FORTRAN if os.path.exists(program) else []:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([weir, "run", "-n", "2", program, what], cwd=folder, text=True, capture_output=True, check=False,
                                  timeout=60)
            written = sorted(file.read_text() for file in pathlib.Path(folder).glob("unit.*"))
        all_is_there = what != "ends" or (written == ["unit of PE 0\n", "unit of PE 1\n"]
                                          and sorted(done.stdout.splitlines()) == ["printed by PE 0", "printed by PE 1"])
        if done.returncode != status or text not in done.stderr or not all_is_there:
            print(f"{program} {what}: exit status {done.returncode}, not {status}; written {written}, printed:\n"
                  f"{done.stdout}{done.stderr}")
            wrong += 1
    return wrong


def main():
    weir, folder, has_own = sys.argv[1:]
    wrong = check_told(weir, folder) + check_named(weir, folder) + check_ends(weir, folder, has_own == "1")
    wrong += check_fortran(weir, f"{folder}/shmem_program_in_fortran")
    for program, pes, status, lines in EXPECTED:
        command = [weir, "run", "-n", str(pes), f"{folder}/shmem_program_{program.split()[0]}", *program.split()[1:]]
        done = subprocess.run(command, text=True, capture_output=True, check=False, timeout=60)
        if done.returncode != status or sorted(done.stdout.splitlines()) != sorted(lines) or (
                program in SILENT and done.stderr):
            print(f"{' '.join(command)}: exit status {done.returncode}, not {status}; printed:\n{done.stdout}{done.stderr}")
            wrong += 1
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
