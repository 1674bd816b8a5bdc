// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// universe: all methods and call paths of all blocks that were opened, each once. Blocks of two threads, two intervals
// or two profiles speak of the same path by the same number, so that sums lie side by side, and a chosen path stays
// chosen.
//
// A method is known by class.method(signature). Paths of different threads are one. A parent's number is less than its
// children's: sums go up in one loop from the end.

import type { Block } from '../data/block';

export const METHOD_ROOT = 0;
export const METHOD_SMALL = 1;
export const ROOT_PATH = 0;
export const KINDS = ['java', 'native', 'jvm', 'kernel', 'stub', 'class', 'mark'] as const;
const KIND_JAVA = 0;

export interface Method {
	class: string;
	name: string;
	signature: string;
	display: string;
	file: string;
	kind: number;
	native: boolean;
	static: boolean;
}

/** Where a block's rows are in the universe. */
export interface Placement {
	path: Int32Array; // by row of `node`
	method: Int32Array; // by row of `method`
	parent: Int32Array; // by row of `node`: the row of its parent, or -1
}

class Ints {
	data = new Int32Array(1024);
	length = 0;

	push(value: number): void {
		if (this.length === this.data.length) {
			const larger = new Int32Array(2 * this.length);

			larger.set(this.data);
			this.data = larger;
		}
		this.data[this.length++] = value;
	}
}

/** 52 bits of a text, enough that two of a profile's methods hardly ever have the same; for links only. */
export function hashText(text: string, seed = 0): number {
	let a = 0xdeadbeef ^ seed;
	let b = 0x41c6ce57 ^ seed;

	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);

		a = Math.imul(a ^ c, 2654435761);
		b = Math.imul(b ^ c, 1597334677);
	}
	a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
	b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
	return (b >>> 0) * 0x100000 + (a >>> 12);
}

export class Universe {
	readonly methods: Method[] = [];
	private readonly methodByKey = new Map<string, number>();
	private readonly parents = new Ints();
	private readonly pathMethods = new Ints();
	private readonly recursions = new Ints();
	private readonly firstChildren = new Ints();
	private readonly siblings = new Ints();
	/* Open addressing: path + 1 by (parent, method). */
	private slots = new Int32Array(1 << 12);
	private hashes: Float64Array | null = null;
	private methodHashes: number[] = [];

	constructor() {
		this.addMethod({
			class: '',
			name: '',
			signature: '',
			display: '',
			file: '',
			kind: 0,
			native: false,
			static: false,
		});
		this.addMethod({
			class: '',
			name: '(small)',
			signature: '',
			display: '(small)',
			file: '',
			kind: 6,
			native: false,
			static: false,
		});
		this.newPath(-1, METHOD_ROOT, 0);
	}

	get pathCount(): number {
		return this.parents.length;
	}
	/** Of paths; as long as no block is added. */
	get parent(): Int32Array {
		return this.parents.data;
	}
	get methodOf(): Int32Array {
		return this.pathMethods.data;
	}
	/** How many calls of the same method are above. */
	get recursion(): Int32Array {
		return this.recursions.data;
	}

	*children(path: number): Generator<number> {
		for (let child = this.firstChildren.data[path]!; child >= 0; child = this.siblings.data[child]!) yield child;
	}

	isJava(method: number): boolean {
		return method > METHOD_SMALL && this.methods[method]!.kind === KIND_JAVA && !this.methods[method]!.native;
	}

	depth(path: number): number {
		let depth = 0;

		for (let at = path; at > ROOT_PATH; at = this.parent[at]!) depth++;
		return depth;
	}

	/** From the first method below the root to the path's own. */
	steps(path: number): number[] {
		const steps: number[] = [];

		for (let at = path; at > ROOT_PATH; at = this.parent[at]!) steps.push(at);
		return steps.reverse();
	}

	// ---- links name methods and paths by hashes: numbers depend on what was opened first ----

	private hashOf(method: number): number {
		return (this.methodHashes[method] ??= hashText(methodKey(this.methods[method]!)));
	}

	methodHash(method: number): string {
		return this.hashOf(method).toString(36);
	}

	/** -1: there is none. */
	findMethod(hash: string): number {
		const wanted = parseInt(hash, 36);

		return this.methods.findIndex((_, method) => this.hashOf(method) === wanted);
	}

	findMethodNamed(className: string | null, name: string | null, signature: string | null): number {
		return this.methodByKey.get(`${className ?? ''}\0${name ?? ''}\0${signature ?? ''}`) ?? -1;
	}

