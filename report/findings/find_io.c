/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* find_io: problems that sums of I/O show, by method or by name. */
#include "report/findings/search.h"

#include <string.h>

/* So many findings of one rule, the heaviest. */
enum { MOST_OF_A_RULE = 3 };

/* In bytes: a sixteenth of the 8 KB that the JDK's buffered streams have; and what an entry read for itself has at most. */
enum { SMALL_BYTES = 512, SMALL_ENTRY_BYTES = 4096 };
/* Of operations. */
#define NEARLY_ALL 0.95
/* Below it all that is done with a file is done again because it is opened again. */
enum { SMALL_FILE_BYTES = 65536 };
/* Writes to a sync, at most: more are written together already. */
enum { WRITES_TO_A_SYNC = 10 };

/* What a rule takes of a sum; 0: the sum is none of its. */
typedef uint64_t sum_value(const struct search *search, const struct finding_rule *rule,
	const struct io_sum *sum, enum account_kind kind);

struct quest {
	const struct search *search;
	const struct finding_rule *rule;
	const struct io_sum *sums;
	size_t count;
	sum_value *value;
	enum account_kind kind;
	bool and_sends; /* beside that kind; their places are behind those of all sums */
	/* The one that was found last, and how many were. */
	size_t at, found;
	uint64_t last;
};

static const struct io_sum *sum_at(const struct quest *quest, size_t at)
{
	return &quest->sums[at % quest->count];
}

static enum account_kind kind_at(const struct quest *quest, size_t at)
{
	return at < quest->count ? quest->kind : IO_SEND;
}

/* On to the sum with the next smaller value, as long as that is enough. */
static bool quest_next(struct quest *quest)
{
	size_t best = SIZE_MAX, places = quest->and_sends ? 2 * quest->count : quest->count;
	uint64_t most = 0;

	for (size_t i = 0; i < places && quest->found < MOST_OF_A_RULE; i++) {
		uint64_t value = quest->value(
			quest->search, quest->rule, sum_at(quest, i), kind_at(quest, i));
		bool is_later = quest->found == 0 || value < quest->last ||
				(value == quest->last && i > quest->at);

		if (value > most && is_later) {
			most = value;
			best = i;
		}
	}
	if (best == SIZE_MAX ||
		!is_enough(quest->rule, most, share_of(most, quest->search->busy_ns)))
		return false;
	quest->at = best;
	quest->last = most;
	quest->found++;
	return true;
}

/* The finding of what quest_next has found, where its account with most operations of a kind stands. */
static struct finding *add(struct search *search, const struct quest *quest)
{
	const struct profile *profile = search->model->profile;
	const struct io_sum *sum = sum_at(quest, quest->at);
	enum account_kind kind = kind_at(quest, quest->at);
	struct finding *finding = search_add(
		search, quest->rule, quest->last, share_of(quest->last, search->busy_ns));
	const struct profile_account *most;

	/* Where processor time is not known. */
	if (search->cpu_ns == 0)
		finding->whole = "the time by the clock";
	finding->file = sum->file;
	if (sum->most[kind] == 0)
		return finding;
	most = &profile->account[sum->most[kind] - 1];
	if (finding->file == 0)
		finding->file = (uint32_t)most->subject;
	if (profile->node[most->node].method < METHOD_FIRST)
		return finding;
	finding->method = profile->node[most->node].method;
	finding->node = most->node;
	return finding;
}

/* The view that has the file. */
static const char *view_of(const struct search *search, uint32_t file)
{
	return io_kind_is_socket(search->model->profile->file[file].kind) ? "connections"
									  : "files";
}

/* "12.3% of processor time and I/O" */
static const char *share_text(const struct search *search, const struct finding *finding)
{
	return search_text(
		search, "%s of %s", search_share(search, finding->share), finding->whole);
}

/* Who did it, as far as the title does not say it, or why that is not known; behind a sentence. */
static const char *who(
	const struct search *search, const struct finding *finding, const struct io_sum *sum)
{
	const char *below = search->model->is_divided ? " and what it calls" : "";

	if (finding->method == METHOD_ROOT)
		return " The profile does not tell which method did it: 'jprof run --calls "
		       "sample' does.";
	if (sum->file == 0 && below[0] == '\0')
		return "";
	return search_text(search, " %s in %s%s.",
		sum->file == 0 ? "It was done" : "The largest part was done",
		search_method(search, finding->method), below);
}

/* ---- many small operations ---- */

static uint64_t small_value(const struct search *search, const struct finding_rule *rule,
	const struct io_sum *sum, enum account_kind kind)
{
	bool is_small = sum->ops[kind] >= rule->count &&
			sum->bytes[kind] <= SMALL_BYTES * sum->ops[kind];

	return is_small ? sum->ns[kind] : 0;
}

static void find_small(
	struct search *search, const struct finding_rule *rule, enum account_kind of)
{
	struct quest quest = {.search = search,
		.rule = rule,
		.sums = search->by_place,
		.count = search->place_count,
		.value = small_value,
		.kind = of,
		.and_sends = of == IO_WRITE};
	bool is_read = of == IO_READ;

