/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * rewrite: puts probes into the methods of a class file. Bytes in, bytes out, no JVM.
 *
 *   before                      after
 *   0: first instruction        0: push id; invokestatic enter(I)V
 *      ...                      6: first instruction                \
 *   C: a handler's first        C: push id; invokestatic caught(I)V | under the handlers below
 *                                  a handler's first                |
 *      ireturn                     ...                              /
 *                                  push id; invokestatic exit(I)V   not under any handler
 *                                  ireturn                          under the method's own only
 *                               H: push id; invokestatic unwind(I)V; athrow
 *
 * The handlers are the last rows of the exception table, catch everything, and lie behind the
 * code. H needs no locals: its frame is (no locals, one Throwable). In a constructor of a class
 * file that has frames (from version 50 on), the code before the call of super or this has a
 * handler of its own, whose frame holds the uninitialised `this` in local 0: a class that
 * returned from it would not verify, one that throws does. The call itself is under neither, as
 * no frame would do for both sides of it (constructor.h): what it throws leaves the constructor
 * without a probe. The next `caught`, or `unwind`, of a method further out ends such calls.
 *
 * A method that keeps its call sites apart has `reach(site)` in front of calls, too: call_lines.h.
 *
 * A method with *readings* hands values to probes, too: at the entry, behind the calls there, arguments and `this`, at each
 * return, in front of the exit probe, the result:
 *
 *   push id; enter(I)V; load argument; widen; push number; invokestatic value(Ljava/lang/Object;I)V or (JI)V or (DI)V
 *   dup or dup2; widen; push number; invokestatic result(Ljava/lang/Object;I)V...; push id; exit(I)V; ireturn
 *
 * There they are under the handler of `unwind`, as the method is entered and not yet left, and never under the method's own.
 *
 * A probe at the entry alone is one call more there, behind `enter` if the method has that, too;
 * a method that has no other probe is as it was behind it, with no handlers.
 *
 * An exit probe is under no handler at all, the method's own are split around it: what arrives
 * there (an asynchronous exception, after the exit was recorded) leaves the method. A caught
 * probe is not under the handler that it belongs to, and a handler that gives back a monitor at
 * once has none: either way the JVM's compilers would refuse the method.
 *
 * In:   class files of version 45 to 69 (Java 25). Nothing in them is trusted.
 * Out:  a class file with the same constants in the same places (new ones behind them), or
 *       nothing, with the reason: never a class that is broken.
 * Runs: on any thread, many at once; no state of its own.
 */
#ifndef JPROF_REWRITE_H
#define JPROF_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a class, or one method of it, stays as it is. */
#define REWRITE_REASONS(X)                                                                     \
	X(REWRITE_OK, "rewritten, or nothing was to be done")                                  \
	X(REWRITE_MALFORMED, "not a well-formed class file")                                   \
	X(REWRITE_VERSION, "class file version not known")                                     \
	X(REWRITE_POOL, "the constant pool is full")                                           \
	X(REWRITE_CODE, "the code would be longer than 65,535 bytes")                          \
	X(REWRITE_BRANCH, "a branch would be longer than 32,767 bytes")                        \
	X(REWRITE_TABLE, "the exception table would be too long")                              \
	X(REWRITE_STACK, "the operand stack would be too deep")                                \
	X(REWRITE_CONSTRUCTOR, "where it calls super or this could not be found out")          \
	X(REWRITE_NO_ARGUMENT, "it has no such argument")                                      \
	X(REWRITE_NO_THIS, "a static method has no 'this'")                                    \
	X(REWRITE_NO_RESULT, "it returns nothing")                                             \
	X(REWRITE_UNINITIALIZED, "'this' is not initialized where a constructor begins")       \
	X(REWRITE_READINGS, "more than 8 values are to be read in it")                         \
	X(REWRITE_NATIVE, "a native method has no code to read values in")                     \
	X(REWRITE_MEMORY, "no memory")

enum rewrite_reason {
#define X(name, text) name,
	REWRITE_REASONS(X)
#undef X
};

/* A method as the class file has it; strings in modified UTF-8, borrowed for the call. */
struct rewrite_method {
	const char *class_name; /* internal form, "com/acme/Foo" */
	const char *name, *descriptor;
	uint16_t access;     /* JVM specification, table 4.6-A */
	bool intrinsic;      /* carries jdk.internal.vm.annotation.IntrinsicCandidate (or its
	                  * name until Java 15, HotSpotIntrinsicCandidate) */
	const uint8_t *code; /* its instructions; NULL: it has none */
	uint32_t code_size;  /* bytes */
	const struct argument_names
		*arguments; /* for rewrite_argument_place; NULL: the file tells nothing */
};

