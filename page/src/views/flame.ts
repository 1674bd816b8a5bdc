// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// flame: the flame graph, the root at the top. Frames are as wide as their total; those narrower than half a pixel, and all
// below them, are not drawn. One canvas: some thousands of frames are drawn in a few milliseconds. What it shows can be had
// as text in the call tree; the frame that the keyboard is on is told in a live region.

import type { Context, View } from '../app';
import { sortedChildren } from '../model/tree';
import { METHOD_SMALL } from '../model/universe';
import { searchField, select, toggle, toolbar } from '../ui/controls';
import { h, sized } from '../ui/dom';
import { figureText, percent, quantity, signed, signedPercent } from '../ui/format';
import { cut, methodName, shortMethod, visible } from '../ui/names';
import { isDark } from '../ui/theme';
import { changeOf, COLOURINGS, colouring, fill, NOTHING, type Colouring } from './colours';
import { figureTitle } from './columns';
import { findMatches } from './matches';
import { foldedNote } from './notes';
import { breadcrumb, chooseTree, nodeText, type ChosenTree } from './tree_choice';

const ROW = 20; /* height of a frame, in pixels */
const NARROW = 0.5;
const DEEPEST = 500;
const MARKED = 0.05; /* a change that has its line */

interface Frame {
	node: number;
	parent: number /* index of its frame, or -1 */;
	x: number /* shares of the width */;
	width: number;
	depth: number;
}

/** Frames below the same one that are too narrow to be drawn, together. */
interface Rest {
	x: number;
	width: number;
	depth: number;
	count: number;
}

interface Layout {
	frames: Frame[];
	rests: Rest[];
	deeper: boolean;
}

/** Parents before their children, and those from left to right. */
function layOut(context: Context, chosen: ChosenTree, side: number, pixels: number): Layout {
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

interface Drawing {
	context: Context;
	chosen: ChosenTree;
	frames: Frame[];
	rests: Rest[];
	colours: Colouring;
	matched: Uint8Array | null /* by method */;
	focus: number;
	width: number;
}

function labelOf(drawing: Drawing, frame: Frame): string {
	const { context, chosen } = drawing;
	const { tree } = chosen;
	const method = tree.method(frame.node);
	const plain =
		method === METHOD_SMALL || (frame.node === tree.root && method === 0)
			? nodeText(context, tree, frame.node)
			: shortMethod(context.universe.methods[method]!, method);

	if (tree.sides.length < 2) return plain;
	const change = changeOf(context, tree, frame.node);
	return `${change > NOTHING ? '+' : change < -NOTHING ? '\u2212' : '='} ${plain}`;
}

function draw(canvas: HTMLCanvasElement, drawing: Drawing): void {
	const { frames, colours, matched, width, chosen } = drawing;
	const { tree } = chosen;
	const dark = isDark();
	const depth = frames.reduce((most, frame) => Math.max(most, frame.depth), 0) + 1;
	const height = depth * ROW + 1;
	/* Browsers have a limit for the height. */
	const scale = Math.min(window.devicePixelRatio || 1, 16000 / height);
	const pen = canvas.getContext('2d')!;
	const isDifference = tree.sides.length > 1;

	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	sized(canvas, 'height', `${height}px`);
	pen.scale(scale, scale);
	pen.textBaseline = 'middle';
	pen.font = '12px system-ui, sans-serif';
	const letter = pen.measureText('n').width;

	for (const rest of drawing.rests) {
		const [x, y, w] = [rest.x * width, rest.depth * ROW, rest.width * width];

		pen.fillStyle = dark ? '#24292e' : '#eceef0';
		pen.fillRect(x, y, Math.max(w - 1, 1), ROW - 1);
		if (w > 80) {
			pen.fillStyle = dark ? '#a3abb3' : '#5a626b';
			pen.fillText(`${quantity(rest.count, '')} narrower`, x + 4, y + ROW / 2);
		}
	}
	frames.forEach((frame, i) => {
		const x = frame.x * width;
		const w = frame.width * width;
		const y = frame.depth * ROW;
		const found = matched !== null && matched[tree.method(frame.node)] === 1;

		pen.fillStyle = fill(colours.of(frame.node), dark, matched !== null && !found);
		pen.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), NARROW), ROW - 1);
		if (found && w > 1) {
			pen.strokeStyle = dark ? '#ffffff' : '#1a1a1a';
			pen.lineWidth = 1;
			pen.strokeRect(x + 0.5, y + 0.5, Math.max(w - 2, 0.5), ROW - 2);
		}
		if (isDifference && w > 4) {
			/* Not by colour alone: a line above what is more, dots below what is less. */
			const change = changeOf(drawing.context, tree, frame.node);

			pen.fillStyle = dark ? '#e8e8e8' : '#333333';
			if (change > MARKED) pen.fillRect(x, y, w - 1, 2);
			else if (change < -MARKED)
				for (let dot = x; dot < x + w - 3; dot += 6) pen.fillRect(dot, y + ROW - 3, 3, 2);
		}
		if (w > 24) {
			const room = Math.floor((w - 8) / letter);
			let text = visible(cut(labelOf(drawing, frame), room + 20));

			if (pen.measureText(text).width > w - 8) {
				while (text.length > 1 && pen.measureText(text + '\u2026').width > w - 8)
					text = text.slice(
						0,
						Math.max(
							1,
							Math.min(
								text.length - 1,
								Math.floor((text.length * (w - 8)) / pen.measureText(text).width),
							),
						),
					);
				text += '\u2026';
			}
			pen.fillStyle = dark
				? matched && !found
					? '#a8a8a8'
					: '#f2f2f2'
				: matched && !found
					? '#555555'
					: '#1a1a1a';
			if (text.length > 2 || room > 2) pen.fillText(text, x + 4, y + ROW / 2);
		}
		if (i === drawing.focus && document.activeElement === canvas) {
			pen.strokeStyle = dark ? '#ffffff' : '#000000';
			pen.lineWidth = 3;
			pen.strokeRect(x + 1.5, y + 1.5, Math.max(w - 4, 1), ROW - 4);
		}
	});
}

