// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// browser: the page in a browser. Of each profile it makes a page, opens every view, searches, zooms, sorts, goes by keyboard
// alone, looks for violations with axe in light and dark and for messages on the console, compares figures with reports', and prints
// how long it took to open, and a click.
//
//   node browser.mjs JPROF PROFILE...

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { HOSTILE, hostileBlock, open, pageWith, PATIENCE_MS, VIEWS } from './browser_kit.mjs';
import { encodeBlock } from './kit.mjs';

const [jprof, ...profiles] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const bundle = readFileSync(new URL('../dist/page.html', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'jprof-browser-'));
const browser = await open();
let failures = 0;
let name = '';

function check(what, is, should = true) {
	if (is === should) return;
	failures++;
	console.error(`${name}: ${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);
}

function report(profile, view, ...more) {
	const text = execFileSync(
		jprof,
		['report', profile, '--view', view, '--format', 'json', '--calibration', 'off', ...more],
		{ maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] },
	);

	return JSON.parse(text);
}

const ready = (page) =>
	page.waitForFunction(
		() => document.documentElement.dataset.ready !== undefined && window.jprof?.view() !== undefined,
	);
const rows = (page) => page.evaluate(() => window.jprof.rows());
const hashOf = (page) => page.evaluate(() => location.hash);

/** Until the view has what was asked for. */
async function go(page, view) {
	await page.click(`#tab-${view}`);
	await page.waitForFunction(
		(wanted) =>
			window.jprof.view() === wanted &&
			document.querySelector(`#tab-${wanted}`)?.getAttribute('aria-current') === 'page',
		view,
	);
}

async function audit(page, what) {
	await page.evaluate(axe);
	const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));

	for (const violation of result.violations) {
		failures++;
		console.error(
			`${name}: ${what}: axe: ${violation.id}: ${violation.help}: ${violation.nodes
				.slice(0, 3)
				.map((node) => node.html.slice(0, 150))
				.join(' | ')}`,
		);
	}
}

/** Views that have a tab: of traces there is one if any was on, of values and tags if there are some. */
const viewsOf = async (page) => {
	const tabs = await page.locator('#tabs a').evaluateAll((links) => links.map(({ id }) => id));

	return VIEWS.filter((view) => tabs.includes(`tab-${view}`));
};

async function everyView(page, theme) {
	const views = await viewsOf(page);

	check('tabs', views.length >= VIEWS.length - 2);
	for (const view of views) {
		await go(page, view);
		check(`${view}: it is shown`, await page.evaluate(() => document.documentElement.dataset.ready !== 'failed'));
		await audit(page, `${view}, ${theme}`);
		const wide = await page.evaluate(
			() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
		);
		check(`${view}: pixels too wide`, wide, 0);
	}
}

/** What the view methods shows, all of it, is what the report says; of what the options choose, which is what the page shows. */
async function compareMethods(page, profile, ...options) {
	await page.evaluate(() =>
		window.jprof.choose({
			view: 'methods',
			threads: window.jprof.context().profile.threads.map((thread) => thread.index),
		}),
	);
	await page.waitForFunction(
		() => window.jprof.view() === 'methods' && window.jprof.context().selection.threads.length > 0,
	);
	const key = (row) => `${row.class} ${row.method} ${row.signature}`;
	const shown = new Map((await rows(page)).map((row) => [key(row), row]));
	const told = report(profile, 'methods', ...options);

	check('methods', shown.size, told.rows.length);
	for (const row of told.rows) {
		const same = shown.get(key(row));

		check(`calls of ${key(row)}`, same?.calls, row.calls);
		for (const group of ['base', 'cum'])
			for (const metric of Object.keys(row[group] ?? {}))
				check(`${group}.${metric} of ${key(row)}`, same?.[group][metric], row[group][metric]);
	}
	await page.evaluate(() => window.jprof.choose({ threads: [] }));
}

