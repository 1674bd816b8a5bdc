// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// flame_drawing: a flame graph on its canvas: some thousands of frames in a few milliseconds.

import type { Context } from '../app';
import { METHOD_SMALL } from '../model/universe';
import { sized } from '../ui/dom';
import type { Figure } from '../model/figures';
import { figureText, percent, quantity, signed, signedPercent } from '../ui/format';
import { cut, shortMethod, visible } from '../ui/names';
import { isDark } from '../ui/theme';
import { changeOf, fill, NOTHING, type Colouring } from './colours';
import { changeBy, figureTitle } from './columns';
import { NARROW, type Frame, type Rest } from './flame_layout';
import { nodeText, type ChosenTree } from './tree_choice';

export const ROW = 20; /* height of a frame, in pixels */
const TALLEST = 16000; /* pixels: browsers have a limit */
const LABELLED = 24; /* pixels: a frame with room for a name */
const MARKED = 0.05; /* a change that has its line */

export interface Drawing {
	context: Context;
	chosen: ChosenTree;
	frames: Frame[];
	rests: Rest[];
	colours: Colouring;
	matched: Uint8Array | null; // by method
	focus: number; // a frame
	hasFocus: boolean;
	width: number;
}

interface Ink {
	dark: boolean;
	text: string;
	dimmed: string;
	edge: string;
	mark: string;
	rest: string;
	restText: string;
}

const LIGHT: Ink = {
	dark: false,
	text: '#1a1a1a',
	dimmed: '#555555',
	edge: '#000000',
	mark: '#333333',
	rest: '#eceef0',
	restText: '#5a626b',
};
const DARK: Ink = {
	dark: true,
	text: '#f2f2f2',
	dimmed: '#a8a8a8',
	edge: '#ffffff',
	mark: '#e8e8e8',
	rest: '#24292e',
	restText: '#a3abb3',
};

/** In a difference with the sign of its change: colours alone do not tell. */
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

/** As much of a text as there is room for; nothing, if that is next to nothing. */
function fitted(pen: CanvasRenderingContext2D, text: string, room: number): string {
	const size = (length: number) => pen.measureText(text.slice(0, length) + '\u2026').width;
	let length = text.length;

	if (pen.measureText(text).width <= room) return text;
	while (length > 1 && size(length) > room) length = Math.min(length - 1, Math.floor((length * room) / size(length)));
	return length > 1 ? text.slice(0, length) + '\u2026' : '';
}

function drawRests(pen: CanvasRenderingContext2D, drawing: Drawing, ink: Ink): void {
	for (const rest of drawing.rests) {
		const x = rest.x * drawing.width;
		const width = rest.width * drawing.width;
		const y = rest.depth * ROW;

		pen.fillStyle = ink.rest;
		pen.fillRect(x, y, Math.max(width - 1, 1), ROW - 1);
		pen.fillStyle = ink.restText;
		if (width > 3 * LABELLED) pen.fillText(`${quantity(rest.count, '')} narrower`, x + 4, y + ROW / 2);
	}
}

/** Not by colour alone: a line above what is more, dots below what is less. */
function drawChange(
	pen: CanvasRenderingContext2D,
	change: number,
	x: number,
	y: number,
	width: number,
	ink: Ink,
): void {
	pen.fillStyle = ink.mark;
	if (change > MARKED) pen.fillRect(x, y, width - 1, 2);
	else if (change < -MARKED) for (let dot = x; dot < x + width - 3; dot += 6) pen.fillRect(dot, y + ROW - 3, 3, 2);
}

function drawFrame(pen: CanvasRenderingContext2D, drawing: Drawing, frame: Frame, ink: Ink): void {
	const { colours, matched, chosen, context } = drawing;
	const { tree } = chosen;
	const x = frame.x * drawing.width;
	const width = frame.width * drawing.width;
	const y = frame.depth * ROW;
	const found = matched !== null && matched[tree.method(frame.node)] === 1;
	const dimmed = matched !== null && !found;

	pen.fillStyle = fill(colours.of(frame.node), ink.dark, dimmed);
	pen.fillRect(x, y, Math.max(width - (width > 3 ? 1 : 0), NARROW), ROW - 1);
	if (found && width > 1) {
		pen.strokeStyle = ink.text;
		pen.lineWidth = 1;
		pen.strokeRect(x + 0.5, y + 0.5, Math.max(width - 2, 0.5), ROW - 2);
	}
	if (tree.sides.length > 1 && width > 4) drawChange(pen, changeOf(context, tree, frame.node), x, y, width, ink);
	if (width <= LABELLED) return;
	/* A letter is wider than a pixel: what is cut here would not be seen. */
	const text = visible(cut(labelOf(drawing, frame), Math.ceil(width)));
	pen.fillStyle = dimmed ? ink.dimmed : ink.text;
	pen.fillText(fitted(pen, text, width - 8), x + 4, y + ROW / 2);
}

function drawFocus(pen: CanvasRenderingContext2D, drawing: Drawing, ink: Ink): void {
	const frame = drawing.frames[drawing.focus]!;

	pen.strokeStyle = ink.edge;
	pen.lineWidth = 3;
	pen.strokeRect(
		frame.x * drawing.width + 1.5,
		frame.depth * ROW + 1.5,
		Math.max(frame.width * drawing.width - 4, 1),
		ROW - 4,
	);
}

export function draw(canvas: HTMLCanvasElement, drawing: Drawing): void {
	const { frames, width } = drawing;
	const ink = isDark() ? DARK : LIGHT;
	const height = (frames.reduce((most, frame) => Math.max(most, frame.depth), 0) + 1) * ROW + 1;
	const scale = Math.min(window.devicePixelRatio || 1, TALLEST / height);
	const pen = canvas.getContext('2d')!;

	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	sized(canvas, 'height', `${height}px`);
	pen.scale(scale, scale);
	pen.textBaseline = 'middle';
	pen.font = '12px system-ui, sans-serif';
	drawRests(pen, drawing, ink);
	for (const frame of frames) drawFrame(pen, drawing, frame, ink);
	if (drawing.hasFocus) drawFocus(pen, drawing, ink);
}

/** What a frame is, in words: under the graph, and for those who hear it. */
export function frameText(drawing: Drawing, frame: Frame): string {
	const { context, chosen } = drawing;
	const { tree } = chosen;
	const kind = context.kinds[context.figure];

	if (!kind) return nodeText(context, tree, frame.node);
	const whole = tree.sides[0]!.totalValue(context.figure, tree.root);
	const name = visible(cut(nodeText(context, tree, frame.node), 200));
	const title = figureTitle(kind);

	if (tree.sides.length > 1) {
		const [before, after] = tree.sides.map((side) => side.total(context.figure, frame.node)) as [Figure, Figure];
		const side = (figure: Figure) => (figure.value === null ? 'not known' : quantity(figure.value, kind.unit));
		const change = changeBy(before, after);

		return `${name}: total ${title} ${side(before)} before, ${side(after)} after${change === null ? '' : `, ${signed(change, kind.unit)} ${signedPercent(change, before.value!)}`}`;
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
