#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Compiles public headers alone.

headers.py alone COMPILER INCLUDE_DIR         each header is complete in itself, in C++20, without a warning
headers.py together COMPILER INCLUDE_DIR      all headers in one file, in C++20, without a warning, with a size that the
                                              program defines; without exceptions one says what is wrong, and with
                                              containers of another layout the linker will
headers.py ocr   COMPILER INCLUDE_DIR         those of OCR are, and their macros, in C and C++ of a standard's letter
headers.py ocr_together COMPILER INCLUDE_DIR  all of OCR in one file, and their macros, in the same standards
headers.py misuse COMPILER INCLUDE_DIR        what must not compile does not, and the compiler says what to write instead
"""
import pathlib
import re
import subprocess
import sys

FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
OTHERS = ["mpi.hpp"]  # it uses the headers of an MPI; tests/multi/mpi compiles it with each that is there
OCR_STANDARDS = ["c99", "c11", "c++98", "c++11", "c++20"]
OCR_EXTENSIONS = ["AFFINITY", "CHANNEL_EVT", "COLLECTIVE_EVT", "COUNTED_EVT", "DB_INFO", "LABELING", "LEGACY",
                  "MULTI_OUTPUT_SLOT", "PARAMS_EVT", "PAUSE", "RTITF"]
OCR_MACROS = """
#define OCR_ASSERT
#include "ocr.h"
void verify(int value);
void verify(int value) {
  VERIFY(value == 1, "only a format\\n");
  VERIFY(value, "a number %d\\n", value)
  ocrAssert(value != 2);
  ASSERT(value != 3);
}
"""


def compile_text(compiler, include, text, standard="c++20", more=()):
    language = "c++" if "+" in standard else "c"
    command = [compiler, f"-std={standard}", *FLAGS, *more, f"-I{include}", "-x", language, "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True)


def headers_in(include):
    return sorted(h for h in pathlib.Path(include).rglob("*.hpp") if h.name not in OTHERS)


GIVES_CONTAINERS = """
#include "weir/island.hpp"
#include "weir/weir.hpp"
weir::TierStatistics of_tiers(weir::Runtime& runtime) { return runtime.tier_statistics(); }
weir::island::Statistics of_island(weir::island::Master& master) { return master.statistics(); }
"""


def named_by_layout(compiler, include):
    """Functions of the library that give containers have another name where these have another layout."""
    command = [compiler, "-std=c++20", f"-I{include}", "-S", "-o", "-", "-x", "c++", "-"]
    names = [len(set(re.findall(r"\w*B34of_a_Weir_built_with_GLIBCXX_DEBUG\w*", subprocess.run(
        [*command, *mode], input=GIVES_CONTAINERS, text=True, capture_output=True, check=True).stdout)))
        for mode in [[], ["-D_GLIBCXX_DEBUG"]]]
    return names[0] == 0 and names[1] >= 4  # the two functions of the library, and those here


def together(compiler, include):
    headers = headers_in(include)
    text = "".join(f'#include "{h.relative_to(include)}"\n' for h in headers)
    result = compile_text(compiler, include, text, more=["-DN=1024"])
    print(f"{len(headers)} headers in one file, with {compiler}\n{result.stderr}")
    without = compile_text(compiler, include, '#include "weir/error.hpp"\n', more=["-fno-exceptions"])
    says = "compile without -fno-exceptions" in without.stderr
    if not says:
        print(f"compiled without exceptions, nothing says what is wrong:\n{without.stderr}")
    tells = named_by_layout(compiler, include)
    if not tells:
        print("compiled with _GLIBCXX_DEBUG, the linker would not refuse a library without")
    return 1 if result.returncode != 0 or not headers or not says or not tells else 0


def rows_of(headers, include):
    """The headers in rows, each after one that it includes. Such a header is complete in itself where it compiles at the end
    of its row: what stands before it is what it includes."""
    direct = {str(h.relative_to(include)): re.findall(r'^#include "(.*?)"', h.read_text(), re.M) for h in headers}

    def below(header):
        return {header}.union(*(below(each) for each in direct[header] if each in direct))

    rows = []
    for header in sorted(direct, key=lambda name: (len(below(name)), name)):
        row = max((row for row in rows if row[-1] in below(header)), key=lambda row: len(below(row[-1])), default=None)
        if row is None:
            rows.append(row := [])
        row.append(header)
    return rows


def alone(compiler, include):
    headers = headers_in(include)
    rows = rows_of(headers, include)
    broken = 0
    for row in rows:
        result = compile_text(compiler, include, "".join(f'#include "{header}"\n' for header in row))
        if result.returncode != 0:
            broken += 1
            print(f"of {', '.join(row)}, each of which includes the one before it, one does not compile alone:\n{result.stderr}")
    print(f"{len(headers)} headers in {len(rows)} files, {broken} broken, with {compiler}")
    return 1 if broken or not headers else 0


def ocr(compiler, include):
    include = pathlib.Path(include) / "ocr"
    return ocr_texts(compiler, include, {str(h): f'#include "{h.relative_to(include)}"\nextern int unit;\n'
                                         for h in sorted(include.rglob("*.h"))})


def ocr_together(compiler, include):
    include = pathlib.Path(include) / "ocr"
    headers = "".join(f'#include "{h.relative_to(include)}"\n' for h in sorted(include.rglob("*.h")))
    return ocr_texts(compiler, include, {"all headers": headers})


def ocr_texts(compiler, include, headers):
    texts = headers | {"macros": OCR_MACROS}
    broken = 0
    for standard in OCR_STANDARDS:
        for extensions in [(), tuple(f"-DENABLE_EXTENSION_{name}" for name in OCR_EXTENSIONS)]:
            for what, text in texts.items():
                result = compile_text(compiler, include, text, standard, ("-pedantic-errors", *extensions))
                if result.returncode != 0:
                    broken += 1
                    print(f"{what} in {standard}, {len(extensions)} extensions:\n{result.stderr}")
    print(f"{len(texts)} texts, {broken} broken, with {compiler}")
    return 1 if broken or len(texts) < 2 else 0


# A statement, and what an error says whose text has the place of that statement; or all of what one says wherever it is.
MISUSES = {
    "runtime.spawn([&] { x = 1; }, weir::out(x));": "the callable comes last",
    "auto h = runtime.spawn([] {}); runtime.spawn(h, [] {});": "of a handle h: after(h)",
    "runtime.spawn(x, [] {});": "before the callable come items, as in(x)",
    "runtime.spawn(weir::in(x), [](double& y) { y = 1; });": "const T where that is read only",
    "runtime.spawn(weir::out(x, 1.0), [] {});": "no matching function",
    "weir::Array<int, 1> a(runtime, {8}, {4}); runtime.spawn(weir::in(a), [] {});": "no matching function",
    "weir::Watched<double> w(&x, 1, 1); runtime.spawn(weir::in(w), [] {});": "no matching function",
    "runtime.spawn(weir::in(1.0), [] {});": "deleted function",
    "runtime.spawn(weir::in(weir::object(1.0)), [] {});": "deleted function",
    "const double c = 0; runtime.spawn(weir::out(c), [] {});": ("something const", "const double"),
    "const std::vector<float> c(3); runtime.spawn(weir::inout(c), [] {});": ("something const", "const float"),
    "const int c[3] = {}; runtime.spawn(weir::concurrent(c, 3), [] {});": ("something const", "const int"),
    "std::span<const long> c; runtime.spawn(weir::commutative(c), [] {});": ("something const", "const long"),
    "short s = 0; weir::Watched<const short> c(&s, 1, 1); runtime.spawn(weir::out(c.block(0)), [] {});": ("something const", "const short"),
    "std::list<int> held; runtime.spawn(weir::out(held), [] {});": "this type holds memory elsewhere",
    "std::unique_ptr<int> held; runtime.spawn(weir::in(held), [] {});": "this type holds memory elsewhere",
    "std::vector<bool> held; runtime.spawn(weir::inout(held), [] {});": "this type holds memory elsewhere",
    "std::vector<std::string> held; runtime.spawn(weir::in(held), [] {});":
        "each element of this range holds memory elsewhere",
    "std::string text; runtime.spawn(weir::reduce(text, std::plus<>(), text), [](std::string&) {});":
        "reduce(weir::object(x), ...)",
    "std::string text; runtime.spawn(weir::inout(text), [](std::string&) {});": "std::span<T>",
    "std::vector<weir::Access> v; runtime.spawn(v, [](double&) {});": "weir::Items for a range of items",
    "struct alignas(128) Wide { double d[16]; } wide{}; runtime.spawn([wide] { (void)wide; });":
        "capture a pointer or a reference",
    "std::vector<double> v; runtime.spawn(v, [] {});": "before the callable come items, as in(x)",
    "struct Add { double operator()(double a, double b) const { return a + b; } }; weir::Access a = "
    "weir::reduce(x, Add(), 1.0);": "deleted",
}
# Types whose bytes are not all there is of them: items refuse them.
HOLDERS = ["std::list<int>", "std::map<int, int>", "std::deque<int>", "std::set<int>", "std::vector<bool>",
           "std::unique_ptr<int>", "std::unique_ptr<int[]>", "std::shared_ptr<int>", "std::weak_ptr<int>",
           "std::optional<std::vector<int>>", "std::pair<int, std::string>", "std::tuple<int, std::unique_ptr<int>>",
           "std::array<std::vector<int>, 2>", "std::string[3]", "const std::list<int>"]
# What looks like a misuse and is none.
USES = ["std::vector<double> v(3); runtime.spawn(weir::out(v), [](std::span<double>) {});",
        "const std::vector<double> v(3); runtime.spawn(weir::in(v), [](std::span<const double>) {});",
        "std::string v; runtime.spawn(weir::inout(v), [](std::span<char>) {});",
        "double v[3]; runtime.spawn(weir::inout(v), [](double (&)[3]) {});",
        "std::array<double, 3> v; runtime.spawn(weir::inout(v), [](std::array<double, 3>&) {});",
        "std::array<double, 3> v; std::span s(v); runtime.spawn(weir::out(s), [](std::span<double>) {});",
        "const std::span<double> v(&x, 1); runtime.spawn(weir::out(v), [](std::span<double>) {});",
        "std::optional<double> v; runtime.spawn(weir::out(v), [](std::optional<double>&) {});",
        "std::pair<int, double> v; runtime.spawn(weir::out(v), [](std::pair<int, double>&) {});",
        "std::vector<int> v; runtime.spawn(weir::commutative(weir::object(v)), [](std::vector<int>&) {});",
        "std::list<int> v; runtime.spawn(weir::in(weir::object(v)), [](const std::list<int>&) {});",
        "std::string v; runtime.spawn(weir::reduce_ordered(weir::object(v), std::plus<>(), v), [](std::string&) {});",
        "struct Mine { std::vector<int> v; } v; runtime.spawn(weir::inout(v), [](Mine&) {});"]
MISUSE_HEAD = "".join(f"#include <{name}>\n" for name in [
    "weir/weir.hpp", "deque", "functional", "list", "map", "memory", "optional", "set", "string", "vector"])


def errors_of(compiler, include, text):
    """The errors of a compilation, each with what leads to it before it and what explains it behind it."""
    no_limit = "-ferror-limit=0" if "clang" in pathlib.Path(compiler).name else "-fmax-errors=0"
    lines = compile_text(compiler, include, text, more=[no_limit]).stderr.splitlines(keepends=True)
    errors, leads = [""], False
    for line in lines:
        lead = re.match(r"In file included from | +from |\S+: In |\S+: +(recursively )?required (from|by) |\S+: +in .constexpr.", line)
        if lead and not leads or not lead and not leads and " error: " in line:
            errors.append("")
        leads = bool(lead)
        errors[-1] += line
    return [error for error in errors if " error: " in error]


def misuse(compiler, include):
    broken = 0
    text = MISUSE_HEAD
    for number, statement in enumerate(MISUSES):
        text += f'#line 1 "misuse_{number}.cpp"\nvoid misuse_{number}() {{ weir::Runtime runtime; double x = 0; {statement} }}\n'
    errors = errors_of(compiler, include, text)
    for number, (statement, said) in enumerate(MISUSES.items()):
        wanted = said if isinstance(said, tuple) else (f"misuse_{number}.cpp", said)
        if not any(all(word in error for word in wanted) for error in errors):
            broken += 1
            print(f"{statement}\n  compiles, or the compiler does not say: {said}\n{''.join(e for e in errors if wanted[0] in e)}")
    uses = MISUSE_HEAD + "".join(f"static_assert(weir::detail::kHoldsMemoryElsewhere<{t}>);\n" for t in HOLDERS)
    for number, use in enumerate(USES):
        uses += f"void use_{number}(weir::Runtime& runtime, [[maybe_unused]] double& x) {{ {use} }}\n"
    result = compile_text(compiler, include, uses)
    if result.returncode != 0:
        broken += 1
        print(f"what is right does not compile, or a holder is taken for an object:\n{result.stderr}")
    print(f"{len(MISUSES)} misuses and {len(USES)} uses, {broken} broken, with {compiler}")
    return 1 if broken else 0


def main():
    modes = {"alone": (alone, 2), "ocr": (ocr, 2), "misuse": (misuse, 2), "together": (together, 2),
             "ocr_together": (ocr_together, 2)}
    mode, count = modes.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if mode is None or len(sys.argv) != count + 2:
        sys.exit(__doc__)
    sys.exit(mode(*sys.argv[2:]))


main()