async function search(page) {
	await go(page, 'methods');
	const all = await page.locator('main tbody tr').count();
	await page.fill('#search', 'no method is called \\(that');
	await page.waitForFunction(() => document.querySelectorAll('main tbody tr').length === 0);
	check('the search keeps the focus', await page.evaluate(() => document.activeElement.id), 'search');
	await page.fill('#search', '(');
	await page.waitForFunction(() =>
		document.querySelector('#search-result').textContent.includes('not a regular expression'),
	);
	await page.fill('#search', '');
	await page.waitForFunction((count) => document.querySelectorAll('main tbody tr').length === count, all);
}

async function sorting(page) {
	await go(page, 'methods');
	if ((await page.locator('main tbody tr').count()) < 2) return;
	await page.click('#sort-Methods-calls');
	check('sorted by calls', await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'descending');
	await page.click('#sort-Methods-calls');
	check('and the other way', await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending');
	await page.click('#sort-Methods-name');
	check('by name', await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending');
}

/** What a table shows: of each row its cells by their columns' keys, "." as "-": the exact number of the title, or the text. */
const cells = (page) =>
	page.evaluate(() => {
		if (!document.querySelector('main caption')) return [];
		const before = `sort-${document.querySelector('main caption').textContent}-`.replace(/[^\w-]+/g, '-').length;
		const keys = [...document.querySelectorAll('main thead th button')].map(({ id }) => id.slice(before));

		return [...document.querySelectorAll('main tbody tr')].map((tr) =>
			Object.fromEntries(
				[...tr.children].map((cell, i) => [
					keys[i],
					/^[\d,\u2212-]+/.exec(cell.querySelector('span[title]')?.title ?? '')?.[0] ?? cell.textContent,
				]),
			),
		);
	});

/** "holder-method" of {holder: {method: ...}}. */
function flat(value, key = '') {
	if (value === null || typeof value !== 'object' || Array.isArray(value)) return [[key, value]];
	return Object.entries(value).flatMap(([name, part]) => flat(part, key ? `${key}-${name}` : name));
}

/** Every number that is shown is the report's. */
async function compareCells(page, part, told) {
	const shown = await cells(page);
	let compared = 0;

	check(`${part}: rows that are shown`, shown.length, Math.min(told.length, 100));
	for (const [i, row] of shown.entries())
		for (const [key, value] of flat(told[i])) {
			if (typeof value !== 'number' || !/^[\d,]+$/.test(row[key] ?? '')) continue;
			compared++;
			check(`${part}: row ${i}: ${key}`, row[key].replaceAll(',', ''), String(Math.round(value)));
		}
	check(`${part}: numbers that were compared`, compared > 0 || told.length === 0);
}

/** Of each trace that was on every table has what the report has, in its order; a search narrows it; a link leads back to it. */
async function traces(page, profile) {
	const { there, on } = await page.evaluate(() => {
		const { views, traces } = window.jprof.context().profile.block.header;

		return { there: Object.keys(views), on: traces.map((trace) => trace.name) };
	});

	check('a tab of traces', await page.locator('#tab-traces').count(), on.length > 0 ? 1 : 0);
	if (on.length === 0) return;
	await go(page, 'traces');
	check('the first look has headings', (await page.locator('main h3').count()) >= 1);
	const parts = await page.locator('#part option').evaluateAll((options) => options.map(({ value }) => value));
	for (const part of parts.filter((value) => value !== '')) {
		check(`${part}: it is in the page`, there.includes(part));
		await page.selectOption('#part', part);
		await page.waitForFunction((wanted) => location.hash.includes(`part=${wanted}`), part);
		const told = report(profile, part, '--top', '200').rows;
		check(`${part}: rows`, JSON.stringify(await rows(page)), JSON.stringify(told));
		await compareCells(page, part, told);
		await audit(page, `traces, ${part}`);
	}
	const shown = JSON.stringify(await rows(page));
	await page.reload();
	await ready(page);
	check('a link leads to the same table', JSON.stringify(await rows(page)), shown);
	await page.fill('#search', 'no such thing is in it');
	await page.waitForFunction(() => window.jprof.rows().length === 0);
	await page.evaluate(() => window.jprof.choose({ part: '', search: '' }));
}

/** Values and tags are those of the report, in its order; none of them is markup; a search narrows them. */
async function work(page, profile) {
	const parts = await page.evaluate(() => {
		const { views } = window.jprof.context().profile.block.header;

		return ['values', 'tags'].filter((view) => views[view].rows.length > 0);
	});

	check('a tab of values and tags', await page.locator('#tab-work').count(), parts.length > 0 ? 1 : 0);
	if (parts.length === 0) return;
	await go(page, 'work');
	for (const part of parts) {
		await page.selectOption('#part', part);
		await page.waitForFunction((wanted) => window.jprof.context().selection.part === wanted, part);
		const told = report(profile, part, '--top', '2000').rows;
		check(`${part}: rows`, JSON.stringify(await rows(page)), JSON.stringify(told));
		check(`${part}: they are in the table`, await page.locator('main tbody tr').count(), told.length);
		check(`${part}: no markup comes of them`, await page.locator('main tbody b, main tbody script').count(), 0);
		await audit(page, part);
	}
	await page.fill('#search', 'no such thing is in it');
	await page.waitForFunction(() => window.jprof.rows().length === 0);
	await page.evaluate(() => window.jprof.choose({ part: '', search: '' }));
}

const chipsOf = (page) =>
	page.locator('#chips .chip').evaluateAll((chips) => chips.map((one) => one.textContent.replace(/\u00d7$/, '')));
const takeAway = async (page) => {
	const before = await hashOf(page);

	await page.locator('#chips .chip button').first().click();
	await page.waitForFunction((hash) => location.hash !== hash, before);
	await settled(page);
};

/** Until what the address says is shown, or cannot be. */
const settled = (page) =>
	page.waitForFunction(() => {
		const { selection } = window.jprof.context() ?? {};
		const wanted = new URLSearchParams(location.hash.replace(/^#\/?/, ''));

		if (document.documentElement.dataset.ready === 'failed') return true;
		return (
			selection &&
			['tags', 'values', 'paths', 'components'].every(
				(kind) => JSON.stringify(selection[kind]) === JSON.stringify(wanted.getAll(kind)),
			)
		);
	});

/** The option of what the address has of a kind. */
const optionsOf = async (page) => {
	const wanted = new URLSearchParams((await hashOf(page)).replace(/^#\/?/, ''));

	return [
		['tags', '--tag'],
		['values', '--value'],
		['components', '--component'],
	].flatMap(([kind, option]) => wanted.getAll(kind).flatMap((text) => [option, text]));
};

/** The button of the first row that has one: what the address has then. */
async function onlyFirst(page, view, part) {
	await go(page, view);
	if (part) {
		await page.selectOption('#part', part);
		await page.waitForFunction((wanted) => window.jprof.context().selection.part === wanted, part);
	}
	const before = await hashOf(page);
	await page.locator('main button.only').first().click();
	await page.waitForFunction((hash) => location.hash !== hash, before);
	await settled(page);
	return optionsOf(page);
}

const hasRows = (page, view) =>
	page.evaluate((one) => window.jprof.context().profile.block.report(one).length > 0, view);

/** By a row's button the views have what the reports have with that option; its chip takes it away again. */
async function choosing(page, profile) {
	const of = [
		['work', 'tags', '--tag'],
		['work', 'values', '--value'],
		['components', null, '--component'],
	];

	for (const [view, part, option] of of) {
		if (part && !(await hasRows(page, part))) continue;
		const options = await onlyFirst(page, view, part);
		check(`${view}: one thing is chosen`, `${options.length} ${options[0]}`, `2 ${option}`);
		check(`${view}: a chip`, (await chipsOf(page)).filter((text) => text.endsWith(options[1])).length, 1);
		await audit(page, `${options}`);
		await compareMethods(page, profile, ...options);
		for (const told of ['components', 'threads'])
			check(
				`${options}: ${told}`,
				JSON.stringify(await page.evaluate((one) => window.jprof.context().profile.block.report(one), told)),
				JSON.stringify(report(profile, told, ...options).rows),
			);
		check(
			`${options}: findings are of all, and that is known`,
			await page.evaluate(() => window.jprof.context().profile.block.ofAll.has('findings')),
		);
		await page.reload();
		await ready(page);
		check(`${options}: a link leads to it`, (await optionsOf(page)).join(), options.join());
		await takeAway(page);
		check(`${options}: all is there again`, (await optionsOf(page)).length, 0);
	}
	await compareMethods(page, profile);
}

/** A file has one thing at a time; the other takes its place, and a link to both says where there are both. */
async function choosingTwo(page, profile) {
	if (!hasTags(profile)) return;
	const tag = await onlyFirst(page, 'work', 'tags');
	const component = await onlyFirst(page, 'components');

	check('the component alone', component.filter((word) => word.startsWith('--')).join(), '--component');
	await page.evaluate(([tags]) => window.jprof.choose({ tags: [tags] }), [tag[1]]);
	await page.waitForFunction(() => document.documentElement.dataset.ready === 'failed');
	check('both are not here', (await page.textContent('main')).includes(`jprof open FILE --tag '${tag[1]}'`));
	check('but can be taken away', (await chipsOf(page)).length, 2);
	await audit(page, 'what is not here');
	await takeAway(page);
	check('one is shown', await page.evaluate(() => document.documentElement.dataset.ready !== 'failed'));
	await takeAway(page);
	await go(page, 'threads');
	await page.locator('main button.only').first().click();
	await page.waitForFunction(() => location.hash.includes('threads='));
	check('a thread alone', (await chipsOf(page))[0].startsWith('threads'));
	await takeAway(page);
}

/** Reports of a profile without tags fail. */
const hasTags = (profile) =>
	spawnSync(jprof, ['report', profile, '--view', 'tags', '--calibration', 'off'], { stdio: 'ignore' }).status === 0;

/** A page that jprof serves has them together, those that the command was asked for from the start. */
async function opened(profile) {
	const messages = [];
	const tag = report(profile, 'tags').rows.find((row) => row.kind === 'value');
	name = `${basename(profile)}, served`;
	const label = `${tag.key}=${tag.value}`;
	const child = spawn(
		jprof,
		['open', profile, '--no-browser', '--calibration', 'off', '--tag', label, '--thread', '*'],
		{
			stdio: ['ignore', 'pipe', 'ignore'],
		},
	);
	const address = await new Promise((done) => child.stdout.once('data', (text) => done(String(text).trim())));
	const page = await newPage(messages, (url) => url.startsWith(address) || url.startsWith('data:'));

	await page.goto(address);
	await ready(page);
	await settled(page);
	await page.waitForFunction(() => location.hash.includes('threads='));
	check('the tag is chosen', (await optionsOf(page)).join(), `--tag,${label}`);
	check('and the threads', (await chipsOf(page)).length, 2);
	await compareMethods(page, profile, '--tag', label);
	const both = await onlyFirst(page, 'components');
	check('a component, too', both.filter((word) => word.startsWith('--')).join(), '--tag,--component');
	await compareMethods(page, profile, ...both);
	await page.evaluate(() => window.jprof.choose({ paths: ['com.acme.*'], components: [] }));
	await settled(page);
	await compareMethods(page, profile, '--tag', label, '--path', 'com.acme.*');
	await page.evaluate(() => window.jprof.choose({ paths: ['no.such.Method'] }));
	await page.waitForFunction(() => document.documentElement.dataset.ready === 'failed');
	check(
		'what the server says',
		(await page.textContent('main')).includes("no method of the profile matches 'no.such"),
	);
	await takeAway(page);
	await takeAway(page);
	check('nothing is chosen any more', (await chipsOf(page)).join(), '');
	await compareMethods(page, profile);
	check('messages on the console', messages.filter((text) => !text.includes('400')).join('\n'), '');
	await page.close();
	child.kill();
}

/** In and out of the flame graph, by keys alone; the way back; a link. */
async function flame(page) {
	await go(page, 'flame');
	if ((await rows(page)).length < 3) return;
	await page.focus('#flame');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	check('what the keyboard is on is told', (await page.textContent('#frame')).length > 0);
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => location.hash.includes('path='));
	const zoomed = await hashOf(page);
	const inside = await rows(page);
	check('the focus stays', await page.evaluate(() => document.activeElement.id), 'flame');
	await page.reload();
	await ready(page);
	check('a link leads to the same', JSON.stringify(await rows(page)), JSON.stringify(inside));
	await go(page, 'tree');
	check('the call tree has the same path', (await rows(page))[0].name, inside[0].name);
	await page.goBack();
	await page.waitForFunction((hash) => location.hash === hash, zoomed);
	await page.focus('#flame');
	await page.keyboard.press('Escape');
	await page.waitForFunction((hash) => location.hash !== hash, zoomed);
	await page.click('#chips button');
	await page.waitForFunction(() => !location.hash.includes('path='));
	for (const box of ['#toggle-fold', '#toggle-invert']) {
		await page.check(box);
		check(`${box}: frames`, (await rows(page)).length > 1);
	}
	await page.uncheck('#toggle-invert');
	await page.uncheck('#toggle-fold');
	await page.fill('#search', '.');
	await page.waitForFunction(() => document.querySelector('#search-result').textContent.includes('%'));
	await page.fill('#search', '');
	await page.waitForFunction(() => !location.hash.includes('search='));
}

/** The call tree by keys alone. */
async function tree(page) {
	await go(page, 'tree');
	const opened = await page.locator('tbody tr').count();
	if (opened < 2) return;
	await page.locator('tbody tr[tabindex="0"]').focus();
	await page.keyboard.press('ArrowLeft');
	check('closed', await page.locator('tbody tr').count(), 1);
	await page.keyboard.press('ArrowRight');
	check('opened', await page.locator('tbody tr').count(), opened);
	await page.keyboard.press('ArrowRight');
	const focused = await page.evaluate(() => document.activeElement.getAttribute('aria-level'));
	check('a level further in', focused, '2');
	await page.keyboard.press('End');
	await page.keyboard.press('Home');
	check('at the top', await page.evaluate(() => document.activeElement.getAttribute('aria-level')), '1');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => location.hash.includes('path='));
	check('the focus stays on a row', await page.evaluate(() => document.activeElement.id), 'tree-row');
	await page.evaluate(() => window.jprof.choose({ path: '' }));
	await page.waitForFunction(() => !location.hash.includes('path='));
}

/** Every tab and control can be reached, and the tabs opened, with Tab and Enter. */
async function keyboardAlone(page) {
	await go(page, 'overview');
	await page.evaluate(() => document.activeElement.blur());
	const seen = new Set();
	const views = await viewsOf(page);

	for (let i = 0; i < 60 && seen.size < views.length; i++) {
		await page.keyboard.press('Tab');
		const id = await page.evaluate(() => document.activeElement.id);
		if (id.startsWith('tab-')) seen.add(id);
		if (id === 'tab-lines') {
			await page.keyboard.press('Enter');
			await page.waitForFunction(() => window.jprof.view() === 'lines');
			check('the focus stays on the tab', await page.evaluate(() => document.activeElement.id), 'tab-lines');
		}
	}
	check('tabs that Tab reaches', seen.size, views.length);
}

/** Milliseconds from asking for a view to its frame. */
async function clickTime(page, change) {
	return page.evaluate(async (selection) => {
		const began = performance.now();

		window.jprof.choose(selection);
		await new Promise((done) => setTimeout(done, 0));
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
		return performance.now() - began;
	}, change);
}

async function newPage(messages, isAllowed) {
	const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });

	// Other tests run beside this one: what is slow is not wrong.
	page.setDefaultTimeout(PATIENCE_MS);

	page.on('console', (message) => messages.push(message.text()));
	page.on('pageerror', (error) => messages.push(String(error)));
	page.on('dialog', (dialog) => messages.push(`a dialog: ${dialog.message()}`));
	page.on('request', (request) => isAllowed(request.url()) || messages.push(`asks for ${request.url()}`));
	return page;
}

const isFile = (url) => url.startsWith('file://') || url.startsWith('data:');

/** Names that would be markup, turn the text's direction, or fill the window are texts and nothing else, in every view and part. */
async function hostile() {
	const messages = [];
	const file = join(folder, 'hostile.html');

	name = 'hostile names';
	writeFileSync(file, pageWith(bundle, hostileBlock(encodeBlock)));
	const page = await newPage(messages, isFile);
	await page.goto(`file://${file}`);
	await ready(page);
	for (const more of [
		'',
		'&part=methods',
		'&part=paths',
		'&part=records',
		'&part=wait-pairs',
		'&part=waits',
		'&part=gc',
		'&part=states',
		'&invert=1',
		'&colour=state',
	])
		for (const view of VIEWS) {
			await page.goto('about:blank');
			await page.goto(`file://${file}#/view=${view}${more}`);
			await ready(page);
			await page.waitForFunction((wanted) => window.jprof.view() === wanted, view);
			check(
				`${view}${more}: it is shown`,
				await page.evaluate(() => document.documentElement.dataset.ready !== 'failed'),
			);
			const found = await page.evaluate(() => ({
				elements: document.querySelectorAll('img, iframe, script:not([type]), object, embed').length,
				title:
					document.title.includes('owned"</') ||
					document.title.includes('<img') ||
					!document.title.includes('owned'),
				hidden: /[\u0000-\u0008\u000e-\u001f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/.test(
					document.body.innerText,
				),
				wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
				tall: document.documentElement.scrollHeight,
			}));
			check(`${view}${more}: elements made by names`, found.elements, 1);
			check(`${view}${more}: the title is a text`, found.title);
			check(`${view}${more}: hidden characters`, found.hidden, false);
			check(`${view}${more}: pixels too wide`, found.wide, 0);
			check(`${view}${more}: long names are cut`, found.tall < 20000);
			await audit(page, `${view}${more}`);
		}
	check('messages on the console', messages.join('\n'), '');
	await page.close();
}

/** Traces of a recording: by keys alone each goes on and off; a refused one stays as it was, and the reason is told. */
async function switches(page, asked) {
	const last = () => asked.findLast((line) => line.includes('"trace"'));
	const said = (text) =>
		page.waitForFunction((wanted) => document.querySelector('.said').textContent === wanted, text);
	const isOn = (trace) => page.isChecked(`#live-trace-${trace}`);
	const switchBy = async (key, trace) => {
		await page.focus(`#live-trace-${trace}`);
		await page.keyboard.press(key);
	};

	check('switches', await page.locator('.switches [role=switch]').count(), 3);
	check('one that is on', await isOn('gc'));
	check('one that is off', await isOn('locks'), false);
	await switchBy('Space', 'locks');
	await said('The trace locks is on.');
	check('it is asked for', last(), 'POST control {"verb":"trace","on":["locks"]}');
	check('it is on', await isOn('locks'));
	check('the focus stays', await page.evaluate(() => document.activeElement.id), 'live-trace-locks');
	await page.keyboard.press('Tab');
	check('the next one', await page.evaluate(() => document.activeElement.id), 'live-trace-<b>bad');
	await page.keyboard.press('Space');
	await said('<b>bad: <i>cannot</i> be had');
	await page.waitForFunction(() => !document.getElementById('live-trace-<b>bad').checked);
	await switchBy('Space', 'gc');
	await said('The trace gc is off.');
	check('gc is off', await isOn('gc'), false);
	check('the others stay', await isOn('locks'));
	check('kept events can be written', await page.isVisible('#live-write'));
	await page.focus('#live-write');
	await page.keyboard.press('Enter');
	await said('The events that were kept are in the profile.');
	check('that is asked for', last(), 'POST control {"verb":"trace","write":true}');
	for (const [theme, width] of [
		['dark', 1200],
		['light', 400],
	]) {
		await page.emulateMedia({ colorScheme: theme });
		await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
		await page.setViewportSize({ width, height: 900 });
		await audit(page, `switches, ${theme}, ${width} pixels`);
		check(
			`switches at ${width}: pixels too wide`,
			await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
			0,
		);
	}
	await page.setViewportSize({ width: 1200, height: 900 });
}

/** A server that answers as docs/page-data.md says: the page asks it for blocks, its status, and what its buttons do. */
async function served() {
	const asked = [];
	const on = new Set(['gc']);
	let state = 'recording';
	const messages = [];
	let wasLeft;
	const left = new Promise((done) => (wasLeft = done));
	const block = deflateRawSync(hostileBlock(encodeBlock));
	const server = createServer((request, response) => {
		const path = request.url.replace('/token/', '');
		let body = '';

		request.on('data', (part) => (body += part));
		request.on('end', () => {
			if (body.includes('"leave"')) wasLeft();
			asked.push(`${request.method} ${path} ${body}`.trim());
			if (path === '')
				response
					.setHeader('content-type', 'text/html')
					.end(
						pageWith(
							bundle,
							null,
							'<script type="application/x-jprof-server">{"live":true,"pid":4711,"traces":["locks","<b>bad","gc"]}</script>',
						),
					);
			else if (path.startsWith('block')) response.end(block);
			else if (path.startsWith('report'))
				response
					.setHeader('content-type', 'application/json')
					.end(JSON.stringify({ rows: [{ thread: HOSTILE[0], index: 1, total: { cpu: 3e7, wall: 1e8 } }] }));
			else if (path.startsWith('status'))
				response.setHeader('content-type', 'application/json').end(
					JSON.stringify({
						state,
						duration_ns: 5e9,
						calls: 12,
						totals: { cpu: { raw: 1000 } },
						options: { events_keep: '10s' },
						traces: [...on],
					}),
				);
			else if (path === 'control') {
				const { verb, on: more = [], off = [] } = JSON.parse(body);
				const error = verb === 'stop' ? '<b>no</b>' : more.includes('<b>bad') ? '<i>cannot</i> be had' : null;

				if (!error) more.forEach((trace) => on.add(trace));
				off.forEach((trace) => on.delete(trace));
				response
					.setHeader('content-type', 'application/json')
					.end(JSON.stringify(error ? { ok: false, error } : { ok: true }));
			} else response.writeHead(404).end();
		});
	});

	name = 'served';
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	const address = `http://127.0.0.1:${server.address().port}/token/`;
	const page = await newPage(messages, (url) => url.startsWith(address) || url.startsWith('data:'));
	await page.goto(address);
	await ready(page);
	await page.waitForFunction(() => document.querySelector('.livestate').textContent.includes('12 calls'));
	await audit(page, 'served');
	await page.fill('#live-label', 'a "name"');
	await page.click('#live-snapshot');
	await page.waitForFunction(() => document.querySelector('.said').textContent === 'Made a snapshot.');
	check(
		'a snapshot is asked for',
		asked.some((line) => line === 'POST control {"verb":"snapshot","label":"a \\"name\\""}'),
	);
	await page.click('#live-stop');
	await page.waitForFunction(() => document.querySelector('.said').textContent === '<b>no</b>');
	check('start is not possible meanwhile', await page.isDisabled('#live-start'));
	await switches(page, asked);
	state = 'armed';
	await page.waitForFunction(() => document.querySelector('.switches').disabled);
	await audit(page, 'not recording');
	check('nothing is on where nothing records', await page.isChecked('#live-trace-locks'), false);
	state = 'recording';
	/* The time line is made of what threads did between snapshots next to each other, asked for once. */
	await go(page, 'threads');
	await page.waitForSelector('.timeline .ran');
	await page.fill('#search', 'script');
	const wanted = `GET report?${new URLSearchParams({ view: 'threads', interval: `${HOSTILE[0]}..${HOSTILE[2]}` })}`;
	check('threads of the interval', asked.filter((line) => line.startsWith('GET report')).join(), wanted);
	await go(page, 'flame');
	check('it is told that the page is seen', asked.filter((line) => line === 'GET status').length > 0);
	check('blocks that were asked for', asked.filter((line) => line.startsWith('GET block')).length, 2);
	check('messages on the console', messages.join('\n'), '');
	await page.goto('about:blank');
	await left; /* it is told that it goes */
	await page.close();
	server.close();
}

/** Two profiles: before, after, and change in every view. */
async function difference(files) {
	const messages = [];
	const file = join(folder, 'difference.html');
	const element = (side) =>
		readFileSync(files[side], 'utf8')
			.match(/<script type="application\/x-jprof-block" [^>]*>[^<]*<\/script>/)[0]
			.replace('data-side="0"', `data-side="${side}"`);

	name = 'difference';
	writeFileSync(file, pageWith(bundle, null, element(0) + element(1)));
	const page = await newPage(messages, isFile);
	await page.goto(`file://${file}`);
	await ready(page);
	await everyView(page, 'light');
	await go(page, 'methods');
	const sums = await page.evaluate(() => window.jprof.context().sums.map((side) => side.methodSums().seen().length));
	const all = (await rows(page)).length;
	check('methods of both sides', all >= Math.max(...sums) && all <= sums[0] + sums[1]);
	check('changes are there', await page.locator('th:has-text("Self change")').count(), 1);
	await go(page, 'flame');
	check('frames have signs', (await page.textContent('.legend')).includes('more than before'));
	await page.selectOption('#width', 'before');
	await page.waitForFunction(() => location.hash.includes('part=before'));
	await go(page, 'threads');
	await page.selectOption('#side', 'after');
	await page.waitForFunction(() => location.hash.includes('side=after'));
	check('messages on the console', messages.join('\n'), '');
	await page.close();
}

/** On paper: light, no controls, all rows. */
async function paper(page) {
	await go(page, 'methods');
	const all = (await rows(page)).length;
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
	await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
	check('paper is light', await page.evaluate(() => document.documentElement.dataset.theme), 'light');
	check('rows on paper', await page.locator('main tbody tr').count(), Math.min(all, 2000));
	check(
		'no controls on paper',
		await page
			.locator('.toolbar, .tabs, #theme')
			.evaluateAll((elements) => elements.every((element) => getComputedStyle(element).display === 'none')),
	);
	await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
	await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
}

await hostile();
await served();
const pages = [];
for (const profile of profiles) {
	name = basename(profile);
	const file = join(folder, `${name}.html`);
	const messages = [];

	execFileSync(jprof, ['html', profile, '-o', file, '--calibration', 'off'], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const page = await newPage(messages, isFile);

	const began = performance.now();
	await page.goto(`file://${file}`);
	await ready(page);
	const opened = performance.now() - began;
	const clicks = [];
	for (const view of await viewsOf(page)) clicks.push(`${view} ${(await clickTime(page, { view })).toFixed(0)}`);
	clicks.push(`fold ${(await clickTime(page, { view: 'flame', fold: true })).toFixed(0)}`);
	clicks.push(`invert ${(await clickTime(page, { view: 'flame', fold: false, invert: true })).toFixed(0)}`);
	await page.evaluate(() => window.jprof.choose({ view: 'overview', invert: false }));
	console.log(`${name}: opened in ${opened.toFixed(0)} ms; a click, in ms: ${clicks.join(', ')}`);

	await everyView(page, 'light');
	await page.click('#theme');
	await everyView(page, 'dark');
	await page.click('#theme');
	await compareMethods(page, profile);
	await search(page);
	await sorting(page);
	await traces(page, profile);
	await work(page, profile);
	await choosing(page, profile);
	await choosingTwo(page, profile);
	await flame(page);
	await tree(page);
	await keyboardAlone(page);
	await paper(page);
	pages.push(file);
	await page.setViewportSize({ width: 400, height: 800 });
	await everyView(page, 'light, 400 pixels');
	check('messages on the console', messages.join('\n'), '');
	await page.close();
}
for (const profile of profiles.filter(hasTags)) await opened(profile);
if (pages.length > 1) await difference(pages);
await browser.close();
rmSync(folder, { recursive: true });
console.log(failures ? `${failures} checks failed` : 'all is well');
process.exit(failures ? 1 : 0);
