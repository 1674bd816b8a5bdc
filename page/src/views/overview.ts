// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// overview: what ran, how long, where most of it went; what the recording cost and what is uncertain; findings.

import type { Context, View } from '../app';
import { IoSums, type IoChoice } from '../model/io';
import type { ReportRow } from '../data/block';
import { byState } from '../model/places';
import type { Profile } from '../model/profile';
import { sortedChildren, PathTree } from '../model/tree';
import { METHOD_SMALL, ROOT_PATH } from '../model/universe';
import { h, sized, type Child } from '../ui/dom';
import { exact, figureCell, percent, quantity } from '../ui/format';
import { cut, link, methodName, name, visible } from '../ui/names';
import { table } from '../ui/table';
import { changeCell, dataRow, figureColumns, figureTitle, methodData, shareBar, wholes } from './columns';
import { fill } from './colours';
import { isDark } from '../ui/theme';
import { figuresOf, methodLink } from './methods';
import { fileText } from './io';

const ROWS = 10;
const STATE_ORDER = [
	'interpreted',
	'c1',
	'c1-inlined',
	'c2',
	'c2-inlined',
	'stub',
	'native',
	'jvm',
	'kernel',
	'gc',
	'jit',
	'waiting',
	'unknown',
];
const STATE_WORDS = new Map(
	Object.entries({
		interpreted: 'interpreted',
		c1: 'compiled (C1)',
		'c1-inlined': 'inlined (C1)',
		c2: 'compiled (C2)',
		'c2-inlined': 'inlined (C2)',
		stub: 'stubs',
		native: 'libraries',
		jvm: 'JVM',
		kernel: 'kernel',
		gc: 'collecting',
		jit: 'compiling',
		waiting: 'waiting',
		unknown: 'not known',
	}),
);
const stateWords = (state: string): string => STATE_WORDS.get(state) ?? visible(cut(state, 40));

function facts(context: Context): HTMLElement {
	const { profile, sums, kinds } = context;
	const tiles: [string, Child][] = [];

	if (context.profiles.length > 1) {
		const [before, after] = wholes(context);
		const kind = kinds[context.figure];

		if (kind)
			tiles.push(
				[figureTitle(kind), [quantity(before!, kind.unit), ' \u2192 ', quantity(after!, kind.unit)]],
				[
					'Change',
					changeCell(
						context.sums[0]!.total(context.figure, ROOT_PATH),
						context.sums[1]!.total(context.figure, ROOT_PATH),
						kind.unit,
					),
				],
			);
	} else {
		const { begin, end } = profile.block.header;

		if (end !== null)
			tiles.push([profile.block.header.interval === '' ? 'Recorded' : 'Interval', quantity(end - begin, 'ns')]);
		kinds.forEach((kind, figure) => {
			const value = sums[0]!.figure(figure).cum.value[ROOT_PATH]!;

			tiles.push([figureTitle(kind), quantity(value, kind.unit)]);
		});
	}
	const calls = sums[0]!.methodSums().callCounts.calls.reduce((all, n) => all + n, 0);
	tiles.push(
		['Calls', quantity(calls, '')],
		['Threads', exact(context.threads[0]!.length || profile.programThreads.length)],
	);
	return h(
		'dl',
		{ class: 'tiles' },
		tiles.map(([title, value]) => h('div', {}, h('dt', {}, title), h('dd', {}, value))),
	);
}

