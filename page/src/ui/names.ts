// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// names: texts from outside, made harmless: characters that hide, or turn the direction of what follows, are shown by
// their number; each name is isolated from the text around it; long ones are cut, with the whole beside them.

import type { Method } from '../model/universe';
import { METHOD_ROOT } from '../model/universe';
import { h } from './dom';

/* Controls, soft hyphen, zero width characters, marks of direction, line separators, tags, lone surrogates. */
const HIDDEN =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
const LONG = 300;

export function visible(text: string): string {
	return text.replace(
		HIDDEN,
		(c) => `\u27e8U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}\u27e9`,
	);
}

export function cut(text: string, most = LONG): string {
	return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

/* Behind these a long name may go on in the next line; a piece without any is broken somewhere. */
const BREAKS = /(?<=[.,/$(:;!\\-])(?=[^.,/$(:;!\\\s\d)-])/u;
const PIECE = 40;

/** What to put into an element: visible, with places to break lines at. */
export function breakable(text: string): (string | HTMLElement)[] {
	const pieces = visible(text)
		.split(BREAKS)
		.flatMap((piece) =>
			piece.length <= PIECE ? [piece] : (piece.match(new RegExp(`.{1,${PIECE}}`, 'gsu')) ?? []),
		);

	return pieces.flatMap((piece, i) => (i > 0 ? [document.createElement('wbr'), piece] : [piece]));
}

/** A text in one piece. */
export function name(text: string, most = LONG): HTMLElement {
	if (text.length <= most) return h('bdi', { class: 'name' }, breakable(text));
	return h(
		'span',
		{},
		h('bdi', { class: 'name' }, breakable(cut(text, most))),
		' ',
		h(
			'details',
			{ class: 'whole' },
			h('summary', {}, `all ${text.length.toLocaleString('en')} characters`),
			h('bdi', {}, visible(text)),
		),
	);
}

/** A name that leads somewhere; what shows the whole of a long one stands beside it: a link holds nothing to click. */
export function link(href: string, named: HTMLElement, attributes: Record<string, string> = {}): HTMLElement {
	const whole = named.querySelector('details');

	whole?.remove();
	const anchor = h('a', { href, ...attributes }, named);
	return whole ? h('span', {}, anchor, ' ', whole) : anchor;
}

export function methodText(method: Method, id: number): string {
	return id === METHOD_ROOT ? '(threads)' : method.display;
}

/** With the package and the parameters set back. */
export function methodName(method: Method, id: number): HTMLElement {
	const text = methodText(method, id);
	const dot = text.startsWith(method.class + '.') ? method.class.lastIndexOf('.') + 1 : 0;

	if (text.length > LONG || method.class === '') return name(text);
	const bracket = text.startsWith(method.class + '.') ? text.indexOf('(', method.class.length) : -1;
	const end = bracket > 0 ? bracket : text.length;
	return h(
		'bdi',
		{ class: 'name', title: visible(text) },
		dot > 0 ? [h('span', { class: 'package' }, breakable(text.slice(0, dot))), h('wbr')] : null,
		breakable(text.slice(dot, end)),
		end < text.length
			? [text.endsWith('()') ? null : h('wbr'), h('span', { class: 'parameters' }, breakable(text.slice(end)))]
			: null,
	);
}

/** Class and method alone, for places without room. */
export function shortMethod(method: Method, id: number): string {
	const text = methodText(method, id);

	if (!text.startsWith(method.class + '.')) return text;
	return text.slice(method.class.lastIndexOf('.') + 1);
}
