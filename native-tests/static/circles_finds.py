#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""circles_finds.py BUILD ROOT: circles.py finds what it is there to find, and nothing else."""
import sys

import circles

LISTED = [("a/x.c a/y.c a/z.c", "why")]


def said(*arrows, listed=()):
    uses = {}
    for arrow in arrows:
        file, used = arrow.split(" ")
        uses.setdefault(file, set()).add(used)
    return "\n".join(circles.complaints(uses, listed))


def expect(what, text, said_text):
    if (text not in said_text) if text else said_text:
        sys.exit(f"{what}: expected '{text}', said '{said_text}'")


expect("a chain", "", said("a/x.c a/y.c", "a/y.c b/z.c"))
expect("two", "in a: a/x.c a/y.c", said("a/x.c a/y.c", "a/y.c a/x.c"))
expect("three, across", "across rooms: a/x.c a/y.c b/z.c",
       said("a/x.c a/y.c", "a/y.c b/z.c", "b/z.c a/x.c"))
expect("listed", "", said("a/x.c a/y.c", "a/y.c a/x.c", listed=LISTED))
expect("more than listed", "a/w.c",
       said("a/x.c a/y.c", "a/y.c a/w.c", "a/w.c a/x.c", listed=LISTED))
expect("gone", "no circle any more", said("a/x.c a/y.c", listed=LISTED))

# The objects are read: two arrows that the product has, one of data.
uses = circles.graph(sys.argv[1], sys.argv[2])
assert "agent/recording/recorder.c" in uses["agent/life.c"], uses["agent/life.c"]
assert "cli/commands.c" in uses["cli/main.c"], uses["cli/main.c"]
