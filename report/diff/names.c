/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* names: see names.h. */
#include "report/diff/names.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS     "0123456789"
#define HEX_DIGITS DIGITS "abcdefABCDEF"
#define WORD       HEX_DIGITS "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ"

/* What stands before a number, or whatever is made up, in the names of generated classes. */
static const struct {
	const char *before, *made_of, *instead;
} generated[] = {
	{"$$Lambda$", DIGITS, NULL}, /* with the '$' before it */
	{"LambdaForm$MH", DIGITS, ""},
	{"LambdaForm$DMH", DIGITS, ""},
	{"LambdaForm$BMH", DIGITS, ""},
	{"$Proxy", DIGITS, "*"},
	{"jdk.proxy", DIGITS, "*"},
	{"GeneratedMethodAccessor", DIGITS, "*"},
	{"GeneratedConstructorAccessor", DIGITS, "*"},
	{"GeneratedSerializationConstructorAccessor", DIGITS, "*"},
	{"CGLIB$$", HEX_DIGITS, "*"}, /* also SpringCGLIB */
	{"$ByteBuddy$", WORD, "*"},
	{"$MockitoMock$", DIGITS, "*"},
	{"$HibernateProxy$", WORD, "*"},
};

enum { GENERATED = sizeof(generated) / sizeof(*generated) };

/* "/0x00007f12a8001000": what tells hidden classes apart. Its length, or 0. */
static size_t hidden_length(const char *at)
{
	size_t digits;

	if ((*at != '/' && *at != '+' && *at != '.') || at[1] != '0' || at[2] != 'x')
		return 0;
	digits = strspn(at + 3, HEX_DIGITS);
	return digits > 0 ? 3 + digits : 0;
}

/* Whether the text before `at` ends with one of the table's, and a number follows. -1: no. */
static int generated_at(const char *name, const char *at)
{
	for (int i = 0; i < GENERATED; i++) {
		size_t length = strlen(generated[i].before);

		if ((size_t)(at - name) >= length &&
			memcmp(at - length, generated[i].before, length) == 0 &&
			strspn(at, generated[i].made_of) > 0)
			return i;
	}
	return -1;
}

bool out_normal_class(struct out *out, const char *name)
{
	bool changed = false;

	for (const char *at = name; *at != '\0';) {
		size_t hidden = hidden_length(at);
		int found = hidden > 0 ? -1 : generated_at(name, at);

		changed |= hidden > 0 || found >= 0;
		if (hidden > 0) {
			at += hidden;
		} else if (found >= 0) {
			at += strspn(at, generated[found].made_of);
			if (generated[found].instead)
				out_text(out, generated[found].instead);
			else if (out->length > 0)
				out->length--;
		} else {
			out_char(out, *at++);
		}
	}
	return changed;
}

bool out_normal_method(struct out *out, const char *name)
{
	const char *last = strrchr(name, '$');
	bool is_numbered =
		last && last[1] != '\0' && last[1 + strspn(last + 1, DIGITS)] == '\0' &&
		(strncmp(name, "lambda$", 7) == 0 || strncmp(name, "access$", 7) == 0);

	if (!is_numbered) {
		out_text(out, name);
		return false;
	}
	out_bytes(out, name, (size_t)(last - name) + 1);
	out_char(out, '*');
	return true;
}

bool out_normal_address(struct out *out, const char *address)
{
	enum { FIRST_GIVEN = 32768, LAST = 65535 };
	const char *colon = strrchr(address, ':');
	unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;

	if (!colon || colon[1 + strspn(colon + 1, DIGITS)] != '\0' || port < FIRST_GIVEN ||
		port > LAST) {
		out_text(out, address);
		return false;
	}
	out_bytes(out, address, (size_t)(colon - address) + 1);
	out_char(out, '*');
	return true;
}

/* ---- numbers for texts ---- */

struct text_entry {
	char *text; /* owned */
	size_t length;
	uint64_t hash;
};

void text_table_fini(struct text_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->entry[i].text);
	free(table->entry);
	free(table->slot);
	*table = (struct text_table){0};
}

/* FNV-1a. */
static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
	return hash;
}

/* The slots are twice as many as the texts, at least. */
static int grow(struct text_table *table)
{
	size_t slots = table->slots ? 2 * table->slots : 1024;
	uint32_t *slot = calloc(slots, sizeof(*slot));
	struct text_entry *entry = realloc(table->entry, slots / 2 * sizeof(*entry));

	if (entry)
		table->entry = entry;
	if (!slot || !entry) {
		free(slot);
		return -1;
	}
	for (size_t i = 0; i < table->count; i++) {
		size_t at = entry[i].hash & (slots - 1);

		while (slot[at] != 0)
			at = (at + 1) & (slots - 1);
		slot[at] = (uint32_t)i + 1;
	}
	free(table->slot);
	table->slot = slot;
	table->slots = slots;
	return 0;
}

uint32_t text_table_take(struct text_table *table, const char *text, size_t length)
{
	uint64_t hash = hash_of(text, length);
	size_t at;
	char *copy;

	if (2 * table->count >= table->slots && grow(table) != 0)
		return TEXT_NONE;
	for (at = hash & (table->slots - 1); table->slot[at] != 0;
		at = (at + 1) & (table->slots - 1)) {
		const struct text_entry *entry = &table->entry[table->slot[at] - 1];

		if (entry->hash == hash && entry->length == length &&
			memcmp(entry->text, text, length) == 0)
			return table->slot[at] - 1;
	}
	copy = malloc(length + 1);
	if (!copy)
		return TEXT_NONE;
	memcpy(copy, text, length);
	copy[length] = '\0';
	table->entry[table->count] =
		(struct text_entry){.text = copy, .length = length, .hash = hash};
	table->slot[at] = (uint32_t)++table->count;
	return (uint32_t)table->count - 1;
}
