/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof open: the page of a profile, or of a JVM that runs, served to the user's browser.
 *
 * Two threads work: one with the profile, one with the agent in the JVM; the loop here has HTTP, signals and
 * timers, and waits for neither.
 */
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/attach/jvm_list.h"
#include "cli/commands.h"
#include "cli/open/browser.h"
#include "cli/open/live.h"
#include "cli/open/query.h"
#include "cli/open/server.h"
#include "cli/open/shown.h"
#include "cli/open/worker.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/waiting.h"
#include "options/number.h"
#include "profile/kinds.h"
#include "report/page/page.h"
#include "report/page/page_choices.h"
#include "report/request.h"

/* Milliseconds without a request after which the page is closed: one that is seen asks each second; timers of one that is
 * hidden may be stopped; one that says that it leaves comes back at once when it is only loaded anew. */
enum { PATIENCE = 60000, PATIENCE_HIDDEN = 3600000, PATIENCE_LEFT = 10000, LOOK = 250 };

/* That the loop waits for. */
enum { EVENTS = 7 };

struct words {
	const char *subject; /* a file, a pid, a program; or NULL */
	const char *name;    /* of a session of that process; or NULL */
	/* Of it the calibration, and what the page has chosen at first. */
	struct profile_choice choice;
	uint64_t port;
	bool no_browser, keeps;
	int64_t keep; /* milliseconds; 0: not given */
};

struct opening {
	const struct words *words;
	struct shown shown;
	struct live live;
	struct browser browser;
	struct worker profile_worker, agent_worker;
	struct event_base *base;
	struct event *event[EVENTS];
	struct server *server;
	bool was_asked;
	int64_t last, patience;  /* of requests */
	int64_t patience_before; /* before the request that is being taken */
	unsigned in_work;        /* requests that are not answered */
};

/* ---- options ---- */

static int take_port(const struct taken *taken)
{
	uint64_t *port = taken->to;

	if (number_read(taken->value, port) && *port <= UINT16_MAX)
		return EXIT_DONE;
	return command_usage(taken->command, "--port needs a number from 0 to %d, not '%s'",
		UINT16_MAX, taken->value);
}

static int take_keep(const struct taken *taken)
{
	struct words *words = taken->words;
	struct error error = {0};

	words->keeps = !taken->value;
	if (!taken->value || waiting_read_span(taken->value, &words->keep, &error) == 0)
		return EXIT_DONE;
	return command_usage(taken->command, "--keep: %s", error.text);
}

static int take_subject(void *taken, const char *word)
{
	struct words *words = taken;

	/* As of a variable that is not set. */
	if (*word == '\0')
		return command_usage("open", "'' is neither a file nor a process");
	if (words->subject)
		return command_usage("open", "one profile or process only, not '%s' too", word);
	words->subject = word;
	return EXIT_DONE;
}

static const struct command_option open_options[] = {
	{"--name", "NAME", "of a process: the session that is looked at, of several",
		take_some_text, offsetof(struct words, name)},
	{"--no-browser", NULL, "print the address, and start no browser", take_flag,
		offsetof(struct words, no_browser)},
	{"--port", "N", "listen on that port of 127.0.0.1; 0, any that is free, unless given",
		take_port, offsetof(struct words, port)},
	{"--keep", OPTIONAL_VALUE,
		"stay when the page was closed: --keep for ever, --keep=10m so long; a "
		"minute unless given",
		take_keep, 0},
	{"--calibration", "FILE|off|auto",
		"take jprof's own cost out by this file, leave it in, or measure it now if "
		"no calibration is kept; see jprof(1)",
		take_text, offsetof(struct words, choice.calibration)},
	{"--java", "PATH", "where no calibration is kept: measure one with this JVM", take_text,
		offsetof(struct words, choice.java)},
	PROFILE_PART_ROWS(struct words, choice),
};

const struct command_table open_table = {"open", open_options,
	sizeof(open_options) / sizeof(*open_options), take_subject, false};

/* ---- what is opened ---- */

