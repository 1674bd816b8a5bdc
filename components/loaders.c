/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * loaders: class loaders as components (components.h).
 *
 * A method has the name of its class, and classes that the trace `classes` has seen have their loader: a name that classes of
 * several loaders have is nobody's.
 */
#include "components/loaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places of those that are no loader of the application's. */
enum { UNKNOWN = COMPONENT_APPLICATION, MACHINE, SEVERAL, OTHERS, LOADER_FIRST };

static const char *const fixed[LOADER_FIRST] = {
	"(loader not known)", "JDK and JVM", "(several loaders)", "(other loaders)"};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The loaders of the JDK: those without an object, of the platform, and of what reflection makes. */
static bool is_jdk(const struct profile_class_loader *loader)
{
	return strcmp(loader->class_name, "(boot loader)") == 0 ||
	       begins(loader->class_name, "jdk.internal.reflect.") ||
	       begins(loader->class_name, "sun.reflect.") ||
	       (loader->name && strcmp(loader->name, "platform") == 0);
}

/* A class that was there before the trace was on: no loader of a program may define one of java.* (ClassLoader.defineClass). */
static bool is_jdk_class(const char *class_name)
{
	return begins(class_name, "java.") || begins(class_name, "jdk.") ||
	       begins(class_name, "sun.");
}

/* "shop (ParallelWebappClassLoader)"; without a name "ParallelWebappClassLoader #17". Owned; NULL without memory. */
static char *loader_name(const struct profile_class_loader *loader)
{
	const char *class = loader->class_name;
	char *name = NULL;
	int length;

	for (const char *at = class; *at; at++)
		if ((*at == '.' || *at == '$') && at[1])
			class = at + 1;
	length = loader->name && *loader->name ? asprintf(&name, "%s (%s)", loader->name, class)
					       : asprintf(&name, "%s #%u", class, loader->id);
	return length < 0 ? NULL : name;
}

/* By the loader's place in the profile: its component. NULL without memory. */
static uint16_t *name_loaders(struct components *components, const struct profile *profile)
{
	size_t room = profile->class_loader_count + LOADER_FIRST;
	uint16_t *place = calloc(profile->class_loader_count + 1, sizeof(*place));

	components->component = calloc(room + 1, sizeof(*components->component));
	components->names = calloc(room + 1, sizeof(*components->names));
	if (!place || !components->component || !components->names) {
		free(place);
		return NULL;
	}
	components->count = LOADER_FIRST;
	for (int i = 0; i < LOADER_FIRST; i++)
		components->component[i] =
			(struct component){.name = fixed[i], .of_caller = i != UNKNOWN};
	components->component[OTHERS].of_caller = false;
	for (size_t i = 0; i < profile->class_loader_count; i++) {
		const struct profile_class_loader *loader = &profile->class_loader[i];
		char **name = &components->names[components->count - LOADER_FIRST];

		place[i] = is_jdk(loader) ? MACHINE : OTHERS;
		if (is_jdk(loader) || components->count == COMPONENTS_MAX)
			continue;
		*name = loader_name(loader);
		if (!*name) {
			free(place);
			return NULL;
		}
		place[i] = (uint16_t)components->count;
		components->component[components->count++].name = *name;
	}
	return place;
}

static int by_name(const void *left, const void *right)
{
	const struct class_place *a = left, *b = right;

	return strcmp(a->class_name, b->class_name);
}

/* The place of a loader in the profile, by its id; class_loader_count: there is none. */
static size_t loader_at(const struct profile *profile, uint32_t id)
{
	size_t at = 0;

	if (id > 0 && id <= profile->class_loader_count &&
		profile->class_loader[id - 1].id == id)
		return id - 1;
	while (at < profile->class_loader_count && profile->class_loader[at].id != id)
		at++;
	return at;
}

/* All classes in the order of their names; then each name once. */
static void list_classes(
	struct components *components, const struct profile *profile, const uint16_t *place)
{
	struct class_place *class = components->class;
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < profile->class_count; i++) {
		size_t loader = loader_at(profile, profile->class[i].loader);
		uint32_t name = profile->class[i].name;

		if (loader < profile->class_loader_count && name < profile->method_count &&
			profile->method[name].class_name)
			class[count++] = (struct class_place){
				profile->method[name].class_name, place[loader]};
	}
	qsort(class, count, sizeof(*class), by_name);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || by_name(&class[kept - 1], &class[i]) != 0)
			class[kept++] = class[i];
		else if (class[kept - 1].place != class[i].place)
			class[kept - 1].place = SEVERAL;
	}
	components->classes = kept;
}

int components_of_loaders(
	struct components *components, const struct profile *profile, struct error *error)
{
	uint16_t *place;

	*components = (struct components){0};
	components->class = calloc(profile->class_count + 1, sizeof(*components->class));
	place = components->class ? name_loaders(components, profile) : NULL;
	if (place)
		list_classes(components, profile, place);
	free(place);
	for (size_t i = 0; place && i < components->count; i++) {
		components->component[i].takes =
			calloc(components->count, sizeof(*components->component->takes));
		if (!components->component[i].takes)
			place = NULL;
	}
	return place ? 0 : error_set(error, ERROR_MEMORY, "no memory for class loaders");
}

static const struct class_place *find_class(
	const struct components *components, const char *class_name)
{
	const struct class_place wanted = {.class_name = class_name};

	return bsearch(&wanted, components->class, components->classes,
		sizeof(*components->class), by_name);
}

struct method_component components_of_class(
	const struct components *components, const char *class_name)
{
	const struct class_place *found;
	const char *made;
	char host[512];

	if (!class_name)
		return (struct method_component){MACHINE, true};
	found = find_class(components, class_name);
	/* Classes that are made for another one, Shop$$Lambda, have its loader. */
	made = strstr(class_name, "$$");
	if (!found && made && (size_t)(made - class_name) < sizeof(host)) {
		snprintf(host, sizeof(host), "%.*s", (int)(made - class_name), class_name);
		found = find_class(components, host);
	}
	if (found)
		return (struct method_component){found->place, true};
	return (struct method_component){is_jdk_class(class_name) ? MACHINE : UNKNOWN, true};
}
