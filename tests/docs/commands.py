#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds the commands that a document names to the programs: commands.py ROOT BUILD DOCUMENT...

A command is a line of a fenced block, or code in a line that begins as one. Of `weir`, the help of the verb must have each
option; of a micro-benchmark, each alternative of the filter must match a benchmark, and its other options be known; of a
runner of `weir bench tasks`, the benchmark must be one; a Python script must be there, and so must its options; a program that
`weir run` or `mpirun` starts as ranks must be there, and know its options; `make` must have the target. Nothing is measured.
"""
import pathlib
import re
import shlex
import subprocess
import sys

FENCED = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:weir|python3|make|(?:\S*/)?\w+_bench|weir-bench-\w+)\s[^`]+)`")
OPTION = re.compile(r"^(--[\w-]+)(?:=(.*))?$", re.DOTALL)
PREFIX = "build/release/"


def commands_of(text):
    """(line, command) of all commands."""
    for block in FENCED.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        for number, line in enumerate(block.group(1).splitlines(), first):
            if line.strip():
                yield number, line.strip()
    prose = FENCED.sub(lambda block: "\n" * block.group().count("\n"), text)
    for match in INLINE.finditer(prose):
        yield prose.count("\n", 0, match.start()) + 1, " ".join(match.group(1).split())


class Programs:
    """What is built, and what was asked of it before."""

    def __init__(self, root, build):
        self.root, self.build, self.said = root, build, {}

    def ask(self, *command):
        if command not in self.said:
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.said[command] = done.returncode, done.stdout + done.stderr
            except OSError as error:
                self.said[command] = 127, str(error)
        return self.said[command]

    def help_of(self, *words):
        status, text = self.ask(str(self.build / "tools/weir/weir"), *words, "--help")
        return text if status == 0 else None

    def offences(self, command):
        words = shlex.split(command, comments=True)
        if words[:2] == ["chrt", "-r"]:  # at a real-time priority, which follows
            words = words[3:]
        name = words[0].rsplit("/", 1)[-1]
        program = next((i for i, word in enumerate(words) if i > 0 and word.startswith(PREFIX)), None)
        if program is not None and (name == "mpirun" or words[:2] == ["weir", "run"]):
            starter = [] if name == "mpirun" else self.of_weir(words[1:program])
            return starter + self.of_ranks(words[program], words[program + 1:])
        if name == "weir":
            return self.of_weir(words[1:])
        if name.startswith("weir-bench-"):
            return self.of_runner(name, words[1:])
        if name.endswith("_bench"):
            return self.of_micro_bench(name, words[1:])
        if name.endswith("_cost"):
            return self.of_usage(name, words[1:])
        if name == "python3":
            return self.of_script(words[1], words[2:])
        if name == "make":
            return self.of_make([word for word in words[1:] if "=" not in word])
        return [f"of {name} nothing is known here"]

    def of_weir(self, words):
        verb = []
        while words and not words[0].startswith("-"):
            verb.append(words.pop(0))
        text = self.help_of(*verb)
        usage = f"weir {' '.join(verb)}"
        if text is None or not re.search(rf"^\s*{re.escape(usage)}\b", text, re.MULTILINE):
            return [f"there is no verb `{usage}`"]
        named = (OPTION.match(word) for word in words if word.startswith("--"))
        return [f"`{usage}` has no option {option[1]}" for option in named
                if not re.search(rf"^\s+(?:-\w, )?{option[1]}\b(?!-)", text, re.MULTILINE)]

    def of_runner(self, name, words):
        if not (self.build / "bench/tasks" / name).is_file():
            return [f"there is no program {name} in {self.build}/bench/tasks"]
        known = re.findall(r"[\w]+", self.help_of("bench", "tasks") or "")
        bench = re.sub(r"^(metg|small)_(.*?)(_fresh)?$", r"\2", words[0])
        return [] if bench in known else [f"{name} has no benchmark {words[0]}"]

    def of_micro_bench(self, name, words):
        program = self.build / "bench/micro" / name
        if not program.is_file():
            return [f"there is no program {program}"]
        filters = [OPTION.match(word)[2] or "" for word in words if word.startswith("--benchmark_filter")]
        others = [word for word in words if not word.startswith("--benchmark_filter")]
        found = []
        for part in (filters[0] if filters else ".").split("|"):
            status, text = self.ask(str(program), "--benchmark_list_tests", f"--benchmark_filter={part}", *others)
            if status != 0:
                found.append(f"{name} refuses {' '.join(others)}: {text.strip().splitlines()[0]}")
            elif not text.strip() or "Failed to match" in text:
                found.append(f"{name}: no benchmark matches '{part}'")
        return found

    def of_usage(self, name, words):
        """Of a program of bench/micro without options, which says its usage when it is given nothing."""
        program = self.build / "bench/micro" / name
        if not program.is_file():
            return [f"there is no program {program}"]
        usage = re.search(rf"^usage: {name} (.*)$", self.ask(str(program))[1], re.MULTILINE)
        most = len(usage[1].split()) if usage else 0
        return [] if 0 < len(words) <= most else [f"{name} takes 1 to {most} words, and not {' '.join(words)}"]

    def of_ranks(self, program, words):
        path = self.build / program.removeprefix(PREFIX)
        if not path.is_file():
            return [f"there is no program {path}"]
        status, text = self.ask(str(path), "--help")
        return [f"{program} has no option {word}" for word in words
                if word.startswith("--") and (status != 0 or not re.search(rf"{re.escape(word)}\b", text))]

    def of_script(self, script, words):
        path = self.root / script
        if not path.is_file():
            return [f"there is no script {script}"]
        text = path.read_text()
        found = [f"{script} has no option {word}" for word in words if word.startswith("--") and word not in text]
        for word in words:
            if word.startswith(PREFIX) and not (self.build / word.removeprefix(PREFIX)).exists():
                found.append(f"there is no {word}")
        return found

    def of_make(self, targets):
        makefile = (self.root / "Makefile").read_text()
        return [f"make has no target {target}" for target in targets
                if not re.search(rf"^{re.escape(target)}:.*##", makefile, re.MULTILINE)]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    programs = Programs(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    count, offences = 0, []
    for document in sys.argv[3:]:
        for line, command in commands_of(pathlib.Path(document).read_text()):
            count += 1
            offences += [f"{document}:{line}: {what}" for what in programs.offences(command)]
    print("\n".join(offences) if offences else f"{count} commands, no offence")
    sys.exit(1 if offences or not count else 0)


if __name__ == "__main__":
    main()
