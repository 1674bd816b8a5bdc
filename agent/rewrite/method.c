/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* method: from the old Code attribute to the new one, in the file's order. */
#include "agent/rewrite/method.h"

#include "agent/rewrite/annotations.h"
#include "agent/rewrite/stack_map.h"

/* A Code attribute taken apart, and the handlers that it gets. */
struct code_parts {
	uint16_t max_stack, max_locals;
	uint32_t length;
	const uint8_t *bytes;
	uint16_t attributes;
	struct reader rest;   /* the attributes, known to be whole */
	struct reader frames; /* the StackMapTable's contents; empty: none, or not used */
	struct handlers handlers;
	struct range whole; /* what a method other than a constructor has */
};

/* The exception table goes to where the work has it. */
static bool parts_read(struct method_work *work, struct reader in, struct code_parts *parts)
{
	struct attribute attribute;
	bool frames = false;

	parts->max_stack = read_u2(&in);
	parts->max_locals = read_u2(&in);
	parts->length = read_u4(&in);
	parts->bytes = read_bytes(&in, parts->length);
	work->exceptions.rows = read_u2(&in);
	work->exceptions.row = read_bytes(&in, work->exceptions.rows * (size_t)ROW_SIZE);
	parts->attributes = read_u2(&in);
	parts->rest = in;
	parts->frames = reader_of(in.end, 0);
	if (in.failed || parts->length == 0 || parts->length > CODE_MAX)
		return false;
	for (uint32_t i = 0; i < parts->attributes; i++) {
		if (!attribute_read(work->constants, &in, &attribute))
			return false;
		if (attribute.kind != ATTRIBUTE_STACK_MAP || !work->typed)
			continue;
		if (frames || reader_left(&attribute.content) < 2)
			return false;
		frames = true;
		parts->frames = attribute.content;
	}
	return reader_done(&in);
}

/* Which calls the method gets. */
static void calls_choose(struct probe *probe, probe_set kinds)
{
	static const probe_set of_call[ENTRY_CALLS] = {
#define X(kind, bit, entry) [CALL_AT_ENTRY_##kind] = kind,
		PROBE_TABLE(X)
#undef X
	};

	probe->timed = kinds & PROBE_TIMED;
	probe->entries = 0;
	if (kinds & PROBE_WATCHED)
		kinds &= (probe_set)~PROBE_TIMED;
	for (uint8_t call = 0; call < ENTRY_CALLS; call++)
		if (kinds & of_call[call])
			probe->entry[probe->entries++] = call;
}

/* False: there was no room for it. */
static bool call_need(struct method_work *work, enum probe_call call)
{
	static const struct {
		const char *name, *descriptor;
	} methods[CALLS] = {[CALL_EXIT] = {"exit", "(I)V"},
		[CALL_UNWIND] = {"unwind", "(I)V"},
		[CALL_CAUGHT] = {"caught", "(I)V"},
		[CALL_REACH] = {"reach", "(I)V"},
		[CALL_VALUE + READING_OBJECT] = {"value", "(Ljava/lang/Object;I)V"},
		[CALL_VALUE + READING_LONG] = {"value", "(JI)V"},
		[CALL_VALUE + READING_DOUBLE] = {"value", "(DI)V"},
		[CALL_RESULT + READING_OBJECT] = {"result", "(Ljava/lang/Object;I)V"},
		[CALL_RESULT + READING_LONG] = {"result", "(JI)V"},
		[CALL_RESULT + READING_DOUBLE] = {"result", "(DI)V"},
#define X(kind, bit, entry) [CALL_AT_ENTRY_##kind] = {entry, "(I)V"},
		PROBE_TABLE(X)
#undef X
	};
	uint16_t *method = &work->probe.method[call];

	if (*method == 0)
		*method = constants_add_method(work->constants, work->probe_index,
			methods[call].name, methods[call].descriptor);
	return *method != 0;
}

/* The constants that the method's probes need. */
static enum rewrite_reason constants_need(struct method_work *work)
{
	const struct probe *probe = &work->probe;
	bool whole = true;

