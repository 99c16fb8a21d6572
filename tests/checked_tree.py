# SPDX-License-Identifier: Apache-2.0

"""What checks of the source tree have in common: trees of a few files that they are tried on, and their command line."""
import pathlib
import sys
import tempfile


def in_tree(files, check):
    """What check(root) says of a tree of these files, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(check(root))


def main(name, usage, check, self_test):
    """PROGRAM ROOT, or PROGRAM --self-test: prints one line for each offence, and fails when there is one."""
    if sys.argv[1:] == ["--self-test"]:
        offences = self_test()
    elif len(sys.argv) == 2:
        offences = list(check(pathlib.Path(sys.argv[1]).resolve()))
    else:
        sys.exit(usage)
    print("\n".join(offences) if offences else f"{name}: no offence")
    sys.exit(1 if offences else 0)
