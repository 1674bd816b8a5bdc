/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stretch: where islands go, and when all is settled.
 */
#include "agent/rewrite/stretch.h"

enum {
	/* Each round something gets longer. More than some are not met in earnest. */
	ROUNDS_MAX = 64,
	/* How far away an island is put at most: what else is stretched comes in between. */
	ISLAND_DISTANCE = BRANCH_REACH - BRANCH_REACH / 8,
	ISLAND_SIZE = 5, /* goto_w */
	ISLAND_GOTO_SIZE = 3
};

/* Instructions that an island may be put in front of, by rising pc. */
struct places {
	uint32_t *pc;
	uint32_t count;
};

struct stretch {
	struct code *code;
	struct places gaps;  /* no code falls into them; the code's end is one */
	struct places joins; /* they have a frame */
};

bool code_has_far(const struct code *code)
{
	if (code->new_length <= BRANCH_REACH)
		return false;
	for (uint32_t i = 0; i < code->sites; i++)
		if (code_is_far(code, &code->site[i]))
			return true;
	return false;
}

/* True if the instruction behind one of that flow is not reached from it. */
static bool flow_ends(uint8_t flow)
{
	return flow == FLOW_THROW || flow == FLOW_RET || flow == FLOW_RETURN ||
	       flow == FLOW_GOTO || flow == FLOW_GOTO_W || flow == FLOW_TABLE ||
	       flow == FLOW_LOOKUP;
}

static bool places_find(struct stretch *stretch, const struct full_frames *full)
{
	const struct code *code = stretch->code;
	struct places *gaps = &stretch->gaps, *joins = &stretch->joins;

	gaps->pc = malloc((code->length + 1) * sizeof(*gaps->pc));
	joins->pc = malloc((full->count + 1) * sizeof(*joins->pc));
	if (!gaps->pc || !joins->pc)
		return false;
	for (uint32_t pc = 0; pc < code->length;) {
		uint8_t flow = opcodes[code->bytes[pc]].flow;

		pc += code_size_at(code, pc);
		if (flow_ends(flow))
			gaps->pc[gaps->count++] = pc;
	}
	for (uint32_t i = 0; i < full->count; i++)
		if (full->frame[i].pc != 0)
			joins->pc[joins->count++] = full->frame[i].pc;
	return true;
}

static uint32_t distance(const struct code *code, uint32_t pc, const struct site *site)
{
	uint32_t at = code->label[pc];

	return at > site->at ? at - site->at : site->at - at;
}

/* The place nearest to the site. False: none is near enough. */
static bool places_nearest(const struct places *places, const struct code *code,
	const struct site *site, uint32_t *pc)
{
	uint32_t low = 0, high = places->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (places->pc[middle] <= site->pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == places->count ||
		(low > 0 && distance(code, places->pc[low - 1], site) <
				    distance(code, places->pc[low], site)))
		low--;
	if (places->count == 0)
		return false;
	*pc = places->pc[low];
	return distance(code, *pc, site) <= ISLAND_DISTANCE;
}

/* An island to the site's target that is near enough; islands: there is none. */
static uint32_t island_find(const struct code *code, const struct site *site)
{
	uint32_t i;

	for (i = 0; i < code->islands; i++)
		if (code->island[i].target == site->target &&
			distance(code, code->island[i].pc, site) <= ISLAND_DISTANCE)
			break;
	return i;
}

/* Puts an island behind those that are there already; its index. False: no memory. */
static bool island_add(
	struct code *code, uint32_t pc, uint32_t target, bool join, uint32_t *index)
{
	uint32_t i = code->islands;
	bool jumped;

	if (!scratch_grow((void **)&code->island, &code->island_capacity,
		    code->islands + 1, code->islands, sizeof(*code->island)))
		return false;
	while (i > 0 && code->island[i - 1].pc > pc)
		i--;
	memmove(&code->island[i + 1], &code->island[i],
		(code->islands - i) * sizeof(*code->island));
	code->islands++;
	jumped = join && (i == 0 || code->island[i - 1].pc != pc);
	code->island[i] = (struct island){
		.pc = pc,
		.target = target,
		.jumped = jumped,
		.size = ISLAND_SIZE + (jumped ? ISLAND_GOTO_SIZE : 0),
	};
	for (uint32_t s = 0; s < code->sites; s++)
		if (code->site[s].form == SITE_ISLAND && code->site[s].island >= i)
			code->site[s].island++;
	*index = i;
	return true;
}

static enum rewrite_reason site_detour(struct stretch *stretch, struct site *site)
{
	struct code *code = stretch->code;
	uint32_t index = island_find(code, site), pc;
	bool join;

	if (index == code->islands) {
		join = !places_nearest(&stretch->gaps, code, site, &pc);
		if (join && !places_nearest(&stretch->joins, code, site, &pc))
			return REWRITE_BRANCH;
		if (code->length + code->islands * ISLAND_SIZE > CODE_MAX)
			return REWRITE_CODE;
		if (!island_add(code, pc, site->target, join, &index))
			return REWRITE_MEMORY;
	}
	site->form = SITE_ISLAND;
	site->island = index;
	return REWRITE_OK;
}

/* Gives all far branches another form; how many there were. */
static enum rewrite_reason stretch_round(struct stretch *stretch, uint32_t *far)
{
	struct code *code = stretch->code;
	enum rewrite_reason reason = REWRITE_OK;

	*far = 0;
	for (uint32_t i = 0; i < code->sites && reason == REWRITE_OK; i++) {
		struct site *site = &code->site[i];

		if (!code_is_far(code, site))
			continue;
		++*far;
		if (site->flow != FLOW_IF)
			site->form = SITE_WIDE;
		else if (!stretch->joins.pc)
			site->form = SITE_INVERTED;
		else
			reason = site_detour(stretch, site);
	}
	return reason;
}

/* The jumps over islands are short enough. */
static bool islands_jumpable(const struct code *code)
{
	for (uint32_t i = 0; i < code->islands; i++)
		if (code->island[i].jumped &&
			code->label[code->island[i].pc] - code->island[i].at >
				BRANCH_REACH - ISLAND_GOTO_SIZE)
			return false;
	return true;
}

enum rewrite_reason code_stretch(struct code *code, const struct full_frames *full)
{
	struct stretch stretch = {.code = code};
	enum rewrite_reason reason = REWRITE_OK;
	uint32_t far = 1;

	if (full && !places_find(&stretch, full))
		reason = REWRITE_MEMORY;
	for (uint32_t i = 0; i < ROUNDS_MAX && reason == REWRITE_OK && far > 0; i++) {
		reason = stretch_round(&stretch, &far);
		if (reason == REWRITE_OK && far > 0)
			reason = code_layout(code);
	}
	if (reason == REWRITE_OK && (far > 0 || !islands_jumpable(code)))
		reason = REWRITE_BRANCH;
	free(stretch.gaps.pc);
	free(stretch.joins.pc);
	return reason;
}
