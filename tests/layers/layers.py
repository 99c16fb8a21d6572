#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds every #include under src/ to src/LAYERS, and public headers to themselves.

layers.py ROOT       prints one line per offence, and fails when there is one
layers.py --self-test

A folder of src/ includes only itself, the folders that its line in LAYERS names, and public headers. A folder policy/
includes base/, itself and the snapshot.hpp of its layer; the snapshot, which may lie in it, uses public headers too.
Public headers (include/) include no header of src/. LAYERS has a line for each folder of src/, names no folder that
does not exist, and has no cycle.
"""
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
SOURCES = {".cpp", ".hpp", ".h", ".c", ".inc", ".def"}


def read_layers(path):
    """The allowed neighbours of each layer, in the order of the file, and the offences of the file itself."""
    layers, offences = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.split("#")[0].strip()
        if not text:
            continue
        name, colon, rest = text.partition(":")
        if not colon or name in layers:
            offences.append(f"src/LAYERS:{number}: not of the form 'layer: layer ...', or said twice: {text}")
            continue
        layers[name] = set(rest.split())
    for name, allowed in layers.items():
        for other in sorted(allowed - set(layers)):
            offences.append(f"src/LAYERS: {name} may include {other}, which has no line")
    return layers, offences + [f"src/LAYERS: cycle through {' -> '.join(c)}" for c in cycles(layers)]


def cycles(layers):
    """One path per cycle."""
    found, done = [], set()

    def visit(name, path):
        if name in path:
            found.append(path[path.index(name):] + [name])
        elif name not in done:
            for other in sorted(layers.get(name, ())):
                visit(other, path + [name])
            done.add(name)

    for name in layers:
        visit(name, [])
    return found


def includes(path):
    """(line number, quoted, target) of each #include that is not in a comment's line."""
    text = path.read_text(errors="replace")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1) == '"', match.group(2)


def check_source(src, public, path, layers):
    parts = path.relative_to(src).parts
    layer, in_policy = parts[0], "policy" in parts[1:-1]
    for line, quoted, target in includes(path):
        where = f"{path.relative_to(src.parent)}:{line}"
        folder = target.split("/")[0]
        if not quoted and not (src / target).is_file():
            continue  # the system's, or a library's
        if not quoted:
            yield f"{where}: write our own headers with quotes: {target}"
        if (public / target).is_file():
            if in_policy and path.name != "snapshot.hpp":
                yield f"{where}: a policy includes base/ and its snapshot only, not {target}"
            continue
        if "/" not in target or folder not in layers:
            yield f"{where}: {target} names no layer: write it from src/ or include/ on"
        elif not (src / target).is_file():
            yield f"{where}: there is no {target}"
        elif in_policy and not (folder == "base" or target.startswith(f"{layer}/policy/")
                                or target == f"{layer}/snapshot.hpp"):
            yield f"{where}: a policy includes base/ and its snapshot only, not {target}"
        elif folder != layer and folder not in layers[layer]:
            yield f"{where}: {layer} may not include {folder} ({target})"


def check_public(public, src, path):
    for line, _, target in includes(path):
        if (src / target).is_file() and not (public / target).is_file():
            yield f"include/{path.relative_to(public)}:{line}: a public header includes src/{target}"


def check(root):
    src, public = root / "src", root / "include"
    layers, offences = read_layers(src / "LAYERS")
    folders = {p.name for p in src.iterdir() if p.is_dir()}
    offences += [f"src/{name}: has no line in src/LAYERS" for name in sorted(folders - set(layers))]
    offences += [f"src/LAYERS: {name} has no folder" for name in layers if name not in folders]
    for path in sorted(p for p in src.rglob("*") if p.suffix in SOURCES):
        if path.parent == src:
            offences.append(f"src/{path.name}: sources lie in a layer's folder")
        elif path.relative_to(src).parts[0] in layers:
            offences += check_source(src, public, path, layers)
    for path in sorted(p for p in public.rglob("*") if p.suffix in SOURCES):
        offences += check_public(public, src, path)
    return offences


GOOD = {
    "src/LAYERS": "# comment\nbase:\nsched: base\nruntime: base sched\n",
    "src/base/a.hpp": "#include <vector>\n",
    "src/sched/s.hpp": '#include "base/a.hpp"\n#include "weir/w.hpp"\n#include <hwloc.h>\n',
    "src/sched/snapshot.hpp": "",
    "src/sched/policy/p.cpp": '#include "base/a.hpp"\n#include "sched/snapshot.hpp"\n',
    "src/base/policy/snapshot.hpp": '#include "weir/w.hpp"\n',
    "src/runtime/r.cpp": '#include "sched/s.hpp"\n',
    "include/weir/w.hpp": '#include "weir/v.hpp"\n',
    "include/weir/v.hpp": "",
}

# What is changed in the good tree, and what must be said about it.
BAD = [
    ({"src/base/a.hpp": '#include "sched/s.hpp"\n'}, "base may not include sched"),
    ({"src/base/a.hpp": '  #  include   "sched/s.hpp"\n'}, "base may not include sched"),
    ({"src/base/a.hpp": "#include <sched/s.hpp>\n"}, "write our own headers with quotes"),
    ({"src/LAYERS": "base: runtime\nsched: base\nruntime: base sched\n"}, "cycle through base -> runtime -> base"),
    ({"src/LAYERS": "base:\nsched: base\n"}, "src/runtime: has no line"),
    ({"src/LAYERS": GOOD["src/LAYERS"] + "data: base\n"}, "data has no folder"),
    ({"src/LAYERS": GOOD["src/LAYERS"] + "nonsense\n"}, "src/LAYERS:5: not of the form"),
    ({"src/LAYERS": "base: deps\nsched: base\nruntime: base sched\n"}, "deps, which has no line"),
    ({"src/sched/policy/p.cpp": '#include "sched/s.hpp"\n'}, "a policy includes base/"),
    ({"src/sched/policy/p.cpp": '#include "weir/w.hpp"\n'}, "a policy includes base/"),
    ({"src/sched/policy/snapshot.hpp": '#include "sched/s.hpp"\n'}, "a policy includes base/"),
    ({"src/runtime/r.cpp": '#include "s.hpp"\n'}, "names no layer"),
    ({"src/runtime/r.cpp": '#include "sched/gone.hpp"\n'}, "there is no sched/gone.hpp"),
    ({"include/weir/w.hpp": '#include "base/a.hpp"\n'}, "a public header includes src/base/a.hpp"),
    ({"src/stray.cpp": ""}, "sources lie in a layer's folder"),
]


def check_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check(root)


def self_test():
    failures = [f"the good tree: {line}" for line in check_tree(GOOD)]
    for change, expected in BAD:
        said = check_tree({**GOOD, **change})
        if len([line for line in said if expected in line]) != 1:
            failures.append(f"{change} should give one line with '{expected}', gave {said}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        offences = self_test()
    elif len(sys.argv) == 2:
        offences = check(pathlib.Path(sys.argv[1]).resolve())
    else:
        sys.exit(__doc__)
    print("\n".join(offences) if offences else "layers: no offence")
    sys.exit(1 if offences else 0)


main()
