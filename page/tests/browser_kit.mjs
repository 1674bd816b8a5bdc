// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// browser_kit: the browser that tests and pictures use: Debian's Chromium, with nothing that asks the network.

import { existsSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';

export const VIEWS = [
	'overview',
	'flame',
	'tree',
	'methods',
	'callers',
	'components',
	'calls',
	'threads',
	'work',
	'traces',
	'io',
	'lines',
	'intervals',
	'numbers',
];

/** For what takes milliseconds where nothing else runs. */
export const PATIENCE_MS = 180_000;

export const browserPath = () =>
	process.env.JPROF_CHROMIUM ??
	['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

export function open() {
	return chromium.launch({
		executablePath: browserPath(),
		timeout: PATIENCE_MS,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			'--no-first-run',
		],
	});
}

/** A page with one block, made by hand. */
export function pageWith(bundle, block, element = null) {
	const data =
		element ??
		`<script type="application/x-jprof-block" data-side="0" data-interval="">${deflateRawSync(block).toString('base64')}</script>`;

	return bundle.replace('<!--jprof:data-->', () => data);
}

/** Names as an attacker would choose them. */
export const HOSTILE = [
	'</script><script>document.title = "owned"</script>',
	'<img src=x onerror="document.title = \'owned\'">',
	'\u202egnp.exe\u202c \u2066isolated',
	'a\u0000b\u001b[31mred\u0007\u200b\ufeff',
	'x'.repeat(100_000),
	'\u05e9\u05dc\u05d5\u05dd.method',
	'quote " and \' and ` and ${1} and &amp;',
	'constructor',
	'__proto__',
];

/** A block in which every name is one of those. */
export function hostileBlock(encodeBlock) {
	const strings = ['', ...HOSTILE];
	const count = HOSTILE.length;
	const each = (f) => Array.from({ length: count }, (_, i) => f(i));

	return encodeBlock(
		{
			version: 1,
			jprof: HOSTILE[0],
			title: HOSTILE[1],
			side: 0,
			interval: '',
			begin: 0,
			end: 1e9,
			intervals: [
				{ interval: '', from: null, to: null },
				{ interval: `${HOSTILE[0]}..${HOSTILE[2]}`, from: HOSTILE[0], to: HOSTILE[2] },
			],
			metrics: [{ name: HOSTILE[1], unit: HOSTILE[2], divided: false, condition: null }],
			conditions: [{ name: HOSTILE[2], asked: HOSTILE[3], event: HOSTILE[2], period: 1, unit: HOSTILE[3] }],
			lead: 0,
			errors: false,
			strings,
			folded: null,
			root: 0,
			notes: HOSTILE,
			traces: HOSTILE.map((text) => ({ name: text, on: text })),
			views: {
				summary: { view: 'summary', rows: HOSTILE.map((text) => ({ key: text, value: text })) },
				threads: {
					view: 'threads',
					rows: HOSTILE.map((text, i) => ({
						thread: text,
						index: i + 1,
						started: 0,
						ended: null,
						total: { [HOSTILE[1]]: 5 },
					})),
				},
				snapshots: {
					view: 'snapshots',
					rows: HOSTILE.map((text, i) => ({
						at: (i + 1) * 1e8,
						kind: i % 2 ? 'mark' : 'snapshot',
						thread: text,
						label: text,
					})),
				},
				findings: {
					view: 'findings',
					rows: HOSTILE.map((text) => ({
						rule: text,
						severity: text,
						title: text,
						evidence: text,
						advice: text,
						command: text,
						file: text,
						method: { class: text, method: text, signature: text },
						path: [text],
					})),
				},
				'wait-pairs': {
					view: 'wait-pairs',
					rows: HOSTILE.map((text) => ({
						thread: text,
						lock: text,
						holder: { thread: text, method: text },
						contended: { ns: 5, waits: 1, longest: text },
					})),
					omitted: { rows: 3, contended: { ns: 7 } },
				},
				waits: {
					view: 'waits',
					rows: HOSTILE.map((text) => ({ path: [text, text, text, text], class: text, kind: text })),
				},
				gc: { view: 'gc', rows: HOSTILE.map((text) => ({ part: text, cause: text, paused: 5, kind: text })) },
				calibration: { view: 'calibration', rows: [], calibration: HOSTILE[0] },
			},
			states: HOSTILE,
			io_kinds: HOSTILE,
			file_kinds: HOSTILE,
		},
		{
			'method.class': ['v', [0, 0, ...each((i) => i + 1)]],
			'method.name': ['v', [0, 0, ...each((i) => i + 1)]],
			'method.signature': ['v', [0, 0, ...each((i) => i + 1)]],
			'method.display': ['v', [0, 0, ...each((i) => i + 1)]],
			'method.file': ['v', [0, 0, ...each((i) => i + 1)]],
			'method.kind': ['b', [0, 0, ...each(() => 0)]],
			'method.flags': ['b', [0, 0, ...each(() => 0)]],
			'thread.index': ['v', each((i) => i + 1)],
			'thread.name': ['v', each((i) => i + 1)],
			'thread.jvm': ['b', each(() => 0)],
			'node.up': ['v', [0, ...each(() => 1)]],
			'node.thread': ['v', [0, ...each(() => 0)]],
			'node.method': ['v', [0, ...each((i) => i + 2)]],
			'node.id': ['v', [1, ...each((i) => i + 2)]],
			'node.recursion': ['v', [0, ...each(() => 0)]],
			'node.calls': ['v', [0, ...each((i) => i)]],
			'node.flags': ['b', [0, ...each(() => 0)]],
			'node.base0': ['z', [0, ...each((i) => i * 1000)]],
			'node.samples0': ['v', [0, ...each((i) => i)]],
			'place.where': ['v', each((i) => i + 1)],
			'place.condition': ['b', each(() => 0)],
			'place.state': ['b', each((i) => i)],
			'place.line': ['v', each((i) => i)],
			'place.samples': ['v', each((i) => i)],
			'place.of_state': ['v', each((i) => i + 2)],
			'place.of_line': ['v', each((i) => i + 2)],
			'io.where': ['v', each((i) => i + 1)],
			'io.file': ['v', each((i) => i + 1)],
			'io.kind': ['b', each((i) => i)],
			'io.count': ['v', each((i) => i + 1)],
			'io.amount': ['v', each((i) => i + 1)],
			'io.ns': ['v', each((i) => i + 1)],
			'file.name': ['v', each((i) => i + 1)],
			'file.peer': ['v', each((i) => i + 1)],
			'file.kind': ['b', each((i) => i)],
			'file.opened_by': ['v', each((i) => i + 1)],
			'record.begin': ['v', each((i) => i * 1e7)],
			'record.ns': ['v', each((i) => i)],
			'record.thread': ['v', each((i) => i + 1)],
			'record.file': ['v', each((i) => i + 1)],
			'record.kind': ['b', each((i) => i)],
			'record.amount': ['v', each((i) => i)],
			'record.failed': ['b', each(() => 1)],
			'record.method': ['v', each((i) => i + 2)],
		},
	);
}
