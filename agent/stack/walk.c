/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* walk: see walk.h. */
#include "agent/stack/walk.h"

#include <string.h>

#include "agent/stack/code.h"
#include "agent/stack/frozen.h"
#include "agent/stack/known_keys.h"
#include "agent/stack/known_places.h"
#include "agent/stack/safe_read.h"
#include "agent/stack/unwind.h"

const char *const walk_end_names[WALK_ENDS] = {
#define X(end, name) [end] = name,
	WALK_END_TABLE(X)
#undef X
};

enum {
	WORD = sizeof(uintptr_t),
	/* An interpreted frame: between its top and its frame pointer, words. */
	INTERPRETED_WORDS = 512,
	ENTRY_WORDS = 10,    /* the same, while it is made */
	PIECE_BYTES = 32,    /* of code behind a method's */
	ADAPTED_WORDS = 260, /* of arguments that are moved: a method has 255 at most */
	INLINED_MAX = 200,   /* into one another */
	FROZEN_MAX = 4096,
	KEY_FRAMES = 1024,
	SHIFT_WORDS = 32,  /* that compiled code may have put on top of its frame */
	STUB_WORDS = 256,  /* of a stub's frame */
	STUB_PROLOGUE = 64 /* bytes that make it */
};

/* The stack as far as it was walked: pc, sp and fp are the frame's that comes next. */
struct walk {
	const struct walker *walker;
	const struct vm_layout *vm;
	const struct walk_thread *thread;
	struct machine now;
	bool innermost;              /* now are registers; else pc is a return address */
	bool anchored;               /* the anchor was used, or there is none */
	uintptr_t low;               /* nothing below belongs to frames that are left */
	const struct module *loaded; /* of the native frame before (unwind.h) */
	struct stack_frame *frame;
	unsigned count, room;
	bool keyed; /* frames make a number, and are not stored */
	uint64_t key;
	struct key_words *words; /* that the number depends on; NULL: they are not noted */
	uintptr_t fp_at;         /* where now.fp was, if it is yet to be noted; else 0 */
	enum walk_end end;
};

/* ---- the stack's memory ---- */

static bool in_stack(const struct walk *walk, uintptr_t at)
{
	return at % WORD == 0 && at >= walk->low && at < walk->thread->stack_base;
}

/* Of the stack, or of the thread's struct. False: it is not there. */
static bool thread_word(const struct walk_thread *thread, uintptr_t at, uintptr_t *word)
{
	if (thread->guarded)
		return safe_word(at, word);
	*word = *(const uintptr_t *)at;
	return true;
}

/* False: the address is not in the stack. */
static bool stack_word(const struct walk *walk, uintptr_t at, uintptr_t *word)
{
	if (!in_stack(walk, at) || !thread_word(walk->thread, at, word))
		return false;
	if (walk->words)
		key_words_add(walk->words, at, *word);
	return true;
}

/* What a frame has saved of its caller's frame pointer. To compiled code that is a register like others, whose value does not
 * matter: it is noted where a frame goes by it. */
static bool saved_fp(struct walk *walk, uintptr_t at, uintptr_t *fp)
{
	walk->fp_at = at;
	return in_stack(walk, at) && thread_word(walk->thread, at, fp);
}

static void note_fp(struct walk *walk)
{
	if (walk->words && walk->fp_at)
		key_words_add(walk->words, walk->fp_at, walk->now.fp);
	walk->fp_at = 0;
}

static bool read_stack(const void *user, uintptr_t at, uintptr_t *word)
{
	return stack_word(user, at, word);
}

/* ---- frames that are found ---- */

static bool end(struct walk *walk, enum walk_end why)
{
	walk->end = why;
	return false;
}

