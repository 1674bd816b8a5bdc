/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* event_stream: see event_stream.h. */
#include "profile/event_stream.h"

#include <string.h>

/* False: the bytes end before it does, or it has more than 64 bits. */
static bool get(struct stream_reader *reader, uint64_t *number)
{
	uint64_t value = 0;

	for (unsigned shift = 0; reader->at < reader->end && shift < 64; shift += 7) {
		uint8_t byte = *reader->at++;

		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*number = value;
			return true;
		}
	}
	return false;
}

static bool get32(struct stream_reader *reader, uint32_t *number)
{
	uint64_t value = 0;
	bool read = get(reader, &value) && value <= UINT32_MAX;

	*number = (uint32_t)value;
	return read;
}

/* Frames, and how many of them are listed: not more than there are bytes left. */
static bool get_frames(struct stream_reader *reader, uint64_t *frames, uint32_t *listed)
{
	if (!get(reader, frames) || !get32(reader, listed))
		return false;
	if (*listed > *frames || *listed > (size_t)(reader->end - reader->at))
		return false;
	reader->listed = *listed;
	return true;
}

int stream_open(struct stream_reader *reader, const uint8_t *bytes, size_t size, uint64_t begin,
	uint64_t *frames, uint32_t *listed)
{
	*reader = (struct stream_reader){.at = bytes, .end = bytes + size, .time = begin};
	*frames = 0;
	*listed = 0;
	return get_frames(reader, frames, listed) ? 0 : -1;
}

uint32_t stream_frame(struct stream_reader *reader)
{
	uint32_t method;

	if (reader->listed == 0)
		return 0;
	reader->listed--;
	if (get32(reader, &method))
		return method;
	reader->listed = 0;
	reader->at = reader->end;
	return 0;
}

/* What the kind has behind it. */
static bool get_more(struct stream_reader *reader, struct stream_event *event)
{
	uint64_t failed;

	switch (event->kind) {
	case STREAM_ENTRY:
	case STREAM_EXIT_OF:
	case STREAM_UNWIND_OF:
	case STREAM_FOUND:
		return get32(reader, &event->method);
	case STREAM_MOUNT:
		return get(reader, &event->number) && get(reader, &event->parked) &&
		       get_frames(reader, &event->frames, &event->listed);
	case STREAM_OPERATION:
		if (!get(reader, &event->number) || !get(reader, &failed) || failed > 1)
			return false;
		event->failed = failed;
		return get(reader, &event->subject) && get(reader, &event->amount) &&
		       get(reader, &event->ns);
	default:
		return true;
	}
}

int stream_next(struct stream_reader *reader, struct stream_event *event)
{
	uint64_t number, high = 0, more;
	uint8_t head;

	while (reader->listed > 0)
		stream_frame(reader);
	memset(event, 0, sizeof(*event));
	if (reader->at == reader->end)
		return 0;
	head = *reader->at++;
	event->kind = head & 7;
	if ((head & 0x80) && (!get(reader, &high) || high > UINT64_MAX >> 4))
		return -1;
	number = high << 4 | (head >> 3 & 15);
	if (event->kind == STREAM_MORE) {
		if (!get(reader, &more) || more < STREAM_CODES || more >= STREAM_KINDS)
			return -1;
		event->kind = (unsigned)more;
	}
	if (event->kind == STREAM_SPENT || event->kind == STREAM_SPENT_AHEAD)
		event->number = number;
	else if (number > UINT64_MAX - reader->time)
		return -1;
	else
		reader->time += number;
	event->at = reader->time;
	return get_more(reader, event) ? 1 : -1;
}
