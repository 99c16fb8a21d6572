#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the header and the library to the prototypes of the specification (prototypes.txt).

    prototypes.py symbols LIBRARY        every routine is defined, as shmem_... and as pshmem_...
    prototypes.py types COMPILER ...     every routine is declared, with exactly this type
    prototypes.py generic COMPILER ...   every generic form selects the function of its type, for every type
    prototypes.py headers COMPILER ...   every header that a program includes compiles alone and twice, without a warning
    prototypes.py fortran COMPILER ...   shmem.fh is accepted in fixed and in free form, by every standard
    prototypes.py manual PROGRAM         every routine has a manual page, under its name without the type

COMPILER and what follows it is a command; a C++ compiler has ++ in its name."""
import pathlib
import re
import subprocess
import sys
import tempfile

LIST = pathlib.Path(__file__).with_name("prototypes.txt")
HEADERS = ("shmem.h", "shmemx.h", "shmem-compat.h", "pshmem.h", "mpp/shmem.h", "mpp/shmemx.h", "mpp/pshmem.h")
SIZES = ("8", "16", "32", "64", "128")
C_TYPES = {"float": "float", "double": "double", "longdouble": "long double", "char": "char", "schar": "signed char",
           "short": "short", "int": "int", "long": "long", "longlong": "long long", "uchar": "unsigned char",
           "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long", "ulonglong": "unsigned long long",
           "size": "size_t", "ptrdiff": "ptrdiff_t"}
C_TYPES.update({f"{u}int{bits}": f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64)})
COMPLEX = {"C": {"complexd": "double _Complex", "complexf": "float _Complex"},
           "C++": {"complexd": "std::complex<double>", "complexf": "std::complex<float>"}}
# The same C types on every machine that Weir runs on (LP64): which function is selected may have either name.
SAME = {"int8": "schar", "int16": "short", "int32": "int", "int64": "long", "uint8": "uchar", "uint16": "ushort",
        "uint32": "uint", "uint64": "ulong", "size": "ulong", "ptrdiff": "long"}


def read_list():
    """(is generic, names of types, prototype) of each line."""
    types = {"-": [None]}
    for line in LIST.read_text().splitlines():
        if line.startswith("types "):
            _, name, *members = line.split()
            types[name] = members
        elif line and not line.startswith("#"):
            kind, prototype = re.fullmatch(r"(?:old )?((?:C11 )?\S+)  (.*)", line).groups()
            yield kind.startswith("C11 "), types[kind.removeprefix("C11 ")], prototype


def routines(language):
    """(name, result, parameters) of every function that there is."""
    c_types = C_TYPES | COMPLEX[language]
    for is_generic, names, prototype in read_list():
        if is_generic:
            continue
        for name in names:
            for size in SIZES if "<SIZE>" in prototype else [""]:
                text = prototype.replace("<SIZE>", size)
                if name:
                    text = re.sub(r"\bTYPE\b", c_types[name], text.replace("<TYPENAME>", name))
                result, function, parameters = re.fullmatch(r"(.*?)(\w+)\((.*)\)", text).groups()
                yield function, result.strip(), parameters


def language_of(command):
    return "C++" if "++" in pathlib.Path(command[0]).name else "C"


def compile_text(command, text, *flags):
    language = language_of(command)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "generated.cpp" if language == "C++" else "generated.c")
        source.write_text(text)
        out = pathlib.Path(folder, "generated.s")
        done = subprocess.run([*command, *flags, "-S", "-o", out, source], text=True, capture_output=True, check=False)
        if done.returncode != 0 or done.stderr:
            print(done.stderr)
            sys.exit(f"{' '.join(command)}: the generated source is not accepted")
        return out.read_text()


def check_symbols(library):
    option = ["-D"] if ".so" in library else []
    listed = subprocess.run(["nm", *option, "--defined-only", library], text=True, capture_output=True, check=True).stdout
    defined = {f[-1]: f[-2] for f in (line.split() for line in listed.splitlines()) if len(f) >= 3}
    names = [name for name, _, _ in routines("C")]
    missing = [n for n in names if defined.get(n) not in ("W", "T")] + ["p" + n for n in names if defined.get("p" + n) != "T"]
    strong = [n for n in names if defined.get(n) == "T"]
    if missing or strong:
        sys.exit(f"{library}: not defined: {missing}; not weak: {strong}")
    print(f"{library}: {len(names)} routines are defined, and as many with a p before their names")


def check_types(command):
    lines = ["#include <shmem.h>"]
    count = 0
    for name, result, parameters in routines(language_of(command)):
        for function in (name, "p" + name):
            lines.append(f"extern {result} (*pointer_{count})({parameters});\n"
                         f"{result} (*pointer_{count})({parameters}) = {function};")
            count += 1
    compile_text(command, "\n".join(lines) + "\n", "-Wall", "-Wextra", "-pedantic", "-Werror")
    print(f"{command[0]}: {count} functions have the types of the specification")


# What is given for a parameter of a generic form; sources are constant, arrays, or NULL where they need not be there.
ARGUMENTS = {"shmem_team_t team": "SHMEM_TEAM_WORLD", "shmem_ctx_t ctx": "SHMEM_CTX_DEFAULT", "TYPE *dest": "array",
             "const TYPE *source": "constants", "TYPE *fetch": "result", "TYPE value": "1", "TYPE cond": "0",
             "TYPE *ivar": "array", "TYPE *ivars": "array", "TYPE cmp_value": "1", "const TYPE *cmp_values": "constants",
             "const int *status": "NULL", "size_t *indices": "indices", "uint64_t *sig_addr": "&signal_word",
             "long *pSync": "NULL"}


def generic_calls():
    """(name of the calling function, type, call, what it may call)"""
    for is_generic, names, prototype in read_list():
        if not is_generic or "TYPE" not in prototype:
            continue
        result, function, parameters = re.fullmatch(r"(.*?)(\w+)\((.*)\)", prototype).groups()
        words = [ARGUMENTS.get(p, "1") for p in parameters.split(", ")]
        what = function.removeprefix("shmem_")
        infix = "ctx_" if "shmem_ctx_t" in parameters else ""
        for name in names:
            allowed = {f"shmem_{infix}{n}_{what}" for n in (name, SAME.get(name, name))}
            if function == "shmem_wait_until" and SAME.get(name, name) == "long":
                allowed.add("shmem_wait_until")
            yield f"calls_{what}_{infix}{name}", name, f"{function}({', '.join(words)})", allowed


def check_generic(command):
    language = language_of(command)
    c_types = C_TYPES | COMPLEX[language]
    calls = list(generic_calls())
    lines = ["#include <shmem.h>", "uint64_t signal_word;", "size_t indices[4];"]
    if language == "C++":
        lines.append('extern "C" {')
    for caller, name, call, _ in calls:
        lines.append(f"void {caller}(void);\nvoid {caller}(void) {{ typedef {c_types[name]} T; static T array[4]; "
                     f"static const T constants[4] = {{0}}; static T result[1]; (void)array; (void)constants; "
                     f"(void)result; (void){call}; }}")
    if language == "C++":
        lines.append("}")
    inlined = "-O1" if language == "C++" else "-O0"  # an overload calls the function of its type; a form of C11 is that call
    text = compile_text(command, "\n".join(lines) + "\n", inlined, "-Wall", "-Wextra", "-pedantic", "-Werror")
    bodies = dict(re.findall(r"^(calls_\w+):(.*?)(?=^calls_\w+:|\Z)", text, re.M | re.S))
    wrong = []
    for caller, _, call, allowed in calls:
        called = set(re.findall(r"(?:callq?|jmp|bl?)[ \t]+_?(shmem_\w+)", bodies[caller]))
        if len(called) != 1 or not called <= allowed:
            wrong.append(f"{caller}: {call} calls {sorted(called)}, not {sorted(allowed)}")
    if wrong:
        sys.exit("\n".join(wrong[:20]))
    print(f"{command[0]}: {len(calls)} calls select the function of their type")


# Of which the headers are accepted also within extern "C", as programs for libraries whose headers were C's have it.
CXX_STANDARDS = ("c++98", "c++11", "c++14", "c++17", "c++20")


def check_headers_in_c(command):
    lines = "".join(f"#include <{header}>\n" for header in HEADERS)
    use = ("void use(std::complex<double> *z, long *l) { shmem_put(l, l, 1, 0); "
           "shmem_sum_reduce(SHMEM_TEAM_WORLD, z, z, 1); shmem_put(SHMEM_CTX_DEFAULT, l, l, 1, 0); }\n"
           "shmem_team_t teams[] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_SHARED};\nshmem_ctx_t none = SHMEM_CTX_INVALID;\n")
    for number, standard in enumerate(CXX_STANDARDS):
        before = "#include <complex>\n#include <iostream>\n" if number % 2 == 1 else ""
        compile_text([*command, f"-std={standard}"], f'{before}extern "C" {{\n{lines}}}\n{use}', "-Wall", "-Wextra",
                     "-Wold-style-cast", "-Werror")
    print(f"{command[0]}: the headers compile within extern \"C\", too")


def check_fortran(command):
    with tempfile.TemporaryDirectory() as folder:
        for form in "fixed", "free":
            for standard in "legacy", "gnu", "f95", "f2003", "f2008", "f2018":
                source = pathlib.Path(folder, f"uses.{'f' if form == 'fixed' else 'f90'}")
                source.write_text("      subroutine uses()\n      include 'shmem.fh'\n      end\n")
                done = subprocess.run([*command, f"-std={standard}", "-Wall", "-Wno-unused", "-pedantic", "-Werror",
                                       "-fsyntax-only", source], text=True, capture_output=True, check=False)
                if done.returncode != 0:
                    sys.exit(f"{done.stderr}{form} form, {standard}: shmem.fh is not accepted")
    print(f"{command[0]}: shmem.fh is accepted by every standard")


def check_headers(command):
    """shmem.h, and each of the others behind it, which is what they include first: compiled once, it hides nothing from them."""
    folders = [pathlib.Path(word.removeprefix("-I")) for word in command if word.startswith("-I")]
    warnings = ("-Wall", "-Wextra", "-pedantic", "-Werror")
    with tempfile.TemporaryDirectory() as folder:
        before = pathlib.Path(folder, "before.h")
        before.write_text("#include <shmem.h>\n#include <shmem.h>\n")
        language = "c++-header" if language_of(command) == "C++" else "c-header"
        done = subprocess.run([*command, *warnings, "-x", language, before, "-o", f"{before}.gch"], text=True,
                              capture_output=True, check=False)
        if done.returncode != 0 or done.stderr:
            sys.exit(f"{done.stderr}{' '.join(command)}: shmem.h is not accepted")
        for header in HEADERS[1:]:
            text = next(path for path in (each / header for each in folders) if path.exists()).read_text()
            if not re.search(r"^#include .*", text, re.M).group().endswith(('"shmem.h"', '"../shmem.h"', '"../shmemx.h"')):
                sys.exit(f"{header} does not begin with shmem.h")
            compile_text(command, f"#include <{header}>\n#include <{header}>\nextern int unit;\n", *warnings,
                         "-Winvalid-pch", "-include", str(before))
    print(f"{command[0]}: {len(HEADERS)} headers compile alone")
    if language_of(command) == "C++":
        check_headers_in_c([word for word in command if not word.startswith("-std=")])


def check_manual(program):
    """PROGRAM writes the pages."""
    wanted = {name.replace("<TYPENAME>_", "").replace("<SIZE>", size) for _, _, prototype in read_list()
              for name in re.findall(r"([\w<>]+)\(", prototype)[:1] for size in SIZES}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True)
        pages = {page.stem: page.read_text() for page in pathlib.Path(folder).iterdir()}
    missing = sorted(wanted - pages.keys())
    other = [name for name in wanted & pages.keys() if re.sub(r"(\d+|mem)$", "", name.rsplit("_", 1)[-1]) not in pages[name]]
    if missing or other:
        sys.exit(f"{program}: no page of {missing}; not in its page: {other}")
    print(f"{program}: {len(wanted)} names have a page")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] in ("symbols", "manual"):
        {"symbols": check_symbols, "manual": check_manual}[sys.argv[1]](sys.argv[2])
    else:
        checks = {"types": check_types, "generic": check_generic, "headers": check_headers, "fortran": check_fortran}
        checks[sys.argv[1]](sys.argv[2:])
