/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fixture: profiles in memory. */
#include "native-tests/report/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void fixture_init(struct fixture *fixture)
{
	struct profile *profile = &fixture->profile;

	memset(fixture, 0, sizeof(*fixture));
	profile->meta = fixture->meta;
	profile->method = fixture->method;
	profile->thread = fixture->thread;
	profile->node = fixture->node;
	profile->thread_first = fixture->thread_first;
	profile->file = fixture->file;
	profile->condition = fixture->condition;
	profile->account = fixture->account;
	profile->metric_count = FIXTURE_METRICS;
	profile->metric[0] =
		(struct profile_metric){.name = "wall", .unit = "ns", .how = "time stamp"};
	profile->metric[1] =
		(struct profile_metric){.name = "alloc", .unit = "bytes", .how = "buffer"};
	profile->method_count = METHOD_FIRST;
	fixture->method[METHOD_FOLDED].id = METHOD_FOLDED;
	fixture->method[METHOD_FOLDED].name = PROFILE_FOLDED_NAME;
}

uint32_t fixture_method(struct fixture *fixture, const char *class_name, const char *name,
	const char *signature)
{
	uint32_t id = fixture->profile.method_count++;

	assert_true(id < FIXTURE_METHODS);
	fixture->method[id] = (struct profile_method){
		.id = id, .class_name = class_name, .name = name, .signature = signature};
	return id;
}

static uint32_t find_recursion(
	const struct profile_node *nodes, uint32_t parent, uint32_t method)
{
	uint32_t recursion = 0;

	for (uint32_t up = parent; nodes[up].parent != up; up = nodes[up].parent)
		recursion += nodes[up].method == method;
	return recursion;
}

static void add_node(struct fixture *fixture, uint32_t parent, uint32_t method, uint64_t calls,
	uint64_t wall, uint64_t alloc)
{
	struct profile *profile = &fixture->profile;
	size_t at = profile->node_count++, thread = profile->thread_count - 1;
	size_t first = profile->thread_first[thread];

	assert_true(at < FIXTURE_NODES);
	fixture->base[at][0] = wall;
	fixture->base[at][1] = alloc;
	parent += (uint32_t)first;
	fixture->node[at] = (struct profile_node){.thread = (uint32_t)thread,
		.id = (uint32_t)(at - first),
		.parent = parent,
		.method = method,
		.calls = calls,
		.interpreted = calls / 3,
		.jitted = calls - calls / 3,
		.recursion = at == first ? 0 : find_recursion(fixture->node, parent, method),
		.base = fixture->base[at]};
	fixture->thread[thread].events += 2 * calls;
	fixture->thread[thread].total[0] += wall;
	fixture->thread[thread].total[1] += alloc;
	profile->thread_first[thread + 1] = profile->node_count;
}

void fixture_thread(struct fixture *fixture, const char *name, uint64_t wall, uint64_t alloc)
{
	size_t at = fixture->profile.thread_count++;

	assert_true(at < FIXTURE_THREADS);
	fixture->thread[at] = (struct profile_thread){.id = (uint32_t)(10 * (at + 1)),
		.java_id = (int64_t)at + 1,
		.os_id = 100 + (int64_t)at,
		.name = name,
		.alive = at == 0,
		.folded = 1,
		.ended = at == 0 ? 0 : 5000};
	add_node(fixture, 0, METHOD_ROOT, 0, wall, alloc);
}

uint32_t fixture_node(struct fixture *fixture, uint32_t parent, uint32_t method, uint64_t calls,
	uint64_t wall, uint64_t alloc)
{
	struct profile *profile = &fixture->profile;

	add_node(fixture, parent, method, calls, wall, alloc);
	return fixture->node[profile->node_count - 1].id;
}

uint32_t fixture_file(struct fixture *fixture, enum io_kind kind, int descriptor,
	const char *name, const char *peer)
{
	uint32_t id = (uint32_t)++fixture->profile.file_count;

	assert_true(id <= FIXTURE_FILES);
	fixture->file[id - 1] = (struct profile_file){.id = id,
		.kind = kind,
		.descriptor = descriptor,
		.name = name,
		.peer = peer,
		.opened = PROFILE_NOT_KNOWN,
		.first = PROFILE_NOT_KNOWN};
	return id;
}

