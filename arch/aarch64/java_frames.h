/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_frames: how HotSpot lays out frames on aarch64, and how far one is built at an instruction.
 *
 *   compiled:     sp[0] ... sp[words - 2] caller's x29, sp[words - 1] return address
 *   interpreted:  fp[-9] bytecode, fp[-3] Method, fp[-1] caller's sp, fp[0] its fp, fp[1] return address
 *                 (frame_aarch64.hpp)
 */
#ifndef JPROF_JAVA_FRAMES_H
#define JPROF_JAVA_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum {
	INTERPRETED_BYTECODE = -9,
	INTERPRETED_METHOD = -3,
	INTERPRETED_CALLER_SP = -1,
	FRAME_LINK = 0,
	FRAME_RETURN = 1
};

/* The registers of an interrupted thread. While the interpreter runs method is the Method at its entry,
 * bytecode where it is in it; caller_sp at the entry of a method and in adapters. */
struct machine {
	uintptr_t pc, sp, fp, link, method, bytecode, caller_sp, popped;
};

/* uc: a signal handler's third argument. */
static inline struct machine machine_interrupted(const void *uc)
{
	const mcontext_t *m = &((const ucontext_t *)uc)->uc_mcontext;

	return (struct machine){
		.pc = m->pc,
		.sp = m->sp,
		.fp = m->regs[29],
		.link = m->regs[30],
		.method = m->regs[12],
		.bytecode = m->regs[22],
		.caller_sp = m->regs[19],
		.popped = m->regs[30],
	};
}

/* What of a frame lies between sp and the caller's: so many words, the last one being the return
 * address, the one before it the caller's frame pointer; or the return address is in the link
 * register, and the frame pointer as it was. */
struct frame_part {
	uint32_t words;
	bool linked;
};

/* entry: of the compiled method, before which nothing is built; words: of the whole frame; built: it is
 * known that the frame was built, as far as it still is. */
static inline struct frame_part frame_built(
	uintptr_t entry, uintptr_t pc, uint32_t words, bool built)
{
	const uint32_t *at = (const uint32_t *)entry, *here = (const uint32_t *)pc;
	uint32_t pushed = 0;

	/* An epilogue: ldp x29, x30, [sp, #n]; add sp, sp, #n (or ldp with post-index); poll; ret. */
	if (built) {
		for (int i = 0; i < 8; i++) {
			uint32_t next = here[i];

			if (next == 0xd65f03c0) /* ret */
				return (struct frame_part){0, true};
			if ((next & 0xff8003ff) == 0x910003ff) /* add sp, sp, #n */
				return (struct frame_part){
					words, (here[-1] & 0xffc07fff) == 0xa9407bfd};
			/* ldr x8, [x28, #n]; cmp sp, x8; b.hi: the poll */
			if ((next & 0xffc003ff) != 0xf9400388 && next != 0xeb2863ff &&
				(next & 0xff00001f) != 0x54000008)
				break;
		}
		return (struct frame_part){words, false};
	}
	for (; at < here; at++) {
		if ((*at & 0xff8003ff) == 0xd10003ff) /* sub sp, sp, #n */
			pushed = words;
		else if ((*at & 0xffc07fff) == 0xa9007bfd) /* stp x29, x30, [sp, #n] */
			return (struct frame_part){words, false};
		else if ((*at & 0xffc07fff) == 0xa9807bfd) /* stp x29, x30, [sp, #-n]! */
			return (struct frame_part){2, false};
	}
	return (struct frame_part){pushed, true};
}

/* True if there is a call before the address: bl or blr (Arm ARM, C6.2). */
static inline bool is_behind_call(uintptr_t pc)
{
	uint32_t before = ((const uint32_t *)pc)[-1];

	return (before & 0xfc000000) == 0x94000000 || (before & 0xfffffc1f) == 0xd63f0000;
}

/* Words that compiled code has pushed for the call before the address: it takes them away behind it, by
 * ldp x, x, [sp], #16. */
static inline uint32_t words_pushed(uintptr_t pc)
{
	return (*(const uint32_t *)pc & 0xffff83e0) == 0xa8c103e0 ? 2 : 0;
}

/* Where an adapter has the return address, and its caller's stack, at an instruction. */
struct adapter_part {
	enum adapter_state {
		ADAPTER_WAITS, /* the address is at sp + words, the caller's stack behind it */
		ADAPTER_MOVES, /* arguments: that stack is where caller_sp says */
		ADAPTER_CALLS, /* never here */
		ADAPTER_FRAMED /* it calls the JVM: it has a frame of its own, by the frame pointer */
	} state;
	int32_t words;
	bool in_register; /* the address is in popped; the caller's stack, while it waits, begins at sp */
};

/* end: of the adapter's code. Told by what comes next (SharedRuntime::gen_i2c_adapter, gen_c2i_adapter): calls are between
 * stp x29, x30, [sp, #-16]!; mov x29, sp and ldp x29, x30, [sp], #16; then mov x19, sp; arguments; br. */
static inline struct adapter_part adapter_part(uintptr_t pc, uintptr_t end)
{
	const uint32_t *at = (const uint32_t *)pc;
	unsigned frames = 0;

	if (*at == 0x910003fd) /* mov x29, sp */
		return (struct adapter_part){.state = ADAPTER_WAITS, .words = 1};
	for (; (uintptr_t)(at + 1) <= end; at++) {
		if ((*at & 0xfffffc1f) == 0xd61f0000)
			break;
		if (*at == 0x910003f3)
			return (struct adapter_part){
				.state = ADAPTER_WAITS, .in_register = true};
		if (*at == 0xa8c17bfd && frames == 0)
			return (struct adapter_part){.state = ADAPTER_FRAMED};
		frames += *at == 0xa9bf7bfd;
		frames -= *at == 0xa8c17bfd;
	}
	return (struct adapter_part){.state = ADAPTER_MOVES, .in_register = true};
}

/* True if the next instruction returns to what is on the stack's top: never. */
static inline bool returns_now(uintptr_t pc)
{
	return false;
}

/* True if a stub that begins with stp x29, x30, [sp, #-16]!; mov x29, sp, and ends with ldp x29, x30, [sp], #16, has its
 * frame at the address: the return address is behind the frame pointer. False: in *part, see frame_built. */
static inline bool stub_has_frame(uintptr_t begin, uintptr_t pc, struct frame_part *part)
{
	const uint32_t *at = (const uint32_t *)pc;

	*part = (struct frame_part){0, true};
	if (pc == begin || at[-1] == 0xa8c17bfd)
		return false;
	*part = (struct frame_part){2, false};
	return pc >= begin + 8;
}

/* True if the stub at the address begins with room for its return address: never, it is in a register. */
static inline bool begins_with_room(uintptr_t begin)
{
	return false;
}

/* True if the next instruction jumps by a register. */
static inline bool jumps_on(uintptr_t pc)
{
	return (*(const uint32_t *)pc & 0xfffffc1f) == 0xd61f0000;
}

/* What the call before the address called: bl, to 26 bits of words. 0: not known. */
static inline uintptr_t call_target(uintptr_t pc)
{
	uint32_t before = ((const uint32_t *)pc)[-1];

	if ((before & 0xfc000000) != 0x94000000)
		return 0;
	return pc - 4 + (uintptr_t)(((int64_t)(before & 0x03ffffff) << 38) >> 36);
}

#endif
