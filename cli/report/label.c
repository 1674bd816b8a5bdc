/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* label: well-formed UTF-8 from whatever a profile holds; threads' and methods' names for
 * people. */
#include "cli/report/label.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/out.h"

#define BLOCK_SIZE (64 * 1024)

struct block {
	struct block *next;
	char bytes[];
};

struct label_store {
	struct block *blocks;
	size_t left; /* free bytes at the end of the first block */
	char *free;  /* where they are */
	bool failed;
};

struct label_store *label_store_create(void)
{
	return calloc(1, sizeof(struct label_store));
}

void label_store_destroy(struct label_store *store)
{
	if (store == NULL)
		return;
	while (store->blocks != NULL) {
		struct block *next = store->blocks->next;

		free(store->blocks);
		store->blocks = next;
	}
	free(store);
}

bool label_store_failed(const struct label_store *store)
{
	return store->failed;
}

static char *take_bytes(struct label_store *store, size_t size)
{
	char *bytes;

	if (store->left < size) {
		size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		struct block *block = malloc(sizeof(*block) + capacity);

		if (block == NULL) {
			store->failed = true;
			return NULL;
		}
		block->next = store->blocks;
		store->blocks = block;
		store->free = block->bytes;
		store->left = capacity;
	}
	bytes = store->free;
	store->free += size;
	store->left -= size;
	return bytes;
}

static struct label keep(struct label_store *store, const char *bytes, size_t length)
{
	char *copy = take_bytes(store, length + 1);

	if (copy == NULL)
		return (struct label){"", 0};
	memcpy(copy, bytes, length);
	copy[length] = '\0';
	return (struct label){copy, length};
}

/* ---- UTF-8 ---- */

#define REPLACEMENT 0xFFFDu

/* What the first byte of a character says: how many follow, and its own bits. */
static unsigned followers(unsigned char first, uint32_t *bits)
{
	if (first >= 0xC0 && first < 0xE0) {
		*bits = first & 0x1F;
		return 1;
	}
	if (first >= 0xE0 && first < 0xF0) {
		*bits = first & 0x0F;
		return 2;
	}
	if (first >= 0xF0 && first < 0xF5) {
		*bits = first & 0x07;
		return 3;
	}
	return 0;
}

/* Decodes one sequence, surrogates and the two-byte zero allowed. Returns its length, or 0
 * if the bytes are none. Strings end with a zero byte, which follows nothing. */
static unsigned decode_sequence(const char *text, uint32_t *character)
{
	static const uint32_t lowest[] = {0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	uint32_t value = 0;
	unsigned more;

	if (bytes[0] < 0x80) {
		*character = bytes[0];
		return 1;
	}
	more = followers(bytes[0], &value);
	if (more == 0)
		return 0;
	for (unsigned i = 1; i <= more; i++) {
		if ((bytes[i] & 0xC0) != 0x80)
			return 0;
		value = value << 6 | (bytes[i] & 0x3F);
	}
	if (value > 0x10FFFF || (value < lowest[more] && value != 0))
		return 0;
	if (value == 0 && more != 1)
		return 0;
	*character = value;
	return more + 1;
}

static bool is_high(uint32_t c)
{
	return c >= 0xD800 && c < 0xDC00;
}

static bool is_low(uint32_t c)
{
	return c >= 0xDC00 && c < 0xE000;
}

/* One whole character, at least one byte. */
static unsigned decode(const char *text, uint32_t *character)
{
	unsigned length = decode_sequence(text, character);
	uint32_t low;

	if (length == 0) {
		*character = REPLACEMENT;
		return 1;
	}
	if (is_high(*character) && decode_sequence(text + length, &low) == 3 &&
		is_low(low)) {
		*character = 0x10000 + ((*character - 0xD800) << 10) + (low - 0xDC00);
		return length + 3;
	}
	if (is_high(*character) || is_low(*character))
		*character = REPLACEMENT;
	return length;
}

static void encode(struct out *out, uint32_t c)
{
	if (c < 0x80) {
		out_char(out, (char)c);
	} else if (c < 0x800) {
		out_char(out, (char)(0xC0 | c >> 6));
	} else if (c < 0x10000) {
		out_char(out, (char)(0xE0 | c >> 12));
		out_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
	} else {
		out_char(out, (char)(0xF0 | c >> 18));
		out_char(out, (char)(0x80 | (c >> 12 & 0x3F)));
		out_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
	}
	if (c >= 0x80)
		out_char(out, (char)(0x80 | (c & 0x3F)));
}

static bool is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] >= 0x80)
			return false;
	}
	return true;
}

