// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// tree: what the flame graph and the call tree show: paths as they were called, with recursion folded, or turned round:
// a method and its callers. One side, or two: the same nodes, and figures of each side.

import { CallSum, Sum, Sums, type Calls, type Figure, type FigureKind } from './figures';
import type { PathSums } from './profile';
import { METHOD_ROOT, METHOD_SMALL, ROOT_PATH, type Universe } from './universe';

export interface Figures {
	self(figure: number, row: number): Figure;
	total(figure: number, row: number): Figure;
	totalValue(figure: number, row: number): number;
	calls(row: number): Calls | null;
}

export interface CallTree {
	readonly root: number;
	readonly sides: Figures[];
	method(node: number): number;
	parent(node: number): number; // -1: the root has none
	/** Those that some side has; in no order. */
	children(node: number): number[];
	/** The path of the universe; -1: it is none. */
	path(node: number): number;
	/** Of "(small)": how many paths it stands for. */
	smallPaths(node: number): number;
}

class SumFigures implements Figures {
	constructor(private readonly sums: Sums) {}

	self(figure: number, row: number): Figure {
		return this.sums.self(figure, row);
	}
	total(figure: number, row: number): Figure {
		return this.sums.total(figure, row);
	}
	totalValue(figure: number, row: number): number {
		return this.sums.figure(figure).cum.value[row]!;
	}
	calls(row: number): Calls {
		return this.sums.calls(row);
	}
}

// ---- as it was called ----

export class PathTree implements CallTree {
	readonly sides: Figures[];
	private readonly universe: Universe;

	/** leads: by path, whether it is shown; null: all are. */
	constructor(
		private readonly sums: PathSums[],
		readonly root = ROOT_PATH,
		private readonly leads: Uint8Array | null = null,
	) {
		this.universe = sums[0]!.profile.universe;
		this.sides = sums.map((side) => new SumFigures(side));
	}

	method(node: number): number {
		return this.universe.methodOf[node]!;
	}
	parent(node: number): number {
		return node === this.root ? -1 : this.universe.parent[node]!;
	}
	children(node: number): number[] {
		return [...this.universe.children(node)].filter(
			(child) => (!this.leads || this.leads[child] === 1) && this.sums.some((side) => side.has(child)),
		);
	}
	path(node: number): number {
		return node;
	}
	smallPaths(node: number): number {
		return this.sums.reduce((most, side) => Math.max(most, side.smallPaths[node]!), 0);
	}
}

// ---- recursion folded: a call of a method that is on the path already is its outer call's ----

interface Folding {
	node: Int32Array; // by path: its node, or -1 outside the chosen paths
	outermost: Uint8Array; // by path: it is not folded into an outer call
	parent: number[]; // by node
	method: number[];
	path: number[]; // one of the node's
	children: number[][];
}

function foldRecursion(universe: Universe, size: number, from: number): Folding {
	const folding: Folding = {
		node: new Int32Array(size).fill(-1),
		outermost: new Uint8Array(size),
		parent: [-1],
		method: [universe.methodOf[from]!],
		path: [from],
		children: [[]],
	};
	const made = new Map<number, number>();

	folding.node[from] = 0;
	folding.outermost[from] = 1;
	for (let path = from + 1; path < size; path++) {
		const parent = folding.node[universe.parent[path]!]!;
		const method = universe.methodOf[path]!;

		if (parent < 0) continue;
		let node = -1;
		if (universe.recursion[path]! > 0)
			for (let at = parent; at >= 0 && node < 0; at = folding.parent[at]!)
				if (folding.method[at] === method) node = at;
		if (node < 0) {
			const key = parent * universe.methods.length + method;

			folding.outermost[path] = 1;
			node = made.get(key) ?? -1;
			if (node < 0) {
				node = folding.parent.length;
				made.set(key, node);
				folding.parent.push(parent);
				folding.method.push(method);
				folding.path.push(path);
				folding.children.push([]);
				folding.children[parent]!.push(node);
			}
		}
		folding.node[path] = node;
	}
	return folding;
}

class FoldedSums extends Sums {
	constructor(
		private readonly paths: PathSums,
		private readonly folding: Folding,
	) {
		super(paths.kinds, folding.parent.length);
	}

