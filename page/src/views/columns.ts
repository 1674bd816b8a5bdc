// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// columns: what tables of methods and paths have in common: calls, self and total of the chosen figure, and the other figures on
// request; of a difference before, after and change.

import type { Context } from '../app';
import { figureName } from '../app';
import type { Calls, Figure, FigureKind } from '../model/figures';
import { statesByPath } from '../model/places';
import type { Figures } from '../model/tree';
import { ROOT_PATH } from '../model/universe';
import { h, sized, type Child } from '../ui/dom';
import { cut, visible } from '../ui/names';
import { exact, figureCell, percent, quantity, signed, signedPercent } from '../ui/format';

/** A column of rows that are numbers of things with figures. */
export interface FigureColumn {
	key: string;
	title: string;
	hint?: string;
	number: true;
	wide?: boolean | 'wider';
	value: (row: number) => number | null;
	cell: (row: number) => Child;
}

/** "CPU time" of cpu; other metrics by the names that they have. */
export function figureTitle(kind: FigureKind): string {
	const known: Record<string, string> = { cpu: 'CPU time', wall: 'wall time', alloc: 'allocated' };

	const name = visible(cut(kind.name, 60));

	if (kind.samples) return `samples (${name})`;
	return Object.hasOwn(known, kind.name) ? known[kind.name]! : name;
}

/** What a figure is a share of: what the chosen threads used. */
export function wholes(context: Context): number[] {
	return context.sums.map((side) => side.figure(context.figure).cum.value[0] ?? 0);
}

export function shareBar(value: number, whole: number): HTMLElement {
	const share = whole > 0 ? Math.max(0, Math.min(1, value / whole)) : 0;

	return sized(h('span', { class: 'bar', 'aria-hidden': 'true' }), '--share', `${(100 * share).toFixed(2)}%`);
}

function withShare(figure: Figure, unit: string, whole: number): Child {
	if (figure.value === null) return figureCell(figure, unit);
	return [
		figureCell(figure, unit),
		' ',
		h('span', { class: 'share' }, percent(figure.value, whole)),
		shareBar(figure.value, whole),
	];
}

function callsCell(calls: Calls | null): Child {
	if (!calls) return '';
	if (calls.calls === null)
		return h('span', { class: 'unknown', title: 'not known: samples alone have found it' }, 'sampled');
	return h(
		'span',
		{
			title: calls.counted
				? `${exact(calls.calls)}, counted, some of them without their path`
				: exact(calls.calls),
		},
		quantity(calls.calls, ''),
	);
}

function enteredCell(value: number | null): Child {
	return value === null
		? h('span', { class: 'unknown' }, '\u2013')
		: h('span', { title: exact(value) }, quantity(value, ''));
}

const lessHint = 'what it used itself, without what it called';
const allHint = 'what it used, and all that it called';

const atLeast = () => h('span', { title: 'at least: paths were folded for want of memory' }, '\u2265\u00a0');

/** Which samples tell of the chosen figure: itself, or those on the same event. */
export function conditionOf(context: Context, profile = context.profile): number {
	const kind = profile.kinds[context.figure];
	const { conditions } = profile.block.header;

	if (kind?.samples) return kind.index;
	return Math.max(
		0,
		conditions.findIndex((condition) => condition.event === kind?.name),
	);
}

/** Of paths: samples of each and all below it, by what ran. */
export function stateColumns(context: Context): FigureColumn[] {
	const { profile, threads } = context;
	const states = statesByPath(profile, {
		threads: threads[0] ?? null,
		path: ROOT_PATH,
		condition: conditionOf(context),
	});

	return [...states].map(([state, samples]) => ({
		key: `state.${state}`,
		title: visible(cut(state, 40)),
		hint: 'samples in that state, of it and all that it called',
		number: true,
		value: (path) => samples[path]!,
		cell: (path) => (samples[path]! > 0 ? exact(samples[path]!) : ''),
	}));
}

function plainColumns(context: Context, of: Figures, every: boolean): FigureColumn[] {
	const { kinds, figure } = context;
	const columns: FigureColumn[] = [];
	const shown = every
		? kinds.map((_, i) => i).sort((a, b) => Number(b === figure) - Number(a === figure) || a - b)
		: [figure];
	const whole = wholes(context);

	for (const i of shown) {
		const kind = kinds[i];

		if (!kind) continue;
		const title = figureTitle(kind);
		const lead = i === figure;
		columns.push(
			{
				key: `total.${figureName(kind)}`,
				title: `Total ${title}`,
				hint: allHint,
				number: true,
				value: (row) => of.total(i, row).value,
				cell: (row) => [
					of.calls(row)?.atLeast ? atLeast() : null,
					lead ? withShare(of.total(i, row), kind.unit, whole[0]!) : figureCell(of.total(i, row), kind.unit),
				],
			},
			{
				key: `self.${figureName(kind)}`,
				title: `Self ${title}`,
				hint: lessHint,
				number: true,
				value: (row) => of.self(i, row).value,
				cell: (row) =>
					lead ? withShare(of.self(i, row), kind.unit, whole[0]!) : figureCell(of.self(i, row), kind.unit),
			},
		);
	}
	columns.push({
		key: 'calls',
		title: 'Calls',
		number: true,
		value: (row) => of.calls(row)?.calls ?? null,
		cell: (row) => callsCell(of.calls(row)),
	});
	if (every)
		for (const state of ['interpreted', 'jitted', 'native'] as const)
			columns.push({
				key: state,
				title: state[0]!.toUpperCase() + state.slice(1),
				hint: 'calls that came in while the caller\u2019s code was of that kind',
				number: true,
				value: (row) => of.calls(row)?.[state] ?? null,
				cell: (row) => enteredCell(of.calls(row)?.[state] ?? null),
			});
	return columns;
}

