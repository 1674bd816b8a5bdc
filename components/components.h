/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * components: what methods are put together as, such as "servlet container" or "logging".
 *
 * In:   definitions, JSON (docs/components.md); or the ready-made ones (config/components.json).
 * Out:  the component of each method, and where on a call path a component begins.
 * Owns: all of it. Nothing changes after it was read.
 * Runs: in the command where profiles are read; in the agent, where definitions are checked before they are kept.
 */
#ifndef JPROF_COMPONENTS_H
#define JPROF_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"
#include "options/pattern.h"
#include "profile/profile_read.h"

enum {
	COMPONENTS_MAX = 256,            /* with the first, which is not defined */
	COMPONENTS_PATTERNS_MAX = 16384, /* of all components */
	COMPONENTS_TEXT_MAX = 1 << 20    /* bytes of definitions */
};

/* The first, of methods that no definition has. */
#define COMPONENT_APPLICATION      0
#define COMPONENT_APPLICATION_NAME "(application)"

struct component {
	const char *name;
	struct pattern_list methods, entries;
	uint32_t kinds; /* bits 1 << enum method_kind */
	bool of_caller; /* its methods belong to the component that calls them, if there is one */
	bool takes_all; /* what is called within it belongs to it */
	bool *takes;    /* by place: the same of that component's methods */
};

/* Of components that are class loaders: whose a class is. */
struct class_place {
	const char *class_name;
	uint16_t place;
};

struct components {
	struct component *component; /* in the order of the definitions, from 1 on */
	size_t count;
	struct json_t *json;       /* texts are borrowed from it; NULL: */
	struct class_place *class; /* class loaders instead: by name, each once */
	size_t classes;
	char **names; /* of theirs; to NULL */
};

/* What a method is to components. */
struct method_component {
	uint16_t place;
	/* A call of it begins that component; else it belongs to whatever component it is called from. */
	bool begins;
};

/* Reads definitions. subject: what messages call them, a file's name. 0, or a negative code: no JSON, an unknown key, a value
 * that is not legal; the line says which, and what is legal. Embedded (components_fini), also after a failure. */
int components_parse(struct components *components, const char *text, size_t length,
	const char *subject, struct error *error);

/* The same of a file. text: its bytes, which end with a zero; owned (free); NULL: they are not wanted. */
int components_read(
	struct components *components, const char *path, char **text, struct error *error);

/* The ready-made ones, as JSON; static, no zero behind it. */
const char *components_ready_made(size_t *length);

/* The fact of a profile that has the definitions which its recording was started with. */
#define COMPONENTS_FACT "components"

/* In place of a file: the ready-made ones, whatever the profile has; and those without of_caller, so that each method is of its
 * own component. */
#define COMPONENTS_LAYERS "layers"
#define COMPONENTS_KINDS  "kinds"

/* What reports of the profile use: those of that name or file; NULL: those that the profile has, else the ready-made ones. */
int components_choose(struct components *components, const struct profile *profile,
	const char *name, struct error *error);

/*
 * Class loaders as components: the applications of a server apart. Of a profile that was read with its classes. What the JDK,
 * the JVM and native code do belongs to the loader whose class calls them, as does a class that several loaders have: a library that
 * several applications bring along. The first component is of classes whose loader is not known. 0, or -ERROR_MEMORY.
 */
int components_of_loaders(
	struct components *components, const struct profile *profile, struct error *error);

void components_fini(struct components *components);

/* The component of a method: of the first definition that matches. class_name NULL: none does. */
struct method_component components_find(const struct components *components,
	enum method_kind kind, const char *class_name, const char *name);

/*
 * The step that a frame belongs to: the place of a component. within: that of the frame that it is called from; -1: it is the
 * first of its path. It is `within` itself where the frame belongs to the same step.
 */
static inline int components_step(
	const struct components *components, int within, struct method_component method)
{
	const struct component *caller = within < 0 ? NULL : &components->component[within];

	if (within == method.place)
		return within;
	if (!method.begins)
		return caller ? within : COMPONENT_APPLICATION;
	if (caller && components->component[method.place].of_caller)
		return within;
	if (caller && caller->takes_all &&
		components->component[method.place].entries.count == 0)
		return within;
	return caller && caller->takes[method.place] ? within : method.place;
}

#endif
