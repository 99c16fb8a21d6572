# SPDX-License-Identifier: Apache-2.0

"""Writes traces in the format of docs/trace-format.md from descriptions in JSON, such as weir trace --to FILE.json makes.

    weir_trace.py DESCRIPTION.json TRACE.weir

The description says times in microseconds; a tick of the trace is a nanosecond.
"""

import json
import pathlib
import struct
import sys

TRACK, BLOCK, TIER, TEXT = range(4)
RUNTIME, NAME, UNITS, CLOCK, SUMMARY, END = range(1, 7)
KINDS = {name: number for number, name in enumerate(
    "none task spawn footprint edge wait search park steal stage data_wait move evict resident "
    "made gone parent blocks".split())}
MODES = "in out inout concurrent commutative reduce".split()
WAITS = ["wait", "wait for children", "throttled", "wait for a task", "join", "work"]
DATA_WAITS = ["waits for room", "waits for blocks", "waits for commutative data", "waits for a data block",
              "waits for its completion"]
PROGRAM = 15  # as a tier


def make_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = make_table()


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


def words(*values):
    return b"".join(struct.pack("<d" if isinstance(value, float) else "<Q", value if isinstance(value, float) else value % 2**64)
                    for value in values)


def text(value):
    data = value.encode()
    return words(len(data)) + data + bytes(-len(data) % 8)


def definition(what, number, first, second, name):
    return words(what, number, first, second) + text(name)


class File:
    def __init__(self):
        head = b"WEIRTRC\n" + struct.pack("<IIQI", 0x01020304, 1, 0, 0)
        self.data = head + struct.pack("<I", crc32c(head))
        self.sequence = 0

    def chunk(self, kind, runtime, payload, track=0, number=0):
        """Its place in the file."""
        at = len(self.data)
        rest = struct.pack("<HHIQIIII", kind, runtime, track, self.sequence, number, len(payload), crc32c(payload), 0)
        self.data += b"Chnk" + struct.pack("<I", crc32c(rest)) + rest + payload
        self.sequence += 1
        return at


class Runtime:
    """One runtime's events, on their way from a description to units."""

    def __init__(self, about, events):
        self.about, self.events = about, events
        self.texts, self.pieces = {}, []
        self.tiers = [tier["name"] for tier in about["tiers"]]
        self.ends = {event["id"]: event for event in events if event["ph"] == "e"}
        for event in events:
            self.take(event)

    def put(self, track, kind, start, duration, number, value=0, small=0):
        unit = words(start, duration, number, KINDS[kind] << 56 | small << 48 | value)
        if self.pieces and self.pieces[-1][0] == track and len(self.pieces[-1][1]) < 16 * 32:
            self.pieces[-1][1] += unit
        else:
            self.pieces.append([track, bytearray(unit)])

    def text(self, value):
        return self.texts.setdefault(value, 4096 + len(self.texts))

    def tier(self, name):
        return self.tiers.index(name) if name in self.tiers else PROGRAM

    def take(self, event):
        phase, category, arguments = event["ph"], event.get("cat"), event.get("args", {})
        start, duration = round(event["ts"] * 1000), round(event.get("dur", 0) * 1000)
        if phase == "b":
            duration = round(self.ends[event["id"]]["ts"] * 1000) - start
        track, task, size = event["tid"], arguments.get("task", 0), arguments.get("bytes", 0)
        if category == "task":
            wanted = arguments.get("wanted", -1) + 1
            name = 0 if event["name"] in ("task", "half of a fork_join") else self.text(event["name"])
            self.put(track, "task", start, duration, task, name, wanted << 1 | arguments.get("cancelled", False))
        elif category in ("spawn", "footprint"):
            self.put(track, category, start, duration, task, size, arguments["items"])
            for block, mode in arguments.get("blocks", []):
                self.put(track, "blocks", MODES.index(mode) << 61 | block, 0, 0, 0, 1)
        elif category == "made":
            self.put(track, "made", start, 0, arguments["block"], size, self.tier(arguments["tier"]))
        elif category == "edge" and phase == "s":
            self.put(track, "edge", arguments["from"], 0, arguments["to"])
        elif category in ("search", "park", "stage"):
            self.put(track, category, start, duration, task)
        elif category == "wait":
            self.put(track, "wait", start, duration, 0, 0, WAITS.index(event["name"]))
        elif category == "steal":
            self.put(track, "steal", start, 0, arguments["victim"], arguments["tasks"], arguments["distance"])
        elif category == "move" and phase == "b":
            ends = self.tier(arguments["from"]) << 4 | self.tier(arguments["to"])
            self.put(track, "move", start, duration, arguments["block"], size, ends)
        elif category in ("data wait", "lock wait", "late end") and phase == "b":
            holder = self.text(arguments["had_by"]) if "had_by" in arguments else 0
            self.put(track, "data_wait", start, duration, task, holder, DATA_WAITS.index(event["name"]))
        elif category == "evict":
            self.put(track, "evict", start, 0, arguments["block"], size, self.tier(arguments["tier"]))
        elif category == "resident":
            self.put(len(self.about["tracks"]) - 1, "resident", start, 0, size, 0, self.tier(event["name"][len("in "):]))

    def names(self):
        about = self.about
        return b"".join(
            [definition(TRACK, i, t["worker"], t["domain"], t["name"]) for i, t in enumerate(about["tracks"])] +
            [definition(BLOCK, i, b["bytes"], 0, b["name"]) for i, b in enumerate(about["blocks"])] +
            [definition(TIER, i, 0, 0, name) for i, name in enumerate(self.tiers)] +
            [definition(TEXT, number, 0, 0, name) for name, number in self.texts.items()])

    def summary(self):
        about = self.about
        result = words(about["workers"], round(about["start_us"] * 1000), round(about["end_us"] * 1000),
                       about["lost_events"], float(about.get("memory_gb_per_s", 0)))
        result += text(about["machine"]) + text(about.get("policy", "")) + words(len(about["counters"]))
        for name, value in about["counters"].items():
            result += text(name) + words(value)
        result += words(len(about["tiers"]))
        for tier in about["tiers"]:
            result += text(tier["name"]) + words(tier["budget_bytes"], float(tier["read_gb_per_s"]), float(tier["write_gb_per_s"]))
        return result


def convert(description):
    file, index = File(), b""
    for about in description["otherData"]["runtimes"]:
        number = about["runtime"]
        runtime = Runtime(about, [event for event in description["traceEvents"] if event["pid"] == number])
        runtime_at = file.chunk(RUNTIME, number, words(0, 0))
        file.chunk(CLOCK, number, words(10**9, 10**9))
        file.chunk(NAME, number, runtime.names())
        for track, units in runtime.pieces:
            file.chunk(UNITS, number, bytes(units), track, 1)
        summary_at = file.chunk(SUMMARY, number, runtime.summary())
        index += words(runtime_at, summary_at, sum(len(units) for _, units in runtime.pieces) // 32)
    file.chunk(END, 0, index)
    return file.data


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_bytes(convert(json.loads(pathlib.Path(sys.argv[1]).read_text())))