	private pathHashes(): Float64Array {
		if (this.hashes?.length === this.pathCount) return this.hashes;
		const hashes = new Float64Array(this.pathCount);
		/* Two lanes that know nothing of each other, as in hashText. */
		const first = new Int32Array(this.pathCount);
		const second = new Int32Array(this.pathCount);

		for (let path = 1; path < this.pathCount; path++) {
			const above = this.parent[path]!;
			const method = this.hashOf(this.methodOf[path]!);
			const [high, low] = [Math.floor(method / 0x100000), method % 0x100000];
			const a = Math.imul(first[above]! ^ high, 2654435761);
			const b = Math.imul(second[above]! ^ high ^ Math.imul(low, 0x9e3779b1), 1597334677);

			first[path] = a ^ (a >>> 15) ^ 0x41c6ce57;
			second[path] = b ^ (b >>> 13) ^ 0x2545f491;
			hashes[path] = (first[path]! >>> 0) * 0x100000 + (second[path]! >>> 12);
		}
		return (this.hashes = hashes);
	}

	pathHash(path: number): string {
		return this.pathHashes()[path]!.toString(36);
	}

	/** -1: there is none. */
	findPath(hash: string): number {
		return this.pathHashes().indexOf(parseInt(hash, 36), 1);
	}

	// ---- blocks ----

	private addMethod(method: Method): number {
		const key = methodKey(method);
		let id = this.methodByKey.get(key);

		if (id === undefined) {
			id = this.methods.length;
			this.methods.push(method);
			this.methodByKey.set(key, id);
		}
		return id;
	}

	private newPath(parent: number, method: number, recursion: number): number {
		const path = this.parents.length;

		this.parents.push(parent);
		this.pathMethods.push(method);
		this.recursions.push(recursion);
		this.firstChildren.push(-1);
		this.siblings.push(parent < 0 ? -1 : this.firstChildren.data[parent]!);
		if (parent >= 0) this.firstChildren.data[parent] = path;
		return path;
	}

	private slotOf(parent: number, method: number): number {
		const mask = this.slots.length - 1;
		let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(method, 0x85ebca6b)) >>> 7;

		for (slot &= mask; ; slot = (slot + 1) & mask) {
			const found = this.slots[slot]! - 1;

			if (found < 0 || (this.parents.data[found] === parent && this.pathMethods.data[found] === method))
				return slot;
		}
	}

	private growSlots(): void {
		this.slots = new Int32Array(2 * this.slots.length);
		for (let path = 1; path < this.pathCount; path++)
			this.slots[this.slotOf(this.parents.data[path]!, this.pathMethods.data[path]!)] = path + 1;
	}

	private takePath(parent: number, method: number, recursion: number): number {
		if (2 * this.pathCount > this.slots.length) this.growSlots();
		const slot = this.slotOf(parent, method);

		if (this.slots[slot] === 0) this.slots[slot] = this.newPath(parent, method, recursion) + 1;
		return this.slots[slot]! - 1;
	}

	private placeMethods(block: Block): Int32Array {
		const table = block.table('method');
		const placed = new Int32Array(Math.max(table.rows, 2));
		const text = (name: string, row: number) => block.text(table.get(name)[row]!);

		placed[METHOD_SMALL] = METHOD_SMALL;
		for (let row = 2; row < table.rows; row++) {
			const flags = table.get('flags')[row]!;

			placed[row] = this.addMethod({
				class: text('class', row),
				name: text('name', row),
				signature: text('signature', row),
				display: text('display', row) || text('name', row),
				file: text('file', row),
				kind: table.get('kind')[row]!,
				native: (flags & 1) !== 0,
				static: (flags & 2) !== 0,
			});
		}
		return placed;
	}

	/** Where a block that begins at a node has that node: path; others begin at the root. */
	add(block: Block, beginsAt = ROOT_PATH): Placement {
		const method = this.placeMethods(block);
		const table = block.table('node');
		const up = table.get('up');
		const methods = table.get('method');
		const recursion = table.get('recursion');
		const path = new Int32Array(table.rows);
		const parent = new Int32Array(table.rows);

		for (let row = 0; row < table.rows; row++) {
			if (up[row]! > row) throw new Error('a call path stands before the one it is below');
			parent[row] = up[row] === 0 ? -1 : row - up[row]!;
			path[row] =
				up[row] === 0 ? beginsAt : this.takePath(path[parent[row]!]!, method[methods[row]!]!, recursion[row]!);
		}
		return { path, method, parent };
	}
}

export function methodKey(method: Pick<Method, 'class' | 'name' | 'signature'>): string {
	return `${method.class}\0${method.name}\0${method.signature}`;
}
