/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * native_thunks: a pool of functions that stand in for native methods.
 *
 * Each is a call of the function it stands in for, whatever its arguments are, between two
 * calls of native_thunk_enter and native_thunk_exit. The n-th uses native_records[n]; it is in
 * the library's text from the beginning, so that no memory has to be writable and executable.
 *
 *   struct native_record { void *original; uint32_t ref; uint32_t stack_words; }
 *
 * Procedure call standard for the Arm 64-bit architecture, 6.8: integers in x0 to x7, floating
 * point in v0 to v7 (64 bits of each, JNI has no wider type), the rest on the stack, 8 bytes
 * each. Results in x0 or v0. The first argument is the JNIEnv.
 *
 *   x29 + 176: caller's stack arguments
 *   x29 + 168, 160: results
 *   x29 + 96:  d0 ... d7
 *   x29 + 32:  x0 ... x7
 *   x29 + 16:  x19, x20              record; was it entered?
 *   x29:       caller's x29, return address
 *              copy of the stack arguments
 */
#define COUNT 4096

	.text

	.globl	native_thunks
	.hidden	native_thunks
	.type	native_thunks, %function
	.balign	16
native_thunks:
	.cfi_startproc
	.set	number, 0
	.rept	COUNT
	hint	#34 /* bti c */
	movz	w16, #number
	b	native_thunk_call
	nop
	.set	number, number + 1
	.endr
	.cfi_endproc
	.size	native_thunks, . - native_thunks

	.type	native_thunk_call, %function
native_thunk_call:
	.cfi_startproc
	stp	x29, x30, [sp, #-176]!
	.cfi_def_cfa_offset 176
	.cfi_offset x29, -176
	.cfi_offset x30, -168
	mov	x29, sp
	.cfi_def_cfa_register x29
	stp	x19, x20, [x29, #16]
	.cfi_offset x19, -160
	.cfi_offset x20, -152
	stp	x0, x1, [x29, #32]
	stp	x2, x3, [x29, #48]
	stp	x4, x5, [x29, #64]
	stp	x6, x7, [x29, #80]
	stp	d0, d1, [x29, #96]
	stp	d2, d3, [x29, #112]
	stp	d4, d5, [x29, #128]
	stp	d6, d7, [x29, #144]

	adrp	x19, native_records
	add	x19, x19, #:lo12:native_records
	add	x19, x19, w16, uxtw #4
	mov	x1, x0
	mov	x0, x19
	bl	native_thunk_enter
	and	w20, w0, #0xff

	/* The stack arguments once more, 16 bytes aligned. */
	ldr	w9, [x19, #12]
	add	x10, x9, #1
	and	x10, x10, #-2
	sub	sp, sp, x10, uxtx #3
	add	x11, x29, #176
	mov	x12, sp
.Lcopy:
	cbz	w9, .Lcopied
	ldr	x10, [x11], #8
	str	x10, [x12], #8
	sub	w9, w9, #1
	b	.Lcopy
.Lcopied:
	ldp	x0, x1, [x29, #32]
	ldp	x2, x3, [x29, #48]
	ldp	x4, x5, [x29, #64]
	ldp	x6, x7, [x29, #80]
	ldp	d0, d1, [x29, #96]
	ldp	d2, d3, [x29, #112]
	ldp	d4, d5, [x29, #128]
	ldp	d6, d7, [x29, #144]
	ldr	x16, [x19]
	blr	x16

	mov	sp, x29
	cbz	w20, .Lreturn
	str	d0, [x29, #160]
	str	x0, [x29, #168]
	mov	x0, x19
	ldr	x1, [x29, #32]
	bl	native_thunk_exit
	ldr	d0, [x29, #160]
	ldr	x0, [x29, #168]
.Lreturn:
	ldp	x19, x20, [x29, #16]
	ldp	x29, x30, [sp], #176
	.cfi_restore x19
	.cfi_restore x20
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa sp, 0
	ret
	.cfi_endproc
	.size	native_thunk_call, . - native_thunk_call

	.section .note.GNU-stack, "", %progbits

	/* Landing pads: every address here that is called or jumped to from elsewhere has one. */
	.section .note.gnu.property, "a", %note
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 1, 0
