// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// main: the page around the views: what is chosen, the tabs, the view. Begins when the document is there.

import { App, figureName, NotOnPage, type Context, type View } from './app';
import { embeddedBlocks, serverFacts } from './data/embedded';
import { startHeartbeat } from './data/heartbeat';
import { METHOD_SMALL, ROOT_PATH } from './model/universe';
import { filesOf, fileText } from './model/io';
import { CHOICE_KINDS, CHOICE_WORDS, type Choice } from './state/choice';
import { NOTHING, toHash, VIEWS, type Selection, type ViewName } from './state/selection';
import { select } from './ui/controls';
import { h, type Child } from './ui/dom';
import { cut, name, shortMethod, visible } from './ui/names';
import { onTheme, setPrinting, toggleTheme } from './ui/theme';
import { callersView } from './views/callers';
import { callsView } from './views/calls';
import { figureTitle } from './views/columns';
import { componentsView } from './views/components';
import { flameView } from './views/flame';
import { intervalsView, intervalText } from './views/intervals';
import { ioView } from './views/io';
import { linesView } from './views/lines';
import { livePanel } from './views/live';
import { methodsView } from './views/methods';
import { chip as chipOf, choiceChips, whereItIs } from './views/only';
import { numbersView } from './views/numbers';
import { overviewView } from './views/overview';
import { threadsView } from './views/threads';
import { hasTraces, tracesView } from './views/traces';
import { hasWork, workView } from './views/work';
import { treeView } from './views/tree';

const TABS: Record<ViewName, { title: string; make: (context: Context) => View }> = {
	overview: { title: 'Overview', make: overviewView },
	flame: { title: 'Flame graph', make: flameView },
	tree: { title: 'Call tree', make: treeView },
	methods: { title: 'Methods', make: methodsView },
	callers: { title: 'Callers', make: callersView },
	components: { title: 'Components', make: componentsView },
	calls: { title: 'Slow calls', make: callsView },
	threads: { title: 'Threads', make: threadsView },
	work: { title: 'Values and tags', make: workView },
	traces: { title: 'Traces', make: tracesView },
	io: { title: 'I/O', make: ioView },
	lines: { title: 'Lines', make: linesView },
	intervals: { title: 'Intervals', make: intervalsView },
	numbers: { title: 'About the numbers', make: numbersView },
};

/* What another view does not take over. */
const VIEWS_OWN: Partial<Selection> = { search: '', sort: '', part: '', zoom: '' };

const byId = (id: string): HTMLElement => document.getElementById(id)!;

function metricField(context: Context): Child {
	if (context.kinds.length === 0) return null;
	return select(
		'metric',
		'Figure',
		figureName(context.kinds[context.figure]!),
		context.kinds.map((kind) => ({ value: figureName(kind), label: visible(cut(figureTitle(kind), 60)) })),
		(metric) => context.choose({ metric, sort: '' }),
	);
}

const placeWord = (context: Context) => (context.selection.interval === '' ? 'profile' : 'interval');

function threadField(context: Context): Child {
	const { threads, isPart } = context.profile;
	/* Those that are not here are chosen, too. */
	const chosen = isPart ? threads.map(({ index }) => index) : context.selection.threads;
	const options = [{ value: '', label: 'all of the program' }];

	if (chosen.length > 1) options.push({ value: chosen.join('.'), label: `${chosen.length} chosen threads` });
	/* A list of thousands is none: the view Threads has them all. */
	for (const thread of threads.slice(0, 300))
		options.push({
			value: String(thread.index),
			label: visible(cut(thread.name, 60)) + (thread.jvm ? ' (JVM)' : ''),
		});
	if (chosen.length === 1 && !options.some(({ value }) => value === String(chosen[0]))) {
		const thread = threads.find(({ index }) => index === chosen[0]);

		options.push({
			value: String(chosen[0]),
			label: thread ? visible(cut(thread.name, 60)) : `a thread that is not in this ${placeWord(context)}`,
		});
	}
	return select('threads', 'Threads', chosen.join('.'), options, (value) =>
		context.choose({ threads: value === '' ? [] : value.split('.').map(Number), zoom: '', root: '' }),
	);
}

function intervalField(context: Context): Child {
	const { intervals, interval } = context.profile.block.header;

	if (intervals.length < 2) return null;
	return select(
		'interval',
		'Interval',
		interval,
		intervals.map((one) => ({ value: one.interval, label: visible(cut(intervalText(one), 60)) })),
		(value) => context.choose({ interval: value }),
	);
}

/** Which threads are chosen, and whether what is shown has them. */
function threadsText(context: Context): Child {
	const { threads, profiles, selection } = context;
	const wanted = new Set(selection.threads).size;
	const here = threads[0]!;
	const text: Child =
		here.length === 1 && wanted === 1
			? name(cut(context.profile.threads[here[0]!]!.name, 60))
			: here.length === wanted
				? String(wanted)
				: `${here.length} of ${wanted}`;

	if (here.length === 0)
		return wanted === 1
			? `is not in this ${placeWord(context)}`
			: `${wanted}, none of which is in this ${placeWord(context)}`;
	if (here.length < wanted) return [text, `: others are not in this ${placeWord(context)}`];
	if (profiles.length > 1 && threads[1]!.length === 0) return [text, ', not in the profile after'];
	return text;
}

