// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// profile: a block in its place in the universe, and its sums for the chosen threads: by path, by method, by caller.

import type { Block, Table } from '../data/block';
import { CallSum, figureKinds, Sum, Sums, type FigureKind } from './figures';
import { METHOD_ROOT, METHOD_SMALL, ROOT_PATH, type Placement, type Universe } from './universe';

const FLAG_SAMPLED = 1;
const FLAG_AT_LEAST = 2;
const FLAG_SMALL = 4;

export interface ThreadRow {
	row: number;
	/** The same in every block of a profile, whose rows differ. */
	index: number;
	name: string;
	jvm: boolean;
	/** Its row in the view `threads`; null: it was idle. */
	report: Record<string, unknown> | null;
}

export class Profile {
	readonly kinds: FigureKind[];
	readonly threads: ThreadRow[];
	readonly nodes: Table;
	readonly flat: Table;
	readonly placement: Placement;
	/** Whether a row of `flat` or `node` is of a chosen thread is asked of this. */
	private readonly nodeThread;
	private readonly flatThread;
	private readonly sums = new Map<string, PathSums>();

	constructor(
		readonly block: Block,
		readonly universe: Universe,
		readonly beginsAt = ROOT_PATH,
	) {
		this.kinds = figureKinds(block.header);
		this.nodes = block.table('node');
		this.flat = block.table('flat');
		this.placement = universe.add(block, beginsAt);
		this.nodeThread = this.nodes.get('thread');
		this.flatThread = this.flat.get('thread');
		this.threads = readThreads(block);
	}

	/** The threads that are summed up where none is chosen. */
	get programThreads(): number[] {
		return this.threads.filter((thread) => !thread.jvm).map((thread) => thread.row);
	}

	/** It is of what is below one node alone, of one thread. */
	get isPart(): boolean {
		return this.block.header.root !== 0;
	}

	/** Rows of threads; null: none is chosen, so those of the program; of an empty list nothing counts. */
	threadMask(threads: number[] | null): Uint8Array {
		const mask = new Uint8Array(this.threads.length);

		for (const thread of threads ?? this.programThreads) mask[thread] = 1;
		return mask;
	}

	pathSums(threads: number[] | null): PathSums {
		const key = threads ? threads.join() : 'program';
		let sums = this.sums.get(key);

		if (!sums || sums.size !== this.universe.pathCount) {
			/* A few choices are kept; others are quick enough to make again. */
			if (this.sums.size >= 4) this.sums.delete(this.sums.keys().next().value!);
			this.sums.set(key, (sums = new PathSums(this, this.threadMask(threads))));
		}
		return sums;
	}

	get nodeThreads() {
		return this.nodeThread;
	}
	get flatThreads() {
		return this.flatThread;
	}

	isSmall(node: number): boolean {
		return (this.nodes.get('flags')[node]! & FLAG_SMALL) !== 0;
	}
}

function readThreads(block: Block): ThreadRow[] {
	const table = block.table('thread');
	const [index, name, jvm] = [table.get('index'), table.get('name'), table.get('jvm')];
	const reports = new Map(block.report('threads').map((row) => [Number(row['index']), row]));

	return Array.from({ length: table.rows }, (_, row) => ({
		row,
		index: index[row]!,
		name: block.text(name[row]!),
		jvm: jvm[row] !== 0,
		report: reports.get(index[row]!) ?? null,
	}));
}

/** Names of columns of a figure: base0, be0_0..., samples0. */
function columnsOf(kind: FigureKind, which: 'base' | 'cum', table: Table): Float64Array[] {
	if (kind.samples) return [table.get(`${which === 'base' ? 'samples' : 'cumsamples'}${kind.index}`) as Float64Array];
	const error = which === 'base' ? 'be' : 'ce';
	const names = [`${which}${kind.index}`];

	if (kind.errors) {
		names.push(which === 'base' ? `counted${kind.index}` : `cumcounted${kind.index}`);
		for (let part = 0; part < (kind.divided ? 4 : 3); part++) names.push(`${error}${part}_${kind.index}`);
	}
	return names.map((name) => table.get(name) as Float64Array);
}

function addRows(
	to: Float64Array,
	place: Int32Array,
	from: Float64Array,
	thread: ArrayLike<number>,
	mask: Uint8Array,
): void {
	for (let row = 0; row < place.length; row++) if (mask[thread[row]!]) to[place[row]!]! += from[row]!;
}

/** By path. */
export class PathSums extends Sums {
	constructor(
		readonly profile: Profile,
		readonly mask: Uint8Array,
	) {
		super(profile.kinds, profile.universe.pathCount);
	}

