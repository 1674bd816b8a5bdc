/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jit_log: see jit_log.h. */
#include "agent/tracers/jit_log.h"

#include <stdlib.h>
#include <string.h>

const char *const jit_log_selections[] = {
	"jit+compilation=debug,nmethod+install=info,deoptimization=debug",
	/* Before JDK 18 traps have no lines. */
	"jit+compilation=debug,nmethod+install=info",
	NULL,
};

enum { FLAGS = 5 /* letters or blanks between a compilation's number and its level */ };

/* A thread that compiles. */
struct compiler {
	uint64_t thread, used; /* used: in which line the last time */
	bool busy;
	struct jit_compilation at;
	char *text; /* what its names point into; owned */
};

struct jit_log {
	struct jit_log_taker taker;
	struct compiler compiler[JIT_THREADS_MAX];
	uint64_t lines, forgotten;
	char text[LOG_LINE_MAX]; /* of a line, as it is taken apart */
};

struct jit_log *jit_log_create(const struct jit_log_taker *taker)
{
	struct jit_log *log = calloc(1, sizeof(*log));

	if (log)
		log->taker = *taker;
	return log;
}

void jit_log_destroy(struct jit_log *log)
{
	for (unsigned i = 0; log && i < JIT_THREADS_MAX; i++)
		free(log->compiler[i].text);
	free(log);
}

uint64_t jit_log_forgotten(const struct jit_log *log)
{
	return log->forgotten;
}

/* ---- parts of lines ---- */

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

static char *skip_blanks(char *text)
{
	return text + strspn(text, " ");
}

/* A number up to 2^32; *text goes on behind it. */
static bool take_number(char **text, uint32_t *number)
{
	uint64_t value = 0;
	char *at = *text;

	for (; *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value > UINT32_MAX)
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	*number = (uint32_t)value;
	return true;
}

/* "com.acme.Foo.bar(I)V": the text is cut into the three. */
static bool split_signature(char *text, struct jit_method *method)
{
	char *signature = strrchr(text, '('), *dot;

	if (!signature)
		return false;
	method->signature = strdup(signature);
	*signature = '\0';
	dot = strrchr(text, '.');
	if (dot)
		*dot = '\0';
	method->class_name = dot ? text : "";
	method->name = dot ? dot + 1 : text;
	return method->signature != NULL;
}

/* What stands behind a method's name, " (10 bytes)" or " (native)", and then nothing or more behind three blanks. */
static char *size_of_code(char *text, uint64_t *bytecodes)
{
	for (char *at = strstr(text, " ("); at; at = strstr(at + 1, " (")) {
		char *end = at + 2;
		uint32_t size = 0;

		if (take_number(&end, &size) && begins_with(end, " bytes)"))
			end += strlen(" bytes)");
		else if (begins_with(end, "native)"))
			end += strlen("native)");
		else
			continue;
		if (*end != '\0' && !begins_with(end, "   "))
			continue;
		*bytecodes = size;
		*at = '\0';
		return skip_blanks(end);
	}
	return NULL;
}

/* " @ 224": the loop's bytecode, cut off. */
static int64_t take_osr(char *text)
{
	char *at = NULL, *digits;
	uint32_t bytecode;

	for (char *next = strstr(text, " @ "); next; next = strstr(next + 1, " @ "))
		at = next;
	if (!at)
		return JIT_NOT_KNOWN;
	digits = at + 3;
	if (!take_number(&digits, &bytecode) || *digits)
		return JIT_NOT_KNOWN;
	*at = '\0';
	return bytecode;
}