function fileChipText(context: Context): Child {
	const file = filesOf(context.first)[Number(context.selection.file)];

	if (!file) return `is not in this ${placeWord(context)}`;
	const text = name(cut(fileText(file), 80));
	return context.files[1]?.length === 0 ? [text, ', not in the profile after'] : text;
}

/** What the page itself is of. */
function fixedChips(context: Context): Child[] {
	const chosen = context.first.block.header.chosen ?? {};

	return CHOICE_KINDS.flatMap((kind) =>
		(chosen[kind] ?? [])
			.filter((text) => !context.selection[kind].includes(text))
			.map((text) => chipOf(context.app, CHOICE_WORDS[kind].word, name(cut(text, 80)), null)),
	);
}

/** What narrows the view, each with a button that takes it away. */
function chips(context: Context): Child[] {
	const { selection, universe, path, method } = context;
	const chip = (what: string, text: Child, change: Partial<Selection>) => chipOf(context.app, what, text, change);
	const items: Child[] = [...fixedChips(context), ...choiceChips(context.app)];
	const text = (id: number) => name(cut(shortMethod(universe.methods[id]!, id), 80));

	if (path !== ROOT_PATH) items.push(chip('below', text(universe.methodOf[path]!), { path: '', zoom: '', root: '' }));
	if (method > METHOD_SMALL) items.push(chip('method', text(method), { method: '', zoom: '' }));
	if (context.files[0]) items.push(chip('file', fileChipText(context), { file: '' }));
	if (selection.threads.length > 0 && !context.profile.isPart)
		items.push(chip('threads', threadsText(context), { threads: [] }));
	if (context.profile.isPart) {
		const { beginsAt, threads } = context.profile;
		const of = beginsAt === ROOT_PATH ? name(cut(threads[0]?.name ?? '', 60)) : text(universe.methodOf[beginsAt]!);

		items.push(chip('with folded paths of', of, { root: '' }));
	}
	if (selection.interval !== '')
		items.push(
			chip(
				'interval',
				name(
					cut(
						intervalText(
							context.profile.block.header.intervals.find((one) => one.interval === selection.interval),
						),
						60,
					),
				),
				{ interval: '' },
			),
		);
	if (selection.search !== '')
		items.push(chip('like', h('code', {}, name(cut(selection.search, 60))), { search: '' }));
	/* A link to what is not in this profile. */
	if (selection.path !== '' && path === ROOT_PATH)
		items.push(chip('path', 'is not in this profile', { path: '', root: '' }));
	if (selection.method !== '' && method < 0) items.push(chip('method', 'is not in this profile', { method: '' }));
	return items;
}

/** A link may lead to a view that this profile has nothing for: then it has its tab. */
function isThere(context: Context, view: ViewName): boolean {
	const has = view === 'traces' ? hasTraces : view === 'work' ? hasWork : null;

	return !has || view === context.selection.view || context.profiles.some((profile) => has(profile.block.header));
}

function tabs(context: Context): Child[] {
	return VIEWS.filter((view) => isThere(context, view)).map((view) =>
		h(
			'li',
			{},
			h(
				'a',
				{
					id: `tab-${view}`,
					href: toHash({ ...context.selection, ...VIEWS_OWN, view }),
					'aria-current': context.selection.view === view ? 'page' : null,
				},
				TABS[view].title,
			),
		),
	);
}

let opened: App | null = null;
let shown: View | null = null;
let current: Context | null = null;
let shownView: ViewName | null = null;

/** Puts the focus, and the caret in a field, where they were. */
function keepingFocus(change: () => void): void {
	const active = document.activeElement as HTMLInputElement | null;
	const { id } = active ?? { id: '' };
	const caret = active?.selectionStart;

	change();
	if (!id || document.activeElement?.id === id) return;
	const again = document.getElementById(id) as HTMLInputElement | null;
	again?.focus({ preventScroll: true });
	if (again && typeof caret === 'number' && again.type === 'search') again.setSelectionRange(caret, caret);
}

