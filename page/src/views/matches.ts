// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// matches: nodes of a tree that a regular expression finds, and their share of the whole: what they and all below them used,
// each part once.

import type { Context } from '../app';
import { ROOT_PATH } from '../model/universe';
import { percent } from '../ui/format';
import { methodText } from '../ui/names';
import { searchOf } from '../ui/controls';
import type { ChosenTree } from './tree_choice';

export interface Matches {
	given: boolean;
	method: Uint8Array; // by method
	text: string; // how much it is
}

export function findMatches(context: Context, chosen: ChosenTree): Matches {
	const search = searchOf(context.selection.search);
	const { universe, figure } = context;
	const method = new Uint8Array(universe.methods.length);

	if (!search.given) return { given: false, method, text: '' };
	let methods = 0;
	universe.methods.forEach((row, id) => {
		if (id > 0 && search.matches(methodText(row, id))) {
			method[id] = 1;
			methods++;
		}
	});
	const side = context.sums.length - 1;
	const sums = context.sums[side]!;
	const cum = sums.figure(figure).cum.value;
	const { parent, methodOf } = universe;
	const found = new Uint8Array(sums.size);
	const inside = context.path === ROOT_PATH ? null : sums.below(context.path);
	let matched = 0;
	let paths = 0;

	for (let path = 1; path < sums.size; path++) {
		if (inside && !inside[path]) continue;
		if (found[parent[path]!]) found[path] = 1;
		else if (method[methodOf[path]!]) {
			found[path] = 1;
			matched += cum[path]!;
		}
		if (method[methodOf[path]!] && sums.has(path)) paths++;
	}
	const whole = cum[context.path]!;
	const share = chosen.tree.sides.length > 0 && whole > 0 ? `, ${percent(matched, whole)} of what is shown` : '';
	return {
		given: true,
		method,
		text: `${methods.toLocaleString('en')} methods, ${paths.toLocaleString('en')} paths${share}`,
	};
}
