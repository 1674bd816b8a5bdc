/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* lock_waits: see lock_waits.h. */
#include "agent/tracers/lock_waits.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"

enum {
	PARTS = 16,       /* of threads, by their number: each has its lock */
	LISTS = 64,       /* in each */
	BLOCK = 16,       /* waits that memory is had for at once */
	BLOCKS = 1 << 16, /* a million waits */
	KEPT = 16,        /* free ones that a part has for itself */
	LONGEST = 256,    /* that are kept one by one */
	UNFINISHED = 256, /* the same of those that are under way */
	LATE = 4096       /* that wait for an answer behind their end */
};
#define ANSWER_NS    UINT64_C(2000000000)
#define UNDER_WAY_NS UINT64_C(1000000000) /* before that nobody is asked */

/* What has become of a wait, joined by |. Whoever makes it whole ends it. */
enum { OVER = 1, ANSWERED = 2, WHOLE = OVER | ANSWERED, DROPPED = 4 };

struct wait {
	_Atomic uint32_t state;
	uint32_t next; /* of its list: place; 0: the last */
	uint32_t turn; /* how often it was used */
	uint32_t lock;
	uint32_t place; /* the writer's */
	/* The writer sets them: where the holder was, and the waiter while it waited. */
	_Atomic uint32_t holder_place, seen_place;
	uint8_t kind;         /* enum account_kind */
	uint8_t holder_state; /* enum wait_holder */
	uint8_t part;
	bool timed_out;
	_Atomic bool asked; /* where the waiter is */
	int64_t thread, holder;
	uintptr_t java; /* of the waiter */
	uint64_t begin, ns;
};

/* A copy of one that is under way, or was cut. */
struct under_way {
	wait_ref wait;
	uint64_t begin, ns;
	uint32_t lock, place, holder;
	uint8_t kind;
	bool contended, cut;
};

/* Waits of one kind by one path, for one lock, held by one path. */
struct contention {
	uint32_t place, holder, lock; /* 0: many */
	uint8_t kind;
	bool put;
	uint64_t count, failures, ns, longest, began;
	uint64_t node, holder_node; /* as they were put */
};

/* Waits of a path that is known, for what nobody holds: they may be very many, and are summed up where they end. */
struct sum {
	_Atomic uint64_t key; /* 0: none; for good */
	_Atomic uint64_t count, failures, ns, longest, began;
};
enum { SUMS = 1 << 12, SUM_TRIES = 8 };
static struct sum sums[SUMS];

static struct part {
	struct lock lock;
	uint32_t list[LISTS];
	uint32_t unused, count; /* of those */
} part[PARTS];

static struct {
	struct lock room; /* guards made, block, unused, cut and cuts */
	uint32_t made;    /* blocks */
	uint32_t unused;
	uint32_t most;
	struct wait *_Atomic block[BLOCKS];
	/* As the trace ended; their waits are nobody else's. */
	struct under_way cut[UNFINISHED];
	unsigned cuts;
	_Atomic uint64_t lost, unknown;
	/* The writer's. */
	struct waits_tree tree;
	struct contention *row;
	uint32_t rows, room_rows, mask;
	uint32_t *slot; /* place + 1 in row; 0: none */
	struct profile_wait longest[LONGEST];
	uint32_t longest_place[LONGEST], longest_holder[LONGEST];
	bool longest_put[LONGEST];
	unsigned longest_count, longest_closed; /* closed: in the file for good */
	bool unfinished_put;                    /* the file has some */
	struct {
		wait_ref wait;
		uint64_t at;
	} late[LATE];
	unsigned late_count;
	uint64_t ended, held, answered, folded;
	bool all; /* nothing that was put is kept */
	bool open;
} waits = {.room = {PTHREAD_MUTEX_INITIALIZER, LOCK_WAIT_ROOM}};

static struct wait *wait_at(uint32_t place)
{
	return &atomic_load_explicit(
		&waits.block[place / BLOCK], memory_order_acquire)[place % BLOCK];
}

static struct wait *wait_of(wait_ref ref)
{
	return wait_at((uint32_t)ref);
}

