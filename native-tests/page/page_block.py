# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""page_block: the blocks of data of a page, read as docs/page-data.md says."""
import base64
import collections
import json
import math
import re
import struct
import zlib

BLOCK = re.compile(
    r'<script type="application/x-jprof-block" data-side="(\d)" data-interval="([^"]*)">([^<]*)</script>'
)
SMALL, SAMPLED = 4, 1


def varints(data, zigzag):
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append((value >> 1) ^ -(value & 1) if zigzag else value)
            value = shift = 0
    return numbers


def floats(data, count):
    planes = [data[i * count : (i + 1) * count] for i in range(4)]
    return [struct.unpack("<f", bytes(plane[i] for plane in planes))[0] for i in range(count)]


class Block:
    def __init__(self, data):
        length = struct.unpack_from("<I", data)[0]
        self.header = json.loads(data[4 : 4 + length])
        self.table = collections.defaultdict(dict)
        at = 4 + length
        for column in self.header["columns"]:
            part = data[at : at + column["bytes"]]
            at += column["bytes"]
            kind = column["type"]
            if kind in "vz":
                values = varints(part, kind == "z")
            else:
                values = list(part) if kind == "b" else floats(part, column["count"])
            assert len(values) == column["count"], column
            self.table[column["table"]][column["name"]] = values
        assert at == len(data), "bytes behind the columns"
        self.metrics = range(len(self.header["metrics"]))
        self.conditions = range(len(self.header["conditions"]))
        self.errors = self.header["errors"]
        self.parts = 4 if "be3_0" in self.table["node"] else 3
        node = self.table["node"]
        self.parent = [i - up for i, up in enumerate(node["up"])]
        assert all(0 <= p for p in self.parent)

    def rows(self, table):
        columns = self.table[table]
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def method_key(self, row):
        method = self.table["method"]
        text = self.header["strings"]
        return tuple(text[method[name][row]] or None for name in ("class", "name", "signature"))

    def cum_of(self, own):
        """Sums along the tree, of a list by node."""
        cum = list(own)
        for i in range(len(cum) - 1, -1, -1):
            if self.parent[i] != i:
                cum[self.parent[i]] += cum[i]
        return cum

    def error(self, figure, counted, parts):
        """Half the width of an interval."""
        reach = max(figure, counted - figure, 0)
        error = min(parts[0], math.sqrt(parts[1] ** 2 + max(0, parts[2])), reach)
        if len(parts) > 3 and parts[3] > 0:
            error = min(math.hypot(error, math.sqrt(parts[3])), reach)
        return error


def blocks_of(page):
    """(side, interval, block) of each, in their order."""
    for match in BLOCK.finditer(page):
        yield int(match[1]), match[2], Block(zlib.decompress(base64.b64decode(match[3]), -15))
