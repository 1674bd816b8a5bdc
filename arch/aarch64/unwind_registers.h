/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * unwind_registers: DWARF's numbers of the registers that are followed from frame to frame
 * ("DWARF for the Arm 64-bit Architecture", chapter 4.1), and where return addresses are.
 */
#ifndef JPROF_UNWIND_REGISTERS_H
#define JPROF_UNWIND_REGISTERS_H

#include <stdint.h>

enum {
	UNWIND_FP = 29,      /* x29 */
	UNWIND_SP = 31,      /* sp */
	UNWIND_RETURN = 30,  /* x30 */
	UNWIND_HAS_LINK = 1, /* calls leave the return address in x30 */
	/* the frame pointer's place in a frame is its lower end, as compilers have it (AAPCS64, 6.4.6, leaves it open) */
	UNWIND_FP_IS_LOW = 1
};

/* The instruction that calls the kernel, svc #0 (Arm ARM, C6.2): so many bytes, as a number. */
enum { SYSTEM_CALL_BYTES = 4 };
#define SYSTEM_CALL UINT32_C(0xd4000001)

/* A return address as the processor takes it: where it is signed (pointer authentication), the upper
 * bits are; user addresses have 48. */
static inline uintptr_t unwind_address(uintptr_t word)
{
	return word & 0xffffffffffff;
}

#endif