static wait_ref ref_to(uint32_t place)
{
	return place ? (wait_ref)wait_at(place)->turn << 32 | place : 0;
}

/* ---- memory ---- */

static uint32_t power_below(uint64_t number)
{
	uint32_t power = 1024;

	while (power < 1U << 22 && 2 * (uint64_t)power <= number)
		power *= 2;
	return power;
}

int waits_open(uint64_t bytes, const struct waits_tree *tree)
{
	/* Half for rows of the file, and half for waits. */
	uint32_t rows =
		power_below(bytes / 2 / (sizeof(struct contention) + 2 * sizeof(uint32_t)));

	if (waits.open)
		return 0;
	waits.row = calloc(rows, sizeof(*waits.row));
	waits.slot = calloc(2 * (size_t)rows, sizeof(*waits.slot));
	if (!waits.row || !waits.slot) {
		free(waits.row);
		free(waits.slot);
		return -1;
	}
	waits.tree = *tree;
	waits.room_rows = rows;
	waits.mask = 2 * rows - 1;
	waits.most = (uint32_t)(bytes / 2 / sizeof(struct wait) / BLOCK);
	if (waits.most > BLOCKS)
		waits.most = BLOCKS;
	for (int i = 0; i < PARTS; i++) {
		lock_init(&part[i].lock, LOCK_WAITS);
		memset(part[i].list, 0, sizeof(part[i].list));
		part[i].unused = part[i].count = 0;
	}
	waits.open = true;
	return 0;
}

void waits_close(void)
{
	if (!waits.open)
		return;
	waits.open = false;
	memset(sums, 0, sizeof(sums));
	for (uint32_t i = 0; i < waits.made; i++) {
		free(waits.block[i]);
		atomic_store(&waits.block[i], NULL);
	}
	waits.made = waits.unused = 0;
	for (int i = 0; i < PARTS; i++)
		lock_fini(&part[i].lock);
	free(waits.row);
	free(waits.slot);
	waits.row = NULL;
	waits.slot = NULL;
	/* The next recording may never open them, and asks for what there is to put and to tell all the same. */
	waits.rows = waits.longest_count = waits.longest_closed = waits.late_count = 0;
	waits.cuts = 0;
	waits.unfinished_put = false;
	waits.ended = waits.held = waits.answered = waits.folded = 0;
	waits.all = false;
	atomic_store(&waits.lost, 0);
	atomic_store(&waits.unknown, 0);
}

/* More for the part, from what others have given back or the system has. Under the part's lock. */
static void take_more(struct part *of)
{
	struct wait *fresh;
	uint32_t block;

	lock_take(&waits.room);
	of->unused = waits.unused;
	if (of->unused) {
		waits.unused = wait_at(of->unused)->next;
		wait_at(of->unused)->next = 0;
		of->count = 1;
	} else if (waits.made < waits.most && (fresh = calloc(BLOCK, sizeof(*fresh))) != NULL) {
		block = waits.made++;
		atomic_store_explicit(&waits.block[block], fresh, memory_order_release);
		/* The first place of all is none. */
		for (uint32_t i = block == 0; i < BLOCK; i++, of->count++) {
			fresh[i].next = of->unused;
			of->unused = block * BLOCK + i;
		}
	}
	lock_give(&waits.room);
}

/* Its place, under the part's lock. 0: no room. */
static uint32_t take_wait(struct part *of)
{
	uint32_t place;

	if (!of->unused)
		take_more(of);
	place = of->unused;
	if (!place)
		return 0;
	of->unused = wait_at(place)->next;
	of->count--;
	wait_at(place)->turn++;
	wait_at(place)->part = (uint8_t)(of - part);
	return place;
}

/* A part keeps some for its threads: others may need the rest. */
static void give_wait(wait_ref ref)
{
	struct part *of = &part[wait_of(ref)->part];

	lock_take(&of->lock);
	if (of->count < KEPT) {
		wait_of(ref)->next = of->unused;
		of->unused = (uint32_t)ref;
		of->count++;
	} else {
		lock_take(&waits.room);
		wait_of(ref)->next = waits.unused;
		waits.unused = (uint32_t)ref;
		lock_give(&waits.room);
	}
	lock_give(&of->lock);
}

