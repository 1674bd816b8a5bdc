/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* page: the bundle with blocks in it. */
#include "report/page/page.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "report/page/page_bundle.h" /* page/dist/page.html as page_bundle[] */

#define PLACE  "<!--jprof:data-->"
#define POLICY "http-equiv=\"Content-Security-Policy\" content=\""

/* Where the text begins in the bundle; its length, if it is not there. */
static size_t find(const char *text)
{
	const char *found = memmem(page_bundle, sizeof(page_bundle), text, strlen(text));

	return found ? (size_t)(found - (const char *)page_bundle) : sizeof(page_bundle);
}

struct page_parts page_parts(void)
{
	const char *bundle = (const char *)page_bundle;
	size_t size = sizeof(page_bundle), place = find(PLACE), policy = find(POLICY);
	size_t behind = place < size ? place + strlen(PLACE) : size;
	struct page_parts parts = {{bundle, place}, {bundle + behind, size - behind}, {"", 0}};

	if (policy < size) {
		const char *text = bundle + policy + strlen(POLICY);
		const char *end = memchr(text, '"', (size_t)(bundle + size - text));

		parts.policy = (struct label){text, end ? (size_t)(end - text) : 0};
	}
	return parts;
}

int block_deflate(struct out *out, const struct model *model, const struct block_choice *choice,
	struct error *error)
{
	enum { RAW = -15, MEMORY = 9 };
	z_stream stream = {0};
	struct out plain;
	char chunk[1 << 16];
	int result = Z_MEM_ERROR, failed;

	out_init(&plain, -1);
	failed = block_write(&plain, model, choice, error);
	if (failed == 0)
		result = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW, MEMORY,
			Z_DEFAULT_STRATEGY);
	stream.next_in = (Bytef *)plain.buffer;
	while (result == Z_OK) {
		/* zlib takes less than 4 GB at a time. */
		size_t left = plain.length - (size_t)((char *)stream.next_in - plain.buffer);

		stream.avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
		stream.next_out = (Bytef *)chunk;
		stream.avail_out = sizeof(chunk);
		result = deflate(&stream, left > UINT_MAX ? Z_NO_FLUSH : Z_FINISH);
		out_bytes(out, chunk, sizeof(chunk) - stream.avail_out);
	}
	if (failed == 0) {
		deflateEnd(&stream);
		if (result != Z_STREAM_END || out->failed != 0)
			failed = model_no_memory(error);
	}
	out_fini(&plain);
	return failed;
}

static void put_base64(struct out *out, const unsigned char *bytes, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		unsigned left = length - i < 3 ? (unsigned)(length - i) : 3;
		unsigned bits = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) |
				(left > 2 ? bytes[i + 2] : 0);
		char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
			left > 1 ? digits[bits >> 6 & 63] : '=',
			left > 2 ? digits[bits & 63] : '='};

		out_bytes(out, text, sizeof(text));
	}
}

/* An attribute's value. */
static void put_attribute(struct out *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '&')
			out_text(out, "&amp;");
		else if (*text == '"')
			out_text(out, "&quot;");
		else if (*text == '<')
			out_text(out, "&lt;");
		else
			out_char(out, *text);
	}
}

void page_put_block(struct out *out, const struct block_choice *choice, const char *part,
	const char *deflated, size_t length)
{
	out_text(out, "<script type=\"application/x-jprof-block\" data-side=\"");
	out_number(out, choice->side);
	out_text(out, "\" data-interval=\"");
	put_attribute(out, choice->interval);
	if (part) {
		out_text(out, "\" data-chosen=\"");
		put_attribute(out, part);
	}
	out_text(out, "\">");
	put_base64(out, (const unsigned char *)deflated, length);
	out_text(out, "</script>\n");
}
