/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* gc_log: see gc_log.h. */
#include "agent/tracers/gc_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t NS_PER_MS = 1000000, NS_PER_S = 1000000000;

/* ---- which lines ---- */

/* What GC.heap_info answers has this word in it; and what the log is asked for. Sizes in kilobytes have lines of their own;
 * the phases that are no pauses and no concurrent ones are left out where a collector has any. */
static const struct {
	const char *word, *selection;
} collectors[] = {
	{"garbage-first", "gc=info,gc+start=info,gc+marking=info,gc+heap=debug,safepoint=info"},
	{"ZHeap", "gc=info,gc+start=info,gc+phases=info,safepoint=info"},
	{"Shenandoah", "gc=info,gc+start=info,safepoint=info"},
	/* Serial and Parallel */
	{"", "gc=info,gc+start=info,gc+heap=info,safepoint=info"},
};

const char *gc_log_selection(const char *heap_info)
{
	size_t i = 0;

	while (!strstr(heap_info, collectors[i].word))
		i++;
	return collectors[i].selection;
}

enum line_kind { LINE_SECTION, LINE_PHASE, LINE_HEAP, LINE_SAFEPOINT };

static const struct {
	const char *tags;
	enum line_kind kind;
} line_tags[] = {
	{"gc", LINE_SECTION},
	{"gc,start", LINE_SECTION},
	{"gc,marking", LINE_SECTION},
	{"gc,phases", LINE_PHASE},
	{"gc,heap", LINE_HEAP},
	{"safepoint", LINE_SAFEPOINT},
};

enum { LINE_TAGS = sizeof(line_tags) / sizeof(*line_tags) };

/* ---- names ---- */

/* How a section's name begins, behind the generation that it is of ("Y: "). */
static const struct section {
	const char *begins;
	enum collection_kind kind;
	bool has_cause; /* its last words in parentheses */
	bool is_phase;  /* also with the tag `phases`, where there are many others */
} sections[] = {
	{"Pause Young", COLLECTION_PAUSE, true, true},
	{"Pause Full", COLLECTION_PAUSE, true, true},
	{"Pause ", COLLECTION_PAUSE, false, true},
	{"Concurrent Mark Cycle", COLLECTION_CYCLE, false, false},
	{"Concurrent Undo Cycle", COLLECTION_CYCLE, false, false},
	{"Garbage Collection", COLLECTION_CYCLE, true, false},
	{"Minor Collection", COLLECTION_CYCLE, true, false},
	{"Major Collection", COLLECTION_CYCLE, true, false},
	{"Young Generation", COLLECTION_PART, false, true},
	{"Old Generation", COLLECTION_PART, false, true},
	{"Concurrent ", COLLECTION_CONCURRENT, false, true},
	{"Coalescing ", COLLECTION_CONCURRENT, false, false},
	{"Relocation Stall", COLLECTION_STALL, false, false},
};

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* NULL: it is none. */
static const struct section *section_of(const char *text, bool phase)
{
	if (strchr("yYoO", text[0]) && text[0] && text[1] == ':' && text[2] == ' ')
		text += 3;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (begins_with(text, sections[i].begins) && (sections[i].is_phase || !phase))
			return &sections[i];
	return NULL;
}

/* The last words in parentheses of a text of that length: where they begin, with " ("; length: there are none. */
static size_t last_group(const char *text, size_t length)
{
	size_t depth = 0;

	if (length == 0 || text[length - 1] != ')')
		return length;
	for (size_t i = length; i-- > 1;) {
		depth += text[i] == ')';
		depth -= text[i] == '(' && depth > 0;
		if (depth == 0)
			return text[i - 1] == ' ' ? i - 1 : length;
	}
	return length;
}

