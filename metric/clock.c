/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * clock: is the time stamp sound, how fast is it, and when was its zero.
 */
#include "metric/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/read_mostly.h"
#include "metric/perf_page.h"

#define CLOCK_SOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* How long the rate is measured, while the program waits. Both ends are known to some 30 ns: 12 ppm, far less than what clocks
 * are slewed by. */
#define CLOCK_MEASURE_NS 5000000L

/* Clock sources that hypervisors make of the time stamp. Any other (hpet, acpi_pm, ...)
 * means that the kernel found the time stamp wanting. */
static const char *const clock_paravirtual[] = {
	"kvm-clock", "xen", "hyperv_clocksource_tsc_page"};

READ_MOSTLY struct clock_scale clock_scale;

static pthread_once_t clock_once = PTHREAD_ONCE_INIT;

static uint64_t clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_system(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_coarse(void)
{
	return clock_read(CLOCK_MONOTONIC_COARSE);
}

uint64_t clock_process(void)
{
	return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

static void clock_source_read(char *name, size_t size)
{
	int fd = open(CLOCK_SOURCE_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t length = 0;

	if (fd >= 0) {
		length = read(fd, name, size - 1);
		close(fd);
	}
	name[length > 0 ? length : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static bool clock_stamp_is_sound(void)
{
	char source[64];

	clock_source_read(source, sizeof(source));
	if (strcmp(source, TIME_STAMP_CLOCKSOURCE) == 0)
		return true;
	if (source[0] == '\0')
		return time_stamp_invariant();
	for (size_t i = 0; i < sizeof(clock_paravirtual) / sizeof(*clock_paravirtual); i++)
		if (strcmp(source, clock_paravirtual[i]) == 0)
			return time_stamp_invariant();
	return false;
}

/* ns per tick * 2^32 as the kernel publishes it (linux/perf_event.h, cap_user_time), or 0. */
static uint64_t clock_kernel_rate(void)
{
	const volatile struct perf_event_mmap_page *page = perf_page_dummy();
	uint64_t rate = 0;

	if (!page)
		return 0;
	if (page->cap_user_time && page->time_shift <= 32)
		rate = (uint64_t)page->time_mult << (32 - page->time_shift);
	perf_page_unmap((struct perf_event_mmap_page *)page);
	return rate;
}

/* One instant on both clocks. */
struct clock_pair {
	uint64_t stamp, ns;
};

/* The tightest of some tries. */
static struct clock_pair clock_both(void)
{
	struct clock_pair pair = {0};
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 32; i++) {
		uint64_t before = time_stamp_read();
		uint64_t now = clock_system();
		uint64_t width = time_stamp_read() - before;

		if (width < best) {
			best = width;
			pair = (struct clock_pair){.stamp = before + width / 2, .ns = now};
		}
	}
	return pair;
}

/* ns per tick * 2^32, measured; 0: it cannot be. */
static uint64_t clock_measured_rate(void)
{
	struct timespec wait = {.tv_nsec = CLOCK_MEASURE_NS};
	struct clock_pair begin = clock_both(), end;

	nanosleep(&wait, NULL);
	end = clock_both();
	if (end.stamp <= begin.stamp || end.ns <= begin.ns)
		return 0;
	return (uint64_t)(((clock_wide)(end.ns - begin.ns) << 32) / (end.stamp - begin.stamp));
}

static void clock_find(void)
{
	struct clock_pair now;
	uint64_t rate, mult;

	if (!clock_stamp_is_sound())
		return;
	rate = clock_kernel_rate();
	if (rate == 0)
		rate = clock_measured_rate();
	mult = rate << (TIME_STAMP_DIGITS - 32);
	/* None is known, or it is not one that mult has room for. */
	if (rate == 0 || mult >> (TIME_STAMP_DIGITS - 32) != rate)
		return;
	now = clock_both();
	clock_scale.offset =
		now.ns - (uint64_t)((clock_wide)now.stamp * mult >> TIME_STAMP_DIGITS);
	clock_scale.ms = ((uint64_t)1000000 << 32) / rate;
	/* Last: it says that the others are there. */
	__atomic_store_n(&clock_scale.mult, mult, __ATOMIC_RELEASE);
}

void clock_init(void)
{
	pthread_once(&clock_once, clock_find);
}

const char *clock_how(void)
{
	return clock_scale.mult ? "time stamp" : "clock_gettime";
}