function draw(context: Context): void {
	const tab = TABS[context.selection.view];
	const { header } = context.profile.block;
	const titles = context.profiles.map((profile) => profile.block.header.title || 'a Java program');
	const moved = shownView !== context.selection.view;

	current = context;
	shownView = context.selection.view;
	keepingFocus(() => {
		document.title = `${visible(cut(titles[0]!, 80))} \u2013 ${tab.title} \u2013 jprof`;
		byId('title').replaceChildren(
			...(titles.length > 1
				? [
						name(titles[0]!, 120),
						h('span', { class: 'quiet' }, ' before, '),
						name(titles[1]!, 120),
						h('span', { class: 'quiet' }, ' after'),
					]
				: [name(titles[0]!, 200)]),
		);
		byId('chosen').replaceChildren(
			...([metricField(context), threadField(context), intervalField(context)].filter(Boolean) as Node[]),
		);
		byId('chips').replaceChildren(...(chips(context) as Node[]));
		byId('tabs').replaceChildren(...(tabs(context) as Node[]));
		/* At 400 pixels the tabs scroll: the current one is in sight. */
		document.querySelector('#tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
		shown = tab.make(context);
		byId('view').replaceChildren(h('h2', { id: 'heading', tabindex: -1 }, tab.title), shown.element);
		shown.resize?.();
	});
	if (moved) byId('said').textContent = `${tab.title}`;
	byId('view').setAttribute('aria-labelledby', 'heading');
	document.documentElement.dataset['ready'] = header.interval || 'whole';
}

function fail(error: unknown): void {
	const text = error instanceof Error ? error.message : String(error);
	const chosen = opened ? choiceChips(opened) : [];

	/* Nothing of the last choice is drawn again, as another theme or width would. */
	current = null;
	shown = null;
	shownView = null;
	if (chosen.length > 0) byId('chips').replaceChildren(...chosen);

	byId('view').replaceChildren(
		h('h2', { id: 'heading' }, 'This profile cannot be shown'),
		h('p', { class: 'warning', role: 'alert' }, name(text, 500)),
		opened && error instanceof NotOnPage ? h('div', {}, whereItIs(opened)) : '',
		h('p', {}, h('a', { href: '#' }, 'Show all of it, with nothing chosen')),
		typeof DecompressionStream === 'undefined'
			? 'This browser is too old: it cannot inflate data (DecompressionStream). Firefox 113, Chrome 103, Safari 16.4 and later can.'
			: '',
	);
	document.documentElement.dataset['ready'] = 'failed';
}

function frame(app: App): void {
	document.body.append(
		h(
			'a',
			{
				class: 'skip',
				href: '#view',
				onclick: (event: Event) => {
					event.preventDefault();
					byId('heading').focus();
				},
			},
			'To the content',
		),
		h(
			'header',
			{ class: 'top' },
			h(
				'div',
				{ class: 'titleline' },
				h('h1', {}, h('span', { class: 'brand' }, 'jprof'), ' ', h('span', { id: 'title' })),
				h('button', { type: 'button', id: 'theme', onclick: toggleTheme }, 'Light / dark'),
			),
			app.server?.live ? livePanel(app) : null,
			h(
				'div',
				{ class: 'selection', role: 'group', 'aria-label': 'What is chosen' },
				h('div', { id: 'chosen', class: 'chosen' }),
				h('ul', { id: 'chips', class: 'chips', 'aria-label': 'Narrowed to' }),
			),
			h('nav', { 'aria-label': 'Views' }, h('ul', { id: 'tabs', class: 'tabs' })),
		),
		h('main', { id: 'view' }, h('p', { class: 'note' }, 'Reading the profile\u2026')),
		h('p', { id: 'said', class: 'unseen', 'aria-live': 'polite' }),
	);
}

/** What the command was asked for, unless the address says what to show. */
function beginWith(app: App): void {
	const hash = toHash({ ...NOTHING, ...listsOf(app.server?.chosen) });

	if (location.hash === '' && hash !== '#') history.replaceState(null, '', hash);
}

function listsOf(chosen: Partial<Choice> = {}): Partial<Selection> {
	return Object.fromEntries(CHOICE_KINDS.map((kind) => [kind, chosen[kind] ?? []]));
}

function begin(): void {
	const app = new App(embeddedBlocks(document), serverFacts(document), draw, fail);
	let waiting = 0;

	opened = app;
	frame(app);
	beginWith(app);
	if (app.blocks.length === 0 && !app.server) {
		fail(new Error('there is no profile in this page: jprof html FILE makes one that has'));
		return;
	}
	if (app.server && !app.server.live)
		startHeartbeat(
			() => undefined,
			() => undefined,
		);
	window.addEventListener('popstate', () => void app.show());
	window.addEventListener('resize', () => {
		cancelAnimationFrame(waiting);
		waiting = requestAnimationFrame(() => shown?.resize?.());
	});
	window.addEventListener('beforeprint', () => setPrinting(true));
	window.addEventListener('afterprint', () => setPrinting(false));
	onTheme(() => current && draw(current));
	window.jprof = {
		choose: (change) => app.choose(change),
		rows: () => shown?.rows() ?? [],
		view: () => app.selection.view,
		context: () => current,
	};
	void app.show();
}

/** For tests. */
interface ForTests {
	choose(change: Partial<Selection>): void;
	rows(): object[];
	view(): string;
	context(): Context | null;
}

declare global {
	interface Window {
		jprof?: ForTests;
	}
}

begin();
