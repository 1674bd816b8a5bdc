/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* frame_rules: see frame_rules.h. */
#include "agent/stack/frame_rules.h"

#include "agent/stack/byte_cursor.h"
#include "unwind_registers.h"

/* How pointers are written ("DWARF Exception Header Encoding", Linux Standard Base): the lower four bits say
 * as what, three what they are relative to. */
enum {
	ENCODED_ABSOLUTE = 0x00,
	ENCODED_ULEB = 0x01,
	ENCODED_U2 = 0x02,
	ENCODED_U4 = 0x03,
	ENCODED_U8 = 0x04,
	ENCODED_SLEB = 0x09,
	ENCODED_S2 = 0x0a,
	ENCODED_S4 = 0x0b,
	ENCODED_S8 = 0x0c,
	ENCODED_KIND = 0x0f,
	ENCODED_PC = 0x10,   /* relative to its own place */
	ENCODED_DATA = 0x30, /* relative to .eh_frame_hdr */
	ENCODED_BASE = 0x70,
	ENCODED_INDIRECT = 0x80,
	ENCODED_OMITTED = 0xff
};

enum {
	TABLE_ENCODING = ENCODED_DATA | ENCODED_S4,
	TABLE_ROW = 8,
	STATES_MAX = 4, /* compilers nest none */
	LETTERS_MAX = 12,
	INSTRUCTIONS_MAX = 10000
};

/* What functions share. */
struct common_entry {
	uint64_t code_unit;
	int64_t data_unit;
	uint64_t return_column;
	uint8_t encoding; /* of FDEs' pointers */
	bool augmented;   /* FDEs have further bytes, after their length */
	bool signal;
	struct byte_cursor program;
};

static uint64_t read_pointer(
	struct byte_cursor *cursor, const struct module *module, uint8_t encoding)
{
	uint64_t place = cursor->at, value = 0;

	switch (encoding & ENCODED_KIND) {
	case ENCODED_ABSOLUTE:
	case ENCODED_U8:
	case ENCODED_S8:
		value = cursor_number(cursor, 8);
		break;
	case ENCODED_U4:
		value = cursor_number(cursor, 4);
		break;
	case ENCODED_S4:
		value = (uint64_t)cursor_signed(cursor, 4);
		break;
	case ENCODED_U2:
		value = cursor_number(cursor, 2);
		break;
	case ENCODED_S2:
		value = (uint64_t)cursor_signed(cursor, 2);
		break;
	case ENCODED_ULEB:
		value = cursor_uleb(cursor);
		break;
	case ENCODED_SLEB:
		value = (uint64_t)cursor_sleb(cursor);
		break;
	default:
		cursor->bad = true;
	}
	if (encoding & ENCODED_INDIRECT)
		cursor->bad = true;
	switch (encoding & ENCODED_BASE) {
	case 0:
		return value;
	case ENCODED_PC:
		return place + value;
	case ENCODED_DATA:
		return (uintptr_t)module->frame_header + value;
	default:
		cursor->bad = true;
		return 0;
	}
}

/* ---- the table ---- */

/* From an address on to the end of what may be read; bad, if it is not in there. */
static void cursor_at(struct byte_cursor *cursor, const struct module *module, uint64_t address)
{
	uintptr_t begin = (uintptr_t)module->readable, end = (uintptr_t)module->readable_end;
	bool outside = address < begin || address > end;

	cursor_set(cursor, outside ? end : address, end);
	cursor->bad = outside;
}

/* 0: it is not there. */
static int32_t row_number(uintptr_t at)
{
	uint32_t value;

	return safe_u32_known(at, &value) ? (int32_t)value : 0;
}

