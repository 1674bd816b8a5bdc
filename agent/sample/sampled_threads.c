/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sampled_threads: see sampled_threads.h. */
#include "agent/sample/sampled_threads.h"

#include <sched.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/lock/lock.h"
#include "metric/clock.h"

enum {
	BUCKETS = 1 << 12,
	BLOCK = 1 << 8,
	BLOCKS = 1 << 12, /* a million threads at a time */
	LOOK_SHARE = 50   /* a look takes one of so many parts of the time at most */
};

/* Between two looks while the number of threads stays. */
#define LOOK_PAUSE_NS UINT64_C(2000000000)

static struct lock threads_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_SAMPLES};
static _Atomic(struct sampled_thread *) bucket[BUCKETS];
static _Atomic(struct sampled_thread *) block[BLOCKS];

/* Under the lock. */
static struct sample_event_choice choices[SAMPLE_CONDITIONS];
static unsigned choice_count;
static int sample_signal;
static struct sampled_threads_for session;
static bool begun;
static uint32_t made;                 /* places that were ever used */
static struct sampled_thread *unused; /* free ones */
static struct sampled_thread *ended, *ended_before;
static struct sampled_threads_state state;

/* The look's, on one thread. */
static uint64_t look_at, look_took;
static nlink_t look_links;

/* The thread-local pointer, and in which round of begins it was found. */
static __thread struct sampled_thread *own_thread __attribute__((tls_model("initial-exec")));
static __thread pid_t own_tid __attribute__((tls_model("initial-exec")));

struct sampled_thread *sampled_thread_at(uint32_t index)
{
	return &atomic_load_explicit(
		&block[index / BLOCK], memory_order_acquire)[index % BLOCK];
}

static struct sampled_thread *find(pid_t tid)
{
	struct sampled_thread *thread =
		atomic_load_explicit(&bucket[(unsigned)tid % BUCKETS], memory_order_acquire);

	/* One that is taken out right now still leads on. */
	while (thread && thread->tid != tid)
		thread = atomic_load_explicit(&thread->next, memory_order_acquire);
	return thread;
}

struct sampled_thread *sampled_thread_now(void)
{
	/* gettid(2) once in a thread's life. */
	if (own_tid == 0)
		own_tid = gettid();
	if (!own_thread || own_thread->tid != own_tid)
		own_thread = find(own_tid);
	/* Once more: a place on the way may just have been given to a thread of another bucket, and have led there. */
	if (!own_thread)
		own_thread = find(own_tid);
	return own_thread;
}

struct sampled_thread *sampled_thread_find(pid_t tid)
{
	struct sampled_thread *thread = find(tid);

	/* As above. */
	return thread ? thread : find(tid);
}

/* ---- under the lock ---- */

static struct sampled_thread *take_place(void)
{
	struct sampled_thread *thread = unused;

	if (thread) {
		unused = thread->link;
		return thread;
	}
	if (made / BLOCK >= BLOCKS)
		return NULL;
	if (!atomic_load(&block[made / BLOCK])) {
		thread = calloc(BLOCK, sizeof(*thread));
		if (!thread)
			return NULL;
		atomic_store(&block[made / BLOCK], thread);
	}
	thread = sampled_thread_at(made);
	thread->index = made++;
	return thread;
}

static void chain(struct sampled_thread *thread)
{
	_Atomic(struct sampled_thread *) *head = &bucket[(unsigned)thread->tid % BUCKETS];

	thread->next = atomic_load(head);
	atomic_store_explicit(head, thread, memory_order_release);
}

/* Its own link stays: a handler may be there right now. */
static void unchain(struct sampled_thread *thread)
{
	_Atomic(struct sampled_thread *) *at = &bucket[(unsigned)thread->tid % BUCKETS];

	while (atomic_load(at) && atomic_load(at) != thread)
		at = &atomic_load(at)->next;
	if (atomic_load(at))
		atomic_store(at, atomic_load(&thread->next));
}

