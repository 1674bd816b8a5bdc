/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* search: see search.h. */
#include "report/findings/search.h"

#include <stdlib.h>
#include <string.h>

#include "error/harmless.h"
#include "report/text/figure.h"
#include "report/text/out.h"
#include "report/text/shell_word.h"

/* Longest names in texts, in columns and in bytes; and in patterns, in bytes. */
enum { NAME_COLUMNS = 70, NAME_BYTES = 320, PATTERN_BYTES = 200 };

/* Sends are one-sided if there are more than so many times as many as receives: else somebody waits for each. */
enum { ONE_SIDED = 2 };
/* So few reads and writes for each opening are no stream's. */
enum { FEW_AN_OPENING = 10 };

/* What is read of an archive that is no entry's (agent/io/archive_files.h). */
#define DIRECTORY "(directory)"

/* ---- what the run was ---- */

int search_condition(const struct model *model, const char *event, const char *unit)
{
	for (unsigned c = 0; c < model->condition_count; c++)
		if (strcmp(model->condition[c]->event, event) == 0 &&
			strcmp(model->condition[c]->unit, unit) == 0)
			return (int)c;
	return NOWHERE;
}

static int find_metric(const struct model *model, const char *name)
{
	for (unsigned m = 0; m < model->metric_count; m++)
		if (strcmp(model->metric[m]->name, name) == 0)
			return (int)m;
	return NOWHERE;
}

static void find_times(struct search *search)
{
	const struct model *model = search->model;
	const struct profile_interval *interval = &model->profile->interval;
	int lead = (int)model->lead;

	search->cpu = find_metric(model, "cpu");
	search->wall = find_metric(model, "wall");
	search->alloc = find_metric(model, "alloc");
	search->cpu_samples = search_condition(model, "cpu", "ns");
	search->time = NOWHERE;
	if (search->cpu_samples != NOWHERE)
		search->time = (int)model->metric_count + search->cpu_samples;
	/* Where nodes have measured or divided times those are what reports show. */
	if (lead == search->cpu && !model->lacks_calls)
		search->time = lead;
	if (search->cpu != NOWHERE)
		search->cpu_ns = search->whole[search->cpu];
	if (search->cpu_ns == 0 && search->cpu_samples != NOWHERE)
		search->cpu_ns =
			search->whole[model->metric_count + (unsigned)search->cpu_samples] *
			model->condition[search->cpu_samples]->period;
	search->duration = profile_meta_number(model->profile, "duration_ns");
	if (interval->end > interval->begin)
		search->duration = interval->end - interval->begin;
}

uint64_t search_ns(const struct search *search, int figure, uint64_t value)
{
	const struct model *model = search->model;

	if (figure < (int)model->metric_count)
		return value;
	return value * model->condition[figure - (int)model->metric_count]->period;
}

static void count_jvm_samples(struct search *search)
{
	const struct model *model = search->model;
	const struct profile *profile = model->apart;

	if (search->cpu_samples == NOWHERE || model->choice->threads.count > 0)
		return;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t thread = profile->node[account->node].thread;

		if (account->kind != SAMPLES ||
			sample_place_condition(account->subject) !=
				model->condition[search->cpu_samples]->id ||
			!model_is_jvm_thread(&profile->thread[thread]))
			continue;
		search->jvm_samples[sample_place_state(account->subject)] += account->amount;
		search->jvm_all += account->amount;
	}
}

bool search_jvm_used(
	const struct search *search, enum sample_state state, uint64_t *ns, double *share)
{
	const struct model *model = search->model;
	unsigned figure = model->metric_count + (unsigned)search->cpu_samples;

	if (search->cpu_samples == NOWHERE)
		return false;
	*ns = search->jvm_samples[state] * model->condition[search->cpu_samples]->period;
	*share = share_of(search->jvm_samples[state], search->whole[figure] + search->jvm_all);
	return true;
}

/* ---- I/O ---- */

/* It takes as long as the machine needs, not until somebody else does something. */
static bool is_work(const struct profile_account *io, const struct profile_file *file)
{
	switch (file->kind) {
	case IO_FILE:
	case IO_DIRECTORY:
	case IO_HOST:
		return true;
	case IO_PIPE:
	case IO_TERMINAL:
		return io->kind == IO_WRITE;
	case IO_TCP:
	case IO_UDP:
	case IO_UNIX:
		return io->kind == IO_SEND;
	default:
		return false;
	}
}