void fixture_io(struct fixture *fixture, uint32_t node, uint32_t file, enum account_kind op,
	uint64_t ops, uint64_t bytes)
{
	size_t at = fixture->profile.account_count++;

	assert_true(at < FIXTURE_IO);
	fixture->account[at] = (struct profile_account){.id = (uint32_t)at,
		.node = (uint32_t)fixture->thread_first[fixture->profile.thread_count - 1] +
			node,
		.subject = file,
		.kind = op,
		.count = ops,
		.amount = bytes,
		.ns = 1000 * ops};
}

/* The I/O of the first thread's main (node 1) and get (2). */
static void main_io(struct fixture *fixture)
{
	uint32_t data = fixture_file(fixture, IO_FILE, 5, "/tmp/data \"1\".db", NULL);
	uint32_t jar = fixture_file(fixture, IO_FILE, 6, "/tmp/a.jar", NULL);
	uint32_t entry = fixture_file(fixture, IO_ENTRY, -1, "a/b.txt", "/tmp/a.jar");
	uint32_t host = fixture_file(fixture, IO_HOST, -1, "example.org", NULL);

	fixture->file[data - 1].opened = -2500;
	fixture->file[data - 1].opened_by = "main";
	fixture->file[jar - 1].known = KNOWN_ATTACH;
	fixture_io(fixture, 1, data, IO_OPEN, 2, 0);
	fixture_io(fixture, 2, data, IO_READ, 100, 819200);
	fixture_io(fixture, 1, data, IO_WRITE, 3, 30);
	fixture_io(fixture, 1, data, IO_CLOSE, 2, 0);
	fixture_io(fixture, 2, jar, IO_READ, 4, 4096);
	fixture_io(fixture, 2, entry, IO_READ, 4, 4096);
	fixture_io(fixture, 1, host, IO_RESOLVE, 1, 0);
	fixture->account[fixture->profile.account_count - 1].failures = 1;
}

/* The I/O of the second thread's get (node 1). */
static void worker_io(struct fixture *fixture)
{
	uint32_t tcp = fixture_file(fixture, IO_TCP, 7, "127.0.0.1:40000", "127.0.0.1:8080");

	fixture->file[tcp - 1].opened = 4000;
	fixture->file[tcp - 1].opened_by = fixture->thread[1].name;
	fixture->file[tcp - 1].opened_in = 1;
	fixture->path = (struct profile_path){
		.method = fixture->node[fixture->profile.node_count - 1].method};
	fixture->profile.path = &fixture->path;
	fixture->profile.path_count = 1;
	fixture->record_thread =
		(struct profile_record_thread){.id = 1, .name = "worker \"1\""};
	fixture->profile.record_thread = &fixture->record_thread;
	fixture->profile.record_thread_count = 1;
	fixture->record[0] = (struct profile_record){.begin = 5000000,
		.ns = 250,
		.thread = 1,
		.node = 1,
		.subject = tcp,
		.kind = IO_SEND,
		.amount = 1000};
	fixture->record[1] = (struct profile_record){
		.begin = 6000000, .ns = 1500, .thread = 1, .kind = IO_SYNC, .failed = true};
	fixture->profile.record = fixture->record;
	fixture->profile.record_count = 2;
	fixture_io(fixture, 1, tcp, IO_CONNECT, 1, 0);
	fixture_io(fixture, 1, tcp, IO_SEND, 10, 1000);
	fixture_io(fixture, 1, tcp, IO_RECEIVE, 20, 20000);
	fixture_io(fixture, 0, 0, IO_SYNC, 2, 0);
}

