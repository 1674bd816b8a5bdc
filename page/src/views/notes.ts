// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// notes: what has to be said beside figures.

import type { Context } from '../app';
import type { Block } from '../data/block';
import { h } from '../ui/dom';
import { exact } from '../ui/format';

/** Reports that cannot tell apart what is chosen; null: they can, or all is chosen. */
export function ofAllNote(block: Block, ...views: string[]): HTMLElement | null {
	if (!views.some((view) => block.ofAll.has(view) && block.report(view).length > 0)) return null;
	return h(
		'p',
		{ class: 'note ofall' },
		'Of all that was recorded: what is chosen by tags, values, methods and components is not told apart here.',
	);
}

/** Of views of calls, where a file is chosen. */
export function fileNote(context: Context): HTMLElement | null {
	if (!context.files[0]) return null;
	return h(
		'p',
		{ class: 'note' },
		'Only what did I/O with the chosen file, or led to it; figures are of all that it did.',
	);
}

/** What was folded for the page; null: nothing was. */
export function foldedNote(context: Context): HTMLElement | null {
	const folded = context.profiles
		.map((profile) => profile.block.header.folded)
		.find((one) => one !== null && one !== undefined);

	if (!folded) return null;
	const limit = `${(100 * folded.limit).toLocaleString('en', { maximumSignificantDigits: 2 })} %`;

	return h(
		'p',
		{ class: 'note' },
		`${exact(folded.paths)} call paths of which no figure is as much as ${limit} of the whole are folded into rows \u201c(small)\u201d. Sums are exact with them. ${context.app.canUnfold ? 'Zoom into such a row to see them.' : 'jprof open shows them.'}`,
	);
}
