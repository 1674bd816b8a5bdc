/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code: decoding, layout, writing. */
#include "agent/rewrite/code.h"

enum { HANDLER_STEPS_MAX = 16 };

/* Zero bytes that align a switch's operands (JVM specification, 6.5, tableswitch). */
static uint32_t switch_padding(uint32_t pc)
{
	return 3 - (pc & 3);
}

/* A switch's operands: a head that begins with the default's offset, and a row for each case
 * that ends with its offset. */
struct switch_operands {
	uint32_t at;        /* pc */
	uint32_t head, row; /* bytes */
	uint32_t cases;
};

/* Where the offset of the default is, or of a case, from 1. */
static uint32_t switch_offset(const struct switch_operands *operands, uint32_t i)
{
	return operands->at + (i > 0 ? operands->head + i * operands->row - 4 : 0);
}

/* Size of the switch, 0 if it is malformed. */
static uint32_t switch_read(
	const struct code *code, uint32_t pc, struct switch_operands *operands)
{
	bool table = code->bytes[pc] == OP_TABLESWITCH;
	uint32_t at = pc + 1 + switch_padding(pc), head = table ? 12 : 8, row = table ? 4 : 8;
	const uint8_t *number = code->bytes + at + 4;
	uint64_t cases;

	if (at + head > code->length ||
		(table && (int32_t)get_u4(number) > (int32_t)get_u4(number + 4)))
		return 0;
	cases = table ? (uint64_t)(get_u4(number + 4) - get_u4(number)) + 1 : get_u4(number);
	if (cases > (code->length - at - head) / row)
		return 0;
	*operands = (struct switch_operands){at, head, row, (uint32_t)cases};
	return at - pc + head + operands->cases * row;
}

static uint32_t wide_size(const struct code *code, uint32_t pc)
{
	uint8_t opcode;

	if (pc + 1 >= code->length)
		return 0;
	opcode = code->bytes[pc + 1];
	if (opcode == OP_IINC)
		return 6;
	if (opcode == OP_RET || opcodes[opcode].effect == EFFECT_STORE ||
		(opcode >= OP_ILOAD && opcode <= OP_ALOAD))
		return opcodes[opcode].length == 2 ? 4 : 0;
	return 0;
}

static bool flow_is_switch(uint8_t flow)
{
	return flow == FLOW_TABLE || flow == FLOW_LOOKUP;
}

static bool flow_is_branch(uint8_t flow)
{
	return flow >= FLOW_IF && flow <= FLOW_JSR_W;
}

static uint32_t branch_target(const struct code *code, uint32_t pc, uint8_t flow)
{
	const uint8_t *operand = code->bytes + pc + 1;

	if (flow == FLOW_GOTO_W || flow == FLOW_JSR_W)
		return pc + get_u4(operand);
	return pc + (uint32_t)(int16_t)get_u2(operand);
}

uint32_t code_size_at(const struct code *code, uint32_t pc)
{
	const struct opcode *opcode = &opcodes[code->bytes[pc]];
	struct switch_operands operands;
	uint32_t size = opcode->length;

	if (opcode->flow == FLOW_WIDE)
		size = wide_size(code, pc);
	else if (flow_is_switch(opcode->flow))
		size = switch_read(code, pc, &operands);
	return size <= code->length - pc ? size : 0;
}

void code_begin(
	struct code *code, const uint8_t *bytes, uint32_t length, const struct probe *probe)
{
	code->bytes = bytes;
	code->length = length;
	code->probe = probe;
	code->handles = code->reaches = false;
}

/* True if the instruction cannot throw and goes to the next one. */
static bool is_harmless(uint8_t opcode)
{
	return opcode <= OP_SIPUSH || (opcode >= OP_ILOAD && opcode < OP_IALOAD) ||
	       opcodes[opcode].effect == EFFECT_STORE ||
	       (opcode >= OP_POP && opcode <= OP_SWAP) || opcode == OP_IINC ||
	       opcode == OP_WIDE;
}

/* True if the handler at pc first of all gives back a monitor. Were there a call in front
 * of that, the JVM would see a way out of the method with the monitor held, and never
 * compile it. There is no need for one: such a handler throws again. */
