#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""weir run --memory with programs that know nothing of Weir, on whatever machine this is.

placing_test.py WEIR USES_MEMORY USES_MEMORY_STATIC OWN_MALLOC LIBRARY ASKS_TO_MOVE
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

WEIR, PROGRAM, STATIC, OWN_MALLOC, LIBRARY, ASKS_TO_MOVE = sys.argv[1:]
MIB = 1 << 20
WAYS = ["heap", "aligned", "grows", "threads", "forks", "execs", "loads", "statics", "maps",
        "misses", "grows-in-parts", "has-small-stacks", "is-cancelled", "aligned-oddly", "reuses"]


def expect(condition, what):
    if not condition:
        sys.exit(what)


def run(*words, env=None):
    return subprocess.run([WEIR, "run", *words], capture_output=True, text=True, timeout=100,
                          env=None if env is None else {**os.environ, **env})


def placed(*words):
    """The processes that told where their memory was, and how many did not."""
    result = run(words[0], words[1], "--json", *words[2:])
    expect(result.returncode == 0, f"{words}: {result.returncode} {result.stderr}")
    memory = json.loads(result.stdout)[0]["memory"]
    return memory["processes"], memory["silent"], result.stderr


def kind(process, name):
    return sum(process["bytes"].get(name, {}).values())


def check_programs_work():
    for words in (["--memory", "ddr"], ["--memory", "interleave"],
                  ["--memory", "interleave", "--from", "64KiB"], ["--memory", "interleave", "--from", "1MiB"]):
        result = run(*words, PROGRAM, *WAYS)
        expect(result.returncode == 0 and result.stdout == "right\n", f"{words}: {result.returncode} {result.stderr}")
        # The program, the child that it forks, and what the shell becomes.
        for name in ("uses_memory", "true"):
            expect(f"weir: memory of {name} (" in result.stderr, f"{words}: no {name}: {result.stderr}")


def check_what_was_freed_is_as_new():
    result = run("--memory", "interleave", "--from", "1MiB", PROGRAM, "reuses-what-was-changed")
    expect(result.returncode == 0 and result.stdout == "right\n", f"{result}")