/* A text of that length, cut at a character if it is too long. */
static void copy_text(char *to, const char *text, size_t length)
{
	if (length > GC_NAME_MAX - 1) {
		length = GC_NAME_MAX - 1;
		while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	memcpy(to, text, length);
	to[length] = '\0';
}

/* ---- figures ---- */

/* A number, and where it ends. NULL: there is none, or it is too large. */
static const char *read_number(const char *text, uint64_t *value)
{
	const char *at = text;

	for (*value = 0; *at >= '0' && *at <= '9'; at++) {
		if (*value > UINT64_MAX / 10 - 1)
			return NULL;
		*value = *value * 10 + (uint64_t)(*at - '0');
	}
	return at == text ? NULL : at;
}

/* 170M, in bytes. */
static const char *read_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "BKMGT";
	const char *unit;

	text = read_number(text, bytes);
	unit = text && *text ? strchr(units, *text) : NULL;
	if (!unit || *bytes >> (64 - 10 * 4))
		return NULL;
	*bytes <<= 10 * (unit - units);
	return text + 1;
}

/* (256M), or a percentage, which is none: *bytes stays, and *is_size is false. */
static const char *read_group(const char *text, uint64_t *bytes, bool *is_size)
{
	uint64_t value;
	const char *end;

	*is_size = false;
	if (*text != '(')
		return NULL;
	end = read_size(text + 1, &value);
	if (end && *end == ')') {
		*bytes = value;
		*is_size = true;
		return end + 1;
	}
	end = read_number(text + 1, &value);
	return end && end[0] == '%' && end[1] == ')' ? end + 2 : NULL;
}

/* What a section's line ends with. */
struct ending {
	bool has_ns, is_exact; /* ns; to the microsecond */
	bool has_bytes, has_total;
	uint64_t ns, before, after, total;
};

/* "5.419ms" or "0.004s", the whole text. */
static bool read_duration(const char *text, struct ending *ending)
{
	uint64_t whole, part = 0, unit;
	const char *at = read_number(text, &whole), *digits;

	if (!at || *at != '.')
		return false;
	digits = at + 1;
	at = read_number(digits, &part);
	if (!at || at - digits > 9 || whole > UINT32_MAX)
		return false;
	ending->is_exact = strcmp(at, "ms") == 0;
	if (!ending->is_exact && strcmp(at, "s") != 0)
		return false;
	unit = ending->is_exact ? NS_PER_MS : NS_PER_S;
	ending->ns = whole * unit;
	for (long i = at - digits; i > 0; i--)
		unit /= 10;
	ending->ns += part * unit;
	return true;
}

/* "170M->6M(256M)" or "52M(20%)->26M(10%)", the whole text. */
static bool read_sizes(const char *text, struct ending *ending)
{
	uint64_t unused;
	bool is_size;

	text = read_size(text, &ending->before);
	if (text && *text == '(')
		text = read_group(text, &unused, &is_size);
	if (!text || text[0] != '-' || text[1] != '>')
		return false;
	text = read_size(text + 2, &ending->after);
	if (text && *text == '(')
		text = read_group(text, &ending->total, &ending->has_total);
	return text && *text == '\0';
}

/* The last word of the text, which ends there; NULL: it has one alone. */
static char *last_word(char *text)
{
	char *space = strrchr(text, ' ');

	return space && space > text ? space : NULL;
}

/* Takes what a section's line ends with off its text: what is left is its name. */
static void take_ending(char *text, struct ending *ending)
{
	char *word = last_word(text);

	*ending = (struct ending){0};
	if (word && read_duration(word + 1, ending)) {
		ending->has_ns = true;
		*word = '\0';
		word = last_word(text);
	}
	if (word && read_sizes(word + 1, ending)) {
		ending->has_bytes = true;
		*word = '\0';
	}
}

/* ---- the log ---- */

struct gc_log {
	struct gc_log_taker taker;
	/* Sections that have begun, in the order in which they did. */
	struct open_section {
		uint64_t number, began;
		char name[GC_NAME_MAX]; /* with the cause */
	} open[GC_OPEN_MAX];
	unsigned opened;
	uint64_t forgotten;
	/* Causes of cycles, for their pauses and phases; a circle. */
	struct {
		uint64_t number;
		bool known;
		char cause[GC_NAME_MAX];
	} caused[GC_NUMBERS_MAX];
	unsigned caused_next;
	char trigger[GC_NAME_MAX]; /* why the next collection begins (Shenandoah) */
	uint64_t last_number;      /* + 1; 0: none yet */
	/* The heap in kilobytes, of the pause that is under way. */
	struct {
		uint64_t number;
		unsigned lines; /* of the two ends, if each has a line of its own */
		uint64_t before, after, total; /* bytes */
	} heap;
	char text[LOG_LINE_MAX]; /* of a line, as it is taken apart */
};

