/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* frame_names: see frame_names.h. */
#include "agent/sample/frame_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/code/stubs.h"
#include "agent/log/log.h"
#include "agent/methods/methods.h"
#include "agent/stack/code.h"
#include "agent/stack/source_lines.h"
#include "symbols/demangle.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel_symbols.h"
#include "symbols/modules.h"

enum {
	NAME_BYTES = 512,
	FILES = 512 /* libraries whose symbols are kept */
};

/* A method that was seen. */
struct seen_name {
	bool asked;
	bool probe, counts; /* as in frame_name */
	uint32_t id;
	struct source_lines *lines;
};

/* An address outside Java: of a function, found once. */
struct address_name {
	uint64_t address; /* 0: empty */
	struct frame_name name;
};

struct library {
	char *path;
	struct elf_symbols *symbols; /* NULL: it has none */
};

struct frame_names {
	const struct walker *walker;
	struct seen_name *seen; /* by number */
	uint32_t seen_count;
	struct address_name *address; /* a hash, open addressing */
	uint32_t address_count, address_mask;
	struct library library[FILES];
	unsigned libraries;
	struct kernel_symbols *kernel;
	bool kernel_asked;
	struct modules *modules;
	uintptr_t own; /* in jprof's library */
};

struct frame_names *frame_names_create(const struct walker *walker)
{
	struct frame_names *names = calloc(1, sizeof(*names));

	if (names)
		names->walker = walker;
	return names;
}

void frame_names_destroy(struct frame_names *names)
{
	if (!names)
		return;
	for (uint32_t i = 0; i < names->seen_count; i++)
		free(names->seen[i].lines);
	for (unsigned i = 0; i < names->libraries; i++) {
		free(names->library[i].path);
		elf_symbols_destroy(names->library[i].symbols);
	}
	kernel_symbols_destroy(names->kernel);
	modules_destroy(names->modules);
	free(names->seen);
	free(names->address);
	free(names);
}

/* ---- Java ---- */

/* As Java has it, in UTF-8; owned. com/acme/Foo$$Lambda+0x12 is com.acme.Foo$$Lambda/0x12. */
static char *java_name(const char *text, size_t length, bool is_class)
{
	char *copy = strndup(text, length), *name = NULL, *plus;

	if (copy)
		name = is_class ? jvm_class_name(copy) : jvm_method_name(copy);
	plus = name && is_class ? strrchr(name, '+') : NULL;
	if (plus)
		*plus = '/';
	free(copy);
	return name;
}

static bool is_of(const struct seen_names *names, const char *class)
{
	return names->class_length == strlen(class) &&
	       memcmp(names->class_name, class, strlen(class)) == 0;
}

static const char probe_class[] = "java/lang/JprofProbe";

/* A probe, or what a program asks jprof by. */
static bool is_own(const struct seen_names *names)
{
	return is_of(names, probe_class) || is_of(names, "jprof/JProf");
}

/* JprofProbe.count, countNatively and counted. */
static bool is_counting(const struct seen_names *names)
{
	static const char begin[] = "count";

	return is_of(names, probe_class) && names->name_length >= strlen(begin) &&
	       memcmp(names->name, begin, strlen(begin)) == 0;
}

static void ask_seen(struct frame_names *names, uint32_t number, struct seen_name *to)
{
	const struct seen_methods *seen = names->walker->seen;
	struct seen_names of;
	struct jvm_method method = {0};
	char *file;

	if (!seen_method_names(seen, number, &of))
		return;
	to->asked = true;
	to->probe = is_own(&of);
	to->counts = is_counting(&of);
	method.class_name = java_name(of.class_name, of.class_length, true);
	method.name = java_name(of.name, of.name_length, false);
	method.signature = java_name(of.signature, of.signature_length, false);
	method.is_static = of.flags & 0x8;   /* ACC_STATIC */
	method.is_native = of.flags & 0x100; /* ACC_NATIVE (JVMS 4.6) */
	file = source_file_read(names->walker->vm, seen, number);
	if (method.class_name && method.name && method.signature)
		to->id = methods_on_stack(&method, METHOD_JAVA, file);
	to->lines = source_lines_read(names->walker->vm, seen, number);
	free(file);
	jvm_method_fini(&method);
}

static struct seen_name *seen_at(struct frame_names *names, uint32_t number)
{
	if (number >= names->seen_count) {
		uint32_t count = names->seen_count ? names->seen_count : 1024;
		struct seen_name *grown;

		while (count <= number)
			count *= 2;
		grown = realloc(names->seen, count * sizeof(*grown));
		if (!grown)
			return NULL;
		memset(grown + names->seen_count, 0,
			(count - names->seen_count) * sizeof(*grown));
		names->seen = grown;
		names->seen_count = count;
	}
	return &names->seen[number];
}