struct label label_make(struct label_store *store, const char *text)
{
	struct label label = {text, 0};
	struct out out;

	if (text == NULL)
		return label;
	label.length = strlen(text);
	if (is_ascii(text, label.length))
		return label;
	out_init(&out, -1);
	while (*text != '\0') {
		uint32_t character;

		text += decode(text, &character);
		encode(&out, character);
	}
	if (out.failed != 0) {
		store->failed = true;
		label = (struct label){"", 0};
	} else {
		label = keep(store, out.buffer, out.length);
	}
	out_fini(&out);
	return label;
}

struct label label_format(struct label_store *store, const char *format, ...)
{
	struct label label = {"", 0};
	va_list arguments;
	char *text = NULL;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		store->failed = true;
		return label;
	}
	label = label_make(store, text);
	if (label.text == text)
		label = keep(store, text, (size_t)length);
	free(text);
	return label;
}

/* ---- threads ---- */

const char *label_thread_name(const struct profile_thread *thread)
{
	if (thread->name != NULL && thread->name[0] != '\0')
		return thread->name;
	if (!thread->is_virtual)
		return "";
	return thread->folded == 1 ? "(virtual thread)" : "(virtual threads)";
}

/* ---- methods for people ---- */

/* JVM specification 4.3.2, the primitive types. */
static const struct {
	char letter;
	const char *name;
} primitives[] = {
	{'B', "byte"},
	{'C', "char"},
	{'D', "double"},
	{'F', "float"},
	{'I', "int"},
	{'J', "long"},
	{'S', "short"},
	{'Z', "boolean"},
	{'V', "void"},
};

/* A class without its package. Returns what follows it. */
static const char *put_class(struct out *out, const char *descriptor)
{
	const char *end = descriptor + strcspn(descriptor, ";");
	const char *start = end;

	while (start > descriptor && start[-1] != '/')
		start--;
	out_bytes(out, start, (size_t)(end - start));
	return *end == ';' ? end + 1 : end;
}

/* One type of a descriptor. Returns what follows it; never past the string's end. */
static const char *put_type(struct out *out, const char *descriptor)
{
	unsigned dimensions = 0;

	for (; *descriptor == '['; descriptor++)
		dimensions++;
	if (*descriptor == 'L') {
		descriptor = put_class(out, descriptor + 1);
	} else if (*descriptor != '\0') {
		const char *name = "?";

		for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++) {
			if (primitives[i].letter == *descriptor)
				name = primitives[i].name;
		}
		out_text(out, name);
		descriptor++;
	}
	while (dimensions-- > 0)
		out_text(out, "[]");
	return descriptor;
}

/* "(I[Ljava/lang/String;)V" as "(int,String[])", with ":void" behind it if asked. */
static void put_parameters(struct out *out, const char *signature, bool with_result)
{
	const char *rest = signature + (*signature == '(');

	out_char(out, '(');
	while (*rest != '\0' && *rest != ')') {
		if (rest > signature + 1)
			out_char(out, ',');
		rest = put_type(out, rest);
	}
	out_char(out, ')');
	if (with_result && *rest == ')') {
		out_char(out, ':');
		put_type(out, rest + 1);
	}
}

/* How much of its signature a method needs to be told from its namesakes. */
enum telling { TELL_NAME, TELL_PARAMETERS, TELL_RESULT };

