/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* method_labels: as much of a signature as tells a method from its namesakes. */
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/text/out.h"

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

/* One type of a descriptor. Returns what follows it; never past the string's end. */
static const char *put_type(struct out *out, const char *descriptor)
{
	unsigned dimensions = 0;

	for (; *descriptor == '['; descriptor++)
		dimensions++;
	if (*descriptor == 'L') {
		/* A class without its package. */
		const char *start = ++descriptor, *end = start + strcspn(start, ";");

		for (const char *c = start; c < end; c++)
			if (*c == '/')
				start = c + 1;
		out_bytes(out, start, (size_t)(end - start));
		descriptor = *end == ';' ? end + 1 : end;
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

/* Of what is no Java method: "write [libc.so.6]", "new byte[]". */
static struct label native_name(struct store *store, const struct profile_method *method)
{
	const char *open = method->class_name[0] == '[' ? "" : "[", *close = *open ? "]" : "";

	if (method->kind == METHOD_CLASS)
		return store_format(store, "new %s", method->class_name);
	return store_format(store, "%s %s%s%s", method->name ? method->name : "?", open,
		method->class_name, close);
}

static struct label display_name(
	struct store *store, const struct method_label *method, enum telling telling)
{
	struct label label;
	struct out out;

	if (!method->class_name.text)
		return method->name;
	out_init(&out, -1);
	out_bytes(&out, method->class_name.text, method->class_name.length);
	out_char(&out, '.');
	if (method->name.text)
		out_bytes(&out, method->name.text, method->name.length);
	if (telling != TELL_NAME && method->signature.text)
		put_parameters(&out, method->signature.text, telling == TELL_RESULT);
	store->failed |= out.failed != 0;
	label = store_bytes(store, out.buffer, out.failed ? 0 : out.length);
	out_fini(&out);
	return label;
}

static int compare_text(const char *a, const char *b)
{
	if (!a || !b)
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

static void raise_telling(unsigned char *telling, enum telling need)
{
	if (*telling < need)
		*telling = (unsigned char)need;
}

/* telling[id] for all methods. In the sorted order namesakes are neighbours; so are, within
 * them, those that only differ in their result. */
static int find_namesakes(
	struct store *store, const struct profile *profile, unsigned char *telling)
{
	size_t count = profile->method_count;
	const struct profile_method **sorted = store_room(store, count + 1, sizeof(*sorted));

	if (!sorted)
		return -1;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &profile->method[i];
	qsort(sorted, count, sizeof(*sorted), compare_methods);
	for (size_t i = 1; i < count; i++) {
		const struct profile_method *a = sorted[i - 1], *b = sorted[i];

		if (same_name(a, b)) {
			enum telling need = telling[a - profile->method];
			size_t parameters = a->signature ? strcspn(a->signature, ")") : 0;

			/* What tells two methods of one name and class apart. */
			if (a->signature && b->signature &&
				strcmp(a->signature, b->signature) != 0)
				need = strncmp(a->signature, b->signature, parameters + 1) == 0
					       ? TELL_RESULT
					       : TELL_PARAMETERS;
			raise_telling(&telling[a - profile->method], need);
			raise_telling(&telling[b - profile->method], need);
		}
	}
	/* The same method of two class loaders looks the same: from the last to the first,
	 * since what the first needs may have been found with the last. */
	for (size_t i = count; i-- > 1;) {
		const struct profile_method *a = sorted[i - 1], *b = sorted[i];

		if (same_name(a, b) && compare_text(a->signature, b->signature) == 0)
			raise_telling(
				&telling[a - profile->method], telling[b - profile->method]);
	}
	return 0;
}

struct method_label *method_labels(struct store *store, const struct profile *profile)
{
	size_t count = profile->method_count;
	struct method_label *labels = store_room(store, count + 1, sizeof(*labels));
	unsigned char *telling = store_room(store, count + 1, 1);

	if (!labels || !telling || find_namesakes(store, profile, telling) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct profile_method *method = &profile->method[i];

		labels[i].class_name = label_of(method->class_name);
		if (method->kind != METHOD_CLASS)
			labels[i].name = label_of(method->name);
		labels[i].signature = label_of(method->signature);
		labels[i].display = method->kind == METHOD_JAVA || !method->class_name
					    ? display_name(store, &labels[i], telling[i])
					    : native_name(store, method);
	}
	return labels;
}