static enum sample_state java_state(const struct stack_frame *frame)
{
	bool first = frame->level < 4;

	switch (frame->kind) {
	case FRAME_INTERPRETED:
		return SAMPLE_INTERPRETED;
	case FRAME_COMPILED:
		return first ? SAMPLE_C1 : SAMPLE_C2;
	case FRAME_INLINED:
		return first ? SAMPLE_C1_INLINED : SAMPLE_C2_INLINED;
	default:
		return SAMPLE_NATIVE;
	}
}

static struct frame_name java_frame(struct frame_names *names, const struct stack_frame *frame)
{
	struct seen_name *seen = seen_at(names, (uint32_t)frame->what);

	if (!seen)
		return (struct frame_name){.state = SAMPLE_UNKNOWN};
	if (!seen->asked)
		ask_seen(names, (uint32_t)frame->what, seen);
	return (struct frame_name){.method = seen->id,
		.line = source_lines_at(seen->lines, frame->bci),
		.state = java_state(frame),
		.has_lines = frame->kind != FRAME_JAVA_NATIVE,
		.probe = seen->probe,
		.counts = seen->counts};
}

/* ---- libraries, the kernel, generated code ---- */

static uint32_t function_id(enum method_kind kind, const char *library, const char *name)
{
	struct jvm_method method = {.class_name = library ? strdup(library) : NULL,
		.name = strdup(name),
		.is_native = kind != METHOD_MARK};
	uint32_t id = 0;

	if ((method.class_name || !library) && method.name)
		id = methods_on_stack(&method, kind, NULL);
	jvm_method_fini(&method);
	return id;
}

uint32_t frame_mark(struct frame_names *names, const char *mark)
{
	return function_id(METHOD_MARK, NULL, mark);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct elf_symbols *symbols_of(struct frame_names *names, const char *path)
{
	struct library *library = names->library;

	for (unsigned i = 0; i < names->libraries; i++, library++)
		if (strcmp(library->path, path) == 0)
			return library->symbols;
	if (names->libraries == FILES)
		return NULL;
	library->path = strdup(path);
	if (!library->path)
		return NULL;
	names->libraries++;
	library->symbols = elf_symbols_create(path, NULL);
	return library->symbols;
}

/* The outermost frames of threads, which tell nothing. */
static bool is_outermost(const char *function)
{
	static const char *const all[] = {"__GI___clone3", "clone3", "__clone3", "__clone",
		"start_thread", "thread_native_entry", "Thread::call_run", "JavaThread::run",
		"JavaThread::thread_main_inner", "_start", "__libc_start_main_impl",
		"__libc_start_call_main", "ThreadJavaMain", "JavaMain"};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(function, all[i]) == 0)
			return true;
	return false;
}

/* Work of a compiler, in a thread of its own. */
static bool is_compilation(const char *function)
{
	return strncmp(function, "CompileBroker::", strlen("CompileBroker::")) == 0;
}

/* Work of a collector in the JVM's own threads: operations that stop the program (vmOperations.hpp), and
 * what its threads run. */