def check_what_is_counted():
    (process,), silent, _ = placed("--memory", "interleave", "--from", "1MiB", PROGRAM, "heap")
    expect(silent == 0 and kind(process, "large") == 32 * MIB, f"an allocation that was freed: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "heap")
    expect(kind(process, "large") == 0 and kind(process, "heap") >= 32 * MIB, f"the heap: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "maps")
    expect(kind(process, "heap") >= 16 * MIB, f"what a program has mapped and unmapped: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "statics")
    expect(8 * MIB <= kind(process, "data") < 9 * MIB, f"static data: {process}")
    expect(0 < kind(process, "stacks") < MIB, f"stacks: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "stacks")
    expect(kind(process, "stacks") >= 6 * MIB, f"the stack of a thread that has ended: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "stacks-in-c")
    expect(kind(process, "stacks") >= 6 * MIB, f"the stack of a thread of C that has ended: {process}")
    (process,), _, _ = placed("--memory", "interleave", "--from", "1MiB", PROGRAM, "aligned-oddly")
    expect(process["refused"] == 0 and kind(process, "large") >= 3 * MIB, f"any alignment: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "maps-sparsely")
    expect(24 * MIB <= kind(process, "heap") < 26 * MIB, f"what is touched of a terabyte: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "maps-file")
    expect(kind(process, "heap") >= 24 * MIB, f"the heap of a program that had mapped a larger file: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "maps-zeros")
    expect(kind(process, "heap") < MIB, f"the page of zeros: {process}")
    (process,), _, _ = placed("--memory", "ddr", PROGRAM, "maps-to-write")
    expect(kind(process, "heap") >= 16 * MIB, f"what cannot be read: {process}")


def check_first_frees():
    """What is the first to call free() in its process."""
    for way in ("misses", "grows-in-parts", "has-small-stacks", "is-cancelled"):
        for words in (["--memory", "ddr"], ["--memory", "interleave", "--from", "64KiB"]):
            result = run(*words, PROGRAM, way)
            expect(result.returncode == 0 and result.stdout == "right\n", f"{words} {way}: {result}")


def check_handlers_end_processes():
    processes, silent, _ = placed("--memory", "ddr", PROGRAM, "ends-in-handler")
    expect(len(processes) == 21 and silent == 0, f"each child has told: {silent} of {processes}")
    (largest, *_) = processes
    expect(kind(largest, "heap") >= 256 * MIB, f"the largest: {largest}")


def check_mappings_run_out():
    result = run("--memory", "interleave", "--from", "64KiB", PROGRAM, "has-all-mappings")
    expect(result.returncode == 0 and result.stdout == "right\n", f"{result}")
    expect("1 allocations were not placed, as the kernel refused" in result.stderr, result.stderr)


def check_sandboxes():
    for words in (["--memory", "ddr"], ["--memory", "interleave", "--from", "1MiB"]):
        for way in ("works-in-a-sandbox", "works-in-a-sandbox-by-syscall"):
            result = run(*words, PROGRAM, way)
            if result.returncode == 77:
                print("no filter of system calls is allowed here: sandboxes are not tested")
                return
            expect(result.returncode == 0 and result.stdout == "right\n", f"{words} {way}: {result}")
            expect("weir: memory of uses_memory: " in result.stderr, f"{words} {way}: {result}")
    (process,), silent, _ = placed("--memory", "ddr", PROGRAM, "asks-for-a-sandbox")
    expect(silent == 0 and kind(process, "heap") >= 24 * MIB, f"after a filter that the kernel refuses: {process}")


def check_descriptors():
    for words in (["--memory", "ddr"], ["--memory", "interleave", "--from", "1MiB"]):
        result = run(*words, PROGRAM, "forks-while-it-frees")
        expect(result.returncode == 0 and result.stdout == "right\n", f"{words}: {result}")


def failures_without_moving(way):
    """Allocations that are not placed where the kernel refuses to place what does not move as well; None: no such kernel."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        open(report, "w", encoding="utf-8").close()
        words = f"from={MIB} mode=3 one=-1 nodes=0 report={report}"  # page after page on another of one node
        done = subprocess.run([ASKS_TO_MOVE, LIBRARY, PROGRAM, way], capture_output=True, text=True, check=False,
                              timeout=100, env={**os.environ, "WEIR_PLACER": words})
        if done.returncode == 77:
            return None
        expect(done.returncode == 0 and done.stdout == "right\n", f"{way}: {done}")
        with open(report, encoding="utf-8") as lines:
            return sum(int(line.split()[3]) for line in lines if line.startswith("end "))


def check_locked_memory():
    """The pages of a mapping are there at once in a program that locks all: they have to move to where they are wanted."""
    none, as_ever, locked = (failures_without_moving(way) for way in ("statics", "heap", "locks-all"))
    if None in (none, as_ever, locked):
        print("no filter of system calls, or no locked memory, can be had here: it is not tested where that goes")
        return
    expect(as_ever == none + 1, f"not placed, of memory that has no pages: {as_ever}, without any {none}")
    expect(locked == none, f"not placed, of locked memory: {locked}, without any {none}")


def check_limit_on_files():
    result = run("--memory", "ddr", PROGRAM, "limits-files")
    expect(result.returncode == 0 and result.stdout == "right\n", f"{result}")
    expect("1 of 1 processes have not told" in result.stderr and "ulimit -f" in result.stderr, result.stderr)


def check_own_allocators():
    said = "it has an allocator of its own in its file"
    result = run("--memory", "interleave", "--from", "1MiB", OWN_MALLOC)
    expect(result.returncode == 0 and result.stdout == "right\n" and said in result.stderr, f"{result}")
    result = run("--memory", "interleave", OWN_MALLOC)
    expect(result.returncode == 0 and result.stdout == "right\n" and said not in result.stderr, f"{result}")
    result = run("--memory", "interleave", "--from", "1MiB", PROGRAM, "heap")
    expect(said not in result.stderr, result.stderr)


def check_installed_with_blank():
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "a place:with all")
        for part in ("bin", "libexec/weir"):
            os.makedirs(os.path.join(prefix, part))
        own = shutil.copy(WEIR, os.path.join(prefix, "bin"))
        shutil.copy(LIBRARY, os.path.join(prefix, "libexec/weir"))
        words = [own, "run", "--memory", "ddr", PROGRAM, "heap"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
        expect(result.returncode == 0 and "weir: memory of uses_memory: 3" in result.stderr, f"{result}")
        expect("ld.so" not in result.stderr, result.stderr)
        result = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False,
                                env={**os.environ, "TMPDIR": prefix})
        expect(result.returncode != 0 and "its name has a blank or a colon" in result.stderr, f"{result}")


def check_sanitizers():
    with tempfile.TemporaryDirectory() as folder:
        for sanitizer, library in (("address", "libasan.so"), ("thread", "libtsan.so")):
            program = os.path.join(folder, sanitizer)
            made = subprocess.run(["gcc", f"-fsanitize={sanitizer}", "-x", "c", "-", "-o", program], text=True,
                                  input="int main(void) { return 0; }", stderr=subprocess.DEVNULL, check=False)
            if made.returncode != 0:
                print(f"no gcc with -fsanitize={sanitizer}: it is not tested")
                continue
            refused(["--memory", "ddr", program], f"is built with a sanitizer ({library})")


def check_clangs_sanitizers():
    clang = shutil.which("clang") or shutil.which("clang-14")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        made = clang and subprocess.run([clang, "-fsanitize=thread", "-x", "c", "-", "-o", program], text=True,
                                        input="int main(void) { return 0; }", stderr=subprocess.DEVNULL, check=False)
        if not made or made.returncode != 0:
            print("no clang with -fsanitize=thread: it is not tested")
            return
        refused(["--memory", "ddr", program], "is built with clang's ThreadSanitizer")


def check_forks_are_told_apart():
    processes, silent, _ = placed("--memory", "interleave", "--from", "1MiB", PROGRAM, "forks")
    expect(len(processes) == 2 and silent == 0, f"parent and child: {processes}")
    expect(len({process["pid"] for process in processes}) == 2, f"each by its number: {processes}")


def check_who_dies_tells_nothing():
    result = run("--memory", "ddr", PROGRAM, "dies")
    expect(result.returncode in (134, -6), f"the program's end: {result.returncode}")
    expect("1 of 1 processes have not told where their memory was" in result.stderr, result.stderr)


def check_ranks_are_told_apart():
    result = run("--memory", "interleave", "--from", "1MiB", "-n", "3", "--json", PROGRAM, "heap")
    expect(result.returncode == 0, f"ranks: {result.returncode} {result.stderr}")
    memory = json.loads(result.stdout)[0]["memory"]
    expect(len(memory) == 3, f"an element a rank: {memory}")
    for rank, of_rank in enumerate(memory):
        (process,) = of_rank["processes"]
        expect(kind(process, "large") == 32 * MIB, f"rank {rank}: {process}")
        expect(result.stderr.count(f"weir: rank {rank}: memory of uses_memory: ") == 1, f"rank {rank}: {result.stderr}")


def refused(words, *texts):
    result = run(*words)
    expect(result.returncode == 2 and result.stdout == "", f"{words}: {result.returncode} {result.stdout}")
    for text in texts:
        expect(text in result.stderr, f"{words}: no '{text}' in: {result.stderr}")


def check_refusals():
    refused(["--memory", "ddr", STATIC], "is a static program")
    refused(["--memory", "ddr", "--from", "1MiB", PROGRAM], "--from is for memory that is not the ordinary one")
    refused(["--memory", "interleave", "--from", "1KiB", PROGRAM], "--from 1KiB: a size of at least 64 KiB")
    refused(["--memory", "interleave", "--from", "64KB", PROGRAM], "--from 64KB: a size of at least 64 KiB")
    refused(["--memory", "interleave", "--from", "1M", PROGRAM], "--from 1M: unknown unit; allowed is B, KB, MB")
    refused(["--from", "1MiB", PROGRAM], "--from is for --memory")
    refused(["--memory", "interleave", "--from", "1KiB", "-n", "2", PROGRAM], "--from 1KiB: a size of at least 64 KiB")
    with tempfile.NamedTemporaryFile("w") as hosts:
        hosts.write("localhost slots=2\n")
        hosts.flush()
        refused(["--memory", "ddr", "-n", "2", "--hosts", hosts.name, PROGRAM], "--memory: not with --hosts")
    refused(["--memory", "ddr", "/no/such/program"], "cannot be run")
    topology = json.loads(subprocess.run([WEIR, "topo", "--json"], capture_output=True, text=True, check=True).stdout)
    if "hbm" not in json.dumps(topology):
        for mode in ("fast", "local-fast"):
            refused(["--memory", mode, PROGRAM, "heap"], f"--memory {mode}: this machine has no hbm memory", "ddr0 (")


def check_programs_with_other_rights():
    if os.geteuid() != 0:
        return  # nobody else's programs can be made
    with tempfile.TemporaryDirectory() as folder:
        program = shutil.copy(PROGRAM, folder)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        refused(["--memory", "ddr", program], "runs with the rights of another user (setuid)")
        os.chown(program, 0, 0)
        os.chmod(program, 0o755)
        os.chmod(folder, 0o755)
        capability = struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0)  # version 2, effective: CAP_NET_RAW
        try:
            os.setxattr(program, "security.capability", capability)
        except OSError:
            return  # the file system has no such attributes
        as_user = {"preexec_fn": lambda: os.setuid(65534), "capture_output": True, "text": True, "check": False}
        if subprocess.run([WEIR, "--version"], **as_user).returncode != 0:
            return  # another user cannot run what was built here
        for memory in (["--memory", "ddr"], ["--memkind"]):
            done = subprocess.run([WEIR, "run", *memory, program, "heap"], **as_user)
            expect(done.returncode == 2 and "has capabilities (setcap)" in done.stderr, done.stderr)


def check_scripts():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!{STATIC}\n")
        os.chmod(script, 0o755)
        refused(["--memory", "ddr", script], "is a static program")


def check_programs_that_use_weir():
    result = run("--memory", "ddr", WEIR, "topo")
    expect(result.returncode == 0 and "weir: memory of weir: " in result.stderr, result.stderr)


check_programs_work()
check_what_was_freed_is_as_new()
check_what_is_counted()
check_first_frees()
check_handlers_end_processes()
check_mappings_run_out()
check_sandboxes()
check_descriptors()
check_locked_memory()
check_limit_on_files()
check_own_allocators()
check_installed_with_blank()
check_sanitizers()
check_clangs_sanitizers()
check_ranks_are_told_apart()
check_forks_are_told_apart()
check_who_dies_tells_nothing()
check_refusals()
check_programs_with_other_rights()
check_scripts()
check_programs_that_use_weir()
