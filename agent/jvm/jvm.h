/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm: the JVM, as the rest of the agent sees it. A process has one.
 *
 * Every JVMTI function that jprof uses is called in jvm.c alone; its errors become a return
 * value, its memory is given back. Runs: on attached threads, with no lock of jprof held.
 */
#ifndef JPROF_JVM_H
#define JPROF_JVM_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

/* What can be asked for. Method events can be had in the on-load phase only. */
enum jvm_capability {
	JVM_METHOD_EVENTS = 1,    /* method entry and exit */
	JVM_VM_OBJECT_EVENTS = 2, /* objects that the JVM allocates by itself */
	/* the bytes of classes, as they are loaded and afterwards */
	JVM_CLASS_REWRITING = 4,
	JVM_NATIVE_BINDING = 8,    /* native methods, when they get their function */
	JVM_COMPILED_METHODS = 16, /* code, when a method was compiled, and its lines */
	JVM_ALLOCATIONS = 32,      /* an object now and then, as it is allocated */
	JVM_COLLECTIONS = 64,      /* of garbage */
	/* exceptions, as they are thrown: in the on-load phase only, and from then on each one costs more */
	JVM_EXCEPTIONS = 128,
	JVM_BYTECODES = 256, /* the code of methods */
	JVM_MONITORS = 1024, /* contended ones, waits, and who holds one */
	/* for which one a thread waits: as a rule in the on-load phase only */
	JVM_CONTENDED_MONITOR = 2048
};

/* Virtual threads: JDK 21 and later. Older headers lack the number (JVMTI specification,
 * "Virtual Thread End"). */
