// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// numbers: how figures are known, how far off they may be, what was folded, and the facts of the profile.

import type { Context, View } from '../app';
import type { ReportRow } from '../data/block';
import { h, type Child } from '../ui/dom';
import { exact, quantity } from '../ui/format';
import { cut, name, visible } from '../ui/names';
import { table } from '../ui/table';
import { figureTitle } from './columns';
import { foldedNote } from './notes';
import { ofAllNote } from './notes';
import { oneSide } from './one_side';
import { toolbar } from '../ui/controls';
import { notesOf } from './overview';

const text = (value: unknown): string =>
	value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

function howKnown(context: Context): Child {
	const { header } = context.profile.block;
	const facts = new Map(context.profile.block.report('summary').map((row) => [String(row['key']), row['value']]));
	const divided = header.metrics.filter((metric) => metric.divided);

	return h(
		'dl',
		{},
		header.metrics.map((metric) => [
			h('dt', {}, h('bdi', {}, figureTitle({ ...metric, samples: false, errors: false, index: 0 }))),
			h(
				'dd',
				{},
				name(text(facts.get(`how.${metric.name}`)) || metric.unit),
				metric.divided
					? '; where ~ stands divided by samples: timed calls measured the sum, samples say which part of it is whose'
					: null,
			),
		]),
		header.conditions.map((condition) => [
			h('dt', {}, 'samples ', name(condition.asked, 100)),
			h(
				'dd',
				{},
				`a stack each ${quantity(condition.period, condition.unit)} of ${visible(cut(condition.event, 60))}`,
			),
		]),
		h('dt', {}, '\u00b1'),
		h(
			'dd',
			{},
			header.errors
				? 'half the width of the interval that holds the true figure. Errors of sums are not sums of errors: what is by chance cancels out in part.'
				: 'This profile\u2019s figures are as they were counted: with what jprof itself cost, and without errors.',
		),
		h('dt', {}, '~'),
		h(
			'dd',
			{},
			divided.length > 0
				? 'divided by samples, or uncertain by a quarter or more'
				: 'uncertain by a quarter or more',
		),
		h('dt', {}, '\u2013 or \u201csampled\u201d'),
		h('dd', {}, 'not known: samples alone have found it, nothing was measured or counted. Not the same as 0.'),
		h('dt', {}, '\u2248'),
		h(
			'dd',
			{},
			'of a figure: what samples say of a call that was not measured, a part of what is measured above it, in no sum; of a change: within the errors of both sides',
		),
		h('dt', {}, 'Self, Total'),
		h(
			'dd',
			{},
			'what a method used itself; that and what all that it called used. Of a method that calls itself the outermost calls count.',
		),
		h('dt', {}, '(small)'),
		h('dd', {}, foldedNote(context) ?? 'nothing was folded for this page.'),
	);
}

function factsTable(context: Context, rows: ReportRow[]): HTMLElement {
	return table<ReportRow>({
		caption: 'Facts of the profile',
		columns: [
			{
				key: 'fact',
				title: 'Fact',
				heading: true,
				value: (row) => text(row['key']),
				cell: (row) => name(text(row['key'])),
			},
			{
				key: 'value',
				title: 'Value',
				cell: (row) => (typeof row['value'] === 'number' ? exact(row['value']) : name(text(row['value']), 400)),
			},
		],
		rows,
		sort: context.selection.sort,
		onSort: (sort) => context.choose({ sort }, 'replace'),
		first: 300,
	});
}

function calibrationTable(context: Context): Child {
	const report = context.profile.block.header.views['calibration'];
	const rows = report?.rows ?? [];

	if (rows.length === 0)
		return h(
			'p',
			{ class: 'note' },
			'Nothing was taken out of figures: ',
			name(text(report?.['calibration']) || 'the profile has no deltas to calibrate'),
			'.',
		);
	const keys = ['first', 'begin', 'second', 'end', 'third', 'row'].filter((key) =>
		rows.some((row) => row[key] !== null && row[key] !== undefined),
	);
	const groups = ['mean', 'cost', 'observed'].filter((group) =>
		rows.some((row) => Object.values((row[group] ?? {}) as object).some((value) => value !== null)),
	);
	const metric = context.kinds.find((kind) => !kind.samples)?.name ?? '';

	return [
		h('p', { class: 'note' }, name(text(report?.['calibration']))),
		h(
			'details',
			{},
			h(
				'summary',
				{},
				`${exact(rows.length)} sequences of events: what surrounds a delta, and what was taken out of it (${metric}, ns)`,
			),
			table<ReportRow>({
				caption: 'Calibration',
				columns: [
					...keys.map((key) => ({
						key,
						title: key,
						cell: (row: ReportRow) => text(row[key]),
						value: (row: ReportRow) => text(row[key]),
						heading: key === keys[0],
					})),
					{
						key: 'count',
						title: 'count',
						number: true,
						value: (row) => Number(row['count']),
						cell: (row) => exact(Number(row['count'])),
					},
					...groups.map((group) => ({
						key: group,
						title: group,
						number: true,
						cell: (row: ReportRow) => text((row[group] as Record<string, unknown>)?.[metric]),
					})),
				],
				rows,
				sort: '',
				onSort: () => undefined,
			}),
		),
	];
}

export function numbersView(both: Context): View {
	const { context, field } = oneSide(both);
	const facts = context.profile.block.report('summary');
	const { header } = context.profile.block;

	return {
		element: h(
			'section',
			{},
			field ? toolbar(field) : null,
			ofAllNote(context.profile.block, 'summary', 'calibration'),
			h('h3', {}, 'How figures are known'),
			howKnown(context),
			h('h3', {}, 'What jprof itself cost'),
			h(
				'ul',
				{ class: 'notes' },
				notesOf(context.profile).map((note) => h('li', {}, name(note, 600))),
			),
			h('h3', {}, 'Calibration'),
			calibrationTable(context),
			h('h3', {}, 'Facts'),
			factsTable(context, facts),
			h('p', { class: 'note' }, `Made by jprof ${visible(cut(header.jprof, 60))}.`),
		),
		rows: () => facts,
	};
}
