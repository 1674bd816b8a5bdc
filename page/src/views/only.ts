// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// only: a row's button that has all views show what the row is of alone; and what is chosen so, each with a button that takes it away.

import type { App, Context } from '../app';
import type { ReportRow } from '../data/block';
import { CHOICE_KINDS, CHOICE_WORDS, choiceOptions, type ChoiceKind } from '../state/choice';
import type { Selection } from '../state/selection';
import { h, type Child } from '../ui/dom';
import { cut, name, visible } from '../ui/names';
import type { Column } from '../ui/table';

/** A button; null: this is all that is chosen, or there is no data of it. */
function onlyButton(change: Partial<Selection> | null, chosen: boolean, of: string, context: Context): Child {
	if (chosen) return h('span', { class: 'quiet only' }, 'chosen');
	if (!change) return null;
	return h(
		'button',
		{
			type: 'button',
			class: 'only',
			'aria-label': `only this: ${visible(cut(of, 100))}`,
			onclick: () => context.choose({ ...change, zoom: '', root: '' }),
		},
		'only this',
	);
}

/** For a tag, a value, a component: as options have them. */
export function onlyThis(context: Context, kind: ChoiceKind, text: string): Child {
	return onlyButton(context.app.only(kind, text), context.selection[kind].includes(text), text, context);
}

/** For what is chosen of any block: a thread, a file. */
export function onlyRow(context: Context, change: Partial<Selection>, chosen: boolean, of: string): Child {
	return onlyButton(change, chosen, of, context);
}

/** What a row of the views of tags and values is chosen by; null: by nothing. */
export function labelOf(row: ReportRow, key: 'key' | 'parameter'): string | null {
	const kind = String(row['kind']);

	if (kind === 'not known' || kind === 'values') return null;
	return `${String(row[key])}=${kind === 'value' ? String(row['value']) : `(${kind})`}`;
}

/** A column of buttons. */
export function onlyColumn<Row>(cell: (row: Row) => Child): Column<Row> {
	return { key: 'only', title: 'Alone', hint: 'all views, of what the row is of alone', cell };
}

/** Where rows lack buttons. */
export function onlyNote(context: Context, kind: ChoiceKind): Child {
	const { word, option } = CHOICE_WORDS[kind];

	if (context.app.canUnfold || context.app.isDifference) return null;
	return h(
		'p',
		{ class: 'note' },
		`Rows without \u201conly this\u201d are not in this file by themselves: `,
		h('code', {}, `jprof open FILE ${option} ...`),
		` has every ${word}, and any of them together.`,
	);
}

const without = (selection: Selection, kind: ChoiceKind, text: string): Partial<Selection> => ({
	[kind]: selection[kind].filter((other) => other !== text),
	zoom: '',
	root: '',
});

/** A removable chip; without a change it stays. */
export function chip(app: App, what: string, text: Child, change: Partial<Selection> | null): HTMLElement {
	return h(
		'li',
		{ class: 'chip' },
		h('span', { class: 'quiet' }, what),
		' ',
		text,
		change
			? h(
					'button',
					{ type: 'button', 'aria-label': `take away: ${what}`, onclick: () => app.choose(change) },
					'\u00d7',
				)
			: null,
	);
}

export function choiceChips(app: App): HTMLElement[] {
	const { selection } = app;

	return CHOICE_KINDS.flatMap((kind) =>
		selection[kind].map((text) =>
			chip(app, CHOICE_WORDS[kind].word, name(cut(text, 80)), without(selection, kind, text)),
		),
	);
}

/** What has the data that a file lacks. */
export function whereItIs(app: App): Child {
	return h(
		'p',
		{},
		'A page that is a file has some tags, values and components by themselves, of its first interval. ',
		h('code', {}, name(`jprof open FILE ${choiceOptions(app.selection)}`, 500)),
		' shows any, together, and ',
		h('code', {}, 'jprof html'),
		' with the same options makes a page of it.',
	);
}
