/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * parameter_probes: see parameter_probes.h.
 *
 *   entry: [check `this`] --> part, part... --> the text's number --> the call has that value, or that tag
 *          [recall: the number that `this` stands for] -------------^
 *          [stand: `this`]      exit: [stand: the result], [true: counted], [return: the result is the value]
 *
 * What is read before is kept with the thread's slot until the value is complete; nothing of the application runs between these
 * probes. A getter may: events are turned away meanwhile.
 */
#include "agent/probes/parameter_probes.h"

#include <stdlib.h>
#include <string.h>

#include "agent/methods/value_rows.h"
#include "agent/threads/thread_events.h"
#include "agent/trace/tree_labels.h"
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"
#include "agent/values/value_text.h"

/* An object stands for a value of one recording. */
static int64_t standing(uint32_t value)
{
	return (int64_t)((uint64_t)recording_now() << 32 | value);
}

static uint32_t stands_for(jobject object)
{
	uint64_t tag = object ? (uint64_t)jvm_tag_of(JVM_TAGS_VALUES, object) : 0;

	return tag >> 32 == recording_now() ? (uint32_t)tag : 0;
}

/* ---- the value of a call ---- */

static void add_part(JNIEnv *jni, const struct value_reading *reading,
	struct object_value value, struct read_value *read)
{
	struct value_row *row = reading->row;
	const struct parameter_part *part = &row->choice.part[reading->part];
	struct object_text text = {
		.text = read->text, .length = read->length, .room = sizeof(read->text)};
	bool way = true;

	if (!reading->first && reading->part > 0 && text.length < text.room)
		text.text[text.length++] = ' ';
	for (uint32_t i = 0; i < part->step_count && way; i++)
		way = object_step(jni, &row->member[reading->part][i], part->step[i].getter,
			part->step[i].name, &value, &text);
	if (way)
		object_tell(jni, &value, &text);
	if (text.is_null && row->choice.part_count > 1)
		object_tell_null(&text);
	read->is_null &= text.is_null;
	read->length = (uint32_t)text.length;
}

static uint32_t number_of(uint32_t parameter, const struct read_value *read)
{
	return read->is_null ? value_null(parameter)
			     : value_of(parameter, read->text, read->length);
}

/* The call that the thread is in has the value: as its tag, or by a label of its method. */
static void give_value(
	struct thread_context *context, const struct value_reading *reading, uint32_t value)
{
	const struct value_row *row = reading->row;

	if (!value)
		return;
	if (row->choice.key[0] != '\0') {
		if (row->once &&
			tag_set_value(context_tags_now(context), value_get(value).parameter))
			return;
		/* A change of tags settles: what reading took is not the method's. */
		context_spend_all(context);
		context_tag_call(context, value);
	} else if (!row->once || !context_value_above(context, value_get(value).parameter)) {
		context_value(
			context, node_label(reading->method, LABEL_VALUE, value), !row->aside);
	}
}

/* Is the thread's innermost frame the method's? Else it found no room, or its entry was not seen. */
static bool is_in(const struct thread_context *context, const struct value_reading *reading)
{
	return context->stack.top->method == reading->method;
}

static void count_true(struct thread_context *context, uint32_t value)
{
	const struct operation row = {
		.node = context->current, .kind = VALUE_ROWS, .subject = value, .amount = 1};

	if (value)
		context_account(context, &row);
}

/* Is the object's method to be read, which the row names by a class above? */
static bool is_received(JNIEnv *jni, const struct value_reading *reading, jobject object)
{
	struct receivers *receivers = reading->receivers;
	const char *below = reading->row->below;

	if (!object || !object_is_below(jni, &receivers->seen, object, below))
		return false;
	if (atomic_load_explicit(&receivers->is, memory_order_relaxed) == DECLARER_UNKNOWN)
		atomic_store_explicit(&receivers->is,
			object_declarer_is_below(jni, object, receivers->declarer, below)
				? DECLARER_BELOW
				: DECLARER_OTHER,
			memory_order_relaxed);
	return true;
}

static bool is_returned(const struct value_reading *reading)
{
	return !reading->receivers || atomic_load_explicit(&reading->receivers->is,
					      memory_order_relaxed) == DECLARER_BELOW;
}

