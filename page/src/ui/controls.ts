// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// controls: what stands above a view: a field for a regular expression, switches.

import type { Context } from '../app';
import type { Selection } from '../state/selection';
import { h, type Child } from './dom';

export function toolbar(...children: Child[]): HTMLElement {
	return h('div', { class: 'toolbar' }, children);
}

export interface Search {
	given: boolean;
	wrong: string | null; // why the expression cannot be read; then it matches nothing
	matches(text: string): boolean;
}

/** Small letters alone match capitals, too. */
export function searchOf(text: string): Search {
	if (text === '') return { given: false, wrong: null, matches: () => true };
	try {
		const expression = new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu');

		return { given: true, wrong: null, matches: (candidate) => expression.test(candidate) };
	} catch (error) {
		return { given: true, wrong: (error as Error).message.replace(/^.*: /, ''), matches: () => false };
	}
}

export function searchField(context: Context, label: string, result: Child): HTMLElement {
	const { search, view } = context.selection;
	const { wrong } = searchOf(search);
	let waiting = 0;

	return h(
		'form',
		{ class: 'search', role: 'search', onsubmit: (event: Event) => event.preventDefault() },
		h('label', { for: 'search' }, label),
		h('input', {
			id: 'search',
			type: 'search',
			value: search,
			placeholder: 'regular expression',
			autocomplete: 'off',
			spellcheck: 'false',
			'aria-invalid': wrong ? 'true' : null,
			'aria-describedby': 'search-result',
			oninput: (event: Event) => {
				const { value } = event.target as HTMLInputElement;

				/* What is typed in one go is one search. */
				clearTimeout(waiting);
				waiting = window.setTimeout(() => {
					/* The view may have been left meanwhile. */
					if (context.app.selection.view === view) context.choose({ search: value }, 'replace');
				}, 120);
			},
		}),
		h(
			'output',
			{ id: 'search-result', for: 'search', class: wrong ? 'wrong' : null },
			wrong ? `not a regular expression: ${wrong}` : result,
		),
	);
}

export function toggle(context: Context, key: 'invert' | 'fold' | 'all', label: string, hint?: string): HTMLElement {
	return h(
		'label',
		{ class: 'toggle', title: hint },
		h('input', {
			id: `toggle-${key}`,
			type: 'checkbox',
			checked: context.selection[key],
			onchange: (event: Event) =>
				context.choose({ [key]: (event.target as HTMLInputElement).checked, zoom: '' } as Partial<Selection>),
		}),
		label,
	);
}

export function select(
	id: string,
	label: string,
	value: string,
	options: { value: string; label: string }[],
	choose: (value: string) => void,
): HTMLElement {
	return h(
		'label',
		{ class: 'select' },
		h('span', {}, label),
		h(
			'select',
			{ id, onchange: (event: Event) => choose((event.target as HTMLSelectElement).value) },
			options.map((option) =>
				h('option', { value: option.value, selected: option.value === value }, option.label),
			),
		),
	);
}