	if (work->probe_index == 0)
		work->probe_index = constants_add_class(work->constants, work->probe_class);
	if (work->probe_index == 0)
		return constants_why(work->constants);
	for (unsigned i = 0; i < probe->entries; i++)
		whole &= call_need(work, probe->entry[i]);
	for (enum probe_call call = CALL_EXIT; call < TIMED_CALLS && probe->timed; call++)
		whole &= call_need(work, call);
	if (whole && probe->timed && work->throwable == 0) {
		work->stack_map_name = constants_add_utf8(work->constants, "StackMapTable");
		work->throwable = constants_add_class(work->constants, "java/lang/Throwable");
		whole = work->throwable != 0;
	}
	return whole ? REWRITE_OK : constants_why(work->constants);
}

/* The shortest way to push the number: its bytes, 0 if there is no room for its constant. */
static uint8_t push_make(struct method_work *work, uint32_t number, uint8_t push[3])
{
	uint16_t index;

	if (number <= 5) {
		push[0] = (uint8_t)(OP_ICONST_0 + number);
		return 1;
	}
	if (number <= INT8_MAX) {
		push[0] = OP_BIPUSH;
		push[1] = (uint8_t)number;
		return 2;
	}
	if (number <= INT16_MAX) {
		push[0] = OP_SIPUSH;
		put_u2(push + 1, number);
		return 3;
	}
	index = constants_add_integer(work->constants, number);
	if (index == 0)
		return 0;
	push[0] = index <= UINT8_MAX ? OP_LDC : OP_LDC_W;
	if (index <= UINT8_MAX)
		push[1] = (uint8_t)index;
	else
		put_u2(push + 1, index);
	return index <= UINT8_MAX ? 2 : 3;
}

/* The instructions of the method's readings. */
static enum rewrite_reason readings_make(struct method_work *work, const struct method *method)
{
	struct probe *probe = &work->probe;

	probe->values.size = probe->values.stack = 0;
	probe->results.size = probe->results.stack = 0;
	for (unsigned i = 0; i < method->readings; i++) {
		const struct reading *reading = &work->reading[i];
		enum probe_call call = reading_call(reading);
		uint8_t push[3], push_size = push_make(work, reading->asked->number, push);

		if (push_size == 0 || !call_need(work, call))
			return constants_why(work->constants);
		reading_add(reading_is_result(reading) ? &probe->results : &probe->values,
			reading, push, push_size, probe->method[call]);
	}
	return REWRITE_OK;
}

/* What the method's probes push and call. */
static enum rewrite_reason probe_make(struct method_work *work, const struct method *method)
{
	struct probe *probe = &work->probe;
	enum rewrite_reason reason = constants_need(work);

	if (reason != REWRITE_OK)
		return reason;
	probe->push_size = push_make(work, method->probes.id, probe->push);
	probe->size = probe->push_size + 3;
	return probe->push_size > 0 ? readings_make(work, method)
				    : constants_why(work->constants);
}

/* The instruction of 3 bytes that pushes the number; 0: no room for its constant. */
static uint32_t push_wide(struct method_work *work, uint32_t number)
{
	uint16_t index;

	if (number <= INT16_MAX)
		return (uint32_t)OP_SIPUSH << 16 | number;
	index = constants_add_integer(work->constants, number);
	return index ? (uint32_t)OP_LDC_W << 16 | index : 0;
}

/* Which lines with calls are told. */
static enum rewrite_reason sites_find(
	struct method_work *work, const struct method *method, const struct code_parts *parts)
{
	struct call_lines *lines = &work->call_lines;
	struct code *code = &work->code;
	struct reader in = parts->rest;
	struct attribute attribute;
	uint32_t pc, site, push;
	uint16_t line;

	if (!call_lines_begin(lines, code))
		return REWRITE_MEMORY;
	for (uint32_t i = 0; i < parts->attributes; i++) {
		attribute_read(work->constants, &in, &attribute);
		if (attribute.kind == ATTRIBUTE_LINES &&
			!call_lines_read(lines, code, attribute.content))
			return REWRITE_MALFORMED;
	}
	for (uint32_t i = 0; i < work->exceptions.rows; i++)
		call_lines_handler(
			lines, code, get_u2(work->exceptions.row + i * ROW_SIZE + ROW_HANDLER));
	while ((line = call_lines_next(lines, code, &pc)) != 0) {
		site = work->site(work->user, method->probes.id, line);
		work->sites_left |= site == 0;
		if (site == 0)
			continue;
		push = push_wide(work, site);
		if (push == 0 || !call_need(work, CALL_REACH))
			return constants_why(work->constants);
		if (!code_add_reach(code, pc, push))
			return REWRITE_MEMORY;
	}
	work->sites_left |= lines->unknown;
	return REWRITE_OK;
}