/* Calls of other methods may have been read since the entry: what was found out then is in the call's own label. */
static void do_step(JNIEnv *jni, struct thread_context *context, struct read_value *read,
	const struct value_reading *reading, struct object_value given, uint32_t parameter)
{
	jobject object = given.type == 'L' ? given.value.l : NULL;
	uint32_t value = 0, recording = recording_now();

	if (reading->first) {
		read->refused = false;
		read->is_null = true;
		read->length = 0;
	}
	switch ((enum reading_step)reading->step) {
	case READ_CHECK:
		read->refused = !is_received(jni, reading, object);
		return;
	case READ_RECALL:
		value = read->refused ? 0 : stands_for(object);
		break;
	case READ_RETURN:
		read->refused = !is_returned(reading);
		__attribute__((fallthrough));
	case READ_PART:
		if (read->refused)
			return;
		add_part(jni, reading, given, read);
		/* A getter may outlast the recording, whose end waits two seconds for it: numbers are another one's then. */
		if (recording_now() != recording)
			return;
		value = reading->last ? number_of(parameter, read) : 0;
		break;
	case READ_STAND:
		value = context_value_own(context, parameter);
		if (object && value)
			jvm_tag(JVM_TAGS_VALUES, object, standing(value));
		return;
	case READ_TRUE:
		if (given.value.j)
			count_true(context, context_value_own(context, parameter));
		return;
	}
	if (reading->last)
		give_value(context, reading, value);
}

/* What reading takes is jprof's own. */
static void read_it(JNIEnv *jni, jint number, struct object_value given, bool at_exit)
{
	const struct value_reading *reading =
		number > 0 ? value_reading((uint32_t)number) : NULL;
	uint32_t parameter =
		reading ? atomic_load_explicit(&reading->row->parameter, memory_order_relaxed)
			: 0;
	struct thread_context *context;
	struct thread_slot *slot;
	struct read_value *read;

	if (!parameter)
		return;
	slot = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);
	if (!slot)
		return;
	/* Again: this may be another recording, whose end waits for the thread now. */
	parameter = atomic_load_explicit(&reading->row->parameter, memory_order_relaxed);
	context = slot_context(slot);
	read = slot_read_value(slot);
	if (read && parameter && is_in(context, reading)) {
		/* At the entry nothing but jprof's own lies behind the last event. */
		if (at_exit)
			context_settle(context);
		do_step(jni, context, read, reading, given, parameter);
		context_spend_all(context);
	}
	slot_leave(slot);
}

/* Back to the type that the method has; the probe was given a long. */
static struct object_value narrow(jlong value, jint number)
{
	struct object_value given = {
		.type = number > 0 ? value_reading((uint32_t)number)->type : 'J',
		.value.j = value};

	switch (given.type) {
	case 'Z':
		given.value.z = value != 0;
		break;
	case 'C':
		given.value.c = (jchar)value;
		break;
	case 'B':
	case 'S':
	case 'I':
		given.type = 'J';
		break;
	default:
		break;
	}
	return given;
}

#define OBJECT(value) ((struct object_value){.type = 'L', .value.l = (value)})

/* A float was made a double, which writes it with other digits. */
static struct object_value floating(jdouble value, jint number)
{
	if (number > 0 && value_reading((uint32_t)number)->type == 'F')
		return (struct object_value){.type = 'F', .value.f = (jfloat)value};
	return (struct object_value){.type = 'D', .value.d = value};
}

void JNICALL parameter_probe_value_object(JNIEnv *jni, jclass probe, jobject value, jint number)
{
	read_it(jni, number, OBJECT(value), false);
}

void JNICALL parameter_probe_value_long(JNIEnv *jni, jclass probe, jlong value, jint number)
{
	read_it(jni, number, narrow(value, number), false);
}

void JNICALL parameter_probe_value_double(JNIEnv *jni, jclass probe, jdouble value, jint number)
{
	read_it(jni, number, floating(value, number), false);
}

void JNICALL parameter_probe_result_object(
	JNIEnv *jni, jclass probe, jobject value, jint number)
{
	read_it(jni, number, OBJECT(value), true);
}

void JNICALL parameter_probe_result_long(JNIEnv *jni, jclass probe, jlong value, jint number)
{
	read_it(jni, number, narrow(value, number), true);
}

void JNICALL parameter_probe_result_double(
	JNIEnv *jni, jclass probe, jdouble value, jint number)
{
	read_it(jni, number, floating(value, number), true);
}
