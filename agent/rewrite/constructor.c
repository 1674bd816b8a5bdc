/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* constructor: one pass over the code. */
#include "agent/rewrite/constructor.h"

#include "agent/rewrite/descriptor.h"
#include "agent/rewrite/stack_map.h"

/* Slots set for frames, until the method is left alone: some milliseconds. */
enum { WORK_MAX = 1 << 24 };

/* Where the pass is. */
struct walk {
	struct constructor *own;
	const struct constructor_method *method;
	struct frames frames;
	uint32_t locals;        /* of the last frame */
	uint32_t uninitialised; /* how many of them are the uninitialised `this` */
	uint32_t depth;         /* of the operand stack, in slots */
	uint32_t work;
	bool initialised; /* slots do not matter then */
	bool failed;
	bool no_memory; /* and that is why */
};

static void local_set(struct walk *walk, uint32_t local, bool holds_this)
{
	if (local >= walk->method->max_locals)
		walk->failed = true;
	else
		walk->own->holds[local] = holds_this;
}

static void push(struct walk *walk, bool holds_this)
{
	if (walk->depth >= walk->method->max_stack)
		walk->failed = true;
	else
		walk->own->holds[walk->method->max_locals + walk->depth++] = holds_this;
}

/* What was in the slot. */
static bool pop(struct walk *walk)
{
	if (walk->depth == 0) {
		walk->failed = true;
		return false;
	}
	return walk->own->holds[walk->method->max_locals + --walk->depth];
}

/* Slots that are popped, and then pushed without holding `this`. */
static void change(struct walk *walk, uint32_t pops, uint32_t pushes)
{
	while (pops-- > 0 && !walk->failed)
		pop(walk);
	while (pushes-- > 0 && !walk->failed)
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

/* The field, method or call site that an instruction names. False: the walk has failed. */
static bool member_read(
	struct walk *walk, uint16_t index, struct text *name, struct descriptor *descriptor)
{
	struct text text;

	walk->failed |= !constants_member(walk->method->constants, index, name, &text) ||
			!descriptor_read(text, descriptor);
	return !walk->failed;
}

static void effect_field(struct walk *walk, uint8_t opcode, uint16_t index)
{
	bool put = opcode & 1; /* getstatic, putstatic, getfield, putfield */
	struct text name;
	struct descriptor field;

	if (member_read(walk, index, &name, &field))
		change(walk, (opcode >= OP_GETFIELD) + (put ? field.result : 0),
			put ? 0 : field.result);
}

static void effect_invoke(struct walk *walk, uint8_t opcode, uint16_t index)
{
	struct text name;
	struct descriptor descriptor;

	if (!member_read(walk, index, &name, &descriptor))
		return;
	change(walk, descriptor.slots, 0);
	if (opcode != OP_INVOKESTATIC && opcode != OP_INVOKEDYNAMIC && pop(walk) &&
		opcode == OP_INVOKESPECIAL && text_is(name, "<init>", 6)) {
		walk->initialised = true;
		return;
	}
	change(walk, 0, descriptor.result);
}

/* Loads and stores, of a local given by the operand or the opcode. */
static void effect_local(struct walk *walk, uint8_t opcode, uint32_t operand)
{
	const struct opcode *row = &opcodes[opcode];
	bool load = row->effect == EFFECT_LOAD;
	uint32_t local = operand;

	if (row->length == 1)
		local = (opcode - (load ? OP_ILOAD_0 : OP_ISTORE_0)) & 3;
	if (load && local >= walk->method->max_locals)
		walk->failed = true;
	else if (load)
		push(walk, walk->own->holds[local]);
	for (uint32_t i = load ? 0 : row->pops; i-- > 0;)
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
		change(walk, at[3], 1);
		break;
	default:
		change(walk, row->pops, row->pushes);
	}
}

/* A local behind those of the last frame. */
static void frame_local_add(struct walk *walk, uint8_t type)
{
	struct constructor *own = walk->own;

	if (!scratch_grow((void **)&own->local, &own->local_capacity, walk->locals + 1,
		    walk->locals, sizeof(*own->local)))
		walk->failed = walk->no_memory = true;
	if (walk->locals == UINT16_MAX)
		walk->failed = true;
	if (walk->failed)
		return;
	own->local[walk->locals++] = type;
	walk->uninitialised += type == TYPE_UNINITIALIZED_THIS;
}

