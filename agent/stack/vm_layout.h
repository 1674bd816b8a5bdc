/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * vm_layout: where HotSpot keeps what a stack is read by.
 *
 * HotSpot exports tables of its own fields for debuggers, gHotSpotVMStructs and gHotSpotVMTypes
 * (vmStructs.hpp). A field that moved to another class, or became an offset from a pointer, is
 * in another row of the table in vm_layout.c: the layout has it in one form.
 *
 * Runs: vm_layout_read once, before the first stack is walked; after that it is only read.
 */
#ifndef JPROF_VM_LAYOUT_H
#define JPROF_VM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"

/* The place of a member: bytes from the begin of its struct; VM_NONE: this JVM has none. */
typedef uint32_t vm_offset;
#define VM_NONE UINT32_MAX

struct vm_layout {
	/* The code cache: a list of heaps, each a range of memory and a map of its segments. */
	const uintptr_t *code_heaps; /* GrowableArray<CodeHeap *> *, once it is made */
	const uintptr_t *code_low, *code_high;
	vm_offset array_length, array_data;
	vm_offset heap_memory, heap_map, heap_log2_segment;
	vm_offset space_low, space_high;
	vm_offset block_used;
	uint32_t block_header; /* bytes */

	/* A piece of code. */
	vm_offset blob_name, blob_size, blob_frame_size, blob_frame_complete;
	bool frame_complete_is_short;
	vm_offset blob_code_begin;  /* a pointer, or VM_NONE and */
	vm_offset blob_code_offset; /* bytes from the piece's begin */

	/* Compiled methods. What is said of their code lies in the piece itself, or (JDK 23 and later) in a
	 * block that immutable_data points to. */
	vm_offset nmethod_method, nmethod_level, nmethod_original_pc, nmethod_state,
		nmethod_number;  /* of the compilation; may be VM_NONE */
	vm_offset nmethod_entry; /* a pointer, or VM_NONE and */
	vm_offset nmethod_entry_offset;
	vm_offset nmethod_immutable;
	vm_offset nmethod_pcs, nmethod_pcs_end;
	vm_offset nmethod_scopes; /* a pointer, or VM_NONE and */
	vm_offset nmethod_scopes_offset;
	vm_offset nmethod_metadata_offset; /* from the piece, or from its data */
	vm_offset blob_data_offset;        /* VM_NONE: not used */
	vm_offset blob_mutable_data, blob_relocation_size;
	vm_offset nmethod_deopt, nmethod_mh_deopt; /* pointers, or VM_NONE and */
	vm_offset nmethod_deopt_offset, nmethod_mh_deopt_offset;

	/* Methods and their names. */
	vm_offset method_const, method_flags;
	vm_offset const_constants, const_size, const_flags, const_code_size, const_name,
		const_signature;
	uint32_t const_bytes; /* of a ConstMethod, without what follows it: the bytecodes */
	vm_offset pool_holder, pool_source_file;
	uint32_t pool_bytes; /* of a ConstantPool, behind which its entries are */
	vm_offset klass_name;
	vm_offset symbol_length, symbol_body;

	/* Threads. */
	vm_offset thread_anchor, thread_stack_base, thread_stack_size, thread_state;
	vm_offset thread_unpacking;                       /* set while frames are deoptimised */
	vm_offset thread_system, system_id, system_state; /* system_state 0: not known */
	const uintptr_t *thread_list; /* ThreadsList *; its threads, an array, and how many */
	vm_offset list_length, list_threads;
	vm_offset anchor_sp, anchor_pc, anchor_fp;
	vm_offset call_wrapper_anchor;
	int32_t entry_frame_wrapper; /* words from the frame pointer */
	const uintptr_t *call_stub_return;
	const uintptr_t *continuation_return; /* NULL: there are no virtual threads */

	/* Monitors (vm_monitors.h); VM_NONE: not known. */
	vm_offset thread_pending_monitor; /* ObjectMonitor that the thread waits to enter */
	vm_offset monitor_owner;          /* a number of a thread, or a pointer */
	vm_offset
		thread_owner_id; /* the number; VM_NONE: owners are pointers (before JDK 24) */
	/* Objects that a thread has locked without an ObjectMonitor: where they begin; bytes from the JavaThread to behind the
	 * last one. */
	vm_offset thread_lock_stack, lock_stack_top, lock_stack_base;

	/* Objects, for frames of virtual threads that are in the heap (frozen.h). NULL, VM_NONE: not known. */
	vm_offset thread_continuation; /* ContinuationEntry of what runs on the thread */
	const uintptr_t *oop_base, *oop_shift, *klass_base, *klass_shift;
	vm_offset oop_klass, klass_layout_helper;
	/* Of ZGC, whose references have bits of their own below the address. */
	const uintptr_t *z_globals;
	vm_offset z_shift, z_bad_mask; /* in them, pointers to what their names say */

	/* What numbers are written as, in the description of code: bytes that are never 0
	 * (JDK 20 and later: 1), or any (0). */
	uint8_t number_base;
};

/* Fills the layout. symbol: the address of what the JVM's library exports by that name, or NULL.
 * java: the JDK's version, 17. 0, or -ERROR_MISSING: error names what is not there, and no stack can be
 * read in this JVM. */
int vm_layout_read(struct vm_layout *layout, void *(*symbol)(const char *name), unsigned java,
	struct error *error);

#endif
