// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// threads: a table, and a time line: when each thread lived, how much of that it ran, waited for a processor, waited otherwise;
// moments that the program or a user named, snapshots, the longest I/O operations. How much it ran is known between snapshots, so
// the line is as fine as there are snapshots.

import type { Context, View } from '../app';
import type { Profile, ThreadRow } from '../model/profile';
import { searchField, searchOf, toggle, toolbar } from '../ui/controls';
import { h, svg, type Child } from '../ui/dom';
import { exact, moment, percent, quantity } from '../ui/format';
import { cut, link, name, visible } from '../ui/names';
import { table, type Column } from '../ui/table';
import { figureTitle } from './columns';
import { oneSide } from './one_side';

const LINES = 60; /* threads that are drawn */

const num = (row: ThreadRow, key: string): number | null => {
	const value = row.report?.[key];

	return typeof value === 'number' ? value : null;
};

const amount = (row: ThreadRow, group: string, key: string): number | null => {
	const value = (row.report?.[group] as Record<string, unknown> | undefined)?.[key];

	return typeof value === 'number' ? value : null;
};

/** null: it lives, or its end is not known. */
function endOf(row: ThreadRow): number | null {
	const ended = num(row, 'ended');

	return ended !== null && ended >= (num(row, 'started') ?? 0) ? ended : null;
}

function spanOf(context: Context): { begin: number; end: number } {
	const { header } = context.profile.block;
	const ends = context.profile.threads
		.flatMap((row) => [num(row, 'started'), num(row, 'ended')])
		.filter((at): at is number => at !== null);
	const moments = context.profile.block.report('snapshots').map((row) => Number(row['at']));
	const end = header.end ?? Math.max(header.begin + 1, ...ends, ...moments);

	return { begin: header.begin, end: Math.max(end, header.begin + 1) };
}

/** What a thread did of an interval; null: not known. */
interface Doing {
	ran: number;
	queued: number;
	lived: number;
}

function doingOf(thread: ThreadRow | undefined): Doing | null {
	if (!thread?.report) return null;
	if (thread.jvm) return null;
	const ran = amount(thread, 'total', 'cpu');
	const lived = amount(thread, 'total', 'wall');

	return ran === null || lived === null || lived <= 0 ? null : { ran, queued: num(thread, 'waited') ?? 0, lived };
}

function bands(doing: Doing, x: number, width: number, y: number, height: number): SVGElement[] {
	const ran = Math.min(1, doing.ran / doing.lived);
	const queued = Math.min(1 - ran, doing.queued / doing.lived);

	/* From the bottom: what ran, what waited for a processor; the rest waited. */
	return [
		svg('rect', { class: 'ran', x, width, y: y + height * (1 - ran), height: height * ran }),
		svg('rect', { class: 'queued', x, width, y: y + height * (1 - ran - queued), height: height * queued }),
	];
}

interface Segment {
	from: number;
	to: number;
	profile: Profile;
}

function timeline(context: Context, rows: ThreadRow[], segments: Segment[]): SVGElement {
	const { begin, end } = spanOf(context);
	const [width, row, head] = [1000, 26, 22];
	const height = head + rows.length * row + 4;
	const x = (at: number) => Math.max(0, Math.min(1, (at - begin) / (end - begin))) * width;
	const image = svg('svg', {
		viewBox: `0 0 ${width} ${height}`,
		class: 'timeline',
		role: 'img',
		preserveAspectRatio: 'none',
		height,
		'aria-label': `Time line of ${rows.length} threads; the table below has the same in numbers.`,
	});

	for (let i = 0; i <= 10; i++) {
		const at = (i / 10) * width;

		image.append(svg('line', { class: 'grid', x1: at, x2: at, y1: head - 4, y2: height }));
	}
	rows.forEach((thread, i) => {
		const from = x(num(thread, 'started') ?? begin);
		const to = x(endOf(thread) ?? end);
		const y = head + i * row + 4;
		const bar = svg(
			'g',
			{},
			svg('rect', {
				class: doingOf(thread) ? 'lived' : 'unknowntime',
				x: from,
				width: Math.max(1, to - from),
				y,
				height: row - 8,
			}),
		);

		if (segments.length === 0) {
			const doing = doingOf(thread);

			if (doing) bar.append(...bands(doing, from, Math.max(1, to - from), y, row - 8));
		}
		for (const segment of segments) {
			const other = segment.profile.threads.find(
				(one) => one.name === thread.name && num(one, 'index') === num(thread, 'index'),
			);
			const doing = doingOf(other);
			const left = Math.max(from, x(segment.from));
			const right = Math.min(to, x(segment.to));

			if (doing && right > left) bar.append(...bands(doing, left, right - left, y, row - 8));
		}
		image.append(bar);
	});
	for (const row of context.profile.block.report('snapshots')) {
		const at = x(Number(row['at']));

		image.append(
			svg(
				'line',
				{ class: row['kind'] === 'mark' ? 'mark' : 'snapshot', x1: at, x2: at, y1: head - 8, y2: height },
				svg(
					'title',
					{},
					visible(cut(`${row['kind']} ${row['label'] ?? ''} at ${moment(Number(row['at']))}`, 200)),
				),
			),
		);
	}
	const records = context.profile.block.table('record');
	const [starts, took, who] = [records.get('begin'), records.get('ns'), records.get('thread')];
	const lineOf = new Map(rows.map((thread, i) => [thread.name, i]));

	for (let record = 0; record < Math.min(records.rows, 3000); record++) {
		const line = lineOf.get(context.profile.block.text(who[record]!));

		if (line === undefined) continue;
		const from = x(starts[record]!);
		image.append(
			svg('rect', {
				class: 'operation',
				x: from,
				width: Math.max(1, x(starts[record]! + took[record]!) - from),
				y: head + line * row + row - 6,
				height: 4,
			}),
		);
	}
	return image;
}

