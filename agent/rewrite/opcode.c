/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* opcode: the table. */
#include "agent/rewrite/opcode.h"

/* Length, pops, pushes of an instruction that does nothing else. */
#define SLOTS(length, pops, pushes)                                                            \
	{                                                                                      \
		length, FLOW_NEXT, EFFECT_SLOTS, pops, pushes                                  \
	}

/* int and long, in the order in which the opcodes have them: pops, pushes of the one, of the
 * other. */
#define PAIR(first, length, pops, pushes, wide_pops, wide_pushes)                              \
	[first] = SLOTS(length, pops, pushes),                                                 \
	[first + 1] = SLOTS(length, wide_pops, wide_pushes)

/* int, long, float, double. */
#define FOUR(first, length, pops, pushes, wide_pops, wide_pushes)                              \
	PAIR(first, length, pops, pushes, wide_pops, wide_pushes),                             \
		PAIR(first + 2, length, pops, pushes, wide_pops, wide_pushes)

const struct opcode opcodes[256] = {
	[0x00] = SLOTS(1, 0, 0),          /* nop */
	[0x01 ... 0x08] = SLOTS(1, 0, 1), /* aconst_null, iconst_m1 to iconst_5 */
	[0x09 ... 0x0a] = SLOTS(1, 0, 2), /* lconst */
	[0x0b ... 0x0d] = SLOTS(1, 0, 1), /* fconst */
	[0x0e ... 0x0f] = SLOTS(1, 0, 2), /* dconst */
	[0x10] = SLOTS(2, 0, 1),          /* bipush */
	[0x11] = SLOTS(3, 0, 1),          /* sipush */
	[0x12] = SLOTS(2, 0, 1),          /* ldc */
	[0x13] = SLOTS(3, 0, 1),          /* ldc_w */
	[0x14] = SLOTS(3, 0, 2),          /* ldc2_w */
	FOUR(0x15, 2, 0, 1, 0, 2),        /* iload to dload */
	[0x19] = {2, FLOW_NEXT, EFFECT_LOAD, 0, 1},
	[0x1a ... 0x1d] = SLOTS(1, 0, 1), /* iload_<n> */
	[0x1e ... 0x21] = SLOTS(1, 0, 2), /* lload_<n> */
	[0x22 ... 0x25] = SLOTS(1, 0, 1), /* fload_<n> */
	[0x26 ... 0x29] = SLOTS(1, 0, 2), /* dload_<n> */
	[0x2a ... 0x2d] = {1, FLOW_NEXT, EFFECT_LOAD, 0, 1},
	FOUR(0x2e, 1, 2, 1, 2, 2),                   /* iaload to daload */
	[0x32 ... 0x35] = SLOTS(1, 2, 1),            /* aaload, baload, caload, saload */
	[0x36] = {2, FLOW_NEXT, EFFECT_STORE, 1, 0}, /* istore */
	[0x37] = {2, FLOW_NEXT, EFFECT_STORE, 2, 0}, /* lstore */
	[0x38] = {2, FLOW_NEXT, EFFECT_STORE, 1, 0}, /* fstore */
	[0x39] = {2, FLOW_NEXT, EFFECT_STORE, 2, 0}, /* dstore */
	[0x3a] = {2, FLOW_NEXT, EFFECT_STORE, 1, 0}, /* astore */
	[0x3b ... 0x3e] = {1, FLOW_NEXT, EFFECT_STORE, 1, 0},
	[0x3f ... 0x42] = {1, FLOW_NEXT, EFFECT_STORE, 2, 0},
	[0x43 ... 0x46] = {1, FLOW_NEXT, EFFECT_STORE, 1, 0},
	[0x47 ... 0x4a] = {1, FLOW_NEXT, EFFECT_STORE, 2, 0},
	[0x4b ... 0x4e] = {1, FLOW_NEXT, EFFECT_STORE, 1, 0},
	FOUR(0x4f, 1, 3, 0, 4, 0),        /* iastore to dastore */
	[0x53 ... 0x56] = SLOTS(1, 3, 0), /* aastore, bastore, castore, sastore */
	[0x57] = SLOTS(1, 1, 0),          /* pop */
	[0x58] = SLOTS(1, 2, 0),          /* pop2 */
	[0x59 ... 0x5f] = {1, FLOW_NEXT, EFFECT_SHUFFLE, 0, 0},
	FOUR(0x60, 1, 2, 1, 4, 2),                          /* add */
	FOUR(0x64, 1, 2, 1, 4, 2),                          /* sub */
	FOUR(0x68, 1, 2, 1, 4, 2),                          /* mul */
	FOUR(0x6c, 1, 2, 1, 4, 2),                          /* div */
	FOUR(0x70, 1, 2, 1, 4, 2),                          /* rem */
	FOUR(0x74, 1, 1, 1, 2, 2),                          /* neg */
	FOUR(0x78, 1, 2, 1, 3, 2),                          /* ishl, lshl, ishr, lshr */
	PAIR(0x7c, 1, 2, 1, 3, 2),                          /* ushr */
	FOUR(0x7e, 1, 2, 1, 4, 2),                          /* iand, land, ior, lor */
	PAIR(0x82, 1, 2, 1, 4, 2),                          /* xor */
	[0x84] = SLOTS(3, 0, 0),                            /* iinc */
	[0x85] = SLOTS(1, 1, 2),                            /* i2l */
	[0x86] = SLOTS(1, 1, 1),                            /* i2f */
	[0x87] = SLOTS(1, 1, 2),                            /* i2d */
	[0x88] = SLOTS(1, 2, 1),                            /* l2i */
	[0x89] = SLOTS(1, 2, 1),                            /* l2f */
	[0x8a] = SLOTS(1, 2, 2),                            /* l2d */
	[0x8b] = SLOTS(1, 1, 1),                            /* f2i */
	[0x8c] = SLOTS(1, 1, 2),                            /* f2l */
	[0x8d] = SLOTS(1, 1, 2),                            /* f2d */
	[0x8e] = SLOTS(1, 2, 1),                            /* d2i */
	[0x8f] = SLOTS(1, 2, 2),                            /* d2l */
	[0x90] = SLOTS(1, 2, 1),                            /* d2f */
	[0x91 ... 0x93] = SLOTS(1, 1, 1),                   /* i2b, i2c, i2s */
	[0x94] = SLOTS(1, 4, 1),                            /* lcmp */
	[0x95 ... 0x96] = SLOTS(1, 2, 1),                   /* fcmp */
	[0x97 ... 0x98] = SLOTS(1, 4, 1),                   /* dcmp */
	[0x99 ... 0x9e] = {3, FLOW_IF, EFFECT_SLOTS, 1, 0}, /* ifeq to ifle */
	[0x9f ... 0xa6] = {3, FLOW_IF, EFFECT_SLOTS, 2, 0}, /* if_icmp, if_acmp */
	[0xa7] = {3, FLOW_GOTO, EFFECT_SLOTS, 0, 0},
	[0xa8] = {3, FLOW_JSR, EFFECT_SLOTS, 0, 1},
	[0xa9] = {2, FLOW_RET, EFFECT_SLOTS, 0, 0},
	[0xaa] = {0, FLOW_TABLE, EFFECT_SLOTS, 1, 0},
	[0xab] = {0, FLOW_LOOKUP, EFFECT_SLOTS, 1, 0},
	[0xac ... 0xb1] = {1, FLOW_RETURN, EFFECT_SLOTS, 0, 0},
	[0xb2 ... 0xb5] = {3, FLOW_NEXT, EFFECT_FIELD, 0, 0},
	[0xb6 ... 0xb8] = {3, FLOW_NEXT, EFFECT_INVOKE, 0, 0},
	[0xb9 ... 0xba] = {5, FLOW_NEXT, EFFECT_INVOKE, 0, 0},
	[0xbb] = SLOTS(3, 0, 1), /* new */
	[0xbc] = SLOTS(2, 1, 1), /* newarray */
	[0xbd] = SLOTS(3, 1, 1), /* anewarray */
	[0xbe] = SLOTS(1, 1, 1), /* arraylength */
	[0xbf] = {1, FLOW_THROW, EFFECT_SLOTS, 1, 0},
	[0xc0] = SLOTS(3, 1, 1), /* checkcast */
	[0xc1] = SLOTS(3, 1, 1), /* instanceof */
	[0xc2] = SLOTS(1, 1, 0), /* monitorenter */
	[0xc3] = SLOTS(1, 1, 0), /* monitorexit */
	[0xc4] = {0, FLOW_WIDE, EFFECT_WIDE, 0, 0},
	[0xc5] = {4, FLOW_NEXT, EFFECT_ARRAY, 0, 1},
	[0xc6 ... 0xc7] = {3, FLOW_IF, EFFECT_SLOTS, 1, 0}, /* ifnull, ifnonnull */
	[0xc8] = {5, FLOW_GOTO_W, EFFECT_SLOTS, 0, 0},
	[0xc9] = {5, FLOW_JSR_W, EFFECT_SLOTS, 0, 1},
	[0xca ... 0xff] = {0, FLOW_ILLEGAL, EFFECT_SLOTS, 0, 0},
};