/* The FDE of the last function that begins at the pc or in front of it; 0: there is none. */
static uint64_t find_entry(const struct module *module, uintptr_t pc)
{
	uint64_t base = (uintptr_t)module->frame_header, low = 0, high;
	struct byte_cursor cursor;
	int64_t target = (int64_t)(pc - base);
	uint8_t pointer, count, table;

	cursor_at(&cursor, module, base);
	if (cursor.bad || module->frame_header_size > cursor_left(&cursor))
		return 0;
	cursor.end = cursor.at + module->frame_header_size;
	if (cursor_byte(&cursor) != 1)
		return 0;
	pointer = cursor_byte(&cursor);
	count = cursor_byte(&cursor);
	table = cursor_byte(&cursor);
	if (table != TABLE_ENCODING || pointer == ENCODED_OMITTED || count == ENCODED_OMITTED)
		return 0;
	read_pointer(&cursor, module, pointer);
	high = read_pointer(&cursor, module, count);
	if (cursor.bad || high > cursor_left(&cursor) / TABLE_ROW)
		return 0;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (row_number(cursor.at + middle * TABLE_ROW) <= target)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	return base + (uint64_t)row_number(cursor.at + (low - 1) * TABLE_ROW + 4);
}

/* ---- entries ---- */

/* What an entry's length says. Of 64 bits there are none in memory. */
static void open_entry(
	struct byte_cursor *cursor, const struct module *module, uint64_t address)
{
	uint64_t length;

	cursor_at(cursor, module, address);
	length = cursor_number(cursor, 4);
	if (length == 0 || length > cursor_left(cursor))
		cursor->bad = true;
	else
		cursor->end = cursor->at + length;
}

/* Letters that say what follows: z, and what the data behind its length is. */
static bool read_augmentation(struct byte_cursor *cursor, const struct module *module,
	const char *letters, struct common_entry *common)
{
	uint64_t length;
	uintptr_t end;

	common->augmented = *letters == 'z';
	if (!common->augmented)
		return *letters == '\0';
	length = cursor_uleb(cursor);
	if (cursor->bad || length > cursor_left(cursor))
		return false;
	end = cursor->at + length;
	for (letters++; *letters != '\0'; letters++) {
		switch (*letters) {
		case 'R':
			common->encoding = cursor_byte(cursor);
			break;
		case 'L':
			cursor_byte(cursor);
			break;
		case 'P':
			/* The bit alone says that it is a pointer to one. */
			read_pointer(cursor, module, cursor_byte(cursor) & ~ENCODED_INDIRECT);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B': /* signed with the other key */
		case 'G': /* memory tags */
			break;
		default:
			return false;
		}
	}
	if (cursor->bad || cursor->at > end)
		return false;
	cursor->at = end;
	return true;
}

static bool read_common(
	const struct module *module, uint64_t address, struct common_entry *common)
{
	struct byte_cursor *cursor = &common->program;
	char letters[LETTERS_MAX];
	uint8_t version;
	size_t i = 0;

	common->encoding = ENCODED_ABSOLUTE;
	common->signal = false;
	open_entry(cursor, module, address);
	if (cursor_number(cursor, 4) != 0)
		return false;
	version = cursor_byte(cursor);
	if (version != 1 && version != 3)
		return false;
	do {
		letters[i] = (char)cursor_byte(cursor);
	} while (letters[i] != '\0' && ++i < LETTERS_MAX);
	if (cursor->bad || i == LETTERS_MAX)
		return false;
	common->code_unit = cursor_uleb(cursor);
	common->data_unit = cursor_sleb(cursor);
	common->return_column = version == 1 ? cursor_byte(cursor) : cursor_uleb(cursor);
	return !cursor->bad && read_augmentation(cursor, module, letters, common);
}

/* ---- programs ---- */

struct machine {
	const struct module *module;
	const struct common_entry *common;
	uint64_t location, target;         /* what the rules are for, and shall be */
	struct frame_rules rules, initial; /* initial: the CIE's */
	struct frame_rules states[STATES_MAX];
	unsigned state_count;
	unsigned budget;
};

/* The rule of a register, or one that is thrown away. */
static struct frame_rule *rule_of(
	struct machine *machine, uint64_t column, struct frame_rule *nothing)
{
	if (column == UNWIND_FP)
		return &machine->rules.fp;
	if (column == machine->common->return_column)
		return &machine->rules.pc;
	return nothing;
}