/** What a frame is, in words: under the graph, and for those who hear it. */
function frameText(drawing: Drawing, frame: Frame): string {
	const { context, chosen } = drawing;
	const { tree } = chosen;
	const kind = context.kinds[context.figure];

	if (!kind) return nodeText(context, tree, frame.node);
	const whole = tree.sides[0]!.totalValue(context.figure, tree.root);
	const name = visible(cut(nodeText(context, tree, frame.node), 200));
	const title = figureTitle(kind);

	if (tree.sides.length > 1) {
		const before = tree.sides[0]!.totalValue(context.figure, frame.node);
		const after = tree.sides[1]!.totalValue(context.figure, frame.node);

		return `${name}: total ${title} ${quantity(before, kind.unit)} before, ${quantity(after, kind.unit)} after, ${signed(after - before, kind.unit)} ${signedPercent(after - before, before)}`;
	}
	const of = tree.sides[0]!;
	const total = of.total(context.figure, frame.node);
	const self = of.self(context.figure, frame.node);
	const calls = of.calls(frame.node);
	const words = [`${name}: total ${title} ${figureText(total, kind.unit)} (${percent(total.value ?? 0, whole)})`];

	if (self.value !== null) words.push(`self ${figureText(self, kind.unit)} (${percent(self.value, whole)})`);
	if (calls && calls.calls !== null && calls.calls > 0) words.push(`${calls.calls.toLocaleString('en')} calls`);
	if (calls?.calls === null) words.push('found by samples alone');
	if (calls?.atLeast) words.push('the total is at least that');
	return words.join(', ');
}

