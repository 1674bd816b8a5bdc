/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * parameter_choice: what a user says in the items of the options `parameters` and `tags`: of which calls which values are told.
 *
 *   com.acme.Orders.find(0)                      the first argument
 *   com.acme.Orders.find(id)                     the one of that name, where the class file has names
 *   com.acme.Orders.find(0.user.getName())       fields and getters, four steps at most
 *   com.acme.Job.run(this.name):hash             how texts are kept: auto, plain, hash, shape, route
 *   com.acme.Servlet.service(0.getMethod() 0.getRequestURI())     several, joined by a blank
 *   com.acme.Orders.find(result)                 what the call returns; stands alone
 *   jdbc                                         a ready-made set (parameter_sets.h)
 *
 * In `tags` each begins with a key: user:com.acme.Session.handle(0.getUser())
 *
 * A pattern has no parentheses: the first '(' begins what is read.
 */
#ifndef JPROF_OPTIONS_PARAMETER_CHOICE_H
#define JPROF_OPTIONS_PARAMETER_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "options/parameter_sets.h"
#include "options/pattern.h"

enum {
	PARAMETER_PATTERN = 512, /* bytes, with the zero behind */
	PARAMETER_NAME = 128,
	PARAMETER_KEY = 64,
	PARAMETER_TAG_KEYS = 64, /* different ones in one list */
	PARAMETER_PARTS = 4,
	PARAMETER_STEPS = 4,
	PARAMETER_PLACES = 255 /* arguments of a method: JVM specification, 4.3.3 */
};

enum parameter_base {
	BASE_PLACE, /* an argument, by its place */
	BASE_NAME,  /* an argument, by its name */
	BASE_THIS,
	BASE_RESULT
};

/* From an object to another value. */
struct parameter_step {
	bool getter; /* a method without arguments; otherwise a field */
	char name[PARAMETER_NAME];
};

/* One value that is read: base.step.step */
struct parameter_part {
	enum parameter_base base;
	uint32_t place;            /* BASE_PLACE: 0 is the first */
	char name[PARAMETER_NAME]; /* BASE_NAME */
	uint32_t step_count;
	struct parameter_step step[PARAMETER_STEPS];
};

struct parameter_choice {
	char key[PARAMETER_KEY];         /* of a tag; "" for a parameter */
	const struct parameter_set *set; /* NULL: the members below say it */
	char pattern[PARAMETER_PATTERN]; /* for methods */
	uint32_t part_count;             /* at least 1; joined by blanks */
	struct parameter_part part[PARAMETER_PARTS];
	enum value_keep keep;
};

/* Reads an item of `parameters`, of `tags` with tag true. NULL, or why it is none, to stand behind it in a message:
 * "names no argument behind '('". */
const char *parameter_choice_read(const char *item, bool tag, struct parameter_choice *choice);

/* Reads what stands in the parentheses: "0.getMethod() 0.getPath()". NULL, or why it cannot be. */
const char *parameter_parts_read(const char *what, struct parameter_choice *choice);

/* NULL, or why a tag cannot stand in the list beside the items there: the values of one key are kept in one way, and there are
 * PARAMETER_TAG_KEYS at most. */
const char *parameter_choice_clashes(
	const struct parameter_choice *choice, const struct pattern_list *tags);

#endif
