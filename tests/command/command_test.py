#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The command `weir` in surroundings that are not the usual ones: what its parent ignores, what its files are called,
what a signal leaves of them.

command_test.py CASE WEIR PROGRAM    PROGRAM is program.cpp; CASE a function below
"""
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}


def fail(text):
    sys.exit(f"command_test.py {sys.argv[1]}: {text}")


class Command:
    """In an empty folder, with a folder of temporary files of its own beside it."""

    def __init__(self, folder, weir, program):
        self.weir, self.program = weir, program
        self.here, self.temporary = pathlib.Path(folder) / "here", pathlib.Path(folder) / "temporary"
        self.here.mkdir()
        self.temporary.mkdir()

    def start(self, words, variables=None, **more):
        """PROGRAM among the words is the program; the command has a session, and so a group, of its own."""
        words = [self.program if word == "PROGRAM" else word for word in words]
        environment = {**ENVIRONMENT, "TMPDIR": str(self.temporary), **(variables or {})}
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen([self.weir, *words], cwd=self.here, env=environment, stdin=subprocess.DEVNULL,
                                start_new_session=True, **more)

    def run(self, words, wanted, variables=None, **more):
        """Its standard output and error; the status is that which is wanted."""
        process = self.start(words, variables, **more)
        try:
            output, error = process.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            fail(f"{words} does not end: {process.communicate()}")
        output, error = (text.decode(errors="replace") for text in (output or b"", error or b""))
        if process.returncode != wanted:
            fail(f"{words}: status {process.returncode}, wanted {wanted}: {output}{error}")
        return output, error

    def has_pages(self):
        """Built with the library that they need."""
        process = self.start(["report", "nosuch", "--html", "page.html"])
        return "node-d3" not in process.communicate()[1].decode()

    def has_otf2(self):
        """Built with the library of that format."""
        process = self.start(["run", "--trace", "x.otf2", "nosuch"])
        return "nosuch" in process.communicate()[1].decode()

    def left(self):
        """What is there: names in its folder, and in that of temporary files."""
        return sorted(file.name for folder in (self.here, self.temporary) for file in folder.iterdir())


def ignore():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def ends(command):
    """The end of a program is known also where the parent ignores those of its children."""
    command.run(["run", "PROGRAM", "exit", "3"], 3, preexec_fn=ignore)
    command.run(["run", "-n", "2", "PROGRAM", "exit", "3"], 3, preexec_fn=ignore)
    command.run(["run", "sh", "-c", "(exit 5); exit $?"], 5, preexec_fn=ignore)
    command.run(["advise", "PROGRAM", "exit", "3"], 1, preexec_fn=ignore)


def ends_checked(command):
    """The same of a program that is checked."""
    _, error = command.run(["check", "PROGRAM", "exit", "3"], 3, preexec_fn=ignore)
    if "nothing found" not in error:
        fail(f"not checked: {error}")


def names(command):
    """What would be written over, and what cannot be read again, is refused before anything is run or written."""
    trace = command.here / "t.weir"
    command.run(["run", "--trace", "t.weir", "PROGRAM"], 0)
    (command.here / "other.weir").symlink_to("t.weir")
    (command.here / "linked.weir").hardlink_to(trace)
    script = command.here / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    before, recorded = command.left(), trace.read_bytes()
    same = "is the same file as"
    for words, named in [
        (["report", "t.weir", "--html", "t.weir"], same),
        (["report", "t.weir", "--html", "./../here/t.weir"], same),
        (["report", "t.weir", "--html", "other.weir"], same),
        (["report", "t.weir", "--html", "linked.weir"], same),
        (["run", "--trace", "t.weir", "--html", "t.weir", "PROGRAM"], same),
        (["run", "--trace", "new.weir", "--html", "./new.weir", "PROGRAM"], same),
        (["run", "--trace", "new.json", "--html", "new.json", "PROGRAM"], same),
        (["run", "-n", "2", "--trace", "new.json", "--html", "new.json", "PROGRAM"], same),
        (["run", "-n", "2", "--trace", "new.weir", "--html", "new.1.weir", "PROGRAM"], same),
        (["run", "--trace", "script", "./script"], same),
        (["run", "-n", "2", "--html", "script", "./script"], same),
        (["stream", "--sweep", "threads", "--save", "new.svg", "--plot", "new.svg"], same),
        (["stream", "--save", "./t.weir", "--compare", "t.weir"], same),
        (["run", "seismic", "--trace", "new.weir", "--image", "new.weir"], same),
        *([(["run", "seismic", "--html", "new.html", "--image", "new.html"], same)] if command.has_pages() else []),
        (["run", "--report", "--trace", "pipe", "PROGRAM"], "no ordinary file"),
        (["run", "--report", "--trace", "/dev/null", "PROGRAM"], "no ordinary file"),
        (["run", "-n", "2", "--html", "new.html", "--trace", "pipe.weir", "PROGRAM"], "no ordinary file"),
    ]:
        for name in ("pipe", "pipe.1.weir") if "no ordinary file" in named else ():
            os.mkfifo(command.here / name)
        output, error = command.run(words, 2)
        if output or named not in error or error.count("\n") != 1:
            fail(f"{words}: {output}{error}")
        for name in ("pipe", "pipe.1.weir"):
            (command.here / name).unlink(missing_ok=True)
        if command.left() != before:
            fail(f"{words}: leaves {command.left()}")
        if trace.read_bytes() != recorded or script.read_text() != "#!/bin/sh\n":
            fail(f"{words}: a file is another")


def bytes_of_names(command):
    """A name that is no UTF-8 does not take the JSON with it."""
    output, _ = command.run(["run", "--json", "PROGRAM", "ok", b"\xff-name"], 0)
    array = json.loads(output)
    if array[0]["arguments"] != ["ok", "\ufffd-name"]:
        fail(f"the arguments are {array}")
    output, _ = command.run(["run", "--json", "--report", "PROGRAM", "exit", b"3\xfe"], 3)
    if len(json.loads(output)) != 2:
        fail(f"not a run and its report: {output}")


def ended_by_a_signal(command):
    """The end of a program by a signal is the command's, after its files are in order."""
    for trace in ("run.json", "run.otf2") if command.has_otf2() else ("run.json",):
        command.run(["run", "--trace", trace, "PROGRAM", "signal", "6"], -signal.SIGABRT)
        command.run(["run", "--trace", trace, "PROGRAM", "signal", "15"], -signal.SIGTERM)
        if command.left() != [trace]:
            fail(f"{trace} and {command.left()}")
        command.run(["run", "--trace", trace, "--report", "PROGRAM", "signal", "15"], -signal.SIGTERM)
        if command.left() != [trace]:
            fail(f"with a report, {trace} and {command.left()}")
        subprocess.run(["rm", "-r", command.here / trace], check=True)


