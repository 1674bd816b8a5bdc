/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sql_shape: see sql_shape.h. Tokens are read one by one, and written as they come; what is known of those before is what
 * lists and names in quotes need.
 */
#include "agent/values/sql_shape.h"

#include <stdint.h>
#include <string.h>

enum { PARAMETER_DIGITS = 3 }; /* of ?1, :1, $1; with more it may be money, or a time */

/* What the token before was. */
enum token { NOTHING, WORD /* or a name in quotes */, VALUE, OPEN, CLOSE, COMMA, MARK };

/* What a word says about what follows it. */
enum word_meaning {
	BEFORE_NAME = 1,     /* "x" is a name there */
	BEFORE_LIST = 2,     /* IN */
	BEFORE_ROWS = 4,     /* VALUES */
	BEFORE_ESCAPE = 8,   /* '\' is one character there */
	IN_SELECT = 16,      /* FROM: names follow it only in parentheses that hold a SELECT, */
	NOT_BEHIND = 32,     /* and not behind DISTINCT */
	BEGINS_SELECT = 64,  /* SELECT */
	STRING_PREFIX = 128, /* if a quote follows at once, it is a part of the string */
	WITH_ESCAPES = 256,  /* in which a backslash escapes */
	ORACLE_QUOTE = 512   /* whose ends are chosen: q'[...]' */
};

static const struct known_word {
	const char *word;
	unsigned meaning;
} known_words[] = {
	{"select", BEGINS_SELECT},
	{"distinct", NOT_BEHIND},
	{"from", BEFORE_NAME | IN_SELECT},
	{"join", BEFORE_NAME},
	{"into", BEFORE_NAME},
	{"update", BEFORE_NAME},
	{"table", BEFORE_NAME},
	{"set", BEFORE_NAME},
	{"as", BEFORE_NAME},
	{"in", BEFORE_LIST},
	{"values", BEFORE_ROWS},
	{"escape", BEFORE_ESCAPE},
	{"n", STRING_PREFIX},
	{"b", STRING_PREFIX},
	{"x", STRING_PREFIX},
	{"r", STRING_PREFIX},
	{"e", STRING_PREFIX | WITH_ESCAPES},
	{"q", STRING_PREFIX | ORACLE_QUOTE},
	{"nq", STRING_PREFIX | ORACLE_QUOTE},
	{NULL, 0},
};

/* What a statement begins with. */
static const char *const verbs[] = {"select", "insert", "update", "delete", "merge", "replace",
	"upsert", "with", "values", "call", "exec", "execute", "create", "alter", "drop",
	"truncate", "grant", "revoke", "set", "begin", "commit", "rollback", "savepoint",
	"declare", "explain", "analyze", "show", "lock", "copy", "pragma", "do", "if", "use",
	"load", "prepare", "comment", "notify", "refresh", NULL};

/* Of the rows of a list: the first one stays. */
enum rows {
	NO_ROWS,
	AWAIT_ROW,  /* VALUES was there */
	IN_ROW,     /* in the first one */
	BEHIND_ROW, /* a row has ended */
	NEXT_ROW,   /* behind the comma that follows it */
	IN_LEFT_ROW /* in one that is left out when it ends */
};