/* Behind that the wait is nobody's: true if that is the caller's now. */
static bool comes_to(wait_ref ref, uint32_t bits)
{
	uint32_t before = atomic_fetch_or(&wait_of(ref)->state, bits);

	return (before & WHOLE) != WHOLE && ((before | bits) & WHOLE) == WHOLE;
}

/* ---- in the thread ---- */

static struct part *part_of(int64_t thread)
{
	return &part[(uint64_t)thread % PARTS];
}

static uint32_t *list_of(struct part *of, int64_t thread)
{
	return &of->list[(uint64_t)thread / PARTS % LISTS];
}

/* Takes the thread's wait off its list, under the part's lock; 0: there is none. */
static wait_ref take_off(struct part *of, int64_t thread)
{
	uint32_t *at = list_of(of, thread), place;

	while (*at && wait_at(*at)->thread != thread)
		at = &wait_at(*at)->next;
	place = *at;
	if (place)
		*at = wait_at(place)->next;
	return ref_to(place);
}

wait_ref waits_begin(
	int64_t thread, uintptr_t java, enum account_kind kind, uint32_t lock, uint64_t begin)
{
	struct part *of = part_of(thread);
	uint32_t place;
	wait_ref before;
	struct wait *wait;

	lock_take(&of->lock);
	before = take_off(of, thread);
	place = take_wait(of);
	if (place) {
		wait = wait_at(place);
		atomic_store_explicit(&wait->state, 0, memory_order_relaxed);
		wait->lock = lock;
		wait->kind = (uint8_t)kind;
		wait->holder_state = HOLDER_ASKED; /* until waits_held says otherwise */
		wait->place = 0;
		atomic_store(&wait->holder_place, 0);
		atomic_store(&wait->seen_place, 0);
		atomic_store(&wait->asked, false);
		wait->timed_out = false;
		wait->thread = thread;
		wait->java = java;
		wait->holder = 0;
		wait->begin = begin;
		wait->next = *list_of(of, thread);
		*list_of(of, thread) = place;
	}
	lock_give(&of->lock);
	if (before)
		waits_drop(before);
	if (!place)
		atomic_fetch_add(&waits.lost, 1);
	return ref_to(place);
}

void waits_held(wait_ref ref, enum wait_holder state, int64_t holder)
{
	struct wait *wait = wait_of(ref);
	struct part *of = &part[wait->part];

	lock_take(&of->lock);
	wait->holder = holder;
	wait->holder_state = (uint8_t)state;
	lock_give(&of->lock);
	if (state == HOLDER_UNKNOWN)
		atomic_fetch_add(&waits.unknown, 1);
	/* It may have been forgotten meanwhile. */
	if (state != HOLDER_ASKED && comes_to(ref, ANSWERED))
		give_wait(ref);
}

struct wait_end waits_end(int64_t thread, uint64_t now, bool timed_out)
{
	struct part *of = part_of(thread);
	struct wait_end end = {0};
	struct wait *wait;

	lock_take(&of->lock);
	end.wait = take_off(of, thread);
	lock_give(&of->lock);
	if (!end.wait)
		return end;
	wait = wait_of(end.wait);
	wait->ns = now > wait->begin ? now - wait->begin : 0;
	wait->timed_out = timed_out;
	end.kind = wait->kind;
	end.lock = wait->lock;
	end.ns = wait->ns;
	end.idle = wait->holder_state == HOLDER_NONE && wait->kind != LOCKS_BLOCK;
	return end;
}

static uint64_t sum_key(const struct wait *wait, uint32_t place)
{
	return (uint64_t)(wait->kind - LOCKS_BLOCK + 1) << 60 | (uint64_t)wait->lock << 32 |
	       place;
}

static struct sum *sum_of(uint64_t key)
{
	uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 40;

	for (int i = 0; i < SUM_TRIES; i++) {
		struct sum *sum = &sums[(at + (unsigned)i) % SUMS];
		uint64_t is = atomic_load_explicit(&sum->key, memory_order_relaxed);

		if (is == 0 && atomic_compare_exchange_strong(&sum->key, &is, key))
			return sum;
		if (is == key)
			return sum;
	}
	return NULL;
}

