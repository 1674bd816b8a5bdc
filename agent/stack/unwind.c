/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* unwind: see unwind.h. */
#include "agent/stack/unwind.h"

#include "agent/stack/byte_cursor.h"
#include "agent/stack/frame_rules.h"
#include "agent/stack/safe_read.h"
#include "unwind_registers.h"

enum { WORD = sizeof(uintptr_t), VALUES_MAX = 8 };

/* ---- expressions ---- */

/* What expressions are computed with: a small stack of values. */
struct values {
	uint64_t value[VALUES_MAX];
	unsigned count;
	bool bad;
};

static void push(struct values *values, uint64_t value)
{
	if (values->count == VALUES_MAX)
		values->bad = true;
	else
		values->value[values->count++] = value;
}

static uint64_t pop(struct values *values)
{
	if (values->count == 0) {
		values->bad = true;
		return 0;
	}
	return values->value[--values->count];
}

static void push_register(struct values *values, const struct native_frame *frame,
	unsigned column, int64_t offset)
{
	uint64_t value = 0;

	if (column == UNWIND_FP)
		value = frame->fp;
	else if (column == UNWIND_SP)
		value = frame->sp;
	else if (column == UNWIND_RETURN && !UNWIND_HAS_LINK)
		value = frame->pc;
	else
		values->bad = true;
	push(values, value + (uint64_t)offset);
}

/* The operations of entries in procedure linkage tables, signals' frames and realigned stacks (DWARF 5,
 * 2.5.1). False: it is not one of them. */
static bool operate(struct values *values, struct byte_cursor *cursor, uint8_t code,
	const struct native_frame *frame, const struct unwind_memory *stack)
{
	uint64_t right;
	uintptr_t word;

	if (code >= 0x30 && code <= 0x4f) { /* lit0... */
		push(values, code - 0x30);
		return true;
	}
	if (code >= 0x70 && code <= 0x8f) { /* breg0... */
		push_register(values, frame, code - 0x70, cursor_sleb(cursor));
		return true;
	}
	switch (code) {
	case 0x06: /* deref */
		if (!stack->read(stack->user, (uintptr_t)pop(values), &word))
			return false;
		push(values, word);
		return true;
	case 0x08: /* const1u */
		push(values, cursor_byte(cursor));
		return true;
	case 0x09: /* const1s */
		push(values, (uint64_t)cursor_signed(cursor, 1));
		return true;
	case 0x1a: /* and */
		right = pop(values);
		push(values, pop(values) & right);
		return true;
	case 0x1c: /* minus */
		right = pop(values);
		push(values, pop(values) - right);
		return true;
	case 0x22: /* plus */
		right = pop(values);
		push(values, pop(values) + right);
		return true;
	case 0x23: /* plus_uconst */
		push(values, pop(values) + cursor_uleb(cursor));
		return true;
	case 0x24: /* shl */
		right = pop(values);
		push(values, right < 64 ? pop(values) << right : 0);
		return true;
	case 0x2a: /* ge, of signed numbers */
		right = pop(values);
		push(values, (int64_t)pop(values) >= (int64_t)right);
		return true;
	default:
		return false;
	}
}

/* cfa: what the expression begins with, or NULL. No operation leads backwards. */
static bool evaluate(const struct frame_rule *rule, const struct native_frame *frame,
	const struct unwind_memory *stack, const uintptr_t *cfa, uintptr_t *result)
{
	struct byte_cursor cursor;
	struct values values;

	cursor_set(&cursor, rule->expression, rule->expression + rule->length);
	values.count = 0;
	values.bad = false;
	if (cfa)
		push(&values, *cfa);
	while (cursor_left(&cursor) > 0) {
		uint8_t code = cursor_byte(&cursor);

		if (!operate(&values, &cursor, code, frame, stack) || values.bad || cursor.bad)
			return false;
	}
	*result = (uintptr_t)pop(&values);
	return !values.bad;
}

/* ---- rules ---- */

static bool find_cfa(const struct frame_rule *rule, const struct native_frame *frame,
	const struct unwind_memory *stack, uintptr_t *cfa)
{
	switch (rule->kind) {
	case RULE_FP:
		*cfa = frame->fp + (uintptr_t)rule->offset;
		return true;
	case RULE_SP:
		*cfa = frame->sp + (uintptr_t)rule->offset;
		return true;
	case RULE_EXPRESSION:
		return evaluate(rule, frame, stack, NULL, cfa);
	default:
		return false;
	}
}