static bool releases_monitor(const struct code *code, uint32_t pc)
{
	for (int i = 0; i < HANDLER_STEPS_MAX && pc < code->length; i++) {
		uint8_t opcode = code->bytes[pc];
		uint32_t size = code_size_at(code, pc);

		if (opcode == OP_MONITOREXIT)
			return true;
		if (size != 0 && opcode == OP_GOTO)
			pc = branch_target(code, pc, FLOW_GOTO);
		else if (size != 0 && is_harmless(opcode))
			pc += size;
		else
			return false;
	}
	return false;
}

struct rewrite_outline rewrite_outline(const struct rewrite_method *method)
{
	const struct code code = {.bytes = method->code, .length = method->code_size};
	struct rewrite_outline outline = {0};

	for (uint32_t pc = 0, size; pc < code.length; pc += size) {
		const struct opcode *opcode = &opcodes[code.bytes[pc]];

		size = code_size_at(&code, pc);
		if (size == 0)
			break;
		outline.instructions++;
		outline.calls |=
			opcode->effect == EFFECT_INVOKE || code.bytes[pc] == OP_MONITORENTER;
		outline.loops |= flow_is_branch(opcode->flow) &&
				 (int32_t)branch_target(&code, pc, opcode->flow) <= (int32_t)pc;
	}
	return outline;
}

void code_mark_targets(const struct code *code, uint8_t *mark)
{
	for (uint32_t pc = 0, size; pc < code->length; pc += size) {
		uint8_t flow = opcodes[code->bytes[pc]].flow;
		struct switch_operands operands;
		uint32_t target;

		size = code_size_at(code, pc);
		if (size == 0)
			break;
		if (flow_is_branch(flow) &&
			(target = branch_target(code, pc, flow)) < code->length)
			mark[target] = 1;
		/* There its subroutine returns. */
		if ((flow == FLOW_JSR || flow == FLOW_JSR_W) && pc + size < code->length)
			mark[pc + size] = 1;
		if (!flow_is_switch(flow))
			continue;
		switch_read(code, pc, &operands);
		for (uint32_t i = 0; i <= operands.cases; i++) {
			target = pc + get_u4(code->bytes + switch_offset(&operands, i));
			if (target < code->length)
				mark[target] = 1;
		}
	}
}

bool code_add_handler(struct code *code, uint32_t pc)
{
	if (!code->probe->timed || pc >= code->length || code_catches(code, pc) ||
		releases_monitor(code, pc))
		return true;
	if (!code->handles) {
		if (!scratch_grow((void **)&code->handler, &code->handler_capacity,
			    code->length, 0, sizeof(*code->handler)))
			return false;
		memset(code->handler, 0, code->length);
		code->handles = true;
	}
	code->handler[pc] = 1;
	return true;
}

bool code_add_reach(struct code *code, uint32_t pc, uint32_t push)
{
	if (!code->reaches) {
		if (!scratch_grow((void **)&code->reach, &code->reach_capacity, code->length, 0,
			    sizeof(*code->reach)))
			return false;
		memset(code->reach, 0, code->length * sizeof(*code->reach));
		code->reaches = true;
	}
	code->reach[pc] = push;
	return true;
}

static bool site_add(struct code *code, uint32_t pc, uint8_t flow, uint32_t target)
{
	if (!scratch_grow((void **)&code->site, &code->site_capacity, code->sites + 1,
		    code->sites, sizeof(*code->site)))
		return false;
	code->site[code->sites++] = (struct site){(uint16_t)pc, (uint16_t)target, flow};
	return true;
}

static bool exit_add(struct code *code, uint32_t pc, uint32_t probe)
{
	if (!scratch_grow((void **)&code->exit, &code->exit_capacity, code->exits + 1,
		    code->exits, sizeof(*code->exit)))
		return false;
	code->exit[code->exits++] = (struct exit){(uint16_t)pc, (uint16_t)probe};
	return true;
}

/* One pass over the code: labels, sites and exits. */
static enum rewrite_reason code_scan(struct code *code)
{
	const uint8_t *bytes = code->bytes, *handler = code->handles ? code->handler : NULL;
	const uint32_t *reach = code->reaches ? code->reach : NULL;
	uint16_t *label = code->label;
	uint32_t pc = 0, length = code->length, probe = code->probe->size;
	uint32_t shift = probe_entry_size(code->probe); /* of the instruction at pc */
	uint32_t exit = probe_exit_size(code->probe);

