// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// overview: what ran, how long, where most of it went; what the recording cost and what is uncertain; findings.

import type { Context, View } from '../app';
import { fileText, IoSums, type IoChoice, type IoFile } from '../model/io';
import type { Profile } from '../model/profile';
import { sortedChildren, PathTree } from '../model/tree';
import { METHOD_SMALL, ROOT_PATH } from '../model/universe';
import { h, sized, type Child } from '../ui/dom';
import { exact, figureCell, percent, quantity } from '../ui/format';
import { link, methodName, name } from '../ui/names';
import { toolbar } from '../ui/controls';
import { table } from '../ui/table';
import { changeBy, changeCell, dataRow, figureColumns, figureTitle, methodData, shareBar, wholes } from './columns';
import { figuresOf, methodLink } from './methods';
import { findings } from './findings';
import { ofAllNote } from './notes';
import { fileChoice, oneSide } from './one_side';
import { statesBar } from './states_bar';

const ROWS = 10;
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
	const calls = sums.map((side) => side.methodSums().callCounts.calls.reduce((all, n) => all + n, 0));
	const threads = context.profiles.map((side, i) => (context.threads[i] ?? side.programThreads).length);
	tiles.push(
		['Calls', calls.map((count) => quantity(count, '')).join(' \u2192 ')],
		['Threads', threads.map((count) => exact(count)).join(' \u2192 ')],
	);
	return h(
		'dl',
		{ class: 'tiles' },
		tiles.map(([title, value]) => h('div', {}, h('dt', {}, title), h('dd', {}, value))),
	);
}

function topMethods(context: Context): HTMLElement {
	const sums = context.sums.map((side) => side.methodSums(context.path));
	const sides = sums.map(figuresOf);
	const weigh = (method: number) =>
		sides.length > 1
			? Math.abs(changeBy(sums[0]!.self(context.figure, method), sums[1]!.self(context.figure, method)) ?? 0)
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

/** A file that the first side of a difference does not have cannot be chosen. */
function fileLink(context: Context, file: IoFile): HTMLElement {
	const choice = fileChoice(context, file);
	const text = name(fileText(file), 120);

	if (choice === null) return text;
	return link(context.link({ view: 'io', file: choice, part: 'methods' }), text, { class: 'pathname' });
}

function topIo(context: Context): HTMLElement | null {
	const io = new IoSums(context.profile);
	const choice: IoChoice = { threads: context.threads[0] ?? null, path: context.path, method: -1, files: null };

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
					row < 0 ? '(not known)' : fileLink(context, io.files[row]!),
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
	/* Not all is a difference: some is of one of the two. */
	const { context: side, field } = oneSide(context);
	const isDifference = context.profiles.length > 1;
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
			isDifference ? null : [ofAllNote(context.profile.block, 'findings'), findings(context)],
			kinds.length > 0 ? topMethods(context) : h('p', { class: 'note' }, 'No figures were recorded.'),
			kinds.length > 0 ? topPaths(context) : null,
			isDifference
				? h(
						'section',
						{ 'aria-labelledby': 'side-heading' },
						h('h3', { id: 'side-heading' }, 'One profile alone'),
						toolbar(field),
						findings(side),
					)
				: null,
			statesBar(side),
			topIo(side),
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
