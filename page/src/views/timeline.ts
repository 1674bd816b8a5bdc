// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// timeline: when each thread lived, how much of that it ran, waited for a processor, waited otherwise; moments that the program or
// a user named, snapshots, the longest I/O operations. How much it ran is known between snapshots: the line is as fine as
// there are snapshots.

import type { Context } from '../app';
import type { ReportRow } from '../data/block';
import type { ThreadRow } from '../model/profile';
import { neighbours, type Segment } from '../model/segments';
import { h, svg } from '../ui/dom';
import { exact, moment } from '../ui/format';
import { cut, visible } from '../ui/names';
import { doingOf, endOf, num, type Doing } from './thread_facts';

const LINES = 60; /* threads that are drawn */
const RECORDS = 3000; /* operations */

function spanOf(context: Context): { begin: number; end: number } {
	const { header } = context.profile.block;
	const ends = context.profile.threads
		.flatMap((row) => [num(row, 'started'), num(row, 'ended')])
		.filter((at): at is number => at !== null);
	const moments = context.profile.block.report('snapshots').map((row) => Number(row['at']));
	const end = header.end ?? Math.max(header.begin + 1, ...ends, ...moments);

	return { begin: header.begin, end: Math.max(end, header.begin + 1) };
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

/** With what threads did in it. */
interface DoneSegment extends Segment {
	threads: ReportRow[];
}

const isSameThread = (row: ReportRow, other: ReportRow | null): boolean =>
	row['thread'] === other?.['thread'] && row['index'] === other?.['index'];

function timeline(context: Context, rows: ThreadRow[], segments: DoneSegment[]): SVGElement {
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
			const report = segment.threads.find((row) => isSameThread(row, thread.report));
			const doing = report ? doingOf({ ...thread, report }) : null;
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

	for (let record = 0; record < Math.min(records.rows, RECORDS); record++) {
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

/** What threads did between snapshots next to each other, if that is at hand. */
async function findSegments(context: Context): Promise<DoneSegment[]> {
	const { block } = context.profile;
	const { begin, end } = spanOf(context);
	const found = neighbours(block.header.intervals, block.report('snapshots'), begin, end);
	const threads = await context.app.threadsOf(
		context.profile,
		found.map(({ interval }) => interval),
	);

	return threads ? found.map((segment, i) => ({ ...segment, threads: threads[i]! })) : [];
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

export function timelineBox(context: Context, rows: ThreadRow[]): HTMLElement {
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
	const draw = (segments: DoneSegment[]) =>
		drawing.replaceChildren(timeline(context, shown, segments), axis(context));

	draw([]);
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
