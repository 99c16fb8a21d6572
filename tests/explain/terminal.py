# SPDX-License-Identifier: Apache-2.0

"""A program on a terminal of the test's own."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

PATIENCE = 90


def fail(text):
    sys.exit(f"FAILED: {text}")


def run(command, columns, interrupt=None, **environment):
    """What is written to a terminal of that width that is standard error, and the exit status. Standard output is kept
    apart. `interrupt`: a pattern; when it is shown, Ctrl-C is typed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(command, stdin=slave, stdout=subprocess.PIPE, stderr=slave, env=dict(env, **environment),
                               start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    shown, output, open_files, deadline = b"", b"", {master, process.stdout.fileno()}, time.monotonic() + PATIENCE
    while open_files:
        if time.monotonic() > deadline:
            process.kill()
            fail(f"{command} takes too long; it has shown {shown[-300:]!r}")
        for file in select.select(open_files, [], [], 1)[0]:
            try:
                text = os.read(file, 65536)
            except OSError:  # the other end of the terminal is closed
                text = b""
            if not text:
                open_files.discard(file)
            elif file == master:
                shown += text
            else:
                output += text
        if interrupt and re.search(interrupt, shown.decode()):
            os.write(master, b"\x03")
            interrupt = None
    os.close(master)
    return shown.decode(), output.decode(), process.wait()
