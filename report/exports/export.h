/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * export: a profile in the files of other tools.
 *
 * In:   a profile in memory, and what the user chose of it.
 * Out:  bytes. docs/exports.md says what each format holds, and what it leaves out.
 *
 *   model ---> stacks, figures ---> exporter ---> out
 *
 * An exporter is a row of the table in export.c and one file export_NAME.c. Figures are those of the report's
 * tree: what a stack has is its node's base, so that all stacks add up to what the report says.
 */
#ifndef JPROF_REPORT_EXPORT_H
#define JPROF_REPORT_EXPORT_H

#include "report/model/model.h"
#include "report/text/out.h"

struct exporter;

/* Whether something is a figure that is exported. */
enum export_figure {
	EXPORT_NOT,
	EXPORT_FOUND, /* where any was recorded */
	EXPORT_ASKED
};

/* What is done with files, as figures: those of the chosen ones, or of all. */
enum export_io { EXPORT_IO_NS, EXPORT_IO_BYTES, EXPORT_IO_OPS, EXPORT_IO_FIGURES };

/* What they are called: "io.ns". */
extern const char *const export_io_names[EXPORT_IO_FIGURES];

/* Which figures are exported. */
struct export_figures {
	bool metrics; /* the chosen metrics and conditions */
	enum export_figure calls;
	bool io[EXPORT_IO_FIGURES];
};

/* What lies between two snapshots that follow each other, or before the first, or behind the last. */
struct export_interval {
	uint64_t begin, end; /* ns since the session began */
	/* What the chosen threads used in it, by figure of a model of the same choice. */
	uint64_t whole[MODEL_FIGURES_MAX];
};

struct export_request {
	struct model_choice choice;
	const struct exporter *exporter;
	struct export_figures figures;
	bool by_component;      /* methods are put together by component */
	const char *components; /* a file with their definitions; or NULL */
	const char *file;       /* the profile's name, for people */
	/* In order of time; for exporters that want them. Borrowed. */
	const struct export_interval *interval;
	size_t interval_count;
	/* Prints a line beside the export; or NULL. */
	void (*say)(const char *line);
};

/* An export at work. */
struct export
{
	const struct export_request *request;
	const struct model *model;
	struct out *out;
};

struct exporter {
	const char *name, *meaning;
	/* What a file is called, made of the profile's name without .jprof: before and behind it. */
	const char *prefix, *suffix;
	bool binary;     /* nothing for a terminal */
	bool one_figure; /* holds one of them */
	bool methods;    /* may be chosen by methods */
	bool merges;     /* knows threads, which may be one */
	bool io;         /* may have figures of I/O, and be chosen by files */
	bool places;     /* may be chosen by call paths and components */
	bool timeline;   /* wants records, marks and intervals; has no stacks */
	/* 0, or -1 without memory. Failures to write are kept in out. */
	int (*write)(const struct export *export);
};

extern const struct exporter *const exporters[];
extern const size_t exporter_count;

/* Writes all of it to fd. 0, or a negative code: of a choice that the profile does not have, of memory, or of a
 * failed write. */
int export_write(const struct profile *profile, const struct export_request *request, int fd,
	struct error *error);

#endif