	private small: Float64Array | undefined;

	/** By node, of all its paths. */
	get smallPaths(): Float64Array {
		if (!this.small) {
			const small = (this.small = new Float64Array(this.size));
			const of = this.paths.smallPaths;

			this.folding.node.forEach((node, path) => node >= 0 && (small[node]! += of[path]!));
		}
		return this.small;
	}

	private addUp(to: Float64Array): void {
		for (let node = this.size - 1; node > 0; node--) to[this.folding.parent[node]!]! += to[node]!;
	}

	protected sumFigure(kind: FigureKind): { base: Sum; cum: Sum } {
		const of = this.paths.figure(this.kinds.indexOf(kind));
		const base = new Sum(this.size, kind.errors, kind.divided);
		const cum = new Sum(this.size, kind.errors, kind.divided);
		const { node, outermost } = this.folding;

		for (let path = 0; path < node.length; path++) {
			if (node[path]! < 0) continue;
			base.add(node[path]!, of.base, path);
			if (outermost[path]) cum.add(node[path]!, of.cum, path);
		}
		const plain = cum.value.slice();
		cum.layers.slice(0, 2).forEach((layer, i) => {
			layer.set(base.layers[i]!);
			this.addUp(layer);
		});
		/* Where calls have gone to an outer one, or came from inner ones, the error of the total is not known: as large as can be. */
		for (const part of cum.parts)
			for (let row = 0; row < this.size; row++) if (plain[row] !== cum.value[row]) part[row] = Infinity;
		return { base, cum };
	}

	protected sumCalls(): CallSum {
		const sum = new CallSum(this.size);
		const of = this.paths.callCounts;

		this.folding.node.forEach((node, path) => node >= 0 && sum.add(node, of, path));
		return sum;
	}
}

export class FoldedTree implements CallTree {
	readonly root = 0;
	readonly sides: Figures[];
	private readonly folding: Folding;
	private readonly sums: FoldedSums[];
	/** By node: it is shown; null: all are. */
	private readonly shown: Uint8Array | null = null;

	constructor(paths: PathSums[], from = ROOT_PATH, leads: Uint8Array | null = null) {
		this.folding = foldRecursion(paths[0]!.profile.universe, paths[0]!.size, from);
		if (leads) {
			const shown = (this.shown = new Uint8Array(this.folding.parent.length));

			this.folding.node.forEach((node, path) => node >= 0 && leads[path] && (shown[node] = 1));
		}
		this.sums = paths.map((side) => new FoldedSums(side, this.folding));
		this.sides = this.sums.map((side) => new SumFigures(side));
	}

	method(node: number): number {
		return this.folding.method[node]!;
	}
	parent(node: number): number {
		return this.folding.parent[node]!;
	}
	children(node: number): number[] {
		return this.folding.children[node]!.filter(
			(child) =>
				(!this.shown || this.shown[child] === 1) && this.sums.some((side) => side.callCounts.nodes[child]! > 0),
		);
	}
	path(node: number): number {
		return this.folding.path[node]!;
	}
	smallPaths(node: number): number {
		return this.sums.reduce((most, side) => Math.max(most, side.smallPaths[node]!), 0);
	}
}

// ---- turned round: below a method its callers, each with the part that is due to it ----

interface Origins {
	path: number[]; // whose figures count
	at: number[]; // the step of each that the node is for
}

/** Below the root: methods with what they used themselves; or, of one method, its callers with its totals. */
export class CallersTree implements CallTree {
	readonly root = 0;
	readonly sides: Figures[];
	private readonly universe: Universe;
	private readonly methods: number[];
	private readonly parents: number[] = [-1];
	private readonly origins: Origins[];
	private readonly expanded: (number[] | undefined)[] = [];
	private readonly values: number[][][]; /* by side, figure, node: what was asked for */

