// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// live_traces: of a recording that goes on: which traces are on, each with a switch; and the events that are kept, to be written.

import { control, type Status } from '../data/server';
import { h } from '../ui/dom';
import { cut, visible } from '../ui/names';

export interface TraceSwitches {
	element: HTMLElement;
	/** As the agent has it. */
	show(status: Status, records: boolean): void;
	/** Nothing can be switched. */
	disable(): void;
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** How much of the last events is kept, "10s"; null: all are written. */
function keptOf(status: Status): string | null {
	const keep = (status['options'] as Record<string, unknown> | undefined)?.['events_keep'];

	return typeof keep === 'string' && keep !== 'off' ? keep : null;
}

/** names: of all traces. say: what came of it, or the agent's reason. after: asks for the status. */
export function traceSwitches(names: string[], say: (what: string) => void, after: () => Promise<void>): TraceSwitches {
	let asked = 0; /* requests that are not answered: until then switches stay as the user has put them */

	const ask = async (what: string, change: { on?: string[]; off?: string[]; write?: boolean }, done: string) => {
		asked++;
		say('');
		try {
			await control('trace', change);
			say(done);
		} catch (error) {
			say(`${what}: ${error instanceof Error ? error.message : String(error)}`);
		}
		asked--;
		await after();
	};
	const switches = new Map(
		names.map((trace) => {
			const input = h('input', {
				id: `live-trace-${trace}`,
				type: 'checkbox',
				role: 'switch',
				onchange: () =>
					void (input.checked
						? ask(trace, { on: [trace] }, `The trace ${trace} is on.`)
						: ask(trace, { off: [trace] }, `The trace ${trace} is off.`)),
			});

			return [trace, input];
		}),
	);
	const write = h(
		'button',
		{
			type: 'button',
			id: 'live-write',
			hidden: true,
			onclick: () => void ask('write', { write: true }, 'The events that were kept are in the profile.'),
		},
		'Write events',
	);
	const element = h(
		'fieldset',
		{ class: 'switches', disabled: true },
		h('legend', {}, 'Traces'),
		[...switches].map(([trace, input]) => h('label', { class: 'toggle' }, input, visible(cut(trace, 40)))),
		write,
	);

	return {
		element,
		show(status, records) {
			const on = texts(status['traces']);
			const kept = keptOf(status);

			element.disabled = !records;
			write.hidden = kept === null;
			write.title = `put what is kept of events, ${visible(cut(kept ?? '', 20))}, into the profile`;
			if (asked > 0) return;
			for (const [trace, input] of switches) input.checked = records && on.includes(trace);
		},
		disable() {
			element.disabled = true;
		},
	};
}
