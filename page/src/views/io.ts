// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// io: what was read, written, sent: by file, by method, by call path; from a file to those who used it and back.

import type { Context, View } from '../app';
import { fileText, IoSums, throughput, type Amount, type IoChoice, type IoFile, type IoUse } from '../model/io';
import { METHOD_SMALL, ROOT_PATH } from '../model/universe';
import { searchField, searchOf, select, toolbar } from '../ui/controls';
import { h, type Child } from '../ui/dom';
import { exact, percent, quantity } from '../ui/format';
import { cut, link, methodText, name, visible } from '../ui/names';
import { table, type Column } from '../ui/table';
import { chosenSort, methodData, shareBar } from './columns';
import { ioDifference } from './io_difference';
import { recordRows, recordsTable } from './io_records';
import { methodLink } from './methods';
import { fileChoice, oneSide } from './one_side';
import { onlyRow } from './only';

const known = (io: IoSums) => (io.isEmpty ? h('p', { class: 'note' }, 'No I/O was recorded.') : null);

const amountCell = (amount: Amount): Child =>
	amount.ops === 0
		? ''
		: h(
				'span',
				{ title: `${exact(amount.ops)} operations, ${exact(amount.bytes)} bytes, ${exact(amount.ns)} ns` },
				quantity(amount.bytes, 'bytes'),
				h('span', { class: 'share' }, ` in ${quantity(amount.ops, '')}`),
			);

/** Columns about what was done, one of processor time where that was recorded. */
function useColumns<Row>(io: IoSums, use: (row: Row) => IoUse, whole: Amount): Column<Row>[] {
	const cpu: Column<Row> = {
		key: 'cpu',
		title: 'CPU',
		hint: 'of the time: what threads ran, and did not wait',
		number: true,
		wide: true,
		value: (row) => use(row).cpu,
		cell: (row) => h('span', { title: `${exact(use(row).cpu)} ns` }, quantity(use(row).cpu, 'ns')),
	};

	return [
		{
			key: 'time',
			title: 'Time',
			number: true,
			value: (row) => use(row).all.ns,
			cell: (row) => [
				h('span', { title: `${exact(use(row).all.ns)} ns` }, quantity(use(row).all.ns, 'ns')),
				' ',
				h('span', { class: 'share' }, percent(use(row).all.ns, whole.ns)),
				shareBar(use(row).all.ns, whole.ns),
			],
		},
		...(io.hasCpu ? [cpu] : []),
		{
			key: 'read',
			title: 'Read, received',
			hint: 'bytes, in so many operations',
			number: true,
			value: (row) => use(row).reads.bytes + use(row).received.bytes,
			cell: (row) => amountCell(joined(use(row).reads, use(row).received)),
		},
		{
			key: 'written',
			title: 'Written, sent',
			hint: 'bytes, in so many operations',
			number: true,
			value: (row) => use(row).writes.bytes + use(row).sent.bytes,
			cell: (row) => amountCell(joined(use(row).writes, use(row).sent)),
		},
		{
			key: 'ops',
			title: 'Operations',
			number: true,
			wide: true,
			value: (row) => use(row).all.ops,
			cell: (row) => h('span', { title: kindsText(use(row)) }, quantity(use(row).all.ops, '')),
		},
		{
			key: 'rate',
			title: 'Throughput',
			hint: 'bytes a second of the time in reads and writes',
			number: true,
			wide: true,
			value: (row) => throughput(use(row)),
			cell: (row) => (throughput(use(row)) === null ? '' : `${quantity(throughput(use(row))!, 'bytes')}/s`),
		},
		{
			key: 'failed',
			title: 'Failed',
			number: true,
			wide: 'wider',
			value: (row) => use(row).failures,
			cell: (row) => (use(row).failures ? exact(use(row).failures) : ''),
		},
	];
}

const joined = (a: Amount, b: Amount): Amount => ({ ops: a.ops + b.ops, bytes: a.bytes + b.bytes, ns: a.ns + b.ns });
const kindsText = (use: IoUse): string =>
	[...use.kinds].map(([kind, count]) => `${visible(cut(kind, 40))} ${exact(count)}`).join(', ');

/** A file that the first side of a difference does not have cannot be chosen. */
function fileLink(context: Context, file: IoFile): HTMLElement {
	const choice = fileChoice(context, file);
	const text = name(fileText(file));

	if (choice === null) return text;
	return link(context.link({ file: choice, part: 'methods', sort: '', search: '' }), text);
}

