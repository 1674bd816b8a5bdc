/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * constructor: following the code from point to point until no state changes any more.
 */
#include "agent/rewrite/constructor.h"

#include "agent/rewrite/descriptor.h"
#include "agent/rewrite/stack_map.h"

/* How code is reached; both: in either state. */
enum { REACH_BEFORE = 1, REACH_AFTER = 2, REACH_MIXED = 3 };

/* What else a mark says of an instruction. */
enum {
	MARK_REACH = 3,
	MARK_TARGET = 4, /* ways meet here */
	MARK_ROW = 8,    /* a row of the exception table begins here */
	MARK_HIDDEN = 16 /* its frame does not say that local 0 is `this` */
};

enum {
	/* Instructions, and rows looked at, until it is given up: some milliseconds. */
	WORK_MAX = 1 << 22,
	SLOT_WORDS_MAX = 1 << 18 /* two megabytes */
};

/* The way being followed. */
struct walk {
	struct constructor *own;
	const struct constructor_method *method;
	uint32_t words; /* of a state's bits: locals, then operands */
	uint32_t work;
	uint32_t depth;
	uint8_t reach;
	bool fresh; /* the handlers here do not know this state */
	bool ended; /* control does not go to the next instruction */
	bool failed;
	bool no_memory; /* and that is why */
};

static bool slot_get(const struct walk *walk, uint32_t slot)
{
	return walk->own->slots[slot / 64] >> slot % 64 & 1;
}

static void slot_set(struct walk *walk, uint32_t slot, bool holds_this)
{
	uint64_t bit = (uint64_t)1 << slot % 64;

	if (holds_this)
		walk->own->slots[slot / 64] |= bit;
	else
		walk->own->slots[slot / 64] &= ~bit;
}

static void local_set(struct walk *walk, uint32_t local, bool holds_this)
{
	if (local >= walk->method->max_locals) {
		walk->failed = true;
	} else if (slot_get(walk, local) != holds_this) {
		slot_set(walk, local, holds_this);
		walk->fresh = true;
	}
}

static void push(struct walk *walk, bool holds_this)
{
	if (walk->depth >= walk->method->max_stack)
		walk->failed = true;
	else
		slot_set(walk, walk->method->max_locals + walk->depth++, holds_this);
}

/* What was in the slot; the bits above the stack are always zero. */
static bool pop(struct walk *walk)
{
	uint32_t slot = walk->method->max_locals + walk->depth - 1;
	bool held;

	if (walk->depth == 0) {
		walk->failed = true;
		return false;
	}
	held = slot_get(walk, slot);
	slot_set(walk, slot, false);
	walk->depth--;
	return held;
}

static void pop_many(struct walk *walk, uint32_t count)
{
	while (count-- > 0 && !walk->failed)
		pop(walk);
}

static void push_many(struct walk *walk, uint32_t count)
{
	while (count-- > 0 && !walk->failed)
		push(walk, false);
}

/* dup to dup2_x2, swap: what is popped (a is the top), and what is pushed. */
static void shuffle(struct walk *walk, uint8_t opcode)
{
	static const struct {
		uint8_t pops;
		char pushes[7];
	} shuffles[] = {
		{1, "aa"},     /* dup */
		{2, "aba"},    /* dup_x1 */
		{3, "acba"},   /* dup_x2 */
		{2, "baba"},   /* dup2 */
		{3, "bacba"},  /* dup2_x1 */
		{4, "badcba"}, /* dup2_x2 */
		{2, "ab"},     /* swap */
	};
	bool held[4] = {false};
	uint32_t row = opcode - OP_DUP;

	for (uint32_t i = 0; i < shuffles[row].pops; i++)
		held[i] = pop(walk);
	for (const char *c = shuffles[row].pushes; *c; c++)
		push(walk, held[*c - 'a']);
}

static void effect_field(struct walk *walk, uint8_t opcode, uint16_t index)
{
	struct text name, text;
	struct descriptor descriptor;

	if (!constants_member(walk->method->constants, index, &name, &text) ||
		!descriptor_read(text, &descriptor)) {
		walk->failed = true;
		return;
	}
	/* getstatic, putstatic, getfield, putfield */
	if (opcode & 1)
		pop_many(walk, descriptor.result);
	if (opcode >= OP_GETFIELD)
		pop(walk);
	if (!(opcode & 1))
		push_many(walk, descriptor.result);
}

