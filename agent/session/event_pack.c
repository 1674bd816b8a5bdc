/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_pack: see event_pack.h.
 *
 * Of each thread the packer knows the methods that it is in, by the events alone: they stand at the begin of each block, so that
 * it can be read without those before it, and exits need no method.
 */
#include "agent/session/event_pack.h"

#include <stdlib.h>
#include <string.h>

#include "profile/event_stream.h"

enum {
	BLOCK_FULL = 48 << 10, /* bytes of a block that is given on */
	BLOCK_FIRST = 1 << 10, /* room at first */
	WORD_BYTES = 16,       /* that a word may become, at most */
	HEAD_BYTES = 32,
	FRAME_BYTES = 5,
	FRAMES_MAX = 1 << 20, /* frames that are known by their methods */
	WATCHED = 64          /* calls of a thread that are waited for, at once */
};

/* A frame of a method that is waited for. */
struct watched {
	uint64_t depth, at, ns;
};

/* A thread's events. */
struct stream {
	struct event_thread thread;
	struct event_block *block; /* under way; NULL: none */
	uint32_t blocks;           /* so far */
	uint64_t last;             /* the event before, ns */
	uint64_t lost;             /* before the next event */
	uint32_t *method;          /* the frames, outermost first */
	uint64_t depth;            /* how many; those beyond FRAMES_MAX have no method */
	size_t room;
	struct watched watched[WATCHED];
	unsigned watches;
	bool known; /* its thread was put into the list of new ones */
};

struct event_packer {
	struct trace *trace;
	struct events *events;
	uint64_t keep_ns;
	bool (*longer)(void *user, uint32_t method, uint64_t *ns);
	void *user;
	struct event_blocks waiting, kept;
	struct new_thread *fresh;
	struct event_long call;
	bool has_call;
	uint64_t gone;   /* of what was kept and is no more, the last event */
	uint64_t newest; /* the last event that was packed, of all threads */
	uint64_t packed, odd;
	bool all; /* memory is no reason to leave something */
};

/* ---- lists of blocks ---- */

static void blocks_init(struct event_blocks *list)
{
	*list = (struct event_blocks){.end = &list->first};
}

static void blocks_add(struct event_blocks *list, struct event_block *block)
{
	block->next = NULL;
	*list->end = block;
	list->end = &block->next;
	list->blocks++;
	list->bytes += block->size;
}

static struct event_block *blocks_take(struct event_blocks *list)
{
	struct event_block *block = list->first;

	list->first = block->next;
	if (!list->first)
		list->end = &list->first;
	list->blocks--;
	list->bytes -= block->size;
	return block;
}

static void block_free(struct event_packer *packer, struct event_block *block)
{
	if (block)
		trace_unclaim(packer->trace, sizeof(*block) + block->room);
	free(block);
}

/* The oldest of what is kept goes. False: nothing is kept. */
static bool drop_kept(struct event_packer *packer)
{
	struct event_block *block;

	if (!packer->kept.first)
		return false;
	block = blocks_take(&packer->kept);
	if (block->last > packer->gone)
		packer->gone = block->last;
	block_free(packer, block);
	return true;
}

/* The block (NULL: a new one) with that much room. NULL: no memory, the block is as it was. forced: beyond the bound, too: of what
 * says that there was none. */
static struct event_block *block_resize(
	struct event_packer *packer, struct event_block *block, size_t room, bool forced)
{
	size_t before = block ? block->room : 0;
	size_t more = room - before + (block ? 0 : sizeof(*block));
	struct event_block *fresh;

	while (!trace_claim(packer->trace, more, false) && !drop_kept(packer)) {
		if (!forced && !packer->all)
			return NULL;
		trace_claim(packer->trace, more, true);
		break;
	}
	fresh = realloc(block, sizeof(*fresh) + room);
	if (!fresh) {
		trace_unclaim(packer->trace, more);
		return NULL;
	}
	if (!block)
		memset(fresh, 0, sizeof(*fresh));
	fresh->room = room;
	return fresh;
}

/* Gives back what it does not need. */
static struct event_block *block_shrink(struct event_packer *packer, struct event_block *block)
{
	struct event_block *fresh = realloc(block, sizeof(*block) + block->size);

