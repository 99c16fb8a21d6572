#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Wrong inputs of the command line and the environment: each is one line that names what was asked, and exit status 2.

wrong_inputs_test.py WEIR PROGRAM    PROGRAM makes a weir::Runtime, catches nothing, and prints a result

No signal, no "terminate called", no second line. The options are read from --help: a new one is tested, too.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import weir_trace

VERBS = ["topo", "stream", "run", "run seismic", "run stencil3d", "run matmul", "trace", "report", "sim", "advise", "explain", "check",
         "bench tasks", "bench tiers", *(f"bench {name}" for name in ("bddt", "prk", "shmem")), "completion", "help"]
# Words that make the rest of a command line right, so that only the option is wrong.
RIGHT = {"report": ["t.weir"], "sim": ["s.weir"], "trace": ["t.weir"], "explain": ["1"], "run": ["PROGRAM"], "check": ["PROGRAM"], "completion": ["bash"]}

NO_NUMBERS = ["", "x", "-7", "1e99", "99999999999999999999", "nan"]
TIERS = ["x", "=", "memory=", "memory=0", "memory=-1MiB", "memory=1XiB", "memory=1MiB,memory=1MiB", "hbm=1GiB",
         "file=.:1MiB", "memory=16MiB,file=no/such:8MiB", "memory=16MiB,file=/proc:8MiB", "memory=99999TiB",
         "memory=9999TiB", "memory=1MiB,file=.:99999TiB", "emulated=1MiB@0", "emulated=1MiB@2", "emulated=1MiB", ",",
         "memory=1MiB,,", "device=1MiB", "cxl", "memory=16MiB,file=text/x:8MiB"]
MACHINES = ["x", "folder", "/dev/null", "no.xml", "core", "core:0 pu:1", "core:-1", "core:99999999 pu:1",
            "pack:1 [numa] core:1 pu:1", "garbage", "empty", "text", "folder/x.xml", "core:1 pu:1 core:1", " ",
            "numa:2(memory=0) core:1 pu:1", "crashes.xml"]
TRACES = ["folder", "no/such.weir", "text/x.weir", "/proc/x.weir", "n" * 300, "/dev/full", "no/such.json", "no/such.otf2"]
# A program without islands makes no memory for them, so that any name of a file is right.
VALUES = {"tiers": TIERS, "machine": MACHINES, "trace": TRACES, "checkpoint": ["no/such", "text/x", "text", "/proc/x"], "restart": ["no/such", "folder", "text"], "island-segment": [], "island-nodes": ["nosuch", "0,", "-1", "1024", "0 1"]}

