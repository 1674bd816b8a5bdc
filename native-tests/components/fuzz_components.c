/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as definitions of components: refused with a line, or components that methods can be looked up in.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/components.h"
#include "native-tests/fuzz/text_mutator.h"

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

/* A path of methods: each belongs to a component that there is. */
static void walk(const struct components *components)
{
	static const struct {
		enum method_kind kind;
		const char *class_name, *name;
	} path[] = {{METHOD_JAVA, "a.A", "a"}, {METHOD_JAVA, "org.h2.B", "b"},
		{METHOD_KERNEL, "[kernel]", "read"}, {METHOD_JAVA, NULL, "(unknown)"},
		{METHOD_JAVA, "a.A", "a"}};
	int within = -1;

	for (size_t i = 0; i < sizeof(path) / sizeof(*path); i++) {
		struct method_component method = components_find(
			components, path[i].kind, path[i].class_name, path[i].name);

		require(method.place < components->count, "it is a component");
		within = components_step(components, within, method);
		require(within >= 0 && (size_t)within < components->count, "so is its step");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct components components;
	struct error error = {0};
	int failed = components_parse(&components, (const char *)bytes, size, "file", &error);

	require((failed != 0) == (error.text[0] != '\0'), "what is refused is said");
	require(!strchr(error.text, '\n'), "it is one line");
	require(failed != 0 || components.count > 1, "there is a component");
	require(components.count <= COMPONENTS_MAX, "there are not too many");
	if (failed == 0)
		walk(&components);
	components_fini(&components);
	return 0;
}

/* ---- mutations ---- */

static const char *const words[] = {"components", "name", "methods", "entries", "kinds",
	"below", "of_caller", "\"a.*\"", "\"org.h2.*\"", "\"kernel\"", "\"(application)\"",
	"true", "false", "\"\"", "{", "}", "[", "]", "null", NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return text_mutate(data, size, max_size, 0, words, seed);
}