struct gc_log *gc_log_create(const struct gc_log_taker *taker)
{
	struct gc_log *log = calloc(1, sizeof(*log));

	if (log)
		log->taker = *taker;
	return log;
}

void gc_log_destroy(struct gc_log *log)
{
	free(log);
}

unsigned gc_log_open(const struct gc_log *log)
{
	return log->opened;
}

uint64_t gc_log_forgotten(const struct gc_log *log)
{
	return log->forgotten;
}

static void drop_open(struct gc_log *log, unsigned i)
{
	memmove(&log->open[i], &log->open[i + 1], (log->opened - i - 1) * sizeof(log->open[0]));
	log->opened--;
}

static void begin_section(struct gc_log *log, uint64_t number, const char *name, uint64_t at)
{
	struct open_section *open;

	if (log->opened == GC_OPEN_MAX) {
		drop_open(log, 0);
		log->forgotten++;
	}
	open = &log->open[log->opened++];
	open->number = number;
	open->began = at;
	copy_text(open->name, name, strlen(name));
}

/* True if it is that name, or that name and how it went, in parentheses; names are kept cut. */
static bool is_end_of(const char *name, const char *begun)
{
	size_t length = strlen(begun);

	return strncmp(name, begun, length) == 0 &&
	       (name[length] == '\0' || length >= GC_NAME_MAX - 4 ||
		       begins_with(name + length, " ("));
}

/* When the section of that name began. 0: nobody knows. */
static uint64_t end_section(struct gc_log *log, uint64_t number, const char *name)
{
	for (unsigned i = log->opened; i-- > 0;)
		if (log->open[i].number == number && is_end_of(name, log->open[i].name)) {
			uint64_t began = log->open[i].began;

			drop_open(log, i);
			return began;
		}
	return 0;
}

/* ---- causes ---- */

static const char *cause_of(const struct gc_log *log, uint64_t number)
{
	for (unsigned i = 0; i < GC_NUMBERS_MAX; i++)
		if (log->caused[i].known && log->caused[i].number == number)
			return log->caused[i].cause;
	return "";
}

static void remember_cause(struct gc_log *log, uint64_t number, const char *cause)
{
	if (!*cause || *cause_of(log, number))
		return;
	log->caused[log->caused_next].number = number;
	log->caused[log->caused_next].known = true;
	copy_text(log->caused[log->caused_next].cause, cause, strlen(cause));
	log->caused_next = (log->caused_next + 1) % GC_NUMBERS_MAX;
}

/* "Free (15974K) is below minimum threshold (26214K)": without figures in parentheses, so that equal causes are equal. */
static void note_trigger(struct gc_log *log, const char *text)
{
	char *to = log->trigger;
	size_t room = GC_NAME_MAX - 1;

	while (*text && room > 0) {
		size_t group = text[0] == ' ' && text[1] == '(' ? strcspn(text, ")") : 0;

		if (group > 0 && text[group] == ')' && strcspn(text, "0123456789") < group) {
			text += group + 1;
			continue;
		}
		*to++ = *text++;
		room--;
	}
	*to = '\0';
}

/* Cuts the cause off the name, and remembers it. */
static void take_cause(
	struct gc_log *log, const struct section *section, uint64_t number, char *name)
{
	size_t length = strlen(name), group = last_group(name, length);
	char cause[GC_NAME_MAX], failure[GC_NAME_MAX] = "";

