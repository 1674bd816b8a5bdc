// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// tree: the call tree, a table whose rows open and close (ARIA treegrid). At first the hot path is open. Rows are made when they are
// shown: a tree of 200,000 paths costs what is open.

import type { Context, View } from '../app';
import { sortedChildren, type CallTree } from '../model/tree';
import { METHOD_ROOT, METHOD_SMALL } from '../model/universe';
import { searchField, toggle, toolbar } from '../ui/controls';
import { h, sized } from '../ui/dom';
import { exact } from '../ui/format';
import { methodName, name } from '../ui/names';
import { dataRow, figureColumns, methodData, stateColumns, type FigureColumn } from './columns';
import { findMatches, type Matches } from './matches';
import { fileNote, foldedNote } from './notes';
import { breadcrumb, chooseTree, nodeText, type ChosenTree } from './tree_choice';

const HOT = 0.2; /* the hot path is followed as long as it has so much of the whole */
const CHILDREN = 30; /* shown at first */
const MOST = 1500; /* rows in all */
const ON_PATH = 80;

/** What is open, by node; how many children of each are shown. */
interface Opened {
	open: Set<number>;
	shown: Map<number, number>;
	focus: number;
	/** Whose nodes they are; null: paths, which have the same numbers in every tree. */
	tree: CallTree | null;
}

interface Line {
	node: number;
	level: number;
	set: number;
	at: number;
	parent: number;
	/** Not a node but what is left out below it. */
	more?: number;
}

function followHot(context: Context, tree: CallTree, top: number, side: number): Set<number> {
	const open = new Set([top]);
	const whole = tree.sides[side]!.totalValue(context.figure, top);

	for (let node = top, depth = 0; depth < ON_PATH; depth++) {
		const next = sortedChildren(tree, node, context.figure, side)[0];

		if (next === undefined || tree.sides[side]!.totalValue(context.figure, next) < HOT * whole) break;
		open.add((node = next));
	}
	return open;
}

/** Opens what leads to nodes that match, the largest first, up to a number. */
function openMatches(context: Context, tree: CallTree, top: number, matches: Matches, side: number): Set<number> {
	const open = new Set<number>();
	const queue = [top];
	let found = 0;

	for (let i = 0; i < queue.length && i < 20000 && found < 100; i++) {
		const node = queue[i]!;

		if (node !== top && matches.method[tree.method(node)]) {
			found++;
			for (let at = tree.parent(node); at >= 0 && !open.has(at); at = at === top ? -1 : tree.parent(at))
				open.add(at);
		}
		queue.push(...sortedChildren(tree, node, context.figure, side));
	}
	open.add(top);
	return open;
}

function linesOf(
	context: Context,
	chosen: ChosenTree,
	opened: Opened,
	side: number,
	order: (nodes: number[]) => number[],
): Line[] {
	const { tree, top } = chosen;
	const lines: Line[] = [];
	const stack: Line[] = [{ node: top, level: 1, set: 1, at: 1, parent: -1 }];

	while (stack.length > 0 && lines.length < MOST) {
		const line = stack.pop()!;

		lines.push(line);
		if (line.more !== undefined || !opened.open.has(line.node)) continue;
		const children = order(sortedChildren(tree, line.node, context.figure, side));
		const shown = children.slice(0, opened.shown.get(line.node) ?? CHILDREN);
		if (shown.length < children.length)
			stack.push({
				node: line.node,
				level: line.level + 1,
				set: children.length,
				at: shown.length + 1,
				parent: line.node,
				more: children.length - shown.length,
			});
		for (let i = shown.length - 1; i >= 0; i--)
			stack.push({ node: shown[i]!, level: line.level + 1, set: children.length, at: i + 1, parent: line.node });
	}
	return lines;
}

