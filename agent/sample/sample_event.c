/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_event: see sample_event.h. */
#include "agent/sample/sample_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "metric/clock.h"

enum { PAGE = 4096, RING_BYTES = PAGE };

/* ---- perf ---- */

static struct perf_event_attr attributes(const struct sample_event_choice *choice)
{
	const struct perf_event_choice *perf = &choice->perf;

	return (struct perf_event_attr){
		.type = perf->type,
		.size = sizeof(struct perf_event_attr),
		.config = perf->config,
		.config1 = perf->config1,
		.config2 = perf->config2,
		.sample_period = choice->period,
		.sample_type = choice->kernel_stack ? PERF_SAMPLE_CALLCHAIN : PERF_SAMPLE_IP,
		.exclude_callchain_user = 1,
		.exclude_user = perf->exclude_user,
		.exclude_kernel = perf->exclude_kernel,
		.exclude_hv = perf->exclude_hv,
		.exclude_guest = perf->exclude_guest,
		.exclude_host = perf->exclude_host,
		.disabled = 1,
		.wakeup_events = 1,
	};
}

static int open_perf(const struct sample_event_choice *choice, pid_t tid)
{
	struct perf_event_attr attr = attributes(choice);
	long fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* The descriptor is closed again: the mapping keeps the event, so that none is taken from the
 * application. */
static int begin_perf(struct sample_event *event, int fd, pid_t tid, int signal)
{
	struct f_owner_ex owner = {F_OWNER_TID, tid};
	void *ring = mmap(NULL, PAGE + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int status = 0;

	if (ring == MAP_FAILED || fcntl(fd, F_SETFL, O_ASYNC) || fcntl(fd, F_SETSIG, signal) ||
		fcntl(fd, F_SETOWN_EX, &owner))
		status = -errno;
	/* The thread may be in its handler, for another event: it sees a ring that is whole, or none. */
	if (status == 0) {
		event->ring = ring;
		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			status = -errno;
	}
	if (status < 0) {
		event->ring = NULL;
		if (ring != MAP_FAILED)
			munmap(ring, PAGE + RING_BYTES);
	}
	close(fd);
	return status;
}

/* ---- timers ---- */

/* The processor-time clock of a thread, as the kernel numbers it (posix-timers.h). */
static clockid_t thread_clock(pid_t tid)
{
	return (clockid_t)((~(unsigned)tid << 3) | 6);
}

/* Not by the library, which may allocate memory: a handler does it, too. */
static void end_timer(struct sample_event *event)
{
	int saved_errno = errno;

	if (event->timed)
		syscall(SYS_timer_delete, event->timer);
	event->timed = false;
	errno = saved_errno;
}

static int begin_timer(struct sample_event *event, const struct sample_event_choice *choice,
	pid_t tid, int signal)
{
	struct timespec period = {.tv_sec = (time_t)(choice->period / 1000000000),
		.tv_nsec = (long)(choice->period % 1000000000)};
	struct itimerspec often = {period, period};
	struct sigevent told = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};

	told._sigev_un._tid = tid;
	told.sigev_value.sival_ptr = event;
	/* A clock of no thread is an invalid one: it has ended. */
	if (syscall(SYS_timer_create, thread_clock(tid), &told, &event->timer))
		return errno == EINVAL ? -ESRCH : -errno;
	event->timed = true;
	if (syscall(SYS_timer_settime, event->timer, 0, &often, NULL) == 0)
		return 0;
	end_timer(event);
	return -errno;
}

/* ---- either ---- */

int sample_event_open(struct sample_event *event, const struct sample_event_choice *choice,
	pid_t tid, int signal)
{
	int fd = choice->timers ? -EACCES : open_perf(choice, tid);
	int status = fd;

	*event = (struct sample_event){0};
	if (fd >= 0)
		status = begin_perf(event, fd, tid, signal);
	if (status < 0 && choice->clock && status != -ESRCH)
		status = begin_timer(event, choice, tid, signal);
	return status;
}

int sample_event_try(const struct sample_event_choice *choice)
{
	int fd = open_perf(choice, 0);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* ---- the ring ---- */

/* Bytes of the ring at a place, which may go over its end. */
static void take(const struct sample_event *event, uint64_t at, void *to, size_t bytes)
{
	const char *data = (const char *)event->ring + PAGE;
	size_t from = at % RING_BYTES, first = RING_BYTES - from;

	if (first > bytes)
		first = bytes;
	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, bytes - first);
}

/* PERF_CONTEXT_... stand between the parts of a call chain: the largest numbers. */
static void take_kernel_stack(
	const struct sample_event *event, uint64_t at, size_t bytes, struct sample_poll *poll)
{
	uint64_t count;

	poll->frames = 0;
	take(event, at, &count, sizeof(count));
	if (count > bytes / sizeof(uint64_t) - 1)
		return;
	for (uint64_t i = 1; i <= count && poll->frames < KERNEL_FRAMES; i++) {
		uint64_t *frame = &poll->frame[poll->frames];

		take(event, at + i * sizeof(*frame), frame, sizeof(*frame));
		if (*frame < (uint64_t)PERF_CONTEXT_MAX && (int64_t)*frame < 0)
			poll->frames++;
	}
}

static void take_record(const struct sample_event *event, uint64_t at,
	const struct perf_event_header *header, struct sample_poll *poll)
{
	struct {
		uint64_t id, lost;
	} lost;

	at += sizeof(*header);
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		poll->periods++;
		take_kernel_stack(event, at, header->size - sizeof(*header), poll);
		break;
	case PERF_RECORD_LOST:
		take(event, at, &lost, sizeof(lost));
		poll->lost += (uint32_t)lost.lost;
		break;
	case PERF_RECORD_THROTTLE:
		poll->throttled++;
		break;
	}
}

