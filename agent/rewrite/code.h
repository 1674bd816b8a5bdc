/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code: the instructions of one method, where they go, and how they are written there.
 *
 * Most instructions are copied. A *site* is one that is not: it has a target, its length
 * depends on its place, or a probe comes before it. Decoding finds the sites and gives each
 * instruction its *label*, the place where a jump to it arrives:
 *
 *   in front of the exit probe, if it is a return;
 *   in front of the caught probe, if a handler of the method's own begins there;
 *   behind the enter probe, if it is the first (a loop back to it must not enter again).
 *
 * A *hole* is a piece of new code that no row of the exception table may cover.
 *
 * A branch that its 16 bits cannot span any more is stretched:
 *
 *   goto, jsr                   become goto_w, jsr_w
 *   if<cond> L, no stack maps   if<not cond> over; goto_w L; over:
 *   if<cond> L, stack maps      if<cond> I, where I is an island, a goto_w L within reach:
 *                               in a place that no code falls into, or in front of a frame
 *                               and jumped over. The frame at I is the one at L.
 */
#ifndef JPROF_REWRITE_CODE_H
#define JPROF_REWRITE_CODE_H

#include "agent/rewrite/cursor.h"
#include "agent/rewrite/opcode.h"
#include "agent/rewrite/rewrite.h"

enum {
	CODE_MAX = 65535,    /* bytes (JVM specification, 4.7.3) */
	BRANCH_REACH = 32767 /* bytes that a branch can go, either way */
};

enum probe_kind { PROBE_ENTER, PROBE_EXIT, PROBE_UNWIND, PROBE_CAUGHT, PROBES };

/* How probes are called: push the id, invokestatic. */
struct probe {
	uint16_t method[PROBES]; /* indices of the constants of the methods */
	uint8_t push[3];
	uint8_t push_size;
	uint8_t size; /* of the whole call */
};

enum site_form { SITE_NEAR, SITE_WIDE, SITE_INVERTED, SITE_ISLAND };

struct site {
	uint32_t pc, size; /* in the old code */
	uint32_t at;       /* label */
	uint32_t target;   /* pc, of branches */
	uint32_t island;   /* index, of SITE_ISLAND */
	uint8_t flow;      /* enum opcode_flow */
	bool caught;       /* a handler begins here: the caught probe comes first */
	uint8_t form;      /* enum site_form; branches alone are anything but near */
};

/* goto_w target, in front of the instruction at pc, or behind the code. */
struct island {
	uint32_t pc, target;
	uint32_t at;   /* where it is in the new code */
	bool jumped;   /* the first at its pc, code falls into it: a goto over all of them
			* comes   before it */
	uint32_t size; /* of it and that goto */
};

struct hole {
	uint16_t pc;         /* it is in front of this instruction */
	uint16_t start, end; /* in the new code */
	bool exits;          /* and the instruction is a return */
};

/* Zero-initialise it. Its arrays are owned, and used again for the next method. */
struct code {
	const uint8_t *bytes; /* old code; borrowed */
	uint32_t length;
	uint32_t new_length;       /* with probes, without handlers */
	const struct probe *probe; /* borrowed */
	uint16_t *label; /* by pc; 0: no instruction begins here. The last: new_length */
	uint32_t label_capacity;
	uint8_t *handler; /* by pc: a handler with a caught probe begins here */
	uint32_t handler_capacity;
	bool handles;      /* there is one; handler is not filled else */
	struct site *site; /* by rising pc */
	uint32_t sites, site_capacity;
	struct hole *hole; /* by rising pc */
	uint32_t holes, hole_capacity;
	struct island *island; /* by rising pc */
	uint32_t islands, island_capacity;
	uint32_t returns;
};

/* Says which code is to be decoded next, and that no handlers are in it. */
void code_begin(struct code *code, const uint8_t *bytes, uint32_t length,
	const struct probe *probe);

/* A handler of the method's own begins at pc: it gets a caught probe, unless it gives back a
 * monitor at once. One that is not in the code is ignored. Before code_decode. False: no
 * memory. */
bool code_add_handler(struct code *code, uint32_t pc);

/* Reads and lays out the code. REWRITE_CODE: it would be too long. */
enum rewrite_reason code_decode(struct code *code);
void code_fini(struct code *code);

/* Writes the new code. REWRITE_BRANCH: code_stretch is needed first. */
enum rewrite_reason code_write(const struct code *code, struct writer *out);

/* Gives every instruction its label again, after forms or islands have changed. */
enum rewrite_reason code_layout(struct code *code);

/* Writes a handler: unwind, athrow. */
uint32_t code_handler_size(const struct code *code);
void code_write_handler(const struct code *code, struct writer *out);

/* True if the site's branch cannot be written in its form. */
bool code_is_far(const struct code *code, const struct site *site);

/* True if an instruction begins at pc. */
static inline bool code_begins(const struct code *code, uint32_t pc)
{
	return pc < code->length && code->label[pc] != 0;
}

/* Bytes of the instruction that begins at pc. */
uint32_t code_size_at(const struct code *code, uint32_t pc);

/* The targets of the instruction that begins at pc, 0 to count - 1. A target may be
 * anything: ask code_begins. */
uint32_t code_targets(const struct code *code, uint32_t pc);
uint32_t code_target(const struct code *code, uint32_t pc, uint32_t i);

/* True if an instruction from start up to end (pc) is not a return. */
bool code_covers(const struct code *code, uint32_t start, uint32_t end);

/* The first hole whose pc is not below, or holes. */
uint32_t code_hole_from(const struct code *code, uint32_t pc);

/* Where the instruction itself that begins at pc is, behind its probes. */
uint32_t code_instruction(const struct code *code, uint32_t pc);

/* Where a place of the old code, also one inside an instruction or its end, is in the
 * new. For what is only told to people. */
uint32_t code_place(const struct code *code, uint32_t pc);

#endif