# Words, the exit status, and what the line names beside.
TABLE = [
    ("", 2, "no verb given"),
    ("tpoo", 2, "did you mean topo?"),
    ("help tpoo", 2, "did you mean topo?"),
    ("help topo x", 2, "unknown verb topo x"),
    ("run --nosuch 1 PROGRAM", 2, "--nosuch"),
    ("--nosuch topo", 2, "--nosuch"),
    ("--json", 2, "--json needs a verb"),
    ("topo extra", 2, "extra"),
    ("topo --workers 2", 2, "--workers is an option of"),
    ("topo --measure --input core:1", 2, "--input and --measure exclude each other"),
    ("topo --input folder", 2, "machine file folder: cannot be read: it is a folder"),
    ("topo --input /dev/null", 2, "machine file /dev/null: it is a device"),
    ("topo --input empty", 2, "machine file empty: it is empty"),
    ("topo --input garbage", 2, "machine file garbage: not an XML file"),
    ("topo --input crashes.xml", 2, "machine file crashes.xml: it is damaged"),
    ("topo --input no.xml", 2, "no.xml: cannot be read: No such file"),
    ("topo --input nosuch", 2, "nor is there a file nosuch"),
    ("stream --array -5MB", 2, "--array=-5MB: a size is above 0"),
    ("stream --array 0", 2, "--array=0: a size is above 0"),
    ("stream --array 5XB", 2, "--array=5XB: unknown unit"),
    ("stream --array nan", 2, "--array=nan"),
    ("stream --array 99999999999999999999", 2, "1 PB at most"),
    ("stream --array 1e30GB", 2, "1 PB at most"),
    ("stream --array 2000TB", 2, "1 PB at most"),
    ("stream --memory nosuch", 2, "--memory=nosuch"),
    ("stream --domain 7777", 2, "--domain=7777"),
    ("stream --domain , --loops copy", 2, "--domain=,: a list needs a value before and behind each comma"),
    ("report", 2, "report needs a FILE (the trace, or those of a job's PEs or ranks)"),
    ("explain", 2, "explain needs a PID"),
    ("explain 999999999", 1, "no process 999999999"),
    ("check", 2, "check needs a PROGRAM"),
    ("completion", 2, "completion needs a SHELL"),
    ("completion ksh", 2, "shell=ksh"),
    ("report folder", 2, "folder: cannot be read: it is a folder"),
    ("report nosuch", 1, "nosuch: cannot be read: No such file"),
    ("report empty", 2, "empty: not a trace of Weir (it is empty)"),
    ("report garbage", 2, "garbage: not a trace of Weir"),
    ("report text", 2, "text: not a trace of Weir"),
    ("report other.json", 2, "other.json: JSON is what weir trace makes of a trace, and cannot be read back"),
    ("report loop", 1, "loop: cannot be read"),
    ("report /dev/zero", 2, "/dev/zero: cannot be read: it is a device"),
    ("report damaged.weir", 2, "damaged.weir: damaged at byte "),
    ("report t.weir --html folder", 1, "folder: cannot be written"),
    ("report t.weir --html no/such.html", 1, "no/such.html: cannot be written"),
    ("report t.weir --runtime 7", 2, "--runtime 7"),
    ("sim", 2, "sim needs a FILE (the trace)"),
    ("sim nosuch", 1, "nosuch: cannot be read: No such file"),
    ("sim garbage", 2, "garbage: not a trace of Weir"),
    ("sim damaged.weir", 2, "damaged.weir: damaged at byte "),
    ("sim t.weir", 2, "t.weir: cannot be simulated: its tasks name "),
    ("sim cut.weir", 2, "cut.weir: cannot be simulated: it ends before its run does"),
    ("sim s.weir --workers 0", 2, "--workers"),
    ("sim s.weir --workers -1", 2, "--workers"),
    ("sim s.weir --workers 65536", 2, "--workers=65536: allowed is 1 to 1024"),
    ("sim s.weir --strategy best", 2, "--strategy"),
    ("sim s.weir --machine knl", 2, "or one of these names: knl-snc4-flat"),
    ("sim s.weir --machine pu:2", 2, "the bandwidth of its memory is not known"),
    ("sim s.weir --machine knl-quad-flat --tiers hbm=64GiB", 2, "hbm"),
    ("sim s.weir --machine knl-quad-flat --tiers hbm=1GiB,file=.:1GiB", 2, "give --file-gb-per-s"),
    ("sim s.weir --machine knl-quad-flat --tiers hbm=4KiB --bound", 2, "has no place in any tier"),
    ("sim s.weir --runtime 7", 2, "--runtime 7"),
    ("advise nosuch", 2, "nosuch: cannot be run"),
    ("advise text", 2, "did you mean ./text?"),
    ("advise false", 1, "false: it failed with exit status 1; there is nothing to advise by"),
    ("advise --trace nosuch", 1, "nosuch: cannot be read: No such file"),
    ("advise --trace garbage", 2, "garbage: not a trace of Weir"),
    ("advise --trace damaged.weir", 2, "damaged.weir: damaged at byte "),
    ("advise --trace cut.weir", 2, "cut.weir: cannot be simulated: it ends before its run does"),
    ("advise --trace s.weir true", 2, "a program or --trace FILE, not both"),
    ("advise --trace s.weir --machine knl", 2, "or one of these names: knl-snc4-flat"),
    ("advise --trace s.weir --traced-machine knl", 2, "or one of these names: knl-snc4-flat"),
    ("advise --trace s.weir --machine knl-quad-flat --tiers hbm=64GiB", 2, "no setting can be run: tier hbm: asked for 64 GiB"),
    ("advise --machine knl", 2, "or one of these names: knl-snc4-flat"),
    ("advise --traced-machine laptop true", 2, "--traced-machine is for --trace FILE"),
    ("advise --try", 2, "--try runs a program: name it"),
    ("advise --try --machine laptop true", 2, "--try runs on this machine"),
    ("advise --strategy best true", 2, "--strategy"),
    ("advise --workers 2", 2, "options of the runtime are for a program"),
    ("advise --rounds 0 --try true", 2, "--rounds"),
    ("trace", 2, "trace needs a FILE (the trace, or those of a job's PEs or ranks)"),
    ("trace nosuch", 1, "nosuch: cannot be read: No such file"),
    ("trace damaged.weir --to t.json", 2, "damaged.weir: damaged at byte "),
    ("trace t.weir --to t.txt", 2, "--to t.txt: a name that ends in .json or .otf2"),
    ("trace t.weir --to no/such.json", 1, "no/such.json: cannot be written"),
    ("run --trace no/such.json seismic", 2, "no/such.json: cannot be written"),
    ("run", 2, "run needs a program"),
    ("run nosuch", 2, "nosuch: cannot be run"),
    ("run sesmic", 2, "did you mean seismic?"),
    ("run folder", 2, "it is a folder"),
    ("run text", 2, "did you mean ./text?"),
    ("run ./text", 2, "./text: cannot be run"),
    ("run --report true", 1, "has made no runtime"),
    ("run --trace folder seismic", 2, "folder"),
    ("run -n", 2, "--ranks needs a value"),
    ("run -n 0 true", 2, "--ranks=0: allowed is 1 to 4096"),
    ("run -n 4097 true", 2, "--ranks=4097: allowed is 1 to 4096"),
    ("run -n two true", 2, "--ranks=two"),
    ("run -n 2", 2, "run needs a program"),
    ("run -n 2 seismic", 2, "-n is an option of run"),
    ("run -n 2 nosuch", 2, "nosuch: cannot be run"),
    ("run -n 2 text", 2, "did you mean ./text?"),
    ("run -n 2 --bind-ranks sockets true", 2, "--bind-ranks=sockets: allowed is cores, domains or none"),
    ("run --label true", 2, "--label is for ranks: say how many"),
    ("run --bind-ranks none true", 2, "--bind-ranks is for ranks"),
    ("run --show-binding true", 2, "--show-binding is for ranks"),
    ("run --hosts hosts true", 2, "--hosts is for ranks: say how many, as in weir run -n 4 --hosts FILE"),
    ("run -n 2 --report true", 1, "--report: true has made no PE"),
    ("run -n 2 --html nosuch/p.html PROGRAM", 1, "nosuch"),
    ("run -n 2 --trace t.otf2 PROGRAM", 2, "--trace t.otf2: with -n each rank has a trace of its own, of which together only JSON"),
    ("run -n 2 --trace t.json true", 1, "--trace: true has made no PE"),
    ("run -n 2 --hosts nosuch true", 2, "host file nosuch: cannot be read: No such file"),
    ("run -n 2 --hosts folder true", 2, "host file folder: cannot be read: it is a folder"),
    ("run -n 2 --hosts empty true", 2, "empty: names no host"),
    ("run -n 2 --hosts hosts true", 2, "hosts:3: host c has 0 slots: allowed is 1 to 65536"),
    ("run -n 2 --hosts hosts --trace t.weir true", 2, "hosts:3: host c has 0 slots"),
    ("run -n 2 --hosts hosts --trace no/such.weir true", 2, "no/such.weir: cannot be written"),
    ("run -n 2 --hosts hosts --show-binding true", 2, "--show-binding: not with --hosts"),
    ("run -n 2 --hosts hosts --json true", 2, "--json: with --hosts only together with --trace or --report"),
    ("run matmul --size 1", 2, "--size 1x1 with --ratio"),
    ("run seismic --size 0", 2, "--size"),
    ("run seismic --paper --size 64", 2, "exclude each other"),
    ("check nosuch", 2, "nosuch"),
    ("check true", 2, "nothing was checked"),
    ("check false", 2, "and ended with status 1"),
    ("bench", 2, "bench needs more"),
    ("-", 2, "-"),
]