static bool is_number(const char *word)
{
	return *word != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/* Digits are a process; a word that is a file's name, or looks like one, is that; others name a program. */
static bool is_file(const char *word)
{
	size_t length = strlen(word), ending = strlen(".jprof");
	struct stat status;

	return !is_number(word) &&
	       (stat(word, &status) == 0 ||
		       (length > ending && strcmp(word + length - ending, ".jprof") == 0));
}

static int open_file(struct opening *opening, const char *file, struct error *error)
{
	const struct words *words = opening->words;
	int failed = shown_init(
		&opening->shown, file, words->choice.calibration, words->choice.java, error);
	const struct opened_profile *opened;
	struct error ignored = {0};
	char *named;

	if (failed == 0)
		failed = shown_read(&opening->shown, error);
	if (failed != 0)
		return failed;
	/* One that still records can be looked after by the page, too. */
	opened = &opening->shown.readings->opened;
	if (opened->live.is_fresh && live_open(&opening->live, (pid_t)opened->live.pid, NULL,
					     file, &named, &ignored) == 0)
		free(named);
	else if (opened->state[0] != '\0')
		say("%s", opened->state);
	return 0;
}

static int open_process(struct opening *opening, const char *word, struct error *error)
{
	const struct words *words = opening->words;
	char *file = NULL;
	pid_t pid;
	int failed = jvm_list_find(word, &pid, error);

	if (failed == 0)
		failed = live_open(&opening->live, pid, words->name, NULL, &file, error);
	if (failed == 0)
		failed = shown_init(&opening->shown, file, words->choice.calibration,
			words->choice.java, error);
	if (failed == 0 && file)
		failed = shown_read(&opening->shown, error);
	free(file);
	return failed;
}

/* ---- requests ---- */

static void give(struct opening *opening, struct worker *worker, struct exchange *exchange,
	void (*run)(void *user, struct exchange *exchange), void *user)
{
	if (worker_give(worker, exchange, run, user)) {
		opening->in_work++;
		return;
	}
	exchange_refuse(exchange, 503, "too much is asked for at once");
	server_answer(exchange);
}

static void take_block(void *user, struct exchange *exchange)
{
	struct opening *opening = user;

	give(opening, &opening->profile_worker, exchange, shown_block, &opening->shown);
}

static void take_report(void *user, struct exchange *exchange)
{
	struct opening *opening = user;

	give(opening, &opening->profile_worker, exchange, shown_report, &opening->shown);
}

/* A page that leaves is hidden afterwards: that does not bring it back. */
static int take_hidden(const struct given *given, struct error *error)
{
	struct opening *opening = given->to;

	opening->patience =
		opening->patience_before == PATIENCE_LEFT ? PATIENCE_LEFT : PATIENCE_HIDDEN;
	return 0;
}

static void take_status(void *user, struct exchange *exchange)
{
	static const struct parameter parameters[] = {{"hidden", take_hidden, 0}};
	struct opening *opening = user;
	struct error error = {0};
	struct query *query;

	if (query_read(&query, exchange->query, parameters, 1, opening, &error) == 0) {
		give(opening, &opening->agent_worker, exchange, live_status, &opening->live);
	} else {
		exchange_refuse(exchange, 400, "%s", error.text);
		server_answer(exchange);
	}
	query_free(query);
}

/* Two verbs are not the agent's: to read the profile again, and to leave. */
static void take_control(void *user, struct exchange *exchange)
{
	struct opening *opening = user;
	struct error error = {0};
	json_t *request = live_request(exchange, &error);
	const char *verb = json_string_value(json_object_get(request, "verb"));

	if (!request) {
		exchange_refuse(exchange, 400, "%s", error.text);
		server_answer(exchange);
	} else if (strcmp(verb, "refresh") == 0) {
		give(opening, &opening->profile_worker, exchange, shown_refresh,
			&opening->shown);
	} else if (strcmp(verb, "leave") == 0) {
		opening->patience = PATIENCE_LEFT;
		exchange_conclude(exchange, NULL);
		server_answer(exchange);
	} else {
		give(opening, &opening->agent_worker, exchange, live_control, &opening->live);
	}
	json_decref(request);
}

static const struct route routes[] = {
	{"block", false, take_block},
	{"report", false, take_report},
	{"status", false, take_status},
	{"control", true, take_control},
};

static void was_asked(void *user)
{
	struct opening *opening = user;

	opening->was_asked = true;
	opening->last = waiting_now();
	opening->patience_before = opening->patience;
	opening->patience = PATIENCE;
	browser_forget(&opening->browser);
}

/* ---- the loop ---- */

static void send_done(evutil_socket_t wake, short events, void *user)
{
	struct opening *opening = user;
	struct worker *workers[] = {&opening->profile_worker, &opening->agent_worker};
	struct exchange *exchange;

	for (size_t i = 0; i < sizeof(workers) / sizeof(*workers); i++) {
		while ((exchange = worker_take(workers[i]))) {
			opening->in_work--;
			opening->last = waiting_now();
			server_answer(exchange);
		}
	}
}

static void end(evutil_socket_t number, short events, void *user)
{
	event_base_loopbreak(((struct opening *)user)->base);
}

static void look_at_browser(evutil_socket_t number, short events, void *user)
{
	if (!browser_check(&((struct opening *)user)->browser))
		say("the browser did not open the page: open the address by hand");
}

static void look_at_clock(evutil_socket_t none, short events, void *user)
{
	struct opening *opening = user;
	const struct words *words = opening->words;
	int64_t patience = words->keep > 0 ? words->keep : opening->patience;

	/* Noted while a calibration is measured. */
	if (waiting_interrupted())
		event_base_loopbreak(opening->base);
	if (words->keeps || !opening->was_asked || opening->in_work > 0 ||
		waiting_now() - opening->last < patience)
		return;
	say("the page was closed");
	event_base_loopbreak(opening->base);
}

/* What the loop waits for, beside the server. */
static int add_events(struct opening *opening, struct error *error)
{
	const struct timeval pause = {.tv_usec = LOOK * 1000};
	const struct {
		int of; /* a descriptor or a signal */
		short events;
		event_callback_fn call;
		const struct timeval *timeout;
	} rows[EVENTS] = {
		{opening->profile_worker.wake, EV_READ, send_done, NULL},
		{opening->agent_worker.wake, EV_READ, send_done, NULL},
		{SIGINT, EV_SIGNAL, end, NULL},
		{SIGTERM, EV_SIGNAL, end, NULL},
		{SIGHUP, EV_SIGNAL, end, NULL},
		{SIGCHLD, EV_SIGNAL, look_at_browser, NULL},
		{-1, 0, look_at_clock, &pause},
	};

	for (size_t i = 0; i < EVENTS; i++) {
		opening->event[i] = event_new(opening->base, rows[i].of,
			(short)(rows[i].events | EV_PERSIST), rows[i].call, opening);
		if (!opening->event[i] || event_add(opening->event[i], rows[i].timeout) != 0)
			return error_set(error, ERROR_MEMORY, "no memory to serve");
	}
	return 0;
}

/* ---- the page ---- */

/* Within an element of the page, which no text may end. */
static void put_chosen(const struct opening *opening, struct out *out)
{
	struct out json;

	out_init(&json, -1);
	page_choice_put(&json, &opening->words->choice.model);
	for (size_t i = 0; i < json.length; i++)
		if (json.buffer[i] == '<')
			out_text(out, "\\u003c");
		else
			out_char(out, json.buffer[i]);
	if (json.failed != 0)
		out->failed = json.failed;
	out_fini(&json);
}

/* With what tells it where its data is. */
static int put_page(const struct opening *opening, struct out *out, struct error *error)
{
	struct page_parts parts = page_parts();

	out_bytes(out, parts.before.text, parts.before.length);
	out_text(out, "<script type=\"application/x-jprof-server\">{\"live\":");
	out_text(out, opening->live.is_there ? "true,\"pid\":" : "false,\"pid\":");
	out_number(out, opening->live.is_there ? (uint64_t)opening->live.target.pid : 0);
	out_text(out, ",\"traces\":[");
	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		if (kind > 0)
			out_char(out, ',');
		out_json(out, trace_kind_names[kind], strlen(trace_kind_names[kind]));
	}
	out_text(out, "],\"chosen\":");
	put_chosen(opening, out);
	out_text(out, "}</script>\n");
	out_bytes(out, parts.after.text, parts.after.length);
	return out->failed == 0 ? 0 : error_set(error, ERROR_MEMORY, "no memory for the page");
}

