#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds every #include under src/ to src/LAYERS, public headers to themselves, and the files of a folder to an order.

layers.py ROOT       prints one line per offence, and fails when there is one
layers.py --self-test

A folder of src/ includes only itself, the folders that its line in LAYERS names, and public headers. A folder policy/
includes base/, itself and the snapshot.hpp of its layer; the snapshot, which may lie in it, uses public headers too.
Public headers (include/) include no header of src/. LAYERS has a line for each folder of src/, names no folder that
does not exist, and has no cycle.

A folder with lines for layers of its own (`ocr/objects: ocr/program`) has one for each folder in it, and no sources outside
of them; such an inner layer includes itself and those that its line names.

A unit is a .cpp and the .hpp of the same name. Units of one folder of src/ include one another in no circle.

The table of layers in docs/architecture.md and the list in src/README.md have a line for each folder of src/.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import checked_tree  # noqa: E402

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


def inner_layers(layers, folder):
    """The folders in it that have lines of their own; none when their order is not said."""
    return {name for name in layers if name.startswith(f"{folder}/")}


def inner_layer(parts):
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def check_inner(src, layers):
    """That each inner layer has its line, and that no source of such a folder is outside of them."""
    for folder in sorted({name.split("/")[0] for name in layers if "/" in name}):
        if not (src / folder).is_dir():
            continue
        inner = inner_layers(layers, folder)
        present = {f"{folder}/{p.name}" for p in (src / folder).iterdir() if p.is_dir()}
        for name in sorted(present - inner):
            yield f"src/{name}: has no line in src/LAYERS, as the other layers of {folder} have"
        for path in sorted(p for p in (src / folder).iterdir() if p.suffix in SOURCES):
            yield f"src/{folder}/{path.name}: sources of {folder} lie in its layers"


def unit_of(name):
    return name.rsplit(".", 1)[0]


def units_of(src, folder):
    """The units of a folder, each with those of the same folder that it includes."""
    units = {}
    for path in sorted(p for p in (src / folder).rglob("*") if p.suffix in SOURCES):
        name = str(path.relative_to(src))
        own = units.setdefault(unit_of(name), set())
        for _, _, target in includes(path):
            if target.startswith(f"{folder}/") and (src / target).is_file() and unit_of(target) != unit_of(name):
                own.add(unit_of(target))
    return units