	while (quest_next(&quest)) {
		const struct io_sum *sum = sum_at(&quest, quest.at);
		enum account_kind kind = kind_at(&quest, quest.at);
		struct finding *finding = add(search, &quest);
		bool is_by_method = finding->method != METHOD_ROOT;
		bool is_one =
			(double)sum->most_ops[kind] >= NEARLY_ALL * (double)sum->ops[kind];
		const char *file = search_file(search, finding->file - 1);

		finding->title =
			search_text(search, "Small %s%s %s", is_read ? "reads" : "writes",
				is_by_method ? " in"
				: is_read    ? " of"
					     : " to",
				is_by_method ? search_method(search, finding->method) : file);
		finding->evidence = search_text(search,
			"%s %s of %.1f bytes on average, %s %s%s: %s, %s.%s",
			search_count(search, sum->ops[kind]),
			is_read           ? "reads"
			: kind == IO_SEND ? "sends"
					  : "writes",
			(double)sum->bytes[kind] / (double)sum->ops[kind],
			is_read ? "of" : "to", is_one ? "" : "several files, among them ", file,
			search_time(search, quest.last), share_text(search, finding),
			who(search, finding, sum));
		finding->command =
			is_by_method ? search_command_method(search, "io-tree", finding->method)
				     : search_command_file(search,
					       view_of(search, finding->file - 1),
					       finding->file - 1);
	}
}

void find_small_reads(struct search *search, const struct finding_rule *rule)
{
	find_small(search, rule, IO_READ);
}

void find_small_writes(struct search *search, const struct finding_rule *rule)
{
	find_small(search, rule, IO_WRITE);
}

/* ---- opened again and again ---- */

static uint64_t all_ns(const struct io_sum *sum)
{
	uint64_t ns = 0;

	for (int kind = 0; kind < IO_OPS; kind++)
		ns += sum->ns[kind];
	return ns;
}

static uint64_t reopened_value(const struct search *search, const struct finding_rule *rule,
	const struct io_sum *sum, enum account_kind kind)
{
	uint64_t bytes = sum->bytes[IO_READ] + sum->bytes[IO_WRITE];

	if (sum->is_many || sum->ops[IO_OPEN] < rule->count || sum->entries > 0 ||
		search->model->profile->file[sum->file - 1].kind != IO_FILE)
		return 0;
	return bytes / sum->ops[IO_OPEN] <= SMALL_FILE_BYTES
		       ? all_ns(sum)
		       : sum->ns[IO_OPEN] + sum->ns[IO_CLOSE];
}

static uint64_t reopened_archive_value(const struct search *search,
	const struct finding_rule *rule, const struct io_sum *sum, enum account_kind kind)
{
	return !sum->is_many && sum->entries > 0 && sum->ops[IO_OPEN] >= rule->count
		       ? sum->ns[IO_OPEN] + sum->ns[IO_CLOSE] + sum->directory_ns
		       : 0;
}

static void find_reopened(struct search *search, const struct finding_rule *rule,
	sum_value *value, const char *what)
{
	struct quest quest = {.search = search,
		.rule = rule,
		.sums = search->by_name,
		.count = search->name_count,
		.value = value,
		.kind = IO_OPEN};

	while (quest_next(&quest)) {
		const struct io_sum *sum = &quest.sums[quest.at];
		struct finding *finding = add(search, &quest);

		finding->title = search_text(search, "%s opened again and again: %s", what,
			search_file(search, finding->file - 1));
		finding->evidence = search_text(search,
			"Opened %s times, with %s reads and %s writes; that took %s, %s.%s",
			search_count(search, sum->ops[IO_OPEN]),
			search_count(search, sum->ops[IO_READ]),
			search_count(search, sum->ops[IO_WRITE]),
			search_time(search, quest.last), share_text(search, finding),
			who(search, finding, sum));
		finding->command = search_command_file(search,
			finding->method == METHOD_ROOT ? "files" : "io-methods",
			finding->file - 1);
	}
}

void find_reopened_file(struct search *search, const struct finding_rule *rule)
{
	find_reopened(search, rule, reopened_value, "File");
}

void find_reopened_archive(struct search *search, const struct finding_rule *rule)
{
	size_t before = search->found->count;
	const struct io_sum *most = NULL;

	find_reopened(search, rule, reopened_archive_value, "Archive");
	if (search->found->count > before)
		return;
	/* The JDK makes tables of each archive that is opened, which takes longer than to read it. */
	for (size_t i = 0; i < search->name_count; i++) {
		const struct io_sum *sum = &search->by_name[i];

		if (reopened_archive_value(search, rule, sum, IO_OPEN) > 0 &&
			(!most || sum->ops[IO_OPEN] > most->ops[IO_OPEN]))
			most = sum;
	}
	if (most)
		find_opened_archives(search, rule, most);
}