struct named {
	const struct profile_file *file;
	uint32_t place;
};

static int compare_names(const void *a, const void *b)
{
	const struct profile_file *left = ((const struct named *)a)->file,
				  *right = ((const struct named *)b)->file;
	int order;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	order = strcmp(left->name ? left->name : "", right->name ? right->name : "");
	return order != 0
		       ? order
		       : strcmp(left->peer ? left->peer : "", right->peer ? right->peer : "");
}

/* Gives files of the same kind and names one number. */
static struct named *number_names(struct search *search)
{
	const struct profile *profile = search->model->profile;
	struct store *store = search->model->store;
	struct named *named = store_room(store, profile->file_count + 1, sizeof(*named));

	search->name_of = store_room(store, profile->file_count + 1, sizeof(*search->name_of));
	search->by_name = store_room(store, profile->file_count + 1, sizeof(*search->by_name));
	if (store->failed)
		return NULL;
	for (size_t i = 0; i < profile->file_count; i++)
		named[i] = (struct named){&profile->file[i], (uint32_t)i};
	qsort(named, profile->file_count, sizeof(*named), compare_names);
	for (size_t i = 0; i < profile->file_count; i++) {
		if (i == 0 || compare_names(&named[i - 1], &named[i]) != 0)
			search->by_name[search->name_count++].file = named[i].place + 1;
		search->name_of[named[i].place] = (uint32_t)search->name_count - 1;
		search->by_name[search->name_count - 1].is_many |= named[i].file->folded > 0;
	}
	return named;
}

static void add_io(struct io_sum *sum, const struct profile_account *io, size_t account)
{
	sum->ops[io->kind] += io->count;
	sum->bytes[io->kind] += io->amount;
	sum->ns[io->kind] += io->ns;
	if (io->count > sum->most_ops[io->kind]) {
		sum->most_ops[io->kind] = io->count;
		sum->most[io->kind] = account + 1;
	}
}

/* The archive of an entry; NULL: its own row is not there. */
static struct io_sum *archive_of(
	struct search *search, const struct named *named, const struct profile_file *entry)
{
	const struct profile_file archive = {.kind = IO_FILE, .name = entry->peer};
	const struct named wanted = {.file = &archive};
	const struct named *found = bsearch(&wanted, named, search->model->profile->file_count,
		sizeof(*named), compare_names);

	return found ? &search->by_name[search->name_of[found->place]] : NULL;
}

static void count_entries(struct search *search, const struct named *named)
{
	const struct profile *profile = search->model->profile;

	for (size_t i = 0; i < profile->file_count; i++) {
		const struct profile_file *file = &profile->file[i];
		struct io_sum *archive;

		if (file->kind != IO_ENTRY || strcmp(file->name, DIRECTORY) == 0)
			continue;
		archive = archive_of(search, named, file);
		if (archive)
			archive->entries += file->folded > 0 ? file->folded : 1;
	}
}

/* True for what is no matter of the method that did it: sends that are answered, datagrams, each of which is a message of
 * its own, and what is read or written because a file
 * is opened again, or of an archive, each of which has rules of its own. */
static bool is_aside(
	const struct profile_account *io, enum io_kind kind, const struct io_sum *name)
{
	uint64_t ops = name->ops[io->kind];

	if (io->kind == IO_SEND)
		return kind == IO_UDP || ops <= ONE_SIDED * name->ops[IO_RECEIVE];
	return (io->kind == IO_READ || io->kind == IO_WRITE) &&
	       (name->entries > 0 || ops <= FEW_AN_OPENING * name->ops[IO_OPEN]);
}

/* Sums by name, and then by place, for which it is known by then what a name's operations are like. */
static int sum_io(struct search *search)
{
	const struct profile *profile = search->model->profile;
	struct named *named = number_names(search);

	search->place_count = profile->method_count + search->name_count;
	search->by_place = store_room(
		search->model->store, search->place_count + 1, sizeof(*search->by_place));
	if (search->model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];
		const struct profile_file *file;

		if (io->kind >= IO_OPS || io->subject == 0)
			continue;
		file = &profile->file[io->subject - 1];
		/* What is read of entries is read of their archives, too. */
		if (file->kind != IO_ENTRY)
			add_io(&search->by_name[search->name_of[io->subject - 1]], io, i);
		else if (strcmp(file->name, DIRECTORY) == 0 && archive_of(search, named, file))
			archive_of(search, named, file)->directory_ns += io->ns;
		if (is_work(io, file))
			search->busy_ns += io->ns;
	}
	count_entries(search, named);
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];
		const struct profile_node *node = &profile->node[io->node];
		const struct io_sum *name;
		size_t place;

		if (io->kind >= IO_OPS || io->subject == 0 ||
			!is_work(io, &profile->file[io->subject - 1]))
			continue;
		name = &search->by_name[search->name_of[io->subject - 1]];
		if (is_aside(io, profile->file[io->subject - 1].kind, name))
			continue;
		place = node->method >= METHOD_FIRST
				? node->method
				: profile->method_count + search->name_of[io->subject - 1];
		add_io(&search->by_place[place], io, i);
	}
	return 0;
}