static void set(struct machine *machine, uint64_t column, enum rule_kind kind, int64_t offset)
{
	struct frame_rule nothing, *rule = rule_of(machine, column, &nothing);

	rule->kind = kind;
	rule->offset = offset;
}

static void restore(struct machine *machine, uint64_t column)
{
	if (column == UNWIND_FP)
		machine->rules.fp = machine->initial.fp;
	else if (column == machine->common->return_column)
		machine->rules.pc = machine->initial.pc;
}

static void set_cfa(struct machine *machine, uint64_t column, int64_t offset)
{
	machine->rules.cfa.kind = column == UNWIND_FP   ? RULE_FP
				  : column == UNWIND_SP ? RULE_SP
							: RULE_OTHER;
	machine->rules.cfa.offset = offset;
}

/* The expression that comes next. */
static void set_expression(
	struct byte_cursor *cursor, struct frame_rule *rule, enum rule_kind kind)
{
	uint64_t length = cursor_uleb(cursor);

	rule->kind = kind;
	rule->expression = cursor->at;
	rule->length = (uint32_t)length;
	if (length > UINT32_MAX)
		cursor->bad = true;
	cursor_skip(cursor, length);
}

static int64_t scaled(const struct machine *machine, uint64_t number)
{
	return (int64_t)(number * (uint64_t)machine->common->data_unit);
}

/* The next instructions are for code further on. False: that is behind the target. */
static bool advance(struct machine *machine, uint64_t units)
{
	uint64_t distance = units * machine->common->code_unit;

	if (distance > machine->target - machine->location)
		return false;
	machine->location += distance;
	return true;
}

static bool restore_state(struct machine *machine)
{
	if (machine->state_count == 0)
		return false;
	machine->rules = machine->states[--machine->state_count];
	return true;
}

static bool remember_state(struct machine *machine)
{
	if (machine->state_count == STATES_MAX)
		return false;
	machine->states[machine->state_count++] = machine->rules;
	return true;
}

/* An instruction that has its number in the lower six bits; false: it is not known. */
static bool run_extended(struct machine *machine, struct byte_cursor *cursor, uint8_t code)
{
	struct frame_rule nothing;
	uint64_t column;

	switch (code) {
	case 0x00: /* nop */
	case 0x2c: /* AARCH64_negate_ra_state_with_pc */
	case 0x2d: /* AARCH64_negate_ra_state: addresses are stripped, signed or not */
		return true;
	case 0x05: /* offset_extended */
		column = cursor_uleb(cursor);
		set(machine, column, RULE_AT, scaled(machine, cursor_uleb(cursor)));
		return true;
	case 0x06: /* restore_extended */
		restore(machine, cursor_uleb(cursor));
		return true;
	case 0x07: /* undefined */
		set(machine, cursor_uleb(cursor), RULE_UNDEFINED, 0);
		return true;
	case 0x08: /* same_value */
		set(machine, cursor_uleb(cursor), RULE_SAME, 0);
		return true;
	case 0x09: /* register */
		column = cursor_uleb(cursor);
		cursor_uleb(cursor);
		set(machine, column, RULE_OTHER, 0);
		return true;
	case 0x0a:
		return remember_state(machine);
	case 0x0b:
		return restore_state(machine);
	case 0x0c: /* def_cfa */
		column = cursor_uleb(cursor);
		set_cfa(machine, column, (int64_t)cursor_uleb(cursor));
		return true;
	case 0x0d: /* def_cfa_register */
		set_cfa(machine, cursor_uleb(cursor), machine->rules.cfa.offset);
		return true;
	case 0x0e: /* def_cfa_offset */
		machine->rules.cfa.offset = (int64_t)cursor_uleb(cursor);
		return true;
	case 0x0f: /* def_cfa_expression */
		set_expression(cursor, &machine->rules.cfa, RULE_EXPRESSION);
		return true;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		column = cursor_uleb(cursor);
		set_expression(cursor, rule_of(machine, column, &nothing),
			code == 0x10 ? RULE_AT_EXPRESSION : RULE_EXPRESSION);
		return true;
	case 0x11: /* offset_extended_sf */
		column = cursor_uleb(cursor);
		set(machine, column, RULE_AT, scaled(machine, (uint64_t)cursor_sleb(cursor)));
		return true;
	case 0x12: /* def_cfa_sf */
		column = cursor_uleb(cursor);
		set_cfa(machine, column, scaled(machine, (uint64_t)cursor_sleb(cursor)));
		return true;
	case 0x13: /* def_cfa_offset_sf */
		machine->rules.cfa.offset = scaled(machine, (uint64_t)cursor_sleb(cursor));
		return true;
	case 0x14: /* val_offset */
		column = cursor_uleb(cursor);
		set(machine, column, RULE_VALUE, scaled(machine, cursor_uleb(cursor)));
		return true;
	case 0x15: /* val_offset_sf */
		column = cursor_uleb(cursor);
		set(machine, column, RULE_VALUE,
			scaled(machine, (uint64_t)cursor_sleb(cursor)));
		return true;
	case 0x2e: /* GNU_args_size */
		cursor_uleb(cursor);
		return true;
	case 0x2f: /* GNU_negative_offset_extended */
		column = cursor_uleb(cursor);
		set(machine, column, RULE_AT, -scaled(machine, cursor_uleb(cursor)));
		return true;
	default:
		return false;
	}
}

