// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// threads: a time line, and a table, in which threads are chosen.

import type { Context, View } from '../app';
import type { ThreadRow } from '../model/profile';
import { searchField, searchOf, toggle, toolbar } from '../ui/controls';
import { h, type Child } from '../ui/dom';
import { exact, moment, percent, quantity } from '../ui/format';
import { cut, link, name, visible } from '../ui/names';
import { table, type Column } from '../ui/table';
import { chosenSort, figureTitle } from './columns';
import { oneSide } from './one_side';
import { onlyRow } from './only';
import { amount, doingOf, endOf, num } from './thread_facts';
import { timelineBox } from './timeline';

export function threadsView(both: Context): View {
	const { context, field, isSecond } = oneSide(both);
	const { selection, profile, kinds, choose } = context;
	const search = searchOf(selection.search);
	const chosen = new Set(context.selection.threads);
	const rows = profile.threads.filter((row) => search.matches(row.name));
	const metrics = kinds.filter((kind, i) => !kind.samples && (selection.all || i === context.figure || i < 2));
	const conditions = kinds.filter((kind) => kind.samples);
	const mask = profile.threadMask(context.threads[0] ?? null);
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
					/* Threads are chosen by their indices on the first side. */
					isSecond
						? null
						: h('input', {
								type: 'checkbox',
								id: `choose-${row.index}`,
								checked: chosen.has(row.index),
								'aria-label': `choose ${visible(cut(row.name, 100))}`,
								onchange: (event: Event) => {
									const rest = selection.threads.filter((one) => one !== row.index);

									choose({
										threads: (event.target as HTMLInputElement).checked
											? [...rest, row.index].sort((a, b) => a - b)
											: rest,
										root: '',
									});
								},
							}),
					isSecond
						? name(row.name, 100)
						: link(
								context.link({ threads: [row.index], view: 'flame', path: '', zoom: '', root: '' }),
								name(row.name, 100),
								{ title: 'its flame graph' },
							),
					row.jvm ? h('span', { class: 'tag' }, 'JVM') : null,
					row.report?.['virtual'] ? h('span', { class: 'tag' }, 'virtual') : null,
					(num(row, 'folded') ?? 1) > 1
						? h('span', { class: 'tag' }, `${exact(num(row, 'folded')!)} threads`)
						: null,
					isSecond
						? null
						: onlyRow(
								context,
								{ threads: [row.index] },
								chosen.size === 1 && chosen.has(row.index),
								row.name,
							),
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
									disabled: rows.length === 0,
									onclick: () => choose({ threads: rows.map((row) => row.index), root: '' }),
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
				sort: chosenSort(context, columns, first),
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
