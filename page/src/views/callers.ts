// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// callers: of one method who called it, itself, whom it called. The sums are checked: totals of callers come to the method's total,
// those of callees to its total less its self.

import type { Context, View } from '../app';
import { EdgeSums, type MethodSums } from '../model/profile';
import { METHOD_ROOT, METHOD_SMALL } from '../model/universe';
import { h, type Child } from '../ui/dom';
import { exact } from '../ui/format';
import { methodName, methodText, name } from '../ui/names';
import { toggle, toolbar } from '../ui/controls';
import { table, type Column } from '../ui/table';
import { chosenSort, dataRow, figureColumns, figureTitle, methodData } from './columns';
import { figuresOf, methodLink, methodSums } from './methods';

type Side = 'callers' | 'callees';

function endName(context: Context, method: number): Child {
	if (method === METHOD_ROOT) return h('span', { class: 'quiet' }, 'a thread, or what was not recorded');
	if (method === METHOD_SMALL) return h('span', { class: 'quiet' }, '(small): calls on paths that were folded');
	return methodLink(context, method);
}

function endsTable(context: Context, edges: EdgeSums[], side: Side): HTMLElement {
	const { universe } = context;
	const rows = [...new Set(edges.flatMap((edge) => edge.ends()))];
	const columns: Column<number>[] = [
		{
			key: 'name',
			title: side === 'callers' ? 'Called by' : 'Calls to',
			heading: true,
			value: (method) => methodText(universe.methods[method]!, method),
			cell: (method) => endName(context, method),
		},
		...figureColumns(context, edges.map(figuresOf)),
	];
	const first =
		columns.find((column) => column.key.startsWith('total.') && (edges.length < 2 || column.key === 'total.change'))
			?.key ?? 'calls';

	return table({
		caption: side === 'callers' ? 'Callers' : 'Callees',
		columns,
		rows,
		sort: chosenSort(context, columns, first),
		onSort: (sort) => context.choose({ sort }, 'replace'),
		empty: side === 'callers' ? 'No caller was recorded.' : 'It called nothing that was recorded.',
		first: 30,
	});
}

/** What does not add up; null: all does. */
function disagreement(method: number, of: MethodSums, callers: EdgeSums, callees: EdgeSums): string | null {
	const sum = (edges: EdgeSums, figure: number) =>
		edges.ends().reduce((all, end) => all + edges.figure(figure).cum.value[end]!, 0);

	for (const [figure, kind] of of.kinds.entries()) {
		const { base, cum } = of.figure(figure);
		const pairs: [string, number, number][] = [
			['totals of callers', sum(callers, figure), cum.value[method]!],
			['totals of callees', sum(callees, figure), cum.value[method]! - base.value[method]!],
		];
		for (const [what, is, should] of pairs)
			if (is !== should) return `${figureTitle(kind)}: the ${what} come to ${exact(is)}, not ${exact(should)}`;
	}
	return null;
}

/** The method that the view is about: the chosen one, or that which used most itself; -1: there is none. */
function subject(context: Context, sums: MethodSums[]): number {
	const side = sums[sums.length - 1]!;

	if (context.method > METHOD_SMALL) return context.method;
	if (context.kinds.length === 0) return -1;
	const self = side.figure(context.figure).base.value;
	return side.seen().reduce((best, method) => (best < 0 || self[method]! > self[best]! ? method : best), -1);
}

export function callersView(context: Context): View {
	const { universe } = context;
	const sums = methodSums(context);
	const method = subject(context, sums);

	if (method < 0)
		return {
			element: h(
				'section',
				{},
				h(
					'p',
					{ class: 'note' },
					'No method was recorded. ',
					h('a', { href: context.link({ view: 'methods' }) }, 'Methods'),
				),
			),
			rows: () => [],
		};
	const callers = sums.map((side) => new EdgeSums(side, method, 'callers'));
	const callees = sums.map((side) => new EdgeSums(side, method, 'callees'));
	const wrong = context.path === 0 ? disagreement(method, sums[0]!, callers[0]!, callees[0]!) : null;
	const row = universe.methods[method]!;
	const data = (edges: EdgeSums) =>
		edges.ends().map((end) => ({ ...methodData(context, end), ...dataRow(context, figuresOf(edges), end) }));
	const related = (view: Context['selection']['view'], label: string, more = {}) =>
		h(
			'li',
			{},
			h(
				'a',
				{
					href: context.link({
						view,
						method: universe.methodHash(method),
						sort: '',
						search: '',
						zoom: '',
						...more,
					}),
				},
				label,
			),
		);

	return {
		element: h(
			'section',
			{},
			toolbar(sums.length === 1 ? toggle(context, 'all', 'All figures') : null),
			h('h3', { class: 'subject' }, methodName(row, method)),
			row.signature
				? h('p', { class: 'quiet small' }, name(row.signature), row.file ? [' in ', name(row.file)] : null)
				: null,
			context.method < 0
				? h(
						'p',
						{ class: 'note' },
						'No method is chosen: this one used most itself. Choose others here, or in ',
						h('a', { href: context.link({ view: 'methods' }) }, 'Methods'),
						'.',
					)
				: null,
			h(
				'ul',
				{ class: 'links' },
				related('flame', 'flame graph of its callers', { invert: true }),
				related('tree', 'tree of its callers', { invert: true }),
				related('lines', 'its source lines'),
				related('io', 'I/O within its calls'),
			),
			table({
				caption: 'The method itself',
				columns: [
					{ key: 'name', title: 'Itself', heading: true, cell: () => methodName(row, method) },
					...figureColumns(context, sums.map(figuresOf)).map(({ value: _, ...column }) => column),
				],
				rows: [method],
				sort: '',
				onSort: () => undefined,
			}),
			h('h3', {}, 'Callers'),
			endsTable(context, callers, 'callers'),
			h('h3', {}, 'Callees'),
			endsTable(context, callees, 'callees'),
			wrong
				? h('p', { class: 'warning', role: 'alert' }, `The sums do not add up: ${wrong}.`)
				: h(
						'p',
						{ class: 'note' },
						'Totals of callers come to the method\u2019s total, those of callees to its total less its self. What a method that calls itself used within its own calls is counted once.',
					),
		),
		rows: () => [
			{
				callers: data(callers[0]!),
				self: { ...methodData(context, method), ...dataRow(context, figuresOf(sums[0]!), method) },
				callees: data(callees[0]!),
			},
		],
	};
}
