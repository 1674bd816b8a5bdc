// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// figures: what the page works out of its data, compared with what reports say, number by number.
//
//   node figures.mjs JPROF PROFILE...        CALIBRATION=auto: jprof's own cost is taken out, so that figures have errors

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf, modules } from './kit.mjs';

const [jprof, ...profiles] = process.argv.slice(2);
const calibration = process.env.CALIBRATION ?? 'off';
const page = await modules();
const folder = mkdtempSync(join(tmpdir(), 'jprof-figures-'));
let wrong = 0;
let compared = 0;

function fail(where, is, should) {
	if (++wrong <= 20)
		console.error(`${where}: the page has ${JSON.stringify(is)}, the report ${JSON.stringify(should)}`);
}

function report(profile, view, more = []) {
	try {
		const text = execFileSync(
			jprof,
			['report', profile, '--view', view, '--format', 'json', '--calibration', calibration, ...more],
			{
				maxBuffer: 1 << 30,
				stdio: ['ignore', 'pipe', 'ignore'],
			},
		);
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/** Numbers near one another: errors go by floats of 32 bits, and are rounded. */
const near = (a, b) =>
	a === b ||
	(typeof a === 'number' &&
		typeof b === 'number' &&
		Math.abs(a - b) <= 1 + 2e-6 * Math.max(Math.abs(a), Math.abs(b)));

function compareFigures(where, sums, row, should, estimates = true) {
	const calls = sums.calls(row);

	compare(`${where} calls`, calls.calls, should.calls);
	for (const state of ['interpreted', 'jitted', 'native'])
		compare(`${where} ${state}`, calls[state], should.entered[state]);
	sums.kinds.forEach((kind, figure) => {
		const [self, total] = [sums.self(figure, row), sums.total(figure, row)];

		if (kind.samples) {
			compare(`${where} samples.${kind.name}`, self.value, should.samples[kind.name]);
			compare(`${where} samples_cum.${kind.name}`, total.value, should.samples_cum[kind.name]);
			return;
		}
		if (should.base[kind.name] !== null && self.value === null) {
			if (!estimates) return;
			compare(`${where} estimate of base.${kind.name}`, self.estimate ?? 0, should.base[kind.name], near);
			compare(`${where} estimate of cum.${kind.name}`, total.estimate ?? 0, should.cum[kind.name], near);
			return;
		}
		compare(`${where} base.${kind.name}`, self.value, should.base[kind.name]);
		compare(`${where} cum.${kind.name}`, total.value, should.cum[kind.name]);
		if (!kind.errors) return;
		if (self.value !== null) compare(`${where} error.${kind.name}`, self.error, should.error[kind.name], near);
		if (total.value !== null)
			compare(`${where} error_cum.${kind.name}`, total.error, should.error_cum[kind.name], near);
	});
}

function compare(where, is, should, equal = Object.is) {
	compared++;
	if (!equal(is ?? null, should ?? null)) fail(where, is, should);
}

/* Reports but the overview have the JVM's own threads, too. */
const everyThread = (profile) => profile.threads.map((_, row) => row);

const text = (row) => `${row.class ?? ''}.${row.method ?? ''}${row.signature ?? ''}`;

function compareMethods(profile, file, more) {
	const rows = report(file, 'methods', more).rows;
	const sums = new page.MethodSums(profile.pathSums(everyThread(profile)));

	compare('methods', sums.seen().length, rows.length);
	for (const row of rows)
		compareFigures(
			`method ${text(row)}`,
			sums,
			profile.universe.findMethodNamed(row.class, row.method, row.signature),
			row,
		);
}

function compareCallers(profile, file, more, folded) {
	const stanzas = report(file, 'callers', more).rows;
	const sums = new page.MethodSums(profile.pathSums(everyThread(profile)));

	/* All of them take minutes: every so manieth. */
	const step = Math.max(1, Math.floor(stanzas.length / 150));
	for (let i = 0; i < stanzas.length; i += step) {
		const { self, callers, callees } = stanzas[i];
		const method = profile.universe.findMethodNamed(self.class, self.method, self.signature);

		for (const [side, rows] of [
			['callers', callers],
			['callees', callees],
		]) {
			const edges = new page.EdgeSums(sums, method, side);
			const where = `${side} of ${text(self)}`;

			if (!folded) compare(where, edges.ends().length, rows.length);
			for (const row of folded ? [] : rows)
				compareFigures(
					`${where}: ${text(row)}`,
					edges,
					row.class === null && row.method === null
						? 0
						: profile.universe.findMethodNamed(row.class, row.method, row.signature),
					row,
				);
			/* With folded paths the ends are fewer, and the sums the same. */
			profile.kinds.forEach((kind, figure) => {
				const sum = edges.ends().reduce((all, end) => all + edges.figure(figure).cum.value[end], 0);
				const of = sums.figure(figure);

				compare(
					`${where}: sum of ${kind.name}`,
					sum,
					side === 'callers' ? of.cum.value[method] : of.cum.value[method] - of.base.value[method],
				);
			});
		}
	}
}

/** Row by row along the tree that all threads make together, and along each thread's. */
function compareTree(profile, file, more) {
	compareRows(profile, report(file, 'tree', ['--merge-threads', ...more]).rows, everyThread(profile), false);
	const index = profile.block.table('thread').get('index');
	const apart = new Map();
	for (const row of report(file, 'tree', more).rows) {
		if (!apart.has(row.thread_index)) apart.set(row.thread_index, []);
		apart.get(row.thread_index).push(row);
	}
	for (const [thread, rows] of apart) compareRows(profile, rows, [index.indexOf(thread)], true);
}

/* Where threads are one, reports estimate by what that one used, the page by what each of them did. */
function compareRows(profile, rows, threads, estimates) {
	const sums = profile.pathSums(threads);
	const pathOf = new Map();

	for (const row of rows) {
		const parent = row.parent === null ? -1 : pathOf.get(row.parent);
		let path = 0;

		if (parent >= 0) {
			const method = profile.universe.findMethodNamed(row.class, row.method, row.signature);

			path =
				[...profile.universe.children(parent)].find((child) => profile.universe.methodOf[child] === method) ??
				-1;
			if (path < 0) {
				fail(`tree: ${text(row)}`, 'no such path', row.id);
				continue;
			}
		}
		pathOf.set(row.id, path);
		compareFigures(`tree ${row.id} ${text(row)}`, sums, path, row, estimates);
	}
}

function compareLines(profile, file, more) {
	const rows = report(file, 'lines', more)?.rows ?? [];

	profile.block.header.conditions.forEach((condition, index) => {
		const lines = new Map(
			page
				.byLine(profile, { threads: everyThread(profile), path: 0, condition: index })
				.map((row) => [`${row.method} ${row.line}`, row.samples]),
		);

		for (const row of rows) {
			const method =
				row.method === null ? 0 : profile.universe.findMethodNamed(row.class, row.method, row.signature);

			compare(
				`line ${text(row)} ${row.line}`,
				lines.get(`${method} ${row.line ?? 0}`) ?? 0,
				row.samples[condition.name],
			);
		}
	});
}

const IO_GROUPS = ['all', 'reads', 'writes', 'received', 'sent', 'others'];

function compareIo(profile, file, more) {
	const io = new page.IoSums(profile);
	const all = { threads: everyThread(profile), path: 0, method: -1, files: null };
	const uses = io.byMethod(all);

	for (const row of report(file, 'io-methods', more)?.rows ?? []) {
		const use = uses.get(profile.universe.findMethodNamed(row.class, row.method, row.signature));

		for (const which of ['base', 'cum'])
			for (const group of IO_GROUPS)
				for (const key of ['ops', 'bytes', 'ns'])
					compare(
						`I/O ${text(row)} ${which}.${group}.${key}`,
						use?.[which][group][key],
						row[which][group][key],
					);
		for (const which of ['base', 'cum'])
			compare(`I/O ${text(row)} ${which} CPU`, use?.[which].cpu ?? 0, row[`${which}_cpu_ns`] ?? 0);
	}
	const byName = new Map();
	const keys = ['ops', 'bytes', 'ns', 'cpu'];
	const add = (sums, name, amounts) => {
		const sum = sums.get(name) ?? { ops: 0, bytes: 0, ns: 0, cpu: 0 };

		for (const key of keys) sum[key] += amounts[key] ?? 0;
		sums.set(name, sum);
	};
	for (const [row, use] of io.byFile(all))
		if (row >= 0)
			add(byName, `${io.files[row].kind} ${io.files[row].name} ${io.files[row].peer}`, {
				...use.all,
				cpu: use.cpu,
			});
	const should = new Map();
	for (const row of report(file, 'files', more)?.rows ?? [])
		add(should, `${row.kind} ${row.path} `, { ...row.all, cpu: row.cpu_ns });
	for (const row of report(file, 'connections', more)?.rows ?? [])
		add(should, `${row.protocol} ${row.local} ${row.remote ?? ''}`, { ...row.all, cpu: row.cpu_ns });
	for (const [name, amounts] of should)
		for (const key of keys) compare(`file ${name} ${key}`, byName.get(name)?.[key] ?? 0, amounts[key]);
}

for (const file of profiles) {
	const html = join(folder, 'page.html');

	execFileSync(jprof, ['html', file, '-o', html, '--calibration', calibration], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	for (const { interval, bytes } of blocksOf(html)) {
		const began = performance.now();
		const block = page.decodeBlock(bytes);
		const profile = new page.Profile(block, new page.Universe());
		const more = interval === '' ? [] : ['--snapshot', interval];
		const folded = block.header.folded !== null;
		const took = performance.now() - began;

		compareMethods(profile, file, more);
		if (bytes.length < 60e6) compareCallers(profile, file, more, folded);
		if (!folded) compareTree(profile, file, more);
		compareLines(profile, file, more);
		compareIo(profile, file, more);
		console.log(
			`${file} '${interval}': ${profile.placement.path.length} nodes${folded ? ' (folded)' : ''}, read in ${took.toFixed(0)} ms; ${compared} numbers compared, ${wrong} differ`,
		);
	}
}
rmSync(folder, { recursive: true });
process.exit(wrong ? 1 : 0);
