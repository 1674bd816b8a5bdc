/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Random recordings that several sessions share, read as one of them, against a plain model: what each node of the file is for the session
 * is told by a walk from the root to it, as texts, and sums are by text.
 *
 * A step of a path is "/METHOD", with ":LINE" if it is called from a line; "/vVALUE" and "/tTAGS" are labels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixture.h"
#include "profile/profile_copy.h"

enum {
	TRIALS = 300,
	THREADS = 4, /* the third and the fourth are parts of the second */
	METHODS = 10,
	NODES = 60, /* of a thread */
	VALUES = 6,
	SETS = 8, /* of tags: 1 is the empty one */
	KEYS = 2,
	FIGURES = 3 + 4 + 2 * FIXTURE_METRICS,
	PATH = 1024
};

/* ---- what is recorded ---- */

struct raw {
	uint32_t id, parent, method, line, value, tags;
	bool sampled, gone;
	uint32_t into; /* if it is gone: whose its counts are */
	uint64_t early[FIGURES],
		late[FIGURES]; /* interpreted, jitted, native; transitions; base, spent */
};

struct raw_account {
	uint32_t node;
	enum account_kind kind;
	uint64_t subject, early, late;
};

static struct recording {
	struct profile_session session;
	bool is_auto, has_begin;
	struct profile_method method[METHODS]; /* ids from METHOD_FIRST */
	bool thread_wanted[THREADS];
	bool value_wanted[VALUES + 1], key_wanted[KEYS];
	uint32_t tag[SETS + 1][KEYS]; /* by set and key the value, 0: none */
	struct raw node[THREADS][NODES];
	uint32_t nodes[THREADS];
	struct raw_account account[THREADS][NODES];
	uint32_t accounts[THREADS];
} it;

static uint32_t below(uint32_t n)
{
	return (uint32_t)random() % n;
}

static bool one_in(uint32_t n)
{
	return below(n) == 0;
}

static const struct profile_method *method_of(uint32_t id)
{
	static const struct profile_method mark = {.wanted = PROFILE_SESSIONS_ALL};

	return id < METHOD_FIRST ? &mark : &it.method[id - METHOD_FIRST];
}

static void make_session(void)
{
	uint32_t bit = below(PROFILE_SESSIONS_MAX);

	it.is_auto = one_in(3);
	it.has_begin = one_in(2);
	it.session = (struct profile_session){.id = 5,
		.bit = bit,
		.name = "s",
		.owner = "o",
		.ended = PROFILE_NOT_KNOWN,
		.options = "{}",
		.snapshot = it.has_begin ? 1 : 0,
		.metrics = 1 + below((1 << FIXTURE_METRICS) - 1),
		.conditions = below(4),
		.traces = one_in(2) ? 1u << TRACE_LOCKS : 0,
		.lines = one_in(2),
		.scoped = one_in(4),
		.tag = one_in(4) ? "k1=x*" : NULL,
		.records = true};
	for (uint32_t m = 0; m < METHODS; m++) {
		uint32_t others = below(256) & ~(1u << bit);

		it.method[m] = (struct profile_method){.id = METHOD_FIRST + m,
			.class_name = "C",
			.name = "m",
			.wanted = others | (one_in(3) ? 0 : 1u << bit),
			.counted = (below(256) & ~(1u << bit)) | (one_in(5) ? 1u << bit : 0),
			.scope = (below(256) & ~(1u << bit)) | (one_in(6) ? 1u << bit : 0)};
	}
	for (uint32_t t = 0; t < THREADS; t++)
		it.thread_wanted[t] = t < 2 ? !one_in(6) : it.thread_wanted[1];
}

/* Values 1 to 3 are of a parameter, each; 4 to 6 of tags' keys: x1 and y of k1, z of k2. */
static void make_labels(void)
{
	for (uint32_t v = 1; v <= VALUES; v++)
		it.value_wanted[v] = !one_in(3);
	it.key_wanted[0] = !one_in(3);
	it.key_wanted[1] = !one_in(3);
	for (uint32_t s = 2; s <= SETS; s++) {
		it.tag[s][0] = one_in(3) ? 0 : 4 + below(2);
		it.tag[s][1] = it.tag[s][0] == 0 || one_in(2) ? 6 : 0;
	}
}

