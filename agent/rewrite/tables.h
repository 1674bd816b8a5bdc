/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tables: lines and local variables of one method (JVM specification, 4.7.12 to 4.7.14).
 */
#ifndef JPROF_REWRITE_TABLES_H
#define JPROF_REWRITE_TABLES_H

#include "agent/rewrite/code.h"

/* Write the contents of a LineNumberTable, of a LocalVariableTable or a
 * LocalVariableTypeTable. A start at 0 stays there: the probe belongs to the first line.
 */
enum rewrite_reason tables_write_lines(
	struct reader in, const struct code *code, struct writer *out);
enum rewrite_reason tables_write_locals(
	struct reader in, const struct code *code, struct writer *out);

#endif
