/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sql_shape: see sql_shape.h. Tokens are read one by one, and written as they come; what is known of those before is what
 * lists and names in quotes need.
 */
#include "agent/values/sql_shape.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
	NAME_DIGITS = 3,  /* of a parameter: $1; more are money */
	WORD_MAX = 16     /* bytes of the words that are looked for */
};

/* What a token was, for the next one. */
enum token {
	NOTHING,
	WORD, /* also a name in quotes */
	VALUE,
	OPEN,
	CLOSE,
	COMMA,
	MARK
};

/* What a word says about what follows it. */
enum word_meaning {
	ANY_WORD = 0,
	BEFORE_NAME = 1,   /* "x" behind it is a name */
	BEFORE_LIST = 2,   /* IN */
	BEFORE_ROWS = 4,   /* VALUES */
	BEFORE_ESCAPE = 8, /* '\' behind it is one character */
	STRING_PREFIX = 16, /* at a quote it is a part of the string */
	WITH_ESCAPES = 32,  /* in which a backslash escapes */
	ORACLE_QUOTE = 64,  /* q'[...]' */
	VERB = 128
};

static const struct known_word {
	const char *word;
	unsigned meaning;
} known_words[] = {
	{"from", BEFORE_NAME},
	{"join", BEFORE_NAME},
	{"into", BEFORE_NAME},
	{"update", BEFORE_NAME | VERB},
	{"table", BEFORE_NAME},
	{"as", BEFORE_NAME},
	{"in", BEFORE_LIST},
	{"values", BEFORE_ROWS | VERB},
	{"escape", BEFORE_ESCAPE},
	{"n", STRING_PREFIX},
	{"b", STRING_PREFIX},
	{"x", STRING_PREFIX},
	{"g", STRING_PREFIX},
	{"r", STRING_PREFIX},
	{"u&", STRING_PREFIX},
	{"e", STRING_PREFIX | WITH_ESCAPES},
	{"q", STRING_PREFIX | ORACLE_QUOTE},
	{"nq", STRING_PREFIX | ORACLE_QUOTE},
	{"select", VERB},
	{"insert", VERB},
	{"delete", VERB},
	{"merge", VERB},
	{"replace", VERB},
	{"with", VERB},
	{"call", VERB},
	{"exec", VERB},
	{"execute", VERB},
	{"create", VERB},
	{"alter", VERB},
	{"drop", VERB},
	{"truncate", VERB},
	{"grant", VERB},
	{"revoke", VERB},
	{"set", VERB},
	{"begin", VERB},
	{"commit", VERB},
	{"rollback", VERB},
	{"savepoint", VERB},
	{"declare", VERB},
	{"explain", VERB},
	{"analyze", VERB},
	{"show", VERB},
	{"lock", VERB},
	{"upsert", VERB},
	{"copy", VERB},
	{"pragma", VERB},
};

enum { NO_PLACE = SIZE_MAX };

struct shaper {
	const char *at, *end;
	char *shape;
	size_t size, length; /* of the shape: room, and what it would have with room */
	bool blank;          /* in front of the next token */
	enum token before;
	unsigned meaning; /* of the word before, if it was one */
	bool adjacent;    /* nothing is between the token before and the next one */
	bool dot;         /* the token before was a '.' */
	/* The values that the last token belongs to, one behind another in parentheses: */
	unsigned run;    /* 0: none, 1, 2: "?, ..." */
	size_t run_end;  /* where the shape is behind them */
	bool only;       /* they are all that is behind a '(' behind IN */
	uint32_t depth;
	/* Rows, of which the first one stays: */
	uint32_t row_depth; /* outside of them; only if ... */
	enum { NO_ROWS, AWAIT_ROW, IN_ROW, BEHIND_ROW, NEXT_ROW, IN_LEFT_ROW } rows;
	size_t row_end; /* where the shape is behind the first one */
};

/* ---- characters ---- */

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool begins_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' ||
	       c == '#' || (unsigned char)c >= 0x80;
}

static bool is_of_word(char c)
{
	return begins_word(c) || is_digit(c) || c == '$';
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"' || c == '`';
}

/* The n-th character further on, or 0. */
static char ahead(const struct shaper *shaper, size_t n)
{
	return n < (size_t)(shaper->end - shaper->at) ? shaper->at[n] : '\0';
}