function statesBar(context: Context): HTMLElement | null {
	const { profile, threads, path } = context;
	const kind = context.kinds[context.figure];
	const conditions = profile.block.header.conditions;

	if (conditions.length === 0) return null;
	const condition = kind?.samples
		? kind.index
		: Math.max(
				0,
				conditions.findIndex((one) => one.event === kind?.name),
			);
	const states = [...byState(profile, { threads: threads[0]!, path, condition })].sort((a, b) => b[1] - a[1]);
	const whole = states.reduce((sum, [, samples]) => sum + samples, 0);

	if (whole === 0) return null;
	const hue = (state: string) => ({
		hue: (STATE_ORDER.indexOf(state) * 47 + 205) % 360,
		strength: state === 'unknown' || state === 'waiting' ? 0.2 : 1,
	});
	return h(
		'section',
		{ 'aria-labelledby': 'states-heading' },
		h('h3', { id: 'states-heading' }, 'What ran'),
		h(
			'div',
			{ class: 'stack', 'aria-hidden': 'true' },
			states.map(([state, samples]) =>
				sized(
					sized(
						h('span', { title: `${stateWords(state)} ${percent(samples, whole)}` }),
						'width',
						`${(100 * samples) / whole}%`,
					),
					'background-color',
					fill(hue(state), isDark(), false),
				),
			),
		),
		h(
			'ul',
			{ class: 'legend' },
			states.map(([state, samples]) =>
				h(
					'li',
					{},
					sized(
						h('span', { class: 'patch', 'aria-hidden': 'true' }),
						'background-color',
						fill(hue(state), isDark(), false),
					),
					`${stateWords(state)} ${percent(samples, whole)}`,
				),
			),
		),
		h(
			'p',
			{ class: 'note' },
			`Of ${exact(whole)} samples (`,
			name(conditions[condition]!.asked, 100),
			') of the chosen threads. ',
			h('a', { href: context.link({ view: 'lines', part: 'states' }) }, 'By method'),
		),
	);
}

function topMethods(context: Context): HTMLElement {
	const sums = context.sums.map((side) => side.methodSums(context.path));
	const sides = sums.map(figuresOf);
	const weigh = (method: number) =>
		sides.length > 1
			? Math.abs(
					sums[1]!.figure(context.figure).base.value[method]! -
						sums[0]!.figure(context.figure).base.value[method]!,
				)
			: sums[0]!.figure(context.figure).base.value[method]!;
	const rows = [...new Set(sums.flatMap((side) => side.seen()))]
		.sort((a, b) => weigh(b) - weigh(a) || a - b)
		.slice(0, ROWS)
		.filter((method) => weigh(method) > 0);
	const columns = figureColumns(context, sides, false).filter((column) =>
		sides.length > 1 ? column.key.startsWith('self.') : true,
	);
	const kind = context.kinds[context.figure]!;

	columns.sort((a, b) => Number(b.key.startsWith('self.')) - Number(a.key.startsWith('self.')));
	return h(
		'section',
		{ 'aria-labelledby': 'top-heading' },
		h(
			'h3',
			{ id: 'top-heading' },
			sides.length > 1 ? 'Methods that changed most' : `Methods that used most ${figureTitle(kind)} themselves`,
		),
		table<number>({
			caption: 'Top methods',
			columns: [
				{ key: 'name', title: 'Method', heading: true, cell: (method) => methodLink(context, method) },
				...columns.map(({ value: _, ...column }) => column),
			],
			rows,
			sort: '',
			onSort: () => undefined,
		}),
		h('p', { class: 'note' }, h('a', { href: context.link({ view: 'methods' }) }, 'All methods')),
	);
}

