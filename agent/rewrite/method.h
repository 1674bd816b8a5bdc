/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * method: puts the probes into one Code attribute (JVM specification, 4.7.3).
 *
 * Attributes of the code that hold places in it are moved with it: StackMapTable,
 * LineNumberTable, LocalVariableTable, LocalVariableTypeTable, RuntimeVisibleTypeAnnotations
 * and RuntimeInvisibleTypeAnnotations. Any other is left out, as its places would be wrong: no
 * JVM reads one (StackMap was a smaller Java's).
 */
#ifndef JPROF_REWRITE_METHOD_H
#define JPROF_REWRITE_METHOD_H

#include "agent/rewrite/call_lines.h"
#include "agent/rewrite/constants.h"
#include "agent/rewrite/constructor.h"
#include "agent/rewrite/exceptions.h"
#include "agent/rewrite/readings.h"

/* One for a class; zero-initialise it. What it holds is used again for each method. */
struct method_work {
	struct constants *constants; /* borrowed */
	bool typed; /* the version of the class file has stack maps, by which types are
		       checked */
	const char *probe_class;
	struct probe probe; /* of the method; its calls' are 0 until they are needed */
	struct reading reading[READINGS_MAX]; /* those that the method has */
	uint16_t probe_index;                 /* of the probes' class, 0 until it is needed */
	uint16_t throwable;                   /* index of the class, 0 until it is needed */
	uint16_t stack_map_name;              /* index of the name, 0 until it is needed */
	/* For methods that keep call sites apart: see rewrite_request. */
	uint32_t (*site)(void *user, uint32_t id, uint16_t line);
	void *user;
	bool sites_left; /* the method has calls whose sites it does not keep apart */
	struct code code;
	struct call_lines call_lines;
	struct exceptions exceptions;
	struct constructor constructor;
};

/* A method of the file, and what is to be done. */
struct method {
	uint16_t access;
	struct text name, descriptor;
	struct attribute code;
	const uint8_t *code_start; /* NULL: it has none */
	bool intrinsic;
	bool constructor; /* and of a class that has a super class */
	struct rewrite_probes probes;
	unsigned readings; /* of those so many can be: work->reading */
};

/* Writes the attribute, with its head. Anything but REWRITE_OK: what was written is to be
 * dropped. */
enum rewrite_reason method_write(
	struct method_work *work, const struct method *method, struct writer *out);
void method_fini(struct method_work *work);

#endif