static void markers(struct fixture *fixture)
{
	fixture->snapshot[0] =
		(struct profile_snapshot){1, "warm \"1\"", 2000000, SNAPSHOT_NAMED, 0};
	fixture->snapshot[1] =
		(struct profile_snapshot){2, "reset1", 9000000, SNAPSHOT_RESET, 0};
	fixture->profile.snapshot = fixture->snapshot;
	fixture->profile.snapshot_count = 2;
	fixture->mark[0] = (struct profile_mark){1500000, 1, "main", "begin of\twork"};
	fixture->mark[1] = (struct profile_mark){3000000, 0, NULL, "caf\xc3\xa9"};
	fixture->profile.mark = fixture->mark;
	fixture->profile.mark_count = 2;
}

void fixture_small(struct fixture *fixture)
{
	uint32_t main_id, fib, get, get_of, a, b;

	fixture_init(fixture);
	fixture->meta[0] = (struct profile_meta){(char *)"jvm.name", (char *)"Test VM"};
	fixture->meta[1] = (struct profile_meta){(char *)"duration_ns", (char *)"12345678"};
	fixture->meta[2] = (struct profile_meta){(char *)"colour\033[1m", (char *)"a\nb"};
	fixture->profile.meta_count = 3;
	main_id = fixture_method(fixture, "com.acme.Main", "main", "([Ljava/lang/String;)V");
	fib = fixture_method(fixture, "com.acme.Fib", "fib", "(I)I");
	get = fixture_method(fixture, "com.acme.Box", "get", "()Ljava/lang/Object;");
	get_of = fixture_method(fixture, "com.acme.Box", "get", "(I[Ljava/lang/String;)V");
	fixture->method[get].is_static = true;
	fixture->method[get_of].is_native = true;

	fixture_thread(fixture, "main", 1000, 10);
	a = fixture_node(fixture, 0, main_id, 1, 2000000, 100);
	fixture_node(fixture, a, get, 7, 500000, 0);
	b = fixture_node(fixture, a, fib, 1, 1000000, 20);
	b = fixture_node(fixture, b, fib, 2, 4000000, 30);
	fixture_node(fixture, b, fib, 4, 1499600, 40);
	fixture_node(fixture, b, METHOD_FOLDED, 1234567, 3000000, 1);
	main_io(fixture);
	fixture_thread(fixture, "worker \"1\"", 7000, 0);
	fixture_node(fixture, 0, get_of, 3, 9000, 2048);
	worker_io(fixture);
	markers(fixture);
	fixture->thread[0].unwound = 4321;
	fixture->thread[1].unwound = 2;
}

/* ---- samples ---- */

static void add_fact(struct fixture *fixture, const char *key, const char *value)
{
	fixture->meta[fixture->profile.meta_count++] = (struct profile_meta){key, value};
}

void fixture_condition(struct fixture *fixture, const char *name, const char *event,
	uint64_t period, const char *unit, const char *how)
{
	uint32_t id = (uint32_t)fixture->profile.condition_count++;

	fixture->condition[id] = (struct profile_condition){id, name, event, period, unit, how};
}

static uint32_t add_method(struct fixture *fixture, enum method_kind kind,
	const char *class_name, const char *name)
{
	uint32_t id =
		fixture_method(fixture, class_name, name, kind == METHOD_JAVA ? "()V" : NULL);

	fixture->method[id].kind = kind;
	if (kind != METHOD_JAVA)
		return id;
	snprintf(fixture->source[id], sizeof(fixture->source[id]), "%s.java",
		strrchr(class_name, '.') + 1);
	fixture->method[id].file = fixture->source[id];
	return id;
}

/* A node that samples alone have found. */
static uint32_t add_sampled(struct fixture *fixture, uint32_t parent, uint32_t method)
{
	uint32_t node = fixture_node(fixture, parent, method, 0, 0, 0);

	fixture->node[fixture->profile.node_count - 1].sampled = true;
	return node;
}

void fixture_samples(struct fixture *fixture, uint32_t node, uint32_t condition,
	enum sample_state state, uint32_t line, uint64_t amount)
{
	fixture_io(fixture, node, 0, SAMPLES, amount, amount);
	fixture->account[fixture->profile.account_count - 1].subject =
		sample_place(condition, state, line);
	fixture->account[fixture->profile.account_count - 1].ns = 0;
}