bool waits_add(wait_ref ref, uint32_t place)
{
	struct wait *wait = wait_of(ref);
	struct sum *sum = wait->holder_state == HOLDER_NONE && wait->kind != LOCKS_BLOCK &&
					  wait->lock < 1U << 28
				  ? sum_of(sum_key(wait, place))
				  : NULL;
	uint64_t longest;

	if (!sum)
		return false;
	atomic_fetch_add(&sum->ns, wait->ns);
	atomic_fetch_add(&sum->failures, wait->timed_out);
	longest = atomic_load(&sum->longest);
	while (wait->ns > longest &&
		!atomic_compare_exchange_weak(&sum->longest, &longest, wait->ns))
		;
	if (wait->ns > longest)
		atomic_store(&sum->began, wait->begin);
	/* Last: who takes sums looks at it first. */
	atomic_fetch_add(&sum->count, 1);
	waits_drop(ref);
	return true;
}

bool waits_is(int64_t thread, enum account_kind kind)
{
	struct part *of = part_of(thread);
	uint32_t at;
	bool is;

	lock_take(&of->lock);
	at = *list_of(of, thread);
	while (at && wait_at(at)->thread != thread)
		at = wait_at(at)->next;
	is = at && wait_at(at)->kind == kind;
	lock_give(&of->lock);
	return is;
}

void waits_drop(wait_ref ref)
{
	if (comes_to(ref, OVER | DROPPED))
		give_wait(ref);
}

void waits_lose(wait_ref ref)
{
	atomic_fetch_add(&waits.lost, 1);
	waits_drop(ref);
}

/* ---- those that are under way ---- */

/* Under the part's lock, but of one that was cut. */
static struct under_way under_way(uint32_t place, uint64_t now)
{
	const struct wait *wait = wait_at(place);

	return (struct under_way){.wait = ref_to(place),
		.begin = wait->begin,
		.ns = now > wait->begin ? now - wait->begin : 0,
		.lock = wait->lock,
		.place = wait->seen_place,
		.holder = wait->holder_place,
		.kind = wait->kind,
		.contended = wait->kind == LOCKS_BLOCK || wait->holder_state != HOLDER_NONE};
}

static bool is_before(const struct under_way *a, const struct under_way *b)
{
	return a->contended != b->contended ? a->contended : a->begin < b->begin;
}

/* Keeps the first ones, so many at most. Which one has no room; 0: all have. */
static wait_ref keep_first(
	struct under_way *kept, unsigned *count, unsigned most, const struct under_way *next)
{
	struct under_way *last = kept;
	wait_ref out = next->wait;

	if (*count < most) {
		kept[(*count)++] = *next;
		return 0;
	}
	for (unsigned i = 1; i < most; i++)
		if (is_before(last, &kept[i]))
			last = &kept[i];
	if (is_before(next, last)) {
		out = last->wait;
		*last = *next;
	}
	return out;
}

uint64_t waits_cut(uint64_t now)
{
	uint64_t lost = 0;

	for (int i = 0; i < PARTS; i++) {
		for (int list = 0; list < LISTS; list++) {
			uint32_t place, next;

			lock_take(&part[i].lock);
			place = part[i].list[list];
			part[i].list[list] = 0;
			lock_give(&part[i].lock);
			for (; place; place = next) {
				struct under_way cut;
				wait_ref out;

				lock_take(&part[i].lock);
				next = wait_at(place)->next;
				cut = under_way(place, now);
				cut.cut = true;
				lock_give(&part[i].lock);
				lock_take(&waits.room);
				out = keep_first(waits.cut, &waits.cuts, UNFINISHED, &cut);
				lock_give(&waits.room);
				lost += out != 0;
				if (out)
					waits_drop(out);
			}
		}
	}
	return lost;
}