def circles(units):
    """Sets of units that reach one another, by Tarjan's algorithm."""
    order, low, stack, found = {}, {}, [], []

    def visit(unit):
        order[unit] = low[unit] = len(order)
        stack.append(unit)
        for other in sorted(units[unit]):
            if other not in order:
                visit(other)
            if other in stack:
                low[unit] = min(low[unit], low[other])
        if low[unit] == order[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for unit in units:
        if unit not in order:
            visit(unit)
    return found


def check_circles(src, folder):
    for circle in circles(units_of(src, folder)):
        yield f"src/{folder}: units include one another in a circle: {' '.join(circle)}"


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
        elif folder == layer and inner_layers(layers, layer):
            here, there = inner_layer(parts), inner_layer(target.split("/"))
            if here != there and there not in layers.get(here, ()):
                yield f"{where}: {here} may not include {there} ({target})"


def check_public(public, src, path):
    for line, _, target in includes(path):
        if (src / target).is_file() and not (public / target).is_file():
            yield f"include/{path.relative_to(public)}:{line}: a public header includes src/{target}"


def check_pages(root, folders):
    """That the pages which show all layers show each."""
    for page, line in (("docs/architecture.md", "| `src/{}` |"), ("src/README.md", "{} ")):
        lines = (root / page).read_text().splitlines()
        for name in sorted(folders):
            if not any(each.startswith(line.format(name)) for each in lines):
                yield f"{page}: has no line for src/{name}"


def check(root):
    src, public = root / "src", root / "include"
    layers, offences = read_layers(src / "LAYERS")
    folders = {p.name for p in src.iterdir() if p.is_dir()}
    offences += [f"src/{name}: has no line in src/LAYERS" for name in sorted(folders - set(layers))]
    offences += [f"src/LAYERS: {name} has no folder" for name in layers if not (src / name).is_dir()]
    offences += check_pages(root, folders)
    offences += check_inner(src, layers)
    for folder in sorted(folders):
        offences += check_circles(src, folder)
    for path in sorted(p for p in src.rglob("*") if p.suffix in SOURCES):
        if path.parent == src:
            offences.append(f"src/{path.name}: sources lie in a layer's folder")
        elif path.relative_to(src).parts[0] in layers:
            offences += check_source(src, public, path, layers)
    for path in sorted(p for p in public.rglob("*") if p.suffix in SOURCES):
        offences += check_public(public, src, path)
    return offences


GOOD = {
    "src/LAYERS": "# comment\nbase:\nsched: base\nruntime: base sched\n"
                  "ocr: base\nocr/low:\nocr/high: ocr/low\n",
    "src/base/a.hpp": "#include <vector>\n",
    "src/sched/s.hpp": '#include "base/a.hpp"\n#include "weir/w.hpp"\n#include <hwloc.h>\n',
    "src/sched/snapshot.hpp": "",
    "src/sched/policy/p.cpp": '#include "base/a.hpp"\n#include "sched/snapshot.hpp"\n',
    "src/base/policy/snapshot.hpp": '#include "weir/w.hpp"\n',
    "src/runtime/r.cpp": '#include "sched/s.hpp"\n',
    "src/runtime/one.hpp": '#include "runtime/two.hpp"\n',
    "src/runtime/two.hpp": "",
    "src/runtime/two.cpp": '#include "runtime/two.hpp"\n#include "runtime/three.hpp"\n',
    "src/runtime/three.hpp": "",
    "src/ocr/low/l.hpp": "",
    "src/ocr/high/h.cpp": '#include "ocr/low/l.hpp"\n#include "ocr/high/h.hpp"\n',
    "src/ocr/high/h.hpp": "",
    "include/weir/w.hpp": '#include "weir/v.hpp"\n',
    "include/weir/v.hpp": "",
    "src/README.md": "ocr      the C API\nruntime  start-up\nsched    workers\nbase     ids\n",
    "docs/architecture.md": "| `src/base` | ids |\n| `src/sched` | workers |\n| `src/runtime` | start-up |\n| `src/ocr` | the C API |\n",
}

# What is changed in the good tree, and what must be said about it.
BAD = [
    ({"src/base/a.hpp": '#include "sched/s.hpp"\n'}, "base may not include sched"),
    ({"src/base/a.hpp": '  #  include   "sched/s.hpp"\n'}, "base may not include sched"),
    ({"src/base/a.hpp": "#include <sched/s.hpp>\n"}, "write our own headers with quotes"),
    ({"src/LAYERS": "base: runtime\nsched: base\nruntime: base sched\n"}, "cycle through base -> runtime -> base"),
    ({"src/LAYERS": "base:\nsched: base\n"}, "src/runtime: has no line"),
    ({"src/LAYERS": GOOD["src/LAYERS"] + "data: base\n"}, "data has no folder"),
    ({"src/LAYERS": GOOD["src/LAYERS"] + "nonsense\n"}, "src/LAYERS:8: not of the form"),
    ({"src/LAYERS": "base: deps\nsched: base\nruntime: base sched\n"}, "deps, which has no line"),
    ({"src/sched/policy/p.cpp": '#include "sched/s.hpp"\n'}, "a policy includes base/"),
    ({"src/sched/policy/p.cpp": '#include "weir/w.hpp"\n'}, "a policy includes base/"),
    ({"src/sched/policy/snapshot.hpp": '#include "sched/s.hpp"\n'}, "a policy includes base/"),
    ({"src/runtime/r.cpp": '#include "s.hpp"\n'}, "names no layer"),
    ({"src/runtime/r.cpp": '#include "sched/gone.hpp"\n'}, "there is no sched/gone.hpp"),
    ({"include/weir/w.hpp": '#include "base/a.hpp"\n'}, "a public header includes src/base/a.hpp"),
    ({"src/stray.cpp": ""}, "sources lie in a layer's folder"),
    ({"src/ocr/low/l.hpp": '#include "ocr/high/h.hpp"\n'}, "ocr/low may not include ocr/high"),
    ({"src/ocr/stray.cpp": ""}, "sources of ocr lie in its layers"),
    ({"src/ocr/attic/a.cpp": ""}, "src/ocr/attic: has no line"),
    ({"src/LAYERS": GOOD["src/LAYERS"] + "ocr/cellar:\n"}, "ocr/cellar has no folder"),
    ({"src/LAYERS": GOOD["src/LAYERS"].replace("ocr/low:", "ocr/low: ocr/high")}, "cycle through ocr/low"),
    # Two headers, a .cpp and another's header, and three units around.
    ({"src/runtime/two.hpp": '#include "runtime/one.hpp"\n'}, "in a circle: runtime/one runtime/two"),
    ({"src/runtime/three.cpp": '#include "runtime/two.hpp"\n'}, "in a circle: runtime/three runtime/two"),
    ({"src/runtime/three.cpp": '#include "runtime/one.hpp"\n'}, "circle: runtime/one runtime/three runtime/two"),
    ({"src/README.md": "ocr      the C API\nscheduler  not sched\nruntime  start-up\nbase     ids\n"}, "src/README.md: has no line for src/sched"),
    ({"docs/architecture.md": "| `src/base` | ids |\n| `src/sched` | workers |\n| `src/ocr` | see `src/runtime` |\n"},
     "docs/architecture.md: has no line for src/runtime"),
]


def check_tree(files):
    return checked_tree.in_tree(files, check)


def self_test():
    failures = [f"the good tree: {line}" for line in check_tree(GOOD)]
    for change, expected in BAD:
        said = check_tree({**GOOD, **change})
        if len([line for line in said if expected in line]) != 1:
            failures.append(f"{change} should give one line with '{expected}', gave {said}")
    return failures


checked_tree.main("layers", __doc__, check, self_test)