static void make_figures(struct raw *node, bool has_calls)
{
	for (int i = 0; i < FIGURES; i++) {
		bool is_call = i < 3;

		node->early[i] = is_call && !has_calls ? 0 : below(100);
		node->late[i] = is_call && !has_calls ? 0 : node->early[i] + 1 + below(1000);
	}
}

static bool is_label(const struct raw *node)
{
	return (node->line | node->value | node->tags) != 0;
}

/* A caller, and what can be called there: values stand first, then tags, then a line. */
static void make_node(uint32_t t, uint32_t i, bool sampled)
{
	struct raw *node = &it.node[t][i], *caller;

	*node = (struct raw){.id = sampled ? NODE_SAMPLED_FIRST + i : i, .sampled = sampled};
	do
		node->parent = below(i);
	while (it.node[t][node->parent].gone ||
		(!sampled && it.node[t][node->parent].sampled) ||
		/* A fold's children have none, but sampled ones. */
		(!sampled &&
			it.node[t][it.node[t][node->parent].parent].method == METHOD_FOLDED));
	caller = &it.node[t][node->parent];
	node->method = METHOD_FIRST + below(METHODS);
	if (!sampled && caller->method >= METHOD_FIRST && one_in(3) && caller->line == 0) {
		node->method = caller->method;
		if (caller->tags == 0 && one_in(3) && caller->value < 3)
			node->value = caller->value + 1;
		else if (caller->tags == 0 && one_in(2))
			node->tags = 1 + below(SETS);
		else
			node->line = 1 + below(3);
	} else if (!sampled && caller->method == METHOD_ROOT && !is_label(caller) &&
		   one_in(4)) {
		node->method = METHOD_ROOT;
		node->tags = 2 + below(SETS - 1);
	} else if (!sampled && !is_label(caller) && caller->method != METHOD_FOLDED &&
		   one_in(12)) {
		node->method = METHOD_FOLDED;
	}
	if (!sampled)
		make_figures(node,
			node->value > 0 || (!is_label(node) && node->method >= METHOD_FIRST));
	if (node->method == METHOD_FOLDED)
		memset(node->early, 0, sizeof node->early),
			memset(node->late, 0, sizeof node->late);
}

/* A leaf is folded into a node before it. */
static void make_gone(uint32_t t)
{
	struct raw *node = &it.node[t][it.nodes[t] - 1], *into;

	if (node->sampled || node->id == 0 || !it.has_begin || is_label(node) ||
		node->method < METHOD_FIRST)
		return;
	do
		node->into = below(node->id);
	while (it.node[t][node->into].gone || it.node[t][node->into].method == METHOD_FOLDED);
	node->gone = true;
	into = &it.node[t][node->into];
	for (int i = 0; i < FIGURES; i++)
		into->late[i] += node->early[i];
}

static void make_thread(uint32_t t)
{
	static const enum account_kind kinds[] = {
		IO_READ, IO_WRITE, SAMPLES, LOCKS_BLOCK, OBJECTS_ALLOCATED, CALLS, VALUE_ROWS};

	it.nodes[t] = 1;
	it.node[t][0] = (struct raw){.method = METHOD_ROOT};
	make_figures(&it.node[t][0], false);
	while (it.nodes[t] < NODES) {
		make_node(t, it.nodes[t], it.nodes[t] > NODES * 2 / 3);
		it.nodes[t]++;
		if (one_in(8))
			make_gone(t);
	}
	it.accounts[t] = 0;
	while (it.accounts[t] < NODES) {
		struct raw_account *account = &it.account[t][it.accounts[t]];
		enum account_kind kind = kinds[below(sizeof kinds / sizeof *kinds)];

		*account = (struct raw_account){
			.node = below(NODES), .kind = kind, .early = below(9)};
		account->late = account->early + 1 + below(50);
		if (it.node[t][account->node].gone)
			continue;
		if (kind == SAMPLES)
			account->subject = sample_place(below(2), SAMPLE_WAITING, below(3));
		if (kind == CALLS) {
			account->node = 0;
			account->subject = METHOD_FIRST + below(METHODS);
		}
		if (kind == VALUE_ROWS)
			account->subject = 1 + below(VALUES);
		it.accounts[t]++;
	}
}

/* ---- it, as a file ---- */