/* Calls each for all that are under way, and that were cut. Under a lock. */
static void each_under_way(
	uint64_t now, void (*each)(void *user, const struct under_way *wait), void *user)
{
	for (int i = 0; i < PARTS; i++) {
		lock_take(&part[i].lock);
		for (int list = 0; list < LISTS; list++) {
			for (uint32_t at = part[i].list[list]; at; at = wait_at(at)->next) {
				const struct under_way wait = under_way(at, now);

				each(user, &wait);
			}
		}
		lock_give(&part[i].lock);
	}
	lock_take(&waits.room);
	for (unsigned i = 0; i < waits.cuts; i++) {
		const struct wait *wait = wait_of(waits.cut[i].wait);

		waits.cut[i].place = wait->seen_place;
		waits.cut[i].holder = wait->holder_place;
		each(user, &waits.cut[i]);
	}
	lock_give(&waits.room);
}

struct to_ask {
	struct under_way kept[WAITS_ASKED];
	unsigned count;
};

static void keep_to_ask(void *user, const struct under_way *wait)
{
	struct to_ask *to_ask = user;

	if ((wait->cut || wait->ns >= UNDER_WAY_NS) && !wait_of(wait->wait)->asked)
		keep_first(to_ask->kept, &to_ask->count, WAITS_ASKED, wait);
}

unsigned waits_to_ask(uint64_t now, struct wait_asked asked[WAITS_ASKED])
{
	struct to_ask to_ask = {.count = 0};
	unsigned count = 0;

	if (!waits.open)
		return 0;
	each_under_way(now, keep_to_ask, &to_ask);
	for (unsigned i = 0; i < to_ask.count; i++) {
		wait_ref ref = to_ask.kept[i].wait;
		struct wait *wait = wait_of(ref);
		struct part *of = &part[wait->part];

		lock_take(&of->lock);
		/* It may have ended since. */
		if (wait->turn == (uint32_t)(ref >> 32)) {
			wait->asked = true;
			asked[count++] =
				(struct wait_asked){ref, wait->thread, wait->java, wait->lock};
		}
		lock_give(&of->lock);
	}
	return count;
}

void waits_seen(wait_ref ref, uint32_t place)
{
	struct wait *wait;
	struct part *of;

	if (!waits.open)
		return;
	wait = wait_of(ref);
	of = &part[wait->part];
	lock_take(&of->lock);
	if (wait->turn == (uint32_t)(ref >> 32))
		wait->seen_place = place;
	lock_give(&of->lock);
}

/* ---- sums, on the writer's thread ---- */

static uint32_t hash_of(const struct contention *row)
{
	uint64_t mixed =
		((uint64_t)row->place << 32 | row->holder) * UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ ((uint64_t)row->lock << 8 | row->kind)) * UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(mixed >> 32);
}

/* Found, or made, up to so many rows; NULL: there is no room. */
static struct contention *row_of(const struct contention *wanted, uint32_t most)
{
	uint32_t at = hash_of(wanted);
	struct contention *row;

	for (; waits.slot[at & waits.mask]; at++) {
		row = &waits.row[waits.slot[at & waits.mask] - 1];
		if (row->place == wanted->place && row->holder == wanted->holder &&
			row->lock == wanted->lock && row->kind == wanted->kind)
			return row;
	}
	if (waits.rows >= most)
		return NULL;
	row = &waits.row[waits.rows++];
	*row = *wanted;
	waits.slot[at & waits.mask] = waits.rows;
	return row;
}

static struct contention *row_for(struct contention wanted, uint64_t count)
{
	uint32_t quarter = waits.room_rows / 4;
	struct contention *row = row_of(&wanted, waits.room_rows - quarter);

	if (row)
		return row;
	waits.folded += count;
	wanted.place = wanted.holder = 0;
	row = row_of(&wanted, waits.room_rows - 16);
	if (row)
		return row;
	wanted.lock = 0;
	return row_of(&wanted, waits.room_rows);
}

/* contention: the row that counts it. */
static void keep_if_long(const struct wait *wait, uint32_t contention)
{
	unsigned at = waits.longest_count;

	if (at < LONGEST) {
		waits.longest_count++;
	} else {
		at = 0;
		for (unsigned i = 1; i < LONGEST; i++)
			if (waits.longest[i].ns < waits.longest[at].ns)
				at = i;
		if (waits.longest[at].ns >= wait->ns)
			return;
	}
	waits.longest[at] = (struct profile_wait){.id = waits.longest_closed + at + 1,
		.contention = contention,
		.begin = wait->begin,
		.ns = wait->ns,
		.lock = wait->lock,
		.kind = wait->kind};
	waits.longest_place[at] = wait->place;
	waits.longest_holder[at] = wait->holder_place;
	waits.longest_put[at] = false;
}