/* 0: it has ended. */
static uint64_t used_before(pid_t tid)
{
	struct timespec used;

	if (clock_gettime((clockid_t)((~(unsigned)tid << 3) | 6), &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* Some condition is processor time. */
static bool clocked(void)
{
	bool any = false;

	for (unsigned i = 0; i < choice_count; i++)
		any |= choices[i].clock;
	return any;
}

/* Of processor time it is known what a thread used when its last period was not over: much of what short-lived ones do. Of all
 * else, and of a thread that is gone, what the kernel has told. */
static void close_events(struct sampled_thread *thread)
{
	uint64_t used = clocked() ? used_before(thread->tid) : 0;
	struct sample_poll left;

	for (unsigned i = 0; i < choice_count; i++) {
		struct sample_event *event = &thread->event[i];
		bool is_open = event->ring || event->timed;
		uint64_t told = thread->before + thread->told[i] * choices[i].period, rest;

		sample_event_close(event, &left);
		rest = (left.periods + (uint64_t)left.lost) * choices[i].period;
		if (choices[i].clock && is_open && used > 0)
			rest = used > told ? used - told : 0;
		session.left(thread, i, rest);
	}
}

static void open_events(struct sampled_thread *thread)
{
	memset(thread->told, 0, sizeof(thread->told));
	thread->before = clocked() ? used_before(thread->tid) : 0;
	for (unsigned i = 0; i < choice_count; i++) {
		int status;

		if (choices[i].period == 0)
			continue;
		status = sample_event_open(
			&thread->event[i], &choices[i], thread->tid, sample_signal);
		/* It may have ended meanwhile. */
		if (status < 0 && status != -ESRCH)
			state.refused++;
		if (thread->event[i].timed && !choices[i].timers)
			state.timed++;
	}
}

static void take_out(struct sampled_thread *thread)
{
	unchain(thread);
	close_events(thread);
	thread->gone = true;
	thread->link = ended;
	ended = thread;
}

/* ---- threads come and go ---- */

static void describe(struct sampled_thread *thread, int64_t java_id, const char *name)
{
	thread->java_id = java_id;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	thread->wanted = session.wanted(name, java_id, thread->tid);
}

static void add(pid_t tid, int64_t java_id, const char *name, bool from_the_start)
{
	struct sampled_thread *thread = find(tid);

	if (thread && java_id)
		describe(thread, java_id, name);
	if (thread)
		return;
	thread = take_place();
	if (!thread) {
		state.refused++;
		return;
	}
	thread->tid = tid;
	thread->row = 0;
	thread->gone = false;
	thread->java = 0;
	thread->tick = thread->ran = 0;
	atomic_store(&thread->slot, NULL);
	atomic_store(&thread->due, 0);
	atomic_store(&thread->asked, 0);
	describe(thread, java_id, name);
	if (!from_the_start && clocked())
		state.late_ns += used_before(tid);
	chain(thread);
	open_events(thread);
}

void sampled_thread_add(pid_t tid, int64_t java_id, const char *name, uintptr_t java)
{
	struct sampled_thread *thread;

	lock_take(&threads_lock);
	if (begun)
		add(tid, java_id, name, true);
	thread = begun ? find(tid) : NULL;
	if (thread && java)
		thread->java = java;
	lock_give(&threads_lock);
}

void sampled_threads_renew(void)
{
	lock_take(&threads_lock);
	for (uint32_t i = 0; begun && i < made; i++) {
		struct sampled_thread *thread = sampled_thread_at(i);

		if (!thread->gone)
			thread->wanted =
				session.wanted(thread->name, thread->java_id, thread->tid);
	}
	lock_give(&threads_lock);
}

uint64_t sampled_thread_ran(const struct sampled_thread *thread)
{
	return used_before(thread->tid);
}

uint32_t sampled_threads_visit(uint32_t next, uint64_t tick, uint64_t until,
	void (*look)(struct sampled_thread *thread, uint32_t ticks))
{
	lock_take(&threads_lock);
	for (uint32_t i = 0; begun && i < made && (i % 16 != 0 || clock_system() < until);
		i++) {
		struct sampled_thread *thread = sampled_thread_at(next++ % made);

		if (thread->gone || !thread->java || !thread->wanted)
			continue;
		/* The first look tells only where it is. */
		if (thread->tick == 0)
			thread->ran = sampled_thread_ran(thread);
		else if (tick > thread->tick)
			look(thread, (uint32_t)(tick - thread->tick));
		thread->tick = tick;
	}
	lock_give(&threads_lock);
	return next;
}

bool sampled_threads_try(void (*look)(struct sampled_thread *thread, void *user), void *user)
{
	enum { TRIES = 200 };
	bool taken = false;

	for (int i = 0; i < TRIES && !taken; i++) {
		taken = lock_try(&threads_lock);
		if (!taken)
			sched_yield();
	}
	if (!taken)
		return false;
	for (uint32_t i = 0; begun && i < made; i++) {
		struct sampled_thread *thread = sampled_thread_at(i);

		if (!thread->gone && thread->java && thread->wanted)
			look(thread, user);
	}
	lock_give(&threads_lock);
	return true;
}

void sampled_thread_remove(pid_t tid)
{
	struct sampled_thread *thread;

	lock_take(&threads_lock);
	thread = begun ? find(tid) : NULL;
	if (thread)
		take_out(thread);
	lock_give(&threads_lock);
}

/* The name that the system has of a thread. */
static void system_name(pid_t tid, char name[32])
{
	char path[64];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, name, 31);
		close(fd);
	}
	while (length > 0 && name[length - 1] == '\n')
		length--;
	name[length > 0 ? length : 0] = '\0';
}

struct sampled_thread *sampled_thread_known(void)
{
	struct sampled_thread *thread = sampled_thread_now();
	char name[32];

	if (thread)
		return thread;
	system_name(own_tid, name);
	/* It may have said already that it ends: nobody would say so again, so it is not looked at from outside. */
	sampled_thread_add(own_tid, 0, name, 0);
	return sampled_thread_now();
}

/* All that the system has; first: they were there when it began. */
static void look_for_new(DIR *folder, bool first)
{
	const struct dirent *entry;

	while ((entry = readdir(folder)) != NULL) {
		pid_t tid = (pid_t)atoi(entry->d_name);
		char name[32];

		if (tid <= 0 || find(tid))
			continue;
		system_name(tid, name);
		/* jprof's own. */
		if (strncmp(name, "jprof ", 6) == 0)
			continue;
		lock_take(&threads_lock);
		if (begun)
			add(tid, 0, name, first);
		lock_give(&threads_lock);
	}
}

/* Threads that the system does not have any more. */
static void look_for_ended(void)
{
	char path[64];

	for (uint32_t i = 0; i < made; i++) {
		struct sampled_thread *thread = sampled_thread_at(i);

		if (thread->gone)
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d", (int)thread->tid);
		if (access(path, F_OK) != 0)
			sampled_thread_remove(thread->tid);
	}
}

void sampled_threads_look(void)
{
	uint64_t now = clock_now();
	struct stat status;
	DIR *folder;

	/* A folder has as many links as folders in it: one a thread. */
	if (look_at > 0 && (now - look_at < LOOK_SHARE * look_took ||
				   (now - look_at < LOOK_PAUSE_NS &&
					   stat("/proc/self/task", &status) == 0 &&
					   status.st_nlink == look_links)))
		return;
	if (stat("/proc/self/task", &status) == 0)
		look_links = status.st_nlink;
	folder = opendir("/proc/self/task");
	if (!folder)
		return;
	look_for_new(folder, look_at == 0);
	closedir(folder);
	look_for_ended();
	look_at = clock_now();
	look_took = look_at - now;
}

bool sampled_threads_many_ended(void)
{
	enum { MANY = 64 };
	unsigned count = 0;

	lock_take(&threads_lock);
	for (struct sampled_thread *i = ended_before; i && count < MANY; i = i->link)
		count++;
	for (struct sampled_thread *i = ended; i && count < MANY; i = i->link)
		count++;
	lock_give(&threads_lock);
	return count == MANY;
}

void sampled_threads_sweep(void)
{
	struct sampled_thread *thread;

	lock_take(&threads_lock);
	while ((thread = ended_before) != NULL) {
		ended_before = thread->link;
		/* A thread that had it finds another one. */
		thread->tid = 0;
		thread->link = unused;
		unused = thread;
	}
	ended_before = ended;
	ended = NULL;
	lock_give(&threads_lock);
}

/* ---- begin and end ---- */

void sampled_threads_begin(const struct sample_event_choice *choice, unsigned count, int signal,
	const struct sampled_threads_for *of)
{
	lock_take(&threads_lock);
	memcpy(choices, choice, count * sizeof(*choice));
	choice_count = count;
	sample_signal = signal;
	session = *of;
	state = (struct sampled_threads_state){0};
	look_at = 0;
	begun = true;
	lock_give(&threads_lock);
	sampled_threads_look();
}

void sampled_threads_more(const struct sample_event_choice *choice, unsigned count, int signal)
{
	lock_take(&threads_lock);
	for (uint32_t i = 0; i < made; i++)
		if (!sampled_thread_at(i)->gone)
			close_events(sampled_thread_at(i));
	memcpy(choices, choice, count * sizeof(*choice));
	choice_count = count;
	sample_signal = signal;
	for (uint32_t i = 0; i < made; i++)
		if (!sampled_thread_at(i)->gone)
			open_events(sampled_thread_at(i));
	lock_give(&threads_lock);
}

void sampled_threads_stop(void)
{
	lock_take(&threads_lock);
	begun = false;
	for (uint32_t i = 0; i < made; i++)
		if (!sampled_thread_at(i)->gone)
			close_events(sampled_thread_at(i));
	lock_give(&threads_lock);
}

void sampled_threads_end(void)
{
	lock_take(&threads_lock);
	for (uint32_t i = 0; i < made; i++)
		if (!sampled_thread_at(i)->gone)
			take_out(sampled_thread_at(i));
	lock_give(&threads_lock);
	sampled_threads_sweep();
	sampled_threads_sweep();
}

struct sampled_threads_state sampled_threads_state(void)
{
	struct sampled_threads_state now;

	lock_take(&threads_lock);
	now = state;
	lock_give(&threads_lock);
	return now;
}
