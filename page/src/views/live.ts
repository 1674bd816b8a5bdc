// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// live: of a served page whose JVM runs: what the recording is doing, and the buttons that control it.

import type { App } from '../app';
import { startHeartbeat } from '../data/heartbeat';
import { control, type Details, type Status, type Verb } from '../data/server';
import { h } from '../ui/dom';
import { exact, percent, quantity } from '../ui/format';
import { cut, visible } from '../ui/names';
import { traceSwitches } from './live_traces';

/** Verbs that have a button; traces have switches. */
type Button = Exclude<Verb, 'trace'>;

const SAID: Record<Button, string> = {
	start: 'Started.',
	stop: 'Stopped.',
	snapshot: 'Made a snapshot.',
	reset: 'Begun anew.',
	refresh: 'Read again.',
};

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const list = (text: string): string[] =>
	text
		.split(',')
		.map((item) => item.trim())
		.filter(Boolean);

const isRecording = (status: Status): boolean => status.recording === true || status['state'] === 'recording';

/** "Recording · 13.9 s · 350 M calls · cpu 2.82 s": what an answer says of the recording. */
function statusText(status: Status): string {
	const words = [status.ended ? 'The JVM has ended: this is its whole recording.' : 'Not recording'];
	const overhead = number((status['overhead'] as Record<string, unknown> | null)?.['share']);
	const live = number(status['threads_live']);

	if (isRecording(status)) {
		words[0] = 'Recording';
		words.push(
			quantity(number(status['duration_ns']) ?? 0, 'ns'),
			`${quantity(number(status['calls']) ?? 0, '')} calls`,
		);
		if (live !== null) words.push(live === 1 ? '1 thread lives' : `${exact(live)} threads live`);
		for (const [metric, total] of Object.entries((status['totals'] ?? {}) as Record<string, { raw?: number }>)) {
			const unit = /^(cpu|wall)$/.test(metric) ? 'ns' : /^(alloc|vm-bytes)$/.test(metric) ? 'bytes' : '';
			const raw = number(total?.raw);

			if (raw !== null) words.push(`${visible(cut(metric, 40))} ${quantity(raw, unit)}`);
		}
		if (overhead !== null) words.push(`probes cost ${percent(overhead, 1)} of the CPU time`);
	}
	if (status['error']) words.push(`cannot write: ${visible(cut(String(status['error']), 200))}`);
	return words.join(' \u00b7 ');
}

export function livePanel(app: App): HTMLElement {
	const state = h('p', { class: 'livestate' });
	const said = h('p', { class: 'said', role: 'status' });
	const field = (id: string, placeholder: string, label?: string) =>
		h('input', { id, type: 'text', placeholder, 'aria-label': label, autocomplete: 'off' });
	const label = field('live-label', 'name of the snapshot', 'Name of the snapshot');
	const metrics = field('live-metrics', 'as set');
	const threads = field('live-threads', 'all');
	const buttons = new Map<Button, HTMLButtonElement>();
	let ended = false;

	const show = (status: Status) => {
		state.textContent = statusText(status);
		buttons.get('start')!.disabled = isRecording(status) || status.ended === true;
		for (const verb of ['stop', 'snapshot', 'reset'] as const) buttons.get(verb)!.disabled = !isRecording(status);
		traces.show(status, isRecording(status));
		/* Its last rows may not have been read. */
		if (status.ended && !ended) void control('refresh').then(() => app.reload(), say);
		ended = status.ended === true;
	};
	const say = (what: unknown) => {
		said.textContent = visible(cut(what instanceof Error ? what.message : String(what), 500));
	};
	const traces = traceSwitches(app.server?.traces ?? [], say, () => heart.beat());
	const heart = startHeartbeat(
		show,
		() => {
			state.textContent = 'The server does not answer any more: jprof open has ended.';
			for (const button of buttons.values()) button.disabled = true;
			traces.disable();
		},
		(why) => {
			state.textContent = `No status: ${visible(cut(why, 500))}`;
		},
	);
	const detailsOf = (verb: Button): Details => {
		if (verb === 'snapshot') return label.value ? { label: label.value } : {};
		if (verb !== 'start') return {};
		const chosen = { metrics: list(metrics.value), threads: list(threads.value) };
		return { options: Object.fromEntries(Object.entries(chosen).filter(([, values]) => values.length > 0)) };
	};
	const act = async (verb: Button) => {
		say('');
		try {
			await control(verb, detailsOf(verb));
			say(SAID[verb]);
			/* Intervals of the recording before are none of this one's. */
			if (verb === 'start') app.choose({ interval: '', root: '' });
			await app.reload();
		} catch (error) {
			say(error);
		}
		await heart.beat();
	};
	const button = (verb: Button, text: string, title: string) => {
		const element = h('button', { type: 'button', id: `live-${verb}`, title, onclick: () => void act(verb) }, text);

		buttons.set(verb, element);
		return element;
	};

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
		traces.element,
		said,
	);
}