/** Blocks of snapshots next to each other, if the page has them. */
async function findSegments(context: Context): Promise<Segment[]> {
	const moments = new Map(
		context.profile.block
			.report('snapshots')
			.filter((row) => row['kind'] !== 'mark')
			.map((row) => [String(row['label']), Number(row['at'])]),
	);
	const { begin, end } = spanOf(context);
	const times = [begin, ...[...moments.values()].sort((a, b) => a - b), end];
	const found: Segment[] = [];

	for (const { interval, from, to } of context.profile.block.header.intervals) {
		if (interval === '' || (from === null && to === null)) continue;
		const start = from === null ? begin : moments.get(from);
		const stop = to === null ? end : moments.get(to);

		if (start === undefined || stop === undefined || times.indexOf(stop) !== times.indexOf(start) + 1) continue;
		found.push({ from: start, to: stop, profile: await context.app.interval(interval) });
	}
	return found;
}

function axis(context: Context): HTMLElement {
	const { begin, end } = spanOf(context);

	return h(
		'div',
		{ class: 'axis', 'aria-hidden': 'true' },
		[0, 0.25, 0.5, 0.75, 1].map((share) => h('span', {}, moment(begin + share * (end - begin)))),
	);
}

const legend = (entries: [string, string][]) =>
	h(
		'ul',
		{ class: 'legend' },
		entries.map(([kind, label]) =>
			h('li', {}, h('span', { class: `patch ${kind}`, 'aria-hidden': 'true' }), label),
		),
	);

function timelineBox(context: Context, rows: ThreadRow[]): HTMLElement {
	const shown = rows.filter((row) => row.report).slice(0, LINES);
	const drawing = h('div', { class: 'drawing' });
	const names = h(
		'div',
		{ class: 'lanes' },
		h('div', { class: 'lane' }),
		shown.map((row) =>
			h('div', { class: 'lane' }, h('bdi', { title: visible(cut(row.name, 200)) }, visible(cut(row.name, 60)))),
		),
	);
	const draw = (segments: Segment[]) => drawing.replaceChildren(timeline(context, shown, segments), axis(context));

	draw([]);
	if (context.app.canRefine)
		void findSegments(context).then(
			(segments) => segments.length > 0 && draw(segments),
			() => undefined,
		);
	return h(
		'div',
		{},
		h('div', { class: 'timelinebox' }, names, drawing),
		legend([
			['ran', 'ran'],
			['queued', 'waited for a processor'],
			['lived', 'waited, or slept'],
			['unknowntime', 'not known'],
			['snapshot', 'snapshot'],
			['mark', 'mark'],
			...(context.profile.block.table('record').rows
				? ([['operation', 'I/O operation']] as [string, string][])
				: []),
		]),
		rows.length > shown.length
			? h(
					'p',
					{ class: 'note' },
					`The time line shows ${exact(shown.length)} of ${exact(rows.length)} threads: search, or sort the table.`,
				)
			: null,
	);
}