# By a shell: {weir} and {program} are put in. What they say, and the exit status.
SHELL = [
    ("{weir} topo >&-", 1, "standard output cannot be written to"),
    ("{weir} report t.weir >&- <&-", 1, "standard output cannot be written to"),
    ("{weir} help >/dev/full", 1, "standard output cannot be written to"),
    ("{weir} --version >&- 2>&- <&-", 1, None),
    ("{weir} nosuch >&- 2>&-", 2, None),
    ("{weir} report nosuch 2>&- <&-", 1, None),
    ("{weir} report t.weir --html page.html >&- 2>&-; status=$?; head -c 9 page.html >&3; exit $status", 1, "<!doctype"),
    ("ulimit -n 10; {weir} run nosuch", 2, "nosuch"),
    ("ulimit -n 40; {weir} run -n 6 true", 2, "6 ranks need 42 descriptors, and 40 are allowed"),
    ("mkdir -p gone; cd gone; rmdir ../gone; {weir} run --trace t.json {program}", 2, "t.json: cannot be written"),
    ("trap '' XFSZ; ulimit -f 1; {weir} run --trace short.weir {program}", 1, "short.weir: not whole; short.weir.part has"),
    ("trap '' XFSZ; ulimit -f 1; {weir} run --report {program}", 1, "--report: made of a trace that is not whole: /"),
    ("trap '' XFSZ; ulimit -f 1; {weir} run -n 1 --report {program}", 1, "--report: made of a trace that is not whole: /"),
    ("{weir} run --trace short.json sh -c 'cp cut.weir \"$WEIR_TRACE.part\"'", 1, "trace short.json: not whole: its folder had no room for more"),
    ("(ulimit -f 0; WEIR_TRACE=none.weir {program}); status=$?; test ! -e none.weir.part && exit $status", 2,
     "none.weir: cannot be written: File too large"),
    ("unset HOME PATH; {weir} run nosuch", 2, "nosuch"),
    ("PATH=gone {weir} run -n 2 --hosts host true", 2, "neither mpirun nor mpiexec on PATH"),
    ("WEIR_MPIRUN=/bin/false {weir} run -n 2 --hosts host true", 2, "false exited with status 1"),
    ("WEIR_MPIRUN=/bin/echo {weir} run -n 2 --hosts host true", 2, "/bin/echo is of neither Open MPI nor MPICH"),
    ("HWLOC_XMLFILE=no/such.xml {weir} topo", 2, "machine file no/such.xml: cannot be read"),
    ("HWLOC_SYNTHETIC='core:2 pu:1' {weir} run -n 2 --bind-ranks cores true", 2, "--bind-ranks cores: "),
    ("LC_ALL=xx_YY.bogus COLUMNS=-5 TERM= {weir} nosuch", 2, "nosuch"),
]