static const uint32_t thread_group[THREADS] = {0, 0, 2, 2};

/* A label is a part of its method. */
static uint32_t recursion_of(uint32_t t, const struct raw *node)
{
	uint32_t found = 0;

	for (const struct raw *up = node; up->id != 0;) {
		up = &it.node[t][up->parent];
		found += up->method == node->method && !is_label(up);
	}
	return found;
}

static void put_node(struct profile_writer *writer, uint32_t t, const struct raw *raw,
	bool late, struct error *error)
{
	const uint64_t *figure = late ? raw->late : raw->early;
	const struct profile_node node = {.thread = t + 1,
		.id = raw->id,
		.parent = it.node[t][raw->parent].id,
		.method = raw->method,
		.recursion = raw->sampled ? 0 : recursion_of(t, raw),
		.line = raw->line,
		.value = raw->value,
		.tags = raw->tags,
		.sampled = raw->sampled,
		.calls = figure[0] + figure[1] + figure[2],
		.interpreted = figure[0],
		.jitted = figure[1],
		.native = figure[2],
		.transition = {{figure[3], figure[4]}, {figure[5], figure[6]}},
		.base = figure + 7,
		.spent = figure + 7 + FIXTURE_METRICS};

	profile_put(writer, &node, error);
}

static void put_thread(
	struct profile_writer *writer, uint32_t t, bool late, struct error *error)
{
	struct profile_thread thread = {.id = t + 1,
		.group = thread_group[t],
		.name = "t",
		.folded = 1,
		.alive = true,
		.events = late ? 10 : 5,
		.wanted = it.thread_wanted[t] ? 1u << it.session.bit : 0};

	for (uint32_t i = 0; i < it.nodes[t]; i++) {
		const struct raw *raw = &it.node[t][i];
		const struct profile_forward forward = {t + 1, raw->id, t + 1, raw->into};

		for (int m = 0; m < FIXTURE_METRICS && !(late && raw->gone); m++)
			thread.total[m] += (late ? raw->late : raw->early)[7 + m];
		if (late && raw->gone) {
			profile_drop_node(writer, t + 1, raw->id, error);
			profile_put(writer, &forward, error);
		} else {
			put_node(writer, t, raw, late, error);
		}
	}
	profile_put(writer, &thread, error);
	for (uint32_t i = 0; i < it.accounts[t]; i++) {
		const struct raw_account *raw = &it.account[t][i];
		const struct profile_account account = {.thread = t + 1,
			.id = i + 1,
			.node = it.node[t][raw->node].id,
			.kind = raw->kind,
			.subject = raw->subject,
			.count = late ? raw->late : raw->early};

		profile_put(writer, &account, error);
	}
}

static void put_names(struct profile_writer *writer, struct error *error)
{
	static const char *const text[VALUES + 1] = {NULL, "a", "b", "c", "x1", "y", "z"};
	uint32_t row = 0, bit = 1u << it.session.bit;

	profile_put_meta(writer, "session", "5", error);
	profile_put_meta(writer, "calls", it.is_auto ? "auto" : "instrument", error);
	profile_put(writer, &it.session, error);
	for (uint32_t m = 0; m < METHODS; m++)
		profile_put(writer, &it.method[m], error);
	for (uint32_t c = 0; c < 2; c++) {
		const struct profile_condition condition = {
			c, c ? "c1" : "c0", "e", 1, "ns", "how"};

		profile_put(writer, &condition, error);
	}
	for (uint32_t v = 1; v <= VALUES; v++) {
		bool is_tag = v > 3;
		uint32_t key = v == 6;
		const struct profile_parameter parameter = {is_tag ? 4 + key : v,
			is_tag ? key ? "k2" : "k1" : "p", is_tag,
			(is_tag ? it.key_wanted[key] : it.value_wanted[v]) ? bit : ~bit & 255};
		const struct profile_value value = {v, parameter.id, text[v], false};

		profile_put(writer, &parameter, error);
		profile_put(writer, &value, error);
	}
	for (uint32_t s = 2; s <= SETS; s++)
		for (int k = 0; k < KEYS; k++) {
			const struct profile_tag tag = {++row, s, it.tag[s][k]};

			if (tag.value)
				profile_put(writer, &tag, error);
		}
	for (uint32_t t = 0; t < THREADS; t++) {
		const struct profile_record_thread thread = {t + 1, 1, 1, "r"};

		profile_put(writer, &thread, error);
	}
}

