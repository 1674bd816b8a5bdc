// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// flame: the flame graph. It is one canvas: what it shows can be had as text in the call tree, and the frame that the keyboard is on is told in a
// live region.

import type { Context, View } from '../app';
import { searchField, select, toggle, toolbar } from '../ui/controls';
import { h, sized } from '../ui/dom';
import { cut, methodName, visible } from '../ui/names';
import { isDark } from '../ui/theme';
import { COLOURINGS, colouring, fill } from './colours';
import { figureTitle } from './columns';
import { draw, frameText, ROW, type Drawing } from './flame_drawing';
import { DEEPEST, layOut, type Frame } from './flame_layout';
import { findMatches } from './matches';
import { fileNote, foldedNote } from './notes';
import { breadcrumb, chooseTree, nodeText, type ChosenTree } from './tree_choice';

/* Where the arrows lead from a frame. */
const MOVES: Record<string, (frames: Frame[], at: number) => number> = {
	ArrowUp: (frames, at) => frames[at]!.parent,
	ArrowDown: (frames, at) => frames.findIndex((frame) => frame.parent === at),
	ArrowLeft: (frames, at) => (frames[at - 1]?.depth === frames[at]!.depth ? at - 1 : -1),
	ArrowRight: (frames, at) => (frames[at + 1]?.depth === frames[at]!.depth ? at + 1 : -1),
	Home: () => 0,
};

/** The canvas, what stands around it, and what mouse and keys do on it. */
class Graph {
	readonly canvas: HTMLCanvasElement;
	readonly line = h('p', { id: 'frame', class: 'frame' });
	readonly live = h('p', { class: 'unseen', 'aria-live': 'polite' });
	readonly legend = h('ul', { class: 'legend', 'aria-label': 'Colours' });
	readonly deeper = h(
		'p',
		{ class: 'note', hidden: true },
		`Deeper than ${DEEPEST} calls: zoom in to see what is below.`,
	);
	private drawing: Drawing | null = null;
	private hovered = -1;

	constructor(
		private readonly context: Context,
		private readonly chosen: ChosenTree,
		private readonly side: number,
		private readonly matched: Uint8Array | null,
	) {
		const kind = context.kinds[context.figure];

		this.canvas = h('canvas', {
			id: 'flame',
			class: 'flame',
			tabindex: 0,
			role: 'application',
			'aria-roledescription': 'flame graph',
			'aria-label': `Flame graph by total ${kind ? figureTitle(kind) : ''}. Arrow keys go from frame to frame, Enter zooms in, Escape zooms out. The view Call tree has the same as text.`,
			'aria-describedby': 'frame',
			onmousemove: (event: MouseEvent) => this.hover(this.frameAt(event)),
			onmouseleave: () => this.hover(-1),
			onclick: (event: MouseEvent) => this.activate(this.frameAt(event)),
			onkeydown: (event: KeyboardEvent) => this.press(event),
			onfocus: () => this.moveTo(this.drawing?.focus ?? 0),
			onblur: () => this.repaint(),
		});
	}

	get frames(): Frame[] {
		return this.drawing?.frames ?? [];
	}

	/** Lays it out for the width that there is. */
	redraw(): void {
		const { context, chosen } = this;
		const width = this.canvas.parentElement?.clientWidth ?? 0;

		if (width === 0) return;
		const { frames, rests, deeper } = layOut(context, chosen, this.side, width);
		const nodes = frames.map((frame) => frame.node);
		const colours = colouring(context, chosen.tree, nodes);
		const focus = Math.min(this.drawing?.focus ?? 0, frames.length - 1);
		this.drawing = {
			context,
			chosen,
			frames,
			rests,
			colours,
			matched: this.matched,
			focus,
			hasFocus: false,
			width,
		};
		this.deeper.hidden = !deeper;
		this.repaint();
		this.legend.replaceChildren(
			...colours.legend.map((entry) => {
				const patch = h('span', { class: 'patch', 'aria-hidden': 'true' });

				sized(patch, 'background-color', fill(entry, isDark(), false));
				return h('li', {}, patch, h('bdi', {}, visible(cut(entry.label, 50))));
			}),
		);
		this.describe(this.hovered >= 0 ? this.hovered : focus);
	}

	private repaint(): void {
		if (!this.drawing) return;
		this.drawing.hasFocus = document.activeElement === this.canvas;
		draw(this.canvas, this.drawing);
	}

	private describe(at: number): void {
		const frame = this.frames[at];

		if (frame) this.line.textContent = frameText(this.drawing!, frame);
	}

	private frameAt(event: MouseEvent): number {
		const box = this.canvas.getBoundingClientRect();
		const x = (event.clientX - box.left) / box.width;
		const depth = Math.floor((event.clientY - box.top) / ROW);

		return this.frames.findIndex((frame) => frame.depth === depth && x >= frame.x && x < frame.x + frame.width);
	}

	private hover(at: number): void {
		if (at === this.hovered) return;
		this.hovered = at;
		this.canvas.classList.toggle('over', at >= 0);
		this.describe(at >= 0 ? at : (this.drawing?.focus ?? 0));
	}

	/** In, or from the frame at the top out. */
	private activate(at: number): void {
		const frame = this.frames[at];

		if (!frame) return;
		if (frame.node === this.chosen.top) this.chosen.zoomOut();
		else this.chosen.zoomTo(frame.node);
	}

	private moveTo(at: number): void {
		if (!this.drawing || !this.frames[at]) return;
		this.drawing.focus = at;
		this.repaint();
		this.describe(at);
		this.live.textContent = this.line.textContent;
	}

	private press(event: KeyboardEvent): void {
		const move = MOVES[event.key];

		if (!this.drawing || event.ctrlKey || event.altKey || event.metaKey) return;
		if (move) this.moveTo(move(this.frames, this.drawing.focus));
		else if (event.key === 'Enter' || event.key === ' ') this.activate(this.drawing.focus);
		else if (event.key === 'Escape') this.chosen.zoomOut();
		else return;
		event.preventDefault();
	}
}

export function flameView(context: Context): View {
	const { selection, choose, kinds } = context;
	const chosen = chooseTree(context);
	const { tree } = chosen;
	const isDifference = tree.sides.length > 1;
	const side = isDifference && selection.part !== 'before' ? 1 : 0;
	const matches = findMatches(context, chosen);
	const kind = kinds[context.figure];
	const graph = new Graph(context, chosen, side, matches.given ? matches.method : null);
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
			graph.line,
			graph.live,
			nothing
				? h(
						'p',
						{ class: 'note' },
						kind
							? `Nothing of what is chosen has any ${figureTitle(kind)}: choose another figure or other threads.`
							: 'The profile has no figures.',
					)
				: null,
			h('div', { class: 'canvasbox' }, graph.canvas),
			graph.deeper,
			graph.legend,
			h(
				'p',
				{ class: 'note keys' },
				'Click zooms in, a click on the top frame out. On the keyboard: arrows, Enter, Escape, Home.',
			),
			fileNote(context),
			foldedNote(context),
		),
		resize: () => graph.redraw(),
		rows: () =>
			graph.frames.map((frame) => ({
				name: nodeText(context, tree, frame.node),
				depth: frame.depth,
				total: tree.sides[side]!.totalValue(context.figure, frame.node),
			})),
	};
}
