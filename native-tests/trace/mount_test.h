/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* mount_test: a carrier and who is mounted on it, as the tests of virtual threads move them. */
#ifndef JPROF_MOUNT_TEST_H
#define JPROF_MOUNT_TEST_H

#include "agent/trace/mount.h"
#include "trace_test.h"

struct test_seat {
	struct trace *trace;
	struct thread_context *carrier;
	struct thread_context *lane; /* NULL: nobody is mounted */
	struct virtual_thread *thread;
};

/* The calling thread is a carrier. */
struct test_seat test_seat(struct trace *trace, const char *name);

/* A virtual thread of that name begins on the carrier. False: no memory, the carrier runs again and
 * what ran meanwhile is nobody's. */
bool test_seat_begin(struct test_seat *seat, const char *name);

/* One that was mounted before is mounted again; as above. */
bool test_seat_mount(struct test_seat *seat, struct virtual_thread *thread);

/* The one that is mounted is unmounted, and the carrier runs again. */
struct virtual_thread *test_seat_unmount(struct test_seat *seat);

/* The same, and it ends. */
void test_seat_end(struct test_seat *seat);

/* The shown row of that name; fails unless there is exactly one. */
const struct test_row *test_row_named(const struct test_picture *picture, const char *name);

#endif