/* An operation of each node, which its time tells. */
static void put_records(struct profile_writer *writer, struct error *error)
{
	for (uint32_t t = 0; t < THREADS; t++)
		for (uint32_t i = 0; i < it.nodes[t]; i++) {
			const struct profile_record record = {.begin = 1000,
				.ns = t * 1000 + i,
				.thread = t + 1,
				.node = profile_node_id(t + 1, it.node[t][i].id),
				.kind = IO_READ};

			profile_put(writer, &record, error);
		}
}

/* And a copy for the session, which has less. */
static void write_it(const char *path, const char *copied)
{
	const struct profile_snapshot begin = {1, NULL, 500, SNAPSHOT_SESSION, 5};
	const struct profile_share share = {.session = 5};
	struct profile_writer *writer = NULL;
	struct profile_copy *copy = NULL;
	struct error error = {0};

	profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
	profile_begin(writer, &error);
	put_names(writer, &error);
	if (it.has_begin) {
		for (uint32_t t = 0; t < THREADS; t++)
			put_thread(writer, t, false, &error);
		profile_put_snapshot(writer, &begin, &error);
	}
	for (uint32_t t = 0; t < THREADS; t++)
		put_thread(writer, t, true, &error);
	put_records(writer, &error);
	profile_commit(writer, &error);
	profile_copy_create(&copy, copied, NULL, &error);
	profile_copy_refresh(copy, writer, &share, &error);
	profile_copy_close(copy);
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
}

/* ---- the model ---- */

/* Sums by text; a text is of what, where. */
struct sums {
	struct sum {
		char *text;
		uint64_t figure[FIGURES];
		bool exact; /* calls have found it */
	} * row;
	size_t count, room;
};

static struct sum *sum_of(struct sums *sums, const char *text)
{
	for (size_t i = 0; i < sums->count; i++)
		if (strcmp(sums->row[i].text, text) == 0)
			return &sums->row[i];
	if (sums->count == sums->room) {
		sums->room = 2 * sums->room + 64;
		sums->row = realloc(sums->row, sums->room * sizeof *sums->row);
		assert_non_null(sums->row);
	}
	sums->row[sums->count] = (struct sum){.text = strdup(text)};
	return &sums->row[sums->count++];
}

static void sums_fini(struct sums *sums)
{
	for (size_t i = 0; i < sums->count; i++)
		free(sums->row[i].text);
	free(sums->row);
	*sums = (struct sums){0};
}

