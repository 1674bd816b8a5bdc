// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// tree_choice: the tree that is chosen, for the flame graph and the call tree: from which path on, turned round or not, recursion
// folded or not; and the way back out of it.

import type { Context } from '../app';
import { IoSums } from '../model/io';
import type { PathSums } from '../model/profile';
import { CallersTree, FoldedTree, PathTree, type CallTree } from '../model/tree';
import { METHOD_SMALL, ROOT_PATH } from '../model/universe';
import { h, type Child } from '../ui/dom';
import { methodText, shortMethod, visible, cut } from '../ui/names';

export interface ChosenTree {
	tree: CallTree;
	top: number; // the node that fills the width
	/** What choosing a node means. */
	zoomTo(node: number): void;
	zoomOut(): boolean;
}

/** By path, of all sides: it did I/O with the chosen file, or leads to what did; null: none is chosen. */
export function leadingPaths(context: Context): Uint8Array | null {
	const leads = new Uint8Array(context.universe.pathCount);

	if (!context.files[0]) return null;
	context.profiles.forEach((profile, side) =>
		new IoSums(profile)
			.leading({
				threads: context.threads[side] ?? null,
				path: context.path,
				method: -1,
				files: context.files[side] ?? null,
			})
			.forEach((led, path) => led && (leads[path] = 1)),
	);
	return leads;
}

/** The last tree that took work to make is kept: most choices leave it as it is. */
function treeOf(context: Context): CallTree {
	const { app, selection, sums, path, universe } = context;
	const method = context.method >= 0 ? context.method : null;
	const leads = leadingPaths(context);

	if (!selection.invert && !selection.fold) return new PathTree(sums, path, leads);
	const kept = app.memory.get('tree made') as { key: string; sums: PathSums; tree: CallTree } | undefined;
	const key = [
		selection.invert ? `callers of ${method}` : 'folded',
		path,
		universe.pathCount,
		selection.interval,
		selection.threads,
		selection.file,
	].join(' ');
	/* Sums made anew, of data read again, are others. */
	if (kept?.key === key && kept.sums === sums[0]) return kept.tree;
	const tree = selection.invert ? new CallersTree(sums, method, path, leads) : new FoldedTree(sums, path, leads);
	app.memory.set('tree made', { key, sums: sums[0], tree });
	return tree;
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

	for (let at = node; at !== tree.root; at = tree.parent(at))
		steps.push(context.universe.methodHash(tree.method(at)));
	return steps.reverse().join('.');
}

export function chooseTree(context: Context): ChosenTree {
	const tree = treeOf(context);
	const { universe, choose } = context;
	const hashOf = (path: number) => (path === ROOT_PATH ? '' : universe.pathHash(path));
	const top = context.selection.invert ? follow(context, tree) : tree.root;

	return {
		tree,
		top,
		zoomTo: (node) => {
			if (context.selection.invert) choose({ zoom: stepsTo(context, tree, node) });
			else if (tree.method(node) === METHOD_SMALL) openSmall(context, tree.path(node));
			else if (node !== tree.root) choose({ path: universe.pathHash(tree.path(node)) });
		},
		zoomOut: () => {
			if (context.selection.invert) {
				if (top === tree.root) return false;
				choose({ zoom: stepsTo(context, tree, tree.parent(top)) });
				return true;
			}
			/* Above where a block begins there is the whole again. */
			if (context.profile.isPart && context.path === context.profile.beginsAt)
				choose({ root: '', path: hashOf(context.path) });
			else if (context.path === ROOT_PATH) return false;
			else choose({ path: hashOf(universe.parent[context.path]!) });
			return true;
		},
	};
}

/** A served page can show what was folded for it: of the thread that has most of it. */
function openSmall(context: Context, path: number): void {
	const { app, sums, universe } = context;
	const caller = universe.parent[path]!;
	const node = app.canUnfold ? sums[0]!.nodeOf(caller) : null;

	if (node) context.choose({ root: String(node.id), path: caller === ROOT_PATH ? '' : universe.pathHash(caller) });
}

/** What stands for a node in words. */
export function nodeText(context: Context, tree: CallTree, node: number): string {
	const method = tree.method(node);

	if (method === METHOD_SMALL) return `(small: ${tree.smallPaths(node).toLocaleString('en')} paths)`;
	if (node === tree.root && method === 0) return context.selection.invert ? 'all methods' : rootText(context);
	return methodText(context.universe.methods[method]!, method);
}

export function rootText(context: Context): string {
	const chosen = context.threads[0];

	if (!chosen) return 'all threads of the program';
	if (chosen.length === 1) return `thread ${context.profile.threads[chosen[0]!]!.name}`;
	return chosen.length === 0 ? 'a thread that is not here' : `${chosen.length} threads`;
}

/** Links to what is around the node that fills the width. */
export function breadcrumb(context: Context, chosen: ChosenTree): HTMLElement {
	const { universe } = context;
	const { tree, top } = chosen;
	const items: Child[] = [];

	const step = (text: string, href: string | null) =>
		h(
			'li',
			{},
			href === null
				? h('span', { 'aria-current': 'true' }, h('bdi', {}, visible(cut(text, 60))))
				: h('a', { href }, h('bdi', {}, visible(cut(text, 60)))),
		);
	if (context.selection.invert) {
		const nodes: number[] = [];

		for (let at = top; at >= 0; at = tree.parent(at)) nodes.push(at);
		for (const node of nodes.reverse()) {
			const method = tree.method(node);
			const text =
				node === tree.root && method === 0 ? 'all methods' : shortMethod(universe.methods[method]!, method);

			items.push(step(text, node === top ? null : context.link({ zoom: stepsTo(context, tree, node) })));
		}
	} else {
		const steps = universe.steps(context.path);

		/* What is above where the block begins is of the whole. */
		const { isPart, beginsAt } = context.profile;
		const begin = !isPart ? -1 : beginsAt === ROOT_PATH ? 0 : steps.indexOf(beginsAt) + 1 || steps.length + 1;
		const leave = (depth: number) => (depth < begin ? { root: '' } : {});

		items.push(step(rootText(context), steps.length ? context.link({ path: '', ...leave(0) }) : null));
		/* Of a long way the ends. */
		steps.forEach((path, i) => {
			const method = universe.methodOf[path]!;
			const near = i < 2 || i >= steps.length - 4;

			if (i === 2 && steps.length > 6) items.push(h('li', {}, `\u2026 ${steps.length - 6} more \u2026`));
			if (near || steps.length <= 6)
				items.push(
					step(
						shortMethod(universe.methods[method]!, method),
						path === context.path ? null : context.link({ path: universe.pathHash(path), ...leave(i + 1) }),
					),
				);
		});
	}
	return h('nav', { class: 'crumbs', 'aria-label': 'Way from the root' }, h('ol', {}, items));
}