/* ---- entries one by one ---- */

static uint64_t entries_value(const struct search *search, const struct finding_rule *rule,
	const struct io_sum *sum, enum account_kind kind)
{
	uint64_t reads = sum->ops[IO_READ];
	bool is_piecemeal = sum->entries >= rule->count && reads > 0 &&
			    sum->bytes[IO_READ] <= SMALL_ENTRY_BYTES * reads;

	/* One that is opened for each entry or two is another rule's. */
	return is_piecemeal && sum->ops[IO_OPEN] * 10 < reads ? sum->ns[IO_READ] : 0;
}

void find_archive_entries(struct search *search, const struct finding_rule *rule)
{
	struct quest quest = {.search = search,
		.rule = rule,
		.sums = search->by_name,
		.count = search->name_count,
		.value = entries_value,
		.kind = IO_READ};

	while (quest_next(&quest)) {
		const struct io_sum *sum = &quest.sums[quest.at];
		struct finding *finding = add(search, &quest);

		finding->title =
			search_text(search, "Entries of an archive read one by one: %s",
				search_file(search, finding->file - 1));
		finding->evidence = search_text(search,
			"%s reads of single entries, of %s on average: %s, %s, without what "
			"unpacking took.%s",
			search_count(search, sum->ops[IO_READ]),
			search_bytes(search, sum->bytes[IO_READ] / sum->ops[IO_READ]),
			search_time(search, quest.last), share_text(search, finding),
			who(search, finding, sum));
		finding->command = search_command_file(search, "entries", finding->file - 1);
	}
}

/* ---- to the disk, record by record ---- */

/* Writes to files that are ever synced. */
static uint64_t synced_writes(const struct search *search)
{
	uint64_t writes = 0;

	for (size_t i = 0; i < search->name_count; i++)
		if (search->by_name[i].ops[IO_SYNC] > 0)
			writes += search->by_name[i].ops[IO_WRITE];
	return writes;
}

static uint64_t sync_value(const struct search *search, const struct finding_rule *rule,
	const struct io_sum *sum, enum account_kind kind)
{
	return sum->ops[IO_SYNC] >= rule->count ? sum->ns[IO_SYNC] : 0;
}

void find_sync(struct search *search, const struct finding_rule *rule)
{
	struct quest quest = {.search = search,
		.rule = rule,
		.sums = search->by_place,
		.count = search->place_count,
		.value = sync_value,
		.kind = IO_SYNC};
	uint64_t writes = synced_writes(search), syncs = 0;

	for (size_t i = 0; i < search->name_count; i++)
		syncs += search->by_name[i].ops[IO_SYNC];
	while (writes <= WRITES_TO_A_SYNC * syncs && quest_next(&quest)) {
		const struct io_sum *sum = &quest.sums[quest.at];
		struct finding *finding = add(search, &quest);
		bool is_by_method = finding->method != METHOD_ROOT;

		finding->title = search_text(search, "Each record is forced to the disk: %s",
			is_by_method ? search_method(search, finding->method)
				     : search_file(search, finding->file - 1));
		finding->evidence = search_text(search,
			"%s syncs, %s each: %s, %s. To all files that are synced there are "
			"%.1f writes a sync.%s",
			search_count(search, sum->ops[IO_SYNC]),
			search_time(search, sum->ns[IO_SYNC] / sum->ops[IO_SYNC]),
			search_time(search, quest.last), share_text(search, finding),
			(double)writes / (double)syncs, who(search, finding, sum));
		finding->command =
			is_by_method ? search_command_method(search, "io-tree", finding->method)
				     : search_command_file(search, "files", finding->file - 1);
	}
}

/* ---- names of hosts ---- */

static uint64_t names_value(const struct search *search, const struct finding_rule *rule,
	const struct io_sum *sum, enum account_kind kind)
{
	return !sum->is_many && sum->ops[IO_RESOLVE] >= rule->count ? sum->ns[IO_RESOLVE] : 0;
}

void find_names(struct search *search, const struct finding_rule *rule)
{
	struct quest quest = {.search = search,
		.rule = rule,
		.sums = search->by_name,
		.count = search->name_count,
		.value = names_value,
		.kind = IO_RESOLVE};

	while (quest_next(&quest)) {
		const struct io_sum *sum = &quest.sums[quest.at];
		struct finding *finding = add(search, &quest);

		finding->title = search_text(search, "Host looked up again and again: %s",
			search_file(search, finding->file - 1));
		finding->evidence = search_text(search,
			"Looked up %s times, past the JDK's own cache, %s each: %s, %s.%s",
			search_count(search, sum->ops[IO_RESOLVE]),
			search_time(search, sum->ns[IO_RESOLVE] / sum->ops[IO_RESOLVE]),
			search_time(search, quest.last), share_text(search, finding),
			who(search, finding, sum));
		finding->command = search_command_file(search,
			finding->method == METHOD_ROOT ? "files" : "io-tree",
			finding->file - 1);
	}
}
