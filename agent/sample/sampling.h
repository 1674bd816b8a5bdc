/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sampling: what the files of the sampler share. No other file includes it.
 *
 *   sampler.c            one sampling's life
 *   sampling.c           what it is about
 *   sample_conditions.c  what an item of the option means, and whether it is to be had here
 *   take_samples.c       stacks, in the thread itself or from outside, into sample_buffer
 *   put_samples.c        out of it, with names, into sample_tree and the profile
 */
#ifndef JPROF_SAMPLING_H
#define JPROF_SAMPLING_H

#include <signal.h>

#include "agent/sample/frame_names.h"
#include "agent/sample/sample_tree.h"
#include "agent/sample/sampled_threads.h"
#include "agent/sample/sampler.h"
#include "agent/stack/known_keys.h"
#include "agent/stack/known_places.h"
#include "symbols/modules.h"

enum {
	STACK_FRAMES = 1024, /* deeper ones are cut */
	STACKS = 64,         /* threads that walk at the same time */
	MODULES_BEFORE = 16
};

struct condition {
	char name[280];
	struct sample_choice choice;
	struct sample_event_choice event;
	_Atomic bool off; /* all sessions that asked for it have left; its place stays */
	char how[128];    /* in words, for the summary */
	/* Periods in stacks; stacks; squares of the periods that each stands for, which say how sure shares are. */
	_Atomic uint64_t taken, stacks, squares;
	_Atomic uint64_t loss[SAMPLE_LOSSES], throttled;
	_Atomic uint64_t rest; /* that no period has told of, in the period's unit */
};

/* One sampling. Handlers see it from begin to stop. */
extern struct sampling {
	struct session *session;
	struct condition condition[SAMPLE_CONDITIONS];
	unsigned conditions;
	struct sample_buffer *buffer;
	struct seen_methods *seen;
	struct known_places *known;
	struct modules
		*modules; /* the newest, and those of before, which handlers may look at */
	struct modules *modules_before[MODULES_BEFORE];
	unsigned modules_kept;
	struct frame_names *names;
	struct sample_tree *tree;
	struct stack {
		_Atomic bool used;
		struct stack_frame frame[STACK_FRAMES];
	} * stack;
	_Atomic uint64_t ticks, handled; /* of handlers */
	_Atomic uint64_t eased;          /* threads that got timers */
	_Atomic uint64_t ended[WALK_ENDS];
	_Atomic uint64_t events_lost[ACCOUNT_KINDS]; /* for want of room */
	_Atomic bool expects_events, hurried;
	struct row { /* of a thread that the trace has none for */
		struct sampled_thread *thread;
		uint32_t id;
		int64_t java_id;
		pid_t tid;
		char name[256];
		uint8_t wanted; /* bits of the sessions that want it */
		bool joined;    /* the trace has one now, which the samples went to: */
		uint32_t into;
		bool put;
	} * row;
	size_t rows, row_room;
} sampling;

/* What all walks are done with. Its vm and keys stay for good, once there was a sampling. */
extern struct walker sampling_walker;

/* Stacks may be taken. Whoever takes one says so in sampling_inside before it looks. */
extern _Atomic bool sampling_active;
extern _Atomic uint32_t sampling_inside;

/* The signal that conditions raise; 0: none yet. */
extern int sampling_signal;

/* Makes a condition of an item of the option `sample`. 0, or a negative code. */
int sampling_choose(struct condition *condition, const char *item, struct error *error);

/* The handler of the signal. */
void sampling_on_signal(int signal, siginfo_t *info, void *uc);

/* Takes the stack of a thread for the condition of the clock; see wall_clock_begin. */
void sampling_look(struct sampled_thread *thread, uint32_t ticks);

/* What of a condition the thread's handler has not counted; see sampled_threads_for. */
void sampling_left(struct sampled_thread *thread, unsigned condition, uint64_t rest);

/* What is known of methods that keep their call sites apart is of another session. */
void put_samples_forget(void);

/* Where nodes of the trace went is of another session. */
void put_samples_forget_nodes(void);

/* Where events with a stack of that number went; 0: not known. And from now on they are known to go there. */
uint32_t sampling_place_find(uint64_t key);
void sampling_place_put(uint64_t key, uint32_t place);
void sampling_places_forget(void);

/* As the sampler is closed: no thread has requests any more. */
void sampling_forget_asked(void);

/* On the writer's thread: threads that were asked for their stacks and do not answer, as they have ended or do not take
 * signals, are asked no more: each event goes to none. */
void sampling_give_up_asking(void (*lost)(enum account_kind kind, uint64_t cookie));

/* The calling thread ends: what it was asked for goes to its root. */
void sampling_answer_at_end(void);

/* Periods of one condition, or of each by place, are in no stack. */
void sampling_lose_one(struct condition *condition, enum sample_loss loss, uint32_t periods);
void sampling_lose(const uint32_t *weight, enum sample_loss loss);

/* So many events of the kind are in no account. */
void sampling_lose_event(enum account_kind kind, uint64_t count);

#endif