void sample_event_poll(
	struct sample_event *event, const siginfo_t *info, struct sample_poll *poll)
{
	struct perf_event_mmap_page *page = event->ring;
	struct perf_event_header header;
	uint64_t head;

	if (event->timed && info->si_code == SI_TIMER && info->si_value.sival_ptr == event) {
		poll->periods += 1 + (uint32_t)info->si_overrun;
		poll->timed = true;
	}
	if (!page)
		return;
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	while (event->tail + sizeof(header) <= head) {
		take(event, event->tail, &header, sizeof(header));
		event->periods += header.type == PERF_RECORD_SAMPLE;
		if (header.size < sizeof(header))
			break;
		take_record(event, event->tail, &header, poll);
		event->tail += header.size;
	}
	__atomic_store_n(&page->data_tail, event->tail, __ATOMIC_RELEASE);
}

/* ---- the end ---- */

/* left: what was not polled is added to it. */
static void end_perf(struct sample_event *event, struct sample_poll *left)
{
	static const siginfo_t nothing;
	/* Where a thread closes its own event, a signal may come at any instruction, and its handler may poll the
	 * event, or close it, too (sample_event_ease): one of them takes the ring. */
	void *ring = __atomic_exchange_n(&event->ring, NULL, __ATOMIC_SEQ_CST);
	struct sample_event last = {.ring = ring, .tail = event->tail};

	if (!ring)
		return;
	sample_event_poll(&last, &nothing, left);
	munmap(ring, PAGE + RING_BYTES);
	event->tail = 0;
}

void sample_event_close(struct sample_event *event, struct sample_poll *left)
{
	*left = (struct sample_poll){0};
	end_perf(event, left);
	end_timer(event);
}

/* ---- which of them ---- */

/* The kernel writes the event's page anew as the thread comes and goes: it counts in `lock`, twice each time
 * (perf_event_update_userpage in kernel/events/core.c). */
static uint32_t changes_of(const struct perf_event_mmap_page *page)
{
	return __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
}

bool sample_event_ease(struct sample_event *event, const struct sample_event_choice *choice,
	pid_t tid, int signal)
{
	/* More than once in a row: the first hundreds of ms of a JVM are full of turns, as it compiles. */
	enum { PERIODS = 64, TIMES = 4, CHANGES_A_TURN = 2, TURNS_A_PERIOD = 2 };
	const struct perf_event_mmap_page *page = event->ring;
	uint32_t changes;

	if (!page || !choice->clock || event->timed || event->periods < PERIODS)
		return false;
	changes = changes_of(page) - event->changes;
	event->changes += changes;
	if (changes < event->periods * CHANGES_A_TURN * TURNS_A_PERIOD)
		event->hasty = 0;
	else if (++event->hasty >= TIMES && begin_timer(event, choice, tid, signal) == 0)
		end_perf(event, &(struct sample_poll){0});
	event->periods = 0;
	return event->timed;
}

/* ---- what it costs ---- */

static int by_size(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

uint64_t sample_event_interrupt_ns(void)
{
	enum { GAPS = 64, FEWEST = 16, NOTICED_NS = 1500, LONGEST_NS = 40 * 1000 * 1000 };
	const struct sample_event_choice often = {
		.perf = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
		.period = 100 * 1000};
	int fd = open_perf(&often, 0);
	uint64_t gap[GAPS], begin = clock_system(), before = begin, now;
	unsigned gaps = 0;

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (; gaps < GAPS && before - begin < LONGEST_NS; before = now) {
		now = clock_system();
		if (now - before > NOTICED_NS)
			gap[gaps++] = now - before;
	}
	close(fd);
	if (gaps < FEWEST)
		return 0;
	qsort(gap, gaps, sizeof(*gap), by_size);
	return gap[gaps / 2];
}
