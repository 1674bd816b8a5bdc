/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* parameter_choice: see parameter_choice.h. */
#include "options/parameter_choice.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What no name of a field, a method or an argument holds (JVM specification, 4.2.2), or parts the words here. */
static const char no_name[] = ".;[/<>() ";

static const char no_base[] = "has a name that is empty or longer than 127 bytes; legal are "
			      "0, 1..., a name, this and "
			      "result, each with .field or .getter() behind it, four at most";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A name up to what is in no_name. False: it is empty, or too long. */
static bool read_name(const char **at, char name[PARAMETER_NAME])
{
	size_t length = strcspn(*at, no_name);

	if (length == 0 || length >= PARAMETER_NAME)
		return false;
	memcpy(name, *at, length);
	name[length] = '\0';
	*at += length;
	return true;
}

static const char *read_base(const char **at, struct parameter_part *part)
{
	static const struct {
		const char *word;
		enum parameter_base base;
	} words[] = {{"this", BASE_THIS}, {"result", BASE_RESULT}};
	char *end;

	if (!read_name(at, part->name))
		return no_base;
	part->base = BASE_NAME;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(part->name, words[i].word) == 0)
			part->base = words[i].base;
	/* Names of Java begin with no digit. */
	if (is_digit(part->name[0])) {
		unsigned long place = strtoul(part->name, &end, 10);

		if (*end || place >= PARAMETER_PLACES)
			return "has a place of an argument that is no number from 0 to 254";
		part->base = BASE_PLACE;
		part->place = (uint32_t)place;
	}
	if (part->base != BASE_NAME)
		part->name[0] = '\0';
	return NULL;
}

/* base.field.getter() */
static const char *read_part(const char **at, struct parameter_part *part)
{
	const char *wrong = read_base(at, part);

	if (wrong)
		return wrong;
	while (**at == '.') {
		struct parameter_step *step = &part->step[part->step_count];

		if (part->step_count++ == PARAMETER_STEPS)
			return "has more than four fields and getters in a row";
		++*at;
		if (!read_name(at, step->name))
			return no_base;
		step->getter = strncmp(*at, "()", 2) == 0;
		*at += step->getter ? 2 : 0;
	}
	return NULL;
}

const char *parameter_parts_read(const char *what, struct parameter_choice *choice)
{
	bool result = false;

	choice->part_count = 0;
	while (true) {
		struct parameter_part *part = &choice->part[choice->part_count];
		const char *wrong;

		if (choice->part_count++ == PARAMETER_PARTS)
			return "has more than four values joined by blanks";
		*part = (struct parameter_part){0};
		wrong = read_part(&what, part);
		if (wrong)
			return wrong;
		result |= part->base == BASE_RESULT;
		if (*what != ' ')
			break;
		what += strspn(what, " ");
	}
	if (*what)
		return "has something else than .field, .getter() or a blank behind a value";
	return result && choice->part_count > 1
		       ? "joins the result, which is there when the call ends, with "
			 "something else"
		       : NULL;
}

/* "KEY:" in front of the rest. */
static const char *read_key(const char **item, char key[PARAMETER_KEY])
{
	const char *colon = strchr(*item, ':');
	size_t length = colon ? (size_t)(colon - *item) : 0;

	if (!colon || strcspn(*item, "(") < length)
		return "has no key in front of a ':', like user:com.acme.Session.handle(0)";
	if (length == 0 || length >= PARAMETER_KEY)
		return "has a key that is empty or longer than 63 bytes";
	for (size_t i = 0; i < length; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
			    (*item)[i]))
			return "has a key that is not of letters, digits, '_' and '-'";
	memcpy(key, *item, length);
	key[length] = '\0';
	*item = colon + 1;
	return NULL;
}

/* The pattern in front of the '('. */
static const char *read_pattern(
	const char *item, size_t length, char pattern[PARAMETER_PATTERN])
{
	if (length == 0)
		return "has no pattern for methods in front of '('";
	if (length >= PARAMETER_PATTERN)
		return "has a pattern of more than 511 bytes";
	memcpy(pattern, item, length);
	pattern[length] = '\0';
	return strpbrk(pattern, ",;:|/[]() ")
		       ? "has a pattern with one of , ; : | / [ ] ( ) or a blank"
		       : NULL;
}

/* What is behind the ')' that ends what is read: nothing, or ":KEEP". */
static const char *read_keep(const char *rest, enum value_keep *keep)
{
	*keep = KEEP_AUTO;
	if (*rest == '\0')
		return NULL;
	if (*rest != ':' || !value_keep_find(rest + 1, keep))
		return "has something else than :auto, :plain, :hash, :shape or :route behind "
		       "its last ')'";
	return NULL;
}

const char *parameter_choice_read(const char *item, bool tag, struct parameter_choice *choice)
{
	char what[PARAMETER_PARTS * (PARAMETER_STEPS + 1) * (PARAMETER_NAME + 3)];
	const char *open, *close, *wrong = NULL;
	size_t length;

	*choice = (struct parameter_choice){0};
	if (tag)
		wrong = read_key(&item, choice->key);
	if (wrong)
		return wrong;
	choice->set = parameter_set_find(item, strlen(item));
	if (choice->set)
		return NULL;
	open = strchr(item, '(');
	if (!open)
		return "is no ready-made set (jdbc, http, http_client, jms, jndi), and names "
		       "in no "
		       "parentheses what is read, like com.acme.Orders.find(0)";
	wrong = read_pattern(item, (size_t)(open - item), choice->pattern);
	if (wrong)
		return wrong;
	close = strrchr(open, ')');
	if (!close)
		return "has no ')' at the end of what is read";
	length = (size_t)(close - open - 1);
	if (length >= sizeof(what))
		return no_base;
	memcpy(what, open + 1, length);
	what[length] = '\0';
	wrong = parameter_parts_read(what, choice);
	return wrong ? wrong : read_keep(close + 1, &choice->keep);
}

/* True: both items of `tags` have the same key. */
static bool same_key(const char *one, const char *other)
{
	size_t length = strcspn(one, ":");

	return strncmp(one, other, length) == 0 && other[length] == ':';
}

const char *parameter_choice_clashes(
	const struct parameter_choice *choice, const struct pattern_list *tags)
{
	const char *known[PARAMETER_TAG_KEYS];
	struct parameter_choice other;
	size_t keys = 0;
	bool is_new = true;

	for (size_t i = 0; i < tags->count; i++) {
		const char *item = tags->pattern[i];
		size_t at = 0;

		while (at < keys && !same_key(known[at], item))
			at++;
		if (at == keys && keys < PARAMETER_TAG_KEYS)
			known[keys++] = item;
		if (parameter_choice_read(item, true, &other) != NULL ||
			strcmp(choice->key, other.key) != 0)
			continue;
		is_new = false;
		if (choice->set != other.set && (choice->set || other.set))
			return "is of a key that has a ready-made set, which then stands alone";
		if (choice->keep != other.keep)
			return "is of a key whose values are kept in another way";
	}
	return is_new && keys == PARAMETER_TAG_KEYS
		       ? "is of one more key than the 64 that there may be"
		       : NULL;
}