/* Which instructions are under which handler. */
static enum rewrite_reason handlers_find(
	struct method_work *work, const struct method *method, struct code_parts *parts)
{
	struct handlers *handlers = &parts->handlers;

	*handlers = (struct handlers){0};
	if (!work->probe.timed)
		return REWRITE_OK;
	parts->whole = (struct range){0, parts->length, HANDLER_COMMON};
	*handlers = (struct handlers){.range = &parts->whole, .ranges = 1};
	/* A verifier that infers types takes a handler without locals for both states of
	 * `this`. */
	if (method->constructor && work->typed) {
		struct constructor_method own = {
			.code = &work->code,
			.constants = work->constants,
			.max_stack = parts->max_stack,
			.max_locals = parts->max_locals,
			.descriptor = method->descriptor,
			.frames = parts->frames,
		};
		enum rewrite_reason reason = constructor_find(&work->constructor, &own);

		if (reason != REWRITE_OK)
			return reason;
		handlers->range = work->constructor.range;
		handlers->ranges = work->constructor.ranges;
	}
	for (uint32_t i = 0; i < handlers->ranges; i++) {
		const struct range *range = &handlers->range[i];

		handlers->used[range->handler] |=
			code_covers(&work->code, range->start, range->end);
	}
	return REWRITE_OK;
}

/* HotSpot leaves longer ones to the interpreter (HugeMethodLimit, unless -XX:-DontCompileHugeMethods): not for call sites. */
enum { COMPILED_MAX = 8000 };

/* The code, and the handlers behind it, with their length. */
static enum rewrite_reason code_part_write(
	const struct method_work *work, struct handlers *handlers, struct writer *out)
{
	const struct code *code = &work->code;
	uint32_t length = code->new_length;
	size_t length_at = out->size;
	enum rewrite_reason reason;

	write_u4(out, 0);
	reason = code_write(code, out);
	if (reason != REWRITE_OK)
		return reason;
	for (enum handler handler = 0; handler < HANDLERS; handler++) {
		if (!handlers->used[handler])
			continue;
		handlers->at[handler] = length;
		code_write_handler(code, out);
		length += code_handler_size(code);
	}
	patch_u4(out, length_at, length);
	if (code->reaches && code->length <= COMPILED_MAX && length > COMPILED_MAX)
		return REWRITE_CODE;
	return length > CODE_MAX ? REWRITE_CODE : REWRITE_OK;
}

/* ---- lines and variables: rows keep their number and size (4.7.12 to 4.7.14) ---- */

enum { LINE_SIZE = 4, LOCAL_SIZE = 10 };

/* Writes a table of lines or of variables. A start at 0 stays there: the enter probe belongs to
 * the first line. */
static inline enum rewrite_reason table_write(
	struct reader in, size_t row_size, const struct code *code, struct writer *out)
{
	uint32_t rows = read_u2(&in);
	size_t size = 2 + rows * row_size;
	uint8_t *row;

	if (in.failed || reader_left(&in) != size - 2)
		return REWRITE_MALFORMED;
	row = write_room(out, size);
	if (!row)
		return REWRITE_MEMORY;
	memcpy(row, in.at - 2, size);
	row += 2;
	for (uint32_t i = 0; i < rows; i++, row += row_size) {
		bool is_local = row_size == LOCAL_SIZE;
		uint32_t start = get_u2(row), end = start + (is_local ? get_u2(row + 2) : 1u);
		uint32_t from;

		if (end > code->length)
			return REWRITE_MALFORMED;
		from = start ? code_place(code, start) : 0;
		put_u2(row, from);
		if (is_local)
			put_u2(row + 2, end ? code_place(code, end) - from : 0);
	}
	return REWRITE_OK;
}

/* ---- the attribute ---- */

static enum rewrite_reason attribute_write(const struct method_work *work,
	const struct code_parts *parts, const struct attribute *attribute, struct writer *out)
{
	const struct code *code = &work->code;
	size_t head = out->size;
	enum rewrite_reason reason = REWRITE_OK;

	write_u2(out, attribute->name);
	write_u4(out, 0);
	switch (attribute->kind) {
	case ATTRIBUTE_LINES:
		reason = table_write(attribute->content, LINE_SIZE, code, out);
		break;
	case ATTRIBUTE_LOCALS:
		reason = table_write(attribute->content, LOCAL_SIZE, code, out);
		break;
	case ATTRIBUTE_TYPES:
		reason = annotations_write_types(
			attribute->content, code, &work->exceptions, out);
		break;
	default:
		reason = stack_map_write(
			attribute->content, code, &parts->handlers, work->throwable, out);
	}
	patch_u4(out, head + 2, (uint32_t)(out->size - head - 6));
	return reason;
}