/** What a figure has changed by; null: it is not known of both sides. */
export function changeBy(before: Figure, after: Figure): number | null {
	return before.value === null || after.value === null ? null : after.value - before.value;
}

/** How a change looks: by its sign, its words and its colour. */
export function changeCell(before: Figure, after: Figure, unit: string): Child {
	const [from, to] = [before.value, after.value];

	if (from === null || to === null)
		return h('span', { class: 'unknown', title: 'not known of both sides' }, '\u2013');
	const change = to - from;
	/* Samples come by chance: two standard errors of their numbers. */
	const error = unit === 'samples' ? 2 * Math.sqrt(from + to) : Math.hypot(before.error, after.error);
	const within = change !== 0 && Math.abs(change) <= error;

	return h(
		'span',
		{
			class: within ? 'quiet' : change > 0 ? 'more-used' : change < 0 ? 'less-used' : null,
			title: `${exact(from)} to ${exact(to)} ${visible(unit)}${within ? ', which may be chance or error' : ''}`,
		},
		within ? '\u2248\u00a0' : null,
		signed(change, unit),
		h('span', { class: 'share' }, ` ${signedPercent(change, from)}`),
	);
}

export function changeColumns(context: Context, sides: Figures[]): FigureColumn[] {
	const kind = context.kinds[context.figure];
	const [before, after] = sides as [Figures, Figures];
	const { figure } = context;
	const columns: FigureColumn[] = [];

	if (!kind) return [];
	for (const which of ['total', 'self'] as const) {
		const title = which === 'total' ? 'Total' : 'Self';
		columns.push(
			{
				key: `${which}.before`,
				title: `${title} before`,
				number: true,
				wide: which === 'self' ? 'wider' : true,
				value: (row) => before[which](figure, row).value,
				cell: (row) => figureCell(before[which](figure, row), kind.unit),
			},
			{
				key: `${which}.after`,
				title: `${title} after`,
				number: true,
				wide: which === 'self' ? 'wider' : true,
				value: (row) => after[which](figure, row).value,
				cell: (row) => figureCell(after[which](figure, row), kind.unit),
			},
			{
				key: `${which}.change`,
				title: `${title} change`,
				number: true,
				value: (row) => {
					const change = changeBy(before[which](figure, row), after[which](figure, row));

					return change === null ? null : Math.abs(change);
				},
				cell: (row) => changeCell(before[which](figure, row), after[which](figure, row), kind.unit),
			},
		);
	}
	for (const [i, title] of ['before', 'after'].entries())
		columns.push({
			key: `calls.${title}`,
			title: `Calls ${title}`,
			number: true,
			wide: 'wider',
			value: (row) => sides[i]!.calls(row)?.calls ?? null,
			cell: (row) => callsCell(sides[i]!.calls(row)),
		});
	return columns;
}

export function figureColumns(context: Context, sides: Figures[], every = context.selection.all): FigureColumn[] {
	return sides.length > 1 ? changeColumns(context, sides) : plainColumns(context, sides[0]!, every);
}

/** A row as `--format json` has it, for tests. */
export function dataRow(context: Context, of: Figures, row: number): Record<string, unknown> {
	const data: Record<string, Record<string, unknown>> = {
		base: {},
		cum: {},
		samples: {},
		samples_cum: {},
		error: {},
		error_cum: {},
	};
	const calls = of.calls(row);

	context.kinds.forEach((kind, figure) => {
		const self = of.self(figure, row);
		const total = of.total(figure, row);

		data[kind.samples ? 'samples' : 'base']![kind.name] = self.value;
		data[kind.samples ? 'samples_cum' : 'cum']![kind.name] = total.value;
		if (!kind.errors) return;
		data['error']![kind.name] = self.value === null ? null : self.error;
		data['error_cum']![kind.name] = total.value === null ? null : total.error;
	});
	return {
		calls: calls?.calls ?? null,
		entered: {
			interpreted: calls?.interpreted ?? null,
			jitted: calls?.jitted ?? null,
			native: calls?.native ?? null,
		},
		...data,
	};
}

export function methodData(context: Context, method: number): Record<string, unknown> {
	const row = context.universe.methods[method]!;

	return { class: row.class || null, method: row.name || null, signature: row.signature || null };
}

/** The column that rows are sorted by: the chosen one, if the table has it. */
export function chosenSort(context: Context, columns: { key: string }[], first: string): string {
	const { sort } = context.selection;

	return columns.some((column) => column.key === sort.replace(/^-/, '')) ? sort : first;
}