	if (!fresh)
		return block;
	trace_unclaim(packer->trace, fresh->room - fresh->size);
	fresh->room = fresh->size;
	return fresh;
}

/* ---- frames ---- */

static void push(struct stream *stream, uint32_t method)
{
	uint64_t depth = stream->depth++;

	if (depth >= FRAMES_MAX)
		return;
	if (depth >= stream->room) {
		size_t room = stream->room ? 2 * stream->room : 64;
		uint32_t *more = realloc(stream->method, room * sizeof(*more));

		/* Without memory it has no method, and neither have those above it. */
		if (!more)
			return;
		stream->method = more;
		stream->room = room;
	}
	stream->method[depth] = method;
}

/* The innermost frame's method; 0: it is not known. */
static uint32_t top_of(const struct stream *stream)
{
	return stream->depth > 0 && stream->depth <= stream->room
		       ? stream->method[stream->depth - 1]
		       : 0;
}

/* The depth without the method's innermost frame and those above it; UINT64_MAX: it has none. */
static uint64_t depth_below(const struct stream *stream, uint32_t method)
{
	uint64_t depth = stream->depth < stream->room ? stream->depth : stream->room;

	while (depth > 0 && stream->method[depth - 1] != method)
		depth--;
	return depth > 0 ? depth - 1 : UINT64_MAX;
}

/* ---- calls that are waited for ---- */

static void watch(
	struct event_packer *packer, struct stream *stream, uint32_t method, uint64_t at)
{
	uint64_t ns;

	if (stream->watches == WATCHED || !packer->longer(packer->user, method, &ns))
		return;
	stream->watched[stream->watches++] =
		(struct watched){.depth = stream->depth, .at = at, .ns = ns};
}

/* Frames down to that depth are left. */
static void unwatch(
	struct event_packer *packer, struct stream *stream, uint64_t depth, uint64_t at)
{
	while (stream->watches > 0) {
		const struct watched *top = &stream->watched[stream->watches - 1];

		if (top->depth <= depth)
			return;
		stream->watches--;
		if (at - top->at < top->ns || packer->has_call)
			continue;
		packer->has_call = true;
		packer->call = (struct event_long){
			.method =
				top->depth <= stream->room ? stream->method[top->depth - 1] : 0,
			.stream = stream->thread.id,
			.begin = top->at,
			.end = at};
	}
}

/* ---- a block ---- */

/* What a stack takes at most, by so many frames. */
static size_t stack_bytes(uint64_t depth)
{
	return HEAD_BYTES + FRAME_BYTES * (size_t)(depth < EVENT_LISTED ? depth : EVENT_LISTED);
}

/* The frames that the thread is in. */
static uint8_t *put_stack(const struct stream *stream, uint8_t *out)
{
	uint64_t known = stream->depth < stream->room ? stream->depth : stream->room;
	uint64_t skip = stream->depth > EVENT_LISTED ? stream->depth - EVENT_LISTED : 0;

	/* The innermost ones have no methods: none is listed. */
	if (known < stream->depth)
		skip = known;
	out = stream_put(out, stream->depth);
	out = stream_put(out, known - skip);
	for (uint64_t i = skip; i < known; i++)
		out = stream_put(out, stream->method[i]);
	return out;
}

/* Its thread is to be written. */
static void tell_thread(struct event_packer *packer, struct stream *stream)
{
	struct new_thread *fresh = stream->known ? NULL : malloc(sizeof(*fresh));

	if (!fresh)
		return;
	fresh->thread = stream->thread;
	fresh->next = packer->fresh;
	packer->fresh = fresh;
	stream->known = true;
}

/* The block under way is whole. */
static void seal(struct event_packer *packer, struct stream *stream)
{
	struct event_block *block = stream->block;

	if (!block)
		return;
	stream->block = NULL;
	if (block->count == 0 && block->lost == 0) {
		block_free(packer, block);
		return;
	}
	block->number = ++stream->blocks;
	block->stream = stream->thread.id;
	block = block_shrink(packer, block);
	packer->packed += block->count;
	tell_thread(packer, stream);
	blocks_add(packer->keep_ns ? &packer->kept : &packer->waiting, block);
}