failures = []


def make_files(folder, traces):
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    (folder / "text").write_text("hello\n")
    (folder / "hosts").write_text("a slots=2\nb\nc:0\n")
    (folder / "host").write_text("localhost\n")
    (folder / "other.json").write_text('{"traceEvents": [{"ph": "X", "name": "of another program"}]}')
    (folder / "garbage").write_bytes(bytes((i * i + 7 * i) % 256 for i in range(3000)))
    (folder / "loop").symlink_to("loop")
    trace = weir_trace.convert(json.loads((traces / "golden" / "traces" / "tiny.json").read_text()))
    (folder / "t.weir").write_bytes(trace)
    (folder / "cut.weir").write_bytes(trace[:-200])
    simulated = (traces / "golden" / "traces" / "two_tiers.json").read_text()
    (folder / "s.weir").write_bytes(weir_trace.convert(json.loads(simulated)))
    (folder / "damaged.weir").write_bytes(trace[:700] + bytes([trace[700] ^ 4]) + trace[701:])
    xml = (traces / "machines" / "xml" / "knl_snc4_flat.xml").read_text()
    (folder / "crashes.xml").write_text(xml.replace("complete_nodeset=", "complete_nodesex=", 1))


def options_of(weir, verb):
    """Name, name of the value ("" for a flag), and whether it is one of the runtime's."""
    text = subprocess.run([weir, *verb.split(), "--help"], capture_output=True, text=True, check=True).stdout
    of_runtime = False
    for line in text.splitlines():
        of_runtime = of_runtime or line.startswith("Options of the runtime")
        if line.startswith("Examples:"):
            return
        found = re.match(r"  (?:-\w, )?(--[a-z-]+)(?: ([^ ]\S*))?(?:  .*)?$", line)
        if found and found.group(1) not in ("--help", "--version"):
            yield found.group(1), found.group(2) or "", of_runtime