	private addUp(to: Float64Array): void {
		const parent = this.profile.universe.parent;

		for (let path = this.size - 1; path > 0; path--) to[parent[path]!]! += to[path]!;
	}

	protected sumFigure(kind: FigureKind): { base: Sum; cum: Sum } {
		const { nodes, placement, nodeThreads } = this.profile;
		const base = new Sum(this.size, kind.errors, kind.divided);
		const cum = new Sum(this.size, kind.errors, kind.divided);
		const own = columnsOf(kind, 'base', nodes);
		const below = columnsOf(kind, 'cum', nodes);

		base.layers.forEach((layer, i) => addRows(layer, placement.path, own[i]!, nodeThreads, this.mask));
		/* The figure and what was counted go up along the path; errors are those of the total already. */
		cum.layers.forEach((layer, i) => {
			if (i < 2) {
				layer.set(base.layers[i]!);
				this.addUp(layer);
			} else {
				addRows(layer, placement.path, below[i]!, nodeThreads, this.mask);
			}
		});
		return { base, cum };
	}

	protected sumCalls(): CallSum {
		const { nodes, placement, nodeThreads } = this.profile;
		const sum = new CallSum(this.size);
		const flags = nodes.get('flags');
		const { path } = placement;
		const { mask } = this;

		for (const name of ['calls', 'interpreted', 'jitted', 'native'] as const)
			addRows(sum[name], path, nodes.get(name) as Float64Array, nodeThreads, mask);
		for (let node = 0; node < path.length; node++) {
			if (!mask[nodeThreads[node]!]) continue;
			sum.nodes[path[node]!]! += 1;
			if (flags[node]! & FLAG_SAMPLED) sum.sampled[path[node]!]! += 1;
			if (flags[node]! & FLAG_AT_LEAST) sum.atLeast[path[node]!] = 1;
		}
		return sum;
	}

	private readonly methods = new Map<number, MethodSums>();

	/** Sums by method, of all paths or of those below one. */
	methodSums(from = ROOT_PATH): MethodSums {
		let sums = this.methods.get(from);

		if (!sums) this.methods.set(from, (sums = new MethodSums(this, from)));
		return sums;
	}

	private readonly estimates = new Map<string, Float64Array>();

	protected override estimate(kind: FigureKind, which: 'base' | 'cum', row: number): { estimate?: number } {
		const name = `${which === 'base' ? 'estimate' : 'estimatecum'}${kind.index}`;
		const { nodes, placement, nodeThreads } = this.profile;

		if (kind.samples || !nodes.has(name)) return {};
		let sums = this.estimates.get(name);
		if (!sums) {
			this.estimates.set(name, (sums = new Float64Array(this.size)));
			addRows(sums, placement.path, nodes.get(name) as Float64Array, nodeThreads, this.mask);
		}
		return sums[row]! > 0 ? { estimate: sums[row]! } : {};
	}

	private small: Float64Array | undefined;

	/** By path: how many paths a "(small)" stands for; of others 0. */
	get smallPaths(): Float64Array {
		const { nodes, placement, nodeThreads } = this.profile;

		if (!this.small) {
			this.small = new Float64Array(this.size);
			addRows(this.small, placement.path, nodes.get('paths') as Float64Array, nodeThreads, this.mask);
		}
		return this.small;
	}

	/** Of a path with folded ones below it: the node that has most of them (its id and thread). */
	nodeOf(path: number): { id: number; thread: number } | null {
		const { nodes, placement, nodeThreads } = this.profile;
		const id = nodes.get('id');
		const paths = nodes.get('paths');
		let best: { id: number; thread: number; paths: number } | null = null;

		for (let node = 0; node < placement.path.length; node++) {
			const parent = placement.parent[node]!;

			if (
				parent < 0 ||
				placement.path[parent] !== path ||
				!this.profile.isSmall(node) ||
				!this.mask[nodeThreads[node]!]
			)
				continue;
			if (id[parent]! > 0 && (!best || paths[node]! > best.paths))
				best = { id: id[parent]!, thread: nodeThreads[node]!, paths: paths[node]! };
		}
		return best;
	}

	/** True of paths that the chosen threads have. */
	has(path: number): boolean {
		return this.callCounts.nodes[path]! > 0;
	}

	/** By path: 1 for a path and all below it. */
	below(path: number): Uint8Array {
		const inside = new Uint8Array(this.size);
		const parent = this.profile.universe.parent;

		inside[path] = 1;
		for (let at = path + 1; at < this.size; at++) if (inside[parent[at]!]) inside[at] = 1;
		return inside;
	}
}