/* All is known of it. */
static void tell(wait_ref ref)
{
	struct wait *wait = wait_of(ref);
	struct contention *row;

	if (atomic_load(&wait->state) & DROPPED) {
		give_wait(ref);
		return;
	}
	row = row_for((struct contention){.place = wait->place,
			      .holder = wait->holder_place,
			      .lock = wait->lock,
			      .kind = wait->kind},
		1);
	row->count++;
	row->failures += wait->timed_out;
	row->ns += wait->ns;
	if (row->longest <= wait->ns) {
		row->longest = wait->ns;
		row->began = wait->begin;
	}
	row->put = false;
	waits.ended++;
	waits.held += wait->holder_state == HOLDER_ASKED;
	if (wait->holder_place) {
		waits.answered++;
		waits.tree.hold(wait->holder_place, wait->lock, wait->ns);
	}
	/* Others are long by themselves. */
	if (wait->kind == LOCKS_BLOCK || wait->holder_state != HOLDER_NONE)
		keep_if_long(wait, (uint32_t)(row - waits.row) + 1);
	give_wait(ref);
}

void waits_answered(wait_ref ref, uint32_t place)
{
	/* Who did not answer in time may do so later. */
	if (!waits.open || wait_of(ref)->turn != (uint32_t)(ref >> 32) ||
		(atomic_load(&wait_of(ref)->state) & ANSWERED))
		return;
	wait_of(ref)->holder_place = place;
	if (comes_to(ref, ANSWERED))
		tell(ref);
}

void waits_placed(wait_ref ref, uint32_t place)
{
	uint64_t end = wait_of(ref)->begin + wait_of(ref)->ns;

	if (!place)
		atomic_fetch_add(&waits.lost, 1);
	wait_of(ref)->place = place;
	if (comes_to(ref, place ? OVER : OVER | DROPPED)) {
		tell(ref);
		return;
	}
	if (waits.late_count == LATE)
		waits_sweep(0, true);
	waits.late[waits.late_count].wait = ref;
	waits.late[waits.late_count++].at = end;
}

static void take_sum(struct sum *sum)
{
	uint64_t key = atomic_load(&sum->key), count = atomic_exchange(&sum->count, 0);
	uint64_t ns = atomic_exchange(&sum->ns, 0),
		 failures = atomic_exchange(&sum->failures, 0),
		 longest = atomic_exchange(&sum->longest, 0);
	struct contention *row =
		row_for((struct contention){.place = (uint32_t)key,
				.lock = (uint32_t)(key >> 32) & ((1U << 28) - 1),
				.kind = (uint8_t)((key >> 60) - 1 + LOCKS_BLOCK)},
			count);

	waits.tree.waits((uint32_t)key, (enum account_kind)((key >> 60) - 1 + LOCKS_BLOCK),
		(uint32_t)(key >> 32) & ((1U << 28) - 1), count, failures, ns);
	row->count += count;
	row->failures += failures;
	row->ns += ns;
	if (row->longest < longest) {
		row->longest = longest;
		row->began = atomic_load(&sum->began);
	}
	row->put = false;
	waits.ended += count;
}

void waits_sweep(uint64_t now, bool all)
{
	unsigned kept = 0;

	for (int i = 0; i < SUMS; i++)
		if (atomic_load(&sums[i].count))
			take_sum(&sums[i]);
	for (unsigned i = 0; i < waits.late_count; i++) {
		wait_ref ref = waits.late[i].wait;

		if (all || now > waits.late[i].at + ANSWER_NS)
			waits_answered(ref, 0);
		else
			waits.late[kept++] = waits.late[i];
	}
	waits.late_count = kept;
}

/* ---- the file ---- */

static uint64_t node_of(uint32_t place)
{
	return place ? waits.tree.node(place) : 0;
}

