/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* entry: its local header (APPNOTE.TXT 4.3.7), and what stands behind it, inflated. */
#include "report/source/entry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The header: offsets of what is needed, and its size without names. */
enum { METHOD = 8, NAME_LENGTH = 26, EXTRA_LENGTH = 28, HEADER = 30 };
enum { STORED = 0, DEFLATED = 8 };

static const unsigned char signature[4] = {'P', 'K', 3, 4};

static unsigned number16(const unsigned char *bytes)
{
	return bytes[0] | (unsigned)bytes[1] << 8;
}

/* Raw deflate data, of which more may stand behind the end. */
static char *inflate_all(unsigned char *packed, size_t size, size_t most, size_t *length)
{
	z_stream stream = {.next_in = packed, .avail_in = (uInt)size};
	size_t room = 4 * size + 64;
	char *text = NULL;
	int result = inflateInit2(&stream, -MAX_WBITS);

	while (result == Z_OK) {
		char *grown;

		if (room > most)
			room = most;
		grown = realloc(text, room + 1);
		if (!grown)
			break;
		text = grown;
		stream.next_out = (Bytef *)text + stream.total_out;
		stream.avail_out = (uInt)(room - stream.total_out);
		result = inflate(&stream, Z_NO_FLUSH);
		/* It is larger than may be, or its end is missing. */
		if (result == Z_OK && (stream.avail_out > 0 || room == most))
			break;
		room *= 2;
	}
	*length = stream.total_out;
	inflateEnd(&stream);
	if (result != Z_STREAM_END) {
		free(text);
		return NULL;
	}
	text[*length] = '\0';
	return text;
}

char *entry_read(const struct archive *archive, int descriptor, size_t place, size_t most,
	size_t *length)
{
	uint64_t begin = archive->entry[place].begin, end = archive_end(archive, place, begin);
	unsigned char header[HEADER], *packed = NULL;
	char *text = NULL;
	size_t size;

	*length = 0;
	if (pread(descriptor, header, sizeof(header), (off_t)begin) != HEADER ||
		memcmp(header, signature, sizeof(signature)) != 0)
		return NULL;
	begin += HEADER + number16(header + NAME_LENGTH) + number16(header + EXTRA_LENGTH);
	if (begin >= end || end - begin > most)
		return NULL;
	size = (size_t)(end - begin);
	packed = malloc(size + 1);
	if (!packed || pread(descriptor, packed, size, (off_t)begin) != (ssize_t)size) {
		free(packed);
		return NULL;
	}
	if (number16(header + METHOD) == DEFLATED)
		text = inflate_all(packed, size, most, length);
	if (number16(header + METHOD) != STORED) {
		free(packed);
		return text;
	}
	packed[size] = '\0';
	*length = size;
	return (char *)packed;
}