/* *value: the register's; it becomes the caller's. */
static bool follow(const struct frame_rule *rule, const struct native_frame *frame,
	const struct unwind_memory *stack, uintptr_t cfa, uintptr_t *value)
{
	uintptr_t at;

	switch (rule->kind) {
	case RULE_SAME:
		return true;
	case RULE_AT:
		return stack->read(stack->user, cfa + (uintptr_t)rule->offset, value);
	case RULE_VALUE:
		*value = cfa + (uintptr_t)rule->offset;
		return true;
	case RULE_AT_EXPRESSION:
		return evaluate(rule, frame, stack, &cfa, &at) &&
		       stack->read(stack->user, at, value);
	case RULE_EXPRESSION:
		return evaluate(rule, frame, stack, &cfa, value);
	default:
		*value = 0;
		return true;
	}
}

/* False: the caller is not to be found; *frame is as it was, unless there is none. */
static bool step_by_rules(const struct frame_rules *rules, const struct unwind_memory *stack,
	struct native_frame *frame, bool innermost)
{
	struct native_frame caller = {.fp = frame->fp, .interrupted = rules->signal};

	if (rules->pc.kind == RULE_UNDEFINED) {
		frame->pc = 0;
		return false;
	}
	if (rules->pc.kind == RULE_OTHER)
		return false;
	/* What is still in a register, is in one that later calls overwrite. */
	if (rules->pc.kind == RULE_SAME) {
		if (!UNWIND_HAS_LINK || !innermost)
			return false;
		caller.pc = frame->link;
	}
	if (!find_cfa(&rules->cfa, frame, stack, &caller.sp) || caller.sp % WORD != 0)
		return false;
	if (!follow(&rules->pc, frame, stack, caller.sp, &caller.pc) ||
		!follow(&rules->fp, frame, stack, caller.sp, &caller.fp))
		return false;
	if (caller.sp <= frame->sp && !rules->signal &&
		!(caller.sp == frame->sp && rules->pc.kind == RULE_SAME))
		return false;
	caller.pc = unwind_address(caller.pc);
	if (caller.pc == 0) {
		frame->pc = 0;
		return false;
	}
	*frame = caller;
	return true;
}

/* Where frames have a chain of their own: FP --> | caller's FP | return address |. What is above may be the frame's, and then only
 * the caller's own FP tells where its stack ends, if it is native. */
static bool step_by_chain(const struct modules *modules, const struct unwind_memory *stack,
	struct native_frame *frame)
{
	struct native_frame caller = {.sp = frame->fp + (uintptr_t)2 * WORD};

	if (frame->fp % WORD != 0 || frame->fp < frame->sp || caller.sp < frame->fp ||
		!stack->read(stack->user, frame->fp, &caller.fp) ||
		!stack->read(stack->user, frame->fp + WORD, &caller.pc))
		return false;
	caller.pc = unwind_address(caller.pc);
	if (caller.pc == 0) {
		frame->pc = 0;
		return false;
	}
	if (UNWIND_FP_IS_LOW && caller.fp > frame->fp && modules &&
		modules_find(modules, caller.pc - 1))
		caller.sp = caller.fp;
	*frame = caller;
	return true;
}

/* The module's bytes may be read: it was not unloaded since the list was made, by which all its memory goes at once. */
static bool is_loaded(const struct module *module)
{
	uintptr_t header = (uintptr_t)module->frame_header, word;

	return module->frame_header && safe_word(header - header % WORD, &word);
}

bool unwind_step(const struct modules *modules, const struct unwind_memory *stack,
	struct native_frame *frame, bool innermost)
{
	/* A call may be the last instruction of its function: the return address is the next one's. */
	uintptr_t pc = innermost || frame->interrupted ? frame->pc : frame->pc - 1;
	const struct module *module = modules ? modules_find(modules, pc) : NULL;
	struct frame_rules rules;
	bool found;

	if (frame->pc == 0)
		return false;
	if (module && module != frame->loaded && !is_loaded(module))
		module = NULL;
	switch (module ? frame_rules_find(module, pc, &rules) : FRAME_NONE) {
	case FRAME_FOUND:
		found = step_by_rules(&rules, stack, frame, innermost);
		break;
	case FRAME_NONE:
		found = step_by_chain(modules, stack, frame);
		break;
	default:
		return false;
	}
	if (found)
		frame->loaded = module;
	return found;
}

bool is_behind_system_call(uintptr_t pc)
{
	uint32_t before = 0;

	return safe_copy(&before, pc - SYSTEM_CALL_BYTES, SYSTEM_CALL_BYTES) &&
	       before == SYSTEM_CALL;
}
