/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* allocations: see allocations.h. */
#include "agent/sample/allocations.h"

#include <errno.h>
#include <stdatomic.h>

#include "agent/jvm/jvm.h"

static struct {
	_Atomic(allocation_told) told; /* NULL: it is not */
	uint64_t period;
} users[ALLOCATIONS_USERS];

static _Atomic uint64_t interval; /* that the JVM has */

/* e to the power of -x, for x from 0 to 30, to six digits. Agents have no mathematical library. */
static double decay(double x)
{
	double y = x / 256, power = 1 - y + y * y / 2 - y * y * y / 6 + y * y * y * y / 24;

	for (int i = 0; i < 8; i++)
		power *= power;
	return power;
}

/* How many objects of that size the one stands for. */
static double objects_of(uint64_t bytes)
{
	uint64_t period = atomic_load_explicit(&interval, memory_order_relaxed);
	double share = period > 0 ? (double)bytes / (double)period : 31;

	if (share > 30)
		return 1;
	return share < 1e-3 ? 1 / share : 1 / (1 - decay(share));
}

static void JNICALL on_allocated(
	jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
	int saved_errno = errno;
	const struct allocation allocation = {
		jni, object, class, (uint64_t)size, objects_of((uint64_t)size)};

	for (int i = 0; i < ALLOCATIONS_USERS; i++) {
		allocation_told told =
			atomic_load_explicit(&users[i].told, memory_order_acquire);

		if (told)
			told(&allocation);
	}
	errno = saved_errno;
}

void allocations_callbacks(jvmtiEventCallbacks *callbacks)
{
	callbacks->SampledObjectAlloc = on_allocated;
}

/* As the users want it now. */
static int apply(struct error *error)
{
	uint64_t period = UINT64_MAX;
	int status = 0;

	for (int i = 0; i < ALLOCATIONS_USERS; i++)
		if (atomic_load(&users[i].told) && users[i].period < period)
			period = users[i].period;
	if (period < UINT64_MAX) {
		atomic_store(&interval, period);
		status = jvm_sample_allocations(period, error);
	}
	if (status)
		return status;
	return jvm_enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, period < UINT64_MAX, error);
}

int allocations_tell(
	enum allocations_user user, uint64_t period, allocation_told told, struct error *error)
{
	users[user].period = period;
	atomic_store(&users[user].told, told);
	return apply(error);
}

void allocations_silence(enum allocations_user user)
{
	struct error ignored = {0};

	atomic_store(&users[user].told, NULL);
	apply(&ignored);
}