/* The address on standard output; what else there is to say beside it. */
static void announce(struct opening *opening)
{
	const char *address = server_address(opening->server);
	const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY"),
		   *browser = getenv("BROWSER");
	struct error error = {0};

	printf("%s\n", address);
	fflush(stdout);
	if (opening->words->no_browser)
		return;
	say("this address is for one browser, and for nobody else to see; Ctrl-C ends it");
	if (!display && !wayland && !browser) {
		say("there is no display here: open the address by hand");
		return;
	}
	if (geteuid() == 0)
		say("the browser is started as root (--no-browser: it is not)");
	if (browser_start(&opening->browser, address, &error) != 0)
		say("%s: open the address by hand", error.text);
}

/* ---- life ---- */

static int serve(struct opening *opening, struct error *error)
{
	struct serving serving = {.port = (unsigned)opening->words->port,
		.route = routes,
		.route_count = sizeof(routes) / sizeof(*routes),
		.user = opening,
		.asked = was_asked};
	struct label own = page_parts().policy;
	char policy[1024];
	struct out page;
	int failed;

	/* The page's own, which names its script and style; a page cannot say by itself who may frame it. */
	snprintf(policy, sizeof(policy), "%.*s; frame-ancestors 'none'", (int)own.length,
		own.text);
	serving.policy = policy;
	out_init(&page, -1);
	failed = put_page(opening, &page, error);
	serving.page = page.buffer;
	serving.page_length = page.length;
	if (failed == 0)
		failed = add_events(opening, error);
	if (failed == 0)
		failed = server_create(&opening->server, opening->base, &serving, error);
	if (failed == 0) {
		announce(opening);
		event_base_dispatch(opening->base);
		browser_forget(&opening->browser);
	}
	for (size_t i = 0; i < EVENTS && opening->event[i]; i++)
		event_free(opening->event[i]);
	if (failed == 0)
		server_destroy(opening->server);
	out_fini(&page);
	return failed;
}

