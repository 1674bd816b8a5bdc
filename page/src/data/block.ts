// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// block: what a profile holds of one interval, as docs/page-data.md describes it.

import type { Choice } from '../state/choice';

export interface Metric {
	name: string;
	unit: string;
	divided: boolean;
	condition: number | null;
}

export interface Condition {
	name: string;
	asked: string;
	event: string;
	period: number;
	unit: string;
}

/** What `jprof report --view V --format json` prints. Cells are whatever that view has. */
export type ReportRow = Record<string, unknown>;
export interface Report {
	view: string;
	rows: ReportRow[];
	[more: string]: unknown;
}

export interface Header {
	version: number;
	jprof: string;
	title: string;
	side: number;
	interval: string;
	begin: number;
	end: number | null;
	intervals: { interval: string; from: string | null; to: string | null }[];
	metrics: Metric[];
	conditions: Condition[];
	lead: number;
	errors: boolean;
	strings: string[];
	folded: { limit: number; paths: number } | null;
	root: number;
	chosen?: Partial<Choice>;
	notes?: string[];
	records?: number;
	traces?: { name: string; on: string }[];
	views: Record<string, Report | undefined>;
	states?: string[];
	io_kinds?: string[];
	file_kinds?: string[];
	columns: { table: string; name: string; type: string; count: number; bytes: number }[];
}

export type Column = Float64Array | Uint8Array | Float32Array;

/** The columns of one table, and how many rows it has. Columns that the block lacks read as zeros. */
export class Table {
	rows = 0;
	private readonly columns = new Map<string, Column>();

	put(name: string, column: Column): void {
		this.columns.set(name, column);
		this.rows = Math.max(this.rows, column.length);
	}

	has(name: string): boolean {
		return this.columns.has(name);
	}

	get(name: string): Column {
		return this.columns.get(name) ?? new Uint8Array(this.rows);
	}
}

export class Block {
	readonly tables = new Map<string, Table>();

	/** Reports that are of all that was recorded, though this has a part of it. */
	readonly ofAll = new Set<string>();

	constructor(readonly header: Header) {}

	/** Takes what a part cannot tell apart from the block that has all. */
	borrow(whole: Block): void {
		for (const [view, report] of Object.entries(whole.header.views)) {
			if (this.header.views[view] || !report) continue;
			this.header.views[view] = report;
			this.ofAll.add(view);
		}
	}

	table(name: string): Table {
		return this.tables.get(name) ?? new Table();
	}

	text(index: number): string {
		return this.header.strings[index] ?? '';
	}

	report(view: string): ReportRow[] {
		return this.header.views?.[view]?.rows ?? [];
	}
}
