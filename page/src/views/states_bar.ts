// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// states_bar: what ran, by samples: interpreted, compiled, libraries, the JVM's own work.

import type { Context } from '../app';
import { byState } from '../model/places';
import { h, sized } from '../ui/dom';
import { exact, percent } from '../ui/format';
import { cut, name, visible } from '../ui/names';
import { isDark } from '../ui/theme';
import { fill } from './colours';
import { conditionOf } from './columns';

const STATE_ORDER = [
	'interpreted',
	'c1',
	'c1-inlined',
	'c2',
	'c2-inlined',
	'stub',
	'native',
	'jvm',
	'kernel',
	'gc',
	'jit',
	'waiting',
	'unknown',
];
const STATE_WORDS = new Map(
	Object.entries({
		interpreted: 'interpreted',
		c1: 'compiled (C1)',
		'c1-inlined': 'inlined (C1)',
		c2: 'compiled (C2)',
		'c2-inlined': 'inlined (C2)',
		stub: 'stubs',
		native: 'libraries',
		jvm: 'JVM',
		kernel: 'kernel',
		gc: 'collecting',
		jit: 'compiling',
		waiting: 'waiting',
		unknown: 'not known',
	}),
);
const stateWords = (state: string): string => STATE_WORDS.get(state) ?? visible(cut(state, 40));

export function statesBar(context: Context): HTMLElement | null {
	const { profile, threads, path } = context;
	const conditions = profile.block.header.conditions;

	if (conditions.length === 0) return null;
	const condition = conditionOf(context);
	const states = [...byState(profile, { threads: threads[0] ?? null, path, condition })].sort((a, b) => b[1] - a[1]);
	const whole = states.reduce((sum, [, samples]) => sum + samples, 0);

	if (whole === 0) return null;
	const hue = (state: string) => ({
		hue: (STATE_ORDER.indexOf(state) * 47 + 205) % 360,
		strength: state === 'unknown' || state === 'waiting' ? 0.2 : 1,
	});
	return h(
		'section',
		{ 'aria-labelledby': 'states-heading' },
		h('h3', { id: 'states-heading' }, 'What ran'),
		h(
			'div',
			{ class: 'stack', 'aria-hidden': 'true' },
			states.map(([state, samples]) =>
				sized(
					sized(
						h('span', { title: `${stateWords(state)} ${percent(samples, whole)}` }),
						'width',
						`${(100 * samples) / whole}%`,
					),
					'background-color',
					fill(hue(state), isDark(), false),
				),
			),
		),
		h(
			'ul',
			{ class: 'legend' },
			states.map(([state, samples]) =>
				h(
					'li',
					{},
					sized(
						h('span', { class: 'patch', 'aria-hidden': 'true' }),
						'background-color',
						fill(hue(state), isDark(), false),
					),
					`${stateWords(state)} ${percent(samples, whole)}`,
				),
			),
		),
		h(
			'p',
			{ class: 'note' },
			`Of ${exact(whole)} samples (`,
			name(conditions[condition]!.asked, 100),
			') of the chosen threads. ',
			h('a', { href: context.link({ view: 'lines', part: 'states' }) }, 'By method'),
		),
	);
}
