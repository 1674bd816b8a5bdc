/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* commands: the table. */
#include "cli/commands.h"

#include <string.h>

#include "options/nearest.h"

static const char run_text[] =
	"Runs the command behind `--` with libjprof.so in each JVM that it starts,\n"
	"waits for it, and exits with its status (128 + the signal's number if a\n"
	"signal ended it). java and the JDK's tools get the agent as an argument;\n"
	"below any other command (mvn, a script) JVMs find it in JAVA_TOOL_OPTIONS,\n"
	"and each prints a line about that to standard error, which cannot be\n"
	"switched off.\n"
	"Each JVM that runs a program has a profile of its own: with a --file that\n"
	"has no %p the first one gets that name, later ones NAME-PID. The options are\n"
	"those of the agent: `jprof help options`.\n"
	"--duration ends the recording after that time (seconds, or with s, m, h),\n"
	"counted from the start of the command, in the JVMs that run then; they run\n"
	"on.\n";

static const char list_text[] =
	"A row for each JVM that this user may see, also in containers: process id,\n"
	"user, the JDK's version, what jprof's agent does in it (- for none), and the\n"
	"program: main class, jar, or module. Below it, why it cannot be attached to.\n"
	"Of other users' processes the command line is all that is known. Commands\n"
	"that take a PID take a main class (with packages or without) or a jar\n"
	"instead, if one JVM has it.\n";

static const char attach_text[] =
	"Loads libjprof.so into a running JVM and starts a recording; needs no tool\n"
	"of the JDK. Works as the user of the JVM or as root, also for a JVM in a\n"
	"container. The options are those of the agent: `jprof help options`. If the\n"
	"agent is there already it is used. With --start no it is loaded only, for\n"
	"`jprof start`. A JVM that is recorded already gets a further session (--name),\n"
	"with a profile of its own.\n"
	"With --duration (seconds, or with s, m, h) it waits for that time (Ctrl-C:\n"
	"no longer), ends the recording, and takes the agent out again if it brought\n"
	"it. The agent ends the recording by itself if this command is killed.\n"
	"JDK 21 and later warn of agents that are loaded late on the program's\n"
	"standard error, unless started with -XX:+EnableDynamicAgentLoading.\n";

static const char start_text[] =
	"The agent must be in the process (`jprof attach`, `jprof run`). The options are\n"
	"those of the agent: `jprof help options`; without any: those it was loaded with.\n"
	"Up to 8 sessions record at the same time, each with a name, options and a\n"
	"profile of its own; which, and whose they are: `jprof status`.\n";

static const char stop_text[] =
	"Without --name it is the only one; where several record it is refused, with\n"
	"their names and owners.\n";

static const char scope_text[] =
	"The profile is of what is done where the tag KEY has a value like PATTERN\n"
	"(docs/requests.md), also before; --everything: of the whole program. What is\n"
	"chosen last holds. A scope of methods is chosen as the recording begins.\n";

static const char status_text[] =
	"Where several sessions record: a table of them, and what is counted for all.\n"
	"--watch shows calls, processor time, allocation and I/O per second, and the\n"
	"methods that did most since the last look, every second, or every SECONDS, until\n"
	"the JVM ends or Ctrl-C; with --all the whole state. JSON is the agent's answer,\n"
	"one line each time.\n";

static const char snapshot_text[] =
	"Brings the profile up to date and keeps a copy of all counts in it, under the\n"
	"label or a number: `jprof report FILE --snapshot A..B` shows what happened\n"
	"between two of them. Where several sessions record it is in all their profiles,\n"
	"or in that of --name.\n";

static const char reset_text[] =
	"The recording goes on, and nothing is lost: `jprof report FILE --snapshot ..`\n"
	"shows what came before, too.\n";

