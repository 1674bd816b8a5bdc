// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// calls: how long each call of watched methods took, and the slowest of them with what they did. As the report has it: of all
// threads of the interval.

import type { Context, View } from '../app';
import type { Report, ReportRow } from '../data/block';
import { toolbar } from '../ui/controls';
import { h, sized, type Child } from '../ui/dom';
import { exact, moment, quantity } from '../ui/format';
import { name, visible } from '../ui/names';
import { table, type Column } from '../ui/table';
import { ofAllNote } from './notes';
import { oneSide } from './one_side';

const MOST_CALLS = 100;

type Group = Record<string, unknown>;
type Metric = { name: string; unit: string };

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

const methodOf = (row: ReportRow): string =>
	row['class'] === null || row['class'] === undefined
		? text(row['method'])
		: `${text(row['class'])}.${text(row['method'])}`;

const amount = (value: unknown, unit: string): string => (typeof value === 'number' ? quantity(value, unit) : '\u2013');

const time = (value: unknown): string => amount(value, 'ns');

/** Of which it is told what the whole process used during calls. */
function processMetrics(report: Report | undefined): Metric[] {
	const metrics = (report?.['metrics'] ?? []) as Metric[];
	const told = (report?.rows[0]?.['process'] ?? {}) as Group;

	return metrics.filter(({ name: metric }) => metric in told);
}

function figure(
	group: string,
	key: string,
	title: string,
	hint: string,
	wide: boolean | 'wider' = false,
): Column<ReportRow> {
	return column(`${group}.${key}`, title, hint, (row) => (row[group] as Group | undefined)?.[key], 'ns', wide);
}

function column(
	key: string,
	title: string,
	hint: string,
	valueOf: (row: ReportRow) => unknown,
	unit: string,
	wide: boolean | 'wider',
): Column<ReportRow> {
	const value = (row: ReportRow): number | null => {
		const found = valueOf(row);

		return typeof found === 'number' ? found : null;
	};

	return { key, title, hint, number: true, value, cell: (row) => amount(value(row), unit), wide };
}

function processColumns({ name: metric, unit }: Metric): Column<ReportRow>[] {
	const titles = { mean: 'mean', max: 'most' };
	const hint = `${metric} that the whole process used from entry to exit, other threads included`;

	return Object.entries(titles).map(([key, title]) =>
		column(
			`process.${metric}.${key}`,
			`Process ${metric} ${title}`,
			hint,
			(row) => ((row['process'] as Group | undefined)?.[metric] as Group | undefined)?.[key],
			unit,
			'wider',
		),
	);
}

function distributionTable(context: Context, report: Report): HTMLElement {
	return table<ReportRow>({
		caption: 'How long calls took',
		columns: [
			{ key: 'method', title: 'Method', heading: true, value: methodOf, cell: (row) => name(methodOf(row)) },
			{
				key: 'calls',
				title: 'Calls',
				number: true,
				value: (row) => Number(row['calls']),
				cell: (row) => exact(Number(row['calls'])),
			},
			{
				key: 'failed',
				title: 'Failed',
				hint: 'left by an exception; they are among the calls',
				number: true,
				value: (row) => Number(row['failed']),
				cell: (row) => exact(Number(row['failed'])),
			},
			figure('elapsed', 'mean', 'Mean', 'from entry to exit'),
			figure('elapsed', 'p50', 'p50', 'half of the calls took no longer'),
			figure('elapsed', 'p90', 'p90', '90 % of the calls took no longer'),
			figure('elapsed', 'p99', 'p99', '99 % of the calls took no longer'),
			figure('elapsed', 'p99_9', 'p99.9', '99.9 % of the calls took no longer'),
			figure('elapsed', 'max', 'Most', 'the slowest call'),
			figure('base', 'p50', 'Self p50', 'in the method itself', 'wider'),
			figure('base', 'p99', 'Self p99', 'in the method itself', 'wider'),
			figure('base', 'max', 'Self most', 'in the method itself', 'wider'),
			...processMetrics(report).flatMap(processColumns),
		],
		rows: report.rows,
		sort: context.selection.sort,
		onSort: (sort) => context.choose({ sort }, 'replace'),
	});
}

/** What a call did: the rows of its tree. */
function callTree(rows: ReportRow[]): HTMLElement {
	return table<ReportRow>({
		caption: 'What the call did',
		columns: [
			{
				key: 'method',
				title: 'Method',
				heading: true,
				cell: (row) =>
					sized(
						h('span', { class: 'step' }, name(methodOf(row))),
						'--level',
						String(Math.min(Number(row['level']), 40)),
					),
			},
			{
				key: 'calls',
				title: 'Calls',
				number: true,
				cell: (row) => (typeof row['calls'] === 'number' ? exact(row['calls']) : ''),
			},
			{ key: 'elapsed', title: 'Elapsed', number: true, cell: (row) => time(row['elapsed']) },
			{
				key: 'base',
				title: 'Self',
				number: true,
				cell: (row) => (typeof row['base'] === 'number' ? time(row['base']) : ''),
			},
		],
		rows,
		sort: '',
		onSort: () => undefined,
	});
}

/** What the whole process used during a call. */
function processWords(metrics: Metric[], call: ReportRow): string {
	const used = (call['process'] ?? {}) as Group;

	return metrics.map(({ name: metric, unit }) => `, process ${metric} ${amount(used[metric], unit)}`).join('');
}

function slowestList(report: Report): Child {
	const calls = new Map<unknown, ReportRow[]>();
	const metrics = processMetrics(report);

	for (const row of report.rows) {
		const found = calls.get(row['call']);

		if (found) found.push(row);
		else calls.set(row['call'], [row]);
	}
	return [...calls.values()]
		.slice(0, MOST_CALLS)
		.map((parts) =>
			h(
				'details',
				{},
				h(
					'summary',
					{},
					`${time(parts[0]!['elapsed'])} `,
					name(methodOf(parts[0]!)),
					` at ${moment(Number(parts[0]!['began']))}, `,
					name(text(parts[0]!['thread']) || 'a thread that is not known', 60),
					parts[0]!['failed'] === true ? ', left by an exception' : null,
					processWords(metrics, parts[0]!),
				),
				callTree(parts),
			),
		);
}

export function callsView(both: Context): View {
	const { context, field } = oneSide(both);
	const { views } = context.profile.block.header;
	const distribution = views['distribution'];
	const slowest = views['slowest'];
	const rows = distribution?.rows ?? [];

	return {
		element: h(
			'section',
			{},
			field ? toolbar(field) : null,
			!distribution || rows.length === 0
				? h(
						'p',
						{ class: 'note' },
						'No method was watched. ',
						h('code', {}, 'distribution=com.acme.Servlet.service'),
						' has a recording tell how long each call of that method took, and what the slowest calls did.',
					)
				: [
						ofAllNote(context.profile.block, 'distribution', 'slowest'),
						h('p', { class: 'note' }, visible(`Percentiles: ${text(distribution['percentiles'])}.`)),
						distributionTable(context, distribution),
						h('h3', {}, 'The slowest calls'),
						slowest ? slowestList(slowest) : null,
					],
		),
		rows: () => [...rows, ...(slowest?.rows ?? [])],
	};
}
