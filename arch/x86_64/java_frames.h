/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_frames: how HotSpot lays out frames on x86-64, and how far one is built at an instruction.
 *
 *   compiled:     sp[0] ... sp[words - 2] caller's rbp, sp[words - 1] return address
 *   interpreted:  fp[-8] bytecode, fp[-3] Method, fp[-1] caller's sp, fp[0] its fp, fp[1] return address
 *                 (frame_x86.hpp)
 */
#ifndef JPROF_JAVA_FRAMES_H
#define JPROF_JAVA_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum {
	INTERPRETED_BYTECODE = -8,
	INTERPRETED_METHOD = -3,
	INTERPRETED_CALLER_SP = -1,
	FRAME_LINK = 0,
	FRAME_RETURN = 1
};

/* The registers of an interrupted thread. While the interpreter runs method is the Method at its entry,
 * bytecode where it is in it; caller_sp at the entry of a method and in adapters; popped the return address
 * while locals are put in its place. */
struct machine {
	uintptr_t pc, sp, fp, link, method, bytecode, caller_sp, popped;
};

/* uc: a signal handler's third argument. */
static inline struct machine machine_interrupted(const void *uc)
{
	const greg_t *r = ((const ucontext_t *)uc)->uc_mcontext.gregs;

	return (struct machine){
		.pc = (uintptr_t)r[REG_RIP],
		.sp = (uintptr_t)r[REG_RSP],
		.fp = (uintptr_t)r[REG_RBP],
		.method = (uintptr_t)r[REG_RBX],
		.bytecode = (uintptr_t)r[REG_R13],
		.caller_sp = (uintptr_t)r[REG_R13],
		.popped = (uintptr_t)r[REG_RAX],
	};
}

/* What of a frame lies between sp and the caller's: so many words, the last one being the return
 * address, the one before it the caller's frame pointer; or the return address is in the link
 * register (never here). */
struct frame_part {
	uint32_t words;
	bool linked;
};

/* True if the next instruction, or the last but one before a return, has the frame gone. */
static inline bool frame_is_gone(const uint8_t *at)
{
	static const uint8_t poll[][3] = {{0x49, 0x3b, 0x67}, {0x49, 0x3b, 0xa7}};

	/* ret; pop rdx behind pop rbp, as exceptions go on to a handler */
	if (at[0] == 0xc3 || (at[0] == 0x5a && at[-1] == 0x5d))
		return true;
	/* cmp rsp, [r15 + n], behind pop rbp; ja n, ret: the poll at a return */
	for (int i = 0; i < 2; i++)
		if (memcmp(at, poll[i], 3) == 0 && at[-1] == 0x5d)
			return true;
	return at[0] == 0x0f && at[1] == 0x87 && at[6] == 0xc3;
}

/* entry: of the compiled method, before which nothing is built; words: of the whole frame; built: it is
 * known that the frame was built, as far as it still is. */
static inline struct frame_part frame_built(
	uintptr_t entry, uintptr_t pc, uint32_t words, bool built)
{
	static const struct {
		uint8_t bytes[4], count, length;
		int8_t pushes; /* words; -1: the rest */
	} prologue[] = {
		{{0x89, 0x84, 0x24}, 3, 7, 0}, /* mov [rsp + n], eax: touches the stack's end */
		{{0x55}, 1, 1, 1},             /* push rbp */
		{{0x48, 0x8b, 0xec}, 3, 3, 0}, /* mov rbp, rsp */
		{{0x48, 0x83, 0xec}, 3, 4, -1},      /* sub rsp, n */
		{{0x48, 0x81, 0xec}, 3, 7, -1},      /* sub rsp, n */
		{{0x0f, 0x1f, 0x44, 0x00}, 4, 5, 0}, /* nop, of five bytes */
		{{0x66, 0x90}, 2, 2, 0},             /* nop */
		{{0x90}, 1, 1, 0},                   /* nop */
	};
	const uint8_t *at = (const uint8_t *)entry, *here = (const uint8_t *)pc;
	uint32_t pushed = 1;

	if (built && frame_is_gone(here))
		return (struct frame_part){1, false};
	if (built && here[0] == 0x5d) /* pop rbp */
		return (struct frame_part){2, false};
	if (built)
		return (struct frame_part){words, false};
	while (at < here) {
		unsigned i = 0;

		while (i < sizeof(prologue) / sizeof(*prologue) &&
			memcmp(at, prologue[i].bytes, prologue[i].count) != 0)
			i++;
		if (i == sizeof(prologue) / sizeof(*prologue) || prologue[i].pushes < 0)
			return (struct frame_part){words, false};
		pushed += (uint32_t)prologue[i].pushes;
		at += prologue[i].length;
	}
	return (struct frame_part){pushed, false};
}

