// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// tree_choice: the tree that is chosen, for the flame graph and the call tree: from which path on, turned round or not, recursion
// folded or not; and the way back out of it.

import type { Context } from '../app';
import { CallersTree, FoldedTree, PathTree, type CallTree } from '../model/tree';
import { METHOD_SMALL, ROOT_PATH } from '../model/universe';
import { h, type Child } from '../ui/dom';
import { methodText, shortMethod, visible, cut } from '../ui/names';

export interface ChosenTree {
	tree: CallTree;
	top: number; /* the node that fills the width */
	/** What choosing a node means. */
	zoomTo(node: number): void;
	zoomOut(): boolean;
}

function treeOf(context: Context): CallTree {
	const { selection, sums, path, method } = context;

	if (selection.invert) return new CallersTree(sums, method >= 0 ? method : null, path);
	return selection.fold ? new FoldedTree(sums, path) : new PathTree(sums, path);
}

/** In a tree that is turned round: the node that the steps lead to. */
function follow(context: Context, tree: CallTree): number {
	let node = tree.root;

	for (const step of context.selection.zoom.split('.').filter(Boolean)) {
		const next = tree.children(node).find((child) => context.universe.methodHash(tree.method(child)) === step);

		if (next === undefined) break;
		node = next;
	}
	return node;
}

function stepsTo(context: Context, tree: CallTree, node: number): string {
	const steps: string[] = [];

	for (let at = node; at !== tree.root; at = tree.parent(at)) steps.push(context.universe.methodHash(tree.method(at)));
	return steps.reverse().join('.');
}

export function chooseTree(context: Context): ChosenTree {
	const tree = treeOf(context);
	const { universe, choose } = context;
	const top = context.selection.invert ? follow(context, tree) : tree.root;

	return {
		tree,
		top,
		zoomTo: (node) => {
			if (context.selection.invert) choose({ zoom: stepsTo(context, tree, node) });
			else if (node !== tree.root) choose({ path: universe.pathHash(tree.path(node)) });
		},
		zoomOut: () => {
			if (context.selection.invert) {
				if (top === tree.root) return false;
				choose({ zoom: stepsTo(context, tree, tree.parent(top)) });
				return true;
			}
			if (context.path === ROOT_PATH) return false;
			const parent = universe.parent[context.path]!;
			choose({ path: parent === ROOT_PATH ? '' : universe.pathHash(parent) });
			return true;
		},
	};
}

/** What stands for a node in words. */
export function nodeText(context: Context, tree: CallTree, node: number): string {
	const method = tree.method(node);

	if (method === METHOD_SMALL) return `(small: ${tree.smallPaths(node).toLocaleString('en')} paths)`;
	if (node === tree.root && method === 0) return context.selection.invert ? 'all methods' : rootText(context);
	return methodText(context.universe.methods[method]!, method);
}

export function rootText(context: Context): string {
	const chosen = context.threads[0]!;

	if (chosen.length === 1) return `thread ${context.profile.threads[chosen[0]!]!.name}`;
	return chosen.length === 0 ? 'all threads of the program' : `${chosen.length} threads`;
}

/** Links to what is around the node that fills the width. */
export function breadcrumb(context: Context, chosen: ChosenTree): HTMLElement {
	const { universe } = context;
	const { tree, top } = chosen;
	const items: Child[] = [];

	const step = (text: string, href: string | null) =>
		h('li', {}, href === null ? h('span', { 'aria-current': 'true' }, h('bdi', {}, visible(cut(text, 60)))) : h('a', { href }, h('bdi', {}, visible(cut(text, 60)))));
	if (context.selection.invert) {
		const nodes: number[] = [];

		for (let at = top; at >= 0; at = tree.parent(at)) nodes.push(at);
		for (const node of nodes.reverse()) {
			const method = tree.method(node);
			const text = node === tree.root && method === 0 ? 'all methods' : shortMethod(universe.methods[method]!, method);

			items.push(step(text, node === top ? null : context.link({ zoom: stepsTo(context, tree, node) })));
		}
	} else {
		const steps = universe.steps(context.path);

		items.push(step(rootText(context), steps.length ? context.link({ path: '' }) : null));
		/* Of a long way the ends. */
		steps.forEach((path, i) => {
			const method = universe.methodOf[path]!;
			const near = i < 2 || i >= steps.length - 4;

			if (i === 2 && steps.length > 6) items.push(h('li', {}, `\u2026 ${steps.length - 6} more \u2026`));
			if (near || steps.length <= 6)
				items.push(
					step(
						shortMethod(universe.methods[method]!, method),
						path === context.path ? null : context.link({ path: universe.pathHash(path) }),
					),
				);
		});
	}
	return h('nav', { class: 'crumbs', 'aria-label': 'Way from the root' }, h('ol', {}, items));
}