/** The call paths that most goes through, without the calls in between: where what is below branches. */
function topPaths(context: Context): HTMLElement {
	const { universe, figure } = context;
	const side = context.sums.length - 1;
	const tree = new PathTree(context.sums, context.path);
	const whole = tree.sides[side]!.totalValue(figure, context.path);
	const found: { path: number; level: number }[] = [];
	const visit = (path: number, level: number) => {
		for (const child of sortedChildren(tree, path, figure, side)) {
			const value = tree.sides[side]!.totalValue(figure, child);

			if (found.length >= 12 || value < 0.05 * whole || tree.method(child) === METHOD_SMALL) break;
			/* Down while one child has nearly all of it. */
			let at = child;
			for (;;) {
				const next = sortedChildren(tree, at, figure, side)[0];

				if (
					next === undefined ||
					tree.method(next) === METHOD_SMALL ||
					tree.sides[side]!.totalValue(figure, next) < 0.9 * tree.sides[side]!.totalValue(figure, at)
				)
					break;
				at = next;
			}
			found.push({ path: at, level });
			visit(at, level + 1);
		}
	};

	if (whole > 0) visit(context.path, 0);
	return h(
		'section',
		{ 'aria-labelledby': 'paths-heading' },
		h('h3', { id: 'paths-heading' }, 'Where it went: the largest call paths'),
		h(
			'p',
			{ class: 'note' },
			'Each further in is called by the one above it, through calls that are left out here. ',
			h('a', { href: context.link({ view: 'flame' }) }, 'Flame graph'),
			' \u00b7 ',
			h('a', { href: context.link({ view: 'tree' }) }, 'Call tree'),
		),
		h(
			'ul',
			{ class: 'paths' },
			found.map(({ path, level }) => {
				const method = universe.methodOf[path]!;
				const total = tree.sides[side]!.total(figure, path);

				return sized(
					h(
						'li',
						{},
						h(
							'span',
							{ class: 'pathfigure' },
							figureCell(total, context.kinds[figure]!.unit),
							' ',
							h('span', { class: 'share' }, percent(total.value ?? 0, whole)),
							shareBar(total.value ?? 0, whole),
						),
						link(
							context.link({ view: 'flame', path: universe.pathHash(path) }),
							methodName(universe.methods[method]!, method),
							{ class: 'pathname' },
						),
					),
					'--level',
					String(level),
				);
			}),
		),
		found.length === 0 ? h('p', { class: 'note' }, 'No path has as much as 5 %.') : null,
	);
}

const SEVERITIES = ['high', 'medium', 'low', 'note'];

function findingLinks(context: Context, row: ReportRow): Child {
	const { universe } = context;
	const of = row['method'] as { class?: string; method?: string; signature?: string } | null;
	const method = of ? universe.findMethodNamed(of.class ?? null, of.method ?? null, of.signature ?? null) : -1;
	const file =
		typeof row['file'] === 'string'
			? new IoSums(context.profile).files.find((one) => one.name === row['file'])
			: undefined;
	const path = Array.isArray(row['path']) ? findPathNamed(context, row['path'] as unknown[]) : -1;

	return h(
		'ul',
		{ class: 'links' },
		method > METHOD_SMALL
			? h(
					'li',
					{},
					h(
						'a',
						{ href: context.link({ view: 'callers', method: universe.methodHash(method) }) },
						'the method',
					),
				)
			: null,
		path > ROOT_PATH
			? h(
					'li',
					{},
					h('a', { href: context.link({ view: 'flame', path: universe.pathHash(path) }) }, 'its call path'),
				)
			: null,
		file
			? h(
					'li',
					{},
					h('a', { href: context.link({ view: 'io', file: String(file.row), part: 'methods' }) }, 'the file'),
				)
			: null,
	);
}

/** A path by the names of its steps, from the thread on; each a text, or {class, method, signature}. */
function findPathNamed(context: Context, steps: unknown[]): number {
	const { universe } = context;
	let path = ROOT_PATH;

	for (const step of steps) {
		const next = [...universe.children(path)].find((child) => {
			const method = universe.methods[universe.methodOf[child]!]!;

			if (typeof step === 'string') return method.display === step || `${method.class}.${method.name}` === step;
			const named = step as { class?: string | null; method?: string | null; signature?: string | null };
			return (
				method.class === (named.class ?? '') &&
				method.name === (named.method ?? '') &&
				method.signature === (named.signature ?? '')
			);
		});

		if (next === undefined) return path;
		path = next;
	}
	return path;
}

