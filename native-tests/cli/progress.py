#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# progress: a report that takes long says on a terminal what it is busy with, and erases that before it
# prints; elsewhere it says nothing. What takes long here is a file that somebody else has locked.
#
#   progress.py JPROF MAKE_PROFILE
import os
import pty
import sqlite3
import subprocess
import sys
import tempfile
import threading

ERASE = b"\r\x1b[K"
jprof, make_profile = map(os.path.abspath, sys.argv[1:])


def read_all(descriptor):
    said = b""
    try:
        while piece := os.read(descriptor, 4096):
            said += piece
    except OSError:  # the terminal's other end is closed
        pass
    return said


def report(profile, out, err):
    """While the file is locked, for some seconds."""
    lock = sqlite3.connect(profile, check_same_thread=False, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(3, lambda: lock.execute("ROLLBACK"))
    timer.start()
    child = subprocess.Popen([jprof, "report", profile, "--view", "threads"], stdout=out, stderr=err)
    return child, timer


def on_terminal(profile, shared):
    """What the terminal got; shared: the report goes there, too."""
    ours, theirs = pty.openpty()
    child, timer = report(profile, theirs if shared else subprocess.DEVNULL, theirs)
    os.close(theirs)
    said = read_all(ours)
    assert child.wait() == 0, said
    timer.join()
    return said


def check(what, said, rest):
    assert b"s, reading 'p.jprof'" in said, (what, said)
    assert said.count(ERASE) >= 2, (what, said)
    last = said[said.rindex(ERASE) + len(ERASE):]
    assert (b"Thread" in last) == rest and b"reading" not in last, (what, said)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([make_profile, "bushy", "20", "1", "p.jprof"], check=True)
    check("the report elsewhere", on_terminal("p.jprof", False), False)
    check("the report there, too", on_terminal("p.jprof", True), True)
    child, timer = report("p.jprof", subprocess.PIPE, subprocess.PIPE)
    out, err = child.communicate()
    timer.join()
    assert child.returncode == 0 and err == b"" and b"\x1b" not in out, (out, err)
