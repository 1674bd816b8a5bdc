// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// table: rows that can be sorted by their columns' headings. The first hundred are shown, and more on request, or all
// of them (up to a limit that is said) on paper.

import { h, type Child } from './dom';
import { isPrinting } from './theme';

export interface Column<Row> {
	key: string;
	title: string;
	hint?: string;
	number?: boolean; // aligned right, the largest first
	/** What it is sorted by; without it it cannot be. */
	value?: (row: Row) => number | string | null;
	cell: (row: Row) => Child;
	/** Says what the row is about. */
	heading?: boolean;
	/** Not shown where there is little room: below 900, or 1,250, pixels. */
	wide?: boolean | 'wider';
}

export interface TableChoice<Row> {
	caption: string;
	columns: Column<Row>[];
	rows: Row[];
	/** Key of the column, "-key" the other way round; "": order as given. */
	sort: string;
	onSort: (sort: string) => void;
	empty?: string;
	first?: number;
	rowClass?: (row: Row) => string | null;
}

const FIRST = 100;
const MORE = 400;
const ON_PAPER = 2000;

export function sortRows<Row>(rows: Row[], columns: Column<Row>[], sort: string): Row[] {
	const key = sort.replace(/^-/, '');
	const column = columns.find((candidate) => candidate.key === key && candidate.value);

	if (!column?.value) return rows;
	const turn = (sort.startsWith('-') ? -1 : 1) * (column.number ? -1 : 1);
	const keyed = rows.map((row, at) => ({ row, at, value: column.value!(row) }));

	/* What is not known comes last, whichever way. */
	keyed.sort((a, b) => {
		if (a.value === null || b.value === null)
			return Number(a.value === null) - Number(b.value === null) || a.at - b.at;
		return (a.value < b.value ? -turn : a.value > b.value ? turn : 0) || a.at - b.at;
	});
	return keyed.map(({ row }) => row);
}

function classOf<Row>(column: Column<Row>): string | null {
	return (
		[column.number ? 'number' : '', column.wide === 'wider' ? 'wider' : column.wide ? 'wide' : '']
			.join(' ')
			.trim() || null
	);
}

function heading<Row>(choice: TableChoice<Row>, column: Column<Row>): HTMLElement {
	const key = choice.sort.replace(/^-/, '');
	const back = choice.sort.startsWith('-');
	const sorted = key === column.key;
	const descends = sorted && Boolean(column.number) !== back;
	const attributes = {
		scope: 'col',
		class: classOf(column),
		'aria-sort': sorted ? (descends ? 'descending' : 'ascending') : null,
		title: column.hint,
	};

	if (!column.value) return h('th', attributes, column.title);
	return h(
		'th',
		attributes,
		h(
			'button',
			{
				type: 'button',
				id: `sort-${choice.caption}-${column.key}`.replace(/[^\w-]+/g, '-'),
				onclick: () => choice.onSort(sorted && !back ? `-${column.key}` : column.key),
			},
			column.title,
			h('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted ? (descends ? ' \u25be' : ' \u25b4') : ''),
		),
	);
}

export function table<Row>(choice: TableChoice<Row>): HTMLElement {
	const rows = sortRows(choice.rows, choice.columns, choice.sort);
	const body = h('tbody');
	const more = h('p', { class: 'more' });
	let shown = 0;

	const show = (count: number) => {
		const part = document.createDocumentFragment();

		for (; shown < Math.min(count, rows.length); shown++) {
			const row = rows[shown]!;

			part.append(
				h(
					'tr',
					{ class: choice.rowClass?.(row) },
					choice.columns.map((column) =>
						h(
							column.heading ? 'th' : 'td',
							{
								scope: column.heading ? 'row' : null,
								class: classOf(column),
							},
							column.cell(row),
						),
					),
				),
			);
		}
		body.append(part);
		more.replaceChildren(
			shown < rows.length
				? h(
						'button',
						{ type: 'button', onclick: () => show(shown + MORE) },
						`Show ${Math.min(MORE, rows.length - shown).toLocaleString('en')} more`,
					)
				: '',
			shown < rows.length
				? ` ${shown.toLocaleString('en')} of ${rows.length.toLocaleString('en')} rows are shown`
				: '',
		);
	};
	show(isPrinting() ? ON_PAPER : (choice.first ?? FIRST));
	return h(
		'div',
		{ class: 'tablebox' },
		h(
			'div',
			{ class: 'scroll', tabindex: 0, role: 'region', 'aria-label': choice.caption },
			h(
				'table',
				{},
				h('caption', { class: 'unseen' }, choice.caption),
				h(
					'thead',
					{},
					h(
						'tr',
						{},
						choice.columns.map((column) => heading(choice, column)),
					),
				),
				body,
			),
		),
		rows.length === 0
			? h('p', { class: 'note' }, choice.empty ?? 'There is nothing of that kind in what is chosen.')
			: null,
		more,
	);
}