	if (!section->has_cause || group == length)
		return;
	/* "(Evacuation Failure)" stands behind the cause, and is how it went. */
	if (begins_with(name + group, " (Evacuation Failure")) {
		copy_text(failure, name + group, length - group);
		length = group;
		group = last_group(name, length);
		if (group == length)
			return;
	}
	copy_text(cause, name + group + 2, length - group - 3);
	remember_cause(log, number, cause);
	memmove(name + group, failure, strlen(failure) + 1);
}

/* ---- the heap in kilobytes ---- */

/* " garbage-first heap   total 262144K, used 28596K [...": twice, before and after. */
static void take_whole_heap(struct gc_log *log, const char *text)
{
	static const char total[] = "total ", committed[] = "committed ", used[] = "used ";
	const char *is_total = strstr(text, committed), *is_used = strstr(text, used);
	uint64_t bytes;

	is_total = is_total ? is_total + strlen(committed) : strstr(text, total);
	if (is_total && begins_with(is_total, total))
		is_total += strlen(total);
	if (!is_total || !is_used || !read_size(is_used + strlen(used), &bytes))
		return;
	if (log->heap.lines++ == 0)
		log->heap.before = bytes;
	else
		log->heap.after = bytes;
	if (!read_size(is_total, &log->heap.total))
		log->heap.total = 0;
}

/* "DefNew: 69952K(78656K)->2340K(78656K) Eden: ...": one line a generation. */
static void take_generation(struct gc_log *log, char *text)
{
	struct ending ending = {0};
	char *sizes = strstr(text, ": "), *end;

	if (!sizes)
		return;
	sizes += 2;
	end = strchr(sizes, ' ');
	if (end)
		*end = '\0';
	if (!read_sizes(sizes, &ending) || !ending.has_total)
		return;
	log->heap.lines = 2;
	log->heap.before += ending.before;
	log->heap.after += ending.after;
	log->heap.total += ending.total;
}

static void take_heap(struct gc_log *log, uint64_t number, char *text)
{
	if (log->heap.number != number || log->heap.lines == 0) {
		memset(&log->heap, 0, sizeof(log->heap));
		log->heap.number = number;
	}
	if (begins_with(text, " garbage-first heap"))
		take_whole_heap(log, text);
	else if (text[0] != ' ')
		take_generation(log, text);
}

/* True if the coarse size is the fine one, cut or rounded. */
static bool agree(uint64_t coarse, uint64_t fine)
{
	const uint64_t megabyte = 1024 * 1024;

	return fine <= coarse + megabyte && coarse <= fine + megabyte;
}

/* In the place of the line's sizes, if they are of the same moment. */
static void refine(struct gc_log *log, struct gc_collection *collection)
{
	if (log->heap.lines == 2 && log->heap.number == collection->number &&
		collection->has_bytes && agree(collection->before, log->heap.before) &&
		agree(collection->after, log->heap.after)) {
		collection->before = log->heap.before;
		collection->after = log->heap.after;
		if (collection->has_total && agree(collection->total, log->heap.total))
			collection->total = log->heap.total;
	}
	log->heap.lines = 0;
}

/* ---- lines ---- */

static void take_section(struct gc_log *log, const struct section *section, uint64_t number,
	char *text, uint64_t at)
{
	struct gc_collection collection = {.number = number, .kind = section->kind};
	struct ending ending;
	uint64_t began;

	if (*log->trigger && number >= log->last_number)
		remember_cause(log, number, log->trigger);
	if (number >= log->last_number) {
		log->last_number = number + 1;
		log->trigger[0] = '\0';
	}
	take_ending(text, &ending);
	/* Of G1: what goes on says when it has ended. */
	if (strcmp(text, "Concurrent Mark Abort") == 0)
		return;
	if (!ending.has_ns && !ending.has_bytes) {
		begin_section(log, number, text, at);
		take_cause(log, section, number, text);
		return;
	}
	began = end_section(log, number, text);
	/* The end of what began before the log did, and does not tell how long it took. */
	if (began == 0 && !ending.has_ns)
		return;
	if (ending.has_ns && (ending.is_exact || began == 0 || began > at))
		collection.ns = ending.ns;
	else
		collection.ns = at - began;
	collection.began = began && began <= at ? began : at - collection.ns;
	collection.has_bytes = ending.has_bytes;
	collection.has_total = ending.has_total;
	collection.before = ending.before;
	collection.after = ending.after;
	collection.total = ending.total;
	take_cause(log, section, number, text);
	collection.name = text;
	collection.cause = cause_of(log, number);
	if (section->kind == COLLECTION_PAUSE)
		refine(log, &collection);
	log->taker.collection(log->taker.argument, &collection);
}