static enum rewrite_reason attributes_write(
	const struct method_work *work, const struct code_parts *parts, struct writer *out)
{
	const bool *used = parts->handlers.used;
	bool frames_needed =
		work->typed && (used[HANDLER_COMMON] || used[HANDLER_UNINITIALIZED]);
	struct reader in = parts->rest;
	struct attribute attribute;
	size_t count_at = out->size;
	uint32_t count = 0;
	enum rewrite_reason reason = REWRITE_OK;

	write_u2(out, 0);
	for (uint32_t i = 0; i < parts->attributes && reason == REWRITE_OK; i++) {
		attribute_read(work->constants, &in, &attribute);
		if (attribute.kind < ATTRIBUTE_STACK_MAP ||
			(attribute.kind == ATTRIBUTE_STACK_MAP && !work->typed))
			continue;
		frames_needed &= attribute.kind != ATTRIBUTE_STACK_MAP;
		reason = attribute_write(work, parts, &attribute, out);
		count++;
	}
	if (frames_needed && reason == REWRITE_OK) {
		attribute = (struct attribute){
			ATTRIBUTE_STACK_MAP, work->stack_map_name, parts->frames};
		reason = attribute_write(work, parts, &attribute, out);
		count++;
	}
	patch_u2(out, count_at, count);
	return count > UINT16_MAX ? REWRITE_TABLE : reason;
}

/* At the entry a call's argument alone, or a reading; in front of a return on top of everything; and in a handler the
 * exception and the id. */
static uint32_t max_stack_with(const struct code_parts *parts, const struct probe *probe)
{
	uint32_t at_entry = probe->values.stack > 0 ? probe->values.stack : 1;
	uint32_t in_handler = probe->timed ? 2 : 0;
	uint32_t at_exit = parts->max_stack +
			   (probe->results.stack > 0 ? probe->results.stack : probe->timed);
	uint32_t most = at_entry > in_handler ? at_entry : in_handler;

	return most > at_exit ? most : at_exit;
}

enum rewrite_reason method_write(
	struct method_work *work, const struct method *method, struct writer *out)
{
	struct code_parts parts;
	size_t head = out->size;
	enum rewrite_reason reason;
	uint32_t max_stack;

	if (!parts_read(work, method->code.content, &parts))
		return REWRITE_MALFORMED;
	calls_choose(&work->probe, method->probes.kinds);
	if ((reason = probe_make(work, method)))
		return reason;
	max_stack = max_stack_with(&parts, &work->probe);
	if (max_stack > UINT16_MAX)
		return REWRITE_STACK;
	code_begin(&work->code, parts.bytes, parts.length, &work->probe);
	if (!exceptions_announce(&work->exceptions, &work->code))
		return REWRITE_MEMORY;
	if (method->probes.sites && work->probe.timed &&
		(reason = sites_find(work, method, &parts)))
		return reason;
	if ((reason = code_decode(&work->code)))
		return reason;
	if (!exceptions_check(&work->exceptions, &work->code))
		return REWRITE_MALFORMED;
	if ((reason = handlers_find(work, method, &parts)))
		return reason;
	write_u2(out, method->code.name);
	write_u4(out, 0);
	write_u2(out, max_stack);
	write_u2(out, parts.max_locals);
	reason = code_part_write(work, &parts.handlers, out);
	if (reason == REWRITE_OK)
		reason = exceptions_write(&work->exceptions, &work->code, &parts.handlers, out);
	if (reason == REWRITE_OK)
		reason = attributes_write(work, &parts, out);
	patch_u4(out, head + 2, (uint32_t)(out->size - head - 6));
	return reason == REWRITE_OK && out->failed ? REWRITE_MEMORY : reason;
}

void method_fini(struct method_work *work)
{
	code_fini(&work->code);
	call_lines_fini(&work->call_lines);
	constructor_fini(&work->constructor);
	free(work->exceptions.first);
}
