// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// notes: what has to be said beside figures.

import type { Context } from '../app';
import { h } from '../ui/dom';
import { exact } from '../ui/format';

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
