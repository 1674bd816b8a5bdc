// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// work: which values make it slow, and whose work it is: the reports of values and tags, of all threads of the interval. One of them
// at a time, with all its rows.

import type { Context, View } from '../app';
import type { Header, ReportRow } from '../data/block';
import type { ChoiceKind } from '../state/choice';
import { searchField, searchOf, select, toolbar } from '../ui/controls';
import { h } from '../ui/dom';
import { exact } from '../ui/format';
import { oneSide } from './one_side';
import { labelOf, onlyColumn, onlyNote, onlyThis } from './only';
import type { TraceColumn, TraceTable } from './trace_tables';
import { matches, omittedNote, tableOf } from './traces';

/* A view's columns in front of its figures. */
const WORK: {
	view: string;
	kind: ChoiceKind; // what a row is chosen by
	of: 'key' | 'parameter';
	title: string;
	question: string;
	front: TraceColumn[];
}[] = [
	{
		view: 'values',
		kind: 'values',
		of: 'parameter',
		title: 'Values',
		question:
			'What calls used by the value of a parameter, with all that they called. What is in two values of a parameter, one inside the other, is in both.',
		front: [
			['shown', 'Value', 'text'],
			['parameter', 'Parameter', 'text'],
			['calls', 'Calls', 'count'],
		],
	},
	{
		view: 'tags',
		kind: 'tags',
		of: 'key',
		title: 'Tags',
		question: 'What was done under each tag. The rows of a key are together all that the program did.',
		front: [
			['shown', 'Value', 'text'],
			['key', 'Key', 'text'],
			['threads', 'Threads', 'count', true],
			['calls', 'Calls', 'count'],
		],
	},
];

/* And behind them. */
const BESIDE: TraceColumn[] = [
	['rows', 'Rows', 'count'],
	['reads.bytes', 'Read', 'bytes', true],
	['writes.bytes', 'Written', 'bytes', true],
	['received.bytes', 'Received', 'bytes', true],
	['sent.bytes', 'Sent', 'bytes', true],
	['allocated.bytes', 'Objects', 'bytes', 'wider'],
	['waits.ns', 'Waited', 'ns', 'wider'],
];

const rowsOf = (header: Header, view: string): ReportRow[] => header.views?.[view]?.rows ?? [];

export const hasWork = (header: Header): boolean => WORK.some(({ view }) => rowsOf(header, view).length > 0);

/** A row as it is shown: what has no text says what it is. */
function shownRow(row: ReportRow): ReportRow {
	const isText = row['kind'] === 'value' || row['kind'] === 'values';

	return { ...row, shown: isText ? String(row['value']) || '""' : `(${String(row['kind'])})` };
}

const kindOf = (unit: string): TraceColumn[2] => (unit === 'ns' || unit === 'bytes' ? unit : 'count');

/** Totals of metrics and of samples; of values what the methods used themselves, too. */
function tableFor(header: Header, work: (typeof WORK)[number]): TraceTable {
	const figures: TraceColumn[] = [
		...header.metrics.map(({ name, unit }): TraceColumn => [`cum.${name}`, `Total ${name}`, kindOf(unit)]),
		...header.conditions.map(({ name }): TraceColumn => [`samples_cum.${name}`, `Samples ${name}`, 'count', true]),
		...(work.view === 'values'
			? header.metrics.map(({ name, unit }): TraceColumn => [`base.${name}`, `Self ${name}`, kindOf(unit), true])
			: []),
	];

	return { ...work, trace: '', columns: [...work.front, ...figures, ...BESIDE] };
}

export function workView(both: Context): View {
	const { context, field } = oneSide(both);
	const { header } = context.profile.block;
	const there = WORK.filter(({ view }) => rowsOf(header, view).length > 0);
	const work = there.find(({ view }) => view === context.selection.part) ?? there[0];
	const search = searchOf(context.selection.search);

	if (!work)
		return {
			element: h(
				'section',
				{},
				field ? toolbar(field) : null,
				h('p', { class: 'note' }, 'No values of parameters and no tags were recorded.'),
			),
			rows: () => [],
		};
	const all = rowsOf(header, work.view);
	const shown = all.filter((row) => matches(search, shownRow(row)));
	const one = tableFor(header, work);
	const only = onlyColumn<ReportRow>((row) => {
		const label = labelOf(row, work.of);

		return label === null ? null : onlyThis(both, work.kind, label);
	});

	return {
		element: h(
			'section',
			{},
			toolbar(
				field,
				select(
					'part',
					'Show',
					work.view,
					there.map(({ view, title }) => ({ value: view, label: title })),
					(part) => context.choose({ part, sort: '', search: '' }),
				),
				searchField(
					context,
					'Search',
					search.given ? `${exact(shown.length)} of ${exact(all.length)} rows` : null,
				),
			),
			h('p', { class: 'note' }, work.question),
			tableOf(context, one, all.map(shownRow), shown.map(shownRow), true, both.profiles.length > 1 ? [] : [only]),
			omittedNote(one, header.views[work.view]!),
			onlyNote(context, work.kind),
		),
		rows: () => shown,
	};
}
