/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code: decoding, layout, writing.
 */
#include "agent/rewrite/code.h"

enum { HANDLER_STEPS_MAX = 16 };

/* Zero bytes that align a switch's operands (JVM specification, 6.5, tableswitch). */
static uint32_t switch_padding(uint32_t pc)
{
	return 3 - (pc & 3);
}

/* Offset of a switch's first operand, the default. */
static uint32_t switch_operands(uint32_t pc)
{
	return pc + 1 + switch_padding(pc);
}

/* Where in the code a switch's n-th offset is; 0 is the default's. */
static uint32_t switch_offset_at(const struct code *code, uint32_t pc, uint32_t n)
{
	uint32_t operands = switch_operands(pc);

	if (n == 0)
		return operands;
	if (code->bytes[pc] == OP_TABLESWITCH)
		return operands + 12 + 4 * (n - 1);
	return operands + 8 + 8 * (n - 1) + 4;
}

/* Cases without the default; of a switch whose operands are within the code. */
static uint32_t switch_cases(const struct code *code, uint32_t pc)
{
	const uint8_t *operands = code->bytes + switch_operands(pc);

	if (code->bytes[pc] == OP_TABLESWITCH)
		return get_u4(operands + 8) - get_u4(operands + 4) + 1;
	return get_u4(operands + 4);
}