int search_open(struct search *search, const struct findings_input *input)
{
	const struct model *model = input->model;
	struct tally *tally = NULL;

	search->model = model;
	search->again = input->again ? input->again : "jprof report PROFILE";
	search->cum = input->cum ? input->cum : model_cum(model);
	search->tally = input->tally;
	if (!search->tally && search->cum) {
		tally = store_room(model->store, 1, sizeof(*tally));
		if (!tally || tally_init(tally, model, search->cum) != 0)
			return -1;
		search->tally = tally;
	}
	if (!search->cum || !search->tally)
		return -1;
	model_whole(model, search->whole);
	find_times(search);
	count_jvm_samples(search);
	search->mark = store_room(model->store, model->profile->node_count + 1, sizeof(bool));
	if (sum_io(search) != 0)
		return -1;
	/* Where no processor time is known there is only the clock. */
	search->busy_ns =
		search->cpu_ns > 0 ? search->cpu_ns + search->busy_ns : search->duration;
	return 0;
}

struct finding *search_add(
	struct search *search, const struct finding_rule *rule, uint64_t value, double share)
{
	static struct finding not_kept;
	struct findings *found = search->found;
	struct finding *finding;

	if (found->count == search->room) {
		size_t room = search->room == 0 ? 32 : 2 * search->room;
		struct finding *grown = store_room(search->model->store, room, sizeof(*grown));

		if (!grown)
			return &not_kept;
		if (found->count > 0)
			memcpy(grown, found->finding, found->count * sizeof(*grown));
		found->finding = grown;
		search->room = room;
	}
	finding = &found->finding[found->count++];
	*finding = (struct finding){.rule = rule,
		.severity = rule->is_note                   ? FINDING_NOTE
			    : share >= FINDING_HIGH_SHARE   ? FINDING_HIGH
			    : share >= FINDING_MEDIUM_SHARE ? FINDING_MEDIUM
							    : FINDING_LOW,
		.title = "",
		.evidence = "",
		.advice = rule->advice,
		.command = "",
		.value = value,
		.share = share,
		.whole = rule->whole};
	return finding;
}

void search_drop(struct search *search, const char *rule)
{
	struct findings *found = search->found;
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++)
		if (strcmp(found->finding[i].rule->name, rule) != 0)
			found->finding[kept++] = found->finding[i];
	found->count = kept;
}

/* ---- texts ---- */

static const char *kept(const struct search *search, const char *text)
{
	const char *copy = search_text(search, "%s", text);

	return copy ? copy : "";
}

const char *search_method(const struct search *search, uint32_t method)
{
	const struct label *label = &search->model->method[method].display;
	char name[NAME_BYTES];

	if (method == METHOD_ROOT || !label->text)
		return "(outside every included method)";
	figure_name(name, sizeof(name), label->text, label->length, NAME_COLUMNS);
	return kept(search, name);
}

const char *search_file(const struct search *search, uint32_t file)
{
	const char *name = search->model->profile->file[file].name, *end;
	/* An escape takes ten bytes. */
	char shown[10 * NAME_COLUMNS + 1];

	if (!name)
		return "(without a name)";
	/* The end says more than the beginning. */
	end = name;
	if (strlen(name) > NAME_COLUMNS)
		end += strlen(name) - NAME_COLUMNS;
	while (((unsigned char)*end & 0xc0) == 0x80)
		end++;
	harmless_copy(shown, sizeof(shown), end, strlen(end));
	return search_text(search, "%s%s", end == name ? "" : "...", shown);
}

const char *search_name(const struct search *search, const char *name)
{
	char shown[NAME_BYTES];

	harmless_copy(shown, sizeof(shown), name, strlen(name));
	return kept(search, shown);
}

