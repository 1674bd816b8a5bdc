# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What jprof has of memory in a process, by a library that counts where it asks for it (native/live_memory.c)."""
import struct

from harness import run


class Live:
    """What jprof has of memory in the process, now (java-tests/native/live_memory.c)."""

    def __init__(self, test):
        self.path, library = test.work / "live", test.work / "live_memory.so"
        done = run("cc", "-shared", "-fPIC", "-O2", "-o", library, test.source / "java-tests/native/live_memory.c", "-ldl")
        test.expect(done.status == 0, str(done))
        self.words = ["env", f"LD_PRELOAD={library}", f"LIVE_MEMORY={self.path}"]

    def ready(self):
        return struct.unpack_from("Q", self.path.read_bytes())[0]

    def bytes(self):
        """Of malloc's, and of mmap's."""
        _, _, allocated, _, mapped = struct.unpack("5Q", self.path.read_bytes())
        return allocated, mapped
