/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* json_text: what is escaped in strings. */
#include "report/text/json_text.h"

void out_json_text(struct out *out, const char *text, size_t length)
{
	/* How a byte is written: behind a backslash as this letter; 0: as \u00XX if it is a control
	 * character, else as it is. */
	static const char escapes[0x100] = {['\b'] = 'b',
		['\t'] = 't',
		['\n'] = 'n',
		['\f'] = 'f',
		['\r'] = 'r',
		['"'] = '"',
		['\\'] = '\\'};
	size_t from = 0;

	out_char(out, '"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		char escaped[] = "\\u00xx";

		if (c >= 0x20 && escapes[c] == 0)
			continue;
		out_bytes(out, text + from, i - from);
		if (escapes[c] != 0)
			escaped[1] = escapes[c];
		escaped[4] = (char)('0' + (c >> 4));
		escaped[5] = "0123456789abcdef"[c & 15];
		out_bytes(out, escaped, escapes[c] != 0 ? 2 : 6);
		from = i + 1;
	}
	out_bytes(out, text + from, length - from);
	out_char(out, '"');
}

void out_json_key(struct out *out, const char *key)
{
	out_json_text(out, key, strlen(key));
	out_char(out, ':');
}
