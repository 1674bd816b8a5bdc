/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* views: the table of views. */
#include "report/views/view.h"

extern const struct view view_methods, view_callers, view_states, view_files, view_connections,
	view_entries, view_io_methods, view_io_tree, view_records, view_snapshots,
	view_calibration, view_findings, view_objects, view_alive, view_object_paths,
	view_object_tree, view_gc, view_gc_tree, view_safepoints, view_jit,
	view_deoptimizations, view_exceptions, view_exception_tree, view_classes,
	view_class_loaders, view_thread_states, view_locks, view_waits, view_wait_pairs,
	view_long_waits, view_components, view_seconds, view_distribution, view_event_tree;

const struct view *const views[] = {
	&view_overview,
	&view_findings,
	&view_summary,
	&view_tree,
	&view_methods,
	&view_callers,
	&view_components,
	&view_component_tree,
	&view_threads,
	&view_lines,
	&view_distribution,
	&view_slowest,
	&view_states,
	&view_files,
	&view_connections,
	&view_entries,
	&view_io_methods,
	&view_io_tree,
	&view_records,
	&view_timeline,
	&view_event_tree,
	&view_objects,
	&view_alive,
	&view_object_paths,
	&view_object_tree,
	&view_gc,
	&view_gc_tree,
	&view_safepoints,
	&view_jit,
	&view_deoptimizations,
	&view_locks,
	&view_waits,
	&view_wait_pairs,
	&view_long_waits,
	&view_snapshots,
	&view_exceptions,
	&view_exception_tree,
	&view_classes,
	&view_class_loaders,
	&view_thread_states,
	&view_seconds,
	&view_calibration,
};

const size_t view_count = sizeof(views) / sizeof(*views);
