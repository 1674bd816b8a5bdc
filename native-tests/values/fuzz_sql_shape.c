/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as a statement: its shape is its own shape. The first byte may also ask for a statement of a database's
 * dialect, which is made of pieces that the other bytes choose: of its literals, which have SECRET and DIGITS all over,
 * and things in them that end literals elsewhere, nothing may be left.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/values/sql_shape.h"
#include "native-tests/fuzz/text_mutator.h"

#define SECRET "Zq7x"
#define DIGITS "8642"

enum { TEXT = 1 << 15, SHAPE = 8 * TEXT, DIALECT_PIECES = 9 };

static void require(bool condition, const char *what, const char *text, size_t length)
{
	if (condition)
		return;
	fprintf(stderr, "violated: %s: %.*s\n", what, (int)length, text);
	abort();
}

/* ---- dialects ---- */

/* How a quote and a backslash within a string are written. */
struct string_form {
	const char *begin, *end, *quote, *other_quote, *backslash;
};

struct dialect {
	struct string_form strings[4];
	/* What stands outside of literals there, and elsewhere might begin or end one. */
	const char *pieces[DIALECT_PIECES];
};

static const struct dialect dialects[] = {
	/* PostgreSQL */
	{{{"'", "'", "''", "''", "\\"}, {"E'", "'", "\\'", "''", "\\\\"},
		 {"$$", "$$", "'", "\"", "\\"}, {"$a$", "$a$", "'", "$$", "\\"}},
		{"t.\"it's\"", "from \"a\\\" ", "/* ' /* \" */ ' */", "-- it's\n", "a[b]",
			" #>> ", " like x escape '\\' ", "--it's\n", "a # "}},
	/* MySQL */
	{{{"'", "'", "\\'", "''", "\\\\"}, {"\"", "\" ", "\\\"", "\"\"", "\\\\"},
		 {"n'", "'", "''", "\\'", "\\\\"}, {"_utf8'", "'", "\\'", "''", "\\\\"}},
		{"`it's`", "`a\"`.`b\\`", "/* ' */", "/* /* ' */", "# it's\n", "#it's\n",
			" like x escape '\\\\' ", " like x escape '\\'' ", "5--x"}},
	/* Oracle */
	{{{"'", "'", "''", "''", "\\"}, {"q'[", "]'", "'", "\"", "\\"},
		 {"nq'!", "!'", "'", "\"", "\\"}, {"N'", "'", "''", "''", "\\"}},
		{"t.\"it's\"", "\"a\\\"", "/* ' */", "/* /* ' */", "-- '\n", " v$x ", " a# ",
			" like x escape '\\' ", "--it's\n"}},
	/* SQL Server */
	{{{"'", "'", "''", "''", "\\"}, {"N'", "'", "''", "''", "\\"},
		 {"'", "'", "''", "''", "\\"}, {"N'", "'", "''", "''", "\\"}},
		{" [it's]", " [a]]b's]", " [a]]].[b'] ", "/* ' /* ' */ ' */", "-- '\n",
			" from #t ", " \"it's\" ", " @@x ", "--it's\n"}},
};

static const char *const pieces[] = {"select ", " from t ", " where a ", " = ", " like ", "(",
	")", ", ", " in (", " in ((", "), (", " values (", "),(", " and ", ".x", " x", "::int",
	" :name ", " ? ", " array[", "]", "[", " - ", "a-b", "\n", "||", " {ts ", "}", " as x ",
	" into t ", " @v ", " $1 ", ";", " end", " " DIGITS, " -" DIGITS, "," DIGITS "." DIGITS,
	"(" DIGITS "e+" DIGITS, " 0x" DIGITS, " ." DIGITS, "=-." DIGITS "e-" DIGITS " "};

static const char *const inside[] = {"", "\n", "--", "/*", "*/", "#", "[", "]", "$", "$a$ ",
	"(", ",", ")", "-- \n", "select ", " from ", "`", "\"", "?", ":", "e", "1", ".", "\r",
	"\\\\"};

