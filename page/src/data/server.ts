// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// server: what a served page asks `jprof open` for. All addresses are relative to the page's own.

import { CHOICE_KINDS, CHOICE_WORDS, type Choice } from '../state/choice';
import type { Report } from './block';
import { inflate } from './embedded';

export interface BlockWish {
	interval?: string;
	root?: number;
	limit?: number;
	threads?: number[];
	choice?: Choice;
}

/** {"error": "..."}, or what HTTP says. */
async function whyNot(response: Response): Promise<string> {
	const answer = (await response.json().catch(() => null)) as { error?: unknown } | null;

	return typeof answer?.error === 'string'
		? answer.error
		: `the server answers ${response.status} ${response.statusText}`;
}

/** The server answered, that it does not give what it was asked for. */
export class Refused extends Error {}

async function get(address: string): Promise<Response> {
	const response = await fetch(address, { cache: 'no-store' });

	if (!response.ok) throw new Refused(await whyNot(response));
	return response;
}

function query(parts: Record<string, string | number | undefined>, choice?: Choice): string {
	const given: [string, string][] = Object.entries(parts)
		.filter(([, value]) => value !== undefined && value !== '')
		.map(([key, value]) => [key, String(value)]);

	if (choice)
		for (const kind of CHOICE_KINDS) for (const text of choice[kind]) given.push([CHOICE_WORDS[kind].name, text]);
	return given.length ? '?' + new URLSearchParams(given).toString() : '';
}

export async function fetchBlock(wish: BlockWish): Promise<Uint8Array> {
	const { threads, choice, ...rest } = wish;
	const response = await get('block' + query({ ...rest, threads: threads?.join(',') }, choice));

	return inflate(new Uint8Array(await response.arrayBuffer()));
}

/** What `jprof report --view VIEW --format json` prints of what is chosen of the interval. */
export async function fetchReport(view: string, interval: string, choice: Choice): Promise<Report> {
	return (await (await get('report' + query({ view, interval }, choice))).json()) as Report;
}

export type Status = Record<string, unknown> & { recording?: boolean; ended?: boolean };

/** hidden: nobody sees the page; the server then waits longer for the next request. */
export async function fetchStatus(hidden: boolean): Promise<Status> {
	return (await (await get(hidden ? 'status?hidden=1' : 'status')).json()) as Status;
}

/** The page goes away, or is loaded again. */
export function leave(): void {
	navigator.sendBeacon('control', new Blob(['{"verb":"leave"}'], { type: 'application/json' }));
}

export type Verb = 'start' | 'stop' | 'snapshot' | 'reset' | 'refresh' | 'trace';

/** What is sent with a verb: a snapshot's label; a start's options; which traces to switch, and whether to write kept events. */
export interface Details {
	label?: string;
	options?: Record<string, unknown>;
	on?: string[];
	off?: string[];
	write?: boolean;
}

/** Throws what the server says went wrong. */
export async function control(verb: Verb, details: Details = {}): Promise<void> {
	const response = await fetch('control', {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify({ verb, ...details }),
	});
	const answer = (await response.json().catch(() => ({ ok: false, error: response.statusText }))) as {
		ok: boolean;
		error?: string;
	};

	if (!answer.ok) throw new Error(answer.error ?? 'no answer');
}
