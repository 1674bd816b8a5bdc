// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// findings: what the rules of `jprof report --view findings` found, with links to what each is about.

import type { Context } from '../app';
import type { ReportRow } from '../data/block';
import { filesOf } from '../model/io';
import { METHOD_SMALL, ROOT_PATH } from '../model/universe';
import { h, type Child } from '../ui/dom';
import { cut, name, visible } from '../ui/names';
import { fileChoice } from './one_side';

const SEVERITIES = ['high', 'medium', 'low', 'note'];

function findingLinks(context: Context, row: ReportRow): Child {
	const { universe } = context;
	const of = row['method'] as { class?: string; method?: string; signature?: string } | null;
	const method = of ? universe.findMethodNamed(of.class ?? null, of.method ?? null, of.signature ?? null) : -1;
	const file =
		typeof row['file'] === 'string'
			? fileChoice(
					context,
					filesOf(context.profile).find((one) => one.name === row['file']),
				)
			: null;
	const path = Array.isArray(row['path']) ? findPathNamed(context, row['path'] as unknown[]) : -1;

	return h(
		'ul',
		{ class: 'links' },
		method > METHOD_SMALL
			? h(
					'li',
					{},
					h(
						'a',
						{ href: context.link({ view: 'callers', method: universe.methodHash(method) }) },
						'the method',
					),
				)
			: null,
		path > ROOT_PATH
			? h(
					'li',
					{},
					h(
						'a',
						{ href: context.link({ view: 'flame', path: universe.pathHash(path), root: '' }) },
						'its call path',
					),
				)
			: null,
		file !== null
			? h('li', {}, h('a', { href: context.link({ view: 'io', file, part: 'methods' }) }, 'the file'))
			: null,
	);
}

/** A path by the names of its steps, from the thread on; each a text, or {class, method, signature}. */
function findPathNamed(context: Context, steps: unknown[]): number {
	const { universe } = context;
	let path = ROOT_PATH;

	for (const step of steps) {
		const next = [...universe.children(path)].find((child) => {
			const method = universe.methods[universe.methodOf[child]!]!;

			if (typeof step === 'string') return method.display === step || `${method.class}.${method.name}` === step;
			const named = step as { class?: string | null; method?: string | null; signature?: string | null };
			return (
				method.class === (named.class ?? '') &&
				method.name === (named.method ?? '') &&
				method.signature === (named.signature ?? '')
			);
		});

		if (next === undefined) return path;
		path = next;
	}
	return path;
}

export function findings(context: Context): HTMLElement | null {
	const report = context.profile.block.header.views['findings'];

	if (!report) return null;
	const rank = (row: ReportRow) =>
		(SEVERITIES.indexOf(String(row['severity'])) + SEVERITIES.length) % SEVERITIES.length;
	const rows = [...report.rows].sort((a, b) => rank(a) - rank(b));
	const field = (row: ReportRow, key: string) =>
		row[key] === null || row[key] === undefined ? '' : String(row[key]);

	return h(
		'section',
		{ 'aria-labelledby': 'findings-heading' },
		h('h3', { id: 'findings-heading' }, 'Findings'),
		rows.length === 0 ? h('p', { class: 'note' }, 'None of the rules found anything.') : null,
		h(
			'ul',
			{ class: 'findings' },
			rows.map((row) =>
				h(
					'li',
					{
						class: `finding ${SEVERITIES.includes(field(row, 'severity')) ? field(row, 'severity') : 'note'}`,
					},
					h(
						'p',
						{ class: 'title' },
						h('span', { class: 'tag' }, visible(cut(field(row, 'severity'), 20))),
						' ',
						name(field(row, 'title'), 400),
					),
					field(row, 'evidence') ? h('p', {}, name(field(row, 'evidence'), 1000)) : null,
					field(row, 'advice') ? h('p', {}, name(field(row, 'advice'), 1000)) : null,
					field(row, 'command') ? h('p', {}, h('code', {}, name(field(row, 'command'), 400))) : null,
					findingLinks(context, row),
				),
			),
		),
	);
}
