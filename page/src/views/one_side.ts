// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// one_side: of a difference, for views that show one profile at a time: which of the two.

import type { Context } from '../app';
import { sameFiles, type IoFile } from '../model/io';
import { select } from '../ui/controls';
import type { Child } from '../ui/dom';

/** The context of the chosen side alone, and the field that chooses it; null: there is but one. */
export function oneSide(context: Context): { context: Context; field: Child; isSecond: boolean } {
	const side = context.profiles.length > 1 && context.selection.side === 'after' ? 1 : 0;

	if (context.profiles.length < 2) return { context, field: null, isSecond: false };
	return {
		context: {
			...context,
			profile: context.profiles[side]!,
			profiles: [context.profiles[side]!],
			sums: [context.sums[side]!],
			threads: [context.threads[side] ?? null],
			files: [context.files[side] ?? null],
			kinds: context.profiles[side]!.kinds,
		},
		field: select(
			'side',
			'Profile of',
			side === 1 ? 'after' : '',
			[
				{ value: '', label: 'before' },
				{ value: 'after', label: 'after' },
			],
			(value) => context.choose({ side: value }, 'replace'),
		),
		isSecond: side === 1,
	};
}

/** What chooses a file of the side that is shown: its row on the first side; null: the file is not there. */
export function fileChoice(context: Context, file: IoFile | undefined): string | null {
	if (context.profile === context.first) return file ? String(file.row) : null;
	const row = sameFiles(file, context.first)[0];

	return row === undefined ? null : String(row);
}
