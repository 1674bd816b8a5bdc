// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// io_difference: I/O of two profiles: before, after, change; files by their names, methods by theirs.

import type { Context } from '../app';
import { addUse, fileText, IoSums, newUse, type IoChoice, type IoUse } from '../model/io';
import { METHOD_SMALL } from '../model/universe';
import type { Child } from '../ui/dom';
import { quantity } from '../ui/format';
import { methodText, name } from '../ui/names';
import { table, type Column } from '../ui/table';
import { changeCell, chosenSort } from './columns';
import { methodLink } from './methods';

interface BothRow {
	text: string;
	name: Child;
	before: IoUse;
	after: IoUse;
}

type Pair = { key: string; title: string; unit: string; of: (use: IoUse) => number };

const PAIRS: Pair[] = [
	{ key: 'time', title: 'Time', unit: 'ns', of: (use) => use.all.ns },
	{
		key: 'bytes',
		title: 'Bytes',
		unit: 'bytes',
		of: (use) => use.reads.bytes + use.received.bytes + use.writes.bytes + use.sent.bytes,
	},
	{ key: 'ops', title: 'Operations', unit: '', of: (use) => use.all.ops },
];
/* Where both sides recorded it. */
const CPU: Pair = { key: 'cpu', title: 'CPU', unit: 'ns', of: (use) => use.cpu };

function bothTable(context: Context, caption: string, pairs: Pair[], rows: BothRow[]): HTMLElement {
	const figure = (value: number) => ({ value, error: 0, divided: false });
	const columns: Column<BothRow>[] = [
		{ key: 'name', title: caption, heading: true, value: (row) => row.text, cell: (row) => row.name },
		...pairs.flatMap(({ key, title, unit, of }): Column<BothRow>[] => [
			{
				key: `${key}.before`,
				title: `${title} before`,
				number: true,
				wide: key === 'time' ? false : 'wider',
				value: (row) => of(row.before),
				cell: (row) => quantity(of(row.before), unit),
			},
			{
				key: `${key}.after`,
				title: `${title} after`,
				number: true,
				wide: key === 'time' ? false : 'wider',
				value: (row) => of(row.after),
				cell: (row) => quantity(of(row.after), unit),
			},
			{
				key: `${key}.change`,
				title: `${title} change`,
				number: true,
				wide: key !== 'time',
				value: (row) => Math.abs(of(row.after) - of(row.before)),
				cell: (row) => changeCell(figure(of(row.before)), figure(of(row.after)), unit),
			},
		]),
	];

	return table({
		caption,
		columns,
		rows,
		sort: chosenSort(context, columns, 'time.change'),
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}

export function ioDifference(context: Context, part: string, matches: (text: string) => boolean): HTMLElement {
	const { universe } = context;
	const rows = new Map<string, BothRow>();
	const sides = context.profiles.map((profile) => new IoSums(profile));
	const add = (side: number, key: string, use: IoUse, make: () => Pick<BothRow, 'text' | 'name'>) => {
		let row = rows.get(key);

		if (!row) rows.set(key, (row = { ...make(), before: newUse(), after: newUse() }));
		addUse(side === 0 ? row.before : row.after, use);
	};

	sides.forEach((io, side) => {
		const choice: IoChoice = {
			threads: context.threads[side] ?? null,
			path: context.path,
			method: context.method,
			files: context.files[side] ?? null,
		};

		if (part === 'methods')
			for (const [method, { cum }] of io.byMethod(choice)) {
				const text = methodText(universe.methods[method]!, method);

				add(side, String(method), cum, () => ({
					text,
					name: method > METHOD_SMALL ? methodLink(context, method) : text,
				}));
			}
		else
			for (const [row, use] of io.byFile(choice)) {
				const text = fileText(io.files[row]);

				add(side, `${io.files[row]?.kind} ${text}`, use, () => ({ text, name: name(text) }));
			}
	});
	return bothTable(
		context,
		part === 'methods' ? 'Methods that did I/O' : 'Files, connections, entries of archives',
		sides.every((io) => io.hasCpu) ? [...PAIRS, CPU] : PAIRS,
		[...rows.values()].filter((row) => matches(row.text)),
	);
}
