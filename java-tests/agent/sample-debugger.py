#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A debugger comes to a JVM that is sampled by wall: it is answered although it takes its time. The JDK's own debugger
library waits for it in a poll, and takes one that returns early, as after a signal, for a debugger that says nothing."""
import pathlib
import re
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test  # noqa: E402

# Debug Wire Protocol, "Handshake": both sides send it.
HANDSHAKE = b"JDWP-Handshake"
MILLISECONDS, PAUSE, TIMES = 60000, 0.3, 3


def answer(port):
    """What a debugger gets that takes its time."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as debugger:
        try:
            time.sleep(PAUSE)
            debugger.sendall(HANDSHAKE)
            return debugger.recv(len(HANDSHAKE), socket.MSG_WAITALL)
        except ConnectionError as error:
            return error


def come_in(test, java):
    jvm = Target(test, java, f"-agentpath:{test.agent}=start=no",
                 "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0",
                 "-cp", test.work, "SampleWall", MILLISECONDS)

    for i in range(TIMES):
        profile = test.new_profile()
        # It listens anew after each debugger, and says where.
        line = jvm.process.stdout.readline()
        port = re.search(r"address: (\d+)$", line)
        if not port:
            test.fail(f"{java} does not listen: {line}{jvm.said()}")
            break
        test.jprof("start", jvm.pid, "--file", profile, "--calls", "sample", "--sample", "wall:1ms")
        test.same(f"{java}: answer {i}", HANDSHAKE, answer(int(port.group(1))))
        test.jprof("stop", jvm.pid)
        listener = [row["samples"]["wall"] for row in test.views(profile).rows("threads")
                    if row["thread"].startswith("JDWP Transport Listener")]
        test.expect(sum(listener) > 0, f"{java}: the listener has no samples")
    jvm.kill()


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleWall")
        come_in(test, java)
    test.finish()


main()
