# SPDX-License-Identifier: Apache-2.0

"""The parts of a page of `weir report --html`, read without a browser."""

import base64
import json
import re
import struct
import zlib

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "f64": "d"}


class Page:
    def __init__(self, text):
        self.text = text
        self.about = json.loads(self.part("about"))
        self.data = zlib.decompress(base64.b64decode(self.part("data")))

    def part(self, name):
        return re.search(rf'<script type="[^"]*" id="{name}">(.*?)</script>', self.text, re.S).group(1)

    def own_parts(self):
        """All but the plotting library, its licence and the data."""
        text = re.sub(r'<pre id="licence">.*?</pre>', "", self.text, flags=re.S)
        return re.sub(r"<script>\n// https://d3js.org.*?</script>", "", text, flags=re.S)

    def column(self, name):
        about = self.about["columns"][name]
        values = struct.unpack_from(f"<{about['count']}{FORMATS[about['type']]}", self.data, about["offset"])
        if not about["differences"]:
            return [int(value) for value in values]
        sums, value = [], 0
        for small in map(int, values):
            value += (small >> 1) ^ -(small & 1)
            sums.append(value)
        return sums
