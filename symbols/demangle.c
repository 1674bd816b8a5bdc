/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* demangle: see demangle.h. */
#include "symbols/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * What __cxa_demangle is made of (libiberty's cp-demangle.c): hands the text out piece by piece, and
 * allocates nothing. Names of some hundred bytes can mean texts of gigabytes: we leave it as soon
 * as the buffer is full. 0, or a negative number where the name is not mangled.
 */
int __gcclibcxx_demangle_callback(
	const char *name, void (*put)(const char *, size_t, void *), void *user);

/* Beyond that the demangler refuses, and would use too much of the stack before it does. */
enum { NAME_MAX_LENGTH = 1000 };

struct text {
	char *bytes;
	size_t length, size;
	jmp_buf full;
};

static void put(const char *bytes, size_t length, void *user)
{
	struct text *text = user;

	if (length >= text->size - text->length)
		_longjmp(text->full, 1);
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static bool demangle_all(const char *name, char *buffer, size_t size)
{
	struct text text = {.bytes = buffer, .size = size};

	if (_setjmp(text.full) != 0)
		return false;
	if (__gcclibcxx_demangle_callback(name, put, &text) != 0)
		return false;
	buffer[text.length] = '\0';
	return text.length > 0;
}

static bool cut_end(char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	if (length < end_length || strcmp(text + length - end_length, end) != 0)
		return false;
	text[length - end_length] = '\0';
	return true;
}

/* Text ends with a bracket: where its partner is, or NULL. */
static char *partner(char *text, char open)
{
	char *end = text + strlen(text) - 1;
	int depth = 0;

	for (char *at = end; at >= text; at--) {
		depth += *at == *end;
		depth -= *at == open;
		if (depth == 0)
			return at;
	}
	return NULL;
}

/* Cuts " const [clone .cold]" and the like off, then the list of parameters. False: it has none. */
static bool cut_parameters(char *text)
{
	static const char *const ends[] = {" const", " volatile", "&", " "};
	char *open;

	while (cut_end(text, "]")) {
		open = strrchr(text, '[');
		if (!open)
			return false;
		*open = '\0';
		cut_end(text, " ");
	}
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (cut_end(text, ends[i]))
			i = SIZE_MAX; /* from the first one again */
	}
	if (*text == '\0' || text[strlen(text) - 1] != ')')
		return false;
	open = partner(text, '(');
	if (!open || open == text || strcmp(open, "(anonymous namespace)") == 0)
		return false;
	*open = '\0';
	return true;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Functions of templates have their type in front: "void f<int>". What is left of the last space that
 * is within no brackets, and in front of "operator new". */
static char *behind_type(char *text)
{
	static const char operator[] = "operator";
	char *start = text;
	int depth = 0;

	for (char *at = text; *at != '\0'; at++) {
		if (depth == 0 && strncmp(at, operator, strlen(operator)) == 0 &&
			(at == text || !is_word(at[-1])) && !is_word(at[strlen(operator)]))
			break;
		if (at[0] == '-' && at[1] == '>')
			at++;
		else if (strchr("<({[", *at))
			depth++;
		else if (strchr(">)}]", *at))
			depth--;
		else if (*at == ' ' && depth == 0)
			start = at + 1;
	}
	return *start != '\0' ? start : text;
}

const char *demangle(const char *name, char *buffer, size_t size)
{
	if (strncmp(name, "_Z", 2) != 0 || size == 0 ||
		strnlen(name, NAME_MAX_LENGTH + 1) > NAME_MAX_LENGTH ||
		!demangle_all(name, buffer, size))
		return name;
	if (cut_parameters(buffer))
		return behind_type(buffer);
	return *buffer != '\0' ? buffer : name;
}