	code->sites = code->exits = 0;
	while (pc < length) {
		const struct opcode *opcode = &opcodes[bytes[pc]];
		uint8_t flow = opcode->flow;
		bool caught = handler && handler[pc], more = caught || (reach && reach[pc]);
		uint32_t size, target = 0;

		label[pc] = (uint16_t)(pc + shift);
		if (flow < FLOW_WIDE && !more) {
			pc += opcode->length;
			continue;
		}
		size = code_size_at(code, pc);
		if (flow_is_branch(flow) && size)
			target = branch_target(code, pc, flow);
		if (size == 0 || target >= length)
			return REWRITE_MALFORMED;
		if ((flow != FLOW_WIDE || more) && !site_add(code, pc, flow, target))
			return REWRITE_MEMORY;
		if (caught)
			shift += probe;
		shift += code_reach_size(code, pc);
		if (flow == FLOW_RETURN && exit > 0) {
			if (!exit_add(code, pc, pc + shift))
				return REWRITE_MEMORY;
			shift += exit;
		} else if (flow_is_switch(flow)) {
			shift += switch_padding(pc + shift) - switch_padding(pc);
		}
		pc += size;
	}
	if (pc != length)
		return REWRITE_MALFORMED;
	label[length] = (uint16_t)(length + shift);
	code->new_length = length + shift;
	return REWRITE_OK;
}

enum rewrite_reason code_decode(struct code *code)
{
	uint32_t length = code->length;
	enum rewrite_reason reason;

	if (!scratch_grow((void **)&code->label, &code->label_capacity, length + 1, 0,
		    sizeof(*code->label)))
		return REWRITE_MEMORY;
	memset(code->label, 0, length * sizeof(*code->label));
	reason = code_scan(code);
	if (reason != REWRITE_OK)
		return reason;
	/* Then labels do not fit, and tell nothing any more. */
	if (code->new_length > CODE_MAX)
		return REWRITE_CODE;
	for (uint32_t i = 0; i < code->sites; i++)
		if (flow_is_branch(code->site[i].flow) &&
			!code_begins(code, code->site[i].target))
			return REWRITE_MALFORMED;
	return REWRITE_OK;
}

void code_fini(struct code *code)
{
	free(code->label);
	free(code->handler);
	free(code->reach);
	free(code->site);
	free(code->exit);
}

static void probe_write(const struct probe *probe, enum probe_call call, struct writer *out)
{
	uint8_t *at = write_room(out, probe->size);

	if (!at)
		return;
	memcpy(at, probe->push, probe->push_size);
	at[probe->push_size] = OP_INVOKESTATIC;
	put_u2(at + probe->push_size + 1, probe->method[call]);
}

static void reach_write(const struct code *code, uint32_t pc, struct writer *out)
{
	uint32_t push = code->reach[pc];
	uint8_t *at = write_room(out, REACH_SIZE);

	if (!at)
		return;
	at[0] = (uint8_t)(push >> 16);
	put_u2(at + 1, push & UINT16_MAX);
	at[REACH_PUSH] = OP_INVOKESTATIC;
	put_u2(at + REACH_PUSH + 1, code->probe->method[CALL_REACH]);
}

uint32_t code_handler_size(const struct code *code)
{
	return code->probe->size + 1u;
}

void code_write_handler(const struct code *code, struct writer *out)
{
	probe_write(code->probe, CALL_UNWIND, out);
	write_u1(out, OP_ATHROW);
}

uint32_t rewrite_handler_size(const uint8_t *bytes, size_t size)
{
	const struct code code = {.bytes = bytes, .length = (uint32_t)size};
	uint32_t push = size > 0 ? code_size_at(&code, 0) : 0;
	bool pushes = push > 0 && bytes[0] >= OP_ICONST_0 && bytes[0] <= OP_LDC_W;

	return pushes && size >= push + 4 && bytes[push] == OP_INVOKESTATIC &&
			       bytes[push + 3] == OP_ATHROW
		       ? push + 4
		       : 0;
}

