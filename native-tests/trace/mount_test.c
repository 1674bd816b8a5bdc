/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* mount_test: see mount_test.h. */
#include "mount_test.h"

#include <stdio.h>
#include <string.h>

struct test_seat test_seat(struct trace *trace, const char *name)
{
	return (struct test_seat){.trace = trace, .carrier = test_begin(trace, name)};
}

static bool seated(struct test_seat *seat)
{
	if (!seat->lane)
		carrier_resume(seat->carrier, true);
	return seat->lane != NULL;
}

bool test_seat_begin(struct test_seat *seat, const char *name)
{
	struct thread_identity identity = {.java_id = 7, .is_virtual = true};
	uint64_t now[METRIC_MAX];

	snprintf(identity.name, sizeof(identity.name), "%s", name);
	carrier_give_way(seat->carrier);
	carrier_read(seat->carrier, now);
	seat->lane = virtual_begin(seat->carrier, &identity, false, now, &seat->thread);
	return seated(seat);
}

bool test_seat_mount(struct test_seat *seat, struct virtual_thread *thread)
{
	carrier_give_way(seat->carrier);
	seat->thread = thread;
	seat->lane = virtual_mount(seat->carrier, thread);
	return seated(seat);
}

struct virtual_thread *test_seat_unmount(struct test_seat *seat)
{
	virtual_unmount(seat->carrier, seat->lane, seat->thread);
	carrier_resume(seat->carrier, false);
	seat->lane = NULL;
	return seat->thread;
}

void test_seat_end(struct test_seat *seat)
{
	virtual_end(seat->carrier, test_seat_unmount(seat));
}

const struct test_row *test_row_named(const struct test_picture *picture, const char *name)
{
	const struct test_row *found = NULL;

	for (size_t i = 0; i < picture->count; i++) {
		if (strcmp(picture->row[i].identity.name, name) != 0)
			continue;
		assert_null(found);
		found = &picture->row[i];
	}
	assert_non_null(found);
	return found;
}