export function flameView(context: Context): View {
	const { selection, choose, kinds } = context;
	const chosen = chooseTree(context);
	const { tree } = chosen;
	const isDifference = tree.sides.length > 1;
	const side = isDifference && selection.part !== 'before' ? 1 : 0;
	const matches = findMatches(context, chosen);
	const kind = kinds[context.figure];
	const canvas = h('canvas', {
		id: 'flame',
		class: 'flame',
		tabindex: 0,
		role: 'application',
		'aria-roledescription': 'flame graph',
		'aria-label': `Flame graph by total ${kind ? figureTitle(kind) : ''}. Arrow keys go from frame to frame, Enter zooms in, Escape zooms out. The view Call tree has the same as text.`,
		'aria-describedby': 'frame',
	});
	const line = h('p', { id: 'frame', class: 'frame' });
	const live = h('p', { class: 'unseen', 'aria-live': 'polite' });
	const legend = h('ul', { class: 'legend', 'aria-label': 'Colours' });
	const deeper = h(
		'p',
		{ class: 'note', hidden: true },
		`Deeper than ${DEEPEST} calls: zoom in to see what is below.`,
	);
	let drawing: Drawing | null = null;
	let hovered = -1;

	const describe = (at: number) => {
		if (drawing && drawing.frames[at]) line.textContent = frameText(drawing, drawing.frames[at]!);
	};
	const redraw = () => {
		const width = canvas.parentElement?.clientWidth ?? 0;

		if (width === 0) return;
		const { frames, rests, deeper: cutOff } = layOut(context, chosen, side, width);
		const colours = colouring(
			context,
			tree,
			frames.map((frame) => frame.node),
		);
		drawing = {
			context,
			chosen,
			frames,
			rests,
			colours,
			matched: matches.given ? matches.method : null,
			focus: Math.min(drawing?.focus ?? 0, frames.length - 1),
			width,
		};
		deeper.hidden = !cutOff;
		draw(canvas, drawing);
		legend.replaceChildren(
			...colours.legend.map((entry) => {
				const patch = sized(
					h('span', { class: 'patch', 'aria-hidden': 'true' }),
					'background-color',
					fill(entry, isDark(), false),
				);

				return h('li', {}, patch, h('bdi', {}, visible(cut(entry.label, 50))));
			}),
		);
		describe(hovered >= 0 ? hovered : drawing.focus);
	};
	const frameAt = (event: MouseEvent): number => {
		const box = canvas.getBoundingClientRect();
		const x = (event.clientX - box.left) / box.width;
		const depth = Math.floor((event.clientY - box.top) / ROW);

		return drawing
			? drawing.frames.findIndex((frame) => frame.depth === depth && x >= frame.x && x < frame.x + frame.width)
			: -1;
	};
	const activate = (at: number) => {
		const frame = drawing?.frames[at];

		if (!frame) return;
		if (frame.node === chosen.top) chosen.zoomOut();
		else chosen.zoomTo(frame.node);
	};
	const moveTo = (at: number) => {
		if (!drawing || !drawing.frames[at]) return;
		drawing.focus = at;
		draw(canvas, drawing);
		describe(at);
		live.textContent = line.textContent;
	};
	const keys: Record<string, (frames: Frame[], at: number) => number> = {
		ArrowUp: (frames, at) => frames[at]!.parent,
		ArrowDown: (frames, at) => frames.findIndex((frame) => frame.parent === at),
		ArrowLeft: (frames, at) => (frames[at - 1]?.depth === frames[at]!.depth ? at - 1 : -1),
		ArrowRight: (frames, at) => (frames[at + 1]?.depth === frames[at]!.depth ? at + 1 : -1),
		Home: () => 0,
	};

	canvas.addEventListener('mousemove', (event) => {
		const at = frameAt(event);

		if (at === hovered) return;
		hovered = at;
		canvas.classList.toggle('over', at >= 0);
		if (at >= 0) describe(at);
	});
	canvas.addEventListener('mouseleave', () => {
		hovered = -1;
		describe(drawing?.focus ?? 0);
	});
	canvas.addEventListener('click', (event) => {
		const at = frameAt(event);

		if (at >= 0) activate(at);
	});
	canvas.addEventListener('keydown', (event) => {
		if (!drawing || event.ctrlKey || event.altKey || event.metaKey) return;
		const go = keys[event.key];

		if (go) moveTo(go(drawing.frames, drawing.focus));
		else if (event.key === 'Enter' || event.key === ' ') activate(drawing.focus);
		else if (event.key === 'Escape') chosen.zoomOut();
		else return;
		event.preventDefault();
	});
	canvas.addEventListener('focus', () => drawing && moveTo(drawing.focus));
	canvas.addEventListener('blur', () => drawing && draw(canvas, drawing));

	const nothing = tree.sides[side]!.totalValue(context.figure, chosen.top) <= 0;
	return {
		element: h(
			'section',
			{},
			toolbar(
				searchField(context, 'Find', matches.text),
				toggle(
					context,
					'invert',
					'Invert to callers',
					context.method >= 0
						? 'the chosen method at the top, its callers below'
						: 'methods at the top, their callers below',
				),
				selection.invert
					? null
					: toggle(
							context,
							'fold',
							'Fold recursion',
							'calls of a method that is on the path already count as its outer call\u2019s',
						),
				select(
					'colour',
					'Colours by',
					selection.colour || (isDifference ? 'change' : 'package'),
					isDifference ? [{ value: 'change', label: 'change' }, ...COLOURINGS] : COLOURINGS,
					(colour) => choose({ colour }, 'replace'),
				),
				isDifference
					? select(
							'width',
							'Widths of',
							selection.part || 'after',
							[
								{ value: 'before', label: 'before' },
								{ value: 'after', label: 'after' },
							],
							(part) => choose({ part }, 'replace'),
						)
					: null,
			),
			breadcrumb(context, chosen),
			selection.invert
				? h(
						'p',
						{ class: 'note' },
						context.method >= 0
							? [
									'Turned round: below ',
									methodName(context.universe.methods[context.method]!, context.method),
									' its callers, each as wide as what it used on their account.',
								]
							: 'Turned round: at the top each method by what it used itself, below it its callers.',
					)
				: null,
			line,
			live,
			nothing
				? h(
						'p',
						{ class: 'note' },
						kind
							? `Nothing of what is chosen has any ${figureTitle(kind)}: choose another figure or other threads.`
							: 'The profile has no figures.',
					)
				: null,
			h('div', { class: 'canvasbox' }, canvas),
			deeper,
			legend,
			h(
				'p',
				{ class: 'note keys' },
				'Click zooms in, a click on the top frame out. On the keyboard: arrows, Enter, Escape, Home.',
			),
			foldedNote(context),
		),
		resize: redraw,
		rows: () =>
			(drawing?.frames ?? []).map((frame) => ({
				name: nodeText(context, tree, frame.node),
				depth: frame.depth,
				total: tree.sides[side]!.totalValue(context.figure, frame.node),
			})),
	};
}
