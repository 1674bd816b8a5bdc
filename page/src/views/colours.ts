// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// colours: of the flame graph's frames: by package, by kind of code, by the state that most samples were in, by change. Hues are told
// apart by people who do not see red and green alike; each has a legend in words.

import type { Context } from '../app';
import { statesByPath } from '../model/places';
import type { CallTree } from '../model/tree';
import type { Figure } from '../model/figures';
import { changeBy, conditionOf } from './columns';
import { hashText, KINDS, METHOD_SMALL, ROOT_PATH } from '../model/universe';

export interface Colouring {
	/** Hue, and how much of it: 0 is grey. */
	of(node: number): { hue: number; strength: number };
	legend: { label: string; hue: number; strength: number }[];
}

const GREY = { hue: 220, strength: 0 };
const KIND_HUES: Record<string, number> = {
	java: 205,
	native: 45,
	jvm: 285,
	kernel: 20,
	stub: 170,
	class: 330,
	mark: 100,
};
const STATE_HUES = new Map(
	Object.entries({
		interpreted: 20,
		c1: 170,
		'c1-inlined': 150,
		c2: 205,
		'c2-inlined': 225,
		stub: 260,
		native: 45,
		jvm: 285,
		kernel: 0,
		gc: 330,
		jit: 310,
		waiting: 100,
		unknown: 60,
		jitted: 205,
	}),
);

function packageOf(context: Context, method: number): string {
	const row = context.universe.methods[method]!;

	if (row.kind !== 0) return row.class || KINDS[row.kind] || '';
	const parts = row.class.split('.').slice(0, -1);
	return parts.slice(0, 3).join('.') || '(no package)';
}

/* Eight hues far apart; a package has its hue in every profile. */
const PACKAGE_HUES = [205, 45, 285, 165, 20, 240, 330, 95];
const packageHue = (name: string): number => PACKAGE_HUES[hashText(name) % PACKAGE_HUES.length]!;

function byPackage(context: Context, tree: CallTree, nodes: number[]): Colouring {
	const weight = new Map<string, number>();
	const side = tree.sides[tree.sides.length - 1]!;

	for (const node of nodes) {
		if (node === tree.root) continue;
		const name = packageOf(context, tree.method(node));

		weight.set(name, (weight.get(name) ?? 0) + Math.max(0, side.totalValue(context.figure, node)));
	}
	return {
		of: (node) =>
			node === tree.root || tree.method(node) === METHOD_SMALL
				? GREY
				: { hue: packageHue(packageOf(context, tree.method(node))), strength: 1 },
		legend: [...weight]
			.sort((a, b) => b[1] - a[1])
			.slice(0, 8)
			.map(([label]) => ({ label, hue: packageHue(label), strength: 1 })),
	};
}

function byKind(context: Context, tree: CallTree): Colouring {
	const kindOf = (node: number) => KINDS[context.universe.methods[tree.method(node)]!.kind] ?? 'mark';
	const used = new Set<string>();

	context.universe.methods.forEach((method, id) => id > METHOD_SMALL && used.add(KINDS[method.kind] ?? 'mark'));
	return {
		of: (node) =>
			node === tree.root || tree.method(node) === METHOD_SMALL
				? GREY
				: { hue: KIND_HUES[kindOf(node)]!, strength: 1 },
		legend: [...used].map((label) => ({ label, hue: KIND_HUES[label]!, strength: 1 })),
	};
}

/** By the state that most samples of the path and all below it were in; without samples by how most calls came in. */
function byState(context: Context, tree: CallTree): Colouring {
	/* Of a difference the states of the side that the widths are of. */
	const side = tree.sides.length > 1 && context.selection.part !== 'before' ? 1 : 0;
	const profile = context.profiles[side]!;
	const condition = conditionOf(context, profile);
	const states = profile.block.table('place').rows
		? statesByPath(profile, { threads: context.threads[side] ?? null, path: ROOT_PATH, condition })
		: new Map<string, Float64Array>();
	const used = new Set<string>();
	const stateOf = (node: number): string | null => {
		let best: string | null = null;
		let most = 0;
		const path = tree.path(node);

		if (path < 0) return null;
		for (const [state, column] of states)
			if (column[path]! > most) {
				most = column[path]!;
				best = state;
			}
		if (best === null && states.size === 0) {
			const calls = tree.sides[side]!.calls(node);

			for (const state of ['interpreted', 'jitted', 'native'] as const)
				if ((calls?.[state] ?? 0) > most) {
					most = calls![state]!;
					best = state;
				}
		}
		if (best) used.add(best);
		return best;
	};

	for (const state of states.keys()) used.add(state);
	if (states.size === 0) ['interpreted', 'jitted', 'native'].forEach((state) => used.add(state));
	return {
		of: (node) => {
			const state = stateOf(node);

			return state === null ? GREY : { hue: STATE_HUES.get(state) ?? 60, strength: 1 };
		},
		legend: [...used].map((label) => ({ label, hue: STATE_HUES.get(label) ?? 60, strength: 1 })),
	};
}

/* A change that is none, as a share. */
export const NOTHING = 0.005;
export const MORE_HUE = 28;
export const LESS_HUE = 212;

/** How a frame has changed: from -1 (gone) to 1 (new). */
export function changeOf(context: Context, tree: CallTree, node: number): number {
	const [before, after] = tree.sides.map((side) => side.total(context.figure, node)) as [Figure, Figure];
	const most = Math.max(before.value ?? 0, after.value ?? 0);

	/* What is not known of both sides is grey. */
	return most > 0 ? (changeBy(before, after) ?? 0) / most : 0;
}

function byChange(context: Context, tree: CallTree): Colouring {
	return {
		of: (node) => {
			const change = changeOf(context, tree, node);

			return {
				hue: change > 0 ? MORE_HUE : LESS_HUE,
				strength: Math.abs(change) < NOTHING ? 0 : Math.min(1, 0.25 + Math.abs(change) * 1.5),
			};
		},
		legend: [
			{ label: '\u2212 less than before', hue: LESS_HUE, strength: 1 },
			{ label: 'no change', hue: 0, strength: 0 },
			{ label: '+ more than before', hue: MORE_HUE, strength: 1 },
		],
	};
}

export const COLOURINGS = [
	{ value: 'package', label: 'package' },
	{ value: 'kind', label: 'kind of code' },
	{ value: 'state', label: 'state' },
];

export function colouring(context: Context, tree: CallTree, nodes: number[]): Colouring {
	if (tree.sides.length > 1 && (context.selection.colour === '' || context.selection.colour === 'change'))
		return byChange(context, tree);
	if (context.selection.colour === 'kind') return byKind(context, tree);
	if (context.selection.colour === 'state') return byState(context, tree);
	return byPackage(context, tree, nodes);
}

/** In light and dark: text upon it has a contrast of at least 4.5. */
export function fill(colour: { hue: number; strength: number }, dark: boolean, dimmed: boolean): string {
	const saturation = Math.round((dark ? 38 : 62) * colour.strength * (dimmed ? 0.25 : 1));
	const lightness = dark ? (dimmed ? 20 : 30) : dimmed ? 94 : 82;

	return `hsl(${colour.hue} ${saturation}% ${lightness}%)`;
}