static void add(struct sums *sums, uint64_t amount, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add(struct sums *sums, uint64_t amount, const char *format, ...)
{
	char text[2 * PATH];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (amount > 0)
		sum_of(sums, text)->figure[0] += amount;
}

static bool mine(uint32_t bits)
{
	return bits >> it.session.bit & 1;
}

static bool opens_scope(uint32_t method)
{
	return it.session.scoped && mine(method_of(method)->scope);
}

static bool is_timed(uint32_t method)
{
	const struct profile_method *of = method_of(method);

	return opens_scope(method) || (mine(of->wanted) && !mine(of->counted));
}

static bool key_is_wanted(int key)
{
	return it.key_wanted[key] || (key == 0 && it.session.tag);
}

/* The first set that has the same of the keys that are wanted. */
static uint32_t set_now(uint32_t set)
{
	uint32_t first = 2;
	bool same = false, any = false;

	for (int k = 0; k < KEYS; k++)
		any |= key_is_wanted(k) && it.tag[set][k];
	if (set == 1 || !any)
		return 1;
	for (; !same; first++) {
		same = true;
		for (int k = 0; k < KEYS; k++)
			same &= !key_is_wanted(k) || it.tag[first][k] == it.tag[set][k];
	}
	return first - 1;
}

static bool is_tagged(uint32_t set)
{
	return !it.session.tag || it.tag[set][0] == 4;
}

static bool has_frames(void)
{
	return it.session.conditions != 0 || it.session.traces != 0;
}

/* What a node is for the session. */
struct seen {
	char exact[PATH], frame[PATH];
	char record[PATH]; /* methods alone */
	uint32_t tags, line;
	bool inside;
	bool recorded; /* the same of records: what samples have found too does not begin a scope there */
};

static void append(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(char *path, const char *format, ...)
{
	size_t used = strlen(path);
	va_list list;

	va_start(list, format);
	vsnprintf(path + used, PATH - used, format, list);
	va_end(list);
	assert_true(strlen(path) < PATH - 1);
}

static void append_step(char *path, const struct raw *node, uint32_t line)
{
	append(path, "/%u", node->method);
	if (line)
		append(path, ":%u", line);
}

/* Cuts off labels of tags at the end. */
static void cut_tags(char *path)
{
	char *last = strrchr(path, '/');

	if (last && last[1] == 't')
		*last = '\0';
}

/* Cuts a fold off, and returns the line that it is called from: what was in it is called from there. */
static uint32_t cut_fold(char *path)
{
	char *last = strrchr(path, '/');
	uint32_t line;

	if (!last || strncmp(last, "/1", 2) != 0 || (last[2] != '\0' && last[2] != ':'))
		return 0;
	line = last[2] == ':' ? (uint32_t)atoi(last + 3) : 0;
	*last = '\0';
	return line;
}

static void see_label(struct seen *seen, const struct raw *node)
{
	uint32_t tags = node->tags ? set_now(node->tags) : seen->tags;
	bool changes = tags != seen->tags, timed = is_timed(node->method);

	seen->tags = tags;
	if (!seen->inside)
		return;
	if (changes && !timed)
		cut_tags(seen->exact);
	if (changes) {
		append(seen->exact, "/t%u", tags);
		seen->line = 0;
	}
	if (timed && node->value && it.value_wanted[node->value])
		append(seen->exact, "/v%u", node->value);
	if (timed && node->line && it.session.lines)
		seen->line = node->line;
	if (timed || changes)
		strcpy(seen->frame, seen->exact);
}

static void see_called(struct seen *seen, const struct raw *node)
{
	bool was_inside = seen->inside;

	seen->inside |= opens_scope(node->method);
	seen->recorded |= opens_scope(node->method) && !node->sampled;
	if (!was_inside && seen->inside && seen->tags != 1)
		append(seen->exact, "/t%u", seen->tags);
	if (!seen->inside)
		return;
	if (is_timed(node->method)) {
		append_step(seen->exact, node, seen->line);
		if (seen->recorded && !node->sampled)
			append_step(seen->record, node, 0);
		strcpy(seen->frame, seen->exact);
		seen->line = 0;
		return;
	}
	seen->line += cut_fold(seen->exact);
	if (!node->sampled)
		cut_fold(seen->record);
	cut_fold(seen->frame);
	append_step(seen->frame, node, strcmp(seen->frame, seen->exact) == 0 ? seen->line : 0);
}

static bool is_same_path(
	uint32_t t, const struct raw *node, uint32_t u, const struct raw *other)
{
	if (node->id == 0 || other->id == 0)
		return node->id == other->id;
	return node->method == other->method && node->line == other->line &&
	       node->value == other->value && node->tags == other->tags &&
	       is_same_path(t, &it.node[t][node->parent], u, &it.node[u][other->parent]);
}

static uint32_t shown_thread(uint32_t t)
{
	return thread_group[t] ? thread_group[t] : t + 1;
}

/* Where methods are timed all the time, what both calls and samples have found is one path. */
static bool is_sampled(uint32_t t, const struct raw *node)
{
	if (!node->sampled || it.is_auto)
		return node->sampled;
	for (uint32_t u = 0; u < THREADS; u++)
		for (uint32_t i = 0; i < it.nodes[u] && shown_thread(u) == shown_thread(t);
			i++) {
			const struct raw *other = &it.node[u][i];

			if (!other->sampled && !other->gone && is_same_path(t, node, u, other))
				return false;
		}
	return true;
}

static void see(struct seen *seen, uint32_t t, const struct raw *node)
{
	if (node->id == 0) {
		*seen = (struct seen){.tags = 1};
		seen->inside = seen->recorded = it.thread_wanted[t] && !it.session.scoped;
		return;
	}
	see(seen, t, &it.node[t][node->parent]);
	if (!it.thread_wanted[t])
		return;
	if (is_label(node))
		see_label(seen, node);
	else if (!is_sampled(t, node))
		see_called(seen, node);
	else if (seen->inside && has_frames())
		append_step(seen->frame, node,
			strcmp(seen->frame, seen->exact) == 0 ? seen->line : 0);
	/* What is a frame's is otherwise its anchor's; a fold has nothing. */
	if (!is_label(node) && is_sampled(t, node))
		cut_fold(seen->exact);
	/* Records name nodes as the file has them. */
	if (node->sampled && seen->recorded && has_frames())
		append_step(seen->record, node, 0);
	else if (node->sampled)
		cut_fold(seen->record);
}

/* Calls are those of methods that are timed, and of values. */
static void model_node(
	struct sums *nodes, struct sums *others, uint32_t t, const struct raw *node)
{
	uint64_t figure[FIGURES], calls;
	struct seen seen;
	struct sum *sum;
	char text[2 * PATH];
	bool own = node->value ? it.value_wanted[node->value] : !is_label(node);

	see(&seen, t, node);
	if (node->gone || node->sampled || !seen.inside || !is_tagged(seen.tags))
		return;
	for (int i = 0; i < FIGURES; i++)
		figure[i] = node->late[i] - (it.has_begin ? node->early[i] : 0);
	for (uint32_t k = 0; k < it.nodes[t]; k++)
		if (it.node[t][k].gone && it.node[t][k].into == node->id)
			for (int i = 0; i < FIGURES; i++)
				figure[i] -= it.node[t][k].early[i];
	calls = figure[0] + figure[1] + figure[2];
	if (!is_label(node) && !is_timed(node->method) && mine(method_of(node->method)->wanted))
		add(others, calls, "%u calls %u", shown_thread(t), node->method);
	snprintf(text, sizeof text, "%u%s", shown_thread(t), seen.exact);
	sum = sum_of(nodes, text);
	sum->exact = true;
	for (int i = own && is_timed(node->method) ? 0 : 3; i < FIGURES; i++)
		sum->figure[i] += figure[i];
}

static bool account_is_wanted(const struct raw_account *account)
{
	switch (account->kind) {
	case SAMPLES:
		return it.session.conditions >> sample_place_condition(account->subject) & 1;
	case LOCKS_BLOCK:
		return it.session.traces != 0;
	case OBJECTS_ALLOCATED:
		return false;
	case CALLS:
		return mine(method_of((uint32_t)account->subject)->wanted) &&
		       !it.session.scoped && !it.session.tag;
	case VALUE_ROWS:
		return account->subject > 3 ? key_is_wanted(account->subject == 6)
					    : it.value_wanted[account->subject];
	default:
		return true;
	}
}

static void model_account(struct sums *others, uint32_t t, const struct raw_account *account)
{
	bool of_io = account->kind == IO_READ || account->kind == IO_WRITE;
	bool in_frame = of_io ? it.session.conditions != 0 : has_frames();
	uint64_t count = account->late - (it.has_begin ? account->early : 0);
	uint64_t subject = account->subject;
	struct seen seen;

	see(&seen, t, &it.node[t][account->node]);
	if (!account_is_wanted(account) || !seen.inside)
		return;
	if (account->kind == CALLS)
		add(others, count, "%u calls %u", shown_thread(t), (uint32_t)subject);
	/* Where the first condition is not wanted the second one is the first. */
	if (account->kind == SAMPLES && it.session.conditions == 2)
		subject--;
	if (account->kind != CALLS && is_tagged(seen.tags))
		add(others, count, "%u %d.%" PRIu64 " %s", shown_thread(t), account->kind,
			subject, in_frame ? seen.frame : seen.exact);
}

static void model_record(struct sums *others, uint32_t t, uint32_t i)
{
	const struct raw *node = &it.node[t][i];
	struct seen seen;

	see(&seen, t, node->gone ? &it.node[t][node->into] : node);
	if (seen.recorded && is_tagged(seen.tags))
		add(others, 1, "record %u %s", t * 1000 + i, seen.record);
}

/* ---- what was read ---- */

/* labelled: paths have values and tags. */
static void path_of(const struct profile *profile, size_t i, bool labelled, char *path)
{
	const struct profile_node *node = &profile->node[i];

	if (node->parent == i) {
		path[0] = '\0';
		return;
	}
	path_of(profile, node->parent, labelled, path);
	if (node->value)
		append(path, "/v%u", node->value);
	else if (node->tags)
		append(path, "/t%u", node->tags);
	else
		append(path, "/%u", node->method);
	if (node->line && !node->value && !node->tags)
		append(path, ":%u", node->line);
}

static void read_figures(
	const struct profile *profile, const struct profile_node *node, uint64_t *figure)
{
	memset(figure, 0, FIGURES * sizeof *figure);
	figure[0] = node->interpreted;
	figure[1] = node->jitted;
	figure[2] = node->native;
	assert_int_equal(node->calls, figure[0] + figure[1] + figure[2]);
	for (int i = 0; i < 4; i++)
		figure[3 + i] = node->transition[i / 2][i % 2];
	/* Where they were before the others were taken out. */
	for (unsigned m = 0, at = 0; m < FIXTURE_METRICS; m++) {
		if (!(it.session.metrics >> m & 1))
			continue;
		figure[7 + m] = node->base[at];
		figure[7 + FIXTURE_METRICS + m] = node->spent[at++];
	}
}

static bool is_zero(const uint64_t *figure)
{
	uint64_t any = 0;

	for (int i = 0; i < FIGURES; i++)
		any |= figure[i];
	return any == 0;
}

static void forget_metrics(uint64_t *figure)
{
	for (int m = 0; m < FIXTURE_METRICS; m++)
		if (!(it.session.metrics >> m & 1))
			figure[7 + m] = figure[7 + FIXTURE_METRICS + m] = 0;
}

/* Each node has what the model has of its path, and nothing of the model is left over. */
static void compare_nodes(const struct profile *profile, struct sums *nodes)
{
	char path[PATH], text[2 * PATH];

	for (size_t i = 0; i < profile->node_count; i++) {
		uint64_t figure[FIGURES];
		struct sum *sum;

		path_of(profile, i, true, path);
		snprintf(text, sizeof text, "%u%s", profile->thread[profile->node[i].thread].id,
			path);
		read_figures(profile, &profile->node[i], figure);
		if (profile->node[i].sampled && !is_zero(figure))
			fail_msg("node %s is sampled, and has figures", text);
		if (profile->node[i].sampled)
			continue;
		sum = sum_of(nodes, text);
		forget_metrics(sum->figure);
		if (memcmp(figure, sum->figure, sizeof figure) != 0)
			fail_msg("node %s: %" PRIu64 " calls, base %" PRIu64
				 "; the model has %" PRIu64 ", %" PRIu64,
				text, figure[0], figure[7], sum->figure[0], sum->figure[7]);
		memset(sum->figure, 0, sizeof sum->figure);
	}
	for (size_t i = 0; i < nodes->count; i++) {
		forget_metrics(nodes->row[i].figure);
		if (!is_zero(nodes->row[i].figure))
			fail_msg("node %s is missing", nodes->row[i].text);
	}
}

static void take(struct sums *others, uint64_t amount, const char *text)
{
	struct sum *sum = sum_of(others, text);

	if (sum->figure[0] < amount)
		fail_msg("%s: %" PRIu64 ", the model has %" PRIu64, text, amount,
			sum->figure[0]);
	sum->figure[0] -= amount;
}

static void compare_accounts(const struct profile *profile, struct sums *others)
{
	char path[PATH], text[2 * PATH];

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t thread = profile->thread[profile->node[account->node].thread].id;

		path_of(profile, account->node, true, path);
		if (account->kind == CALLS) {
			assert_string_equal(path, "");
			snprintf(text, sizeof text, "%u calls %u", thread,
				(uint32_t)account->subject);
		} else {
			snprintf(text, sizeof text, "%u %d.%" PRIu64 " %s", thread,
				account->kind, account->subject, path);
		}
		take(others, account->count, text);
	}
}

static void record_path(const struct profile *profile, uint64_t place, char *path)
{
	path[0] = '\0';
	if (place == 0)
		return;
	record_path(profile, profile->path[place - 1].parent, path);
	append(path, "/%u", profile->path[place - 1].method);
}

static void compare_records(const struct profile *profile, struct sums *others)
{
	char path[PATH], text[2 * PATH];

	for (size_t i = 0; i < profile->record_count; i++) {
		record_path(profile, profile->record[i].node, path);
		snprintf(text, sizeof text, "record %u %s", (uint32_t)profile->record[i].ns,
			path);
		take(others, 1, text);
	}
	for (size_t i = 0; i < others->count; i++)
		if (others->row[i].figure[0] > 0)
			fail_msg("%s: %" PRIu64 " are missing", others->row[i].text,
				others->row[i].figure[0]);
}

/* A thread's total is the sum of its bases, before and after. */
static void check_totals(const struct profile *profile)
{
	for (size_t t = 0; t < profile->thread_count; t++)
		for (unsigned m = 0; m < profile->metric_count; m++) {
			uint64_t sum = 0;

			for (size_t i = profile->thread_first[t];
				i < profile->thread_first[t + 1]; i++)
				sum += profile->node[i].base[m];
			assert_int_equal(sum, profile->thread[t].total[m]);
		}
}

/* ... and the tree without labels has the sums of the one with them. */
static void check_places(const struct profile *profile)
{
	const struct profile *labelled = profile->labelled;
	uint64_t *sum = calloc(profile->node_count + 1, sizeof *sum);

	assert_non_null(sum);
	for (size_t i = 0; labelled && i < labelled->node_count; i++)
		if (labelled->node[i].value == 0)
			sum[profile->labelled_place[i]] += labelled->node[i].calls;
	for (size_t i = 0; labelled && i < profile->node_count; i++)
		assert_int_equal(sum[i], profile->node[i].calls);
	free(sum);
}

static void check_recursion(const struct profile *profile)
{
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];
		uint32_t up = node->parent, found = 0;

		for (size_t at = i; at != up; at = up, up = profile->node[up].parent)
			found += profile->node[up].method == node->method;
		if (node->method >= METHOD_FIRST)
			assert_int_equal(node->recursion, found);
	}
}

