/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * opcode: the one table of the JVM's instructions (JVM specification, 6.5).
 */
#ifndef JPROF_REWRITE_OPCODE_H
#define JPROF_REWRITE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

/* The instructions that are named in the code. */
enum {
	OP_ICONST_0 = 0x03,
	OP_BIPUSH = 0x10,
	OP_SIPUSH = 0x11,
	OP_LDC = 0x12,
	OP_LDC_W = 0x13,
	OP_ILOAD = 0x15,
	OP_LLOAD = 0x16,
	OP_FLOAD = 0x17,
	OP_DLOAD = 0x18,
	OP_ALOAD = 0x19,
	OP_ILOAD_0 = 0x1a,
	OP_IALOAD = 0x2e,
	OP_ISTORE_0 = 0x3b,
	OP_POP = 0x57,
	OP_DUP = 0x59,
	OP_DUP2 = 0x5c,
	OP_SWAP = 0x5f,
	OP_IINC = 0x84,
	OP_I2L = 0x85,
	OP_F2D = 0x8d,
	OP_GOTO = 0xa7,
	OP_RET = 0xa9,
	OP_TABLESWITCH = 0xaa,
	OP_GETFIELD = 0xb4,
	OP_INVOKESPECIAL = 0xb7,
	OP_INVOKESTATIC = 0xb8,
	OP_INVOKEDYNAMIC = 0xba,
	OP_NEW = 0xbb,
	OP_ATHROW = 0xbf,
	OP_MONITORENTER = 0xc2,
	OP_MONITOREXIT = 0xc3,
	OP_WIDE = 0xc4
};

/* Where control goes from an instruction. */
enum opcode_flow {
	FLOW_NEXT,  /* to the next one */
	FLOW_THROW, /* to a handler */
	FLOW_RET,   /* back from a subroutine */
	/* From here on instructions are not simply copied. */
	FLOW_WIDE, /* to the next one; its length depends on its operand */
	FLOW_RETURN,
	FLOW_IF, /* these five: to a target 16 or 32 bits away */
	FLOW_GOTO,
	FLOW_JSR,
	FLOW_GOTO_W,
	FLOW_JSR_W,
	FLOW_TABLE,  /* tableswitch */
	FLOW_LOOKUP, /* lookupswitch */
	FLOW_ILLEGAL /* not an instruction of class files */
};

/* What an instruction does to the locals and the operand stack, where pops and pushes do
 * not say it all. */
enum opcode_effect {
	EFFECT_SLOTS,   /* they do */
	EFFECT_LOAD,    /* of a reference, from a local: aload */
	EFFECT_STORE,   /* of its pops to a local: any store */
	EFFECT_SHUFFLE, /* dup to dup2_x2, swap */
	EFFECT_FIELD,   /* by the field's descriptor */
	EFFECT_INVOKE,  /* by the method's descriptor */
	EFFECT_ARRAY,   /* multianewarray: pops as many as its operand says */
	EFFECT_WIDE     /* by the instruction behind wide */
};

struct opcode {
	uint8_t length; /* bytes; 0 where operands decide */
	uint8_t flow;
	uint8_t effect;
	uint8_t pops, pushes; /* slots of the operand stack */
};

extern const struct opcode opcodes[256];

/* True if control does not go on to the next instruction. */
static inline bool opcode_ends(uint8_t opcode)
{
	uint8_t flow = opcodes[opcode].flow;

	return flow == FLOW_THROW || flow == FLOW_RET || flow == FLOW_RETURN ||
	       flow == FLOW_GOTO || flow == FLOW_GOTO_W || flow == FLOW_TABLE ||
	       flow == FLOW_LOOKUP;
}

#endif
