/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* packer: a ProtobufCBuffer. */
#include "report/exports/packer.h"

static void append(ProtobufCBuffer *buffer, size_t length, const uint8_t *bytes)
{
	/* It is the first member. */
	struct packer *packer = (struct packer *)(void *)buffer;

	packer->length += length;
	if (packer->gzip)
		gzip_put(packer->gzip, (const char *)bytes, length);
	else if (packer->out)
		out_bytes(packer->out, (const char *)bytes, length);
}

struct packer packer_to(struct out *out, struct gzip *gzip)
{
	return (struct packer){.buffer.append = append, .out = out, .gzip = gzip};
}

void packer_put(struct packer *packer, const void *message)
{
	if (packer->out || packer->gzip)
		protobuf_c_message_pack_to_buffer(message, &packer->buffer);
	else
		packer->length += protobuf_c_message_get_packed_size(message);
}

static size_t put_varint(uint8_t *to, uint64_t value)
{
	size_t length = 0;

	for (; value >= 0x80; value >>= 7)
		to[length++] = (uint8_t)(value | 0x80);
	to[length++] = (uint8_t)value;
	return length;
}

void packer_head(struct packer *packer, unsigned field, uint64_t length)
{
	enum { LENGTH_DELIMITED = 2 };
	uint8_t head[20];
	size_t size = put_varint(head, (uint64_t)field << 3 | LENGTH_DELIMITED);

	size += put_varint(head + size, length);
	append(&packer->buffer, size, head);
}