/* Size of the switch, 0 if it is malformed. */
static uint32_t switch_size(const struct code *code, uint32_t pc)
{
	bool table = code->bytes[pc] == OP_TABLESWITCH;
	uint32_t head = table ? 12 : 8, row = table ? 4 : 8;
	uint32_t operands = switch_operands(pc), cases;
	const uint8_t *at = code->bytes + operands;

	if (operands + head > code->length)
		return 0;
	if (table && (int32_t)get_u4(at + 4) > (int32_t)get_u4(at + 8))
		return 0;
	cases = switch_cases(code, pc);
	if (cases > (code->length - operands - head) / row)
		return 0;
	return operands - pc + head + cases * row;
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

/* Size of the instruction, 0 if it is malformed or not whole. */
static uint32_t instruction_size(const struct code *code, uint32_t pc)
{
	const struct opcode *opcode = &opcodes[code->bytes[pc]];
	uint32_t size = opcode->length;

	if (opcode->flow == FLOW_WIDE)
		size = wide_size(code, pc);
	else if (flow_is_switch(opcode->flow))
		size = switch_size(code, pc);
	return size <= code->length - pc ? size : 0;
}

uint32_t code_size_at(const struct code *code, uint32_t pc)
{
	return instruction_size(code, pc);
}

uint32_t code_targets(const struct code *code, uint32_t pc)
{
	uint8_t flow = opcodes[code->bytes[pc]].flow;

	if (flow_is_branch(flow))
		return 1;
	return flow_is_switch(flow) ? 1 + switch_cases(code, pc) : 0;
}

uint32_t code_target(const struct code *code, uint32_t pc, uint32_t i)
{
	uint8_t flow = opcodes[code->bytes[pc]].flow;

	if (flow_is_branch(flow))
		return branch_target(code, pc, flow);
	return pc + get_u4(code->bytes + switch_offset_at(code, pc, i));
}

/* Where the site's instruction is, if its label is at `at`. An exit probe counts as a
 * part of its return. */
static uint32_t site_instruction(
	const struct code *code, const struct site *site, uint32_t at)
{
	return at + (site->caught ? code->probe->size : 0u);
}

/* Bytes of the site in the new code without a caught probe, if they begin at `at`. */
static uint32_t site_own_size(
	const struct code *code, const struct site *site, uint32_t at)
{
	static const uint8_t form_size[] = {
		[SITE_NEAR] = 3, [SITE_WIDE] = 5, [SITE_INVERTED] = 8, [SITE_ISLAND] = 3};

	if (site->flow == FLOW_RETURN)
		return code->probe->size + 1u;
	if (flow_is_switch(site->flow))
		return site->size - switch_padding(site->pc) + switch_padding(at);
	return site->form == SITE_NEAR ? site->size : form_size[site->form];
}

/* Bytes of the site in the new code, if its label is at `at`. */
static uint32_t site_new_size(
	const struct code *code, const struct site *site, uint32_t at)
{
	uint32_t instruction = site_instruction(code, site, at);

	return instruction - at + site_own_size(code, site, instruction);
}

/* Adds the site at pc; its size, 0 if that failed. */
static uint32_t site_add(struct code *code, uint32_t pc, uint32_t at, uint32_t size)
{
	uint8_t flow = opcodes[code->bytes[pc]].flow;

	if (!scratch_grow((void **)&code->site, &code->site_capacity, code->sites + 1,
		    code->sites, sizeof(*code->site)))
		return 0;
	code->site[code->sites++] = (struct site){
		.pc = pc,
		.size = size,
		.at = at,
		.target = flow_is_branch(flow) ? branch_target(code, pc, flow) : 0,
		.flow = flow,
		.caught = code->handles && code->handler[pc],
	};
	code->returns += flow == FLOW_RETURN;
	return size;
}

/* One pass over the code: sites and labels. */
static enum rewrite_reason code_scan(struct code *code)
{
	const uint8_t *bytes = code->bytes,
		      *handler = code->handles ? code->handler : NULL;
	uint16_t *label = code->label;
	uint32_t pc = 0, shift = code->probe->size, length = code->length;

	while (pc < length) {
		const struct opcode *opcode = &opcodes[bytes[pc]];
		uint32_t size;

		label[pc] = (uint16_t)(pc + shift);
		if (opcode->flow < FLOW_WIDE && !(handler && handler[pc])) {
			pc += opcode->length;
			continue;
		}
		size = instruction_size(code, pc);
		if (size == 0)
			return REWRITE_MALFORMED;
		if (opcode->flow != FLOW_WIDE || (handler && handler[pc])) {
			if (!site_add(code, pc, pc + shift, size))
				return REWRITE_MEMORY;
			shift += site_new_size(
					 code, &code->site[code->sites - 1], pc + shift) -
				 size;
		}
		pc += size;
	}
	if (pc != length)
		return REWRITE_MALFORMED;
	label[length] = (uint16_t)(length + shift);
	code->new_length = length + shift;
	return REWRITE_OK;
}

static enum rewrite_reason code_check_targets(const struct code *code)
{
	for (uint32_t i = 0; i < code->sites; i++)
		if (flow_is_branch(code->site[i].flow) &&
			!code_begins(code, code->site[i].target))
			return REWRITE_MALFORMED;
	return REWRITE_OK;
}

/* The new places of holes fit in 16 bits, as the new code does. */
static enum rewrite_reason code_find_holes(struct code *code)
{
	uint32_t island = 0, wanted = code->returns + code->islands;

	code->holes = 0;
	if (!scratch_grow((void **)&code->hole, &code->hole_capacity, wanted, 0,
		    sizeof(*code->hole)))
		return REWRITE_MEMORY;
	for (uint32_t i = 0; i <= code->sites; i++) {
		const struct site *site = i < code->sites ? &code->site[i] : NULL;
		struct hole *hole;

		for (; island < code->islands; island++) {
			const struct island *at = &code->island[island];
			uint16_t start = (uint16_t)(at->at + 5 - at->size);

			if (site && at->pc > site->pc)
				break;
			if (code->holes && code->hole[code->holes - 1].pc == at->pc)
				start = code->hole[--code->holes].start;
			code->hole[code->holes++] = (struct hole){
				(uint16_t)at->pc, start, code->label[at->pc], false};
		}
		if (!site || site->flow != FLOW_RETURN)
			continue;
		hole = &code->hole[code->holes];
		*hole = (struct hole){.pc = (uint16_t)site->pc,
			.start = (uint16_t)site_instruction(code, site, site->at),
			.exits = true};
		hole->end = (uint16_t)(hole->start + code->probe->size);
		if (code->holes && hole[-1].pc == hole->pc) {
			hole[-1].end = hole->end;
			hole[-1].exits = true;
		} else {
			code->holes++;
		}
	}
	return REWRITE_OK;
}

void code_begin(struct code *code, const uint8_t *bytes, uint32_t length,
	const struct probe *probe)
{
	code->bytes = bytes;
	code->length = length;
	code->probe = probe;
	code->handles = false;
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
		uint32_t size = instruction_size(code, pc);

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

bool code_add_handler(struct code *code, uint32_t pc)
{
	if (pc >= code->length || (code->handles && code->handler[pc]) ||
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

enum rewrite_reason code_decode(struct code *code)
{
	uint32_t length = code->length;
	enum rewrite_reason reason;

	code->sites = code->islands = code->returns = 0;
	if (!scratch_grow((void **)&code->label, &code->label_capacity, length + 1, 0,
		    sizeof(*code->label)))
		return REWRITE_MEMORY;
	memset(code->label, 0, length * sizeof(*code->label));
	reason = code_scan(code);
	/* Then labels do not fit, and tell nothing any more. */
	if (reason == REWRITE_OK && code->new_length > CODE_MAX)
		reason = REWRITE_CODE;
	if (reason == REWRITE_OK)
		reason = code_check_targets(code);
	return reason == REWRITE_OK ? code_find_holes(code) : reason;
}

void code_fini(struct code *code)
{
	free(code->label);
	free(code->handler);
	free(code->site);
	free(code->hole);
	free(code->island);
}

/* Labels of the instructions that begin in [from, to). */
static void label_shift(struct code *code, uint32_t from, uint32_t to, uint32_t by)
{
	for (uint32_t pc = from; pc < to; pc++)
		if (code->label[pc])
			code->label[pc] = (uint16_t)(pc + by);
}

enum rewrite_reason code_layout(struct code *code)
{
	uint32_t pc = 0, shift = code->probe->size, s = 0, i = 0;

	while (s < code->sites || i < code->islands) {
		struct site *site = s < code->sites ? &code->site[s] : NULL;
		struct island *island = i < code->islands ? &code->island[i] : NULL;
		uint32_t next = site && (!island || site->pc < island->pc) ? site->pc
									   : island->pc;

		label_shift(code, pc, next, shift);
		pc = next;
		if (island && island->pc == next) {
			island->at = pc + shift + island->size - 5;
			shift += island->size;
			i++;
			continue;
		}
		site->at = pc + shift;
		code->label[pc] = (uint16_t)site->at;
		shift += site_new_size(code, site, site->at) - site->size;
		pc += site->size;
		s++;
	}
	label_shift(code, pc, code->length, shift);
	code->new_length = code->length + shift;
	code->label[code->length] = (uint16_t)code->new_length;
	return code->new_length > CODE_MAX ? REWRITE_CODE : code_find_holes(code);
}

bool code_is_far(const struct code *code, const struct site *site)
{
	int32_t to;

	if (site->flow < FLOW_IF || site->flow > FLOW_JSR)
		return false;
	if (site->form == SITE_ISLAND)
		to = (int32_t)code->island[site->island].at;
	else if (site->form == SITE_NEAR)
		to = code->label[site->target];
	else
		return false;
	to -= (int32_t)site_instruction(code, site, site->at);
	return to > BRANCH_REACH || to < -BRANCH_REACH;
}

static void probe_write(
	const struct probe *probe, enum probe_kind kind, struct writer *out)
{
	uint8_t *at = write_room(out, probe->size);

	if (!at)
		return;
	memcpy(at, probe->push, probe->push_size);
	at[probe->push_size] = OP_INVOKESTATIC;
	put_u2(at + probe->push_size + 1, probe->method[kind]);
}

uint32_t code_handler_size(const struct code *code)
{
	return code->probe->size + 1u;
}

void code_write_handler(const struct code *code, struct writer *out)
{
	probe_write(code->probe, PROBE_UNWIND, out);
	write_u1(out, OP_ATHROW);
}

static enum rewrite_reason switch_write(
	const struct code *code, const struct site *site, struct writer *out)
{
	uint32_t targets = code_targets(code, site->pc), end = site->pc + site->size;
	uint32_t from = site_instruction(code, site, site->at);
	uint32_t padding = switch_padding(from), operands = switch_operands(site->pc);
	uint8_t *at = write_room(out, 1 + padding + end - operands);
	uint8_t *to;

	if (!at)
		return REWRITE_MEMORY;
	at[0] = code->bytes[site->pc];
	memset(at + 1, 0, padding);
	to = at + 1 + padding;
	memcpy(to, code->bytes + operands, end - operands);
	for (uint32_t i = 0; i < targets; i++) {
		uint32_t target = code_target(code, site->pc, i);

		if (!code_begins(code, target))
			return REWRITE_MALFORMED;
		put_u4(to + switch_offset_at(code, site->pc, i) - operands,
			code->label[target] - from);
	}
	return REWRITE_OK;
}

/* The opposite condition (6.5: they come in pairs, from an odd number on; ifnull and
 * ifnonnull from an even one). */
static uint8_t opposite(uint8_t opcode)
{
	return opcode >= OP_IFNULL ? opcode ^ 1u : ((opcode + 1u) ^ 1u) - 1u;
}

static void branch_write(
	const struct code *code, const struct site *site, struct writer *out)
{
	uint8_t opcode = code->bytes[site->pc];
	uint32_t from = site_instruction(code, site, site->at);
	uint32_t to = code->label[site->target] - from;

	if (site->flow == FLOW_GOTO_W || site->flow == FLOW_JSR_W) {
		write_u1(out, opcode);
		write_u4(out, to);
	} else if (site->form == SITE_WIDE) {
		write_u1(out, opcode + (OP_GOTO_W - OP_GOTO));
		write_u4(out, to);
	} else if (site->form == SITE_INVERTED) {
		write_u1(out, opposite(opcode));
		write_u2(out, 8);
		write_u1(out, OP_GOTO_W);
		write_u4(out, to - 3);
	} else {
		if (site->form == SITE_ISLAND)
			to = code->island[site->island].at - from;
		write_u1(out, opcode);
		write_u2(out, to);
	}
}

static void island_write(
	const struct code *code, const struct island *island, struct writer *out)
{
	if (island->jumped) {
		write_u1(out, OP_GOTO);
		write_u2(out, code->label[island->pc] - (island->at - 3));
	}
	write_u1(out, OP_GOTO_W);
	write_u4(out, code->label[island->target] - island->at);
}

static enum rewrite_reason site_write(
	const struct code *code, const struct site *site, struct writer *out)
{
	if (site->caught)
		probe_write(code->probe, PROBE_CAUGHT, out);
	if (flow_is_switch(site->flow))
		return switch_write(code, site, out);
	if (site->flow == FLOW_RETURN) {
		probe_write(code->probe, PROBE_EXIT, out);
		write_u1(out, code->bytes[site->pc]);
		return REWRITE_OK;
	}
	if (code_is_far(code, site))
		return REWRITE_BRANCH;
	if (flow_is_branch(site->flow))
		branch_write(code, site, out);
	else
		write_copy(out, code->bytes + site->pc, site->size);
	return REWRITE_OK;
}

/* True if the site is copied with what is before and behind it, and gets its offset
 * later. */
static bool site_is_copied(const struct site *site)
{
	return site->flow >= FLOW_IF && site->flow <= FLOW_JSR &&
	       site->form == SITE_NEAR && !site->caught;
}

/* Offsets of the branches that were copied to a place of their own in the new code. */
static enum rewrite_reason offsets_write(const struct code *code, uint8_t *to)
{
	for (uint32_t s = 0; s < code->sites; s++) {
		const struct site *site = &code->site[s];

		if (!site_is_copied(site))
			continue;
		if (code_is_far(code, site))
			return REWRITE_BRANCH;
		put_u2(to + site->at + 1, code->label[site->target] - site->at);
	}
	return REWRITE_OK;
}

enum rewrite_reason code_write(const struct code *code, struct writer *out)
{
	uint32_t pc = 0, island = 0;
	size_t start = out->size;

	probe_write(code->probe, PROBE_ENTER, out);
	for (uint32_t s = 0; s <= code->sites; s++) {
		const struct site *site = s < code->sites ? &code->site[s] : NULL;
		uint32_t next = site ? site->pc : code->length;
		enum rewrite_reason reason;

		if (site && site_is_copied(site))
			continue;
		while (island < code->islands && code->island[island].pc <= next) {
			const struct island *at = &code->island[island++];

			write_copy(out, code->bytes + pc, at->pc - pc);
			pc = at->pc;
			island_write(code, at, out);
		}
		write_copy(out, code->bytes + pc, next - pc);
		if (!site)
			break;
		reason = site_write(code, site, out);
		if (reason != REWRITE_OK)
			return reason;
		pc = next + site->size;
	}
	return out->failed ? REWRITE_MEMORY : offsets_write(code, out->bytes + start);
}

uint32_t code_hole_from(const struct code *code, uint32_t pc)
{
	uint32_t low = 0, high = code->holes;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (code->hole[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool code_covers(const struct code *code, uint32_t start, uint32_t end)
{
	uint32_t i = code_hole_from(code, start);

	/* A return is one byte, so they are all returns if no byte is between them. */
	for (; start < end; start++, i++) {
		while (i < code->holes && !code->hole[i].exits)
			i++;
		if (i == code->holes || code->hole[i].pc != start ||
			code->hole[i].start > code->label[start])
			return true;
	}
	return false;
}

uint32_t code_instruction(const struct code *code, uint32_t pc)
{
	bool caught = code->handles && code->handler[pc];

	return code->label[pc] + (caught ? code->probe->size : 0u);
}

uint32_t code_place(const struct code *code, uint32_t pc)
{
	uint32_t low = 0, high = code->sites;
	const struct site *site;

	if (code->label[pc])
		return code->label[pc];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (code->site[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return pc + code->probe->size;
	site = &code->site[low - 1];
	if (pc < site->pc + site->size)
		return site->at;
	return site->at + site_new_size(code, site, site->at) + pc - site->pc -
	       site->size;
}
