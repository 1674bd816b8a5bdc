/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code: the instructions of one method, where they go, and how they are written there.
 *
 * Most instructions are copied. A *site* is one that is not: it has a target, its length depends
 * on its place, or a probe comes before it. Decoding finds the sites and gives each instruction
 * its *label*, the place where a jump to it arrives:
 *
 *   in front of the result's readings and the exit probe, if it is a return;
 *   in front of the caught probe, if a handler of the method's own begins there;
 *   in front of the probe that tells a call's line;
 *   behind calls and readings at the entry, if it is the first (a loop back to it must not enter again).
 *
 * Branches keep their form. Where probes push a target out of a branch's reach, 32,767 bytes,
 * the method stays as it is: not one of two million methods of JDKs and libraries has such a
 * branch.
 */
#ifndef JPROF_REWRITE_CODE_H
#define JPROF_REWRITE_CODE_H

#include "agent/rewrite/cursor.h"
#include "agent/rewrite/opcode.h"
#include "agent/rewrite/rewrite.h"

enum { CODE_MAX = 65535 }; /* bytes (JVM specification, 4.7.3) */

/* How a value is handed to a probe: as an object, or as a number that it fits into. */
enum reading_form { READING_OBJECT, READING_LONG, READING_DOUBLE, READING_FORMS };

/* Readings of one place, as instructions: load or dup, widen, push the number, invokestatic. */
enum { READING_SIZE_MAX = 2 + 1 + 3 + 3 };

struct reading_code {
	uint8_t bytes[READINGS_MAX * READING_SIZE_MAX];
	uint8_t size;
	uint8_t stack; /* slots of the operand stack that it needs beyond those that are in use */
};

/* A call at the entry for each kind of probe, by its place in PROBE_TABLE; the others are of
 * PROBE_TIMED. */
enum probe_call {
#define X(kind, bit, entry) CALL_AT_ENTRY_##kind,
	PROBE_TABLE(X)
#undef X
		ENTRY_CALLS,
	CALL_EXIT = ENTRY_CALLS,
	CALL_UNWIND,
	CALL_CAUGHT,
	TIMED_CALLS,
	CALL_REACH = TIMED_CALLS, /* of PROBE_TIMED where call sites are kept apart */
	CALL_VALUE,               /* for each of enum reading_form */
	CALL_RESULT = CALL_VALUE + READING_FORMS,
	CALLS = CALL_RESULT + READING_FORMS
};

/* How probes are called: push the id, invokestatic; and which of them the method has. */
struct probe {
	uint16_t method[CALLS]; /* indices of the constants of the methods */
	uint8_t push[3];
	uint8_t push_size;
	uint8_t size; /* of the whole call */
	bool timed;   /* not at the entry alone */
	uint8_t entries;
	uint8_t entry[ENTRY_CALLS];  /* enum probe_call, in their order */
	struct reading_code values;  /* behind those */
	struct reading_code results; /* in front of the exit probe, or where it would be */
};

/* Bytes of what tells a call's line, and of its push. */
enum { REACH_PUSH = 3, REACH_SIZE = REACH_PUSH + 3 };

/* Bytes of the calls at the entry, without readings, and with them. */
static inline uint32_t probe_calls_size(const struct probe *probe)
{
	return (uint32_t)probe->entries * probe->size;
}

static inline uint32_t probe_entry_size(const struct probe *probe)
{
	return probe_calls_size(probe) + probe->values.size;
}

/* Bytes in front of a return: readings of the result, and the exit probe. */
static inline uint32_t probe_exit_size(const struct probe *probe)
{
	return probe->results.size + (probe->timed ? probe->size : 0u);
}

struct site {
	uint16_t pc; /* in the old code, as all that is called pc; first, as in struct exit */
	uint16_t target; /* pc, of branches */
	uint8_t flow;    /* enum opcode_flow */
};

/* A return, with what is in front of it. */
struct exit {
	uint16_t pc;
	uint16_t probe; /* where that begins in the new code */
};

/* Zero-initialise it. Its arrays are owned, and used again for the next method. */
struct code {
	const uint8_t *bytes; /* old code; borrowed */
	uint32_t length;
	uint32_t new_length;       /* with probes, without their handlers */
	const struct probe *probe; /* borrowed */
	/* By pc; 0: no instruction begins here, but at pc 0. The last: new_length. */
	uint16_t *label;
	uint32_t label_capacity;
	uint8_t *handler; /* by pc: a handler with a caught probe begins here */
	uint32_t handler_capacity;
	bool handles;    /* there is one; handler is not filled else */
	uint32_t *reach; /* by pc: what pushes the number of a call site, 3 bytes; 0: none */
	uint32_t reach_capacity;
	bool reaches;      /* there is one; reach is not filled else */
	struct site *site; /* by rising pc */
	uint32_t sites, site_capacity;
	struct exit *exit; /* by rising pc */
	uint32_t exits, exit_capacity;
};

/* Says which code is to be decoded next, and that no handlers are in it. */
void code_begin(
	struct code *code, const uint8_t *bytes, uint32_t length, const struct probe *probe);

/* A handler of the method's own begins at pc: it gets a caught probe, unless it gives back a
 * monitor at once, or the method is not timed. One that is not in the code is ignored. Before
 * code_decode. False: no memory. */
bool code_add_handler(struct code *code, uint32_t pc);

/* The call site of the instruction that begins at pc has a probe: push, an instruction of 3 bytes, puts its number on the
 * stack. Before code_decode. False: no memory. */
bool code_add_reach(struct code *code, uint32_t pc, uint32_t push);

/* Marks where jumps of the code lead to, by pc. What is malformed is left to code_decode. */
void code_mark_targets(const struct code *code, uint8_t *mark);

/* Reads and lays out the code. REWRITE_CODE: it would be too long. */
enum rewrite_reason code_decode(struct code *code);
void code_fini(struct code *code);

/* Writes the new code. REWRITE_BRANCH: a target is out of reach. */
enum rewrite_reason code_write(const struct code *code, struct writer *out);

/* Writes a handler: unwind, athrow. */
uint32_t code_handler_size(const struct code *code);
void code_write_handler(const struct code *code, struct writer *out);

/* True if an instruction begins at pc. */
static inline bool code_begins(const struct code *code, uint32_t pc)
{
	return pc < code->length && (pc == 0 || code->label[pc] != 0);
}

/* Bytes of the instruction that begins at pc; 0: it is malformed, or not whole. */
uint32_t code_size_at(const struct code *code, uint32_t pc);

/* True if from start up to end (pc) there is something for the handler of `unwind`: an instruction that is not a return, or a
 * reading. */
bool code_covers(const struct code *code, uint32_t start, uint32_t end);

/* True if a caught probe is at pc. */
static inline bool code_catches(const struct code *code, uint32_t pc)
{
	return code->handles && code->handler[pc];
}

/* Bytes of the probe that tells the line of the call at pc. */
static inline uint32_t code_reach_size(const struct code *code, uint32_t pc)
{
	return code->reaches && code->reach[pc] ? REACH_SIZE : 0;
}

/* The first exit whose pc is not below, or exits. */
uint32_t code_exit_from(const struct code *code, uint32_t pc);

/* Where the instruction that begins at pc is, or its exit probe: behind its other probes. */
uint32_t code_instruction(const struct code *code, uint32_t pc);

/* Where a place of the old code, also one inside an instruction or its end, is in the new. For
 * tables that only people read. */
uint32_t code_place(const struct code *code, uint32_t pc);

#endif