def until(what):
    """Waits for it, for as long as the test may take."""
    while not what():
        time.sleep(0.002)


def children_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []


def interrupted(command):
    """Ctrl-C while something is made of traces leaves nothing of it."""
    def report(tasks):
        process = command.start(["run", "-n", "2", "--report", "PROGRAM", "long", str(tasks)])
        until(lambda: len(children_of(process.pid)) == 2 or process.poll() is not None)
        until(lambda: not children_of(process.pid))
        return process

    def convert(tasks):
        command.run(["run", "--trace", "t.weir", "PROGRAM", "long", str(tasks)], 0)
        process = command.start(["trace", "t.weir", "--to", "t.otf2"])
        until(lambda: any(".tmp" in name for name in command.left()) or process.poll() is not None)
        return process

    for begin in (report, convert) if command.has_otf2() else (report,):
        for tasks in (2000, 10000, 40000):  # more when all was done before the signal came
            process = begin(tasks)
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=100)
            if process.returncode == -signal.SIGINT:
                break
        if process.returncode != -signal.SIGINT:
            fail(f"{begin.__name__}: ended with {process.returncode}")
        left = [name for name in command.left() if not name.startswith("t.")] + [
            name for name in command.left() if ".tmp" in name or ".part" in name]
        if left:
            fail(f"{begin.__name__}: left {left}")


def reader_gone(command):
    """What is said at the end of a run finds no reader."""
    reads, writes = os.pipe()
    os.close(reads)
    command.run(["run", "--memory", "interleave", "PROGRAM"], -signal.SIGPIPE, stderr=writes)
    if command.left():
        fail(f"left {command.left()}")


def unheard(command):
    """What cannot be said on standard error changes no exit status."""
    for words, status in ((["report", "nosuch"], 1), (["explain", str(1 << 29)], 1), (["run", "./nosuch"], 2),
                          (["run", "--workers", "x", "true"], 2), (["nosuch"], 2)):
        command.run(words, status)
        with open("/dev/full", "w") as full:
            command.run(words, status, stderr=full)