static bool is_collection(const char *function)
{
	static const char *const begins[] = {"VM_Gen", "VM_GC", "VM_G1", "VM_Parallel", "VM_Z",
		"VM_X", "VM_Shenandoah", "VM_Serial", "VM_Collect", "G1", "GCTask", "Gang",
		"PSScavenge", "PSPromotion", "PSParallel", "ParMark", "ParCompaction", "Z", "X",
		"Shenandoah", "DefNew", "Serial", "GenCollect", "TenuredGeneration",
		"ConcurrentGC", "WorkerThread", "ParallelScavenge"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (strncmp(function, begins[i], strlen(begins[i])) == 0 &&
			strstr(function, "::"))
			return true;
	return false;
}

static const struct module *module_at(struct frame_names *names, uintptr_t pc)
{
	const struct module *module;

	if (!names->modules)
		names->modules = modules_read();
	module = names->modules ? modules_find(names->modules, pc) : NULL;
	if (module || !names->modules || !modules_changed(names->modules))
		return module;
	modules_destroy(names->modules);
	names->modules = modules_read();
	return names->modules ? modules_find(names->modules, pc) : NULL;
}

static struct frame_name native_frame(struct frame_names *names, uint64_t pc)
{
	const struct module *module = module_at(names, pc);
	const struct elf_symbols *symbols = module ? symbols_of(names, module->path) : NULL;
	struct frame_name name = {.state = SAMPLE_NATIVE};
	struct symbol_found found;
	char text[NAME_BYTES];
	const char *file, *function = "(unknown)";

	if (!module) {
		name.method = function_id(METHOD_NATIVE, "[unknown]", function);
		return name;
	}
	if (symbols && elf_symbols_find(symbols, pc - module->bias, &found))
		function = demangle(found.name, text, sizeof(text));
	file = base_name(module->path[0] ? module->path : "[program]");
	name.probe = strcmp(file, "libjprof.so") == 0;
	name.outermost = is_outermost(function);
	if (strcmp(file, "libjvm.so") == 0)
		name.state = is_collection(function)    ? SAMPLE_GC
			     : is_compilation(function) ? SAMPLE_JIT
							: SAMPLE_JVM;
	name.method = function_id(
		name.state == SAMPLE_NATIVE ? METHOD_NATIVE : METHOD_JVM, file, function);
	return name;
}

static struct frame_name kernel_frame(struct frame_names *names, uint64_t pc)
{
	struct frame_name name = {.state = SAMPLE_KERNEL};
	struct kernel_found found = {"(hidden)", "[kernel]", 0};
	struct error error;

	/* A system call of which no more is known needs no table, which takes 50 ms to read. */
	if (pc == 0) {
		name.method = function_id(METHOD_KERNEL, found.module, "(system call)");
		return name;
	}
	if (!names->kernel_asked && kernel_symbols_create(&names->kernel, NULL, &error) < 0)
		log_line(LOG_INFO, "functions of the kernel have no names: %s", error.text);
	names->kernel_asked = true;
	if (names->kernel)
		kernel_symbols_find(names->kernel, pc, &found);
	name.method = function_id(METHOD_KERNEL, found.module, found.name);
	return name;
}

static struct frame_name stub_frame(uint64_t pc)
{
	struct code code;
	uintptr_t begin;
	const char *name = stubs_find(pc, &begin), *kind;
	char text[NAME_BYTES];

	if (!name)
		name = code_find(pc, &code) ? code.name : "(unknown)";
	/* From JDK 25 on adapters are told apart by what they are for: "I2C/C2I adapters(0xbb)". */
	kind = strstr(name, " adapters(");
	if (kind) {
		snprintf(text, sizeof(text), "%.*s adapters", (int)(kind - name), name);
		name = text;
	}
	return (struct frame_name){
		.state = SAMPLE_STUB, .method = function_id(METHOD_STUB, "[stub]", name)};
}

static struct frame_name address_frame(
	struct frame_names *names, const struct stack_frame *frame)
{
	switch (frame->kind) {
	case FRAME_NATIVE:
		return native_frame(names, frame->what);
	case FRAME_KERNEL:
		return kernel_frame(names, frame->what);
	default:
		return stub_frame(frame->what);
	}
}

static uint32_t address_hash(uint64_t address)
{
	return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static bool address_grow(struct frame_names *names)
{
	uint32_t size = names->address ? 2 * (names->address_mask + 1) : 4096;
	struct address_name *old = names->address, *grown = calloc(size, sizeof(*grown));
	uint32_t had = old ? names->address_mask + 1 : 0;

	if (!grown)
		return false;
	names->address = grown;
	names->address_mask = size - 1;
	for (uint32_t i = 0; i < had; i++) {
		uint32_t at = address_hash(old[i].address);

		if (!old[i].address)
			continue;
		while (grown[at & names->address_mask].address)
			at++;
		grown[at & names->address_mask] = old[i];
	}
	free(old);
	return true;
}

struct frame_name frame_name(struct frame_names *names, const struct stack_frame *frame)
{
	uint32_t at = address_hash(frame->what);
	struct address_name *found;

	if (frame_is_java(frame))
		return java_frame(names, frame);
	if (frame->kind == FRAME_NAMED)
		return (struct frame_name){
			.method = (uint32_t)frame->what, .state = SAMPLE_UNKNOWN};
	/* A system call of which no more is known has no address to be kept by. */
	if (frame->what == 0)
		return address_frame(names, frame);
	if ((!names->address || 2 * names->address_count > names->address_mask) &&
		!address_grow(names))
		return address_frame(names, frame);
	while ((found = &names->address[at & names->address_mask])->address &&
		found->address != frame->what)
		at++;
	if (found->address == 0) {
		found->address = frame->what;
		found->name = address_frame(names, frame);
		names->address_count++;
	}
	return found->name;
}