/* A block that begins then, if there is none under way, with room for that many bytes; 0: it only says that something is
 * not there. False: no memory. */
static bool begin_block(
	struct event_packer *packer, struct stream *stream, uint64_t begin, size_t bytes)
{
	struct event_block *block = stream->block, *grown;
	size_t room = block ? block->room : BLOCK_FIRST;
	size_t needed = bytes + (block ? block->size : stack_bytes(stream->depth));

	while (room < needed)
		room *= 2;
	if (!block || room > block->room) {
		grown = block_resize(packer, block, room, bytes == 0);
		if (!grown)
			return false;
		stream->block = grown;
	}
	if (block)
		return true;
	block = stream->block;
	block->first = block->last = stream->last = begin;
	block->lost = stream->lost;
	stream->lost = 0;
	block->size = (size_t)(put_stack(stream, block->bytes) - block->bytes);
	return true;
}

/* ---- words ---- */

/* Frames as EVENT_STACK and EVENT_MOUNT have them become the stream's; those that are not listed have no
 * method. Returns the words. */
static unsigned take_stack(struct stream *stream, const uint64_t *word)
{
	uint32_t listed = (uint32_t)word[0];
	uint64_t depth = word[0] >> 32;

	stream->depth = 0;
	stream->watches = 0;
	for (uint64_t i = listed; i < depth; i++)
		push(stream, 0);
	for (uint32_t i = 0; i < listed; i++)
		push(stream, (uint32_t)(word[1 + i / 2] >> (i % 2 ? 32 : 0)));
	return 1 + (listed + 1) / 2;
}

/* An exit that is not the innermost frame's. */
static uint8_t *put_odd_exit(struct event_packer *packer, struct stream *stream, uint8_t *out,
	uint32_t method, bool unwound, uint64_t ns, uint64_t at)
{
	uint64_t depth = depth_below(stream, method);

	if (depth != UINT64_MAX) {
		unwatch(packer, stream, depth, at);
		stream->depth = depth;
	} else {
		packer->odd++;
	}
	return stream_put(
		stream_put_more(out, unwound ? STREAM_UNWIND_OF : STREAM_EXIT_OF, ns), method);
}

/* What is no entry and no exit; *words: of it. ns: since the event before. */
static uint8_t *put_more(struct event_packer *packer, struct stream *stream, uint8_t *out,
	const uint64_t *word, unsigned *words, uint64_t ns, uint64_t spent)
{
	enum event_more more = (enum event_more)(word[0] >> 2 & (EVENT_METHODS - 1));

	*words = 1;
	switch (more) {
	case EVENT_SETTLE:
		return stream_put_event(out, STREAM_SETTLE, ns);
	case EVENT_START:
		return stream_put_event(out, STREAM_START, ns);
	case EVENT_SPENT:
		return stream_put_event(out, STREAM_SPENT, spent);
	case EVENT_SPENT_AHEAD:
		return stream_put_event(out, STREAM_SPENT_AHEAD, spent);
	case EVENT_FOUND:
		*words = 2;
		push(stream, (uint32_t)word[1]);
		return stream_put(stream_put_more(out, STREAM_FOUND, ns), word[1]);
	case EVENT_MOUNT:
		*words = 3 + take_stack(stream, word + 3);
		out = stream_put_more(out, STREAM_MOUNT, ns);
		out = stream_put(stream_put(out, word[1]), word[2]);
		return put_stack(stream, out);
	case EVENT_UNMOUNT:
		stream->depth = 0;
		stream->watches = 0;
		return stream_put_more(out, STREAM_UNMOUNT, ns);
	case EVENT_ACCOUNT:
		*words = 5;
		out = stream_put_more(out, STREAM_OPERATION, ns);
		out = stream_put(stream_put(out, word[1] & 0xff), word[1] >> 8 & 1);
		return stream_put(stream_put(stream_put(out, word[2]), word[3]), word[4]);
	case EVENT_END:
	case EVENT_STACK: /* begins a block: see pack_words */
		break;
	}
	unwatch(packer, stream, 0, stream->last);
	return stream_put_more(out, STREAM_END, ns);
}

