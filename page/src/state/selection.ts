// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// selection: what is chosen, and its text in the location's hash, so that back, reload and links work. Names stand there as
// they are, methods and paths by hashes of their names (Universe.pathHash): a link holds for every profile of the program.

import { CHOICE_KINDS, type Choice, type ChoiceKind } from './choice';

export const VIEWS = [
	'overview',
	'flame',
	'tree',
	'methods',
	'callers',
	'components',
	'calls',
	'threads',
	'work',
	'traces',
	'io',
	'lines',
	'intervals',
	'numbers',
] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Selection extends Choice {
	view: ViewName;
	metric: string; // "cpu", of samples "samples.cpu"; "": the one that leads
	threads: number[]; // their indices, the same in all intervals; none: those of the program
	path: string; // a hash; "": all
	method: string;
	file: string; // row of the table file; "": all
	interval: string;
	search: string;
	sort: string; // a column, with - in front: the least first
	invert: boolean;
	fold: boolean;
	all: boolean; // every column
	colour: string;
	zoom: string; // in a tree that is turned round: methods on the way
	part: string; // of a view that has parts
	side: string; // of a difference, where a view shows one profile: "after", or "": before
	root: string; // of a served page: a node's id whose folded paths are shown
}

export const NOTHING: Selection = {
	view: 'overview',
	metric: '',
	threads: [],
	path: '',
	method: '',
	file: '',
	interval: '',
	tags: [],
	values: [],
	paths: [],
	components: [],
	search: '',
	sort: '',
	invert: false,
	fold: false,
	all: false,
	colour: '',
	zoom: '',
	part: '',
	side: '',
	root: '',
};

const isChoiceKind = (key: string): key is ChoiceKind => (CHOICE_KINDS as readonly string[]).includes(key);

/** Lists that are chosen are there once for each of their texts. */
export function toHash(selection: Selection): string {
	const parts: string[] = [];
	const put = (key: string, text: string) => parts.push(`${key}=${encodeURIComponent(text).replace(/%2C/g, ',')}`);

	for (const key of Object.keys(NOTHING) as (keyof Selection)[]) {
		const value = selection[key];

		if (isChoiceKind(key)) {
			for (const text of selection[key]) put(key, text);
			continue;
		}
		const text = Array.isArray(value) ? value.join('.') : value === true ? '1' : value === false ? '' : value;

		if (text !== '' && !(key === 'view' && text === NOTHING.view)) put(key, text);
	}
	/* No place in the document is called so: with the '/' neither browsers nor screen readers take it for one. */
	return parts.length ? `#/${parts.join('&')}` : '#';
}

/** Whatever it cannot read is left out. */
export function fromHash(hash: string): Selection {
	const selection: Selection = { ...NOTHING };

	for (const part of hash.replace(/^#\/?/, '').split('&')) {
		const [key, raw = ''] = part.split(/=(.*)/s) as [keyof Selection, string?];
		let value: string;

		try {
			value = decodeURIComponent(raw);
		} catch {
			continue;
		}
		if (!Object.hasOwn(NOTHING, key)) continue;
		if (key === 'view') {
			if ((VIEWS as readonly string[]).includes(value)) selection.view = value as ViewName;
		} else if (key === 'threads') {
			selection.threads = value
				.split('.')
				.map(Number)
				.filter((index) => Number.isInteger(index) && index >= 0);
		} else if (isChoiceKind(key)) {
			selection[key] = [...selection[key], value];
		} else if (key === 'invert' || key === 'fold' || key === 'all') {
			selection[key] = value === '1';
		} else {
			selection[key] = value;
		}
	}
	return selection;
}