/* A line of jit,compilation up to its message, which comes back; NULL: it is none. Names point into the text. */
static char *take_head(char *text, struct jit_compilation *head)
{
	char *message, *colons;
	const char *flags;

	memset(head, 0, sizeof(*head));
	text = skip_blanks(text);
	if (!take_number(&text, &head->id) || *text++ != ' ' || strlen(text) <= FLAGS)
		return NULL;
	flags = text;
	text = skip_blanks(text + FLAGS);
	/* '-' where there is one compiler alone. */
	if (*text == '-')
		text++;
	else if (!take_number(&text, &head->level))
		return NULL;
	text = skip_blanks(text);
	message = size_of_code(text, &head->bytecodes);
	if (!message)
		return NULL;
	head->osr = memchr(flags, '%', FLAGS) ? take_osr(text) : JIT_NOT_KNOWN;
	colons = strstr(text, "::");
	if (!colons)
		return NULL;
	*colons = '\0';
	head->method.class_name = text;
	head->method.name = colons + 2;
	/* A wrapper of a native method is made where it is asked for, and installed at once. */
	head->ns = memchr(flags, 'n', FLAGS) ? 0 : JIT_NOT_KNOWN;
	return message;
}

/* ---- threads that compile ---- */

static struct compiler *compiler_of(struct jit_log *log, uint64_t thread)
{
	for (unsigned i = 0; i < JIT_THREADS_MAX; i++)
		if (log->compiler[i].busy && log->compiler[i].thread == thread)
			return &log->compiler[i];
	return NULL;
}

/* One that is free, or was not heard of for longest. */
static struct compiler *free_compiler(struct jit_log *log)
{
	struct compiler *oldest = &log->compiler[0];

	for (unsigned i = 0; i < JIT_THREADS_MAX; i++) {
		if (!log->compiler[i].busy)
			return &log->compiler[i];
		if (log->compiler[i].used < oldest->used)
			oldest = &log->compiler[i];
	}
	log->forgotten++;
	return oldest;
}

/* It has ended, with code or without. */
static void end_compilation(struct jit_log *log, struct compiler *compiler)
{
	log->taker.compilation(log->taker.argument, &compiler->at);
	compiler->busy = false;
}

static void begin_compilation(
	struct jit_log *log, struct jit_compilation *head, uint64_t thread)
{
	struct compiler *compiler = compiler_of(log, thread);
	size_t class_length = strlen(head->method.class_name) + 1,
	       name_length = strlen(head->method.name) + 1;
	char *text;

	/* What came of it the log does not say: its code depends on what is so no more, perhaps. */
	if (compiler) {
		compiler->at.failed = "not installed";
		end_compilation(log, compiler);
	}
	compiler = free_compiler(log);
	text = malloc(class_length + name_length);
	if (!text) {
		log->forgotten++;
		return;
	}
	memcpy(text, head->method.class_name, class_length);
	memcpy(text + class_length, head->method.name, name_length);
	free(compiler->text);
	*compiler = (struct compiler){
		.thread = thread, .used = log->lines, .busy = true, .at = *head, .text = text};
	compiler->at.method.class_name = text;
	compiler->at.method.name = text + class_length;
}

/* ---- lines ---- */

static bool is_same_method(const struct jit_method *a, const struct jit_method *b)
{
	return strcmp(a->class_name, b->class_name) == 0 && strcmp(a->name, b->name) == 0;
}

/* "made not entrant", with a reason or without: nobody enters the code any more. */
static void take_discarded(struct jit_log *log, const struct jit_compilation *head,
	char *message, const struct log_line *line)
{
	const struct compiler *compiler = compiler_of(log, line->thread);
	struct jit_deoptimization told = {.kind = DEOPTIMIZATION_DISCARDED,
		.id = head->id,
		.method = head->method,
		.level = head->level,
		.bytecode = head->osr,
		.at = line->at};
	const char *reason = strstr(message, ": ");

	if (reason)
		told.reason = reason + 2;
	/* Its thread is about to install other code of the same method. */
	else if (compiler && is_same_method(&compiler->at.method, &head->method))
		told.reason = "not used";
	log->taker.deoptimization(log->taker.argument, &told);
}

