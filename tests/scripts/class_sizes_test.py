#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""class_sizes.py counts what a class declares, and its check fails on one that is too large: class_sizes_test.py ROOT"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
SMALL = """
#define WEIR_GUARDED_BY(mutex)
namespace weir {
class Small {
 public:
  Small();
  void set(int value);
  void set(double value) { value_ = value; }
  static constexpr int kMost = 1;
  struct Part { int a, b, c; };

 private:
  double value_ WEIR_GUARDED_BY(mutex_) = 0;
};
Small::Small() = default;
}
"""


def run(root, *arguments):
    command = [sys.executable, ROOT / "scripts/class_sizes.py", "--root", root, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def expect(condition, what, done):
    if not condition:
        sys.exit(f"{what}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "src").mkdir()
    (folder / "include").mkdir()
    (folder / "src/small.cpp").write_text(SMALL)
    done = run(folder)
    expect("| weir::Small | 3 | 1 |" in done.stdout, "overloads count, definitions and static fields do not", done)
    expect("| weir::Small::Part | 0 | 3 |" in done.stdout, "a nested class counts by itself", done)
    expect(run(folder, "--check").returncode == 0, "small classes pass", done)
    many = "\n".join(f"  void function_{i}();" for i in range(41))
    (folder / "src/large.hpp").write_text(f"namespace weir {{\nstruct Large {{\n{many}\n}};\n}}\n")
    done = run(folder, "--check")
    expect(done.returncode == 1 and "weir::Large: 41 functions" in done.stdout, "one that is too large fails", done)
    fields = "\n".join(f"  int field_{i} = 0;" for i in range(26))
    (folder / "src/large.hpp").write_text(f"namespace weir {{\nstruct Large {{\n{fields}\n}};\n}}\n")
    done = run(folder, "--check")
    expect(done.returncode == 1 and "26 fields" in done.stdout, "one with too many fields fails", done)