void fixture_sampled(struct fixture *fixture)
{
	uint32_t run, serve, place, total, price, get, write, read, copy, gc, compile, at,
		orders;

	fixture_init(fixture);
	add_fact(fixture, "java.command", "com.acme.shop.Main --port 8080");
	add_fact(fixture, "duration_ns", "12345678901");
	add_fact(fixture, "calls", "sample");
	add_fact(fixture, "sample.cpu:1ms.taken", "8120");
	add_fact(fixture, "sample.cpu:1ms.inside", "3");
	add_fact(fixture, "sample.cpu:1ms.full", "412");
	add_fact(fixture, "sample.cost_ns", "41200000");
	add_fact(fixture, "sample.walk.no frame pointer", "17");
	fixture_condition(fixture, "cpu:1ms", "cpu", 1000000, "ns", "perf task-clock");
	run = add_method(fixture, METHOD_JAVA, "java.lang.Thread", "run");
	serve = add_method(fixture, METHOD_JAVA, "com.acme.shop.http.Server", "serve");
	place = add_method(
		fixture, METHOD_JAVA, "com.acme.shop.orders.OrderService", "placeOrder");
	total = add_method(fixture, METHOD_JAVA, "com.acme.shop.orders.Cart", "total");
	price = add_method(fixture, METHOD_JAVA, "com.acme.shop.prices.PriceTable", "priceOf");
	get = add_method(fixture, METHOD_JAVA, "java.util.HashMap", "getNode");
	orders = add_method(fixture, METHOD_JAVA, "com.acme.shop.orders.OrderStore", "append");
	write = add_method(fixture, METHOD_NATIVE, "libc.so.6", "__libc_write");
	read = add_method(fixture, METHOD_KERNEL, "[kernel]", "ksys_write");
	copy = add_method(fixture, METHOD_STUB, "[stub]", "jlong_disjoint_arraycopy");
	gc = add_method(
		fixture, METHOD_JVM, "libjvm.so", "G1ParScanThreadState::steal_and_trim_queue");
	compile = add_method(
		fixture, METHOD_JVM, "libjvm.so", "PhaseIdealLoop::build_and_optimize");

	for (int worker = 0; worker < 2; worker++) {
		uint64_t n = worker == 0 ? 3 : 2;

		fixture_thread(fixture, worker == 0 ? "worker-1" : "worker-2", 0, 0);
		at = add_sampled(fixture, 0, run);
		at = add_sampled(fixture, at, serve);
		fixture_samples(fixture, at, 0, SAMPLE_INTERPRETED, 88, 21 * n);
		at = add_sampled(fixture, at, place);
		fixture_samples(fixture, at, 0, SAMPLE_C1, 41, 30 * n);
		uint32_t store = add_sampled(fixture, at, orders);
		fixture_samples(fixture, store, 0, SAMPLE_C2, 129, 12 * n);
		uint32_t out = add_sampled(fixture, store, write);
		fixture_samples(fixture, out, 0, SAMPLE_NATIVE, 0, 40 * n);
		fixture_samples(
			fixture, add_sampled(fixture, out, read), 0, SAMPLE_KERNEL, 0, 310 * n);
		at = add_sampled(fixture, at, total);
		fixture_samples(fixture, at, 0, SAMPLE_C2, 57, 150 * n);
		fixture_samples(fixture, at, 0, SAMPLE_C2_INLINED, 59, 60 * n);
		fixture_samples(
			fixture, add_sampled(fixture, at, copy), 0, SAMPLE_STUB, 0, 25 * n);
		uint32_t inner = add_sampled(fixture, add_sampled(fixture, at, total), price);
		fixture_samples(fixture, inner, 0, SAMPLE_C2, 203, 410 * n);
		fixture_samples(fixture, inner, 0, SAMPLE_C2, 204, 95 * n);
		fixture_samples(fixture, add_sampled(fixture, inner, get), 0, SAMPLE_C2_INLINED,
			575, 270 * n);
	}
	fixture_thread(fixture, "GC Thread#0", 0, 0);
	fixture->thread[2].java_id = 0;
	fixture_samples(fixture, add_sampled(fixture, 0, gc), 0, SAMPLE_GC, 0, 600);
	fixture_thread(fixture, "C2 CompilerThread0", 0, 0);
	fixture->thread[3].java_id = 0;
	fixture_samples(fixture, add_sampled(fixture, 0, compile), 0, SAMPLE_JVM, 0, 405);
}

