// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// dom: elements made by calls. Texts become text nodes, always: names in a profile are whatever a program chose.

export type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

const SVG = 'http://www.w3.org/2000/svg';

function append(parent: Element, children: Child[]): void {
	for (const child of children) {
		if (child === null || child === undefined || child === false) continue;
		if (Array.isArray(child)) append(parent, child);
		else parent.append(child instanceof Node ? child : String(child));
	}
}

/** `onclick` and the like are listeners; true is an attribute without a value, false and null are none. */
function set(element: Element, attributes: Attributes): void {
	for (const [name, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false) continue;
		if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value as EventListener);
		else element.setAttribute(name, value === true ? '' : String(value));
	}
}

export function h<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	attributes: Attributes = {},
	...children: Child[]
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);

	set(element, attributes);
	append(element, children);
	return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
	const element = document.createElementNS(SVG, tag);

	set(element, attributes);
	append(element, children);
	return element;
}

/** A width or place as a share of the whole: a style sheet cannot know it, and style attributes are forbidden. */
export function sized<E extends HTMLElement>(element: E, property: string, value: string): E {
	element.style.setProperty(property, value);
	return element;
}
