// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// io_records: single operations of a profile made with io=records.

import type { Context } from '../app';
import { fileText, type IoSums } from '../model/io';
import { METHOD_SMALL } from '../model/universe';
import { moment, quantity } from '../ui/format';
import { cut, methodText, name, visible } from '../ui/names';
import { table, type Column } from '../ui/table';
import { chosenSort } from './columns';
import { methodLink } from './methods';

export interface RecordRow {
	begin: number;
	ns: number;
	thread: string;
	file: number;
	kind: string;
	amount: number;
	failed: boolean;
	method: number;
}

export function recordRows(context: Context): RecordRow[] {
	const { block, placement } = context.profile;
	const table = block.table('record');
	const column = (key: string) => table.get(key);
	const [begin, ns, thread, file] = [column('begin'), column('ns'), column('thread'), column('file')];
	const [kind, amount, failed, method] = [column('kind'), column('amount'), column('failed'), column('method')];

	return Array.from({ length: table.rows }, (_, row) => ({
		begin: begin[row]!,
		ns: ns[row]!,
		thread: block.text(thread[row]!),
		file: file[row]! - 1,
		kind: block.header.io_kinds?.[kind[row]!] ?? '',
		amount: amount[row]!,
		failed: failed[row] !== 0,
		method: placement.method[method[row]!]!,
	}));
}

export function recordsTable(context: Context, io: IoSums, rows: RecordRow[]): HTMLElement {
	const columns: Column<RecordRow>[] = [
		{
			key: 'file',
			title: 'File',
			heading: true,
			value: (row) => fileText(io.files[row.file]),
			cell: (row) => name(fileText(io.files[row.file]), 120),
		},
		{
			key: 'kind',
			title: 'Operation',
			value: (row) => row.kind,
			cell: (row) => visible(cut(row.kind, 40)) + (row.failed ? ' (failed)' : ''),
		},
		{ key: 'ns', title: 'Time', number: true, value: (row) => row.ns, cell: (row) => quantity(row.ns, 'ns') },
		{
			key: 'amount',
			title: 'Bytes',
			number: true,
			value: (row) => row.amount,
			cell: (row) => (row.amount ? quantity(row.amount, 'bytes') : ''),
		},
		{ key: 'begin', title: 'Began at', number: true, value: (row) => -row.begin, cell: (row) => moment(row.begin) },
		{ key: 'thread', title: 'Thread', wide: true, value: (row) => row.thread, cell: (row) => name(row.thread, 60) },
		{
			key: 'method',
			title: 'In',
			wide: true,
			value: (row) => methodText(context.universe.methods[row.method]!, row.method),
			cell: (row) => (row.method > METHOD_SMALL ? methodLink(context, row.method) : ''),
		},
	];

	return table({
		caption: 'Single operations',
		columns,
		rows,
		sort: chosenSort(context, columns, 'ns'),
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}