function findings(context: Context): HTMLElement | null {
	const report = context.profile.block.header.views['findings'];

	if (!report) return null;
	const rank = (row: ReportRow) =>
		(SEVERITIES.indexOf(String(row['severity'])) + SEVERITIES.length) % SEVERITIES.length;
	const rows = [...report.rows].sort((a, b) => rank(a) - rank(b));
	const field = (row: ReportRow, key: string) =>
		row[key] === null || row[key] === undefined ? '' : String(row[key]);

	return h(
		'section',
		{ 'aria-labelledby': 'findings-heading' },
		h('h3', { id: 'findings-heading' }, 'Findings'),
		rows.length === 0 ? h('p', { class: 'note' }, 'None of the rules found anything.') : null,
		h(
			'ul',
			{ class: 'findings' },
			rows.map((row) =>
				h(
					'li',
					{
						class: `finding ${SEVERITIES.includes(field(row, 'severity')) ? field(row, 'severity') : 'note'}`,
					},
					h(
						'p',
						{ class: 'title' },
						h('span', { class: 'tag' }, visible(cut(field(row, 'severity'), 20))),
						' ',
						name(field(row, 'title'), 400),
					),
					field(row, 'evidence') ? h('p', {}, name(field(row, 'evidence'), 1000)) : null,
					field(row, 'advice') ? h('p', {}, name(field(row, 'advice'), 1000)) : null,
					field(row, 'command') ? h('p', {}, h('code', {}, name(field(row, 'command'), 400))) : null,
					findingLinks(context, row),
				),
			),
		),
	);
}

function topIo(context: Context): HTMLElement | null {
	const io = new IoSums(context.profile);
	const choice: IoChoice = { threads: context.threads[0]!, path: context.path, method: -1, file: -1 };

	if (io.isEmpty) return null;
	const whole = io.total(choice);
	const files = [...io.byFile(choice)]
		.filter(([row]) => io.files[row]?.kind !== 'entry')
		.sort((a, b) => b[1].all.ns - a[1].all.ns)
		.slice(0, 5);

	if (whole.all.ops === 0) return null;
	return h(
		'section',
		{ 'aria-labelledby': 'io-heading' },
		h('h3', { id: 'io-heading' }, 'I/O'),
		h(
			'p',
			{},
			`${quantity(whole.all.ns, 'ns')} in ${quantity(whole.all.ops, '')} operations: ${quantity(whole.reads.bytes + whole.received.bytes, 'bytes')} read or received, ${quantity(whole.writes.bytes + whole.sent.bytes, 'bytes')} written or sent. `,
			h('a', { href: context.link({ view: 'io' }) }, 'All of it'),
		),
		h(
			'ul',
			{ class: 'paths' },
			files.map(([row, use]) =>
				h(
					'li',
					{},
					h(
						'span',
						{ class: 'pathfigure' },
						quantity(use.all.ns, 'ns'),
						' ',
						h('span', { class: 'share' }, percent(use.all.ns, whole.all.ns)),
						shareBar(use.all.ns, whole.all.ns),
					),
					row < 0
						? '(not known)'
						: link(
								context.link({ view: 'io', file: String(row), part: 'methods' }),
								name(fileText(io.files[row]), 120),
								{ class: 'pathname' },
							),
				),
			),
		),
	);
}

/** Without the title, which stands above. */
export function notesOf(profile: Profile): string[] {
	return (profile.block.header.notes ?? []).filter((note) => note !== profile.block.header.title);
}

export function overviewView(context: Context): View {
	const { kinds } = context;
	const notes = context.profiles.flatMap((one, side) =>
		notesOf(one).map((note) =>
			context.profiles.length > 1 ? `${side === 0 ? 'before' : 'after'}: ${note}` : note,
		),
	);

	return {
		element: h(
			'section',
			{},
			facts(context),
			notes.length > 0
				? h(
						'ul',
						{ class: 'notes', 'aria-label': 'About the recording' },
						notes.map((note) => h('li', {}, name(note, 600))),
					)
				: null,
			findings(context),
			kinds.length > 0 ? topMethods(context) : h('p', { class: 'note' }, 'No figures were recorded.'),
			kinds.length > 0 ? topPaths(context) : null,
			statesBar(context),
			topIo(context),
			h(
				'p',
				{ class: 'note' },
				h(
					'a',
					{ href: context.link({ view: 'numbers' }) },
					'How these numbers are known, and how far off they may be',
				),
			),
		),
		rows: () => {
			const sums = context.sums[0]!.methodSums(context.path);
			return sums
				.seen()
				.sort(
					(a, b) =>
						sums.figure(context.figure).base.value[b]! - sums.figure(context.figure).base.value[a]! ||
						a - b,
				)
				.slice(0, ROWS)
				.map((method) => ({ ...methodData(context, method), ...dataRow(context, figuresOf(sums), method) }));
		},
	};
}
