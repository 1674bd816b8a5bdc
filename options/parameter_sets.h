/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * parameter_sets: values that many programs want to be told of, ready-made: a name for a table of methods, and what is read of them.
 *
 * A prepared statement has no text of its own, so rows do more than items of the option can say: the object that a call
 * returns, or `this`, may stand for the value from then on, and calls of that object have it.
 *
 *   c.prepareStatement(text) -> s      the value of text; s stands for it
 *   s.executeQuery() -> r              the value that s stands for; r stands for it, too
 *   r.next()                           the value that r stands for; true counts as a row
 *
 * Patterns name classes and interfaces; the rows are for methods of all classes that are below these. A row is for a
 * method only if that has the argument, and the first row of a set that is for a method is used. */
#ifndef JPROF_OPTIONS_PARAMETER_SETS_H
#define JPROF_OPTIONS_PARAMETER_SETS_H

#include <stdbool.h>
#include <stddef.h>

/* How the text of a value is kept (agent/values/value_text.h). */
enum value_keep {
	KEEP_AUTO,  /* a statement of SQL by its shape, all else plain */
	KEEP_PLAIN, /* as it is */
	KEEP_HASH,  /* a number of it, with a key that only the process knows */
	KEEP_SHAPE, /* SQL without the values in it */
	KEEP_ROUTE, /* the path of a URL without the values in it */
	VALUE_KEEPS
};

/* "auto", "plain"... */
const char *value_keep_word(enum value_keep keep);

/* False: no such word. */
bool value_keep_find(const char *word, enum value_keep *keep);

enum {
	STANDS_RESULT =
		1,      /* the object that the call returns stands for the value from then on */
	STANDS_THIS = 2 /* the object whose method it is does */
};

struct parameter_row {
	const char *pattern; /* for methods; NULL behind the last row */
	const char *
		what; /* as parameter_parts_read takes it; NULL: the value that `this` stands for */
	enum value_keep keep; /* if there is `what` */
	unsigned stands;      /* STANDS_... */
	bool counts_true;     /* results that are true are counted */
	bool aside; /* its calls have the value, but are not counted as calls with it */
};

struct parameter_set {
	const char *name; /* NULL behind the last set */
	/* Of calls inside one another, as wrappers and pools have them, only the outermost is told. */
	bool once;
	const struct parameter_row *row;
};

extern const struct parameter_set parameter_sets[];

/* NULL: there is none of that name. */
const struct parameter_set *parameter_set_find(const char *name, size_t length);

#endif