void fixture_mixed(struct fixture *fixture)
{
	uint32_t copy, list, bytes, at, inner;

	fixture_small(fixture);
	fixture->profile.account_count = 0;
	fixture_condition(fixture, "wall:10ms", "wall", 10000000, "ns", "timers of 10 ms");
	fixture_condition(fixture, "alloc:512k", "alloc", 524288, "bytes", "the JVM's own");
	copy = add_method(fixture, METHOD_STUB, "[stub]", "arraycopy");
	list = add_method(fixture, METHOD_JAVA, "java.util.ArrayList", "grow");
	bytes = add_method(fixture, METHOD_CLASS, "byte[]", "");
	/* In the second thread, below get. */
	at = 1;
	fixture_samples(fixture, at, 0, SAMPLE_C2, 12, 5);
	inner = add_sampled(fixture, at, list);
	fixture_samples(fixture, inner, 0, SAMPLE_C2_INLINED, 0, 8);
	fixture_samples(
		fixture, add_sampled(fixture, inner, list), 0, SAMPLE_INTERPRETED, 237, 1);
	fixture_samples(fixture, add_sampled(fixture, inner, copy), 0, SAMPLE_STUB, 0, 2);
	fixture_samples(fixture, add_sampled(fixture, inner, bytes), 1, SAMPLE_C2, 238, 7);
	/* Below the root alone. */
	fixture_samples(fixture, add_sampled(fixture, 0, list), 0, SAMPLE_WAITING, 0, 4);
}

/* The last thread is a row of so many virtual threads. */
static void make_virtual(
	struct fixture *fixture, uint64_t folded, uint64_t mounts, uint64_t carrier_ns)
{
	struct profile_thread *thread = &fixture->thread[fixture->profile.thread_count - 1];

	thread->is_virtual = true;
	thread->os_id = 0;
	if (folded != 1)
		thread->java_id = 0;
	thread->folded = folded;
	thread->mounts = mounts;
	thread->carrier_ns = carrier_ns;
}

void fixture_virtual(struct fixture *fixture)
{
	uint32_t run;

	fixture_small(fixture);
	run = fixture_method(fixture, "com.acme.Task", "run", "()V");
	fixture_thread(fixture, "", 300, 0);
	make_virtual(fixture, 100000, 250000, 1500000);
	fixture_node(fixture, 0, run, 100000, 5000000, 64);
	fixture_thread(fixture, "", 20, 0);
	make_virtual(fixture, 1, 3, 400000);
	fixture_thread(fixture, "request-*", 7, 0);
	make_virtual(fixture, 12, 0, 0);
}

/* ---- waits ---- */

#define MILLISECONDS UINT64_C(1000000)

