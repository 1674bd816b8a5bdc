/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* json_text: strings as JSON has them (RFC 8259). */
#ifndef JPROF_REPORT_JSON_TEXT_H
#define JPROF_REPORT_JSON_TEXT_H

#include "report/text/out.h"

/* Well-formed UTF-8 in quotes. */
void out_json_text(struct out *out, const char *text, size_t length);

/* The same of a key, with the colon behind it. */
void out_json_key(struct out *out, const char *key);

#endif
