// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// methods: the flat profile: one row a method, of all paths or of those below the chosen one.

import type { Context, View } from '../app';
import type { Sums } from '../model/figures';
import { IoSums } from '../model/io';
import type { MethodSums } from '../model/profile';
import type { Figures } from '../model/tree';
import { ROOT_PATH } from '../model/universe';
import { h } from '../ui/dom';
import { link, methodName, methodText } from '../ui/names';
import { searchField, searchOf, toggle, toolbar } from '../ui/controls';
import { table, type Column } from '../ui/table';
import { chosenSort, dataRow, figureColumns, methodData } from './columns';
import { fileNote, foldedNote } from './notes';

export function figuresOf(sums: Sums): Figures {
	return {
		self: (figure, row) => sums.self(figure, row),
		total: (figure, row) => sums.total(figure, row),
		totalValue: (figure, row) => sums.figure(figure).cum.value[row]!,
		calls: (row) => sums.calls(row),
	};
}

export function methodSums(context: Context): MethodSums[] {
	return context.sums.map((side) => side.methodSums(context.path));
}

export function methodLink(
	context: Context,
	method: number,
	view: Context['selection']['view'] = 'callers',
): HTMLElement {
	const row = context.universe.methods[method]!;

	return link(
		context.link({ view, method: context.universe.methodHash(method), search: '', sort: '' }),
		methodName(row, method),
	);
}

/** That did I/O with the chosen file, or led to it; null: none is chosen. */
function methodsOfFile(context: Context): Set<number> | null {
	const { files, path, profiles, threads } = context;

	if (!files[0]) return null;
	return new Set(
		profiles.flatMap((profile, side) => [
			...new IoSums(profile)
				.byMethod({ threads: threads[side] ?? null, path, method: -1, files: files[side] ?? null })
				.keys(),
		]),
	);
}

export function methodsView(context: Context): View {
	const { universe, selection } = context;
	const sums = methodSums(context);
	const sides = sums.map(figuresOf);
	const search = searchOf(selection.search);
	const all = [...new Set(sums.flatMap((side) => side.seen()))];
	const led = methodsOfFile(context);
	const seen = led ? all.filter((method) => led.has(method)) : all;
	const rows = seen.filter((method) => search.matches(methodText(universe.methods[method]!, method)));
	const figures = figureColumns(context, sides);
	const first =
		figures.find((column) => column.key.startsWith(sides.length > 1 ? 'self.change' : 'self.'))?.key ?? 'calls';
	const columns: Column<number>[] = [
		{
			key: 'name',
			title: 'Method',
			heading: true,
			value: (method) => methodText(universe.methods[method]!, method),
			cell: (method) => methodLink(context, method),
		},
		...figures,
	];

	return {
		element: h(
			'section',
			{},
			toolbar(
				searchField(
					context,
					'Methods like',
					`${rows.length.toLocaleString('en')} of ${seen.length.toLocaleString('en')} methods`,
				),
				sides.length === 1 && context.kinds.length > 0 ? toggle(context, 'all', 'All figures') : null,
			),
			fileNote(context),
			context.path === ROOT_PATH
				? null
				: h(
						'p',
						{ class: 'note' },
						'Of calls below the chosen path alone: calls that were counted without their path, and what was folded into \u201c(small)\u201d, are not among them.',
					),
			table({
				caption: 'Methods',
				columns,
				rows,
				sort: chosenSort(context, columns, first),
				onSort: (sort) => context.choose({ sort }, 'replace'),
			}),
			foldedNote(context),
		),
		rows: () =>
			seen.map((method) => ({
				...methodData(context, method),
				...dataRow(context, sides[0]!, method),
				...(sides[1] ? { after: dataRow(context, sides[1], method) } : {}),
			})),
	};
}