static void effect_invoke(struct walk *walk, uint8_t opcode, uint16_t index)
{
	struct text name, text;
	struct descriptor descriptor;

	if (!constants_member(walk->method->constants, index, &name, &text) ||
		!descriptor_read(text, &descriptor)) {
		walk->failed = true;
		return;
	}
	pop_many(walk, descriptor.arguments);
	if (opcode != OP_INVOKESTATIC && opcode != OP_INVOKEDYNAMIC && pop(walk) &&
		opcode == OP_INVOKESPECIAL && text_is(name, "<init>", 6)) {
		walk->reach = REACH_AFTER;
		walk->fresh = true;
		return;
	}
	push_many(walk, descriptor.result);
}

/* Loads and stores, of a local given by the operand or the opcode. */
static void effect_local(struct walk *walk, uint8_t opcode, uint32_t operand)
{
	const struct opcode *row = &opcodes[opcode];
	bool load = row->effect == EFFECT_LOAD;
	uint32_t local = operand;

	if (row->length == 1)
		local = (opcode - (load ? OP_ILOAD_0 : OP_ISTORE_0)) & 3;
	if (load) {
		if (local >= walk->method->max_locals)
			walk->failed = true;
		else
			push(walk, slot_get(walk, local));
		return;
	}
	for (uint32_t i = row->pops; i-- > 0;)
		local_set(walk, local + i, pop(walk));
}

/* What the instruction at pc does to the slots. */
static void effect(struct walk *walk, const uint8_t *at)
{
	uint8_t opcode = *at;
	const struct opcode *row = &opcodes[opcode];
	uint32_t operand = row->length > 1 ? at[1] : 0;

	if (row->effect == EFFECT_WIDE) {
		opcode = at[1];
		row = &opcodes[opcode];
		operand = get_u2(at + 2);
	}
	switch (row->effect) {
	case EFFECT_LOAD:
	case EFFECT_STORE:
		effect_local(walk, opcode, operand);
		break;
	case EFFECT_SHUFFLE:
		shuffle(walk, opcode);
		break;
	case EFFECT_FIELD:
		effect_field(walk, opcode, get_u2(at + 1));
		break;
	case EFFECT_INVOKE:
		effect_invoke(walk, opcode, get_u2(at + 1));
		break;
	case EFFECT_ARRAY:
		pop_many(walk, at[3]);
		push(walk, false);
		break;
	default:
		pop_many(walk, row->pops);
		push_many(walk, row->pushes);
	}
}

/* A new point with the walk's state; NULL: no memory, or too much of it. */
static struct point *point_add(struct walk *walk, uint32_t pc)
{
	struct constructor *own = walk->own;
	uint32_t used = own->slots_used + walk->words;

	if (used > SLOT_WORDS_MAX)
		return NULL;
	walk->no_memory = !scratch_grow((void **)&own->point, &own->point_capacity,
				  own->points + 1, own->points, sizeof(*own->point)) ||
			  !scratch_grow((void **)&own->queue, &own->queue_capacity,
				  own->points + 1, own->queued, sizeof(*own->queue)) ||
			  !scratch_grow((void **)&own->slots, &own->slots_capacity, used,
				  own->slots_used, sizeof(*own->slots));
	if (walk->no_memory)
		return NULL;
	own->point[own->points] = (struct point){.pc = pc, .slots = own->slots_used};
	own->slots_used = used;
	own->point_of[pc] = (uint16_t)(own->points + 1);
	return &own->point[own->points++];
}

static void point_queue(struct walk *walk, struct point *point)
{
	struct constructor *own = walk->own;

	if (!point->queued)
		own->queue[own->queued++] = (uint16_t)(point - own->point);
	point->queued = true;
}

/* Lowers a point's slots to what the walk's hold too; a handler's stack holds the
 * exception alone. True: that changed them. */
static bool point_lower(
	struct walk *walk, const struct point *point, bool first, bool handler)
{
	uint64_t *to = walk->own->slots + point->slots, changed = 0;
	uint32_t locals = walk->method->max_locals;

	for (uint32_t i = 0; i < walk->words; i++) {
		uint64_t bits = walk->own->slots[i];

		if (handler && i == locals / 64)
			bits &= ((uint64_t)1 << locals % 64) - 1;
		else if (handler && i > locals / 64)
			bits = 0;
		if (!first)
			bits &= to[i];
		changed |= to[i] ^ bits;
		to[i] = bits;
	}
	walk->work += walk->words;
	return changed != 0;
}

