#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""without-perf.py COMMAND...: runs it with perf_event_open forbidden, as most containers have it: the call fails
with EPERM. A filter of system calls (seccomp(2)), which what the command starts has, too. Where there are no
such filters: exit status 77."""
import ctypes
import os
import platform
import struct
import sys

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
# include/uapi/linux/prctl.h, seccomp.h, bpf_common.h
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
RETURN_ERRNO, RETURN_ALLOW = 0x00050000, 0x7fff0000
EPERM = 1


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("=HBBI", code, if_true, if_false, value)


def forbid(number):
    """Whether the kernel does it."""
    code = b"".join((instruction(LOAD, 0), # the system call's number, as Linux has it first
                     instruction(JUMP_IF_EQUAL, number, 0, 1),
                     instruction(RETURN, RETURN_ERRNO | EPERM),
                     instruction(RETURN, RETURN_ALLOW)))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    call = ctypes.CDLL(None, use_errno=True).prctl
    word = ctypes.c_ulong
    return call(PR_SET_NO_NEW_PRIVS, word(1), word(0), word(0), word(0)) == 0 and \
        call(PR_SET_SECCOMP, word(SECCOMP_MODE_FILTER), program, word(0), word(0)) == 0


if platform.machine() not in PERF_EVENT_OPEN or not forbid(PERF_EVENT_OPEN[platform.machine()]):
    sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
