# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Makes the archives that IoEntries.java reads, and tells what must be found of them.

    io-entries.py FOLDER TRUTH

Lines of TRUTH, apart by tabs: archive, entry, at least, and at most so many bytes read of it;
or archive, "refused", and some words of the reason.
"""

import io
import os
import struct
import sys
import zipfile

folder = sys.argv[1]
HEADER = 30  # bytes of an entry, without its name: Java reads so much of it each time
# In an opening Java reads backwards, 128 bytes a time, and the first entry's signature.
OPENING = 128 + 4
COMMENT = b"c" * 60000
truth = {}  # (archive, entry): [at least, at most]


def text(number, size):
    """Bytes that can be made smaller, but not to nothing."""
    return b"".join(b"%d " % (number * 7919 * i) for i in range(size))[:size]


def make(method, comment=b"", zip64=False, seekable=True, tag="entry", sizes=(0, 1, 500, 9000, 70000)):
    """The bytes of an archive with an entry of each size, and with a folder."""
    buffer = io.BytesIO()
    if not seekable:
        buffer.seekable = lambda: False
        buffer.tell = lambda: (_ for _ in ()).throw(OSError())
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo("folder/"), b"")
        for number, size in enumerate(sizes):
            with archive.open("folder/%s-%d-\u00fc" % (tag, number), "w", force_zip64=zip64) as out:
                out.write(text(number + 1, size))
        archive.comment = comment
    return buffer.getvalue()


def many():
    """So many entries that the end of the directory is that of zip64."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(66000):
            archive.writestr("n-%05d" % number, text(number, number % 9))
    return buffer.getvalue()


def put(name, data):
    with open(os.path.join(folder, name), "wb") as out:
        # What looks like another end, which Python itself would take for one.
        out.write(data.replace(COMMENT, b"PK\5\6" + COMMENT[4:]))


def expect(name, data, least, most, end=""):
    """Says of each entry how much is read of it: functions of its sizes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = sorted(archive.infolist(), key=lambda entry: entry.header_offset)
        ends = [entry.header_offset for entry in entries[1:]] + [archive.start_dir]
        for entry, stop in zip(entries, ends):
            if not entry.filename.endswith(end):
                continue
            whole = stop - entry.header_offset
            sums = truth.setdefault((name, entry.filename), [0, 0])
            sums[0] += least(entry.compress_size, whole)
            sums[1] += most(entry.compress_size, whole)


def read(name, data, times, openings, end=""):
    put(name, data)
    expect(name, data, lambda size, whole: times * size,
           lambda size, whole: times * (size + HEADER) + openings * OPENING, end)


def bad(name, reason, data, *changes):
    """Changes: (where, from the end if negative; format; value)."""
    changed = bytearray(data)
    for where, form, value in changes:
        struct.pack_into("<" + form, changed, where % len(data), value)
    put("bad-" + name + ".zip", changed)
    truth["bad-" + name + ".zip", "refused"] = [reason, ""]


stored, deflated = make(zipfile.ZIP_STORED), make(zipfile.ZIP_DEFLATED)
stub = b"#!/bin/sh\nexec java -jar \"$0\"\n" + b"#" * 5000 + b"\n"
shift = io.BytesIO(stub)
shift.seek(0, io.SEEK_END)
with zipfile.ZipFile(shift, "a") as adjusted:  # its offsets count the stub
    adjusted.writestr("one", text(3, 4000))
    adjusted.writestr("two", text(4, 3000), zipfile.ZIP_DEFLATED)

for kind, data in {
        "stored.zip": stored,
        "deflated.jar": deflated,
        "comment.war": make(zipfile.ZIP_DEFLATED, comment=COMMENT),
        "front.zip": stub + deflated,
        "adjusted.zip": shift.getvalue(),
        "zip64.zip": make(zipfile.ZIP_DEFLATED, zip64=True),
        "descriptors.zip": make(zipfile.ZIP_DEFLATED, seekable=False),
        }.items():
    read("good-" + kind, data, 12, 3)
    put("raw-" + kind, data)
    expect("raw-" + kind, data, lambda size, whole: 3 * whole, lambda size, whole: 3 * whole)
read("some-many.zip", many(), 1, 1, "00")
put("shared-stored.zip", stored)
expect("shared-stored.zip", stored, lambda size, whole: 0, lambda size, whole: 1 << 50)
put("system-deflated.zip", deflated)
expect("system-deflated.zip", deflated, lambda size, whole: size, lambda size, whole: 2 * whole)

first, second = deflated, make(zipfile.ZIP_STORED, tag="second")
third = make(zipfile.ZIP_STORED, tag="thirds")
assert len(second) == len(third)
read("replaced-first.zip", first, 1, 1)
for data in second, third:
    expect("replaced-first.zip", data, lambda size, whole: size,
           lambda size, whole: size + HEADER + OPENING)
put("second", second)
put("third", third)

# The end of the directory: entries at 10, bytes at 12, offset at 16, comment at 20 (4.3.16). An
# entry of it: bytes of the name at 28, offset of the entry at 42 (4.3.12).
END = -22
length, directory = struct.unpack_from("<LL", stored, len(stored) + END + 12)
next_one = directory + 46 + len("folder/")
place = "not where"
bad("cut", "truncated", stored[:len(stored) // 2])
bad("cut-end", "truncated", stored[:-1])
bad("text", "not an archive", b"no archive at all\n" * 100)
bad("beyond", place, stored, (END + 16, "L", 0x7ffffff0))
bad("large", "too large", stored, (END + 12, "L", 0x7ffffff0))
bad("small", "entries", stored, (END + 12, "L", length - 10))
bad("more", "entries", stored, (END + 8, "H", 7), (END + 10, "H", 7))
bad("fewer", "entries", stored, (END + 8, "H", 2), (END + 10, "H", 2))
bad("comment", "truncated", stored, (END + 20, "H", 100))
bad("padding", "truncated", stored + b"\0" * 50)
bad("entry-beyond", place, stored, (next_one + 42, "L", 0x7ffffff0))
bad("entry-in-directory", place, stored, (next_one + 42, "L", directory - 10))
bad("entry-twice", "overlap", stored, (next_one + 42, "L", 0))
bad("entry-overlaps", "overlap", stored, (next_one + 42, "L", 5))
bad("entry-name", "cut off", stored, (next_one + 28, "H", 65000))
bad("entry-signature", "entries", stored, (next_one, "L", 0x12345678))
bad("local-signature", place, stored, (0, "L", 0x12345678))
bad("locator", place, stored[:END] + struct.pack("<LLQL", 0x07064b50, 0, 1 << 40, 1) + stored[END:])

with open(sys.argv[2], "w", encoding="utf-8") as out:
    for (name, entry), (least, most) in truth.items():
        print(name, entry, least, most, sep="\t", file=out)