static void mix(struct walk *walk, uint64_t word)
{
	walk->key = (walk->key ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	walk->key ^= walk->key >> 29;
}

static bool push(
	struct walk *walk, enum frame_kind kind, uint64_t what, int32_t bci, unsigned level)
{
	if (walk->count == walk->room)
		return end(walk, WALK_CUT);
	if (walk->keyed) {
		walk->count++;
		mix(walk, what << 8 | kind);
		return true;
	}
	walk->frame[walk->count++] = (struct stack_frame){
		.what = what, .bci = bci, .kind = (uint8_t)kind, .level = (uint8_t)level};
	return true;
}

/* The frame outwards: its stack begins there, and what called is at pc. */
static bool go_out(struct walk *walk, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	if (sp % WORD != 0 || sp < walk->now.sp || sp > walk->thread->stack_base)
		return end(walk, WALK_BOUNDS);
	walk->now.pc = pc;
	walk->now.sp = sp;
	walk->now.fp = fp;
	walk->low = sp;
	walk->innermost = false;
	return true;
}

/* ---- return addresses ---- */

/* Code that freezes and thaws the frames of virtual threads. */
static bool is_of_continuations(const struct code *code)
{
	return strstr(code->name, "cont");
}

/* True if Java code, or what it calls, may return there: behind a call, or to where a method that was
 * compiled is made interpreted again. */
static bool is_return(const struct walk *walk, uintptr_t pc)
{
	struct code code;

	if (!code_has(pc) || !code_find(pc, &code) || pc < code.begin + sizeof(uint64_t))
		return false;
	switch (code.kind) {
	case CODE_COMPILED:
		return is_behind_call(pc) || code_is_deopt(&code, pc);
	case CODE_NATIVE:
	case CODE_INTERPRETER:
	case CODE_RUNTIME:
		return true;
	case CODE_STUB:
	case CODE_OTHER:
		return pc == *walk->vm->call_stub_return || is_of_continuations(&code);
	default:
		return false;
	}
}

/* True if the frame that begins there can be the caller's: that of compiled code has a return address at its end. */
static bool is_frame(const struct walk *walk, uintptr_t pc, uintptr_t sp)
{
	struct code code;
	uintptr_t outer;

	if (!code_has(pc) || !code_find(pc, &code) || code.kind != CODE_COMPILED ||
		code.frame_words < 2)
		return true;
	sp += (code.frame_words + words_pushed(pc) - 1) * WORD;
	return stack_word(walk, sp, &outer) && is_return(walk, outer);
}

/* Out of an innermost frame of which a part is built. False: there is no return address. */
static bool try_part(struct walk *walk, struct frame_part part)
{
	uintptr_t sp = walk->now.sp + part.words * WORD, pc = walk->now.link, fp = walk->now.fp;

	if (!part.linked && (part.words == 0 || !stack_word(walk, sp - WORD, &pc)))
		return false;
	if (!part.linked && part.words >= 2 && !stack_word(walk, sp - 2 * WORD, &fp))
		return false;
	return is_return(walk, pc) && is_frame(walk, pc, sp) && go_out(walk, pc, sp, fp);
}

/* Out of a frame by its frame pointer, if it has one of its own. */
static bool try_frame_pointer(struct walk *walk)
{
	uintptr_t fp = walk->now.fp, caller, pc;

	return fp >= walk->now.sp && stack_word(walk, fp + FRAME_RETURN * WORD, &pc) &&
	       stack_word(walk, fp + FRAME_LINK * WORD, &caller) && is_return(walk, pc) &&
	       go_out(walk, pc, fp + 2 * WORD, caller);
}

/* ---- one frame each ---- */

/* True if the frame pointer is that of an interpreted frame which is whole. */
static bool has_interpreted_frame(const struct walk *walk)
{
	uintptr_t fp = walk->now.fp, sp = walk->now.sp;

	return in_stack(walk, fp) && in_stack(walk, fp + WORD) &&
	       sp <= fp + (uintptr_t)(INTERPRETED_BYTECODE * WORD) &&
	       fp - sp < INTERPRETED_WORDS * WORD + (uintptr_t)(-INTERPRETED_BYTECODE * WORD);
}

/* Where in the method the address is, or -1. */
static int32_t bci_of(const struct walk *walk, uint32_t method, uintptr_t bytecode)
{
	uintptr_t begin = seen_method_code(walk->walker->seen, method);

	if (bytecode - begin < seen_method_code_size(walk->walker->seen, method))
		return (int32_t)(bytecode - begin);
	return -1;
}

static bool push_interpreted(struct walk *walk, uint32_t method, int32_t bci)
{
	/* A method without bytecodes is native, and was called from the interpreter. */
	bool native = seen_method_code_size(walk->walker->seen, method) == 0;

	return push(walk, native ? FRAME_JAVA_NATIVE : FRAME_INTERPRETED, method, bci, 0);
}

/* A method is being entered from Java, and has no frame yet: the Method is in a register. */
static bool walk_interpreter_entry(struct walk *walk)
{
	uint32_t method = seen_method(walk->walker->seen, walk->now.method);
	uintptr_t at, of, pc, fp, sp = walk->now.caller_sp;

	if (!walk->innermost || method == 0)
		return end(walk, WALK_METHOD);
	if (!push_interpreted(walk, method, -1))
		return false;
	if (!in_stack(walk, sp))
		sp = 0;
	if (sp && stack_word(walk, walk->now.sp, &pc) && is_return(walk, pc))
		return go_out(walk, pc, sp, walk->now.fp);
	/* The frame pointer is pushed, or is new, or the return address waits in a register. */
	if (sp && stack_word(walk, walk->now.sp + WORD, &pc) && is_return(walk, pc) &&
		stack_word(walk, walk->now.sp, &fp))
		return go_out(walk, pc, sp, fp);
	at = walk->now.fp;
	if (at - walk->now.sp < ENTRY_WORDS * WORD && stack_word(walk, at + WORD, &pc) &&
		is_return(walk, pc) && stack_word(walk, at, &fp)) {
		if (stack_word(walk, at + (uintptr_t)(INTERPRETED_CALLER_SP * WORD), &of) &&
			of > at && in_stack(walk, of))
			sp = of;
		return go_out(walk, pc, sp ? sp : at + 2 * WORD, fp);
	}
	if (sp && walk->now.popped && is_return(walk, walk->now.popped))
		return go_out(walk, walk->now.popped, sp, walk->now.fp);
	return try_part(walk, (struct frame_part){0, true}) || end(walk, WALK_RETURN);
}

/* True if the thread makes interpreted frames anew. */
static bool is_unpacking(const struct walk *walk)
{
	uintptr_t frames;

	return walk->thread->java && walk->vm->thread_unpacking != VM_NONE &&
	       thread_word(walk->thread, walk->thread->java + walk->vm->thread_unpacking,
		       &frames) &&
	       frames;
}

/* A word of the interpreted frame that the frame pointer is of. */
static bool frame_word(const struct walk *walk, int at, uintptr_t *word)
{
	return stack_word(walk, walk->now.fp + (uintptr_t)(at * WORD), word);
}

static bool walk_interpreted(struct walk *walk)
{
	uintptr_t pc, sp, fp, word;
	uint32_t method = 0;
	int32_t bci;

	if (is_unpacking(walk))
		return end(walk, WALK_DEOPT);
	if (has_interpreted_frame(walk) && frame_word(walk, INTERPRETED_METHOD, &word))
		method = seen_method(walk->walker->seen, word);
	if (method == 0)
		return walk_interpreter_entry(walk);
	if (walk->words)
		key_words_add_method(walk->words, word, method);
	/* While it interprets, the place is in a register; the frame has it during calls. */
	bci = walk->innermost ? bci_of(walk, method, walk->now.bytecode) : -1;
	if (bci < 0 && !walk->keyed && frame_word(walk, INTERPRETED_BYTECODE, &word))
		bci = bci_of(walk, method, word);
	if (!push_interpreted(walk, method, bci))
		return false;
	if (!frame_word(walk, FRAME_RETURN, &pc) ||
		!saved_fp(walk, walk->now.fp + (uintptr_t)(FRAME_LINK * WORD), &fp))
		return end(walk, WALK_BOUNDS);
	if (!frame_word(walk, INTERPRETED_CALLER_SP, &sp) || sp < walk->now.fp ||
		!in_stack(walk, sp))
		sp = walk->now.fp + 2 * WORD;
	return go_out(walk, pc, sp, fp);
}

static bool read_native(struct walk *walk, const struct code *code)
{
	uint32_t method = seen_method(walk->walker->seen, code_method(code));

	if (method == 0)
		return end(walk, WALK_METHOD);
	return push(walk, FRAME_JAVA_NATIVE, method, -1, 0);
}

/* The method at the address, and those that it is inlined into, as the JVM's tables tell. */
static bool read_compiled(struct walk *walk, const struct code *code, uintptr_t pc)
{
	unsigned level = code_level(code);
	struct code_scope scope;
	bool known = code_scope_at(code, pc, !walk->innermost, &scope) ||
		     code_scope_at(code, pc, false, &scope);
	uint32_t method;

	for (int i = 0; known && i < INLINED_MAX; i++) {
		method = seen_method(walk->walker->seen, scope.method);
		if (method == 0 || !push(walk, scope.outer ? FRAME_INLINED : FRAME_COMPILED,
					   method, scope.bci, level))
			return end(walk, method ? WALK_CUT : WALK_METHOD);
		if (scope.outer == 0)
			return true;
		known = code_scope_outer(code, &scope);
	}
	method = seen_method(walk->walker->seen, code_method(code));
	if (method == 0)
		return end(walk, WALK_METHOD);
	return push(walk, FRAME_COMPILED, method, -1, level);
}

/* The wrapper of a native method, or a compiled one with those inlined there. */
static bool push_compiled(struct walk *walk, const struct code *code, uintptr_t pc)
{
	const struct known_place place = {pc, code_number(code), !walk->innermost};
	unsigned before = walk->count, known;

	/* It stands for its methods, and those inlined there. */
	if (walk->keyed && place.code > 0) {
		/* Other code may come to lie there. */
		if (walk->words)
			key_words_add_code(walk->words, code_number_at(code), place.code);
		mix(walk, pc);
		return push(walk, FRAME_COMPILED, place.code, -1, 0);
	}
	if (walk->words)
		key_words_spoil(walk->words);
	known = walk->keyed ? 0
			    : known_places_find(walk->walker->known, place,
				      walk->frame + before, walk->room - before);
	walk->count += known;
	if (known > 0)
		return true;
	if (code->kind == CODE_NATIVE ? !read_native(walk, code)
				      : !read_compiled(walk, code, pc))
		return false;
	if (place.code > 0 && !walk->keyed)
		known_places_add(
			walk->walker->known, place, walk->frame + before, walk->count - before);
	return true;
}

/* Some intrinsics in the middle of compiled code put words on the stack: the frame is farther up. */
static bool try_shifted(struct walk *walk, uint32_t words)
{
	for (uint32_t shift = 1; words >= 2 && shift <= SHIFT_WORDS; shift++)
		if (try_part(walk, (struct frame_part){words + shift, false}))
			return true;
	return false;
}

/* Out of compiled code. words: of its whole frame. */
static bool leave_compiled(struct walk *walk, const struct code *code)
{
	uint32_t words = code->frame_words;
	uintptr_t sp, pc, fp;

	if (walk->innermost) {
		bool built = walk->now.pc >= code->begin + code->frame_complete;
		uintptr_t entry = code->kind == CODE_RUNTIME ? code->begin : code_entry(code);

		if (walk->now.pc < entry)
			entry = walk->now.pc;
		/* As the instructions say; else whatever has a return address. */
		return try_part(walk, frame_built(entry, walk->now.pc, words, built)) ||
		       try_part(walk, (struct frame_part){words, false}) ||
		       try_part(walk, (struct frame_part){1, false}) ||
		       try_part(walk, (struct frame_part){2, false}) ||
		       try_part(walk, (struct frame_part){0, true}) ||
		       try_shifted(walk, words) || end(walk, WALK_RETURN);
	}
	sp = walk->now.sp + (words + words_pushed(walk->now.pc)) * WORD;
	if (words < 2 || !stack_word(walk, sp - WORD, &pc) ||
		!saved_fp(walk, sp - 2 * WORD, &fp))
		return end(walk, WALK_BOUNDS);
	return go_out(walk, pc, sp, fp);
}

/* Behind a method's code are pieces that it calls itself: one that pushes its address, for the method to be
 * interpreted again, and those that jump on to methods which are interpreted. */
static void leave_piece(struct walk *walk, const struct code *code)
{
	uintptr_t pc, target, after = walk->now.pc;

	if (!stack_word(walk, walk->now.sp, &pc) || pc < code->begin + sizeof(uint64_t) ||
		pc >= code->end)
		return;
	target = call_target(pc);
	if (target < code->begin + code->frame_complete || target > after ||
		after - target > PIECE_BYTES) {
		if (pc > after || after - pc > PIECE_BYTES)
			return;
		while (pc > after - PIECE_BYTES && !code_is_deopt(code, pc))
			pc--;
		if (!code_is_deopt(code, pc))
			return;
	}
	walk->now.pc = pc;
	walk->now.sp += WORD;
	walk->innermost = false;
}

static bool walk_compiled(struct walk *walk, const struct code *code)
{
	uintptr_t pc, place;

	if (walk->innermost)
		leave_piece(walk, code);
	pc = walk->now.pc;
	place = walk->innermost ? 0 : code_original_place(code, pc, walk->now.sp);
	if (place && !stack_word(walk, place, &pc))
		return end(walk, WALK_BOUNDS);
	return push_compiled(walk, code, pc) && leave_compiled(walk, code);
}

/* The wrapper of a native method. Virtual threads' frames end at one. */
static bool walk_native_wrapper(struct walk *walk, const struct code *code)
{
	if (walk->vm->continuation_return && walk->now.pc == *walk->vm->continuation_return)
		return end(walk, WALK_VIRTUAL);
	return push_compiled(walk, code, walk->now.pc) && leave_compiled(walk, code);
}

/* Where a thread left Java. */
struct anchor {
	uintptr_t sp, pc, fp;
};

/* The anchor leads on. False: it leads nowhere. */
static bool follow_anchor(struct walk *walk, struct anchor anchor)
{
	if (anchor.sp == 0 || !in_stack(walk, anchor.sp))
		return false;
	/* Not all ways out of Java leave the address: it is below the top then. */
	if (anchor.pc == 0 && !stack_word(walk, anchor.sp - WORD, &anchor.pc))
		return false;
	return go_out(walk, anchor.pc, anchor.sp, anchor.fp);
}

/* The thread's own. False: it cannot be read. */
static bool read_anchor(
	const struct vm_layout *vm, const struct walk_thread *thread, struct anchor *anchor)
{
	uintptr_t at = thread->java + vm->thread_anchor;

	return thread_word(thread, at + vm->anchor_sp, &anchor->sp) &&
	       thread_word(thread, at + vm->anchor_pc, &anchor->pc) &&
	       thread_word(thread, at + vm->anchor_fp, &anchor->fp);
}

static bool follow_thread(struct walk *walk)
{
	struct anchor anchor;

	return read_anchor(walk->vm, walk->thread, &anchor) && follow_anchor(walk, anchor);
}

/* Java code was called by native code here: it goes on where that was called by Java. */
static bool walk_entry(struct walk *walk)
{
	const struct vm_layout *vm = walk->vm;
	struct anchor anchor;
	uintptr_t at;

	if (!stack_word(walk, walk->now.fp + (uintptr_t)(vm->entry_frame_wrapper * WORD), &at))
		return end(walk, WALK_BOUNDS);
	at += vm->call_wrapper_anchor;
	if (!stack_word(walk, at + vm->anchor_sp, &anchor.sp) ||
		!stack_word(walk, at + vm->anchor_pc, &anchor.pc) ||
		!stack_word(walk, at + vm->anchor_fp, &anchor.fp))
		return end(walk, WALK_BOUNDS);
	/* It is farther out: a walk of stale words must not go in circles. */
	return (anchor.sp > walk->now.sp && follow_anchor(walk, anchor)) ||
	       end(walk, WALK_WHOLE);
}

/* True if it is where the frames of a virtual thread, or those of it that are on the stack, end. */
static bool is_continuation(const struct walk *walk, const struct code *code, uintptr_t pc)
{
	if (walk->vm->continuation_return && pc == *walk->vm->continuation_return)
		return true;
	return is_of_continuations(code);
}

/* A frame of the virtual thread's that waits in the heap. *words: of it; 0: it is interpreted. */
static bool push_frozen(struct walk *walk, const struct frozen *frozen, uint32_t *words)
{
	struct code code;
	uint32_t method;
	uintptr_t word;

	*words = 0;
	if (!code_has(frozen->pc) || !code_find(frozen->pc, &code))
		return end(walk, frozen->pc ? WALK_FROZEN : WALK_VIRTUAL);
	if (is_continuation(walk, &code, frozen->pc))
		return end(walk, WALK_VIRTUAL);
	if (code.kind == CODE_COMPILED) {
		*words = code.frame_words;
		return push_compiled(walk, &code, frozen->pc);
	}
	if (code.kind == CODE_RUNTIME || code.kind == CODE_STUB) {
		*words = code.frame_words;
		return *words > 0 || end(walk, WALK_FROZEN);
	}
	if (code.kind != CODE_INTERPRETER || !frozen_word(frozen, INTERPRETED_METHOD, &word))
		return end(walk, WALK_FROZEN);
	method = seen_method(walk->walker->seen, word);
	if (method == 0 || !frozen_word(frozen, INTERPRETED_BYTECODE, &word))
		return end(walk, WALK_FROZEN);
	return push_interpreted(walk, method, bci_of(walk, method, word));
}

/* The rest of a virtual thread's frames. */
static bool walk_frozen(struct walk *walk)
{
	unsigned before = walk->count;
	struct frozen frozen;
	uint32_t words = 0;
	bool on = frozen_begin(&frozen, walk->thread->java);

	if (walk->words)
		key_words_spoil(walk->words);
	if (!on)
		return end(walk, WALK_FROZEN);
	walk->innermost = false;
	walk->end = WALK_VIRTUAL;
	for (int i = 0; on && i < FROZEN_MAX; i++)
		on = push_frozen(walk, &frozen, &words) && frozen_next(&frozen, words);
	if (frozen_holds(&frozen, walk->thread->java))
		return false;
	walk->count = before;
	return end(walk, WALK_FROZEN);
}

/* True if Java code returns there from a stub: it is behind a call of one, or what stands for that where a
 * method is to be interpreted again. */
static bool is_stub_return(const struct walk *walk, uintptr_t pc)
{
	uintptr_t target = is_return(walk, pc) ? call_target(pc) : 0;
	struct code called;

	if (code_has(pc) && code_find(pc, &called) && called.kind == CODE_COMPILED &&
		code_is_deopt(&called, pc))
		return true;
	return target && code_has(target) && code_find(target, &called) &&
	       (called.kind == CODE_STUB || called.kind == CODE_RUNTIME ||
		       called.kind == CODE_OTHER);
}

/* Out of a stub, whose return address is at that place. */
static bool leave_stub(struct walk *walk, uintptr_t at)
{
	uintptr_t pc, fp = walk->now.fp;

	/* It has made a frame, or is about to. */
	if (fp == at - WORD || at == walk->now.sp + WORD)
		stack_word(walk, at - WORD, &fp);
	return stack_word(walk, at, &pc) && is_frame(walk, pc, at + WORD) &&
	       go_out(walk, pc, at + WORD, fp);
}

static bool is_in_compiled(uintptr_t pc)
{
	struct code code;

	return code_has(pc) && code_find(pc, &code) && code.kind == CODE_COMPILED &&
	       pc >= code.begin;
}

/* Out of C1's stubs that look for an exception's handler: the return address may be where it was thrown, or where it will be
 * handled, behind no call. So nothing but its place tells which word it is. */
static bool leave_thrower(struct walk *walk, const struct code *code)
{
	struct frame_part part;
	uintptr_t at, pc;

	if (stub_has_frame(code->begin, walk->now.pc, &part))
		at = walk->now.fp + WORD;
	else if (part.linked)
		return is_in_compiled(walk->now.link) &&
		       go_out(walk, walk->now.link, walk->now.sp + part.words * WORD,
			       walk->now.fp);
	else
		at = walk->now.sp + (part.words - 1) * WORD;
	return at - walk->now.sp < STUB_WORDS * WORD && stack_word(walk, at, &pc) &&
	       is_in_compiled(pc) && leave_stub(walk, at);
}

/* The nearest word of the stub's that is a return address. */
static bool try_nearest(
	struct walk *walk, bool (*fits)(const struct walk *walk, uintptr_t pc), uint32_t words)
{
	uintptr_t at = walk->now.sp, pc;

	for (; words-- > 0 && stack_word(walk, at, &pc); at += WORD)
		if (fits(walk, pc))
			return leave_stub(walk, at);
	return false;
}

/* True if the stub has the frame that the JVM says it has: those of C1's begin otherwise, and one of them
 * is jumped to when the frame that it was called from is gone. */
static bool has_known_frame(const struct walk *walk, const struct code *code)
{
	if (code->kind != CODE_RUNTIME || code->frame_words < 2)
		return false;
	return walk->innermost ? code->frame_complete < STUB_PROLOGUE
			       : !strstr(code->name, "unwind_exception");
}

/* Out of a stub, which may have saved who knows what. In its own frame may be stale words, but hardly those
 * that are behind a call of a stub. */
static bool try_stub(struct walk *walk, const struct code *code)
{
	uintptr_t fp = walk->now.fp, sp = walk->now.sp, pc = 0;

	if (walk->innermost && returns_now(walk->now.pc) && stack_word(walk, sp, &pc) &&
		code_has(pc))
		return leave_stub(walk, sp);
	if (fp >= sp && fp - sp < STUB_WORDS * WORD) {
		if (stack_word(walk, fp + WORD, &pc) && is_stub_return(walk, pc))
			return leave_stub(walk, fp + WORD);
		/* The barrier at a method's entry has a word between. */
		if (pc == UINTPTR_MAX && stack_word(walk, fp + 2 * WORD, &pc) &&
			is_stub_return(walk, pc) && stack_word(walk, fp, &fp))
			return go_out(walk, pc, walk->now.fp + 3 * WORD, fp);
	}
	if (code->frame_words >= 2 &&
		stack_word(walk, sp + (code->frame_words - 1) * WORD, &pc) &&
		is_stub_return(walk, pc))
		return try_part(walk, (struct frame_part){code->frame_words, false});
	/* Exceptions: it was jumped to, as the frame of what was called is gone. */
	return (walk->innermost && try_part(walk, (struct frame_part){0, true})) ||
	       try_nearest(walk, is_return, 2) || try_nearest(walk, is_stub_return, STUB_WORDS);
}

/* The JVM has called a stub, and the thread has no Java code, or has not left it by an anchor. */
static bool try_native_caller(struct walk *walk)
{
	uintptr_t pc;

	return stack_word(walk, walk->now.sp, &pc) && walk->walker->modules &&
	       modules_find(walk->walker->modules, pc - 1) &&
	       go_out(walk, pc, walk->now.sp + WORD, walk->now.fp);
}

/* Out of an adapter, which has no frame, but moves the stack. */
static bool leave_adapter(struct walk *walk, const struct code *code)
{
	struct adapter_part part = adapter_part(walk->now.pc, code->end);
	uintptr_t sp = walk->now.sp + (uintptr_t)(part.words * WORD), pc = walk->now.popped;
	uintptr_t caller_sp = walk->now.caller_sp;

	/* Of its registers nothing is known any more while what it called runs. */
	if (!walk->innermost && (part.state == ADAPTER_MOVES || part.in_register))
		return false;
	if (part.state == ADAPTER_FRAMED)
		return try_frame_pointer(walk);
	if (part.state == ADAPTER_CALLS && walk->innermost)
		sp = caller_sp;
	else if (part.state == ADAPTER_CALLS && !stack_word(walk, sp, &sp))
		return false;
	if (!part.in_register || !is_return(walk, pc)) {
		if (!stack_word(walk, sp, &pc) || !is_return(walk, pc))
			return false;
		sp += WORD;
	}
	/* Interpreted callers have a frame pointer: their arguments may be in that register by now. */
	if (part.state == ADAPTER_MOVES && in_stack(walk, caller_sp) &&
		caller_sp - walk->now.sp < ADAPTED_WORDS * WORD)
		sp = caller_sp;
	return is_frame(walk, pc, sp) && go_out(walk, pc, sp, walk->now.fp);
}

/* Stubs of which the return address is not to be found where they are: those that begin with room for
 * one that is put there later, and those that jump on, having taken it away. */
static bool hides_return(const struct walk *walk, const struct code *code)
{
	return (strcmp(code->name, "SafepointBlob") == 0 && begins_with_room(code->begin)) ||
	       jumps_on(walk->now.pc);
}

/* Stubs that are jumped to for an exception, with a frame less than before, and jump on likewise: what they do at
 * each instruction is not known here. */
static bool takes_frames_away(const struct code *stub)
{
	return strstr(stub->name, "xception") || strstr(stub->name, "ethrow");
}

static bool walk_stub(struct walk *walk, const struct code *code)
{
	uintptr_t pc = walk->now.pc;

	if (!walk->innermost && pc == *walk->vm->call_stub_return)
		return walk_entry(walk);
	/* Where a virtual thread returns to frames that it has to get from the heap. */
	if (is_of_continuations(code))
		return walk->innermost ? end(walk, WALK_CODE) : walk_frozen(walk);
	if (walk->innermost && !push(walk, FRAME_STUB, pc, -1, 0))
		return false;
	if (walk->innermost && code->kind == CODE_RUNTIME && hides_return(walk, code))
		return end(walk, WALK_RETURN);
	if (walk->innermost && strstr(code->name, "handle_exception"))
		return leave_thrower(walk, code) || end(walk, WALK_RETURN);
	if (walk->innermost && takes_frames_away(code))
		return end(walk, WALK_RETURN);
	/* It takes away frames, and makes others. */
	if (walk->innermost && (strcmp(code->name, "DeoptimizationBlob") == 0 ||
				       strcmp(code->name, "UncommonTrapBlob") == 0))
		return end(walk, WALK_DEOPT);
	if (has_known_frame(walk, code))
		return leave_compiled(walk, code);
	if (walk->innermost && (code->kind == CODE_STUB || code->kind == CODE_OTHER) &&
		try_native_caller(walk))
		return true;
	if (code->kind == CODE_ADAPTER)
		return leave_adapter(walk, code) || end(walk, WALK_RETURN);
	if (code->kind != CODE_VTABLE && try_stub(walk, code))
		return true;
	if (code->frame_words >= 2 && !walk->innermost)
		return leave_compiled(walk, code);
	if (walk->innermost && (try_part(walk, (struct frame_part){1, false}) ||
				       try_part(walk, (struct frame_part){0, true})))
		return true;
	if (walk->innermost && code->frame_words >= 2 &&
		try_part(walk, (struct frame_part){code->frame_words, false}))
		return true;
	return try_frame_pointer(walk) || end(walk, WALK_CODE);
}

static bool walk_generated(struct walk *walk)
{
	struct code code;

	if (!code_find(walk->now.pc, &code))
		return end(walk, WALK_CODE);
	/* What it left Java by is surer than what the registers tell of a frame on its way. The JVM itself
	 * calls stubs, too. */
	if (walk->innermost && !walk->anchored) {
		walk->anchored = true;
		if (code.kind == CODE_STUB && !push(walk, FRAME_STUB, walk->now.pc, -1, 0))
			return false;
		if (follow_thread(walk))
			return true;
		walk->count -= code.kind == CODE_STUB;
	}
	walk->anchored = true;
	if (code.kind != CODE_COMPILED && code.kind != CODE_NATIVE)
		note_fp(walk);
	switch (code.kind) {
	case CODE_INTERPRETER:
		return walk_interpreted(walk);
	case CODE_COMPILED:
		return walk_compiled(walk, &code);
	case CODE_NATIVE:
		return walk_native_wrapper(walk, &code);
	default:
		return walk_stub(walk, &code);
	}
}

/* Native code, up to Java's or the anchor. */
static bool walk_native(struct walk *walk)
{
	const struct unwind_memory stack = {read_stack, walk};
	bool complete;
	struct native_frame frame = {
		walk->now.pc, walk->now.sp, walk->now.fp, walk->now.link, false, walk->loaded};
	uintptr_t anchor = walk->anchored ? 0 : walk->thread->java + walk->vm->thread_anchor;
	uintptr_t java_sp = 0;

	note_fp(walk);
	if (anchor && !thread_word(walk->thread, anchor + walk->vm->anchor_sp, &java_sp))
		anchor = java_sp = 0;
	if (!push(walk, FRAME_NATIVE, frame.pc, -1, 0))
		return false;
	if (unwind_step(walk->walker->modules, &stack, &frame, walk->innermost) &&
		frame.sp > walk->now.sp && (java_sp == 0 || frame.sp < java_sp)) {
		bool java = code_has(frame.pc);

		walk->loaded = frame.loaded;
		if (!java || java_sp == 0)
			return go_out(walk, frame.pc, frame.sp, frame.fp);
	}
	walk->anchored = true;
	if (anchor && follow_thread(walk))
		return true;
	complete = frame.pc == 0 || !walk->thread->java;
	return end(walk, complete ? WALK_WHOLE : WALK_NO_JAVA);
}

/* ---- stacks ---- */

static unsigned walk_on(struct walk *walk, enum walk_end *why)
{
	bool on = true;

	while (on)
		on = code_has(walk->now.pc) ? walk_generated(walk) : walk_native(walk);
	*why = walk->end;
	return walk->count;
}

unsigned walk_stack(const struct walker *walker, const struct walk_thread *thread,
	const struct machine *from, struct stack_frame *frame, unsigned room,
	enum walk_end *why)
{
	struct walk walk = {.walker = walker,
		.vm = walker->vm,
		.thread = thread,
		.now = *from,
		.innermost = true,
		.anchored = thread->java == 0,
		.low = from->sp,
		.frame = frame,
		.room = room};

	return walk_on(&walk, why);
}

unsigned walk_java(const struct walker *walker, const struct walk_thread *thread, uintptr_t low,
	struct stack_frame *frame, unsigned room, enum walk_end *why)
{
	struct walk walk = {.walker = walker,
		.vm = walker->vm,
		.thread = thread,
		.anchored = true,
		.low = low - low % WORD,
		.frame = frame,
		.room = room};

	walk.now.sp = walk.low;
	*why = WALK_WHOLE;
	if (!follow_thread(&walk))
		return 0;
	return walk_on(&walk, why);
}

bool walk_about(
	const struct vm_layout *vm, const struct walk_thread *thread, struct known_key *about)
{
	struct anchor anchor;

	if (!read_anchor(vm, thread, &anchor))
		return false;
	*about = (struct known_key){.java = thread->java,
		.stack_base = thread->stack_base,
		.sp = anchor.sp,
		.pc = anchor.pc,
		.fp = anchor.fp};
	return true;
}

uint64_t walk_key(const struct walker *walker, const struct walk_thread *thread, uintptr_t low,
	const struct known_key *about, uint64_t *note)
{
	/* What is read with care is not compared without. */
	struct known_keys *keys = thread->guarded ? NULL : walker->keys;
	struct walk walk = {.walker = walker,
		.vm = walker->vm,
		.thread = thread,
		.anchored = true,
		.low = low - low % WORD,
		.room = KEY_FRAMES,
		.keyed = true,
		.key = about->seed};
	enum walk_end end = WALK_CUT;
	struct key_words words;
	uint64_t key;

	key = known_keys_find(keys, about, walker->seen, note);
	if (key)
		return key;
	walk.now.sp = walk.low;
	key_words_begin(&words, about);
	if (keys)
		walk.words = &words;
	if (follow_anchor(&walk, (struct anchor){about->sp, about->pc, about->fp}))
		walk_on(&walk, &end);
	key = end == WALK_WHOLE || end == WALK_VIRTUAL ? walk.key : 0;
	known_keys_put(keys, about, &words, key);
	return key;
}
