// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// thread_facts: what the view `threads` of reports says of a thread.

import type { ThreadRow } from '../model/profile';

export const num = (row: ThreadRow, key: string): number | null => {
	const value = row.report?.[key];

	return typeof value === 'number' ? value : null;
};

export const amount = (row: ThreadRow, group: string, key: string): number | null => {
	const value = (row.report?.[group] as Record<string, unknown> | undefined)?.[key];

	return typeof value === 'number' ? value : null;
};

/** null: it lives, or its end is not known. */
export function endOf(row: ThreadRow): number | null {
	const ended = num(row, 'ended');

	return ended !== null && ended >= (num(row, 'started') ?? 0) ? ended : null;
}

/** What a thread did of an interval; null: not known. */
export interface Doing {
	ran: number;
	queued: number;
	lived: number;
}

export function doingOf(thread: ThreadRow | undefined): Doing | null {
	if (!thread?.report) return null;
	if (thread.jvm) return null;
	const ran = amount(thread, 'total', 'cpu');
	const lived = amount(thread, 'total', 'wall');

	return ran === null || lived === null || lived <= 0 ? null : { ran, queued: num(thread, 'waited') ?? 0, lived };
}