enum {
	PIECES = sizeof(pieces) / sizeof(pieces[0]),
	INSIDE = sizeof(inside) / sizeof(inside[0])
};

struct made {
	char text[TEXT];
	size_t length;
};

static void add(struct made *made, const char *piece)
{
	size_t length = strlen(piece);

	memcpy(made->text + made->length, piece, length);
	made->length += length;
}

/* A string of the form, with what the bytes choose between secrets. */
static void add_string(
	struct made *made, const struct string_form *form, const uint8_t *bytes, size_t count)
{
	static const char *const in_front[] = {"=", "(", ", ", " like ", "||"};

	add(made, in_front[bytes[0] % 5]);
	add(made, form->begin);
	add(made, SECRET);
	for (size_t i = 1; i < count; i++) {
		uint8_t chosen = bytes[i] % (INSIDE + 3);
		const char *piece = chosen < INSIDE        ? inside[chosen]
				    : chosen == INSIDE     ? form->quote
				    : chosen == INSIDE + 1 ? form->other_quote
							   : form->backslash;

		/* What would end this one, or needs to be written otherwise, is none. */
		if (chosen < INSIDE &&
			(strstr(piece, form->end) || strchr(piece, form->begin[0])))
			piece = "";
		add(made, piece);
		add(made, SECRET);
	}
	add(made, form->end);
}

static void make(struct made *made, const uint8_t *bytes, size_t size)
{
	const struct dialect *dialect = &dialects[size ? bytes[0] % 4 : 0];

	for (size_t i = 1; i + 6 < size && made->length < TEXT - 400; i++) {
		if (bytes[i] < 160) {
			add(made, pieces[bytes[i] % PIECES]);
		} else if (bytes[i] < 190) {
			add(made, dialect->pieces[bytes[i] % DIALECT_PIECES]);
		} else {
			add_string(made, &dialect->strings[bytes[i] % 4], bytes + i + 1,
				1 + bytes[i] / 4 % 5);
			i += 5;
		}
	}
}

/* ---- what must be so ---- */

static size_t check_shape(const char *text, size_t length, char *shape)
{
	static char again[SHAPE], part[SHAPE];
	size_t shaped = sql_shape(text, length, shape, SHAPE), size = shaped / 2;

	require(shaped < SHAPE, "a shape is no eight times as long", text, length);
	require(sql_shape(text, length, part, size) == shaped, "the length is the whole's",
		text, length);
	require(memcmp(part, shape, size) == 0, "a part is the first bytes", text, length);
	require(sql_shape(shape, shaped, again, SHAPE) == shaped &&
			memcmp(again, shape, shaped) == 0,
		"a shape is its own", text, length);
	is_sql(text, length);
	return shaped;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static char shape[SHAPE];
	static struct made made;
	size_t length;

	if (size == 0 || size > TEXT)
		return 0;
	if (bytes[0] % 2 == 0) {
		check_shape((const char *)bytes + 1, size - 1, shape);
		return 0;
	}
	made.length = 0;
	make(&made, bytes + 1, size - 1);
	length = check_shape(made.text, made.length, shape);
	require(!memmem(shape, length, SECRET, strlen(SECRET)), "no string is left", made.text,
		made.length);
	require(!memmem(shape, length, DIGITS, strlen(DIGITS)), "no number is left", made.text,
		made.length);
	return 0;
}

/* ---- mutations ---- */

static const char *const words[] = {"select", "from", "values", "in", "escape", "as", "'", "''",
	"\"", "`", "\\", "(", ")", ",", "--", "/*", "*/", "#", "[", "]", "$$", "$a$", "q'[",
	"]'", "E'", "-", "?", ":1", "1e5", "...", ".", "\n", NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return text_mutate(data, size, max_size, 1, words, seed);
}