static bool is_stack(uint64_t word)
{
	return (word & 3) == EVENT_OTHER && (word >> 2 & (EVENT_METHODS - 1)) == EVENT_STACK;
}

static bool is_spent(uint64_t word)
{
	unsigned more = word >> 2 & (EVENT_METHODS - 1);

	return (word & 3) == EVENT_OTHER && (more == EVENT_SPENT || more == EVENT_SPENT_AHEAD);
}

/* Packs words of one segment into the block under way, up to a stack. Returns how many; there is room. */
static uint64_t pack_some(struct event_packer *packer, struct stream *stream,
	const uint64_t *word, uint64_t count, uint64_t begin)
{
	struct event_block *block = stream->block;
	uint8_t *out = block->bytes + block->size;
	uint64_t last = stream->last, i = 0;
	unsigned words;

	while (i < count) {
		uint64_t at = begin + (word[i] >> EVENT_TIME_SHIFT), ns;
		uint32_t method = word[i] >> 2 & (EVENT_METHODS - 1);
		unsigned kind = word[i] & 3;

		if (at < last || is_spent(word[i]))
			at = last;
		ns = at - last;
		last = at;
		words = 1;
		if (kind == EVENT_ENTRY) {
			out = stream_put(stream_put_event(out, STREAM_ENTRY, ns), method);
			push(stream, method);
			if (packer->longer)
				watch(packer, stream, method, at);
		} else if (kind == EVENT_OTHER) {
			if (is_stack(word[i]))
				break;
			stream->last = last;
			out = put_more(packer, stream, out, &word[i], &words, ns,
				word[i] >> EVENT_TIME_SHIFT);
		} else if (top_of(stream) == method && stream->depth > 0) {
			out = stream_put_event(
				out, kind == EVENT_EXIT ? STREAM_EXIT : STREAM_UNWIND, ns);
			if (stream->watches > 0)
				unwatch(packer, stream, stream->depth - 1, at);
			stream->depth--;
		} else {
			out = put_odd_exit(
				packer, stream, out, method, kind == EVENT_UNWIND, ns, at);
		}
		i += words;
		block->count++;
	}
	stream->last = block->last = last;
	block->size = (size_t)(out - block->bytes);
	if (last > packer->newest)
		packer->newest = last;
	return i;
}

static struct stream *stream_of(struct event_ring *ring)
{
	struct stream *stream = ring->stream;

	if (!stream)
		ring->stream = stream = calloc(1, sizeof(*stream));
	if (stream)
		stream->thread = ring->thread;
	return stream;
}

static uint64_t pack_words(void *user, struct event_ring *ring, const uint64_t *word,
	uint64_t count, uint64_t begin, uint64_t lost)
{
	struct event_packer *packer = user;
	struct stream *stream = stream_of(ring);
	uint64_t done = 0;

	if (!stream)
		return 0;
	if (lost > 0) {
		seal(packer, stream);
		stream->lost += lost;
	}
	while (done < count) {
		/* What comes behind it does not follow from what was before. */
		if (is_stack(word[done])) {
			uint64_t at = begin + (word[done] >> EVENT_TIME_SHIFT);

			seal(packer, stream);
			/* No block has this number. */
			stream->blocks += stream->blocks > 0;
			done += 1 + take_stack(stream, &word[done + 1]);
			if (at > stream->last)
				stream->last = at;
			begin_block(packer, stream, stream->last, 0);
			continue;
		}
		if (!begin_block(packer, stream,
			    stream->block || stream->last > begin ? stream->last : begin,
			    (count - done) * WORD_BYTES + HEAD_BYTES))
			break;
		done += pack_some(packer, stream, word + done, count - done, begin);
		if (stream->block->size >= BLOCK_FULL)
			seal(packer, stream);
	}
	return done;
}

/* Lost events that no later segment tells of. */
static void seal_lost(void *user, struct event_ring *ring)
{
	struct event_packer *packer = user;
	uint64_t lost = __atomic_load_n(&ring->lost, __ATOMIC_RELAXED);
	struct stream *stream = ring->told < lost || ring->stream ? stream_of(ring) : NULL;

	if (!stream || (ring->told == lost && stream->lost == 0))
		return;
	seal(packer, stream);
	stream->lost += lost - ring->told;
	ring->told = lost;
	if (begin_block(packer, stream, stream->last ? stream->last : packer->newest, 0))
		seal(packer, stream);
}