static void take_compilation(struct jit_log *log, char *text, const struct log_line *line)
{
	static const char skipped[] = "COMPILE SKIPPED: ", discarded[] = "made not entrant";
	struct compiler *compiler = compiler_of(log, line->thread);
	struct jit_compilation head;
	char *message = take_head(text, &head);

	if (!message)
		return;
	head.began = line->at;
	if (begins_with(message, discarded)) {
		take_discarded(log, &head, message, line);
	} else if (begins_with(message, skipped)) {
		head.failed = message + strlen(skipped);
		if (compiler && compiler->at.id == head.id) {
			compiler->busy = false;
			head.began = compiler->at.began;
			head.ns = (int64_t)(line->at - head.began);
		}
		log->taker.compilation(log->taker.argument, &head);
	} else if (head.ns == 0) {
		head.ns = JIT_NOT_KNOWN;
		log->taker.compilation(log->taker.argument, &head);
	} else if (*message == '\0' || message[0] == '(') {
		begin_compilation(log, &head, line->thread);
	}
}

/* "Installing method (3) com.acme.Foo.bar(I)V ", "Installing osr method (4) com.acme.Foo.bar(I)V @ 7". */
static void take_install(struct jit_log *log, char *text, const struct log_line *line)
{
	struct compiler *compiler = compiler_of(log, line->thread);
	const char *name;
	char *end;

	if (!compiler || !begins_with(text, "Installing "))
		return;
	/* Of the method that the thread compiles, the descriptor follows its name. */
	name = strstr(text, compiler->at.method.class_name);
	name = name ? name + strlen(compiler->at.method.class_name) : NULL;
	if (!name || *name++ != '.' || !begins_with(name, compiler->at.method.name))
		return;
	name += strlen(compiler->at.method.name);
	if (*name == '(') {
		end = strchr(name, ' ');
		if (end)
			*end = '\0';
		compiler->at.method.signature = name;
	}
	compiler->at.ns =
		line->at > compiler->at.began ? (int64_t)(line->at - compiler->at.began) : 0;
	end_compilation(log, compiler);
}

/* The word at *text, which goes on behind it. */
static char *take_word(char **text)
{
	char *word = skip_blanks(*text), *end = word + strcspn(word, " ");

	*text = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static void take_trap(struct jit_log *log, char *text, const struct log_line *line)
{
	static const char id[] = "cid=", level[] = "level=", where[] = " trap_bci=";
	struct jit_deoptimization told = {
		.kind = DEOPTIMIZATION_TRAP, .bytecode = JIT_NOT_KNOWN, .at = line->at};
	char *method, *more, *signature;
	uint32_t bytecode;

	if (!begins_with(text, id))
		return;
	text = skip_blanks(text + strlen(id));
	if (!take_number(&text, &told.id))
		return;
	text = strstr(text, level);
	if (!text)
		return;
	text += strlen(level);
	if (!take_number(&text, &told.level) || *text != ' ')
		return;
	method = skip_blanks(text);
	more = strstr(method, where);
	if (!more)
		return;
	*more = '\0';
	more += strlen(where);
	if (take_number(&more, &bytecode))
		told.bytecode = bytecode;
	else
		more += strcspn(more, " "); /* -1: at the method's entry */
	told.reason = take_word(&more);
	told.action = take_word(&more);
	if (!split_signature(method, &told.method))
		return;
	signature = (char *)told.method.signature;
	log->taker.deoptimization(log->taker.argument, &told);
	free(signature);
}

static const struct {
	const char *tags;
	void (*take)(struct jit_log *log, char *text, const struct log_line *line);
} line_tags[] = {
	{"jit,compilation", take_compilation},
	{"nmethod,install", take_install},
	{"deoptimization", take_trap},
};

void jit_log_line(struct jit_log *log, const struct log_line *line)
{
	struct compiler *compiler = compiler_of(log, line->thread);

	if (strlen(line->text) >= sizeof(log->text))
		return;
	log->lines++;
	if (compiler)
		compiler->used = log->lines;
	memcpy(log->text, line->text, strlen(line->text) + 1);
	for (size_t i = 0; i < sizeof(line_tags) / sizeof(*line_tags); i++)
		if (log_line_has_tags(line, line_tags[i].tags))
			line_tags[i].take(log, log->text, line);
}
