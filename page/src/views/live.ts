// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// live: of a served page whose JVM runs: what the recording is doing, and the buttons that control it. It asks each second while the
// page is seen; hidden, it says so once, for browsers slow hidden pages down.

import type { App } from '../app';
import { control, fetchStatus, leave, type Status, type Verb } from '../data/server';
import { h } from '../ui/dom';
import { exact, percent, quantity } from '../ui/format';
import { cut, visible } from '../ui/names';

const PERIOD = 1000; /* ms */

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const list = (text: string): string[] =>
	text
		.split(',')
		.map((item) => item.trim())
		.filter(Boolean);

export function livePanel(app: App): HTMLElement {
	const state = h('p', { class: 'livestate' });
	const said = h('p', { class: 'said', role: 'status' });
	const label = h('input', {
		id: 'live-label',
		type: 'text',
		placeholder: 'name of the snapshot',
		'aria-label': 'Name of the snapshot',
		autocomplete: 'off',
	});
	const metrics = h('input', { id: 'live-metrics', type: 'text', placeholder: 'as set', autocomplete: 'off' });
	const threads = h('input', { id: 'live-threads', type: 'text', placeholder: 'all', autocomplete: 'off' });
	const buttons = new Map<Verb, HTMLButtonElement>();
	let timer = 0;
	let ended = false;

	const show = (status: Status) => {
		const recording = status.recording === true || status['state'] === 'recording';
		const words: string[] = [];
		const duration = number(status['duration_ns']);
		const overhead = number((status['overhead'] as Record<string, unknown> | null)?.['share']);
		const calls = number(status['calls']);

		ended = status.ended === true;
		if (ended) words.push('The JVM has ended: this is its whole recording.');
		else words.push(recording ? 'Recording' : 'Not recording');
		if (duration !== null && recording) words.push(quantity(duration, 'ns'));
		if (calls !== null && recording) words.push(`${quantity(calls, '')} calls`);
		if (number(status['threads_live']) !== null)
			words.push(`${exact(number(status['threads_live'])!)} threads live`);
		for (const [name, total] of Object.entries((status['totals'] ?? {}) as Record<string, { raw?: number }>)) {
			const raw = number(total?.raw);

			if (raw !== null)
				words.push(
					`${visible(cut(name, 40))} ${quantity(raw, /alloc|bytes/.test(name) ? 'bytes' : /cpu|wall/.test(name) ? 'ns' : '')}`,
				);
		}
		if (overhead !== null && recording) words.push(`probes cost ${percent(overhead, 1)} of the CPU time`);
		if (status['error']) words.push(`cannot write: ${visible(cut(String(status['error']), 200))}`);
		state.textContent = words.join(' \u00b7 ');
		buttons.get('start')!.disabled = recording || ended;
		for (const verb of ['stop', 'snapshot', 'reset'] as const) buttons.get(verb)!.disabled = !recording;
	};
	const poll = async () => {
		window.clearTimeout(timer);
		try {
			show(await fetchStatus(document.hidden));
		} catch {
			state.textContent = 'The server does not answer: jprof open has ended.';
			ended = true;
		}
		if (!ended && !document.hidden) timer = window.setTimeout(() => void poll(), PERIOD);
	};
	const act = async (verb: Verb) => {
		const options: Record<string, unknown> = {};

		if (verb === 'start' && list(metrics.value).length) options['metrics'] = list(metrics.value);
		if (verb === 'start' && list(threads.value).length) options['threads'] = list(threads.value);
		said.textContent = '';
		try {
			await control(verb, {
				...(verb === 'snapshot' && label.value ? { label: label.value } : {}),
				...(verb === 'start' ? { options } : {}),
			});
			said.textContent = {
				start: 'Started.',
				stop: 'Stopped.',
				snapshot: 'Made a snapshot.',
				reset: 'Begun anew.',
				refresh: 'Read again.',
			}[verb];
			/* Intervals of the recording before are none of this one's. */
			if (verb === 'start') app.choose({ interval: '', root: '' });
			await app.reload();
		} catch (error) {
			said.textContent = visible(cut((error as Error).message, 500));
		}
		await poll();
	};
	const button = (verb: Verb, text: string, title: string) => {
		const element = h('button', { type: 'button', id: `live-${verb}`, title, onclick: () => void act(verb) }, text);

		buttons.set(verb, element);
		return element;
	};

	document.addEventListener('visibilitychange', () => void poll());
	window.addEventListener('pagehide', leave);
	void poll();
	return h(
		'section',
		{ class: 'live', 'aria-label': 'Running JVM' },
		state,
		h(
			'div',
			{ class: 'buttons' },
			button('refresh', 'Refresh', 'show what was recorded until now'),
			button('snapshot', 'Snapshot', 'keep a copy of all counts: intervals begin and end there'),
			label,
			button('reset', 'Reset', 'what follows is shown from here on'),
			button('stop', 'Stop', 'end the recording'),
			button('start', 'Start', 'begin a recording'),
			h(
				'details',
				{ class: 'starting' },
				h('summary', {}, 'Options of a start'),
				h('label', {}, 'metrics ', metrics),
				h('label', {}, 'threads ', threads),
			),
		),
		said,
	);
}