void fixture_waits(struct fixture *fixture)
{
	enum { TAKE = 1, RESTOCK, ORDER }; /* paths */
	const uint32_t one = 10, other = 20;
	uint32_t method[4];

	fixture_init(fixture);
	method[TAKE] = fixture_method(fixture, "com.acme.stock.Stock", "take", "()V");
	method[RESTOCK] = fixture_method(fixture, "com.acme.stock.Stock", "restock", "()V");
	method[ORDER] = fixture_method(fixture, "com.acme.shop.Orders", "order", "()V");
	fixture_thread(fixture, "http-nio-8080-exec-1", 1000, 0);
	fixture->thread[0].id = one;
	fixture_thread(fixture, "restocker", 1000, 0);
	fixture->thread[1].id = other;
	fixture->waits_path[0] = (struct profile_path){.method = method[ORDER]};
	fixture->waits_path[1] = (struct profile_path){.parent = 1, .method = method[TAKE]};
	fixture->waits_path[2] = (struct profile_path){.method = method[RESTOCK]};
	fixture->lock[0] = (struct profile_lock){1, "", PROFILE_NOT_KNOWN};
	fixture->lock[1] = (struct profile_lock){
		2, "java.util.concurrent.locks.ReentrantLock$NonfairSync", 0x66b179dd};
	fixture->lock[2] = (struct profile_lock){3, "com.acme.shop.Ledger", 0x1b2c3d4};
	fixture->contention[0] = (struct profile_contention){.id = 1,
		.node = 2,
		.holder = 3,
		.thread = one,
		.holder_thread = other,
		.lock = 2,
		.kind = LOCKS_PARK,
		.count = 120,
		.ns = 3400 * MILLISECONDS,
		.longest = 310 * MILLISECONDS,
		.began = 1200 * MILLISECONDS};
	fixture->contention[1] = (struct profile_contention){.id = 2,
		.node = 1,
		.holder = 1,
		.thread = other,
		.holder_thread = one,
		.lock = 3,
		.kind = LOCKS_BLOCK,
		.count = 3,
		.ns = 2 * MILLISECONDS,
		.longest = 1 * MILLISECONDS,
		.began = 700 * MILLISECONDS};
	fixture->contention[2] = (struct profile_contention){.id = 3,
		.node = 3,
		.thread = other,
		.lock = 1,
		.kind = LOCKS_PARK,
		.count = 40,
		.failures = 2,
		.ns = 6000 * MILLISECONDS,
		.longest = 900 * MILLISECONDS,
		.began = 0};
	/* Of an interval: its longest was before. */
	fixture->contention[3] = fixture->contention[1];
	fixture->contention[3].id = 4;
	fixture->contention[3].thread = one;
	fixture->contention[3].longest = fixture->contention[3].began = 0;
	fixture->wait = (struct profile_wait){.id = 1,
		.contention = 1,
		.begin = 1200 * MILLISECONDS,
		.ns = 310 * MILLISECONDS,
		.node = 2,
		.holder = 3,
		.thread = one,
		.holder_thread = other,
		.lock = 2,
		.kind = LOCKS_PARK};
	fixture->unfinished[0] = fixture->wait;
	fixture->unfinished[0].begin = 5000 * MILLISECONDS;
	fixture->unfinished[0].ns = 4100 * MILLISECONDS;
	fixture->unfinished[1] = (struct profile_wait){.id = 2,
		.begin = 4000 * MILLISECONDS,
		.ns = 5100 * MILLISECONDS,
		.node = 3,
		.thread = other,
		.lock = 1,
		.kind = LOCKS_PARK};
	fixture->period = (struct profile_trace_period){.id = 1,
		.trace = TRACE_LOCKS,
		.began = 100 * MILLISECONDS,
		.ended = 9100 * MILLISECONDS};
	fixture->profile.path = fixture->waits_path;
	fixture->profile.path_count = 3;
	fixture->profile.lock = fixture->lock;
	fixture->profile.lock_count = 3;
	fixture->profile.contention = fixture->contention;
	fixture->profile.contention_count = 4;
	fixture->profile.long_wait = &fixture->wait;
	fixture->profile.long_wait_count = 1;
	fixture->profile.unfinished_wait = fixture->unfinished;
	fixture->profile.unfinished_wait_count = 2;
	fixture->profile.trace_period = &fixture->period;
	fixture->profile.trace_period_count = 1;
	fixture->meta[fixture->profile.meta_count++] =
		(struct profile_meta){"flushed_ns", "9100000000"};
}

/* ---- adjusting ---- */

/* The code of a sequence in words. */
static uint32_t code_of(const char *first, const char *begin, const char *second,
	const char *end, const char *third)
{
	const struct sequence_words words = {first, begin, second, end, third};
	int code = sequence_from_words(&words);

	assert_true(code >= 0);
	return (uint32_t)code;
}

static void add_sequence(
	struct fixture *fixture, uint32_t code, uint64_t count, uint64_t wall, uint64_t least)
{
	size_t at = fixture->profile.sequence_count++;

	fixture->sequence_sum[at][0] = wall;
	fixture->sequence_min[at][0] = least;
	fixture->sequence[at] = (struct profile_sequence){.code = code,
		.count = count,
		.sum = fixture->sequence_sum[at],
		.min = fixture->sequence_min[at]};
}

