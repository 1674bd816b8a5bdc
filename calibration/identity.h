/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * identity: what a calibration is for, and what a profile was made with: where they differ, the
 * one says nothing about the other.
 */
#ifndef JPROF_IDENTITY_H
#define JPROF_IDENTITY_H

#include <stdint.h>

#include "error/error.h"
#include "profile/profile_read.h"

enum identity_field {
	/* java.vm.name, java.vm.version, and how it runs code if not as usual and calls are
	 * seen by probes */
	IDENTITY_JVM,
	IDENTITY_CPU,     /* the processor's model */
	IDENTITY_ARCH,    /* x86_64, aarch64 */
	IDENTITY_CALLS,   /* how calls are seen: instrument, events */
	IDENTITY_TIMING,  /* fast, precise */
	IDENTITY_AGENT,   /* build id of libjprof.so */
	IDENTITY_METRICS, /* their names in order, joined by '+' */
	IDENTITY_FIELDS
};

enum { IDENTITY_TEXT = 1280 };

/* Each field a text; "" where it is not known. What is too long is cut. */
struct identity {
	char field[IDENTITY_FIELDS][IDENTITY_TEXT];
};

/* The fields' names in a calibration file ("jvm", "cpu", ...); metrics have a place of their own
 * there. */
const char *identity_name(enum identity_field field);

/* Looks up a fact by the key that it has in a profile's meta table; NULL: it is not known. */
typedef const char *identity_fact(const void *argument, const char *key);

/* All fields but the metrics, from the facts jvm.name, jvm.version, machine.cpu, machine.system,
 * calls, timing, jprof.build. Clears the rest. */
void identity_init(struct identity *identity, identity_fact *fact, const void *argument);

/* How the JVM runs code: "interpreted mode"; NULL: as usual. Borrowed from the identity. */
const char *identity_mode(const struct identity *identity);

/* The option that makes a JVM run code as that one did: "-Xint"; "" for as usual. NULL: none is
 * known. Static. */
const char *identity_mode_option(const struct identity *identity);

/* Appends a metric's name. */
void identity_add_metric(struct identity *identity, const char *name);

/* The whole identity of a profile. */
void identity_of_profile(struct identity *identity, const struct profile *profile);

/* 0 if they are the same; else -ERROR_VALUE, and a line that begins with the subject:
 * "calibration file 'x' was made for JVM 'A', this is 'B'". made is the calibration's. */
int identity_compare(const struct identity *made, const struct identity *here,
	const char *subject, struct error *error);

/* A number that hardly another identity has. */
uint64_t identity_hash(const struct identity *identity);

#endif
