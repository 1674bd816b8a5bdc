/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* shell_word: see shell_word.h. */
#include "report/text/shell_word.h"

#include "error/harmless.h"

/* What no shell takes for anything else, wherever it stands in a word but for a '=' or '~' at its start. */
static bool is_plain(const char *text, size_t length)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:,+@%";

	for (size_t i = 0; i < length; i++)
		if (!memchr(plain, text[i], sizeof(plain) - 1))
			return false;
	return length > 0;
}

/* Within $'...': an escape as harmless.h writes it means that character. */
static void put_escaped(struct out *out, const char *text, size_t length)
{
	out_text(out, "$'");
	while (length > 0) {
		size_t span = harmless_span(text, length);

		for (size_t i = 0; i < span; i++) {
			if (text[i] == '\'' || text[i] == '\\')
				out_char(out, '\\');
			out_char(out, text[i]);
		}
		text += span;
		length -= span;
		if (length > 0) {
			char escape[HARMLESS_ESCAPE];

			span = harmless_escape(text, length, escape);
			out_text(out, escape);
			text += span;
			length -= span;
		}
	}
	out_char(out, '\'');
}

void out_shell_word(struct out *out, const char *text, size_t length)
{
	if (is_plain(text, length)) {
		out_bytes(out, text, length);
		return;
	}
	if (harmless_span(text, length) < length) {
		put_escaped(out, text, length);
		return;
	}
	out_char(out, '\'');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\'')
			out_text(out, "'\\''");
		else
			out_char(out, text[i]);
	}
	out_char(out, '\'');
}
