/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* readings: see readings.h. */
#include "agent/rewrite/readings.h"

#include "agent/rewrite/descriptor.h"

/* What is done with a value, by the letter of its type. */
static const struct value_form {
	uint8_t load;  /* the instruction that names its local */
	uint8_t widen; /* 0: it is as it should be */
	uint8_t form;  /* enum reading_form */
} value_forms['[' + 1] = {
	['Z'] = {OP_ILOAD, OP_I2L, READING_LONG},
	['B'] = {OP_ILOAD, OP_I2L, READING_LONG},
	['C'] = {OP_ILOAD, OP_I2L, READING_LONG},
	['S'] = {OP_ILOAD, OP_I2L, READING_LONG},
	['I'] = {OP_ILOAD, OP_I2L, READING_LONG},
	['J'] = {OP_LLOAD, 0, READING_LONG},
	['F'] = {OP_FLOAD, OP_F2D, READING_DOUBLE},
	['D'] = {OP_DLOAD, 0, READING_DOUBLE},
	['L'] = {OP_ALOAD, 0, READING_OBJECT},
	['['] = {OP_ALOAD, 0, READING_OBJECT},
};

static const struct value_form *form_of(const struct reading *reading)
{
	return &value_forms[(unsigned char)reading->type];
}

enum rewrite_reason reading_find(struct reading *reading, const struct rewrite_reading *asked,
	struct text descriptor, bool is_static, bool is_constructor)
{
	struct descriptor whole;
	uint32_t slot;

	*reading = (struct reading){.asked = asked};
	if (descriptor.length == 0 || descriptor.chars[0] != '(' ||
		!descriptor_read(descriptor, &whole) ||
		whole.slots + !is_static > ARGUMENT_SLOTS_MAX)
		return REWRITE_MALFORMED;
	switch (asked->where) {
	case READING_THIS:
		reading->type = 'L';
		if (is_static)
			return REWRITE_NO_THIS;
		return is_constructor ? REWRITE_UNINITIALIZED : REWRITE_OK;
	case READING_RESULT:
		reading->type = whole.type;
		return whole.result > 0 ? REWRITE_OK : REWRITE_NO_RESULT;
	default:
		if (asked->where < 0 || (uint32_t)asked->where >= whole.count)
			return REWRITE_NO_ARGUMENT;
		reading->type = *descriptor_argument(descriptor, (uint32_t)asked->where, &slot);
		reading->slot = (uint8_t)(slot + !is_static);
		return REWRITE_OK;
	}
}

enum probe_call reading_call(const struct reading *reading)
{
	return (reading_is_result(reading) ? CALL_RESULT : CALL_VALUE) + form_of(reading)->form;
}

/* Puts the value on the stack, once more if it is there. Returns what is behind the instruction. */
static uint8_t *load_write(uint8_t *to, const struct reading *reading)
{
	uint8_t load = form_of(reading)->load;

	if (reading_is_result(reading)) {
		*to++ = type_slots(reading->type) == 2 ? OP_DUP2 : OP_DUP;
	} else if (reading->slot < 4) {
		/* The short forms, four for each type. */
		*to++ = (uint8_t)(OP_ILOAD_0 + (load - OP_ILOAD) * 4 + reading->slot);
	} else {
		*to++ = load;
		*to++ = reading->slot;
	}
	return to;
}

void reading_add(struct reading_code *code, const struct reading *reading, const uint8_t *push,
	uint8_t push_size, uint16_t method)
{
	const struct value_form *form = form_of(reading);
	uint8_t *to = load_write(code->bytes + code->size, reading);
	uint8_t stack = form->form == READING_OBJECT ? 1 + 1 : 2 + 1; /* value and number */

	if (form->widen)
		*to++ = form->widen;
	memcpy(to, push, push_size);
	to += push_size;
	*to++ = OP_INVOKESTATIC;
	put_u2(to, method);
	code->size = (uint8_t)(to + 2 - code->bytes);
	if (code->stack < stack)
		code->stack = stack;
}
