/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * unwind_registers: DWARF's numbers of the registers that are followed from frame to frame
 * (System V ABI, AMD64 supplement, figure 3.36), and where return addresses are.
 */
#ifndef JPROF_UNWIND_REGISTERS_H
#define JPROF_UNWIND_REGISTERS_H

#include <stdint.h>

enum {
	UNWIND_FP = 6,       /* rbp */
	UNWIND_SP = 7,       /* rsp */
	UNWIND_RETURN = 16,  /* the return address, or rip */
	UNWIND_HAS_LINK = 0, /* calls leave the return address on the stack */
	UNWIND_FP_IS_LOW = 0 /* the frame pointer's place is the frame's upper end */
};

/* The instruction that calls the kernel, syscall (Intel SDM): so many bytes, as a number. */
enum { SYSTEM_CALL_BYTES = 2 };
#define SYSTEM_CALL UINT32_C(0x050f)

/* A return address as the processor takes it. */
static inline uintptr_t unwind_address(uintptr_t word)
{
	return word;
}

#endif
