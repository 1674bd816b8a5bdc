// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// places: samples by state (what ran) and by line of the source. The state `jprof` (it counted a call) is none of the
// program: it is left out.

import { flatMethods, type Profile } from './profile';
import { METHOD_ROOT, METHOD_SMALL, ROOT_PATH } from './universe';

export interface PlaceChoice {
	threads: number[] | null;
	path: number; // on this path and below; ROOT_PATH: all
	condition: number;
}

interface Place {
	path: number; // -1: on a folded path
	method: number;
	state: string;
	line: number;
	samples: number;
	ofState: number; // the methods that the views states and lines have it in; METHOD_ROOT: none
	ofLine: number;
}

function* places(profile: Profile, choice: PlaceChoice, flat: boolean): Generator<Place> {
	const { block, universe, placement, nodeThreads, flatThreads } = profile;
	const table = block.table('place');
	const [where, condition, state] = [table.get('where'), table.get('condition'), table.get('state')];
	const [line, samples] = [table.get('line'), table.get('samples')];
	const [ofState, ofLine] = [table.get('of_state'), table.get('of_line')];
	const nodes = placement.path.length;
	const methods = flatMethods(profile);
	const mask = profile.threadMask(choice.threads);
	const inside = choice.path === ROOT_PATH ? null : profile.pathSums(choice.threads).below(choice.path);

	for (let row = 0; row < table.rows; row++) {
		const at = where[row]!;
		const isFlat = at >= nodes;
		const name = block.header.states?.[state[row]!] ?? String(state[row]);

		if (condition[row] !== choice.condition || name === 'jprof') continue;
		if (!mask[isFlat ? flatThreads[at - nodes]! : nodeThreads[at]!]) continue;
		const path = isFlat ? -1 : placement.path[at]!;
		const method = isFlat ? methods[at - nodes]! : universe.methodOf[path]!;

		/* What is on folded paths is at the small node, and once more in `flat`: one of the two. */
		if (isFlat ? !flat : flat && method === METHOD_SMALL) continue;
		if (!isFlat && inside && !inside[path]) continue;
		yield {
			path,
			method,
			state: name,
			line: line[row]!,
			samples: samples[row]!,
			ofState: placement.method[ofState[row]!]!,
			ofLine: placement.method[ofLine[row]!]!,
		};
	}
}

/** Samples by state. */
export function byState(profile: Profile, choice: PlaceChoice): Map<string, number> {
	const sums = new Map<string, number>();

	for (const place of places(profile, choice, false))
		sums.set(place.state, (sums.get(place.state) ?? 0) + place.samples);
	return sums;
}

/** By path the samples of each state, of it and all below it, as columns. */
export function statesByPath(profile: Profile, choice: PlaceChoice): Map<string, Float64Array> {
	const { parent, pathCount } = profile.universe;
	const columns = new Map<string, Float64Array>();

	for (const place of places(profile, choice, false)) {
		let column = columns.get(place.state);

		if (!column) columns.set(place.state, (column = new Float64Array(pathCount)));
		column[place.path]! += place.samples;
	}
	for (const column of columns.values())
		for (let path = pathCount - 1; path > 0; path--) column[parent[path]!]! += column[path]!;
	return columns;
}

export interface LineRow {
	method: number; // METHOD_ROOT: no Java method was on the stack
	line: number; // 0: not known
	samples: number;
}

/** By line: of the innermost Java method with lines, which ran itself, or had called what ran. */
export function byLine(profile: Profile, choice: PlaceChoice, method = -1): LineRow[] {
	const rows = new Map<string, LineRow>();

	for (const { ofLine, line, samples } of places(profile, choice, choice.path === ROOT_PATH)) {
		if (method >= 0 && ofLine !== method) continue;
		const known = ofLine === METHOD_ROOT ? 0 : line;
		const key = `${ofLine} ${known}`;
		const row = rows.get(key);
		if (row) row.samples += samples;
		else rows.set(key, { method: ofLine, line: known, samples });
	}
	return [...rows.values()].sort((a, b) => b.samples - a.samples || a.method - b.method || a.line - b.line);
}

/** By Java method how it ran when it was sampled: itself, or what it had called that is not Java. */
export function statesByMethod(profile: Profile, choice: PlaceChoice): Map<number, Map<string, number>> {
	const rows = new Map<number, Map<string, number>>();

	for (const { ofState, state, samples } of places(profile, choice, choice.path === ROOT_PATH)) {
		let row = rows.get(ofState);

		if (!row) rows.set(ofState, (row = new Map()));
		row.set(state, (row.get(state) ?? 0) + samples);
	}
	return rows;
}