	constructor(
		private readonly sums: PathSums[],
		readonly of: number | null,
		from = ROOT_PATH,
		leads: Uint8Array | null = null,
	) {
		this.universe = sums[0]!.profile.universe;
		const inside = from === ROOT_PATH ? null : sums[0]!.below(from);
		const paths: number[] = [];

		for (let path = 1; path < sums[0]!.size; path++) {
			if ((inside && !inside[path]) || (leads && !leads[path])) continue;
			if (of === null ? sums.some((side) => side.has(path)) : this.isOuter(path, of)) paths.push(path);
		}
		this.methods = [of ?? METHOD_ROOT];
		this.origins = [{ path: paths, at: of === null ? paths.map(() => -1) : paths }];
		this.values = sums.map(() => []);
		this.sides = sums.map((_, side) => ({
			self: (figure, row) => (of === null && this.parents[row] === 0 ? this.figure(side, figure, row) : nothing),
			total: (figure, row) => this.figure(side, figure, row),
			totalValue: (figure, row) => this.value(side, figure, row),
			calls: (row) => (this.of === null && this.parents[row] !== 0 ? null : this.callsOf(side, row)),
		}));
	}

	private isOuter(path: number, method: number): boolean {
		return this.universe.methodOf[path] === method && this.universe.recursion[path] === 0;
	}

	/** What of a path counts: its self, or, of one method's paths, the total. */
	private sumOf(side: number, figure: number): Sum {
		return this.sums[side]!.figure(figure)[this.of === null ? 'base' : 'cum'];
	}

	private value(side: number, figure: number, row: number): number {
		const known = (this.values[side]![figure] ??= []);
		let value = known[row];

		if (value === undefined) {
			const sum = this.sumOf(side, figure).value;

			value = 0;
			for (const path of this.origins[row]!.path) value += sum[path]!;
			known[row] = value;
		}
		return value;
	}

	private figure(side: number, figure: number, row: number): Figure {
		const kind = this.sums[side]!.kinds[figure]!;
		const from = this.sumOf(side, figure);
		const sum = new Sum(1, kind.errors, kind.divided);
		let sampled = true;

		for (const path of this.origins[row]!.path) {
			sum.add(0, from, path);
			sampled &&= this.sums[side]!.callCounts.isSampled(path);
		}
		if (sampled && !kind.samples && !kind.divided) return nothing;
		return { value: sum.value[0]!, error: sum.error(0), divided: sum.isDivided(0) };
	}

	private callsOf(side: number, row: number): Calls {
		const sum = new CallSum(1);

		for (const path of this.origins[row]!.path) sum.add(0, this.sums[side]!.callCounts, path);
		return sum.at(0);
	}

	method(node: number): number {
		return this.methods[node]!;
	}
	parent(node: number): number {
		return this.parents[node]!;
	}
	path(): number {
		return -1;
	}
	smallPaths(node: number): number {
		const { path } = this.origins[node]!;

		return this.sums.reduce(
			(most, side) =>
				Math.max(
					most,
					path.reduce((all, origin) => all + side.smallPaths[origin]!, 0),
				),
			0,
		);
	}

	children(node: number): number[] {
		return (this.expanded[node] ??= this.expand(node));
	}

	private expand(node: number): number[] {
		const { path, at } = this.origins[node]!;
		const byMethod = new Map<number, Origins>();

		path.forEach((origin, i) => {
			const step = at[i]! < 0 ? origin : this.universe.parent[at[i]!]!;

			if (step <= ROOT_PATH) return;
			const method = this.universe.methodOf[step]!;
			let origins = byMethod.get(method);
			if (!origins) byMethod.set(method, (origins = { path: [], at: [] }));
			origins.path.push(origin);
			origins.at.push(step);
		});
		return [...byMethod].map(([method, origins]) => {
			this.methods.push(method);
			this.parents.push(node);
			this.origins.push(origins);
			return this.methods.length - 1;
		});
	}
}

const nothing: Figure = { value: null, error: 0, divided: false };

// ---- what views ask of any tree ----

/** By a figure of one side, the most first; equals by the order that they have. */
export function sortedChildren(tree: CallTree, node: number, figure: number, side: number): number[] {
	const of = tree.sides[side]!;

	return tree
		.children(node)
		.map((child) => ({ child, value: of.totalValue(figure, child), small: tree.method(child) === METHOD_SMALL }))
		.sort((a, b) => Number(a.small) - Number(b.small) || b.value - a.value || a.child - b.child)
		.map(({ child }) => child);
}
