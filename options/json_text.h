/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* json_text: a text as JSON. */
#ifndef JPROF_JSON_TEXT_H
#define JPROF_JSON_TEXT_H

#include <jansson.h>

/* Of a text, a path say, whose bytes are not UTF-8 those beyond ASCII become '?'. NULL without
 * memory. */
json_t *json_text(const char *text);

#endif
