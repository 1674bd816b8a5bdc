/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_kin: see class_kin.h. Names by a hash, each with those above it. */
#include "agent/methods/class_kin.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"

struct class
{
	struct class *next; /* of the same hash */
	uint32_t above_count, below_count;
	struct class **above, **below;
	bool noted; /* its file has come by */
	char name[];
};

enum { SLOTS = 4096, DEPTH = 100 };

static struct class *slot[SLOTS];
static struct lock kin_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_KIN};

static struct class **slot_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &slot[hash % SLOTS];
}

static struct class *find(const char *name)
{
	struct class *class = *slot_of(name);

	while (class && strcmp(class->name, name) != 0)
		class = class->next;
	return class;
}

/* NULL: no memory. */
static struct class *find_or_add(const char *name)
{
	struct class *class = find(name), **first = slot_of(name);
	size_t length = strlen(name) + 1;

	if (class)
		return class;
	class = calloc(1, sizeof(*class) + length);
	if (!class)
		return NULL;
	memcpy(class->name, name, length);
	class->next = *first;
	*first = class;
	return class;
}

/* Without memory less is known: false. */
static bool add_to(struct class ***list, uint32_t *count, struct class *class)
{
	struct class **grown = *list;

	/* Room for 1, 2, 4... */
	if ((*count & (*count - 1)) == 0)
		grown = realloc(*list, (*count ? 2 * (size_t)*count : 1) * sizeof(*grown));
	if (!grown)
		return false;
	*list = grown;
	grown[(*count)++] = class;
	return true;
}

static void add_above(struct class *class, struct class *above)
{
	for (uint32_t i = 0; i < class->above_count; i++)
		if (class->above[i] == above)
			return;
	if (!add_to(&class->above, &class->above_count, above))
		class->noted = false;
	else
		add_to(&above->below, &above->below_count, class);
}

void kin_note(const char *name, const char *above)
{
	struct class *class, *other;

	lock_take(&kin_lock);
	class = find_or_add(name);
	other = class ? find_or_add(above) : NULL;
	if (class) {
		class->noted = other != NULL;
		if (other)
			add_above(class, other);
	}
	lock_give(&kin_lock);
}

static bool is_of_jdk(const char *name)
{
	return strncmp(name, "java/", 5) == 0 || strncmp(name, "jdk/", 4) == 0 ||
	       strncmp(name, "sun/", 4) == 0;
}

static bool is_same_package(const char *a, const char *b)
{
	const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');

	return end_a && end_b && end_a - a == end_b - b &&
	       strncmp(a, b, (size_t)(end_a - a)) == 0;
}

static enum kin ask(const char *name, const char *above, unsigned depth)
{
	const struct class *class = find(name);
	enum kin most = KIN_NO;

	if (strcmp(name, above) == 0)
		return KIN_YES;
	if (!class || !class->noted)
		return is_of_jdk(name) && !is_same_package(name, above) ? KIN_NO : KIN_MAYBE;
	if (depth == DEPTH)
		return KIN_MAYBE;
	for (uint32_t i = 0; i < class->above_count && most != KIN_YES; i++) {
		enum kin one = ask(class->above[i]->name, above, depth + 1);

		if (one > most)
			most = one;
	}
	return most;
}

enum kin kin_of(const char *name, const char *above)
{
	enum kin kin;

	lock_take(&kin_lock);
	kin = ask(name, above, 0);
	lock_give(&kin_lock);
	return kin;
}

static bool has_heir(const struct class *base, const char *above, unsigned depth)
{
	for (uint32_t i = 0; i < base->below_count && depth < DEPTH; i++)
		if (ask(base->below[i]->name, above, 0) == KIN_YES ||
			has_heir(base->below[i], above, depth + 1))
			return true;
	return false;
}

bool kin_has_heir(const char *name, const char *above)
{
	const struct class *base;
	bool has;

	lock_take(&kin_lock);
	base = find(name);
	has = base && has_heir(base, above, 0);
	lock_give(&kin_lock);
	return has;
}

void kin_forget(void)
{
	lock_take(&kin_lock);
	for (int i = 0; i < SLOTS; i++) {
		while (slot[i]) {
			struct class *class = slot[i];

			slot[i] = class->next;
			free(class->above);
			free(class->below);
			free(class);
		}
	}
	lock_give(&kin_lock);
}