/** By method of the universe: of all paths, or of those below one. */
export class MethodSums extends Sums {
	private readonly inside: Uint8Array | null;
	/* By method: how often it is on the way to the chosen path, its own method left out. */
	private readonly above = new Map<number, number>();

	constructor(
		readonly paths: PathSums,
		readonly from = ROOT_PATH,
	) {
		super(paths.kinds, paths.profile.universe.methods.length);
		const universe = paths.profile.universe;

		this.inside = from === ROOT_PATH ? null : paths.below(from);
		for (const step of universe.steps(from).slice(0, -1)) {
			const method = universe.methodOf[step]!;

			this.above.set(method, (this.above.get(method) ?? 0) + 1);
		}
	}

	/** Calls f with each path that counts, its method, and whether no call of it is around. */
	private eachPath(f: (path: number, method: number, outermost: boolean) => void): void {
		const { methodOf, recursion } = this.paths.profile.universe;
		const { above, inside } = this;

		for (let path = 0; path < this.paths.size; path++) {
			const method = methodOf[path]!;

			if (method === METHOD_SMALL || (inside && !inside[path])) continue;
			f(path, method, recursion[path]! === (above.size ? (above.get(method) ?? 0) : 0));
		}
	}

	protected sumFigure(kind: FigureKind): { base: Sum; cum: Sum } {
		const { profile, mask } = this.paths;
		const of = this.paths.figure(this.kinds.indexOf(kind));
		const base = new Sum(this.size, kind.errors, kind.divided);
		const cum = new Sum(this.size, kind.errors, kind.divided);

		this.eachPath((path, method, outermost) => {
			base.add(method, of.base, path);
			if (outermost) cum.add(method, of.cum, path);
		});
		if (this.inside) return { base, cum };
		const place = flatMethods(profile);
		base.layers.forEach((layer, i) =>
			addRows(layer, place, columnsOf(kind, 'base', profile.flat)[i]!, profile.flatThreads, mask),
		);
		cum.layers.forEach((layer, i) =>
			addRows(layer, place, columnsOf(kind, 'cum', profile.flat)[i]!, profile.flatThreads, mask),
		);
		return { base, cum };
	}

	protected sumCalls(): CallSum {
		const { profile, mask } = this.paths;
		const { flat, flatThreads } = profile;
		const sum = new CallSum(this.size);
		const of = this.paths.callCounts;

		this.eachPath((path, method) => sum.add(method, of, path));
		if (this.inside) return sum;
		const place = flatMethods(profile);
		for (const name of ['calls', 'interpreted', 'jitted', 'native', 'nodes', 'sampled'] as const)
			addRows(sum[name], place, flat.get(name) as Float64Array, flatThreads, mask);
		const flags = flat.get('flags');
		for (let row = 0; row < place.length; row++)
			if (mask[flatThreads[row]!] && flags[row]! & FLAG_AT_LEAST) sum.atLeast[place[row]!] = 1;
		addCounted(profile, mask, sum);
		return sum;
	}

	/** Methods that the chosen paths have, in no order. */
	seen(): number[] {
		const { nodes, counted } = this.callCounts;
		const seen: number[] = [];

		for (let method = METHOD_SMALL + 1; method < this.size; method++)
			if (nodes[method]! > 0 || counted[method]! > 0) seen.push(method);
		return seen;
	}
}

/** By row of `flat`: the method. */
export function flatMethods(profile: Profile): Int32Array {
	const method = profile.flat.get('method');

	return Int32Array.from({ length: profile.flat.rows }, (_, row) => profile.placement.method[method[row]!]!);
}

/** Calls that were counted without a path. */
function addCounted(profile: Profile, mask: Uint8Array, sum: CallSum): void {
	const table = profile.block.table('counted');
	const thread = table.get('thread');
	const method = table.get('method');
	const calls = table.get('calls');

	for (let row = 0; row < table.rows; row++) {
		if (!mask[thread[row]!]) continue;
		const at = profile.placement.method[method[row]!]!;

		sum.calls[at]! += calls[row]!;
		sum.counted[at]! += calls[row]!;
	}
}

/**
 * By method at the other end of an edge: those that called a method, or those that it called, within the paths of
 * `methods`. What is seen from both ends is not the same where a method calls itself through others:
 *
 *      P -- A(M) -- C -- ... -- N(M)
 *
 * seen from the callers' side, what N used is A's already; seen from the callees' side, what M passed down to C is
 * without N's part, which is M's own again. So the totals of callers come to M's total, those of callees to its total
 * less its self.
 */