static void pack_closed(void *user, struct event_ring *ring)
{
	struct stream *stream;

	seal_lost(user, ring);
	stream = ring->stream;
	if (!stream)
		return;
	seal(user, stream);
	free(stream->method);
	free(stream);
	ring->stream = NULL;
}

/* ---- outside ---- */

struct event_packer *event_packer_create(struct trace *trace, uint64_t keep_ns,
	bool (*longer)(void *user, uint32_t method, uint64_t *ns), void *user)
{
	struct event_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	packer->trace = trace;
	packer->events = trace_events(trace);
	packer->keep_ns = keep_ns;
	packer->longer = longer;
	packer->user = user;
	blocks_init(&packer->waiting);
	blocks_init(&packer->kept);
	return packer;
}

static void forget_ring(void *user, struct event_ring *ring)
{
	struct event_packer *packer = user;
	struct stream *stream = ring->stream;

	if (!stream)
		return;
	block_free(packer, stream->block);
	free(stream->method);
	free(stream);
	ring->stream = NULL;
}

void event_packer_destroy(struct event_packer *packer)
{
	if (!packer)
		return;
	event_rings_each(packer->events, forget_ring, packer);
	while (packer->waiting.first)
		events_drop_first(packer);
	while (drop_kept(packer))
		;
	events_forget_threads(packer);
	free(packer);
}

/* Since when all events are needed: a call that is waited for and goes on may become long. */
static void oldest_call(void *user, struct event_ring *ring)
{
	const struct stream *stream = ring->stream;
	uint64_t *since = user;

	if (stream && stream->watches > 0 && stream->watched[0].at < *since)
		*since = stream->watched[0].at;
}

void events_pack(struct event_packer *packer, bool all)
{
	const struct event_drain drain = {packer, pack_words, pack_closed};
	uint64_t since;

	packer->all = all;
	event_rings_drain(packer->events, &drain);
	if (packer->keep_ns == 0 || packer->newest < packer->keep_ns)
		return;
	since = packer->newest - packer->keep_ns;
	if (packer->longer)
		event_rings_each(packer->events, oldest_call, &since);
	if (packer->has_call && packer->call.begin < since)
		since = packer->call.begin;
	while (packer->kept.first && packer->kept.first->last < since)
		drop_kept(packer);
}

static void seal_ring(void *user, struct event_ring *ring)
{
	if (ring->stream)
		seal(user, ring->stream);
}

void events_seal(struct event_packer *packer, bool end)
{
	event_rings_each(packer->events, seal_ring, packer);
	if (end)
		event_rings_each(packer->events, seal_lost, packer);
}

struct event_blocks *events_waiting(struct event_packer *packer)
{
	return &packer->waiting;
}

void events_drop_first(struct event_packer *packer)
{
	block_free(packer, blocks_take(&packer->waiting));
}

uint64_t events_release(struct event_packer *packer, uint64_t from)
{
	struct event_blocks all = packer->kept;
	uint64_t since = packer->gone > from ? packer->gone : from;

	if (all.first == NULL)
		return since;
	blocks_init(&packer->kept);
	for (struct event_block *block = all.first, *next; block; block = next) {
		next = block->next;
		blocks_add(block->last >= from ? &packer->waiting : &packer->kept, block);
	}
	return since;
}

bool events_take_long(struct event_packer *packer, struct event_long *call)
{
	bool has = packer->has_call;

	*call = packer->call;
	packer->has_call = false;
	return has;
}

struct event_counts events_count(const struct event_packer *packer)
{
	return (struct event_counts){.packed = packer->packed,
		.odd = packer->odd,
		.lost = events_lost(packer->events),
		.kept_since = packer->kept.first ? packer->kept.first->first : 0};
}

const struct new_thread *events_new_threads(const struct event_packer *packer)
{
	return packer->fresh;
}

void events_forget_threads(struct event_packer *packer)
{
	while (packer->fresh) {
		struct new_thread *next = packer->fresh->next;

		free(packer->fresh);
		packer->fresh = next;
	}
}