enum { JVM_VIRTUAL_THREAD_END = 88 };
typedef void(JNICALL *jvm_virtual_thread_end)(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

struct jvm_thread {
	int64_t java_id; /* Thread.threadId(), 0 if it cannot be read */
	char name[256];  /* UTF-8, cut at a character */
	bool is_virtual;
};

struct jvm_method {
	char *class_name;       /* Java name; owned */
	char *name, *signature; /* owned */
	bool is_native, is_static;
	bool is_jdk;  /* defined by the boot or the platform class loader, or by reflection */
	jclass class; /* borrowed; NULL: it is not asked for, or not there yet */
};

struct jvm_class {
	char *name;  /* Java name; owned */
	bool is_jdk; /* as in jvm_method */
};

/* The JVM's release (17, 25), as its tool interface says: 1 for those before 9, 0 if it has
 * none. When the agent is loaded. */
int jvm_release(JavaVM *vm);

/* Opens a JVMTI environment of jprof's own, for good: earlier callbacks may still be under way
 * when the agent is loaded again. */
int jvm_open(JavaVM *vm, struct error *error);

bool jvm_is_open(void);

/* An address in the JVM's own library. */
void *jvm_code(void);

/* The calling thread's environment. NULL: the JVM does not know the thread, or none is open. */
JNIEnv *jvm_env(void);

/* The same; a thread that the JVM does not know becomes a daemon of it, and *attached true:
 * jvm_leave must follow. NULL: the JVM is ending. */
JNIEnv *jvm_enter(bool *attached);
void jvm_leave(bool attached);

/* capabilities: enum jvm_capability, joined by |. */
int jvm_add_capabilities(unsigned capabilities, struct error *error);

/* All that were added. */
void jvm_give_capabilities_back(void);
/* virtual_end: for the event that jvmtiEventCallbacks may have no place for. */
int jvm_set_callbacks(const jvmtiEventCallbacks *callbacks, jvm_virtual_thread_end virtual_end,
	struct error *error);
int jvm_enable(jvmtiEvent event, bool on, struct error *error);

/* So many bytes are allocated between two of those objects, on average. */
int jvm_sample_allocations(uint64_t bytes, struct error *error);

/* Words that go with objects, their tags: of each use in an environment of its own. */
enum jvm_tag_use {
	JVM_TAGS_OBJECTS, /* objects that the trace of them tells */
	JVM_TAGS_VALUES,  /* objects that stand for a value */
	JVM_TAG_USES
};

/* freed: called with the tag of each object that was collected, at that time or later, in any thread; nothing of the JVM may
 * be called in there. NULL: it is not asked for; of one use alone it can be. */
int jvm_tags_open(enum jvm_tag_use use, void (*freed)(int64_t tag), struct error *error);

/* All tags are gone; no other function of tags may be under way. `freed` may be, still. */
void jvm_tags_close(enum jvm_tag_use use);

/* False: no memory. */
bool jvm_tag(enum jvm_tag_use use, jobject object, int64_t tag);

/* 0: it has none. */
int64_t jvm_tag_of(enum jvm_tag_use use, jobject object);

enum { JVM_CLASS_NAME = 1024 }; /* bytes of names that can be compared */

/* The class is that one ("com/acme/Foo"), or extends or implements it, however far above it is. */
bool jvm_class_is_below(JNIEnv *jni, jclass class, const char *internal);

/* Calls each with the names ("com/acme/Foo") of the class, and of what it extends and implements itself. */
void jvm_each_above(
	JNIEnv *jni, jclass class, void (*each)(const char *name, const char *above));

/* A field, or (getter) a method without arguments that returns something. */
struct jvm_member {
	jfieldID field;
	jmethodID method;
	char type; /* as in a descriptor: 'L', '[', 'I'... */
	bool is_static;
};

/* The one of that name (modified UTF-8) that an object of the class has, its own before those of what it extends and implements.
 * False: there is none. */
bool jvm_find_member(
	JNIEnv *jni, jclass class, bool getter, const char *name, struct jvm_member *member);

/* Garbage is collected now. */
void jvm_collect(void);

/* The Java name of a class, "byte[]" of an array; owned (free), or NULL. */
char *jvm_type_name(jclass class);

/* Enables an event that only some JVMs have, or (callback NULL) disables it; false: this one
 * does not have it. Live phase. */
bool jvm_enable_extension(const char *id, jvmtiExtensionEvent callback);

/* The pending exception, NULL: none, is put aside; is pending again. */
static inline jthrowable jvm_exception_aside(JNIEnv *jni)
{
	jthrowable exception = (*jni)->ExceptionOccurred(jni);

	if (exception)
		(*jni)->ExceptionClear(jni);
	return exception;
}

static inline void jvm_exception_back(JNIEnv *jni, jthrowable exception)
{
	if (!exception)
		return;
	(*jni)->Throw(jni, exception);
	(*jni)->DeleteLocalRef(jni, exception);
}

/* Looks up what needs a JVM that can run Java code (the VMInit callback): the platform class
 * loader, the fields that hold a thread's id and its continuation. */
int jvm_learn(JNIEnv *jni, struct error *error);

/* The calling thread, a local reference, or NULL. */
jthread jvm_current_thread(void);

/* Has the JVM tell of virtual threads, for good. False: it has none, or cannot tell of them. */
bool jvm_support_virtual_threads(void);

/* The platform thread that carries the virtual one, a local reference. NULL: there is none, or
 * this JVM does not tell. Not while the calling thread is being mounted or unmounted: it would
 * wait for that. */
jthread jvm_carrier_of(jthread virtual_thread);

/* True if the platform thread is in a continuation, a virtual thread's frames. At any time. */
bool jvm_carries(JNIEnv *jni, jthread carrier);

/* A word of jprof's own that goes with the calling thread; 0 until it is set. */
uint64_t jvm_thread_word(void);
void jvm_set_thread_word(uint64_t word);

/* thread NULL: the calling one. False if it is no longer there. */
bool jvm_describe_thread(JNIEnv *jni, jthread thread, struct jvm_thread *out);

/* All platform threads that live, local references in *threads (owned, free). Their number, or
 * -1. */
int jvm_live_threads(jthread **threads);

/* Thread.threadId() of the thread; 0 if it cannot be read. No exception may be pending. */
int64_t jvm_thread_id(JNIEnv *jni, jthread thread);

/* The calling thread's frames, innermost first. Their number in *frames, an owned array (free);
 * -1: no memory. */
int jvm_stack(jvmtiFrameInfo **frames);

/* True: threads may ask for their stacks while classes are changed again and again. Before JDK 23 a class's list of handles
 * is made anew where a replaced method is on a stack, while other threads may be reading the old one (JDK-8313332). */
bool jvm_stacks_outlast_changes(void);

/* All that is known of a method; ends with jvm_method_fini. False: no memory, or the method is
 * gone. */
bool jvm_describe_method(JNIEnv *jni, jmethodID method, struct jvm_method *out);
void jvm_method_fini(struct jvm_method *method);

/* From that bytecode on it is that line. */
struct jvm_line {
	uint16_t bytecode, line;
};

/* The lines of a method, in the order of its class file, owned (free); *count of them. NULL: it has none, or no
 * memory. It needs JVM_COMPILED_METHODS, and so does jvm_method_file. */
struct jvm_line *jvm_method_lines(jmethodID method, size_t *count);

/* How many bytes of bytecode it has now; 0: none, or it is gone. */
uint64_t jvm_method_size(jmethodID method);

/* Its bytecode from there on, so many bytes at most: how many. It needs JVM_BYTECODES. */
size_t jvm_method_bytes(jmethodID method, uint64_t from, unsigned char *bytes, size_t most);

/* The name of its source file, in UTF-8, owned (free), or NULL. */
char *jvm_method_file(JNIEnv *jni, jmethodID method);

/* Modified UTF-8 (JVM specification 4.4.7) to UTF-8, in place: a pair of surrogates, three
 * bytes each, becomes the four bytes of its character. The other difference, the two-byte zero,
 * cannot occur in a name. */
void jvm_to_utf8(char *text);

/* "com/acme/Foo", in modified UTF-8, as class files have it, to "com.acme.Foo" in UTF-8. Owned
 * (free); NULL without memory. */
char *jvm_class_name(const char *internal);

/* The same of a method's name or descriptor: only the encoding changes. */
char *jvm_method_name(const char *text);

/* True if classes of that loader (NULL: the boot loader) and internal name belong to the
 * JDK. */
bool jvm_is_jdk(JNIEnv *jni, jobject loader, const char *internal);

/* A local frame with room for a reference to every loaded class: as much as HotSpot lets one
 * ask for (MaxJNILocalCapacity); it holds more, too. */
enum { JVM_LOCAL_FRAME = 65536 };

/* In a callback that jprof's own work may have caused: references of the frames below are not
 * this one's. */
void jvm_expect_references(JNIEnv *jni);

/* All loaded classes that can be retransformed, local references in *classes (owned, free).
 * Their number, or -1. Inside a local frame of its own. */
int jvm_changeable_classes(jclass **classes);

/* It has no name that others could find it by: a lambda's, say (JVMTI specification, "GetClassSignature"). */
bool jvm_class_is_hidden(jclass class);

/* The Java name of a class that was unloaded, as the JVM's event has it, "com/acme/Foo+0x7f00"; *hidden: it was. As jvm_type_name
 * has it; owned (free), or NULL. */
char *jvm_unloaded_name(const char *internal, bool *hidden);

/* The class's loader, a local reference; NULL: the boot loader. */
jobject jvm_loader(jclass class);

/* Calls each for every loaded class whose signature ("Lcom/acme/Foo;") is wanted, in a local
 * frame of its own. */
void jvm_each_class(JNIEnv *jni, bool (*wanted)(const char *signature),
	void (*each)(JNIEnv *jni, jclass class));

/* Name (owned) and origin of a class. False without memory. */
bool jvm_describe_class(JNIEnv *jni, jclass class, struct jvm_class *out);

/* Calls each with the name of every method of the class, in modified UTF-8, borrowed. */
void jvm_each_method(jclass class, void (*each)(void *user, const char *name), void *user);

/* Calls each for every native method of the class. */
void jvm_each_native(JNIEnv *jni, jclass class,
	void (*each)(JNIEnv *jni, jclass class, jmethodID method,
		const struct jvm_method *description));

/* The class that declares the method, a local reference, or NULL if it is gone. */
jclass jvm_method_class(jmethodID method);

/* A number that stays the same as long as the class is there; others may have it too. */
int32_t jvm_hash(jobject object);

/* Who holds the monitor of the object, a local reference; NULL: nobody, or it cannot be told. The JVM stops all threads
 * for it. It needs JVM_MONITORS, and jvm_tells_monitor_holders. */
jthread jvm_monitor_holder(JNIEnv *jni, jobject object);

/* False: the JVM is not to be asked. Since JDK 23 GetObjectMonitorUsage looks at the Thread object of each of its threads
 * (Threads::get_pending_threads), and crashes where a thread that is just being attached has none yet. */
bool jvm_tells_monitor_holders(void);

/* True if it waits to enter a monitor. */
bool jvm_is_blocked(jthread thread);

/* The object whose monitor the thread waits to enter, a local reference, or NULL. Without
 * JVM_CONTENDED_MONITOR it is not told. */
jobject jvm_contended_monitor(jthread thread);

/* Has the JVM ask the class hooks for new bytes of loaded classes, in one safepoint. */
int jvm_retransform(const jclass *classes, int count, struct error *error);

/* Gives a class new bytes. */
int jvm_redefine(jclass class, const unsigned char *bytes, size_t size, struct error *error);

/* Memory of the JVM's, for the new bytes that a class hook returns. NULL: none. */
unsigned char *jvm_allocate(size_t size);

/* Has the JVM repeat the DynamicCodeGenerated events of before; those of methods that were compiled, in the
 * calling thread. */
int jvm_repeat_generated_code(struct error *error);
int jvm_repeat_compiled_methods(struct error *error);

/* A system property's value, owned (free), or NULL. */
char *jvm_property(const char *name);

/* True if its launcher has told which program it runs. Not every launcher does. */
bool jvm_names_program(void);

/* False for a JVM that only told its version or printed help: its launcher named no main class,
 * and no class of an application is loaded. Live phase. */
bool jvm_ran_program(JNIEnv *jni);

#endif