def generated(weir):
    """Words, the environment, the status, and what is named."""
    for verb in VERBS:
        words, right = verb.split(), RIGHT.get(verb, [])
        yield [*words, "--nosuch", *right], {}, 2, "--nosuch"
        for name, value, of_runtime in options_of(weir, verb):
            if of_runtime and verb != "run":
                continue
            if not value:
                yield [*words, f"{name}=3", *right], {}, 2, f"{name} takes no value"
                continue
            if verb not in ("run", "check"):
                yield [*words, *right, name], {}, 2, f"{name} needs a value"
            if not of_runtime:
                yield [*words, f"{name}=", *right], {}, 2, name
            if value == "LIST" or value.endswith(",..."):
                for wrong in (",", "1,,2", ",1", "1,"):
                    yield [*words, name, wrong, *right], {}, 2, f"{name}={wrong}: a list needs a value before and behind each comma"
            numbers = NO_NUMBERS if value in ("N", "SECONDS") else []
            for number in numbers[:3] if verb.startswith("bench") else numbers:  # there, any positive number is one
                yield [*words, f"{name}={number}", *right], {}, 2, name
            if of_runtime:
                yield from of_an_option(name[2:], value)


def of_an_option(name, value):
    """The same by the command line, by the environment of `weir run`, and by that of a program alone."""
    variable = "WEIR_" + name.upper().replace("-", "_")
    values = VALUES.get(name, NO_NUMBERS if value == "N" else ["", "nosuch"])
    for wrong in values:
        shown = "" if name in VALUES else f"={wrong}"
        yield ["run", f"--{name}={wrong}", "PROGRAM"], {}, 2, shown
        yield ["run", "PROGRAM"], {variable: wrong}, 2, shown
        yield ["PROGRAM"], {variable: wrong}, 2, shown
        if name != "trace":  # checked programs are not traced
            yield ["check", "PROGRAM"], {variable: wrong}, 2, shown
    yield ["PROGRAM"], {variable + "X": "1"}, 2, f"{variable}X; did you mean {variable}?"


def run(weir, program, words, environment):
    command = [program if word == "PROGRAM" else word for word in words]
    if words[:1] != ["PROGRAM"]:
        command.insert(0, weir)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    return subprocess.run(command, env={**plain, "LC_ALL": "C", **environment}, capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL, check=False)


def judge(case, weir, program):
    words, environment, status, named = case
    try:
        result = run(weir, program, words, environment)
    except subprocess.TimeoutExpired:
        failures.append(f"{environment} {words}: runs, wanted {status} and {named!r}")
        return
    error = result.stderr.decode(errors="replace")
    good = result.returncode == status and error.startswith("weir: ") and error.count("\n") == 1 and named in error
    if not good:
        failures.append(f"{environment} {words}: status {result.returncode}, wanted {status} and {named!r}: {error!r}")


def judge_shell(case, weir, program):
    command, status, named = case
    plain = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    # What a command says on 3 is judged as what it says on standard error.
    text = "exec 3>&2; " + command.format(weir=weir, program=program)
    result = subprocess.run(["bash", "-c", text], env={**plain, "LC_ALL": "C"}, capture_output=True, timeout=60,
                            stdin=subprocess.DEVNULL, check=False)
    error = result.stderr.decode(errors="replace")
    if result.returncode != status or (named or "") not in error or (named is None and error):
        failures.append(f"{command}: status {result.returncode}, wanted {status} and {named!r}: {error!r}")


def main():
    weir, program = (os.path.abspath(argument) for argument in sys.argv[1:3])
    tests = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        make_files(pathlib.Path(folder), tests)
        os.chdir(folder)
        cases = [(words.split(), {}, status, named) for words, status, named in TABLE] + list(generated(weir))
        cases.append((["run", "two\nlines"], {}, 2, "two\\nlines"))
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            list(pool.map(lambda case: judge(case, weir, program), cases))
            list(pool.map(lambda case: judge_shell(case, weir, program), SHELL))
        cases += SHELL
        os.chdir("/")
    print(f"{len(cases)} wrong inputs, {len(failures)} not told as they should be")
    sys.exit("\n".join(failures) if failures else 0)


main()
