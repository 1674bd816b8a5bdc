/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * value_rows: which values are read in which methods: what the options `parameters` and `tags` come to.
 *
 *   option: jdbc, user:com.acme.Web.handle(0.user)
 *      |
 *      v  value_rows_begin
 *   rows: a pattern for methods, what is read there, what it is for
 *      |
 *      v  value_readings_of: a method, as its class passes
 *   readings: numbers, each of which is a step that the probe of a method does (agent/probes/parameter_probes.h)
 *
 * A pattern that names a class without '*' is for the methods of that name of all classes below it, too. Where it cannot be told
 * whether a class is, as its super classes are not loaded yet, it is seen when the method is called.
 *
 * Owns: rows and readings, for good, as code that has them may run at any time; the same ones are used again.
 * Runs: begin and end by one thread at a time; the rest on any, where a new reading takes LOCK_READINGS.
 */
#ifndef JPROF_VALUE_ROWS_H
#define JPROF_VALUE_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/jvm/jvm.h"
#include "agent/jvm/object_text.h"
#include "agent/rewrite/rewrite.h"
#include "options/options.h"
#include "options/parameter_choice.h"

enum { VALUE_ROWS_MAX = 1024 };

struct value_row {
	const char *text;               /* what it was made of: its key among the rows */
	struct parameter_choice choice; /* part_count 0: the value that `this` stands for */
	/* The class that the receiver must be of, "com/acme/Foo"; NULL: the pattern alone tells. */
	char *below;
	const char *method; /* pattern of the method's name, with that */
	unsigned stands;    /* STANDS_... */
	bool counts_true;   /* results that are true are counted */
	bool once;          /* not within a call that has a value of the parameter already */
	bool aside;         /* its calls are not counted as calls with the value */
	/* The number of values.h; 0: the recording has no such row. */
	_Atomic uint32_t parameter;
	_Atomic uint8_t sessions; /* that want it, a bit each */
	/* Of the parts' steps: what they are in classes that were seen. */
	struct member_cache member[PARAMETER_PARTS][PARAMETER_STEPS];
};

/* What the probe does with what it is given. */
enum reading_step {
	READ_CHECK,  /* `this`: is it of the row's class? */
	READ_PART,   /* a part of the value */
	READ_RECALL, /* `this`: what it stands for is the value */
	READ_STAND,  /* it stands for the value from then on */
	READ_TRUE,   /* a result that is true counts */
	READ_RETURN  /* a result that is the value */
};

/* What READ_CHECK has found out of a method's receivers. */
struct receivers {
	struct member_cache seen;
	char *declarer; /* Java name of the class that has the method */
	/* Of READ_RETURN, which has no `this` any more: is that class of the row's? Receivers, as they come, show it. */
	_Atomic(enum {DECLARER_UNKNOWN, DECLARER_BELOW, DECLARER_OTHER}) is;
};

struct value_reading {
	struct value_row *row;
	struct receivers *receivers; /* of READ_CHECK, and of READ_RETURN behind one */
	uint32_t method;             /* id */
	uint8_t step;                /* enum reading_step */
	uint8_t part;                /* of READ_PART and READ_RETURN: of the row's choice */
	char type; /* of READ_PART and READ_RETURN: what it is given, as in a descriptor */
	bool first, last; /* of those at the entry: the value begins, is complete */
};

/* Makes the rows of the options active for the session of that bit. patterns, which is empty, gets those of the methods that they are
 * for. 0, or a negative code: none is, for that one. */
int value_rows_begin(const struct options *options, unsigned session,
	struct pattern_list *patterns, struct error *error);

/* That session wants none any more; others may. */
void value_rows_leave(unsigned session);

/* None is active. */
void value_rows_end(void);

/* True if some are for what is below a class: what classes are below (class_kin.h) is then to be noted. */
bool value_rows_ask_kin(void);

/* Rows that are active for the session are for a method like that, as far as its names tell. */
bool value_rows_want(const struct jvm_method *method, unsigned session);

/* The readings of the method, whose id that is, into reading; how many. */
unsigned value_readings_of(const struct jvm_method *method, uint32_t id,
	const struct rewrite_method *code, struct rewrite_reading reading[READINGS_MAX]);

/* By the number that a probe was given, above 0. */
const struct value_reading *value_reading(uint32_t number);

#endif
