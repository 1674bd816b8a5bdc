/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * frame_rules: what .eh_frame says of a frame: where its caller's registers are.
 *
 *   .eh_frame_hdr   | encodings | pointer | count | table: (begin of code, FDE)... sorted |
 *   .eh_frame       | CIE: what many functions share | FDE: code, program | FDE | CIE | ...
 *
 * A program is a list of instructions in the order of the code's addresses: up to the pc they change the
 * rules, which begin as those of the CIE (Linux Standard Base, "Exception Frames"; DWARF 5, 6.4).
 *
 * In: a module's bytes, which may be anything: none outside [readable, readable_end) is looked at, and
 * every loop ends. They are read with care (safe_copy_known), as the module may be unloaded meanwhile.
 * Out: rules, for those registers alone that are followed.
 * Runs: in signal handlers, too: no locks, no memory, calls nothing but memcpy and safe_read.h. 1 KB of stack.
 */
#ifndef JPROF_FRAME_RULES_H
#define JPROF_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/modules.h"

enum rule_kind {
	RULE_SAME,          /* the register has the caller's value */
	RULE_UNDEFINED,     /* it is lost; of return addresses: there is no caller */
	RULE_AT,            /* the value is at CFA + offset */
	RULE_VALUE,         /* the value is CFA + offset */
	RULE_AT_EXPRESSION, /* the value is where the expression leads to */
	RULE_EXPRESSION,    /* it is the expression's value */
	RULE_FP,            /* FP + offset: the CFA alone */
	RULE_SP,            /* SP + offset: the CFA alone */
	RULE_OTHER          /* in a register that is not followed */
};

struct frame_rule {
	enum rule_kind kind;
	uint32_t length; /* of the expression */
	int64_t offset;
	uintptr_t expression; /* where it is in the module */
};

struct frame_rules {
	struct frame_rule cfa; /* canonical frame address: the caller's SP */
	struct frame_rule fp, pc;
	bool signal; /* a signal's frame: its caller was interrupted, and has called nothing */
};

enum frame_found {
	FRAME_NONE,    /* the module has nothing for that pc */
	FRAME_UNKNOWN, /* what it has is broken, or of a kind that is not known here */
	FRAME_FOUND
};

enum frame_found frame_rules_find(
	const struct module *module, uintptr_t pc, struct frame_rules *rules);

#endif