/** The same without going anywhere else: views of calls show what leads to it. */
function onlyFile(context: Context, file: IoFile): Child {
	const choice = fileChoice(context, file);

	if (choice === null) return null;
	return onlyRow(context, { file: choice }, context.selection.file === choice, fileText(file));
}

interface FileRow {
	row: number;
	use: IoUse;
}

function filesTable(context: Context, io: IoSums, rows: FileRow[], whole: Amount): HTMLElement {
	const columns: Column<FileRow>[] = [
		{
			key: 'name',
			title: 'File, connection, entry',
			heading: true,
			value: (row) => fileText(io.files[row.row]),
			cell: (row) =>
				row.row < 0
					? h('span', { class: 'quiet' }, '(not known)')
					: [fileLink(context, io.files[row.row]!), ' ', onlyFile(context, io.files[row.row]!)],
		},
		{
			key: 'kind',
			title: 'Kind',
			wide: true,
			value: (row) => io.files[row.row]?.kind ?? '',
			cell: (row) => visible(cut(io.files[row.row]?.kind ?? '', 40)),
		},
		...useColumns<FileRow>(io, (row) => row.use, whole),
		{
			key: 'opened',
			title: 'Opened by',
			wide: 'wider',
			value: (row) => io.files[row.row]?.openedBy ?? '',
			cell: (row) => name(io.files[row.row]?.openedBy ?? '', 60),
		},
	];

	return table({
		caption: 'Files, connections, entries of archives',
		columns,
		rows,
		sort: chosenSort(context, columns, 'time'),
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}

interface MethodRow {
	method: number;
	base: IoUse;
	cum: IoUse;
}

function methodsTable(context: Context, io: IoSums, rows: MethodRow[], whole: Amount): HTMLElement {
	const { universe } = context;
	const columns: Column<MethodRow>[] = [
		{
			key: 'name',
			title: 'Method',
			heading: true,
			value: (row) => methodText(universe.methods[row.method]!, row.method),
			cell: (row) =>
				row.method === 0
					? h('span', { class: 'quiet' }, 'outside every recorded method')
					: row.method === METHOD_SMALL
						? h('span', { class: 'quiet' }, '(small): on folded paths')
						: methodLink(context, row.method),
		},
		{
			key: 'self',
			title: 'Self time',
			hint: 'in what it called itself',
			number: true,
			value: (row) => row.base.all.ns,
			cell: (row) => (row.base.all.ops ? quantity(row.base.all.ns, 'ns') : ''),
		},
		...useColumns<MethodRow>(io, (row) => row.cum, whole).map((column) => ({
			...column,
			title: column.key === 'time' ? 'Total time' : column.title,
		})),
	];

	return table({
		caption: 'Methods that did I/O',
		columns,
		rows,
		sort: chosenSort(context, columns, 'time'),
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}

interface PathRow {
	path: number;
	use: IoUse;
}

function pathsTable(context: Context, io: IoSums, rows: PathRow[], whole: Amount): HTMLElement {
	const { universe } = context;
	const text = (path: number) => methodText(universe.methods[universe.methodOf[path]!]!, universe.methodOf[path]!);
	const columns: Column<PathRow>[] = [
		{
			key: 'name',
			title: 'Call path',
			heading: true,
			value: (row) => text(row.path),
			cell: (row) => {
				const steps = universe.steps(row.path);

				if (steps.length === 0) return h('span', { class: 'quiet' }, 'outside every recorded method');
				return [
					link(
						context.link({ path: universe.pathHash(row.path), view: 'flame', sort: '' }),
						name(text(row.path)),
					),
					h(
						'div',
						{ class: 'quiet small' },
						'below ',
						h(
							'bdi',
							{},
							visible(
								cut(
									steps
										.slice(0, -1)
										.slice(-3)
										.reverse()
										.map((step) => text(step))
										.join(' \u2190 ') || 'the thread',
									200,
								),
							),
						),
					),
				];
			},
		},
		...useColumns<PathRow>(io, (row) => row.use, whole),
	];

	return table({
		caption: 'Call paths that did I/O',
		columns,
		rows,
		sort: chosenSort(context, columns, 'time'),
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}

export function ioView(both: Context): View {
	const { context, field } = oneSide(both);
	const isDifference = both.profiles.length > 1;
	const { selection, threads, path, method, choose, universe } = context;
	const io = new IoSums(context.profile);
	const chosen = context.files[0] ?? null;
	const choice: IoChoice = { threads: threads[0] ?? null, path, method, files: chosen };
	const search = searchOf(selection.search);
	const records = context.profile.block.table('record').rows;
	const parts = [
		{ value: '', label: 'files' },
		{ value: 'methods', label: 'methods' },
		{ value: 'paths', label: 'call paths' },
		...(records ? [{ value: 'records', label: 'single operations' }] : []),
	];
	const part = parts.some((one) => one.value === selection.part) ? selection.part : '';
	const whole = io.total(choice);
	const files = [...io.byFile(choice)].map(([row, use]) => ({ row, use }));
	const methods = part === 'methods' ? [...io.byMethod(choice)].map(([of, use]) => ({ method: of, ...use })) : [];
	const paths = part === 'paths' ? [...io.byPath(choice)].map(([of, use]) => ({ path: of, use })) : [];
	const single =
		part === 'records'
			? recordRows(context).filter(
					(row) => (!chosen || chosen.includes(row.file)) && (method < 0 || row.method === method),
				)
			: [];
	const text = (of: number) => methodText(universe.methods[of]!, of);
	const content =
		isDifference && (part === '' || part === 'methods')
			? ioDifference(both, part, search.matches)
			: part === 'methods'
				? methodsTable(
						context,
						io,
						methods.filter((row) => search.matches(text(row.method))),
						whole.all,
					)
				: part === 'paths'
					? pathsTable(
							context,
							io,
							paths.filter((row) => search.matches(text(universe.methodOf[row.path]!))),
							whole.all,
						)
					: part === 'records'
						? recordsTable(
								context,
								io,
								single.filter((row) => search.matches(fileText(io.files[row.file]))),
							)
						: filesTable(
								context,
								io,
								files.filter((row) => search.matches(fileText(io.files[row.row]))),
								whole.all,
							);
	const use = (one: IoUse) => {
		const { kinds, failures, cpu, ...amounts } = one;

		return {
			...amounts,
			...(io.hasCpu ? { cpu_ns: cpu } : {}),
			operations: Object.fromEntries(kinds),
			failures,
			bytes_per_second: throughput(one),
		};
	};

	return {
		element: h(
			'section',
			{},
			toolbar(
				searchField(context, part === 'methods' || part === 'paths' ? 'Methods like' : 'Files like', ''),
				isDifference && (part === '' || part === 'methods') ? null : field,
				select('part', 'By', part, parts, (value) => choose({ part: value, sort: '', search: '' })),
			),
			known(io),
			isDifference && (part === '' || part === 'methods')
				? null
				: h(
						'p',
						{ class: 'summary' },
						`${quantity(whole.all.ns, 'ns')}${io.hasCpu ? ` (CPU ${quantity(whole.cpu, 'ns')})` : ''} in ${quantity(whole.all.ops, '')} operations: ${quantity(whole.reads.bytes + whole.received.bytes, 'bytes')} read or received, ${quantity(whole.writes.bytes + whole.sent.bytes, 'bytes')} written or sent.`,
					),
			content,
			part === ''
				? h(
						'p',
						{ class: 'note' },
						'What is read of an archive stands at the archive and at its entry; sums have it once.',
					)
				: null,
			part === 'records'
				? h(
						'p',
						{ class: 'note' },
						`The longest ${exact(records)} operations${(context.profile.block.header.records ?? 0) > records ? ` of ${exact(context.profile.block.header.records!)}` : ''}.`,
					)
				: null,
		),
		rows: () =>
			part === 'methods'
				? methods.map((row) => ({ ...methodData(context, row.method), base: use(row.base), cum: use(row.cum) }))
				: part === 'paths'
					? paths.map((row) => ({
							name: row.path === ROOT_PATH ? null : text(universe.methodOf[row.path]!),
							...use(row.use),
						}))
					: part === 'records'
						? single
						: files.map((row) => ({
								name: io.files[row.row]?.name ?? null,
								peer: io.files[row.row]?.peer ?? null,
								kind: io.files[row.row]?.kind ?? null,
								...use(row.use),
							})),
	};
}
