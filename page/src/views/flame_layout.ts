// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// flame_layout: where the frames of a flame graph are: the root at the top, each as wide as its total, the largest callee first. Frames
// narrower than half a pixel, and all below them, are left out; where they come to a pixel that is said.

import type { Context } from '../app';
import { sortedChildren } from '../model/tree';
import type { ChosenTree } from './tree_choice';

export const NARROW = 0.5; /* pixels */
export const DEEPEST = 500; /* calls */

export interface Frame {
	node: number;
	parent: number; // index of its frame, or -1
	x: number; // shares of the width
	width: number;
	depth: number;
}

/** Frames below the same one that are too narrow to be drawn, together. */
export interface Rest {
	x: number;
	width: number;
	depth: number;
	count: number;
}

export interface Layout {
	frames: Frame[];
	rests: Rest[];
	deeper: boolean;
}

/** Parents before their children, and those from left to right. */
export function layOut(context: Context, chosen: ChosenTree, side: number, pixels: number): Layout {
	const { tree, top } = chosen;
	const { figure } = context;
	const of = tree.sides[side]!;
	const whole = of.totalValue(figure, top);
	const frames: Frame[] = [{ node: top, parent: -1, x: 0, width: 1, depth: 0 }];
	const rests: Rest[] = [];
	let deeper = false;

	for (let i = 0; i < frames.length && whole > 0; i++) {
		const frame = frames[i]!;
		let x = frame.x;

		if (frame.width * pixels < 2 * NARROW) continue;
		if (frame.depth + 1 >= DEEPEST) {
			deeper = true;
			continue;
		}
		const rest: Rest = { x: 0, width: 0, depth: frame.depth + 1, count: 0 };
		for (const child of sortedChildren(tree, frame.node, figure, side)) {
			const width = Math.max(0, of.totalValue(figure, child) / whole);

			if (width * pixels >= NARROW) {
				frames.push({ node: child, parent: i, x, width, depth: frame.depth + 1 });
				x += width;
			} else if (width > 0) {
				rest.width += width;
				rest.count++;
			}
		}
		if (rest.width * pixels >= 1) rests.push({ ...rest, x });
	}
	return { frames, rests, deeper };
}