/* The place of the argument with that name, from 0 and without `this`, by the method's MethodParameters, or else by its
 * LocalVariableTable (4.7.24, 4.7.13). -1: it has none, or the class file does not tell the names. While the method is
 * borrowed. */
int rewrite_argument_place(const struct rewrite_method *method, const char *name);

/* Where the type of the argument at that place, from 0 and without `this`, begins in a method's descriptor. NULL: it has none, or
 * the descriptor is malformed. */
const char *rewrite_argument_type(const char *descriptor, uint32_t place);

/* What its code looks like, from afar. */
struct rewrite_outline {
	uint32_t instructions;
	bool loops; /* jumps back */
	bool calls; /* methods, or takes a lock */
};
struct rewrite_outline rewrite_outline(const struct rewrite_method *method);

/* The kinds of probes, of which a method may have several: a bit, and the static method that is called
 * at the entry; in the order of these calls. */
#define PROBE_TABLE(X)                                                                         \
	X(PROBE_WATCHED, 8, "watched") /* of timed ones: in the place of enter */              \
	X(PROBE_TIMED, 1, "enter")     /* and exit, unwind, caught */                          \
	X(PROBE_ENTRY, 2, "entered")   /* nothing else */                                      \
	X(PROBE_COUNTED, 4, "count")   /* nothing else */

enum probe_kind {
#define X(kind, bit, entry) kind = (bit),
	PROBE_TABLE(X)
#undef X
};

/* A set of them. */
typedef uint8_t probe_set;
#define PROBE_NONE  ((probe_set)0)
#define PROBE_CALLS ((probe_set)(PROBE_TIMED | PROBE_COUNTED)) /* of each call */

/* What of a call is handed to a probe: an argument by its place, from 0 and without `this`, or one of these. */
enum { READING_THIS = -1, READING_RESULT = -2 };

struct rewrite_reading {
	int where;
	uint32_t
		number; /* what the probe is told beside the value; above 32,767 it costs a constant */
};

enum { READINGS_MAX = 8 }; /* of a method */

struct rewrite_probes {
	probe_set kinds;     /* PROBE_NONE: the method is copied as it is */
	probe_set otherwise; /* where there is no room for those; the same */
	uint32_t id;         /* what the probes pass; above 32,767 it costs a constant */
	bool sites; /* timed ones: lines with calls are told, if there is room for that */
	const struct rewrite_reading *reading; /* borrowed until the next method, or the end */
	unsigned readings;
};

struct rewrite_request {
	/* Called for each method, in the file's order. Native and abstract ones, which have no code, get none. */
	struct rewrite_probes (*probes)(void *user, const struct rewrite_method *method);
	/* A method that was to have probes stays as it is; the class is rewritten all the
	 * same. */
	void (*untouched)(
		void *user, const struct rewrite_method *method, enum rewrite_reason why);
	/* A reading of a method is left out; an abstract method's is without a word. NULL: nothing is told. */
	void (*unread)(void *user, const struct rewrite_method *method,
		const struct rewrite_reading *reading, enum rewrite_reason why);
	void *user;
	/* Internal name of the class whose static methods are called: with (I)V those of PROBE_TABLE, and exit, unwind, caught
	 * and reach; with a value and a number, value and result. */
	const char *probe;
	/* The number of the line of a method that has this id, for the probe that tells it; 0: it is not to be told. NULL where
	 * no method keeps call sites apart. */
	uint32_t (*site)(void *user, uint32_t id, uint16_t line);
};

struct rewrite_result {
	uint8_t *bytes; /* owned (free); NULL: the class is to stay as it is */
	size_t size;
	unsigned methods; /* that got probes */
	/* That keep call sites apart; that were to, and do not or not for all calls: no lines are known, or there was no room. */
	unsigned sited, sites_left;
	unsigned read; /* that have readings */
};

/* Anything but REWRITE_OK: result->bytes is NULL. REWRITE_OK with bytes NULL: no method was
 * asked for, or none could be done. */
enum rewrite_reason rewrite_class(const uint8_t *bytes, size_t size,
	const struct rewrite_request *request, struct rewrite_result *result);

/* What is there in a method's code is the handler of a probe: how many bytes, the last of which throws again what it has
 * caught; 0: it is not. */
uint32_t rewrite_handler_size(const uint8_t *code, size_t size);

/* Calls each with the internal name, a copy for the call, of the class's super class and of each of its interfaces. Nothing of a class
 * file that is not well-formed. */
void rewrite_class_above(const uint8_t *bytes, size_t size,
	void (*each)(void *user, const char *name), void *user);

/* The class's own name, in internal form, owned (free). NULL: not well-formed, or no memory. */
char *rewrite_class_name(const uint8_t *bytes, size_t size);

/* The text for users. Static. */
const char *rewrite_reason_text(enum rewrite_reason reason);

#endif
