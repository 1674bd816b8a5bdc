/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof metrics: what can be counted on this machine, and why not the rest.
 */
#include "cli/commands.h"

#include "metric/metric.h"

int cmd_metrics(int argc, char **argv)
{
	if (argc > 1)
		return command_usage(argv[0], "unexpected argument '%s'", argv[1]);
	if (metric_print_available(stdout) != 0) {
		say("cannot print the metrics: no memory, or standard output cannot be "
		    "written");
		return EXIT_FAILED;
	}
	return command_flush();
}
