/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_stream: entries, exits and what else happened to a thread, in the order of time, as bytes of a
 * block.
 *
 *   block:  frames, listed frames, a method each (the innermost ones, outermost first), events
 *   event:  7 | 6   3 | 2  0    and what its code has behind it, all numbers by 7 bits a byte, the lowest
 *           more  low    code   first, the highest bit set where there are more
 *
 * The number of an event (its 4 low bits in the first byte, the others behind that, if there are more) is the
 * ns since the event before it in the block, or since the block's begin; of STREAM_SPENT it is the ns that were spent.
 * Most events take 2 or 3 bytes.
 *
 * Runs: anywhere; bytes may be anybody's.
 */
#ifndef JPROF_PROFILE_EVENT_STREAM_H
#define JPROF_PROFILE_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream_code {
	STREAM_EXIT,   /* from the innermost frame's method */
	STREAM_ENTRY,  /* method */
	STREAM_UNWIND, /* an exit by exception, of the same */
	STREAM_SETTLE, /* what was used since the event before is the innermost frame's */
	STREAM_START,  /* it is nobody's */
	/* jprof's own rare ways took so long in the innermost frame; that is not in the time until the next
	 * event, or (ahead) until the one behind that */
	STREAM_SPENT,
	STREAM_SPENT_AHEAD,
	STREAM_MORE, /* a number, one of stream_more */
	STREAM_CODES
};

enum stream_more {
	STREAM_EXIT_OF =
		STREAM_CODES, /* method: its innermost frame is left, with those above it */
	STREAM_UNWIND_OF,     /* the same, by exception */
	STREAM_FOUND,         /* method: a frame that was there before */
	STREAM_MOUNT,     /* number of a virtual thread, ns parked, frames, listed, methods */
	STREAM_UNMOUNT,   /* there are no frames */
	STREAM_OPERATION, /* kind of account, failed, subject, amount, ns */
	STREAM_END,       /* the thread has ended */
	STREAM_KINDS
};

/* An event as it is read. */
struct stream_event {
	unsigned kind;   /* enum stream_code but STREAM_MORE, or enum stream_more */
	uint64_t at;     /* ns since the session began */
	uint32_t method; /* of those that have one */
	uint64_t number; /* ns spent; the virtual thread; the account's kind */
	uint64_t parked; /* ns */
	bool failed;     /* with subject, amount and ns of an operation */
	uint64_t subject, amount, ns;
	/* Of a mount. */
	uint64_t frames; /* how many there are */
	uint32_t listed; /* the innermost of them; stream_frame reads the next one */
};

/* Embedded. */
struct stream_reader {
	const uint8_t *at, *end;
	uint64_t time;
	uint32_t listed; /* frames that stream_frame has not given yet */
};

/* A block of bytes that begins then. *frames: how many the thread is in; *listed: of how many of them
 * stream_frame gives the methods. 0, or -1: these are no events. */
int stream_open(struct stream_reader *reader, const uint8_t *bytes, size_t size, uint64_t begin,
	uint64_t *frames, uint32_t *listed);

/* The next method that was listed, outermost first; 0: there is none, or it cannot be read. */
uint32_t stream_frame(struct stream_reader *reader);

/* 1: the next event; 0: there are no more; -1: what follows is none. Frames that were listed are passed over. */
int stream_next(struct stream_reader *reader, struct stream_event *event);

/* ---- made; there has to be room: 10 bytes a number, and one for a code ---- */

static inline uint8_t *stream_put(uint8_t *out, uint64_t number)
{
	while (number >= 0x80) {
		*out++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*out++ = (uint8_t)number;
	return out;
}

static inline uint8_t *stream_put_event(uint8_t *out, enum stream_code code, uint64_t number)
{
	uint8_t head = (uint8_t)((unsigned)code | (number & 15) << 3);

	number >>= 4;
	if (number == 0) {
		*out++ = head;
		return out;
	}
	*out++ = head | 0x80;
	return stream_put(out, number);
}

static inline uint8_t *stream_put_more(uint8_t *out, enum stream_more more, uint64_t number)
{
	return stream_put(stream_put_event(out, STREAM_MORE, number), (unsigned)more);
}

#endif
