// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// components: which layer has what, the layers' call paths, and, of a trace of classes, the applications of a server. As reports have
// them: of all threads of the program, whatever else is chosen.

import type { Context, View } from '../app';
import type { ReportRow } from '../data/block';
import type { FigureKind } from '../model/figures';
import { toolbar } from '../ui/controls';
import { h, sized, type Child } from '../ui/dom';
import { exact, percent, quantity } from '../ui/format';
import { name } from '../ui/names';
import { table, type Column } from '../ui/table';
import { figureTitle, shareBar } from './columns';
import { oneSide } from './one_side';
import { onlyColumn, onlyNote, onlyThis } from './only';

type Group = Record<string, unknown>;

/* Of a path: what is deeper is not moved further to the right. */
const DEEPEST = 40;

/** "io.cum.all.ns" of a row; null: it has none. */
function numberAt(row: ReportRow, path: string): number | null {
	let value: unknown = row;

	for (const part of path.split('.')) value = (value as Group | null | undefined)?.[part];
	return typeof value === 'number' ? value : null;
}

/** Of the chosen figure: itself, or with all below. */
function valueOf(row: ReportRow, kind: FigureKind, cum: boolean): number | null {
	const group = kind.samples ? (cum ? 'samples_cum' : 'samples') : cum ? 'cum' : 'base';
	const value = (row[group] as Group | undefined)?.[kind.name];

	return typeof value === 'number' ? value : null;
}

function figureColumn(kind: FigureKind, cum: boolean, whole: number): Column<ReportRow> {
	const value = (row: ReportRow): number | null => valueOf(row, kind, cum);

	return {
		key: cum ? 'cum' : 'base',
		title: `${cum ? 'Total' : 'Self'} ${figureTitle(kind)}`,
		hint: cum ? 'with all that it called' : 'what its own methods used',
		number: true,
		value,
		cell: (row) => {
			const found = value(row);

			return found === null
				? ''
				: [
						quantity(found, kind.unit),
						' ',
						h('span', { class: 'share' }, percent(found, whole)),
						shareBar(found, whole),
					];
		},
	};
}

function amountColumn(
	key: string,
	title: string,
	hint: string,
	unit: string,
	wide: boolean | 'wider',
): Column<ReportRow> {
	const value = (row: ReportRow): number | null => numberAt(row, key);

	return {
		key,
		title,
		hint,
		number: true,
		wide,
		value,
		cell: (row) => {
			const found = value(row);

			return found === null ? '' : unit === 'count' ? exact(found) : quantity(found, unit);
		},
	};
}

const AMOUNTS: [key: string, title: string, hint: string, unit: string, wide: boolean | 'wider'][] = [
	['calls', 'Calls', 'that came into it from elsewhere', 'count', true],
	['io.cum.all.ns', 'I/O time', 'in and below it', 'ns', false],
	['io.cum.all.bytes', 'I/O bytes', 'in and below it', 'bytes', true],
	['waits.cum.ns', 'Waited', 'for what somebody held, in and below it', 'ns', true],
	['allocated.cum.bytes', 'Allocated', 'by the trace of objects, in and below it', 'bytes', 'wider'],
	['methods', 'Methods', 'that ran as a part of it', 'count', 'wider'],
];

function flatTable(
	context: Context,
	caption: string,
	kind: FigureKind,
	whole: number,
	rows: ReportRow[],
	more: Column<ReportRow>[] = [],
): HTMLElement {
	const amounts = AMOUNTS.filter(([key]) => rows.some((row) => (numberAt(row, key) ?? 0) > 0));

	return table<ReportRow>({
		caption,
		columns: [
			{
				key: 'component',
				title: 'Component',
				heading: true,
				value: (row) => String(row['component']),
				cell: (row) => name(String(row['component'])),
			},
			figureColumn(kind, false, whole),
			figureColumn(kind, true, whole),
			...amounts.map((amount) => amountColumn(...amount)),
			...more,
		],
		rows,
		sort: context.selection.sort,
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}

function pathTable(kind: FigureKind, whole: number, rows: ReportRow[]): HTMLElement {
	return table<ReportRow>({
		caption: 'Call paths by component',
		columns: [
			{
				key: 'method',
				title: 'Component',
				heading: true,
				cell: (row) =>
					sized(
						h('span', { class: 'step' }, name(String(row['method'] ?? row['thread'] ?? ''))),
						'--level',
						String(Math.min(Number(row['level']), DEEPEST)),
					),
			},
			{ ...figureColumn(kind, false, whole), value: undefined },
			{ ...figureColumn(kind, true, whole), value: undefined },
		] as Column<ReportRow>[],
		rows,
		sort: '',
		onSort: () => undefined,
	});
}

const HOW: Child = [
	'Frames of one component that follow each other on a call path are one step; Total counts a component that is called within itself once. ',
	h('code', {}, 'jprof help components'),
	' prints the definitions, ',
	h('code', {}, '--components FILE'),
	' takes others.',
];

export function componentsView(both: Context): View {
	const { context, field } = oneSide(both);
	const kind = context.kinds[context.figure];
	const { block } = context.profile;
	const flat = block.report('components');
	const paths = block.report('component-tree');
	const isDifference = both.profiles.length > 1;
	const only = onlyColumn<ReportRow>((row) => onlyThis(context, 'components', String(row['component'])));
	const applications = block.report('applications');
	/* The root of all threads has all of it. */
	const whole = kind && paths[0] ? (valueOf(paths[0], kind, true) ?? 0) : 0;

	return {
		element: h(
			'section',
			{},
			field ? toolbar(field) : null,
			!kind || flat.length === 0
				? h(
						'p',
						{ class: 'note' },
						'There are no components here: nothing was counted, or this is what is below one path.',
					)
				: [
						h('p', { class: 'note' }, HOW),
						flatTable(context, 'Components', kind, whole, flat, isDifference ? [] : [only]),
						onlyNote(context, 'components'),
						applications.length > 0
							? [
									h('h3', {}, 'Applications'),
									flatTable(context, 'Class loaders', kind, whole, applications),
								]
							: null,
						h('h3', {}, 'Which calls which'),
						pathTable(kind, whole, paths),
					],
		),
		rows: () => [...flat, ...paths, ...applications],
	};
}
