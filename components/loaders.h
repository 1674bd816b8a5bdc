/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* loaders: between components.c and loaders.c: whose a class is. */
#ifndef JPROF_COMPONENTS_LOADERS_H
#define JPROF_COMPONENTS_LOADERS_H

#include "components/components.h"

/* Of components that are class loaders: whose the class is; NULL: no Java code. */
struct method_component components_of_class(
	const struct components *components, const char *class_name);

#endif