static struct label display_name(struct label_store *store,
	const struct method_label *method, enum telling telling)
{
	struct label label = {"", 0};
	struct out out;

	if (method->class_name.text == NULL)
		return method->name;
	out_init(&out, -1);
	out_bytes(&out, method->class_name.text, method->class_name.length);
	out_char(&out, '.');
	if (method->name.text != NULL)
		out_bytes(&out, method->name.text, method->name.length);
	if (telling != TELL_NAME && method->signature.text != NULL)
		put_parameters(&out, method->signature.text, telling == TELL_RESULT);
	if (out.failed != 0)
		store->failed = true;
	else
		label = keep(store, out.buffer, out.length);
	out_fini(&out);
	return label;
}

static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_methods(const void *left, const void *right)
{
	const struct profile_method *a = *(const struct profile_method *const *)left;
	const struct profile_method *b = *(const struct profile_method *const *)right;
	int order = compare_text(a->class_name, b->class_name);

	if (order == 0)
		order = compare_text(a->name, b->name);
	return order != 0 ? order : compare_text(a->signature, b->signature);
}

static bool same_name(const struct profile_method *a, const struct profile_method *b)
{
	return a->class_name != NULL && compare_text(a->class_name, b->class_name) == 0 &&
	       compare_text(a->name, b->name) == 0;
}

/* What tells two methods of one name and class apart. */
static enum telling difference(
	const struct profile_method *a, const struct profile_method *b)
{
	size_t parameters;

	if (compare_text(a->signature, b->signature) == 0 || a->signature == NULL ||
		b->signature == NULL)
		return TELL_NAME;
	parameters = strcspn(a->signature, ")");
	return strncmp(a->signature, b->signature, parameters + 1) == 0 ? TELL_RESULT
									: TELL_PARAMETERS;
}

static void raise_telling(unsigned char *telling, enum telling need)
{
	if (*telling < need)
		*telling = (unsigned char)need;
}

/* telling[id] for all methods. In the sorted order namesakes are neighbours; so are, within
 * them, those that only differ in their result. */
static int find_namesakes(const struct profile *profile, unsigned char *telling)
{
	size_t count = profile->method_count;
	const struct profile_method **sorted = calloc(count + 1, sizeof(*sorted));

	if (sorted == NULL)
		return -1;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &profile->method[i];
	qsort(sorted, count, sizeof(*sorted), compare_methods);
	for (size_t i = 1; i < count; i++) {
		const struct profile_method *a = sorted[i - 1], *b = sorted[i];

		if (same_name(a, b)) {
			enum telling need = difference(a, b);

			if (need == TELL_NAME)
				need = telling[a - profile->method];
			raise_telling(&telling[a - profile->method], need);
			raise_telling(&telling[b - profile->method], need);
		}
	}
	/* The same method of two class loaders looks the same: from the last to the first,
	 * since what the first needs may have been found with the last. */
	for (size_t i = count; i-- > 1;) {
		const struct profile_method *a = sorted[i - 1], *b = sorted[i];

		if (same_name(a, b) && compare_text(a->signature, b->signature) == 0)
			raise_telling(&telling[a - profile->method],
				telling[b - profile->method]);
	}
	free(sorted);
	return 0;
}

struct method_label *label_methods(
	struct label_store *store, const struct profile *profile)
{
	size_t count = profile->method_count;
	struct method_label *labels = calloc(count + 1, sizeof(*labels));
	unsigned char *telling = calloc(count + 1, 1);

	if (labels == NULL || telling == NULL || find_namesakes(profile, telling) != 0) {
		free(labels);
		free(telling);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		const struct profile_method *method = &profile->method[i];

		labels[i].class_name = label_make(store, method->class_name);
		labels[i].name = label_make(store, method->name);
		labels[i].signature = label_make(store, method->signature);
		labels[i].display = display_name(store, &labels[i], telling[i]);
	}
	free(telling);
	return labels;
}