static void check_names(const struct profile *profile)
{
	unsigned at = 0;

	for (unsigned m = 0; m < FIXTURE_METRICS; m++)
		if (it.session.metrics >> m & 1)
			assert_string_equal(
				profile->metric[at++].name, fixture_metrics[m].name);
	assert_int_equal(profile->metric_count, at);
	assert_int_equal(profile->condition_count,
		(it.session.conditions & 1) + (it.session.conditions >> 1));
	assert_string_equal(profile->session->name, "s");
	for (size_t i = 0; i < profile->parameter_count; i++) {
		uint32_t id = profile->parameter[i].id;

		assert_true(id > 3 ? key_is_wanted((int)id - 4) : it.value_wanted[id]);
	}
}

static void compare(const char *path)
{
	const struct profile_wanted wanted = {.records = true};
	struct profile *profile = NULL;
	struct sums nodes = {0}, others = {0};
	struct error error = {0};

	profile_open_wanted(&profile, path, &wanted, &error);
	assert_string_equal(error.text, "");
	for (uint32_t t = 0; t < THREADS; t++) {
		for (uint32_t i = 0; i < it.nodes[t]; i++) {
			model_node(&nodes, &others, t, &it.node[t][i]);
			model_record(&others, t, i);
		}
		for (uint32_t i = 0; i < it.accounts[t]; i++)
			model_account(&others, t, &it.account[t][i]);
	}
	compare_nodes(profile->labelled ? profile->labelled : profile, &nodes);
	compare_accounts(profile->labelled ? profile->labelled : profile, &others);
	compare_records(profile, &others);
	check_totals(profile);
	check_places(profile);
	check_recursion(profile);
	check_names(profile);
	assert_int_equal(profile->interval.clamped, 0);
	profile_free(profile);
	sums_fini(&nodes);
	sums_fini(&others);
}

static void random_recordings(void **state)
{
	const char *given = getenv("SEED"), *path = fixture_path("random.jprof"),
		   *copied = fixture_path("copied.jprof");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);

	print_message("seed %u\n", seed);
	for (unsigned i = 0; i < TRIALS; i++) {
		srandom(seed + i);
		make_session();
		make_labels();
		for (uint32_t t = 0; t < THREADS; t++)
			make_thread(t);
		write_it(path, copied);
		compare(path);
		compare(copied);
	}
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_recordings)};

	return cmocka_run_group_tests(tests, NULL, clean);
}
