/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* value_text: see value_text.h. A row of `ways` for each way to keep a text. */
#include "agent/values/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/values/route.h"
#include "agent/values/sql_shape.h"

static const char cut_mark[] = "...";

enum { CUT_MARK = sizeof(cut_mark) - 1 };

size_t value_cut(const char *text, size_t length, size_t limit)
{
	size_t at = limit - CUT_MARK;

	if (length <= limit)
		return length;
	/* To the first byte of a character; of bytes that are no UTF-8 three at most. */
	for (size_t back = 0; back < 3 && ((unsigned char)text[at - back] & 0xc0) == 0x80;
		back++)
		if (((unsigned char)text[at - back - 1] & 0xc0) != 0x80)
			return at - back - 1;
	return at;
}

/* Of a text of `length` bytes; those up to the limit are in `kept`, if it is not it. */
static size_t keep_cut(const char *text, size_t length, char *kept, size_t limit)
{
	size_t stays = value_cut(text, length, limit);

	if (kept != text)
		memcpy(kept, text, stays);
	if (stays == length)
		return stays;
	memcpy(kept + stays, cut_mark, CUT_MARK);
	return stays + CUT_MARK;
}

static size_t keep_hash(struct hash_key key, const char *text, size_t length, char *kept)
{
	char digits[20];

	snprintf(digits, sizeof(digits), "#%016" PRIx64, sip_hash(key, text, length));
	memcpy(kept, digits, 17);
	return 17;
}

size_t value_text(enum value_keep keep, struct hash_key key, const char *text, size_t length,
	char *kept, size_t limit)
{
	char work[VALUE_TEXT_MAX + 1];

	if (keep == KEEP_AUTO)
		keep = is_sql(text, length) ? KEEP_SHAPE : KEEP_PLAIN;
	switch (keep) {
	case KEEP_SHAPE:
		length = sql_shape(text, length, work, sizeof(work));
		return keep_cut(work, length, kept, limit);
	case KEEP_ROUTE:
		length = route_of(text, length, work, sizeof(work));
		return keep_cut(work, length, kept, limit);
	case KEEP_HASH:
		return keep_hash(key, text, length, kept);
	default:
		return keep_cut(text, length, kept, limit);
	}
}