/* Writes the switch at pc, and adds its size to *next. */
static enum rewrite_reason switch_write(
	const struct code *code, uint32_t pc, uint32_t *next, struct writer *out)
{
	struct switch_operands operands;
	uint32_t size = switch_read(code, pc, &operands), from = code_instruction(code, pc);
	uint32_t padding = switch_padding(from), rest = pc + size - operands.at;
	uint8_t *at = write_room(out, 1 + padding + rest), *to;

	if (!at)
		return REWRITE_MEMORY;
	at[0] = code->bytes[pc];
	memset(at + 1, 0, padding);
	to = at + 1 + padding;
	memcpy(to, code->bytes + operands.at, rest);
	for (uint32_t i = 0; i <= operands.cases; i++) {
		uint32_t offset = switch_offset(&operands, i) - operands.at;
		uint32_t target = pc + get_u4(code->bytes + operands.at + offset);

		if (!code_begins(code, target))
			return REWRITE_MALFORMED;
		put_u4(to + offset, code->label[target] - from);
	}
	*next += size;
	return REWRITE_OK;
}

/* The offsets of branches, which were copied as they are. */
static enum rewrite_reason branches_write(const struct code *code, uint8_t *to)
{
	for (uint32_t s = 0; s < code->sites; s++) {
		const struct site *site = &code->site[s];
		uint32_t from, offset;

		if (!flow_is_branch(site->flow))
			continue;
		from = code_instruction(code, site->pc);
		offset = code->label[site->target] - from;
		if (site->flow == FLOW_GOTO_W || site->flow == FLOW_JSR_W)
			put_u4(to + from + 1, offset);
		else if ((uint32_t)(int16_t)offset == offset)
			put_u2(to + from + 1, offset);
		else
			return REWRITE_BRANCH;
	}
	return REWRITE_OK;
}

enum rewrite_reason code_write(const struct code *code, struct writer *out)
{
	uint32_t pc = 0; /* up to here the old code is written */
	size_t start = out->size;

	for (unsigned i = 0; i < code->probe->entries; i++)
		probe_write(code->probe, code->probe->entry[i], out);
	write_copy(out, code->probe->values.bytes, code->probe->values.size);
	for (uint32_t s = 0; s < code->sites; s++) {
		const struct site *site = &code->site[s];
		bool caught = code_catches(code, site->pc);

		if (flow_is_branch(site->flow) && !caught)
			continue;
		write_copy(out, code->bytes + pc, site->pc - pc);
		pc = site->pc;
		if (caught)
			probe_write(code->probe, CALL_CAUGHT, out);
		if (code_reach_size(code, pc) > 0)
			reach_write(code, pc, out);
		if (site->flow == FLOW_RETURN) {
			write_copy(out, code->probe->results.bytes, code->probe->results.size);
			if (code->probe->timed)
				probe_write(code->probe, CALL_EXIT, out);
		} else if (flow_is_switch(site->flow)) {
			enum rewrite_reason reason = switch_write(code, pc, &pc, out);

			if (reason != REWRITE_OK)
				return reason;
		}
	}
	write_copy(out, code->bytes + pc, code->length - pc);
	return out->failed ? REWRITE_MEMORY : branches_write(code, out->bytes + start);
}

/* The first of the rows, which begin with their pc, that is not below. */
static inline uint32_t first_from(const void *rows, size_t size, uint32_t count, uint32_t pc)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (*(const uint16_t *)((const char *)rows + middle * size) < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t code_exit_from(const struct code *code, uint32_t pc)
{
	return first_from(code->exit, sizeof(*code->exit), code->exits, pc);
}

bool code_covers(const struct code *code, uint32_t start, uint32_t end)
{
	const struct probe *probe = code->probe;
	uint32_t i = code_exit_from(code, start);

	if (probe->results.size > 0 || (start == 0 && probe->values.size > 0))
		return true;
	/* A return is one byte, so they are all returns if no byte is between them. A
	 * caught probe is something else, too. */
	for (; start < end; start++, i++)
		if (i == code->exits || code->exit[i].pc != start ||
			code->exit[i].probe > code->label[start])
			return true;
	return false;
}

uint32_t code_instruction(const struct code *code, uint32_t pc)
{
	return code->label[pc] + (code_catches(code, pc) ? code->probe->size : 0u) +
	       code_reach_size(code, pc);
}

uint32_t code_place(const struct code *code, uint32_t pc)
{
	uint32_t site, after = 0;

	if (code->label[pc])
		return code->label[pc];
	site = first_from(code->site, sizeof(*code->site), code->sites, pc);
	if (site > 0) {
		uint32_t before = code->site[site - 1].pc;

		after = before + code_size_at(code, before);
		if (pc < after)
			return code->label[before];
	}
	/* What is between two sites stays together. */
	return code->label[after] + pc - after;
}
