/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * argument_names: what a class file tells of the names of a method's arguments.
 *
 * javac writes them with -parameters into the method's MethodParameters (JVM specification, 4.7.24), with -g into the
 * LocalVariableTable of its code (4.7.13), where they are told by their locals. An abstract or native method has no code.
 */
#ifndef JPROF_REWRITE_ARGUMENT_NAMES_H
#define JPROF_REWRITE_ARGUMENT_NAMES_H

#include "agent/rewrite/constants.h"

/* All borrowed. What it holds is not checked before it is asked. */
struct argument_names {
	const struct constants *constants;
	struct text descriptor;
	bool is_static;
	struct reader parameters; /* of its MethodParameters; empty: none */
	struct reader code;       /* of its Code; empty: none */
};

#endif
