# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# cmake -DFROM=FILE -DTO=HEADER -DNAME=ARRAY -P bytes.cmake: the file's bytes as a C array.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes ${bytes})
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes ${bytes})
file(WRITE ${TO} "static const unsigned char ${NAME}[] = {\n${bytes}\n};\n")