/* Runs a program as far as the target. False: it is broken, or has instructions that are not known. */
static bool run(struct machine *machine, struct byte_cursor *cursor)
{
	while (cursor_left(cursor) > 0) {
		uint8_t code = cursor_byte(cursor), low = code & 0x3f;
		uint64_t units = low;

		if (machine->budget-- == 0)
			return false;
		switch (code >> 6) {
		case 1: /* advance_loc */
			break;
		case 2: /* offset */
			set(machine, low, RULE_AT, scaled(machine, cursor_uleb(cursor)));
			continue;
		case 3: /* restore */
			restore(machine, low);
			continue;
		default:
			if (low == 0x01) { /* set_loc */
				uint64_t to = read_pointer(
					cursor, machine->module, machine->common->encoding);

				if (to < machine->location)
					return false;
				if (to > machine->target)
					return !cursor->bad;
				machine->location = to;
				continue;
			}
			if (low < 0x02 || low > 0x04) {
				if (!run_extended(machine, cursor, low) || cursor->bad)
					return false;
				continue;
			}
			/* advance_loc1, advance_loc2, advance_loc4 */
			units = cursor_number(cursor, (size_t)1 << (low - 2));
		}
		if (!advance(machine, units))
			break;
	}
	return !cursor->bad;
}

/* ---- both together ---- */

enum frame_found frame_rules_find(
	const struct module *module, uintptr_t pc, struct frame_rules *rules)
{
	uint64_t address, place, back, begin, size;
	struct common_entry common;
	struct byte_cursor cursor;
	struct machine machine;

	if (!module->frame_header || (address = find_entry(module, pc)) == 0)
		return FRAME_NONE;
	open_entry(&cursor, module, address);
	place = cursor.at;
	back = cursor_number(&cursor, 4);
	if (cursor.bad || back == 0 || !read_common(module, place - back, &common))
		return FRAME_UNKNOWN;
	begin = read_pointer(&cursor, module, common.encoding);
	size = read_pointer(&cursor, module, common.encoding & ENCODED_KIND);
	if (common.augmented)
		cursor_skip(&cursor, cursor_uleb(&cursor));
	if (cursor.bad)
		return FRAME_UNKNOWN;
	if (pc < begin || pc - begin >= size)
		return FRAME_NONE;

	machine.module = module;
	machine.common = &common;
	machine.location = begin;
	machine.target = pc;
	machine.rules = (struct frame_rules){.cfa.kind = RULE_OTHER, .signal = common.signal};
	machine.initial = machine.rules;
	machine.state_count = 0;
	machine.budget = INSTRUCTIONS_MAX;
	if (!run(&machine, &common.program))
		return FRAME_UNKNOWN;
	machine.initial = machine.rules;
	machine.location = begin;
	if (!run(&machine, &cursor))
		return FRAME_UNKNOWN;
	*rules = machine.rules;
	return FRAME_FOUND;
}