/* With its two threads. False: one of them is still busy with something; all is left to the end of the process. */
static bool serve_with_workers(struct opening *opening, int *failed, struct error *error)
{
	bool has_ended = true;

	*failed = worker_init(&opening->profile_worker, error);
	if (*failed != 0)
		return true;
	*failed = worker_init(&opening->agent_worker, error);
	if (*failed == 0) {
		*failed = serve(opening, error);
		has_ended = worker_fini(&opening->agent_worker, server_drop);
	}
	return worker_fini(&opening->profile_worker, server_drop) && has_ended;
}

static int open_subject(struct words *words)
{
	struct opening opening = {.words = words, .patience = PATIENCE};
	struct error error = {0};
	bool has_ended = true;
	int failed = is_file(words->subject) ? open_file(&opening, words->subject, &error)
					     : open_process(&opening, words->subject, &error);

	opening.live.shown = &opening.shown;
	if (failed == 0) {
		opening.base = event_base_new();
		failed = opening.base ? 0
				      : error_set(&error, ERROR_MEMORY, "no memory to serve");
	}
	if (failed == 0)
		has_ended = serve_with_workers(&opening, &failed, &error);
	if (!has_ended) {
		progress_hide();
		_exit(failed == 0 ? EXIT_DONE : EXIT_FAILED);
	}
	if (opening.base)
		event_base_free(opening.base);
	live_close(&opening.live);
	shown_fini(&opening.shown);
	if (failed == 0)
		return EXIT_DONE;
	return error.code == ERROR_USAGE ? command_usage("open", "%s", error.text)
					 : command_failed(&error);
}

int cmd_open(int argc, char **argv)
{
	struct words words = {0};
	int status = command_options_read(&open_table, &words, argc, argv);
	char *found = NULL;

	if (status == EXIT_DONE)
		status = profile_file_choose("open", &words.subject, &found);
	if (status == EXIT_DONE) {
		/* A client that has gone is no reason to die of a signal. */
		signal(SIGPIPE, SIG_IGN);
		status = open_subject(&words);
	}
	free(found);
	profile_choice_fini(&words.choice);
	return status;
}