/* True if there is a call before the address: near, by a register, or through memory (Intel SDM, CALL). The
 * eight bytes in front of it can be read. */
static inline bool is_behind_call(uintptr_t pc)
{
	const uint8_t *at = (const uint8_t *)pc;

	return at[-5] == 0xe8 || (at[-2] == 0xff && (at[-1] & 0xf8) == 0xd0) ||
	       (at[-3] == 0xff && (at[-2] & 0xf8) == 0x50) ||
	       (at[-6] == 0xff && ((at[-5] & 0xf8) == 0x90 || at[-5] == 0x15)) ||
	       (at[-7] == 0xff && at[-6] == 0x94) || (at[-4] == 0xff && at[-3] == 0x54);
}

/* Words that compiled code has pushed for the call before the address: it pops them behind it, into
 * registers other than rbp. */
static inline uint32_t words_pushed(uintptr_t pc)
{
	const uint8_t *at = (const uint8_t *)pc;
	uint32_t words = 0;

	for (;; words++) {
		if (at[0] == 0x41 && (at[1] & 0xf8) == 0x58)
			at += 2;
		else if ((at[0] & 0xf8) == 0x58 && at[0] != 0x5d)
			at++;
		else
			return words;
	}
}

/* Where an adapter has the return address, and its caller's stack, at an instruction. */
struct adapter_part {
	enum adapter_state {
		ADAPTER_WAITS, /* the address is at sp + words, the caller's stack behind it */
		ADAPTER_MOVES, /* arguments: that stack is where caller_sp says */
		/* the JVM: caller_sp says where the address is; in a call, it is at sp + words itself */
		ADAPTER_CALLS,
		ADAPTER_FRAMED /* never here: it has a frame of its own, by the frame pointer */
	} state;
	int32_t words;
	bool in_register; /* the address is in popped */
};

/* How much the instruction adds to rsp, in words; *length: of it, 0: it does not. */
static inline int32_t words_taken(const uint8_t *at, unsigned *length)
{
	int32_t bytes;

	*length = 0;
	if (at[0] != 0x48 || (at[1] != 0x83 && at[1] != 0x81) ||
		(at[2] != 0xc4 && at[2] != 0xec))
		return 0;
	memcpy(&bytes, at + 3, sizeof(bytes));
	if (at[1] == 0x83)
		bytes = (int8_t)at[3];
	*length = at[1] == 0x83 ? 4 : 7;
	return (at[2] == 0xc4 ? bytes : -bytes) / 8;
}

/* end: of the adapter's code, with its padding. Told by what comes next (SharedRuntime::gen_i2c_adapter, gen_c2i_adapter):
 *
 *   i2c: pop rax; sub rsp, n; and rsp, -16; push rax; arguments; jmp r11
 *   c2i: barriers, which may save registers and call the JVM: sub rsp, n; ... add rsp, n
 *        mov r13, rsp; and rsp, -16; registers saved; call the JVM; mov r13, [rsp + 16]; ... mov rsp, r13
 *        lea r13, [rsp + 8]; pop rax; sub rsp, n; push rax; arguments; jmp rcx
 *        or, as in JDK 17: pop rax; mov r13, rsp; sub rsp, n; mov [rsp], rax; arguments; jmp rcx */