export function threadsView(both: Context): View {
	const { context, field, isSecond } = oneSide(both);
	const { selection, profile, kinds, choose } = context;
	const search = searchOf(selection.search);
	const chosen = new Set(context.threads[0]);
	const rows = profile.threads.filter((row) => search.matches(row.name));
	const metrics = kinds.filter((kind, i) => !kind.samples && (selection.all || i === context.figure || i < 2));
	const conditions = kinds.filter((kind) => kind.samples);
	const mask = profile.threadMask(context.threads[0]!);
	const columns: Column<ThreadRow>[] = [
		{
			key: 'name',
			title: 'Thread',
			heading: true,
			value: (row) => row.name,
			cell: (row): Child =>
				h(
					'span',
					{ class: 'withbox' },
					/* Threads are chosen by their rows on the first side. */
					isSecond
						? null
						: h('input', {
								type: 'checkbox',
								checked: chosen.has(row.row),
								'aria-label': `choose ${visible(cut(row.name, 100))}`,
								onchange: (event: Event) => {
									const rest = context.threads[0]!.filter((one) => one !== row.row);

									choose({
										threads: (event.target as HTMLInputElement).checked
											? [...rest, row.row].sort((a, b) => a - b)
											: rest,
									});
								},
							}),
					isSecond
						? name(row.name, 100)
						: link(
								context.link({ threads: [row.row], view: 'flame', path: '', zoom: '' }),
								name(row.name, 100),
								{ title: 'its flame graph' },
							),
					row.jvm ? h('span', { class: 'tag' }, 'JVM') : null,
					row.report?.['virtual'] ? h('span', { class: 'tag' }, 'virtual') : null,
					(num(row, 'folded') ?? 1) > 1
						? h('span', { class: 'tag' }, `${exact(num(row, 'folded')!)} threads`)
						: null,
				),
		},
		...metrics.map((kind) => ({
			key: `total.${kind.name}`,
			title: figureTitle(kind),
			number: true,
			value: (row: ThreadRow) => amount(row, 'total', kind.name),
			cell: (row: ThreadRow) => {
				const value = amount(row, 'total', kind.name);
				const error = amount(row, 'error', kind.name) ?? 0;

				if (row.jvm && !value) return h('span', { class: 'unknown', title: 'not measured' }, '\u2013');
				return value === null
					? ''
					: h(
							'span',
							{ title: `${exact(value)} ${kind.unit}` },
							quantity(value, kind.unit),
							error > 0 ? h('span', { class: 'error' }, ` \u00b1${quantity(error, kind.unit)}`) : null,
						);
			},
		})),
		...conditions.map((kind) => ({
			key: `samples.${kind.name}`,
			title: figureTitle(kind),
			number: true,
			value: (row: ThreadRow) => amount(row, 'samples', kind.name),
			cell: (row: ThreadRow) =>
				amount(row, 'samples', kind.name) === null ? '' : exact(amount(row, 'samples', kind.name)!),
		})),
		{
			key: 'ran',
			title: 'Ran',
			hint: 'of its life',
			number: true,
			wide: true,
			value: (row) => (doingOf(row) ? doingOf(row)!.ran / doingOf(row)!.lived : null),
			cell: (row) => (doingOf(row) ? percent(doingOf(row)!.ran, doingOf(row)!.lived) : ''),
		},
		{
			key: 'waited',
			title: 'Waited for a processor',
			number: true,
			wide: true,
			value: (row) => num(row, 'waited'),
			cell: (row) => (num(row, 'waited') ? quantity(num(row, 'waited')!, 'ns') : ''),
		},
		{
			key: 'started',
			title: 'Started',
			number: true,
			wide: true,
			value: (row) => (num(row, 'started') === null ? null : -num(row, 'started')!),
			cell: (row) => (num(row, 'started') === null ? '' : moment(num(row, 'started')!)),
		},
		{
			key: 'ended',
			title: 'Ended',
			number: true,
			wide: true,
			value: (row) => (endOf(row) === null ? null : -endOf(row)!),
			cell: (row) =>
				endOf(row) !== null
					? moment(endOf(row)!)
					: row.report?.['alive']
						? h('span', { class: 'quiet' }, 'alive')
						: '',
		},
		...(selection.all
			? (['events', 'unwound', 'repaired', 'unmatched', 'lost', 'pruned'] as const).map((key) => ({
					key,
					title: key[0]!.toUpperCase() + key.slice(1),
					number: true,
					wide: true,
					value: (row: ThreadRow) => num(row, key),
					cell: (row: ThreadRow) => (num(row, key) ? exact(num(row, key)!) : ''),
				}))
			: []),
	];
	const first = columns.find((column) => column.key.startsWith('total.'))?.key ?? columns[1]?.key ?? 'name';
	const sort = columns.some((column) => column.key === selection.sort.replace(/^-/, '')) ? selection.sort : first;
	const weight = (row: ThreadRow) =>
		-(metrics[0]
			? (amount(row, 'total', metrics[0].name) ?? 0)
			: (amount(row, 'samples', conditions[0]?.name ?? '') ?? 0));

	return {
		element: h(
			'section',
			{},
			toolbar(
				searchField(
					context,
					'Threads like',
					`${exact(rows.length)} of ${exact(profile.threads.length)} threads`,
				),
				field,
				toggle(context, 'all', 'All columns'),
				isSecond
					? null
					: h(
							'div',
							{ class: 'buttons' },
							h(
								'button',
								{
									type: 'button',
									id: 'choose-found',
									onclick: () => choose({ threads: rows.map((row) => row.row) }),
								},
								search.given ? 'Choose those found' : 'Choose all, the JVM\u2019s too',
							),
							chosen.size
								? h(
										'button',
										{ type: 'button', id: 'choose-none', onclick: () => choose({ threads: [] }) },
										'Back to the program\u2019s',
									)
								: null,
						),
			),
			timelineBox(
				context,
				[...rows].sort((a, b) => Number(a.jvm) - Number(b.jvm) || weight(a) - weight(b)),
			),
			table({
				caption: 'Threads',
				columns,
				rows,
				sort,
				onSort: (next) => choose({ sort: next }, 'replace'),
				rowClass: (row) => (mask[row.row] ? null : 'left-out'),
			}),
			h(
				'p',
				{ class: 'note' },
				'Sums are of the chosen threads; of all but the JVM\u2019s own, where none is chosen.',
			),
		),
		rows: () => profile.threads.filter((row) => row.report).map((row) => row.report!),
	};
}