static const char deadlocks_text[] =
	"Looks for threads in a running JVM that wait for each other in a circle, by\n"
	"monitors and locks of java.util.concurrent: which threads, for what. Each is\n"
	"marked in the profile of a recording that runs. Virtual threads are known\n"
	"where the trace `locks` is on. Exits 1 if there are some.\n";

static const char trace_text[] =
	"Switches traces on (+NAME) and off (-NAME) in a recording that runs: objects,\n"
	"locks, gc, exceptions, classes, jit, threads, events (docs/traces.md). When\n"
	"each was on is in the profile. Without any it says which are on, and which\n"
	"off. With events_keep=10s the last events are kept, and --write has them\n"
	"written.\n";

static const char heap_text[] =
	"How many objects of each class are in the heap of a running JVM, as it counts\n"
	"them itself, standing still meanwhile. Without --live garbage that was not\n"
	"collected yet is counted, too. With --dump the JVM writes all its objects into\n"
	"a file, for tools that read heap dumps. Needs no agent in the process; works\n"
	"as the user of the JVM or as root.\n";

static const char detach_text[] =
	"Ends the recording, gives the program its own code back and closes the agent's\n"
	"control socket. `jprof attach` brings it back. Where several sessions record it\n"
	"is refused without --all.\n";

static const char export_text[] =
	"Writes the figures that `jprof report` shows, of the profile given or of the\n"
	"newest *.jprof here, as a file that another tool opens; docs/exports.md says\n"
	"which, what each format holds, and what it leaves out. A file that could not\n"
	"be written whole is not there. Without -o it is beside the profile, under a\n"
	"name made of the profile's that must be free. --metric chooses figures:\n"
	"metrics, conditions of samples, and calls.\n";

static const char html_text[] =
	"One file with all that it needs, for a browser, without a server or a\n"
	"network. It has the figures of `jprof report`: an overview, flame graph, call\n"
	"tree, methods, callers, threads, I/O, source lines, and intervals between\n"
	"snapshots. What is small is put together until the file has no more than 15\n"
	"MB; sums stay exact (docs/html.md). With -o - it goes to standard output;\n"
	"without -o to a file beside, PROFILE.html.\n";

static const char open_text[] =
	"The page of `jprof html`, without its limits and with every interval, served\n"
	"on 127.0.0.1 from a profile; or from a running JVM with the agent (PID, its\n"
	"main class or jar), then with live figures, buttons for start, stop,\n"
	"snapshot, reset, and switches of traces. The address, which holds a key, is\n"
	"printed, and opened in a browser; only the first one that opens it gets the\n"
	"data (docs/open.md).\n"
	"Ends with Ctrl-C, or a minute after the page was closed.\n";

static const char calibrate_text[] =
	"Measures what jprof's probes cost here, with one JVM: runs a program of its\n"
	"own without probes and with them, for about half a minute in all (--quick:\n"
	"ten seconds, as `jprof report` does where it has none and all calls were\n"
	"timed). The result goes into FILE, or to where `--calibration auto`,\n"
	"the default, finds it. A calibration is for one JVM, processor, build of\n"
	"jprof, --calls, --timing and list of --metrics: give those that programs are\n"
	"profiled with.\n"
	"--java: the java program, or its JDK's folder; else that of JAVA_HOME, or of\n"
	"PATH. Measure while the machine has nothing else to do.\n";

static const char selftest_text[] =
	"Runs a program of jprof's own whose methods' shares are known, and compares\n"
	"them with what a profile says: for each method and metric what is expected,\n"
	"measured in the same JVM without probes; what is counted with them (raw);\n"
	"and what is left when jprof's own cost is taken out (adjusted), with its\n"
	"error. A '*' marks where expected and adjusted do not meet. The options are\n"
	"as for calibrate and report, calls being 'instrument' or 'events'; a\n"
	"calibration that is not there yet is made.\n"
	"Takes half a minute; the machine should have nothing else to do. Fails only\n"
	"if it cannot be run. --format: text or json.\n";