export class EdgeSums extends Sums {
	constructor(
		readonly methods: MethodSums,
		readonly of: number,
		readonly side: 'callers' | 'callees',
	) {
		super(methods.kinds, methods.size);
	}

	/** What is outside the chosen paths is not looked at; a path's own call is. */
	private *pathsOf(): Generator<number> {
		const { paths, from } = this.methods;
		const { methodOf } = paths.profile.universe;
		const inside = from === ROOT_PATH ? null : paths.below(from);

		for (let path = 1; path < paths.size; path++)
			if (methodOf[path] === this.of && (!inside || inside[path])) yield path;
	}

	/** The next path of the same method above, and the step below it on the way; null: there is none. */
	private outer(path: number): { outer: number; step: number } | null {
		const { parent, methodOf } = this.methods.paths.profile.universe;
		const { from } = this.methods;

		for (let step = path; step !== from; step = parent[step]!) {
			const at = parent[step]!;

			if (at <= ROOT_PATH) return null;
			if (methodOf[at] === this.of) return { outer: at, step };
		}
		return null;
	}

	protected sumFigure(kind: FigureKind): { base: Sum; cum: Sum } {
		const { paths, from } = this.methods;
		const { universe } = paths.profile;
		const { methodOf, parent } = universe;
		const index = this.kinds.indexOf(kind);
		const of = paths.figure(index);
		const base = new Sum(this.size, kind.errors, kind.divided);
		const cum = new Sum(this.size, kind.errors, kind.divided);

		for (const path of this.pathsOf()) {
			const outer = this.outer(path);

			if (this.side === 'callers') {
				const caller = methodOf[parent[path]!]!;

				base.add(caller, of.base, path);
				if (!outer) cum.add(caller, of.cum, path);
				continue;
			}
			for (const child of universe.children(path)) {
				base.add(methodOf[child]!, of.base, child);
				cum.add(methodOf[child]!, of.cum, child);
			}
			if (outer) cum.subtract(methodOf[outer.step]!, of.cum, path);
		}
		if (from === ROOT_PATH) this.addFlat(kind, base, cum);
		return { base, cum };
	}

	/** Of calls on folded paths the other end is not known: "(small)". */
	private addFlat(kind: FigureKind, base: Sum, cum: Sum): void {
		const { profile, mask } = this.methods.paths;
		const { flat, flatThreads } = profile;
		const own = columnsOf(kind, 'base', flat);
		const total = columnsOf(kind, 'cum', flat);
		const method = flatMethods(profile);

		for (let row = 0; row < method.length; row++) {
			if (method[row] !== this.of || !mask[flatThreads[row]!]) continue;
			cum.layers.forEach((layer, i) => (layer[METHOD_SMALL]! += total[i]![row]!));
			if (this.side === 'callers') base.layers.forEach((layer, i) => (layer[METHOD_SMALL]! += own[i]![row]!));
			/* What the method used on such paths itself is not passed down. */ else
				cum.layers.forEach((layer, i) => i < 2 && (layer[METHOD_SMALL]! -= own[i]![row]!));
		}
	}

	protected sumCalls(): CallSum {
		const { paths, from } = this.methods;
		const { profile, mask } = paths;
		const { universe, flat, flatThreads } = profile;
		const { methodOf, parent } = universe;
		const of = paths.callCounts;
		const sum = new CallSum(this.size);

		for (const path of this.pathsOf()) {
			if (this.side === 'callers') sum.add(methodOf[parent[path]!]!, of, path);
			else for (const child of universe.children(path)) sum.add(methodOf[child]!, of, child);
		}
		if (from !== ROOT_PATH || this.side !== 'callers') return sum;
		const method = flatMethods(profile);
		for (let row = 0; row < method.length; row++)
			if (method[row] === this.of && mask[flatThreads[row]!])
				for (const name of ['calls', 'interpreted', 'jitted', 'native', 'nodes', 'sampled'] as const)
					sum[name][METHOD_SMALL]! += flat.get(name)[row]!;
		return sum;
	}

	/** The methods at the other ends; METHOD_ROOT: nothing that was recorded called it. */
	ends(): number[] {
		const { nodes } = this.callCounts;
		const ends: number[] = [];

		for (let method = METHOD_ROOT; method < this.size; method++)
			if (nodes[method]! > 0 || (method === METHOD_SMALL && this.hasSmall())) ends.push(method);
		return ends;
	}

	private hasSmall(): boolean {
		return this.kinds.some((_, figure) => this.figure(figure).cum.value[METHOD_SMALL] !== 0);
	}
}