def limited(command):
    """A file that may not become so large is told, and nothing of it is left; nor after the signal of a limit."""
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, resource.RLIM_INFINITY))

    command.run(["run", "--trace", "t.weir", "PROGRAM", "long", "2000"], 0)
    _, error = command.run(["trace", "t.weir", "--to", "t.json"], 1, preexec_fn=small_files)
    if "File too large" not in error or command.left() != ["t.weir"]:
        fail(f"{error} and {command.left()}")
    for number in (signal.SIGXCPU, signal.SIGALRM, signal.SIGPROF, signal.SIGPWR):
        ended(command, ["run", "--report", "PROGRAM", "sleep", "1000"], number, ["t.weir"])


def small_stack(command):
    """A trace is read with a stack that has room for little."""
    command.run(["run", "--trace", "t.weir", "PROGRAM"], 0)
    for words in (["report", "t.weir"], ["trace", "t.weir"], ["sim", "t.weir"]):
        command.run(words, 0, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 64 << 10)))


def kept_traces(command):
    """When there is no room for what is to be made of a trace, what was recorded stays, and is named."""
    def small_files(limit):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    # The program has room for what it records.
    for how, limit, kept in (("unlimited", 1 << 20, "t.json.weir"), ("leave", 64, "t.json.weir.part")):
        words = ["run", "--trace", "t.json", "PROGRAM", how, "2000"]
        _, error = command.run(words, 1, preexec_fn=small_files(limit))
        said = f"weir: t.json: cannot be written: File too large; {kept} is what was recorded"
        if said not in error or ".tmp" in error or command.left() != [kept]:
            fail(f"{error} and {command.left()}, wanted {kept}")
        command.run(["report", kept], 0)
        (command.here / kept).unlink()
    words = ["run", "-n", "2", "--trace", "t.json", "PROGRAM", "unlimited", "2000"]
    _, error = command.run(words, 1, preexec_fn=small_files(1 << 20))
    folders = list(command.temporary.iterdir())
    if len(folders) != 1 or f"t.json: cannot be written: File too large; {folders[0]}/pes.weir has the traces" not in error:
        fail(f"{error} and {command.left()}")
    command.run(["report", str(folders[0] / "pes.weir")], 0)


def refused(command):
    """What an option or a variable asks for and cannot be had is told before anything is run, with status 2."""
    command.run(["run", "--trace", "t.weir", "PROGRAM"], 0)
    nowhere = str(command.here / "nowhere")
    removed = command.here / "removed"
    removed.mkdir()
    for words, variables, named in [
        (["sim", "--traced-machine", nowhere + "/x", "t.weir"], {}, "nowhere"),
        (["advise", "--traced-machine", nowhere + "/x", "--trace", "t.weir"], {}, "nowhere"),
        (["run", "--report", "sh", "-c", "touch ran"], {"TMPDIR": nowhere}, f"{nowhere}, the folder for temporary"),
        (["run", "--islands", "1", "--checkpoint", "c", "sh", "-c", "touch ran"], {}, "--checkpoint"),
        (["run", "--islands", "1", "sh", "-c", "touch ran"], {"WEIR_CHECKPOINT": "c"}, "WEIR_CHECKPOINT"),
    ]:
        _, error = command.run(words, 2, variables)
        if named not in error or error.count("\n") != 1:
            fail(f"{words}: {error}")
    if (command.here / "ran").exists():
        fail("a program was run")
    command.run(["run", "--report", "PROGRAM"], 0, {"TMPDIR": ""})
    there = os.open(removed, os.O_RDONLY)
    removed.rmdir()
    _, error = command.run(["run", "--trace", "t.weir", "PROGRAM"], 2, preexec_fn=lambda: os.fchdir(there))
    if "its folder has been removed" not in error:
        fail(error)


def only_growing(command):
    """A trace that may only grow (chattr +a) is refused before the program runs."""
    trace = command.here / "t.weir"
    trace.touch()
    if subprocess.run(["chattr", "+a", trace], capture_output=True, check=False).returncode != 0:
        print("no such file can be made here")
        sys.exit(77)
    try:
        command.run(["run", "--trace", "t.weir", "sh", "-c", "touch ran"], 2)
        if command.left() != ["t.weir"]:
            fail(f"left {command.left()}")
    finally:
        subprocess.run(["chattr", "-a", trace], check=True)