/* Gives the walk's state to the point at pc, as what comes next or as a handler. */
static void point_meet(struct walk *walk, uint32_t pc, bool handler)
{
	struct constructor *own = walk->own;
	uint32_t known = own->point_of[pc], depth = handler ? 1 : walk->depth;
	struct point *point = known ? &own->point[known - 1] : point_add(walk, pc);
	uint8_t reach;

	if (!point) {
		walk->failed = true;
		return;
	}
	reach = point->reach | walk->reach;
	if (reach == REACH_BEFORE) {
		if (point_lower(walk, point, !known, handler))
			point_queue(walk, point);
		if (!known)
			point->depth = (uint16_t)depth;
		walk->failed |= point->depth != depth;
	}
	if (reach != point->reach)
		point_queue(walk, point);
	point->reach = reach;
}

/* Gives the state in front of the instruction at pc to the handlers that cover it. */
static void meet_handlers(struct walk *walk, uint32_t pc)
{
	const struct exceptions *exceptions = walk->method->exceptions;

	for (uint32_t i = 0; i < exceptions->rows; i++) {
		const uint8_t *row = exceptions->row + i * ROW_SIZE;

		if (get_u2(row + ROW_START) <= pc && pc < get_u2(row + ROW_END))
			point_meet(walk, get_u2(row + ROW_HANDLER), true);
	}
	walk->work += exceptions->rows;
	walk->fresh = false;
}

static void meet_targets(struct walk *walk, uint32_t pc)
{
	uint32_t targets = code_targets(walk->method->code, pc);

	for (uint32_t i = 0; i < targets && !walk->failed; i++) {
		uint32_t target = code_target(walk->method->code, pc, i);

		if (code_begins(walk->method->code, target))
			point_meet(walk, target, false);
		else
			walk->failed = true;
	}
	walk->work += targets;
}

/* Marks one instruction, and takes the walk over it. */
static void step(struct walk *walk, uint32_t pc)
{
	const uint8_t *at = walk->method->code->bytes + pc;
	uint8_t *mark = &walk->own->mark[pc], flow = opcodes[*at].flow;

	if (*mark & MARK_HIDDEN && walk->reach == REACH_BEFORE)
		local_set(walk, 0, false);
	*mark |= walk->reach == REACH_BEFORE && !slot_get(walk, 0) ? REACH_MIXED
								   : walk->reach;
	if (walk->fresh || *mark & MARK_ROW)
		meet_handlers(walk, pc);
	if (walk->reach == REACH_BEFORE) {
		/* A subroutine's way back is not followed: no compiler had one here. */
		if (flow == FLOW_JSR || flow == FLOW_JSR_W || flow == FLOW_RET)
			walk->failed = true;
		else
			effect(walk, at);
		if (walk->reach != REACH_BEFORE && walk->method->typed)
			*mark |= REACH_MIXED;
	}
	if (flow != FLOW_NEXT && !walk->failed)
		meet_targets(walk, pc);
	/* Behind a jsr: as if the subroutine returned. */
	walk->ended = flow == FLOW_THROW || flow == FLOW_RET || flow == FLOW_RETURN ||
		      flow == FLOW_GOTO || flow == FLOW_GOTO_W || flow == FLOW_TABLE ||
		      flow == FLOW_LOOKUP;
}

/* From the point to the next one, or to where control ends. */
static void walk_from(struct walk *walk, struct point *point)
{
	struct constructor *own = walk->own;
	uint32_t pc = point->pc, length = walk->method->code->length;

	point->queued = false;
	walk->reach = point->reach;
	walk->depth = point->depth;
	walk->fresh = true;
	if (walk->reach == REACH_BEFORE)
		memcpy(own->slots, own->slots + point->slots,
			walk->words * sizeof(*own->slots));
	for (;;) {
		step(walk, pc);
		pc += code_size_at(walk->method->code, pc);
		if (pc >= length || ++walk->work > WORK_MAX)
			walk->failed |= !walk->ended || walk->work > WORK_MAX;
		if (walk->failed || walk->ended)
			return;
		if (own->mark[pc] & MARK_TARGET) {
			point_meet(walk, pc, false);
			return;
		}
	}
}