void fixture_deltas(struct fixture *fixture)
{
	struct profile *profile = &fixture->profile;

	for (size_t i = 0; i < profile->node_count; i++) {
		struct profile_node *node = &fixture->node[i];

		node->transition[PROFILE_ENTRY][PROFILE_EXIT] += node->calls;
		fixture->node[node->parent].transition[PROFILE_EXIT][PROFILE_ENTRY] +=
			node->calls;
		node->spent = fixture->spent[i];
		fixture->spent[i][0] = i == 0 ? 0 : 16;
	}
	profile->sequence = fixture->sequence;
	add_sequence(
		fixture, code_of("jitted", "entry", "jitted", "exit", "jitted"), 100, 5000, 20);
	add_sequence(
		fixture, code_of("jitted", "exit", "jitted", "entry", "jitted"), 40, 1000, 9);
	add_sequence(fixture, code_of(NULL, NULL, "jitted", "unwind", NULL), 3, 9000, 1000);
}

static void add_row(
	struct calibration *calibration, uint32_t code, double wall, double low, double high)
{
	struct calibration_row *row = calibration_add_row(calibration, code);

	assert_non_null(row);
	row->count = 1000;
	row->cost[0] = (struct calibration_cost){.observed = wall + 1.5,
		.minimum = wall,
		.environment = 1.5,
		.cost = wall,
		.low = low,
		.high = high,
		.work_low = low,
		.work_high = high};
}

void fixture_adjust(const struct fixture *fixture, struct adjustment *adjustment)
{
	struct calibration *calibration = calibration_create();
	struct error error = {0};

	assert_non_null(calibration);
	calibration_add_metric(calibration, "wall", "ns", 0.02);
	calibration_add_metric(calibration, "alloc", "bytes", 0);
	add_row(calibration, code_of("jitted", "entry", "jitted", "exit", "jitted"), 30, 25,
		40);
	add_row(calibration, code_of("jitted", "entry", "interpreted", "exit", "jitted"), 400,
		10, 5790);
	add_row(calibration, code_of("jitted", "exit", "jitted", "entry", "jitted"), 50.25, 50,
		51);
	*adjustment = (struct adjustment){.calibration = calibration};
	snprintf(adjustment->said, sizeof(adjustment->said), "of the fixture");
	if (adjust_profile(&adjustment->adjusted, &fixture->profile, calibration, &error) != 0)
		fail_msg("%s", error.text);
}

/* ---- reports ---- */

static char *read_all(FILE *file)
{
	long size;
	char *text;

	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
	return text;
}

static void say_line(const char *line)
{
	fprintf(stderr, "jprof: %s\n", line);
}

char *fixture_report(const struct fixture *fixture, const struct report_request *request,
	uint64_t *violations, struct error *error)
{
	struct report_request said = *request;
	FILE *file = tmpfile();
	char *text = NULL;

	assert_non_null(file);
	said.say = say_line;
	if (report_print(&fixture->profile, &said, fileno(file), violations, error) == 0)
		text = read_all(file);
	fclose(file);
	return text;
}

char *fixture_print(const struct fixture *fixture, const char *view, const char *format)
{
	return fixture_print_adjusted(fixture, view, format, NULL);
}

char *fixture_print_adjusted(const struct fixture *fixture, const char *view,
	const char *format, const struct adjustment *adjustment)
{
	struct report_request request = {.view = view_find(view),
		.format = format_find(format),
		.choice.adjustment = adjustment};
	struct error error = {0};
	uint64_t violations;
	char *text;

	assert_non_null(request.view);
	assert_non_null(request.format);
	text = fixture_report(fixture, &request, &violations, &error);
	if (text == NULL)
		fail_msg("no report: %s", error.text);
	assert_int_equal(violations, 0);
	return text;
}

const struct view *view_find(const char *name)
{
	for (size_t i = 0; i < view_count; i++) {
		if (strcmp(views[i]->name, name) == 0)
			return views[i];
	}
	return NULL;
}

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < format_count; i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}
