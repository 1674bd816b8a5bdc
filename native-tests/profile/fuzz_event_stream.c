/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Any bytes as a block of events: what is read is within them, time does not run backwards, and what was read comes out again when
 * it is coded anew. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native-tests/fuzz/text_mutator.h"
#include "profile/event_stream.h"

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

/* The event once more; its frames are not. */
static uint8_t *put(uint8_t *out, const struct stream_event *event, uint64_t ns)
{
	switch (event->kind) {
	case STREAM_SPENT:
	case STREAM_SPENT_AHEAD:
		return stream_put_event(out, (enum stream_code)event->kind, event->number);
	case STREAM_ENTRY:
		return stream_put(stream_put_event(out, STREAM_ENTRY, ns), event->method);
	case STREAM_EXIT:
	case STREAM_UNWIND:
	case STREAM_SETTLE:
	case STREAM_START:
		return stream_put_event(out, (enum stream_code)event->kind, ns);
	default:
		break;
	}
	out = stream_put_more(out, (enum stream_more)event->kind, ns);
	if (event->kind == STREAM_EXIT_OF || event->kind == STREAM_UNWIND_OF ||
		event->kind == STREAM_FOUND)
		out = stream_put(out, event->method);
	if (event->kind == STREAM_MOUNT) {
		out = stream_put(stream_put(out, event->number), event->parked);
		out = stream_put(stream_put(out, event->frames), 0);
	}
	if (event->kind == STREAM_OPERATION) {
		out = stream_put(stream_put(out, event->number), event->failed);
		out = stream_put(
			stream_put(stream_put(out, event->subject), event->amount), event->ns);
	}
	return out;
}

static void check_again(const struct stream_event *event, uint64_t before)
{
	uint8_t bytes[128], *end = stream_put(stream_put(bytes, 0), 0);
	struct stream_reader reader;
	struct stream_event again;
	uint64_t frames;
	uint32_t listed;

	end = put(end, event, event->at - before);
	require(stream_open(&reader, bytes, (size_t)(end - bytes), before, &frames, &listed) ==
			0,
		"it can be opened");
	require(stream_next(&reader, &again) == 1, "it can be read");
	require(reader.at == reader.end, "all of it");
	require(again.kind == event->kind && again.at == event->at &&
			again.method == event->method && again.number == event->number &&
			again.parked == event->parked && again.frames == event->frames &&
			again.subject == event->subject && again.amount == event->amount &&
			again.ns == event->ns && again.failed == event->failed,
		"it is the same");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct stream_reader reader;
	struct stream_event event;
	uint64_t frames, before, begin = size > 0 ? (uint64_t)bytes[0] << 55 : 0;
	uint32_t listed;
	size_t events = 0;
	int status;

	if (stream_open(&reader, bytes, size, begin, &frames, &listed) != 0)
		return 0;
	require(listed <= frames && listed <= size, "there is room for what is listed");
	/* A part of them, as a reader may. */
	for (uint32_t i = 0; i < listed / 2; i++)
		stream_frame(&reader);
	before = begin;
	while ((status = stream_next(&reader, &event)) == 1) {
		require(event.at >= before, "time goes on");
		require(event.kind < STREAM_KINDS && event.kind != STREAM_MORE, "it is known");
		require(reader.at <= reader.end, "within the bytes");
		require(event.kind != STREAM_MOUNT || event.listed <= size, "frames are there");
		require(++events <= size, "an event has a byte");
		check_again(&event, before);
		before = event.at;
		if (event.kind == STREAM_MOUNT && event.listed > 1)
			stream_frame(&reader);
	}
	require(status == 0 || status == -1, "it ends");
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	/* Short numbers are most of it. */
	size = LLVMFuzzerMutate(data, size, max_size);
	if (size > 0 && seed % 2)
		data[seed % size] &= 0x7f;
	return size;
}