/* Where ways may meet, and where rows begin. */
static bool mark_targets(struct constructor *own, const struct constructor_method *method)
{
	const struct code *code = method->code;
	const struct exceptions *exceptions = method->exceptions;

	for (uint32_t s = 0; s < code->sites; s++) {
		uint32_t pc = code->site[s].pc, targets = code_targets(code, pc);

		for (uint32_t i = 0; i < targets; i++) {
			uint32_t target = code_target(code, pc, i);

			if (!code_begins(code, target))
				return false;
			own->mark[target] |= MARK_TARGET;
		}
	}
	for (uint32_t i = 0; i < exceptions->rows; i++) {
		const uint8_t *row = exceptions->row + i * ROW_SIZE;

		own->mark[get_u2(row + ROW_START)] |= MARK_ROW;
		own->mark[get_u2(row + ROW_HANDLER)] |= MARK_TARGET;
	}
	return true;
}

/* Where the verifier is not told that local 0 is `this`. */
static bool mark_hidden(struct constructor *own, const struct constructor_method *method)
{
	struct descriptor descriptor;

	if (!descriptor_read(method->descriptor, &descriptor))
		return false;
	stack_map_mark_hidden(method->frames, method->code, descriptor.values + 1,
		own->mark, MARK_HIDDEN);
	return true;
}

static bool zone_add(
	struct constructor *own, uint32_t start, uint32_t end, enum handler handler)
{
	struct zone *last = own->zones ? &own->zone[own->zones - 1] : NULL;

	if (last && last->end == start && last->handler == handler) {
		last->end = end;
		return true;
	}
	if (!scratch_grow((void **)&own->zone, &own->zone_capacity, own->zones + 1,
		    own->zones, sizeof(*own->zone)))
		return false;
	own->zone[own->zones++] = (struct zone){start, end, handler};
	return true;
}

static bool make_zones(struct constructor *own, const struct code *code)
{
	uint32_t size;

	own->zones = 0;
	for (uint32_t pc = 0; pc < code->length; pc += size) {
		uint8_t reach = own->mark[pc] & MARK_REACH;

		size = code_size_at(code, pc);
		if (reach != REACH_BEFORE && reach != REACH_AFTER)
			continue;
		if (!zone_add(own, pc, pc + size,
			    reach == REACH_BEFORE ? HANDLER_BEFORE : HANDLER_COMMON))
			return false;
	}
	return true;
}

/* Empty arrays, as large as the method needs. */
static bool constructor_init(
	struct constructor *own, const struct constructor_method *method, uint32_t words)
{
	uint32_t length = method->code->length;

	if (!scratch_grow((void **)&own->mark, &own->mark_capacity, length, 0, 1) ||
		!scratch_grow((void **)&own->point_of, &own->point_of_capacity, length, 0,
			sizeof(*own->point_of)) ||
		!scratch_grow((void **)&own->slots, &own->slots_capacity, words, 0,
			sizeof(*own->slots)))
		return false;
	memset(own->mark, 0, length);
	memset(own->point_of, 0, length * sizeof(*own->point_of));
	memset(own->slots, 0, words * sizeof(*own->slots));
	own->points = own->queued = 0;
	own->slots_used = words;
	return true;
}

enum rewrite_reason constructor_find(
	struct constructor *own, const struct constructor_method *method)
{
	uint32_t slots = (uint32_t)method->max_locals + method->max_stack;
	struct walk walk = {.own = own,
		.method = method,
		.words = slots / 64 + 1,
		.reach = REACH_BEFORE};

	if (method->max_locals == 0)
		return REWRITE_CONSTRUCTOR;
	if (!constructor_init(own, method, walk.words))
		return REWRITE_MEMORY;
	if (!mark_targets(own, method))
		return REWRITE_MALFORMED;
	if (!mark_hidden(own, method))
		return REWRITE_MALFORMED;
	own->mark[0] |= MARK_TARGET;
	slot_set(&walk, 0, true);
	point_meet(&walk, 0, false);
	while (own->queued > 0 && !walk.failed)
		walk_from(&walk, &own->point[own->queue[--own->queued]]);
	if (walk.failed)
		return walk.no_memory ? REWRITE_MEMORY : REWRITE_CONSTRUCTOR;
	return make_zones(own, method->code) ? REWRITE_OK : REWRITE_MEMORY;
}

void constructor_fini(struct constructor *own)
{
	free(own->mark);
	free(own->point_of);
	free(own->point);
	free(own->queue);
	free(own->slots);
	free(own->zone);
}