const char *search_time(const struct search *search, uint64_t ns)
{
	return kept(search, figure_text(FIGURE_TIME, ns).text);
}

const char *search_count(const struct search *search, uint64_t count)
{
	return kept(search, figure_text(FIGURE_COUNT, count).text);
}

const char *search_bytes(const struct search *search, uint64_t bytes)
{
	return kept(search, figure_text(FIGURE_BYTES, bytes).text);
}

const char *search_share(const struct search *search, double share)
{
	return share > 0
		       ? kept(search,
				 figure_percent((uint64_t)(share * 1e9 + 0.5), 1000000000).text)
		       : "0%";
}

/* ---- commands ---- */

/* A pattern that finds the text, as a word of a shell: what is not plain ASCII becomes '*', which stands for it, and so
 * does the rest of what is long. */
static const char *pattern_word(const struct search *search, const char *text)
{
	char pattern[PATTERN_BYTES + 1];
	size_t length = strlen(text);
	const char *copy = "";
	struct out word;

	if (length > PATTERN_BYTES)
		length = PATTERN_BYTES;
	for (size_t i = 0; i < length; i++)
		pattern[i] =
			text[i] >= 0x20 && text[i] < 0x7f && text[i] != '\'' ? text[i] : '*';
	if (text[length] != '\0')
		pattern[length - 1] = '*';
	out_init(&word, -1);
	out_shell_word(&word, pattern, length);
	if (word.failed == 0)
		copy = store_bytes(search->model->store, word.buffer, word.length).text;
	out_fini(&word);
	return copy;
}

const char *search_command(const struct search *search, const char *view)
{
	return search_text(search, "%s --view %s", search->again, view);
}

const char *search_command_method(
	const struct search *search, const char *view, uint32_t method)
{
	const struct method_label *label = &search->model->method[method];
	const char *pattern;

	if (!label->class_name.text)
		return search_command(search, view);
	pattern = search_text(search, "%s.%s", label->class_name.text, label->name.text);
	return search_text(search, "%s --method %s", search_command(search, view),
		pattern ? pattern_word(search, pattern) : "");
}

const char *search_command_file(const struct search *search, const char *view, uint32_t file)
{
	const char *name = search->model->profile->file[file].name;

	return search_text(search, "%s --file %s", search_command(search, view),
		pattern_word(search, name ? name : "*"));
}

/* ---- paths ---- */

/* Whose classes they are, by how their names begin; of languages, what runs beneath a program's own. */
enum { OWNER_JDK = 1, OWNER_LANGUAGE = 2 };

static const struct {
	int owner;
	const char *package;
} owners[] = {
	{OWNER_JDK, "java."},
	{OWNER_JDK, "javax."},
	{OWNER_JDK, "jdk."},
	{OWNER_JDK, "sun."},
	{OWNER_LANGUAGE, "groovy.lang."},
	{OWNER_LANGUAGE, "org.codehaus.groovy."},
	{OWNER_LANGUAGE, "org.apache.groovy."},
	{OWNER_LANGUAGE, "clojure.lang."},
	{OWNER_LANGUAGE, "kotlin."},
	{OWNER_LANGUAGE, "scala."},
};

/* True for a method of one of them, or of no Java class. */
static bool is_owned(const struct search *search, uint32_t method, int by)
{
	const struct profile_method *row = &search->model->profile->method[method];

	if (method < METHOD_FIRST || row->kind != METHOD_JAVA || !row->class_name)
		return true;
	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++)
		if ((owners[i].owner & by) && strncmp(row->class_name, owners[i].package,
						      strlen(owners[i].package)) == 0)
			return true;
	return false;
}

bool search_is_jdk(const struct search *search, uint32_t method)
{
	return is_owned(search, method, OWNER_JDK);
}

static uint32_t next_method(const struct search *search, uint32_t node, int but)
{
	const struct profile_node *nodes = search->model->profile->node;

	while (nodes[node].parent != node && is_owned(search, nodes[node].method, but))
		node = nodes[node].parent;
	return nodes[node].parent == node ? METHOD_ROOT : nodes[node].method;
}

uint32_t search_program_method(const struct search *search, uint32_t node)
{
	uint32_t method = next_method(search, node, OWNER_JDK | OWNER_LANGUAGE);

	return method != METHOD_ROOT ? method : next_method(search, node, OWNER_JDK);
}
