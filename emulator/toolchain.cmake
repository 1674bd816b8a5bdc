# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# Builds on the host for the emulated machine, with the machine's own headers and libraries:
# cmake --toolchain emulator/toolchain.cmake -DCMAKE_SYSROOT=<machine>/sysroot
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

# Programs are the host's, everything else is the machine's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Of the machine's own time, in which an instruction takes a nanosecond: two or three minutes of the
# host's.
set(JPROF_TEST_TIMEOUT 60 CACHE STRING "Seconds that a native test may take")

# The JDK's headers: no search would look under the name of another processor's JDK.
set(JPROF_JNI_INCLUDE ${CMAKE_SYSROOT}/usr/lib/jvm/java-17-openjdk-arm64/include
	CACHE PATH "Where jvmti.h is")