static const char diff_text[] =
	"What changed between profiles of the same program: totals, then methods, call\n"
	"paths or files, the largest changes first. Times are compared with their\n"
	"errors: what may be chance is noise. Fewer than three runs a side cannot tell\n"
	"what times differ by from run to run: no rule is broken by them then.\n"
	"Numbers of calls, operations and bytes are exact: whatever differs there has\n"
	"changed, or the program does not do the same in each run.\n"
	"Methods are matched by class, name and signature; numbers in the names of\n"
	"lambdas and generated classes are left out. Threads are put together.\n"
	"Exit status: 0; 1 failed; 2 usage; 3 a rule, or --fail-over, is broken. The\n"
	"reasons stand on standard error, a line each.\n";

static const char completion_text[] =
	"Prints a script for the shell. Packages have it where shells look for it; else,\n"
	"for the shell that runs:\n"
	"  bash  source <(jprof completion bash)\n"
	"  zsh   source <(jprof completion zsh)\n"
	"  fish  jprof completion fish | source\n";

const struct command commands[] = {
	{"run", "[--KEY VALUE ...] [--duration TIME] -- COMMAND ARGS...",
		"run any command with the agent in its JVMs, and say where profiles "
		"are",
		run_text, NULL, cmd_run, .words = WORDS_PROGRAM, .agent = AGENT_AND_DURATION},
	{"list", "[--format text|json]",
		"the JVMs of this machine: programs, and whether jprof is in them", list_text,
		NULL, cmd_list, .options = &list_table},
	{"attach", "PID [--name NAME] [--KEY VALUE ...] [--duration TIME]",
		"load the agent into a running JVM, and record", attach_text, NULL, cmd_attach,
		.options = &attach_table, .words = WORDS_PROCESS, .agent = AGENT_AND_DURATION},
	{"start", "PID [--name NAME] [--KEY VALUE ...]",
		"start a recording in a JVM with the agent", start_text, NULL, cmd_control,
		.options = &start_table, .words = WORDS_PROCESS, .agent = AGENT_OPTIONS},
	{"stop", "PID [--name NAME|--all]", "end the recording, and say where the profile is",
		stop_text, NULL, cmd_control, .options = &stop_table, .words = WORDS_PROCESS},
	{"status",
		"PID [--name NAME] [--watch [SECONDS]] [--all]\n"
		"             [--width N] [--format text|json]",
		"what the agent in a JVM is doing", status_text, NULL, cmd_control,
		.options = &status_table, .words = WORDS_PROCESS},
	{"snapshot", "PID [LABEL] [--name NAME]", "keep the counts of this moment, for reports",
		snapshot_text, NULL, cmd_control, .options = &snapshot_table,
		.words = WORDS_PROCESS},
	{"reset", "PID [--name NAME]", "have reports begin at this moment", reset_text, NULL,
		cmd_control, .options = &reset_table, .words = WORDS_PROCESS},
	{"deadlocks", "PID [--format text|json]", "threads that wait for each other for good",
		deadlocks_text, NULL, cmd_control, .options = &deadlocks_table,
		.words = WORDS_PROCESS},
	{"trace", "PID [+NAME|-NAME]... [--write] [--name NAME]",
		"switch traces on and off in a recording", trace_text, NULL, cmd_control,
		.options = &trace_table, .words = WORDS_PROCESS},
	{"scope", "PID tag:KEY=PATTERN|--everything [--name NAME]",
		"choose whose work a recording is of, while it runs", scope_text, NULL,
		cmd_control, .options = &scope_table, .words = WORDS_PROCESS},
	{"heap",
		"PID [--live] [--dump FILE] [--top N] [--sort COLUMN]\n"
		"             [--format FORMAT]",
		"what is in a JVM's heap, by class; or all of it in a file", heap_text, NULL,
		cmd_heap, .options = &heap_table, .words = WORDS_PROCESS},
	{"detach", "PID [--all]", "end the recording, and take the agent out", detach_text,
		NULL, cmd_control, .options = &detach_table, .words = WORDS_PROCESS},
	{"report",
		"[FILE] [--view VIEW] [--metric M] [--sort COLUMN] [--top N]\n"
		"             [--thread PATTERN] [--tag KEY=PATTERN] [--value PATTERN]\n"
		"             [--path PATTERN] [--component NAME] [--file PATTERN]\n"
		"             [--method PATTERN] [--snapshot A..B] [--format FORMAT]",
		"print a profile: the one given, or the newest *.jprof here", NULL,
		cmd_report_details, cmd_report, .options = &report_table,
		.words = WORDS_PROFILE, .values = cmd_report_values},
	{"export",
		"[FILE] --to FORMAT [-o OUT] [--metric M] [--thread PATTERN]\n"
		"             [--method PATTERN] [--snapshot A..B] [--merge-threads]",
		"write a profile for another tool: flame graphs, pprof, Perfetto...",
		export_text, cmd_export_details, cmd_export, .options = &export_table,
		.words = WORDS_PROFILE, .values = cmd_export_values},
	{"diff",
		"BEFORE AFTER | --before FILE... --after FILE... [--by ITEM]\n"
		"             [--normalize WHAT] [--fail-over PERCENT] [--min PERCENT]\n"
		"             [--rules FILE] [--figure NAME] [--format FORMAT]",
		"what changed between profiles of the same program; fails by it if asked",
		diff_text, cmd_diff_details, cmd_diff, .options = &diff_command_table,
		.words = WORDS_PROFILE, .values = cmd_diff_values},
	{"html",
		"[FILE] [-o OUT.html] [--metric M] [--thread PATTERN]\n"
		"             [--snapshot A..B]",
		"write a profile as one HTML page, to look at in a browser", html_text, NULL,
		cmd_html, .options = &html_table, .words = WORDS_PROFILE},
	{"open",
		"[FILE|PID] [--name NAME] [--no-browser] [--port N]\n"
		"             [--keep[=TIME]]",
		"look at a profile, or at a running JVM, in a browser", open_text, NULL,
		cmd_open, .options = &open_table, .words = WORDS_PROFILE | WORDS_PROCESS},
	{"calibrate",
		"[--java PATH] [-o FILE] [--calls CALLS] [--timing TIMING]\n"
		"             [--metrics METRICS] [--quick]",
		"measure what the probes cost, for reports to take it out", calibrate_text,
		NULL, cmd_calibrate, .options = &calibrate_table},
	{"selftest",
		"[--java PATH] [--calls CALLS] [--timing TIMING]\n"
		"             [--metrics METRICS] [--calibration FILE|off] [--format "
		"FORMAT]",
		"compare a profile with shares that are known", selftest_text, NULL,
		cmd_selftest, .options = &selftest_table},
	{"metrics", "", "what can be counted on this machine, and why not the rest", NULL, NULL,
		cmd_metrics, .words = 0},
	{"completion", "bash|zsh|fish", "print what completes the words of jprof in that shell",
		completion_text, NULL, cmd_completion, .words = WORDS_SHELL},
	{"help", "[COMMAND | options | schema]",
		"this list, one command, the agent's options, or the config file's "
		"schema",
		NULL, cmd_help_details, cmd_help, .words = WORDS_TOPIC},
};

const size_t command_count = sizeof(commands) / sizeof(commands[0]);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

int command_unknown(const char *word, const char *const *topics)
{
	struct choices choices = {.nearest.wanted = word};

	for (size_t i = 0; i < command_count; i++)
		choices_add(&choices, commands[i].name);
	for (; topics && *topics; topics++)
		choices_add(&choices, *topics);
	say("no command '%s'%s (see 'jprof help')", word,
		choices_text(&choices, topics ? "commands and topics" : "commands"));
	return EXIT_USAGE;
}
