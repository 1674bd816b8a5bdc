// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// lines: samples by line of the source: of the innermost Java method with lines, which ran itself, or had called what ran. And
// by method how it ran.

import type { Context, View } from '../app';
import { byLine, statesByMethod, type LineRow } from '../model/places';
import { METHOD_ROOT, METHOD_SMALL } from '../model/universe';
import { searchField, searchOf, select, toolbar } from '../ui/controls';
import { h } from '../ui/dom';
import { exact, percent } from '../ui/format';
import { cut, methodText, name, visible } from '../ui/names';
import { table, type Column } from '../ui/table';
import { chosenSort, conditionOf, methodData, shareBar } from './columns';
import { methodLink } from './methods';
import { oneSide } from './one_side';

function ownerCell(context: Context, method: number) {
	if (method === METHOD_ROOT) return h('span', { class: 'quiet' }, 'no Java method was on the stack');
	if (method === METHOD_SMALL) return h('span', { class: 'quiet' }, '(small): on folded paths');
	return methodLink(context, method);
}

interface CountedLine extends LineRow {
	before: number;
}

function lineTable(context: Context, rows: CountedLine[], whole: number): HTMLElement {
	const { universe, profiles } = context;
	const isDifference = profiles.length > 1;
	const columns: Column<CountedLine>[] = [
		{
			key: 'method',
			title: 'Method',
			heading: true,
			value: (row) => methodText(universe.methods[row.method]!, row.method),
			cell: (row) => ownerCell(context, row.method),
		},
		{
			key: 'file',
			title: 'File',
			value: (row) => universe.methods[row.method]!.file,
			cell: (row) =>
				universe.methods[row.method]!.file
					? name(universe.methods[row.method]!.file, 80)
					: h('span', { class: 'quiet' }, '\u2013'),
			wide: true,
		},
		{
			key: 'line',
			title: 'Line',
			number: true,
			value: (row) => (row.line ? -row.line : null),
			cell: (row) => (row.line ? String(row.line) : h('span', { class: 'quiet', title: 'not known' }, '\u2013')),
		},
		...(isDifference
			? [
					{
						key: 'before',
						title: 'Samples before',
						number: true,
						value: (row: CountedLine) => row.before,
						cell: (row: CountedLine) => exact(row.before),
					},
				]
			: []),
		{
			key: 'samples',
			title: isDifference ? 'Samples after' : 'Samples',
			number: true,
			value: (row) => row.samples,
			cell: (row) => [
				exact(row.samples),
				' ',
				h('span', { class: 'share' }, percent(row.samples, whole)),
				shareBar(row.samples, whole),
			],
		},
	];

	return table({
		caption: 'Source lines',
		columns,
		rows,
		sort: chosenSort(context, columns, 'samples'),
		onSort: (sort) => context.choose({ sort }, 'replace'),
		empty: 'No samples.',
	});
}

interface StateRow {
	method: number;
	states: Map<string, number>;
	all: number;
}

function stateTable(context: Context, rows: StateRow[]): HTMLElement {
	const { universe } = context;
	const states = (context.profile.block.header.states ?? []).filter((state) =>
		rows.some((row) => row.states.has(state)),
	);
	const columns: Column<StateRow>[] = [
		{
			key: 'method',
			title: 'Method',
			heading: true,
			value: (row) => methodText(universe.methods[row.method]!, row.method),
			cell: (row) => ownerCell(context, row.method),
		},
		{ key: 'all', title: 'Samples', number: true, value: (row) => row.all, cell: (row) => exact(row.all) },
		...states.map((state) => ({
			key: state,
			title: visible(cut(state, 40)),
			number: true,
			value: (row: StateRow) => row.states.get(state) ?? 0,
			cell: (row: StateRow) => (row.states.has(state) ? exact(row.states.get(state)!) : ''),
		})),
	];

	return table({
		caption: 'How methods ran',
		columns,
		rows,
		sort: chosenSort(context, columns, 'all'),
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}

export function linesView(context: Context): View {
	const { universe, selection, profiles, threads, path, method, choose } = context;
	const conditions = context.profile.block.header.conditions;

	if (conditions.length === 0)
		return {
			element: h(
				'section',
				{},
				h(
					'p',
					{ class: 'note' },
					'The profile has no samples, and lines are known of samples alone. Record with ',
					h('code', {}, 'calls=auto'),
					' or with the option ',
					h('code', {}, 'sample'),
					'.',
				),
			),
			rows: () => [],
		};
	const condition = conditionOf(context);
	const search = searchOf(selection.search);
	const choice = (side: number) => ({
		threads: threads[side] ?? null,
		path,
		condition: conditionOf(context, profiles[side]),
	});
	const lines = profiles.map((profile, side) => byLine(profile, choice(side), method));
	const last = lines[lines.length - 1]!;
	const key = (row: LineRow) => `${row.method} ${row.line}`;
	const before = new Map(lines[0]!.map((row) => [key(row), row.samples]));
	const merged: CountedLine[] = last.map((row) => ({ ...row, before: before.get(key(row)) ?? 0 }));
	if (lines.length > 1) {
		const there = new Set(last.map(key));

		merged.push(
			...lines[0]!
				.filter((row) => !there.has(key(row)))
				.map((row) => ({ ...row, samples: 0, before: row.samples })),
		);
	}
	const matches = (row: { method: number }) => {
		const of = universe.methods[row.method]!;

		return search.matches(methodText(of, row.method)) || search.matches(of.file);
	};
	const byStates = selection.part === 'states';
	const { context: side, field } = oneSide(context);
	const stateRows = byStates
		? [...statesByMethod(side.profile, choice(profiles.indexOf(side.profile)))]
				.filter(([of]) => method < 0 || of === method)
				.map(([of, states]) => ({
					method: of,
					states,
					all: [...states.values()].reduce((sum, n) => sum + n, 0),
				}))
		: [];
	const whole = last.reduce((sum, row) => sum + row.samples, 0);

	return {
		element: h(
			'section',
			{},
			toolbar(
				searchField(context, 'Methods or files like', ''),
				select(
					'part',
					'Show',
					byStates ? 'states' : '',
					[
						{ value: '', label: 'lines' },
						{ value: 'states', label: 'how methods ran' },
					],
					(part) => choose({ part, sort: '' }),
				),
				byStates ? field : null,
			),
			h(
				'p',
				{ class: 'note' },
				`${exact(whole)} samples (${visible(cut(conditions[condition]?.asked ?? '', 60))}), each ${
					byStates
						? 'in the innermost Java method'
						: 'at the line of the innermost Java method that has lines'
				} on its stack: it ran itself, or had called what ran.`,
			),
			byStates ? stateTable(side, stateRows.filter(matches)) : lineTable(context, merged.filter(matches), whole),
		),
		rows: () =>
			byStates
				? stateRows.map((row) => ({
						...methodData(context, row.method),
						samples: { all: row.all, ...Object.fromEntries(row.states) },
					}))
				: last.map((row) => ({
						...methodData(context, row.method),
						line: row.line || null,
						samples: row.samples,
					})),
	};
}
