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
 * System V ABI, AMD64 supplement, 3.2: integers in rdi rsi rdx rcx r8 r9, floating point in
 * xmm0 to xmm7 (64 bits of each, JNI has no wider type), the rest on the stack, 8 bytes each.
 * Results in rax or xmm0. The first argument is the JNIEnv.
 *
 *        caller's stack arguments
 *        return address
 *   rbp: caller's rbp
 *        rbx, r12                      record; was it entered?
 *        rdi rsi rdx rcx r8 r9         at SAVED
 *        xmm0 ... xmm7
 *        copy of the stack arguments
 */
#define COUNT 4096
#define SAVED (-128)

	.text

	.globl	native_thunks
	.hidden	native_thunks
	.type	native_thunks, @function
	.balign	16
native_thunks:
	.cfi_startproc
	.set	number, 0
	.rept	COUNT
	endbr64
	movl	$number, %r11d
	jmp	native_thunk_call
	.balign	16, 0xcc
	.set	number, number + 1
	.endr
	.cfi_endproc
	.size	native_thunks, . - native_thunks

	.balign	16
	.type	native_thunk_call, @function
native_thunk_call:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rbx
	pushq	%r12
	.cfi_offset %rbx, -24
	.cfi_offset %r12, -32
	subq	$112, %rsp
	movq	%rdi, SAVED(%rbp)
	movq	%rsi, SAVED+8(%rbp)
	movq	%rdx, SAVED+16(%rbp)
	movq	%rcx, SAVED+24(%rbp)
	movq	%r8, SAVED+32(%rbp)
	movq	%r9, SAVED+40(%rbp)
	movsd	%xmm0, SAVED+48(%rbp)
	movsd	%xmm1, SAVED+56(%rbp)
	movsd	%xmm2, SAVED+64(%rbp)
	movsd	%xmm3, SAVED+72(%rbp)
	movsd	%xmm4, SAVED+80(%rbp)
	movsd	%xmm5, SAVED+88(%rbp)
	movsd	%xmm6, SAVED+96(%rbp)
	movsd	%xmm7, SAVED+104(%rbp)

	leaq	native_records(%rip), %rbx
	shlq	$4, %r11
	addq	%r11, %rbx
	movq	%rdi, %rsi
	movq	%rbx, %rdi
	call	native_thunk_enter
	movzbl	%al, %r12d

	/* The stack arguments once more, 16 bytes aligned. */
	movl	12(%rbx), %ecx
	leaq	15(,%rcx,8), %rax
	andq	$-16, %rax
	subq	%rax, %rsp
.Lcopy:
	subl	$1, %ecx
	jl	.Lcopied
	movq	16(%rbp,%rcx,8), %rax
	movq	%rax, (%rsp,%rcx,8)
	jmp	.Lcopy
.Lcopied:
	movq	SAVED(%rbp), %rdi
	movq	SAVED+8(%rbp), %rsi
	movq	SAVED+16(%rbp), %rdx
	movq	SAVED+24(%rbp), %rcx
	movq	SAVED+32(%rbp), %r8
	movq	SAVED+40(%rbp), %r9
	movsd	SAVED+48(%rbp), %xmm0
	movsd	SAVED+56(%rbp), %xmm1
	movsd	SAVED+64(%rbp), %xmm2
	movsd	SAVED+72(%rbp), %xmm3
	movsd	SAVED+80(%rbp), %xmm4
	movsd	SAVED+88(%rbp), %xmm5
	movsd	SAVED+96(%rbp), %xmm6
	movsd	SAVED+104(%rbp), %xmm7
	call	*(%rbx)

	leaq	SAVED(%rbp), %rsp
	testl	%r12d, %r12d
	jz	.Lreturn
	movq	%rax, SAVED+8(%rbp)
	movsd	%xmm0, SAVED+48(%rbp)
	movq	%rbx, %rdi
	movq	SAVED(%rbp), %rsi
	call	native_thunk_exit
	movq	SAVED+8(%rbp), %rax
	movsd	SAVED+48(%rbp), %xmm0
.Lreturn:
	movq	-8(%rbp), %rbx
	movq	-16(%rbp), %r12
	.cfi_restore %rbx
	.cfi_restore %r12
	leave
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	native_thunk_call, . - native_thunk_call

	.section .note.GNU-stack, "", @progbits

	/* Landing pads and shadow stack: this file keeps the rules of both. */
	.section .note.gnu.property, "a", @note
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0