export function treeView(context: Context): View {
	const { selection, universe, choose } = context;
	const chosen = chooseTree(context);
	const { tree, top } = chosen;
	const side = tree.sides.length - 1;
	const matches = findMatches(context, chosen);
	const columns = figureColumns(context, tree.sides);
	/* Of paths as they were called: other rows are several paths. */
	if (selection.all && side === 0 && !selection.invert && !selection.fold) columns.push(...stateColumns(context));
	const sortKey = selection.sort.replace(/^-/, '');
	const sortColumn = columns.find((column) => column.key === sortKey) ?? null;
	const memoryKey = [
		'tree',
		selection.path,
		selection.interval,
		selection.threads,
		selection.invert,
		selection.fold,
		selection.metric,
		selection.search,
		selection.zoom,
		selection.invert && selection.method,
	].join(' ');
	let opened = context.app.memory.get(memoryKey) as Opened | undefined;

	const owner = selection.invert || selection.fold ? tree : null;

	if (!opened || opened.tree !== owner) {
		opened = {
			open: matches.given ? openMatches(context, tree, top, matches, side) : followHot(context, tree, top, side),
			shown: new Map(),
			focus: top,
			tree: owner,
		};
		context.app.memory.set(memoryKey, opened);
	}
	const state = opened;
	const order = (nodes: number[]) => {
		if (!sortColumn) return nodes;
		const turn = selection.sort.startsWith('-') ? 1 : -1;

		return (
			nodes
				.map((node, at) => ({ node, at, value: sortColumn.value(node) }))
				/* What is not known comes last, whichever way. */
				.sort((a, b) =>
					a.value === null || b.value === null
						? Number(a.value === null) - Number(b.value === null) || a.at - b.at
						: turn * (a.value - b.value) || a.at - b.at,
				)
				.map(({ node }) => node)
		);
	};
	const body = h('tbody');
	const note = h('p', { class: 'note', hidden: true }, `The first ${exact(MOST)} rows: close some, or zoom in.`);
	let lines: Line[] = [];

	const drawRows = (keepFocus: boolean) => {
		lines = linesOf(context, chosen, state, side, order);
		if (!lines.some((line) => line.more === undefined && line.node === state.focus)) state.focus = top;
		note.hidden = lines.length < MOST;
		body.replaceChildren(...lines.map((line) => rowOf(line)));
		if (keepFocus) (body.querySelector('tr[tabindex="0"]') as HTMLElement | null)?.focus();
	};
	const rowOf = (line: Line): HTMLElement => {
		if (line.more !== undefined)
			return h(
				'tr',
				{ 'aria-level': line.level, role: 'row' },
				h(
					'td',
					{ role: 'gridcell', colspan: columns.length + 1 },
					indented(
						line.level,
						h(
							'button',
							{ type: 'button', class: 'plain', tabindex: -1, onclick: () => showMore(line.node) },
							`${exact(line.more)} smaller ones`,
						),
					),
				),
			);
		const { node } = line;
		const method = tree.method(node);
		const children = tree.children(node).length;
		const isOpen = state.open.has(node);
		const text =
			method === METHOD_SMALL || method === METHOD_ROOT
				? name(nodeText(context, tree, node))
				: methodName(universe.methods[method]!, method);

		return h(
			'tr',
			{
				role: 'row',
				'aria-level': line.level,
				'aria-setsize': line.set,
				'aria-posinset': line.at,
				'aria-expanded': children > 0 ? String(isOpen) : null,
				/* The page is drawn anew on every choice, and puts the focus where its id is. */
				id: node === state.focus ? 'tree-row' : null,
				tabindex: node === state.focus ? 0 : -1,
				'data-node': node,
				class: matches.given && matches.method[method] ? 'match' : null,
			},
			h(
				'th',
				{ scope: 'row', role: 'rowheader' },
				indented(
					line.level,
					children > 0
						? h(
								'button',
								{
									type: 'button',
									class: 'twist',
									tabindex: -1,
									'aria-hidden': 'true',
									onclick: () => turn(node),
								},
								isOpen ? '\u25be' : '\u25b8',
							)
						: h('span', { class: 'twist' }),
					text,
					node === top || (tree.method(node) === METHOD_SMALL && !context.app.canUnfold)
						? null
						: h(
								'button',
								{
									type: 'button',
									class: 'zoom plain',
									tabindex: -1,
									title: 'show this alone (Enter)',
									'aria-label': 'Zoom in',
									onclick: () => chosen.zoomTo(node),
								},
								'\u2315',
							),
				),
			),
			columns.map((column) => h('td', { role: 'gridcell', class: cellClass(column) }, column.cell(node))),
		);
	};
	const turn = (node: number) => {
		if (state.open.has(node)) state.open.delete(node);
		else state.open.add(node);
		state.focus = node;
		drawRows(true);
	};
	const showMore = (node: number) => {
		state.shown.set(node, (state.shown.get(node) ?? CHILDREN) * 4);
		drawRows(true);
	};
	const focusOn = (node: number) => {
		state.focus = node;
		for (const row of body.rows) {
			const isFocus = row.dataset['node'] === String(node);

			row.tabIndex = isFocus ? 0 : -1;
			if (isFocus) row.id = 'tree-row';
			else row.removeAttribute('id');
		}
		(body.querySelector('tr[tabindex="0"]') as HTMLElement | null)?.focus();
	};
	body.addEventListener('click', (event) => {
		const row = (event.target as Element).closest('tr');

		if (row?.dataset['node'] && !(event.target as Element).closest('button, summary'))
			focusOn(Number(row.dataset['node']));
	});
	body.addEventListener('dblclick', (event) => {
		const row = (event.target as Element).closest('tr');

		if (row?.dataset['node'] && !(event.target as Element).closest('button')) turn(Number(row.dataset['node']));
	});
	body.addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey || (event.target as Element).closest('button, summary'))
			return;
		const nodes = lines.filter((line) => line.more === undefined);
		const at = nodes.findIndex((line) => line.node === state.focus);
		const line = nodes[at];

		if (!line) return;
		const children = tree.children(line.node).length;
		const isOpen = state.open.has(line.node);
		const actions: Record<string, () => void> = {
			ArrowDown: () => nodes[at + 1] && focusOn(nodes[at + 1]!.node),
			ArrowUp: () => nodes[at - 1] && focusOn(nodes[at - 1]!.node),
			ArrowRight: () => {
				if (children > 0 && !isOpen) turn(line.node);
				else if (children > 0 && nodes[at + 1]) focusOn(nodes[at + 1]!.node);
			},
			ArrowLeft: () => {
				if (isOpen && children > 0) turn(line.node);
				else if (line.parent >= 0) focusOn(line.parent);
			},
			Home: () => focusOn(nodes[0]!.node),
			End: () => focusOn(nodes[nodes.length - 1]!.node),
			Enter: () => (line.node === top ? chosen.zoomOut() : chosen.zoomTo(line.node)),
			Escape: () => chosen.zoomOut(),
			'+': () => {
				state.shown.set(line.node, (state.shown.get(line.node) ?? CHILDREN) * 4);
				drawRows(true);
			},
		};

		if (!actions[event.key]) return;
		event.preventDefault();
		actions[event.key]!();
	});
	drawRows(false);

	const heading = (column: FigureColumn) => {
		const sorted = column.key === sortKey;
		const back = selection.sort.startsWith('-');

		return h(
			'th',
			{
				scope: 'col',
				role: 'columnheader',
				class: cellClass(column),
				title: column.hint,
				'aria-sort': sorted ? (back ? 'ascending' : 'descending') : null,
			},
			h(
				'button',
				{
					type: 'button',
					id: `tree-sort-${column.key}`,
					onclick: () => choose({ sort: sorted && !back ? `-${column.key}` : column.key }, 'replace'),
				},
				column.title,
				h('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted ? (back ? ' \u25b4' : ' \u25be') : ''),
			),
		);
	};
	return {
		element: h(
			'section',
			{},
			toolbar(
				searchField(context, 'Find', matches.text),
				toggle(context, 'invert', 'Invert to callers', 'methods at the top, their callers below'),
				selection.invert
					? null
					: toggle(
							context,
							'fold',
							'Fold recursion',
							'calls of a method that is on the path already count as its outer call\u2019s',
						),
				tree.sides.length === 1 ? toggle(context, 'all', 'All figures') : null,
			),
			breadcrumb(context, chosen),
			h(
				'div',
				{ class: 'scroll', role: 'region', 'aria-label': 'Call tree', tabindex: 0 },
				h(
					'table',
					{ role: 'treegrid', class: 'tree', 'aria-label': 'Call tree', 'aria-readonly': 'true' },
					h(
						'thead',
						{},
						h(
							'tr',
							{ role: 'row' },
							h(
								'th',
								{ scope: 'col', role: 'columnheader' },
								selection.invert ? 'Method, below it its callers' : 'Call path',
							),
							columns.map(heading),
						),
					),
					body,
				),
			),
			note,
			h(
				'p',
				{ class: 'note keys' },
				'On the keyboard: arrows go and open, Enter zooms in, Escape out, + shows more of what is below a row.',
			),
			fileNote(context),
			foldedNote(context),
		),
		rows: () =>
			lines
				.filter((line) => line.more === undefined)
				.map((line) => ({
					level: line.level - 1,
					name: nodeText(context, tree, line.node),
					...methodData(context, tree.method(line.node)),
					...dataRow(context, tree.sides[side]!, line.node),
				})),
	};
}

const cellClass = (column: FigureColumn): string =>
	column.wide === 'wider' ? 'number wider' : column.wide ? 'number wide' : 'number';

/** Further in by its level, up to a point: deep trees stay in the window. */
function indented(level: number, ...children: (Node | null)[]): HTMLElement {
	return sized(h('span', { class: 'step' }, children), '--level', String(Math.min(level - 1, 40)));
}