static inline struct adapter_part adapter_part(uintptr_t pc, uintptr_t end)
{
	static const struct {
		uint8_t bytes[5], count;
		enum adapter_state before;
	} marks[] = {
		{{0x4c, 0x8b, 0x6c, 0x24, 0x10}, 5, ADAPTER_CALLS}, /* mov r13, [rsp + 16] */
		{{0x49, 0x8b, 0xe5}, 3, ADAPTER_CALLS},             /* mov rsp, r13 */
		{{0x4c, 0x8b, 0xec}, 3, ADAPTER_WAITS},             /* mov r13, rsp */
		{{0x4c, 0x8d, 0x6c, 0x24, 0x08}, 5, ADAPTER_WAITS}, /* lea r13, [rsp + 8] */
	};
	const uint8_t *here = (const uint8_t *)pc;
	struct adapter_part part = {.state = ADAPTER_MOVES};
	unsigned length;

	for (const uint8_t *at = here; (uintptr_t)at + 8 <= end; at += length ? length : 1) {
		for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
			if (memcmp(at, marks[i].bytes, marks[i].count) != 0)
				continue;
			part.state = marks[i].before;
			part.words += i == 0 ? 2 : 0;
			part.in_register = i == 2 && at == here && at[-1] == 0x58;
			return part;
		}
		/* Not by r10, which is how it leaves if the class is being initialised. */
		if (at[0] == 0xff && (at[1] & 0xf8) == 0xe0 && at[1] != 0xe2)
			break;
		part.words += words_taken(at, &length);
	}
	/* Room is yet to be made, or the address to be put on top of it: push rax; mov [rsp], rax. */
	part.in_register = part.words < 0 || here[0] == 0x50 ||
			   memcmp(here, "\x48\x83\xe4", 3) == 0 ||
			   memcmp(here, "\x48\x89\x04\x24", 4) == 0;
	part.words = 0;
	return part;
}

/* True if the next instruction returns to what is on the stack's top. */
static inline bool returns_now(uintptr_t pc)
{
	return *(const uint8_t *)pc == 0xc3;
}

/* True if a stub that begins with push rbp; mov rbp, rsp, and ends with leave, has its frame at the address: the return
 * address is behind the frame pointer. False: in *part, see frame_built. */
static inline bool stub_has_frame(uintptr_t begin, uintptr_t pc, struct frame_part *part)
{
	const uint8_t *at = (const uint8_t *)pc;

	*part = (struct frame_part){1, false};
	if (pc < begin + 4) {
		part->words += pc > begin;
		return false;
	}
	if (at[-1] == 0xc9)
		return false;
	/* Behind leave; pop rcx it is in a register. */
	*part = (struct frame_part){0, true};
	return !(at[-2] == 0xc9 && at[-1] == 0x59);
}

/* True if the stub at the address begins with room for its return address: push rbx. */
static inline bool begins_with_room(uintptr_t begin)
{
	return *(const uint8_t *)begin == 0x53;
}

/* True if the next instruction jumps by a register. */
static inline bool jumps_on(uintptr_t pc)
{
	const uint8_t *at = (const uint8_t *)pc;

	at += at[0] == 0x41;
	return at[0] == 0xff && (at[1] & 0xf8) == 0xe0;
}

/* What the call before the address called: a near call, or mov r10, address; call r10. 0: not known.
 * 13 bytes in front of it can be read. */
static inline uintptr_t call_target(uintptr_t pc)
{
	static const uint8_t call[] = {0x41, 0xff, 0xd2}, move[] = {0x49, 0xba};
	const uint8_t *at = (const uint8_t *)pc;
	uint64_t address;
	int32_t distance;

	if (memcmp(at - 3, call, sizeof(call)) == 0 &&
		memcmp(at - 13, move, sizeof(move)) == 0) {
		memcpy(&address, at - 11, sizeof(address));
		return address;
	}
	if (at[-5] != 0xe8)
		return 0;
	memcpy(&distance, at - 4, sizeof(distance));
	return pc + (uintptr_t)(intptr_t)distance;
}

#endif