def ended(command, words, number, left):
    """By that signal, which leaves no file that was not there before, once it has said something."""
    process = command.start(words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    process.stdout.readline()
    process.send_signal(number)
    if process.wait(timeout=100) != -number:
        fail(f"{words}, {number}: ended with {process.returncode}")
    try:
        os.killpg(process.pid, signal.SIGKILL)  # the program, which knows nothing of it
    except ProcessLookupError:
        pass
    process.communicate()
    if command.left() != left:
        fail(f"{words}, {number}: left {command.left()}")


def signalled(command):
    """Whichever signal ends weir, while a program runs and while none does: it ends so, and leaves no file."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGABRT, signal.SIGIO,
                   signal.SIGRTMIN + 3):
        ended(command, ["run", "--report", "PROGRAM", "sleep", "1000"], number, [])
    measure = ["stream", "--threads", "1", "--array", "1MB", "--repetitions", "100000", "--save", "rows.json"]
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGABRT, signal.SIGIO, signal.SIGRTMIN + 3):
        process = command.start(measure, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        until(lambda: command.left() or process.poll() is not None)
        process.send_signal(number)
        process.communicate(timeout=100)
        if process.returncode != -number or command.left():
            fail(f"{measure}, {number}: {process.returncode}, left {command.left()}")


def copies(command):
    """What another copy of Weir in the program records is kept beside the trace, by its name."""
    command.run(["run", "--trace", "t.weir", "PROGRAM"], 0)
    for second in ("2", "2.part"):
        script = f'cp t.weir "$WEIR_TRACE" && cp t.weir "$WEIR_TRACE.{second}"'
        _, error = command.run(["run", "--trace", "c.json", "sh", "-c", script], 0)
        if "what another copy of Weir in the program has recorded is in c.2.json" not in error:
            fail(error)
        if command.left() != ["c.2.json", "c.json", "t.weir"]:
            fail(f"left {command.left()}")
        if (command.here / "c.2.json").read_text() != (command.here / "c.json").read_text():
            fail("c.2.json is not what was recorded")
        (command.here / "c.2.json").unlink()
    (command.here / "far" / "sub").mkdir(parents=True)
    (command.here / "link").symlink_to("far/sub")
    command.run(["run", "--trace", "link/../t.json", "PROGRAM"], 0)
    if sorted(os.listdir(command.here / "far")) != ["sub", "t.json"]:
        fail(f"in the folder of a link {os.listdir(command.here / 'far')}")
    _, error = command.run(["run", "--report", "sh", "-c", script], 0)
    if "another one in the program has recorded, too: give --trace FILE" not in error:
        fail(error)


def advice_interrupted(command):
    """Ctrl-C in a run of weir advise ends weir, and no further run begins."""
    begun = command.here / "begun"
    for words, runs in ((["advise"], 1), (["advise", "--try"], 2), (["advise", "--try"], 3)):
        begun.write_text("")
        # One that goes on when it is asked to end, and says that all is well.
        script = f"trap '' INT; echo x >> {begun}; [ $(wc -l < {begun}) -lt {runs} ] || sleep 1"
        process = command.start([*words, "sh", "-c", script])
        until(lambda: begun.read_text().count("x") >= runs or process.poll() is not None)
        os.kill(process.pid, signal.SIGINT)
        output, error = process.communicate(timeout=100)
        if process.returncode != -signal.SIGINT or begun.read_text().count("x") != runs or output:
            fail(f"{words}: {process.returncode} after {begun.read_text()!r}: {output}{error}")


def jobs_explained(command):
    """The ranks of two jobs of one shell are told job by job."""
    script = f"{command.weir} run -n 2 {command.program} hold & {command.weir} run -n 2 {command.program} hold & wait"
    shell = subprocess.Popen(["sh", "-c", script], env=ENVIRONMENT, stdout=subprocess.PIPE, start_new_session=True)
    try:
        for _ in range(4):  # a line of each rank
            shell.stdout.readline()
        output, _ = command.run(["explain", "--json", str(shell.pid)], 0)
        ranks = [(runtime["job"], runtime["rank"]) for runtime in json.loads(output)]
        if len(set(ranks)) != 4 or [job for job, _ in ranks] != [ranks[0][0]] * 2 + [ranks[2][0]] * 2:
            fail(f"not two jobs of two ranks: {ranks}")
        output, _ = command.run(["explain", str(shell.pid)], 0)
        told = re.findall(r"^(?:job|rank \d)", output, re.MULTILINE)
        if told != ["job", "rank 0", "rank 1"] * 2:
            fail(f"not job by job: {told} in {output}")
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def program_explained(command):
    """A runtime is found by the number of the command that has started its program, too, until that has ended."""
    holds = command.start(["run", "PROGRAM", "hold"])
    try:
        holds.stdout.readline()
        output, _ = command.run(["explain", str(holds.pid)], 0)
        if f", which process {holds.pid} has started:" not in output or "no task is left" not in output:
            fail(f"no runtime is told: {output}")
        output, _ = command.run(["explain", "--json", str(holds.pid)], 0)
        if [runtime["left"] for runtime in json.loads(output)] != [0]:
            fail(f"not one runtime: {output}")
    finally:
        os.killpg(holds.pid, signal.SIGKILL)
        os.waitid(os.P_PID, holds.pid, os.WEXITED | os.WNOWAIT)
    _, error = command.run(["explain", str(holds.pid)], 1)
    if f"process {holds.pid} (weir) has ended" not in error:
        fail(f"a process that has ended: {error}")
    holds.wait()


def islands(command):
    """With --json, what the workers of islands print is on standard error, as what the program prints."""
    output, error = command.run(["run", "--islands", "2", "--json", "PROGRAM", "islands"], 0)
    if json.loads(output)[0]["status"] != 0 or error.count("begins") != 3 or "42" not in error:
        fail(f"{output}{error}")


def few_processes(command):
    """A user who may have no more processes or threads is told so, with what to do, and no program is left running."""
    if os.geteuid() != 0:
        print("only root can be held to the processes of a user that has no others")
        sys.exit(77)
    user = 1_000_000 + os.getpid()

    def start_as(most):
        os.chown(command.here, user, user)
        os.chown(command.temporary, user, user)
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))

    def processes():
        return [name for name in os.listdir("/proc") if name.isdigit() and owner(name) == user]

    def owner(name):
        try:
            return os.stat(f"/proc/{name}").st_uid
        except OSError:
            return None

    command.run(["run", "--trace", "t.weir", "PROGRAM"], 0)
    (command.here / "t.weir").rename(command.here.parent / "t.weir")
    for folder in (command.here.parent, command.here, command.temporary):
        folder.chmod(0o777)
    if subprocess.run([command.weir, "--version"], preexec_fn=lambda: start_as(9), capture_output=True,
                      check=False).returncode != 0:
        print("another user cannot run what was built here")
        sys.exit(77)
    for words, most, status in [
        (["run", "--islands", "2", "PROGRAM", "islands"], 2, 2),  # not the second worker
        (["run", "--islands", "2", "PROGRAM", "islands"], 3, 2),  # not the thread that watches them
        (["run", "--islands", "2", "PROGRAM", "islands"], 4, 2),  # not the master
        (["advise", "PROGRAM"], 1, 2),
        (["advise", "PROGRAM"], 2, 2),
    ]:
        _, error = command.run(words, status, preexec_fn=lambda most=most: start_as(most))
        if "ulimit -u" not in error or len(error.splitlines()) != 1 or processes() or command.left():
            fail(f"{words}, {most}: {error}, {processes()}, {command.left()}")
    for most in (1, 2):  # without a thread more, and with one
        output, error = command.run(["advise", "--trace", "../t.weir"], 0, preexec_fn=lambda most=most: start_as(most))
        if "weir run" not in output or error:
            fail(f"advise --trace, {most}: {output}{error}")


def two_containers(command):
    """weir check in two containers that share the network and give their processes the same numbers."""
    container = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*container, "true"], capture_output=True, check=False).returncode != 0:
        print("no container can be made here")
        sys.exit(77)
    weir, command.weir = command.weir, container[0]
    checked = [*container[1:], weir, "check", "PROGRAM"]
    first = command.start([*checked, "hold"])
    try:
        first.stdout.readline()
        _, error = command.run([*checked, "exit", "0"], 0)
        if "nothing found" not in error:
            fail(f"not checked: {error}")
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()


def another_folder(command):
    """Names are of the folder that weir is in, wherever the program has gone before it made its runtime."""
    (command.here / "below").mkdir()
    for words in ([], ["-n", "2"]):
        for trace, variables in (("below/t.weir", {}), ("t.json", {"TMPDIR": "below"}), ("", {"WEIR_TRACE": "u.weir"})):
            command.run(["run", *words, *(["--trace", trace] if trace else []), "PROGRAM", "folder"], 0, variables)
        _, error = command.run(["run", *words, "--memory", "interleave", "PROGRAM", "folder"], 0, {"TMPDIR": "below"})
        if "memory of" not in error or "not known" in error:
            fail(f"--memory: {error}")
        command.run(["run", *words, "--report", "PROGRAM", "folder"], 0, {"TMPDIR": "below"})
    command.run(["run", "--checkpoint", "below", "PROGRAM", "folder"], 0)
    command.run(["run", "PROGRAM", "folder"], 0, {"WEIR_CHECKPOINT": "below"})
    left = sorted(str(file.relative_to(command.here)) for file in command.here.rglob("*"))
    wanted = ["below", "below/lock", *(f"below/t.{i}weir" for i in ("0.", "1.", "")), "t.json",
              *(f"u.{i}weir" for i in ("0.", "1.", ""))]
    if left != wanted:
        fail(f"{left}, wanted {wanted}")


def words_of_a_shell(command):
    """What weir advise says is to be run can be pasted."""
    words = ["exit", "0", "a b", "c;d", "it's", "", "plain-1.0"]
    output, _ = command.run(["advise", "--json", "PROGRAM", *words], 0)
    said = json.loads(output)[-1]["command"]
    if shlex.split(said)[-len(words):] != words or not said.endswith(" plain-1.0"):
        fail(f"not a command of these words: {said}")
    output, _ = command.run(["advise", "--json", "true", *words], 0)
    said = json.loads(output)[-1]["command"]
    if shlex.split(said)[-len(words):] != words:
        fail(f"not a command of these words: {said}")


def scripts(command):
    """A script without a first line that names its interpreter is one of a shell, as in a shell."""
    script = command.here / "script"
    script.write_text("echo told $1\nexit 4\n")
    script.chmod(0o755)
    for words in (["run"], ["run", "-n", "2"]):
        output, error = command.run([*words, "./script", "all"], 4)
        if "told all" not in output:
            fail(f"{words}: {output}{error}")


def long_folder(command):
    """The name of a file of weir may be as long as those of files are."""
    folder = command.temporary
    while len(str(folder)) < 700:
        folder = folder / ("x" * 100)
    folder.mkdir(parents=True)
    _, error = command.run(["run", "--memory", "interleave", "PROGRAM"], 0, {"TMPDIR": str(folder)})
    if "memory of" not in error or "not known" in error:
        fail(error)
    _, error = command.run(["run", "--memory", "interleave", "PROGRAM"], 2, {"TMPDIR": str(folder) + "/." * 2000})
    if "File name too long" not in error:
        fail(error)


def prepared_names(command):
    """What another has put under a name that weir could want for a temporary file stays as it is."""
    mine = command.here / "mine"
    mine.write_text("mine")
    for words, name in (("run --report", "report"), ("advise", "advise")):
        link = f'"$TMPDIR/weir-{name}-$$.weir.$$.tmp"'
        script = f'ln -s "{mine}" {link} && exec "{command.weir}" {words} "{command.program}" exit 0'
        weir, command.weir = command.weir, "sh"
        command.run(["-c", script], 0)
        command.weir = weir
        if mine.read_text() != "mine":
            fail(f"{words}: a file is another")


def hosts_file(command):
    """The list of hosts is for its mpirun alone, which reads it by a name."""
    (command.here / "hosts").write_text("localhost slots=1\n")
    log, mpirun = command.here / "log", command.here / "mpirun"
    mpirun.write_text(f"""#!/bin/sh
[ "$1" != --version ] || {{ echo "mpirun (Open MPI)"; exit; }}
echo "$(ls -l /proc/$$/fd | grep -c memfd:hosts) $(cat "$2")" >> "{log}"
shift 6
while [ "$1" = -x ] || [ "$1" = --bind-to ]; do shift 2; done
exec "$@"
""")
    mpirun.chmod(0o755)
    for trace, mpiruns in (([], 1), (["--trace", "t.weir"], 3)):  # the job, its traces, their removal
        log.write_text("")
        command.run(["run", "--hosts", "hosts", "-n", "1", *trace, "PROGRAM", "exit", "3"], 3,
                    {"WEIR_MPIRUN": str(mpirun)})
        if log.read_text() != "1 localhost slots=1\n" * mpiruns:
            fail(f"{trace}: {log.read_text()}")


def main():
    case, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](Command(folder, *(os.path.abspath(program) for program in programs)))


main()