/* "Allocation Stall (main) 12.345ms": a thread had to wait for a collection. */
static void take_stall(struct gc_log *log, char *text, uint64_t at)
{
	struct gc_collection collection = {.kind = COLLECTION_STALL, .name = text, .cause = ""};
	struct ending ending;

	take_ending(text, &ending);
	if (!ending.has_ns || ending.ns > at)
		return;
	collection.number = log->last_number > 0 ? log->last_number - 1 : 0;
	collection.ns = ending.ns;
	collection.began = at - ending.ns;
	log->taker.collection(log->taker.argument, &collection);
}

/* The number behind `key` in the line. 0: there is none. */
static uint64_t figure(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	uint64_t value;

	return at && read_number(at + strlen(key), &value) ? value : 0;
}

static void take_safepoint(struct gc_log *log, char *text, uint64_t at)
{
	static const char begins[] = "Safepoint \"";
	struct gc_safepoint safepoint = {.operation = text + sizeof(begins) - 1};
	const char *running;
	char *end;

	if (!begins_with(text, begins))
		return;
	end = strstr(safepoint.operation, "\", ");
	if (!end || !strstr(end, "Total: "))
		return;
	*end++ = '\0';
	safepoint.ns = figure(end, "Total: ");
	if (safepoint.ns > at)
		return;
	safepoint.began = at - safepoint.ns;
	safepoint.reaching_ns = figure(end, "Reaching safepoint: ");
	safepoint.cleanup_ns = figure(end, "Cleanup: ") + figure(end, "Leaving safepoint: ");
	safepoint.at_ns = figure(end, "At safepoint: ");
	safepoint.running = figure(end, "Threads: ");
	running = strstr(end, " runnable, ");
	if (running)
		safepoint.threads = figure(running, " runnable, ");
	log->taker.safepoint(log->taker.argument, &safepoint);
}

/* "GC(3) ": its number, and *text goes on behind it. False: it is of no collection. */
static bool take_number(char **text, uint64_t *number)
{
	const char *end;

	if (!begins_with(*text, "GC("))
		return false;
	end = read_number(*text + 3, number);
	if (!end || end[0] != ')' || end[1] != ' ')
		return false;
	*text += end + 2 - *text;
	return true;
}

static void take_plain(struct gc_log *log, char *text, uint64_t at)
{
	const char *because;

	if (begins_with(text, "Allocation Stall (") || begins_with(text, "Relocation Stall ("))
		take_stall(log, text, at);
	because = begins_with(text, "Trigger") ? strstr(text, ": ") : NULL;
	if (because && !strstr(because, "already pending"))
		note_trigger(log, because + 2);
}

void gc_log_line(struct gc_log *log, const struct log_line *line)
{
	const struct section *section;
	char *text = log->text;
	uint64_t number;
	size_t i = 0;

	while (i < LINE_TAGS && !log_line_has_tags(line, line_tags[i].tags))
		i++;
	if (i == LINE_TAGS || strlen(line->text) >= sizeof(log->text))
		return;
	memcpy(text, line->text, strlen(line->text) + 1);
	switch (line_tags[i].kind) {
	case LINE_SAFEPOINT:
		take_safepoint(log, text, line->at);
		break;
	case LINE_HEAP:
		if (take_number(&text, &number))
			take_heap(log, number, text);
		break;
	case LINE_SECTION:
	case LINE_PHASE:
		if (!take_number(&text, &number)) {
			take_plain(log, text, line->at);
			break;
		}
		section = section_of(text, line_tags[i].kind == LINE_PHASE);
		if (section)
			take_section(log, section, number, text, line->at);
		break;
	}
}
