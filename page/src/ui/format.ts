// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// format: numbers for people, three digits that count, always the same words for the same units; the exact number is the
// title of each.

import type { Figure } from '../model/figures';
import { h } from './dom';
import { visible } from './names';

const STEPS = new Map<string, [number, string][]>([
	[
		'ns',
		[
			[1e9, 's'],
			[1e6, 'ms'],
			[1e3, '\u00b5s'],
			[1, 'ns'],
		],
	],
	[
		'bytes',
		[
			[1e12, 'TB'],
			[1e9, 'GB'],
			[1e6, 'MB'],
			[1e3, 'kB'],
			[1, 'B'],
		],
	],
]);

const COUNT_STEPS: [number, string][] = [
	[1e12, 'T'],
	[1e9, 'G'],
	[1e6, 'M'],
	[1e3, 'k'],
	[1, ''],
];

export const exact = (value: number): string => Math.round(value).toLocaleString('en');

function stepOf(value: number, unit: string): [number, string] {
	const steps = STEPS.get(unit) ?? COUNT_STEPS;

	/* 999.5 ms is 1.00 s. */
	return steps.find(([scale]) => Math.abs(value) >= scale * 0.9995) ?? steps[steps.length - 1]!;
}

function digits(value: number, scale: number): string {
	const scaled = value / scale;
	const size = Math.abs(scaled);
	const decimals = scale === 1 || size >= 100 ? 0 : size >= 10 ? 1 : 2;

	return scaled.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** "4.64 s", "2.33 GB"; numbers of things below a million stand in full. */
export function quantity(value: number, unit: string): string {
	if (value === 0) return '0';
	if (!STEPS.has(unit) && Math.abs(value) < 1e6) return exact(value);
	const [scale, word] = stepOf(value, unit);

	return `${digits(value, scale)}${word ? '\u00a0' + word : ''}`;
}

/** A number with a sign, as a change has. */
export function signed(value: number, unit: string): string {
	return value === 0 ? '0' : `${value > 0 ? '+' : '\u2212'}${quantity(Math.abs(value), unit)}`;
}

export function percent(part: number, whole: number): string {
	if (!(whole > 0)) return '';
	const share = (100 * part) / whole;

	if (share !== 0 && Math.abs(share) < 0.05) return '<0.1\u00a0%';
	return `${share.toFixed(1)}\u00a0%`;
}

export function signedPercent(change: number, before: number): string {
	if (change === 0) return '';
	if (before === 0) return 'new';
	const share = (100 * change) / before;

	return `${share > 0 ? '+' : share < 0 ? '\u2212' : ''}${Math.abs(share).toFixed(Math.abs(share) < 9.95 ? 1 : 0)}\u00a0%`;
}

/** As reports have it: divided by samples, or uncertain by a quarter or more. */
const isVague = (figure: Figure): boolean =>
	figure.divided || (figure.error > 0 && figure.error * 4 >= Math.abs(figure.value ?? 0));

export function figureText(figure: Figure, unit: string): string {
	if (figure.value === null)
		return figure.estimate ? `about ${quantity(figure.estimate, unit)} by samples` : 'not known';
	const text = (isVague(figure) ? '~' : '') + quantity(figure.value, unit);

	return figure.error > 0 ? `${text} \u00b1${quantity(figure.error, unit)}` : text;
}

/** The number, and how far off it may be, for a cell of a table. */
export function figureCell(figure: Figure, unit: string): HTMLElement {
	if (figure.estimate)
		return h(
			'span',
			{
				class: 'quiet',
				title: `about ${exact(figure.estimate)} ${visible(unit)} by samples: a part of what is measured above it, in no sum`,
			},
			`\u2248\u00a0${quantity(figure.estimate, unit)}`,
		);
	if (figure.value === null)
		return h('span', { class: 'unknown', title: 'not measured: samples alone have found it' }, '\u2013');
	const parts = [h('span', { class: 'figure' }, (isVague(figure) ? '~' : '') + quantity(figure.value, unit))];

	if (figure.error > 0) parts.push(h('span', { class: 'error' }, ` \u00b1${quantity(figure.error, unit)}`));
	const exactly = `${exact(figure.value)} ${visible(unit)}${figure.error > 0 ? ` \u00b1 ${exact(figure.error)}` : ''}`;

	return h('span', { title: exactly + (figure.divided ? ', divided by samples' : '') }, parts);
}

/** Moments since the recording's begin. */
export function moment(ns: number): string {
	return ns < 1e9 ? quantity(ns, 'ns') : `${(ns / 1e9).toLocaleString('en', { maximumFractionDigits: 3 })}\u00a0s`;
}
