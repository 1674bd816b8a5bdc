// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// traces: what the traces of a recording tell beside calls, as reports have it: of all threads of the interval. First what each
// trace is asked most; one table at a time, with all its rows, by the choice above.

import type { Context, View } from '../app';
import type { Header, Report, ReportRow } from '../data/block';
import { searchField, searchOf, select, toolbar, type Search } from '../ui/controls';
import { h, type Child } from '../ui/dom';
import { exact, moment, quantity } from '../ui/format';
import { cut, name, visible } from '../ui/names';
import { table, type Column } from '../ui/table';
import { ofAllNote } from './notes';
import { oneSide } from './one_side';
import { TRACE_TABLES, type TraceColumn, type TraceTable } from './trace_tables';

/* Rows of each table of the first look; the innermost steps of a path. */
const FIRST_LOOK = 6;
const STEPS = 3;

export const hasTraces = (header: Header): boolean => (header.traces ?? []).length > 0;

function cellOf(row: ReportRow, key: string): unknown {
	let value: unknown = row;

	for (const part of key.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[part];
	return value ?? null;
}

const steps = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function pathCell(value: unknown): Child {
	const all = steps(value);

	if (all.length <= STEPS) return all.map((step) => h('div', {}, name(step)));
	return h(
		'details',
		{},
		h('summary', {}, name(cut(all[0]!, 100)), ` and ${exact(all.length - 1)} callers`),
		all.slice(1).map((step) => h('div', {}, name(step))),
	);
}

function cell(value: unknown, kind: TraceColumn[2]): Child {
	if (value === null) return '';
	if (kind === 'path') return pathCell(value);
	if (typeof value === 'boolean') return value ? 'yes' : 'no';
	if (kind === 'text' || typeof value !== 'number') return name(String(value));
	if (kind === 'moment') return moment(value);
	return h('span', { title: `${exact(value)}${kind === 'count' ? '' : ` ${kind}`}` }, quantity(value, kind));
}

function columnOf([key, title, kind, wide]: TraceColumn, heading: boolean, sorts: boolean): Column<ReportRow> {
	const value = (row: ReportRow): string | number | null => {
		const found = cellOf(row, key);

		if (kind === 'path') return steps(found)[0] ?? null;
		return typeof found === 'number' || found === null ? found : String(found);
	};

	return {
		key,
		title,
		number: kind !== 'text' && kind !== 'path',
		heading,
		wide: wide ?? false,
		...(sorts ? { value } : {}),
		/* What a row is about has a name. */
		cell: (row) => {
			const found = cellOf(row, key);

			return heading && (found === null || found === '') ? '(not known)' : cell(found, kind);
		},
	};
}

/** Some of the report's rows, which are `all`. A column that no row of it has anything in is not shown. more: behind them. */
export function tableOf(
	context: Context,
	one: TraceTable,
	all: ReportRow[],
	rows: ReportRow[],
	alone: boolean,
	more: Column<ReportRow>[] = [],
): HTMLElement {
	const columns = one.columns.filter(([key]) => all.some((row) => cellOf(row, key) !== null));

	if (all.length === 0) return h('p', { class: 'note' }, 'The trace has told nothing of that kind.');
	return table<ReportRow>({
		caption: one.title,
		columns: [...columns.map((column, i) => columnOf(column, i === 0, alone)), ...more],
		rows,
		sort: alone ? context.selection.sort : '',
		onSort: (sort) => context.choose({ sort }, 'replace'),
		empty: 'No row is like that.',
	});
}

/** "4,197 more rows, ns 294,889,742 in all": what the page has not of a report. */
export function omittedNote(one: TraceTable, report: Report): Child {
	const omitted = report['omitted'] as (Record<string, unknown> & { rows?: number }) | undefined;

	if (!omitted?.rows) return null;
	const sums = one.columns.flatMap(([key, title, kind]) => {
		const value = cellOf(omitted, key);

		return typeof value === 'number' && kind !== 'text' && kind !== 'moment'
			? [`${title} ${quantity(value, kind)}`]
			: [];
	});

	return h(
		'p',
		{ class: 'note' },
		`${exact(omitted.rows)} more rows are not on this page${sums.length ? `; together: ${sums.join(', ')}` : ''}. `,
		h('code', {}, `jprof report --view ${one.view}`),
		' has them.',
	);
}

export const matches = (search: Search, row: ReportRow): boolean =>
	!search.given || search.matches(textOf(row).join('\n'));

/** All texts of a row. */
function textOf(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textOf) : [];
}

function whenOn(header: Header): HTMLElement {
	return h(
		'p',
		{ class: 'note' },
		'On: ',
		(header.traces ?? []).map((trace, i) => [i > 0 ? '; ' : '', visible(cut(`${trace.name} ${trace.on}`, 120))]),
		'. What was when a trace was off it does not tell.',
	);
}

/** The first table of each trace, its first rows. */
function firstLook(context: Context, header: Header, there: TraceTable[]): Child {
	const firsts = there.filter(({ trace }, i) => there.findIndex((other) => other.trace === trace) === i);

	return firsts.map((one) => {
		const rows = header.views[one.view]!.rows;

		return h(
			'div',
			{},
			h('h3', {}, one.title),
			h('p', { class: 'note' }, one.question),
			ofAllNote(context.profile.block, one.view),
			tableOf(context, one, rows, rows.slice(0, FIRST_LOOK), false),
			h(
				'p',
				{},
				h(
					'a',
					{ href: context.link({ part: one.view, sort: '', search: '' }) },
					rows.length > FIRST_LOOK ? `All of it: ${one.title}` : `Search and sort: ${one.title}`,
				),
			),
		);
	});
}

function alone(context: Context, header: Header, one: TraceTable, shown: ReportRow[]): Child {
	return [
		h('p', { class: 'note' }, one.question),
		ofAllNote(context.profile.block, one.view),
		tableOf(context, one, context.profile.block.report(one.view), shown, true),
		omittedNote(one, header.views[one.view]!),
	];
}

export function tracesView(both: Context): View {
	const { context, field } = oneSide(both);
	const { header } = context.profile.block;
	const there = TRACE_TABLES.filter(({ view }) => header.views[view]);
	const one = there.find(({ view }) => view === context.selection.part);
	const rows = one ? header.views[one.view]!.rows : [];
	const search = searchOf(context.selection.search);
	const shown = rows.filter((row) => matches(search, row));

	if (there.length === 0)
		return {
			element: h(
				'section',
				{},
				field ? toolbar(field) : null,
				h(
					'p',
					{ class: 'note' },
					context.profile.isPart ? 'What is below one path has no traces of its own.' : 'No trace was on. ',
					context.profile.isPart ? null : h('code', {}, 'jprof trace PID +locks'),
					context.profile.isPart ? null : ' switches one on in a recording that runs.',
				),
			),
			rows: () => [],
		};
	return {
		element: h(
			'section',
			{},
			toolbar(
				field,
				select(
					'part',
					'Show',
					one?.view ?? '',
					[
						{ value: '', label: 'the first look at each' },
						...there.map(({ view, title, trace }) => ({ value: view, label: `${title} (${trace})` })),
					],
					(part) => context.choose({ part, sort: '', search: '' }),
				),
				one
					? searchField(
							context,
							'Search',
							search.given ? `${exact(shown.length)} of ${exact(rows.length)} rows` : null,
						)
					: null,
			),
			whenOn(header),
			one ? alone(context, header, one, shown) : firstLook(context, header, there),
		),
		rows: () => (one ? shown : there.flatMap(({ view }) => header.views[view]!.rows.slice(0, FIRST_LOOK))),
	};
}
