// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// intervals: snapshots, resets, marks; and which interval between them is shown.

import type { Context, View } from '../app';
import { h } from '../ui/dom';
import { moment } from '../ui/format';
import { name, visible, cut } from '../ui/names';
import { toolbar, select } from '../ui/controls';
import { table } from '../ui/table';
import { oneSide } from './one_side';

export function intervalText(
	interval: { interval: string; from: string | null; to: string | null } | undefined,
): string {
	if (!interval || interval.interval === '') return 'the whole recording';
	const { from, to } = interval;

	if (from === null && to === null) return interval.interval;
	return `from ${from ?? 'the beginning'} to ${to ?? 'the end'}`;
}

interface Moment {
	at: number;
	kind: string;
	label: string;
	thread: string;
}

const BEGIN = '\u0001begin';
const END = '\u0001end';

/** Two fields: from, to. What the page has no block of cannot be chosen. */
function pairFields(context: Context): HTMLElement {
	const { header } = context.profile.block;
	const pairs = header.intervals.filter((one) => one.interval !== '');
	const now = header.intervals.find((one) => one.interval === header.interval);
	const fromOf = (one: { from: string | null }) => one.from ?? BEGIN;
	const toOf = (one: { to: string | null }) => one.to ?? END;
	const text = (point: string) =>
		point === BEGIN ? 'the beginning' : point === END ? 'the end' : visible(cut(point, 60));
	const from = now && now.interval !== '' ? fromOf(now) : BEGIN;
	const to = now && now.interval !== '' ? toOf(now) : END;
	const froms = [...new Set([BEGIN, ...pairs.map(fromOf)])];
	const tos = [
		...new Set([...pairs.filter((one) => fromOf(one) === from).map(toOf), ...(from === BEGIN ? [END] : [])]),
	];
	const chooseFrom = (value: string) => {
		const there = pairs.filter((one) => fromOf(one) === value);
		const next = there.find((one) => toOf(one) === to) ?? there[there.length - 1];

		context.choose({ interval: value === BEGIN && to === END ? '' : (next?.interval ?? '') });
	};
	const chooseTo = (value: string) => {
		const next = pairs.find((one) => fromOf(one) === from && toOf(one) === value);

		context.choose({ interval: next?.interval ?? '' });
	};

	return toolbar(
		select(
			'from',
			'From',
			from,
			froms.map((value) => ({ value, label: text(value) })),
			chooseFrom,
		),
		select(
			'to',
			'To',
			to,
			tos.map((value) => ({ value, label: text(value) })),
			chooseTo,
		),
	);
}

export function intervalsView(both: Context): View {
	const { context, field } = oneSide(both);
	const { header } = context.profile.block;
	const rows: Moment[] = context.profile.block.report('snapshots').map((row) => ({
		at: Number(row['at']),
		kind: String(row['kind'] ?? ''),
		label: String(row['label'] ?? ''),
		thread: String(row['thread'] ?? ''),
	}));
	const pairs = header.intervals.filter((one) => one.interval !== '');

	return {
		element: h(
			'section',
			{},
			field ? toolbar(field) : null,
			h(
				'p',
				{ class: 'summary' },
				'Shown: ',
				h(
					'bdi',
					{},
					visible(cut(intervalText(header.intervals.find((one) => one.interval === header.interval)), 200)),
				),
				'. What is chosen holds for every view.',
			),
			pairs.length > 0
				? pairFields(context)
				: h(
						'p',
						{ class: 'note' },
						'There are no snapshots. ',
						h('code', {}, 'jprof snapshot PID'),
						' makes one while a program runs, or the program itself: then what ran between any two can be shown alone.',
					),
			rows.length > 0
				? table<Moment>({
						caption: 'Snapshots, resets and marks',
						columns: [
							{
								key: 'label',
								title: 'Name',
								heading: true,
								value: (row) => row.label,
								cell: (row) => name(row.label || '(without a name)'),
							},
							{ key: 'kind', title: 'Kind', value: (row) => row.kind, cell: (row) => row.kind },
							{
								key: 'at',
								title: 'At',
								number: true,
								value: (row) => -row.at,
								cell: (row) => moment(row.at),
							},
							{
								key: 'thread',
								title: 'Thread',
								value: (row) => row.thread,
								cell: (row) => name(row.thread, 60),
								wide: true,
							},
						],
						rows,
						sort: context.selection.sort || 'at',
						onSort: (sort) => context.choose({ sort }, 'replace'),
					})
				: null,
		),
		rows: () => context.profile.block.report('snapshots'),
	};
}