/* Makes the slots those of the last frame, with an empty operand stack. */
static void slots_set(struct walk *walk)
{
	uint32_t slots = (uint32_t)walk->method->max_locals + walk->method->max_stack;
	uint32_t slot = 0;

	walk->depth = 0;
	walk->initialised = walk->uninitialised == 0;
	if (walk->initialised)
		return;
	memset(walk->own->holds, 0, slots);
	for (uint32_t i = 0; i < walk->locals; i++, slot++) {
		uint8_t type = walk->own->local[i];

		if (type == TYPE_UNINITIALIZED_THIS)
			local_set(walk, slot, true);
		slot += type == TYPE_LONG || type == TYPE_DOUBLE;
	}
	walk->work += slots / 8 + walk->locals;
	walk->failed |= walk->work > WORK_MAX;
}

/* The frame that a constructor begins with (4.10.1.6). */
static bool first_frame(struct walk *walk)
{
	struct text text = walk->method->descriptor;
	const char *at = text.chars + 1;
	struct descriptor whole;

	if (!descriptor_read(text, &whole) || text.chars[0] != '(')
		return false;
	frame_local_add(walk, TYPE_UNINITIALIZED_THIS);
	for (uint32_t i = 0; i < whole.count; i++) {
		char type = descriptor_type(&at, text.chars + text.length);

		frame_local_add(walk, type_slots(type) == 2 ? TYPE_LONG : TYPE_TOP);
	}
	slots_set(walk);
	return true;
}

/* Follows what the frame changes, and takes its state. */
static void frame_take(struct walk *walk, const struct frame *frame)
{
	struct frames *frames = &walk->frames;
	uint32_t added = frame->appended, stack = frame->stack_item;

	if (frame->chopped > walk->locals) {
		walk->failed = true;
		return;
	}
	for (uint32_t i = 0; i < frame->chopped; i++)
		walk->uninitialised -=
			walk->own->local[--walk->locals] == TYPE_UNINITIALIZED_THIS;
	if (frame->kind == FRAME_FULL) {
		walk->locals = walk->uninitialised = 0;
		added = read_u2(&frames->in);
	}
	while (added-- > 0 && !walk->failed && !frames->failed)
		frame_local_add(walk, frames_type(frames));
	slots_set(walk);
	if (frame->kind == FRAME_FULL)
		stack = read_u2(&frames->in);
	while (stack-- > 0 && !walk->failed && !frames->failed) {
		uint8_t type = frames_type(frames);

		push(walk, type == TYPE_UNINITIALIZED_THIS);
		if (type == TYPE_LONG || type == TYPE_DOUBLE)
			push(walk, false);
	}
}

static bool range_add(
	struct constructor *own, uint32_t start, uint32_t end, enum handler handler)
{
	struct range *last = own->ranges ? &own->range[own->ranges - 1] : NULL;

	if (last && last->end == start && last->handler == handler) {
		last->end = end;
		return true;
	}
	if (!scratch_grow((void **)&own->range, &own->range_capacity, own->ranges + 1,
		    own->ranges, sizeof(*own->range)))
		return false;
	own->range[own->ranges++] = (struct range){start, end, handler};
	return true;
}

enum rewrite_reason constructor_find(
	struct constructor *own, const struct constructor_method *method)
{
	const struct code *code = method->code;
	struct walk walk = {
		.own = own, .method = method, .frames = frames_of(method->frames, code)};
	bool reached = true; /* from the instruction before */
	struct frame frame;
	bool more = frames_next(&walk.frames, &frame);

	own->ranges = 0;
	if (method->max_locals == 0)
		return REWRITE_CONSTRUCTOR;
	if (!scratch_grow((void **)&own->holds, &own->holds_capacity,
		    (uint32_t)method->max_locals + method->max_stack, 0, sizeof(*own->holds)))
		return REWRITE_MEMORY;
	if (!first_frame(&walk))
		return REWRITE_MALFORMED;
	for (uint32_t pc = 0, size; pc < code->length && !walk.failed; pc += size) {
		bool before, hidden;

		size = code_size_at(code, pc);
		if (more && frame.pc == pc) {
			frame_take(&walk, &frame);
			more = frames_next(&walk.frames, &frame);
		} else if (!reached) {
			own->ranges = 0;
			return range_add(own, 0, code->length, HANDLER_COMMON) ? REWRITE_OK
									       : REWRITE_MEMORY;
		}
		before = !walk.initialised;
		hidden = before && !own->holds[0];
		if (before && !walk.failed)
			effect(&walk, code->bytes + pc);
		reached = !opcode_ends(code->bytes[pc]);
		if (hidden || before == walk.initialised)
			continue;
		if (!range_add(own, pc, pc + size,
			    before ? HANDLER_UNINITIALIZED : HANDLER_COMMON))
			return REWRITE_MEMORY;
	}
	if (walk.no_memory)
		return REWRITE_MEMORY;
	return walk.failed || reached ? REWRITE_CONSTRUCTOR : REWRITE_OK;
}

void constructor_fini(struct constructor *own)
{
	free(own->local);
	free(own->holds);
	free(own->range);
}
