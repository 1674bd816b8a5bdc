// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// segments: intervals between snapshots next to each other, of which a time line is made.

import type { ReportRow } from '../data/block';

export interface Segment {
	interval: string;
	from: number; // -Infinity: the recording's begin
	to: number; // Infinity: its end
}

/** Those that reach into what is shown, from `begin` to `end`: that may be a part of the recording. */
export function neighbours(
	intervals: { interval: string; from: string | null; to: string | null }[],
	snapshots: ReportRow[],
	begin: number,
	end: number,
): Segment[] {
	const moments = new Map(
		snapshots.filter((row) => row['kind'] !== 'mark').map((row) => [String(row['label']), Number(row['at'])]),
	);
	const times = [-Infinity, ...[...new Set(moments.values())].sort((a, b) => a - b), Infinity];
	const found: Segment[] = [];

	for (const { interval, from, to } of intervals) {
		if (interval === '' || (from === null && to === null)) continue;
		const start = from === null ? -Infinity : moments.get(from);
		const stop = to === null ? Infinity : moments.get(to);

		if (start === undefined || stop === undefined || times.indexOf(stop) !== times.indexOf(start) + 1) continue;
		if (stop > begin && start < end) found.push({ interval, from: start, to: stop });
	}
	return found;
}