struct shaper {
	const char *at, *end;
	const char
		*last_quote; /* behind the last one of the text; its begin, if there is none */
	/* The next ones from somewhere on, found before; see next_close. */
	const char *close, *trouble;
	char *shape;
	size_t size, length; /* of the shape: room, and what it has with all room */
	bool blank;          /* white space is in front of the next token */
	enum token before;
	unsigned meaning; /* of the word before, if it was a word */
	char mark;        /* if it was a mark */
	uint32_t depth;   /* parentheses */
	uint64_t
		selects; /* bit i: at depth i there is a SELECT; outside of all as if there was */
	/* Values in parentheses, one behind another, up to the token before: */
	unsigned run;   /* 0: none; 1; 2: "?, ..." */
	size_t run_end; /* the shape's length behind them */
	bool behind_in; /* all that is in these parentheses, which are behind IN */
	enum rows rows;
	uint32_t row_depth; /* outside of the rows */
	uint32_t
		brackets; /* '[' without its ']'; rows are none within, and none has one alone */
	size_t row_end;   /* the shape's length behind the first one */
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
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_of_word(char c)
{
	return begins_word(c) || is_digit(c) || c == '$' || c == '@';
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"' || c == '`';
}

/* The n-th character from here, 0 behind the end. */
static char ahead(const struct shaper *shaper, size_t n)
{
	return n < (size_t)(shaper->end - shaper->at) ? shaper->at[n] : '\0';
}

static bool is_at(const struct shaper *shaper, char first, char second)
{
	return ahead(shaper, 0) == first && ahead(shaper, 1) == second;
}

/* word: of small letters. Not by the locale's rules, by which the small letter of I may be another one. */
static bool equals_word(const char *word, const char *text, size_t length)
{
	size_t same = 0;

	while (same < length && (text[same] | 0x20) == word[same])
		same++;
	return same == length && word[length] == '\0';
}

static size_t word_length(const char *at, const char *end)
{
	size_t length = 0;

	while (at + length < end && is_of_word(at[length]))
		length++;
	return length;
}

/* ---- what is written ---- */

static void put(struct shaper *shaper, const char *text, size_t length)
{
	if (shaper->length < shaper->size) {
		size_t room = shaper->size - shaper->length;

		memcpy(shaper->shape + shaper->length, text, length < room ? length : room);
	}
	shaper->length += length;
}

/* White space in front of a token. */
static void put_gap(struct shaper *shaper, enum token token)
{
	bool none = shaper->before == NOTHING || shaper->before == OPEN || token == CLOSE ||
		    token == COMMA;

	if (!none && (shaper->blank || shaper->before == COMMA))
		put(shaper, " ", 1);
	shaper->blank = false;
}

/* A token other than those that lists are made of. */
static void put_other(struct shaper *shaper, enum token token, const char *text, size_t length)
{
	put_gap(shaper, token);
	put(shaper, text, length);
	shaper->before = token;
	shaper->meaning = 0;
	shaper->mark = *text;
	shaper->run = 0;
	shaper->behind_in = false;
	if (shaper->rows != IN_ROW && shaper->rows != IN_LEFT_ROW)
		shaper->rows = NO_ROWS;
}

static const char more[] = ", ...";

static void put_more(struct shaper *shaper)
{
	shaper->length = shaper->run_end;
	put(shaper, more, sizeof(more) - 1);
	shaper->run = 2;
	shaper->run_end = shaper->length;
}

static void put_value(struct shaper *shaper, const char *text, size_t length)
{
	bool item = shaper->depth > 0 && (shaper->before == OPEN || shaper->before == COMMA);
	unsigned run = item ? shaper->run : 0;
	bool behind_in = item && shaper->behind_in;

	if (run == 1) {
		put_more(shaper);
	} else if (run == 2) {
		shaper->length = shaper->run_end;
	} else {
		put_other(shaper, VALUE, text, length);
		shaper->run = item;
		shaper->run_end = shaper->length;
	}
	shaper->blank = false;
	shaper->before = VALUE;
	shaper->behind_in = behind_in;
}

static void put_comma(struct shaper *shaper)
{
	bool behind_row = shaper->rows == BEHIND_ROW && shaper->depth == shaper->row_depth;
	unsigned run = shaper->before == VALUE ? shaper->run : 0;
	bool behind_in = shaper->behind_in;

	put_other(shaper, COMMA, ",", 1);
	shaper->run = run;
	shaper->behind_in = behind_in;
	if (behind_row)
		shaper->rows = NEXT_ROW;
}

static void put_open(struct shaper *shaper)
{
	bool list = shaper->before == WORD && shaper->meaning & BEFORE_LIST;
	enum rows rows = shaper->rows;

	if (shaper->before == OPEN && shaper->behind_in) {
		rows = IN_ROW; /* IN ((1, 2), (3, 4)) */
		shaper->row_depth = shaper->depth;
	} else if (rows == AWAIT_ROW) {
		rows = IN_ROW;
	} else if (rows == NEXT_ROW) {
		rows = IN_LEFT_ROW;
	} else if (rows == BEHIND_ROW) {
		rows = NO_ROWS;
	}
	put_other(shaper, OPEN, "(", 1);
	shaper->rows = shaper->brackets == 0 ? rows : NO_ROWS;
	shaper->behind_in = list;
	shaper->depth++;
	if (shaper->depth < 64)
		shaper->selects &= ~(UINT64_C(1) << shaper->depth);
}

static void put_close(struct shaper *shaper)
{
	enum rows rows = shaper->rows;

	if (shaper->behind_in && shaper->run == 1 && shaper->before == VALUE)
		put_more(shaper);
	put_other(shaper, CLOSE, ")", 1);
	shaper->depth -= shaper->depth > 0;
	if (shaper->depth != shaper->row_depth || shaper->brackets > 0)
		return;
	if (rows == IN_ROW)
		shaper->row_end = shaper->length;
	if (rows == IN_LEFT_ROW)
		shaper->length = shaper->row_end;
	shaper->rows = rows == IN_ROW || rows == IN_LEFT_ROW ? BEHIND_ROW : NO_ROWS;
}

/* A literal up to there. */
static void take_literal(struct shaper *shaper, const char *end)
{
	put_value(shaper, "?", 1);
	shaper->at = end;
}

/* Where what follows ends is not known: all of it. */
static void take_rest(struct shaper *shaper)
{
	take_literal(shaper, shaper->end);
}

/* ---- comments ---- */

static void skip_line(struct shaper *shaper)
{
	while (shaper->at < shaper->end && *shaper->at != '\n')
		shaper->at++;
	shaper->blank = true;
}

/* A comment to the end of the line, in some databases only: nothing must begin in it that may end in another line. */
static void take_doubtful_line(struct shaper *shaper)
{
	for (const char *at = shaper->at; at < shaper->end && *at != '\n'; at++)
		if (is_quote(*at) || *at == '$' ||
			(*at == '*' && at > shaper->at && at[-1] == '/')) {
			take_rest(shaper);
			return;
		}
	skip_line(shaper);
}

static void take_dashes(struct shaper *shaper)
{
	if (is_blank(ahead(shaper, 2)))
		skip_line(shaper);
	else
		take_doubtful_line(shaper); /* 5--3 in MySQL */
}

static void take_comment(struct shaper *shaper)
{
	for (const char *at = shaper->at + 2; at + 1 < shaper->end; at++) {
		if (at[0] == '*' && at[1] == '/') {
			shaper->at = at + 2;
			shaper->blank = true;
			return;
		}
		if (at[0] == '/' && at[1] == '*')
			break;
	}
	take_rest(shaper);
}

/* ---- strings and names in quotes ---- */

/* Behind the string that begins here with a quote. NULL: it has no end, or databases differ about where that is. */
static const char *string_end(const struct shaper *shaper, unsigned meaning)
{
	char quote = *shaper->at;

	for (const char *at = shaper->at + 1; at < shaper->end; at++) {
		const char *slashes = at;

		while (at < shaper->end && *at == '\\')
			at++;
		if (at == shaper->end)
			return NULL;
		if (*at == quote && (at - slashes) % 2 != 0) {
			bool one = meaning & BEFORE_ESCAPE && at == shaper->at + 2;

			if (one && (at + 1 == shaper->end || at[1] != quote))
				return at + 1;
			if (!(meaning & WITH_ESCAPES))
				return NULL;
		} else if (*at == quote) {
			if (at + 1 == shaper->end || at[1] != quote)
				return at + 1;
			at++;
		}
	}
	return NULL;
}

/* Of q'[...]', which begins here with the quote. */
static const char *oracle_end(const struct shaper *shaper)
{
	static const char opening[] = "[{(<", closing[] = "]})>";
	char close = ahead(shaper, 1);
	const char *pair = close ? strchr(opening, close) : NULL;

	if (pair)
		close = closing[pair - opening];
	for (const char *at = shaper->at + 2; at + 1 < shaper->end; at++)
		if (at[0] == close && at[1] == '\'')
			return at + 2;
	return NULL;
}

static void take_string(struct shaper *shaper, unsigned meaning)
{
	const char *end =
		meaning & ORACLE_QUOTE ? oracle_end(shaper) : string_end(shaper, meaning);

	take_literal(shaper, end ? end : shaper->end);
}

/* "x" or `x`. */
static void take_quoted(struct shaper *shaper)
{
	const char *end = string_end(shaper, 0);
	bool name = *shaper->at == '`' ||
		    (shaper->before == WORD && shaper->meaning & BEFORE_NAME) ||
		    (shaper->before == MARK && shaper->mark == '.');

	if (end && (name || (end < shaper->end && *end == '.'))) {
		put_other(shaper, WORD, shaper->at, (size_t)(end - shaper->at));
		shaper->at = end;
	} else {
		take_literal(shaper, end ? end : shaper->end);
	}
}

/* The next ']', or what cannot be told from an end of a string; each part of the text is looked through once. */
static const char *next_close(struct shaper *shaper)
{
	if (shaper->close < shaper->at)
		shaper->close = shaper->at;
	while (shaper->close < shaper->end && *shaper->close != ']')
		shaper->close++;
	return shaper->close;
}

static const char *next_trouble(struct shaper *shaper)
{
	const char *at = shaper->trouble < shaper->at ? shaper->at : shaper->trouble;

	while (at < shaper->end && !is_quote(*at) && *at != '#' && *at != '$' &&
		!(at + 1 < shaper->end &&
			((at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*'))))
		at++;
	shaper->trouble = at;
	return at;
}

/* [x] is a name to SQL Server, a place in an array to others. In a name "]]" is a ']'. */
static void take_bracket(struct shaper *shaper)
{
	const char *close = next_close(shaper);

	if (begins_word(ahead(shaper, 1)) && close < shaper->end) {
		size_t inside = (size_t)(close - shaper->at - 1);
		bool doubled = close + 1 < shaper->end && close[1] == ']' &&
			       !memchr(shaper->at + 1, '[', inside);

		if (doubled || next_trouble(shaper) < close) {
			take_rest(shaper);
			return;
		}
	}
	put_other(shaper, MARK, shaper->at, 1);
	shaper->brackets++;
	shaper->at++;
}

/* ---- words, numbers, parameters ---- */

static unsigned meaning_of(const char *word, size_t length)
{
	const struct known_word *known = known_words;

	while (known->word && !equals_word(known->word, word, length))
		known++;
	return known->meaning;
}

static void take_word(struct shaper *shaper)
{
	size_t length = word_length(shaper->at, shaper->end);
	unsigned meaning = meaning_of(shaper->at, length);
	unsigned before = shaper->before == WORD ? shaper->meaning : 0;
	uint64_t here = shaper->depth < 64 ? UINT64_C(1) << shaper->depth : 0;

	if (meaning & STRING_PREFIX && ahead(shaper, length) == '\'') {
		shaper->at += length;
		take_string(shaper, meaning);
		return;
	}
	/* trim(both from "x"), is distinct from "x" */
	if (meaning & IN_SELECT && (!(shaper->selects & here) || before & NOT_BEHIND))
		meaning = 0;
	put_other(shaper, WORD, shaper->at, length);
	shaper->meaning = meaning;
	if (meaning & BEGINS_SELECT)
		shaper->selects |= here;
	if (meaning & BEFORE_ROWS) {
		shaper->rows = AWAIT_ROW;
		shaper->row_depth = shaper->depth;
	}
	shaper->at += length;
}

/* #t is a table of SQL Server, s# a column of Oracle, and # begins a comment in MySQL. */
static void take_hash(struct shaper *shaper)
{
	bool behind_word = shaper->before == WORD && !shaper->blank;
	bool name = (shaper->before == WORD && shaper->meaning & BEFORE_NAME) ||
		    (shaper->before == MARK && shaper->mark == '.');

	if (ahead(shaper, 1) == '>') {
		put_other(shaper, MARK, shaper->at, 1);
		shaper->at++;
	} else if (!behind_word && !begins_word(ahead(shaper, 1))) {
		take_doubtful_line(shaper);
	} else if (!name && shaper->last_quote > shaper->at) {
		take_rest(shaper);
	} else {
		size_t length = 1 + word_length(shaper->at + 1, shaper->end);

		put_other(shaper, WORD, shaper->at, length);
		shaper->at += length;
	}
}

static void take_number(struct shaper *shaper)
{
	const char *at = shaper->at + 1;

	for (; at < shaper->end; at++) {
		bool sign = (*at == '+' || *at == '-') && (at[-1] | 0x20) == 'e' &&
			    at + 1 < shaper->end && is_digit(at[1]);

		if (!is_of_word(*at) && *at != '.' && !sign)
			break;
	}
	take_literal(shaper, at);
}

/* A parameter: ?1, :name, $1, @p. False: it is none. */
static bool take_parameter(struct shaper *shaper)
{
	char c = *shaper->at;
	bool digits = is_digit(ahead(shaper, 1));
	bool behind =
		!shaper->blank &&
		(shaper->before == WORD || shaper->before == VALUE || shaper->before == CLOSE ||
			(shaper->before == MARK && shaper->mark == ']'));
	size_t length = 1;

	/* x[1:5] */
	if (digits ? c == ':' && behind : c == '?' || c == '$')
		return false;
	length += word_length(shaper->at + 1, shaper->end);
	for (size_t i = 1; digits && i < length; i++)
		if (!is_digit(shaper->at[i]) || i > PARAMETER_DIGITS)
			return false;
	if (length == 1 || (digits && ahead(shaper, length) == '.'))
		return false;
	put_value(shaper, shaper->at, length);
	shaper->at += length;
	return true;
}

/* $$...$$ or $tag$...$tag$. False: it is none. */
static bool take_dollars(struct shaper *shaper)
{
	const char *tag = shaper->at, *end = tag + 1;
	size_t length;

	while (end < shaper->end && (begins_word(*end) || is_digit(*end)))
		end++;
	if (end == shaper->end || *end != '$')
		return false;
	length = (size_t)(++end - tag);
	/* Tags have a '$' at their ends alone: what is compared ends at the next one. */
	while ((size_t)(shaper->end - end) >= length && memcmp(end, tag, length) != 0)
		end++;
	take_literal(
		shaper, (size_t)(shaper->end - end) >= length ? end + length : shaper->end);
	return true;
}

/* What a character begins that no word, number or string does. */
static void take_mark(struct shaper *shaper)
{
	char c = *shaper->at;

	if (c == '?' && !take_parameter(shaper)) {
		take_literal(shaper, shaper->at + 1);
		return;
	}
	if (c == '?' || ((c == ':' || c == '@') && take_parameter(shaper)))
		return;
	if (c == '$' && (take_parameter(shaper) || take_dollars(shaper)))
		return;
	if ((c == '$' || c == '@') && is_digit(ahead(shaper, 1))) {
		take_number(shaper);
		return;
	}
	if (is_at(shaper, '.', '.') && ahead(shaper, 2) == '.') {
		put_value(shaper, shaper->at, 3);
		shaper->at += 3;
		return;
	}
	if (c == ']' && shaper->brackets == 0)
		shaper->rows = NO_ROWS;
	else if (c == ']')
		shaper->brackets--;
	/* Two that belong together, so that the second one begins nothing. */
	size_t length = is_at(shaper, ':', ':') || is_at(shaper, '@', '@') ? 2 : 1;

	put_other(shaper, MARK, shaper->at, length);
	shaper->at += length;
}

/* 17, .5, and -17 where a value begins. */
static bool is_at_number(const struct shaper *shaper)
{
	char c = ahead(shaper, 0), next = ahead(shaper, 1);
	bool begins = shaper->before == OPEN || shaper->before == COMMA ||
		      (shaper->before == MARK && shaper->mark != ']' && shaper->mark != '.');
	bool qualified = !shaper->blank && !begins && shaper->before != NOTHING;

	if (c == '.')
		return is_digit(next) && !qualified;
	if (c == '-' || c == '+')
		return begins &&
		       (is_digit(next) || (next == '.' && is_digit(ahead(shaper, 2))));
	return is_digit(c);
}

static void take_token(struct shaper *shaper)
{
	char c = *shaper->at;

	if (is_blank(c)) {
		shaper->blank = true;
		shaper->at++;
	} else if (begins_word(c)) {
		take_word(shaper);
	} else if (is_at(shaper, '-', '-')) {
		take_dashes(shaper);
	} else if (is_at(shaper, '/', '*')) {
		take_comment(shaper);
	} else if (c == '#') {
		take_hash(shaper);
	} else if (is_at_number(shaper)) {
		take_number(shaper);
	} else if (c == '\'') {
		take_string(
			shaper, shaper->before == WORD ? shaper->meaning & BEFORE_ESCAPE : 0);
	} else if (c == '"' || c == '`') {
		take_quoted(shaper);
	} else if (c == '[') {
		take_bracket(shaper);
	} else if (c == '(') {
		put_open(shaper);
		shaper->at++;
	} else if (c == ')') {
		put_close(shaper);
		shaper->at++;
	} else if (c == ',') {
		put_comma(shaper);
		shaper->at++;
	} else {
		take_mark(shaper);
	}
}

size_t sql_shape(const char *text, size_t length, char *shape, size_t size)
{
	struct shaper shaper = {.at = text,
		.end = text + length,
		.last_quote = text + length,
		.close = text,
		.trouble = text,
		.shape = shape,
		.size = size,
		.selects = 1};

	while (shaper.last_quote > text && !is_quote(shaper.last_quote[-1]))
		shaper.last_quote--;
	while (shaper.at < shaper.end)
		take_token(&shaper);
	return shaper.length;
}

bool is_sql(const char *text, size_t length)
{
	const char *at = text, *end = text + length;

	while (at < end && (is_blank(*at) || strchr("({?=;#", *at))) {
		if (*at == '#')
			while (at < end && *at != '\n')
				at++;
		at += at < end;
	}
	/* Whatever it is, there are comments in it. */
	if (end - at > 1 && (memcmp(at, "--", 2) == 0 || memcmp(at, "/*", 2) == 0))
		return true;
	length = word_length(at, end);
	for (const char *const *verb = verbs; *verb; verb++)
		if (equals_word(*verb, at, length))
			return true;
	return false;
}