static int put_row(struct profile_writer *profile, struct contention *row, uint32_t id,
	uint64_t began, struct error *error)
{
	uint64_t node = node_of(row->place), holder = node_of(row->holder);
	const struct profile_contention record = {.id = id,
		.node = node,
		.holder = holder,
		.lock = row->lock,
		.kind = row->kind,
		.count = row->count,
		.failures = row->failures,
		.ns = row->ns,
		.longest = row->longest,
		.began = row->began > began ? row->began - began : 0};

	if (row->put && !waits.all && node == row->node && holder == row->holder_node)
		return 0;
	row->put = true;
	row->node = node;
	row->holder_node = holder;
	return profile_put(profile, &record, error);
}

struct unfinished {
	struct under_way kept[UNFINISHED];
	unsigned count;
};

/* Of one that is under way for moments nobody knows where it is, or will want to. */
static void keep_unfinished(void *user, const struct under_way *wait)
{
	struct unfinished *unfinished = user;

	if (wait->cut || wait->place)
		keep_first(unfinished->kept, &unfinished->count, UNFINISHED, wait);
}

/* They are others with each flush. */
static int put_unfinished(
	struct profile_writer *profile, uint64_t began, uint64_t now, struct error *error)
{
	static struct unfinished unfinished;
	int status;

	unfinished.count = 0;
	each_under_way(now, keep_unfinished, &unfinished);
	if (unfinished.count == 0 && !waits.unfinished_put)
		return 0;
	waits.unfinished_put = unfinished.count > 0;
	status = profile_drop_unfinished(profile, error);
	for (unsigned i = 0; i < unfinished.count && status == 0; i++) {
		const struct under_way *wait = &unfinished.kept[i];
		const struct profile_wait record = {.id = i + 1,
			.begin = wait->begin > began ? wait->begin - began : 0,
			.ns = wait->ns,
			.node = node_of(wait->place),
			.holder = node_of(wait->holder),
			.lock = wait->lock,
			.kind = wait->kind};

		status = profile_put_row(profile, TABLE_UNFINISHED_WAIT, &record, error);
	}
	return status;
}

int waits_put(struct profile_writer *profile, uint64_t began, uint64_t now, struct error *error)
{
	int status = 0;

	if (!waits.open)
		return 0;
	for (uint32_t i = 0; i < waits.rows && status == 0; i++)
		status = put_row(profile, &waits.row[i], i + 1, began, error);
	for (unsigned i = 0; i < waits.longest_count && status == 0; i++) {
		struct profile_wait record = waits.longest[i];
		uint64_t node = node_of(waits.longest_place[i]),
			 holder = node_of(waits.longest_holder[i]);

		if (waits.longest_put[i] && !waits.all && node == record.node &&
			holder == record.holder)
			continue;
		waits.longest[i].node = record.node = node;
		waits.longest[i].holder = record.holder = holder;
		record.begin = record.begin > began ? record.begin - began : 0;
		waits.longest_put[i] = true;
		status = profile_put(profile, &record, error);
	}
	return status == 0 ? put_unfinished(profile, began, now, error) : status;
}

void waits_put_done(bool kept)
{
	waits.all = !kept;
	waits.unfinished_put |= !kept;
}

void waits_close_longest(void)
{
	waits.longest_closed += waits.longest_count;
	waits.longest_count = 0;
}

struct waits_state waits_state(void)
{
	return (struct waits_state){.ended = waits.ended,
		.lost = atomic_load(&waits.lost),
		.held = waits.held,
		.answered = waits.answered,
		.unknown = atomic_load(&waits.unknown),
		.folded = waits.folded};
}

/* ---- who waits now ---- */

void waits_each(void (*each)(void *user, const struct wait_now *wait), void *user)
{
	for (int i = 0; waits.open && i < PARTS; i++) {
		lock_take(&part[i].lock);
		for (int list = 0; list < LISTS; list++) {
			for (uint32_t at = part[i].list[list]; at; at = wait_at(at)->next) {
				const struct wait *wait = wait_at(at);
				const struct wait_now now = {.thread = wait->thread,
					.holder = wait->holder,
					.kind = wait->kind,
					.lock = wait->lock,
					.begin = wait->begin};

				each(user, &now);
			}
		}
		lock_give(&part[i].lock);
	}
}
