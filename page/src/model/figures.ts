// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// figures: sums that know how far off they may be. A figure is a metric or, behind those, a condition that samples were
// taken on: an index as `lead` in the header of a block. The formulas are those of docs/page-data.md, "Sums".

import type { Header } from '../data/block';

export interface Figure {
	value: number | null; // null: not known
	error: number; // half the width of the interval; 0: none
	divided: boolean; // by samples: shown with ~
	/** Where the figure is not known: what samples say of it, a part of what is measured above, in no sum. */
	estimate?: number;
}

/** What adds up of a figure: the figure, what was counted beyond it, and the parts of the error. */
export class Sum {
	value: Float64Array;
	beyond: Float64Array | null;
	parts: Float64Array[];

	constructor(size: number, errors: boolean, divided: boolean) {
		this.value = new Float64Array(size);
		this.beyond = errors ? new Float64Array(size) : null;
		this.parts = Array.from({ length: errors ? (divided ? 4 : 3) : 0 }, () => new Float64Array(size));
	}

	get layers(): Float64Array[] {
		return this.beyond ? [this.value, this.beyond, ...this.parts] : [this.value];
	}

	/** Adds row `from` of another sum, of the same layers. */
	add(to: number, other: Sum, from: number): void {
		this.value[to]! += other.value[from]!;
		if (!this.beyond) return;
		this.beyond[to]! += other.beyond![from]!;
		for (let part = 0; part < this.parts.length; part++) this.parts[part]![to]! += other.parts[part]![from]!;
	}

	/** Takes it away: chance (the fourth part) is not taken back. */
	subtract(to: number, other: Sum, from: number): void {
		this.value[to]! -= other.value[from]!;
		if (!this.beyond) return;
		this.beyond[to]! -= other.beyond![from]!;
		for (let part = 0; part < this.parts.length; part++)
			this.parts[part]![to]! += part < 3 ? -other.parts[part]![from]! : other.parts[part]![from]!;
	}

	isDivided(row: number): boolean {
		return this.parts.length > 3 && this.parts[3]![row]! > 0;
	}

	error(row: number): number {
		if (!this.beyond) return 0;
		const [whole, common, square, chance] = this.parts as [Float64Array, Float64Array, Float64Array, Float64Array?];
		const value = this.value[row]!;
		/* What was counted less the figure is `beyond`. */
		const reach = Math.max(value, this.beyond[row]!, 0);
		const root = Math.sqrt(common[row]! ** 2 + Math.max(0, square[row]!));
		const error = Math.min(whole[row]!, root, reach);

		if (!chance || !(chance[row]! > 0)) return Math.round(error);
		return Math.round(Math.min(Math.hypot(error, Math.sqrt(chance[row]!)), reach));
	}
}

/** What is known of how often something was called. */
export interface Calls {
	calls: number | null;
	interpreted: number | null;
	jitted: number | null;
	native: number | null;
	sampled: boolean; // samples alone have found it
	counted: boolean; // some calls were counted, without their path
	atLeast: boolean; // its total is more, as paths were folded by the agent
}

export class CallSum {
	readonly calls: Float64Array;
	readonly interpreted: Float64Array;
	readonly jitted: Float64Array;
	readonly native: Float64Array;
	readonly nodes: Float64Array;
	readonly sampled: Float64Array;
	readonly counted: Float64Array;
	readonly atLeast: Uint8Array;

	constructor(size: number) {
		this.calls = new Float64Array(size);
		this.interpreted = new Float64Array(size);
		this.jitted = new Float64Array(size);
		this.native = new Float64Array(size);
		this.nodes = new Float64Array(size);
		this.sampled = new Float64Array(size);
		this.counted = new Float64Array(size);
		this.atLeast = new Uint8Array(size);
	}

	add(to: number, other: CallSum, from: number): void {
		this.calls[to]! += other.calls[from]!;
		this.interpreted[to]! += other.interpreted[from]!;
		this.jitted[to]! += other.jitted[from]!;
		this.native[to]! += other.native[from]!;
		this.nodes[to]! += other.nodes[from]!;
		this.sampled[to]! += other.sampled[from]!;
		this.counted[to]! += other.counted[from]!;
		this.atLeast[to]! |= other.atLeast[from]!;
	}

	isSampled(row: number): boolean {
		return this.sampled[row] === this.nodes[row] && this.nodes[row]! + this.counted[row]! > 0;
	}

	at(row: number): Calls {
		const sampled = this.isSampled(row);
		const counted = this.counted[row]! > 0;
		const known = this.sampled[row]! < this.nodes[row]! || this.nodes[row] === 0 || counted;
		const entered = this.calls[row]! > this.counted[row]! || !sampled;

		return {
			calls: known ? this.calls[row]! : null,
			interpreted: entered ? this.interpreted[row]! : null,
			jitted: entered ? this.jitted[row]! : null,
			native: entered ? this.native[row]! : null,
			sampled,
			counted,
			atLeast: this.atLeast[row] !== 0,
		};
	}
}

/** Metrics, then conditions. */
export interface FigureKind {
	name: string;
	unit: string;
	samples: boolean; // a number of samples, not a measured figure
	divided: boolean;
	errors: boolean;
	index: number; // among metrics, or conditions
}

export function figureKinds(header: Header): FigureKind[] {
	return [
		...header.metrics.map((metric, index) => ({
			name: metric.name,
			unit: metric.unit,
			samples: false,
			divided: metric.divided,
			errors: header.errors,
			index,
		})),
		...header.conditions.map((condition, index) => ({
			name: condition.name,
			unit: 'samples',
			samples: true,
			divided: false,
			errors: false,
			index,
		})),
	];
}

/** Things with figures: paths, methods, callers. Sums of a figure are made when it is first asked for. */
export abstract class Sums {
	private readonly sums: ({ base: Sum; cum: Sum } | undefined)[] = [];
	private callSum: CallSum | undefined;

	constructor(
		readonly kinds: FigureKind[],
		readonly size: number,
	) {}

	protected abstract sumFigure(kind: FigureKind): { base: Sum; cum: Sum };
	protected abstract sumCalls(): CallSum;

	figure(figure: number): { base: Sum; cum: Sum } {
		return (this.sums[figure] ??= this.sumFigure(this.kinds[figure]!));
	}

	get callCounts(): CallSum {
		return (this.callSum ??= this.sumCalls());
	}

	calls(row: number): Calls {
		return this.callCounts.at(row);
	}

	/** What of a figure is not known is not 0: that of a thing that samples alone have found, if it is not divided. */
	private known(kind: FigureKind, row: number): boolean {
		return kind.samples || kind.divided || !this.callCounts.isSampled(row);
	}

	private figureAt(figure: number, which: 'base' | 'cum', row: number): Figure {
		const kind = this.kinds[figure]!;
		const sum = this.figure(figure)[which];

		if (!this.known(kind, row))
			return { value: null, error: 0, divided: false, ...this.estimate(kind, which, row) };
		return { value: sum.value[row]!, error: sum.error(row), divided: sum.isDivided(row) };
	}

	protected estimate(_kind: FigureKind, _which: 'base' | 'cum', _row: number): { estimate?: number } {
		return {};
	}

	self(figure: number, row: number): Figure {
		return this.figureAt(figure, 'base', row);
	}

	total(figure: number, row: number): Figure {
		return this.figureAt(figure, 'cum', row);
	}
}
