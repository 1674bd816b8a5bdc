// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// app: what is open and what is chosen; draws the view again when either changes.

import type { ReportRow } from './data/block';
import { decodeBlock } from './data/decode';
import type { EmbeddedBlock, ServerFacts } from './data/embedded';
import { fetchBlock, fetchReport } from './data/server';
import type { FigureKind } from './model/figures';
import { filesOf, sameFiles } from './model/io';
import { Profile, type PathSums } from './model/profile';
import { ROOT_PATH, Universe } from './model/universe';
import { CHOICE_KINDS, choiceKey, isWhole, matchesPattern, type ChoiceKind } from './state/choice';
import { fromHash, NOTHING, toHash, type Selection } from './state/selection';

/* Most nodes of a block that a server is asked for: views of them are drawn in a fraction of a second. */
const NODES = 200000;
/* Most paths, of all intervals together, and most intervals that a server is asked to read for a time line: some seconds. */
const PATHS = 2000000;
const INTERVALS = 60;

/** What was chosen is not in a page that is a file. */
export class NotOnPage extends Error {
	constructor() {
		super('this page has no data of what is chosen');
	}
}

/** What a view is made of: what is open, and what of it is chosen, worked out. */
export interface Context {
	app: App;
	selection: Selection;
	universe: Universe;
	first: Profile; // the first side: rows of threads and files are chosen there
	profile: Profile; // the first side, or the one that a view shows alone
	profiles: Profile[]; // one, or of a difference two: before, after
	sums: PathSums[]; // of the chosen threads, one a side
	threads: (number[] | null)[]; // rows of the chosen ones, one list a side, empty where it has none of them; null: none is chosen
	kinds: FigureKind[];
	figure: number; // index of kinds
	path: number; // ROOT_PATH: all
	method: number; // -1: none
	files: (number[] | null)[]; // rows of the chosen file, one list a side, empty where it is not; null: none is chosen
	/** Chooses something else; a new entry for `back`, or (replace) in the place of the last one. */
	choose(change: Partial<Selection>, how?: 'push' | 'replace'): void;
	link(change: Partial<Selection>): string;
}

export interface View {
	element: HTMLElement;
	/** What it shows, for tests: named as reports name it. */
	rows(): object[];
	/** Called when it is in the document, and again when its width changes. */
	resize?(): void;
}

export class App {
	readonly universe = new Universe();
	selection: Selection = { ...NOTHING };
	/** What views keep from one drawing to the next: opened rows of a tree. */
	readonly memory = new Map<string, unknown>();
	private readonly open = new Map<string, Promise<Profile>>();
	/** Of a served page: what threads did, by interval. */
	private readonly reports = new Map<string, Promise<ReportRow[]>>();
	/** Where nodes are that were zoomed to, by their ids: blocks that begin there do not say. */
	private readonly begins = new Map<number, number>();
	private profiles: Profile[] = [];
	private serial = 0;
	/** Names of threads that the command was asked for, until there is a profile that has them. */
	private namedThreads: string[];

	constructor(
		readonly blocks: EmbeddedBlock[],
		readonly server: ServerFacts | null,
		private readonly draw: (context: Context) => void,
		private readonly fail: (error: unknown) => void,
	) {
		this.namedThreads = server?.chosen?.threads ?? [];
	}

	get isDifference(): boolean {
		return this.blocks.some((block) => block.side === 1);
	}

	private async read(side: number, interval: string): Promise<Profile> {
		const embedded = this.blocks.filter((block) => block.side === side && block.part === '');
		const block = embedded.find((candidate) => candidate.interval === interval) ?? embedded[0];
		let bytes: Uint8Array;

		if (embedded.length === 0) bytes = await fetchBlock({ interval, limit: NODES });
		else bytes = await block!.read();
		return new Profile(decodeBlock(bytes), this.universe);
	}

	/** What is chosen of it. */
	private async readPart(whole: Profile, selection: Selection): Promise<Profile> {
		const { interval } = selection;
		const bytes = this.canUnfold
			? await fetchBlock({ interval, limit: NODES, choice: selection })
			: await this.partOf(selection)?.read();

		if (!bytes) throw new NotOnPage();
		const block = decodeBlock(bytes);

		block.borrow(whole.block);
		return new Profile(block, this.universe);
	}

	private partOf(selection: Selection): EmbeddedBlock | undefined {
		const key = choiceKey(selection);

		return this.blocks.find((block) => block.part === key && block.interval === selection.interval);
	}

	/** Whether there is data of that. */
	private has(selection: Selection): boolean {
		return this.canUnfold || isWhole(selection) || this.partOf(selection) !== undefined;
	}

	/** What chooses that beside what is chosen, or, where there is no data of both, alone; null: the page has no data of it. */
	only(kind: ChoiceKind, text: string): Partial<Selection> | null {
		const beside = { [kind]: [...new Set([...this.selection[kind], text])] } as Partial<Selection>;
		const alone = {
			...Object.fromEntries(CHOICE_KINDS.map((one) => [one, []])),
			[kind]: [text],
		} as Partial<Selection>;

		if (this.isDifference) return null;
		return [beside, alone].find((change) => this.has({ ...this.selection, ...change })) ?? null;
	}

	private once(key: string, read: () => Promise<Profile>): Promise<Profile> {
		let profile = this.open.get(key);

		if (!profile) {
			this.open.set(key, (profile = read()));
			profile.catch(() => this.open.delete(key));
		}
		return profile;
	}

	private profileOf(side: number, interval: string): Promise<Profile> {
		return this.once(`${side} ${interval}`, () => this.read(side, interval));
	}

	/** Of the first side, what is chosen. Paths and methods have the numbers of the whole, which is read before. */
	private async chosenProfile(selection: Selection): Promise<Profile> {
		const whole = await this.profileOf(0, selection.interval);

		if (isWhole(selection)) return whole;
		return this.once(`part ${choiceKey(selection)} ${selection.interval}`, () => this.readPart(whole, selection));
	}

	/** Of a served page: what is below one node, with the paths that are folded elsewhere. */
	private async below(root: number): Promise<Profile> {
		const { interval, path } = this.selection;
		const choice = this.selection;
		const whole = await this.chosenProfile(choice);
		const node = whole.nodes.get('id').indexOf(root);
		const at =
			node >= 0
				? whole.placement.path[node]!
				: (this.begins.get(root) ?? (path ? this.universe.findPath(path) : -1));

		/* A link from elsewhere, to what is known here only of blocks that were opened on the way there. */
		if (at < 0) throw new Error('that link leads to folded paths: zoom to them anew');
		this.begins.set(root, at);
		return this.once(
			`below ${root} ${interval} ${choiceKey(choice)}`,
			async () =>
				new Profile(decodeBlock(await fetchBlock({ interval, root, limit: NODES, choice })), this.universe, at),
		);
	}

	/** Whether folded paths can be had. */
	get canUnfold(): boolean {
		return this.server !== null && this.blocks.length === 0;
	}

	/** Rows of the view `threads`, of intervals of the first side; null: that would take long. */
	async threadsOf(profile: Profile, intervals: string[]): Promise<ReportRow[][] | null> {
		const { folded } = profile.block.header;
		const paths = profile.nodes.rows + (folded?.paths ?? 0);
		const found: ReportRow[][] = [];

		if (this.isDifference || (!this.canUnfold && !isWhole(this.selection))) return null;
		if (this.canUnfold && (intervals.length > INTERVALS || paths * intervals.length > PATHS)) return null;
		/* One after the other: a server reads one at a time, too. */
		for (const interval of intervals) found.push(await this.threadRows(interval));
		return found;
	}

	private async threadRows(interval: string): Promise<ReportRow[]> {
		const { selection } = this;
		const key = `${interval} ${choiceKey(selection)}`;
		let rows = this.reports.get(key);

		if (!this.canUnfold) return (await this.profileOf(0, interval)).block.report('threads');
		if (!rows) {
			rows = fetchReport('threads', interval, selection).then((report) => report.rows);
			this.reports.set(key, rows);
			rows.catch(() => this.reports.delete(key));
		}
		return rows;
	}

	/** Of a served page: asks for everything again. */
	async reload(): Promise<void> {
		this.open.clear();
		this.reports.clear();
		await this.show();
	}

	/** Reads what the location says, and draws it. */
	async show(): Promise<void> {
		const serial = ++this.serial;

		this.selection = fromHash(location.hash);
		try {
			const sides = this.isDifference ? [0, 1] : [0];
			const profiles: Profile[] = [];

			/* One after the other: numbers of methods and paths depend on the order. */
			if (this.canUnfold && /^\d+$/.test(this.selection.root))
				profiles.push(await this.below(Number(this.selection.root)));
			else if (sides.length === 1) profiles.push(await this.chosenProfile(this.selection));
			else for (const side of sides) profiles.push(await this.profileOf(side, this.selection.interval));
			if (this.nameThreads(profiles[0]!)) return;
			if (serial !== this.serial) return;
			if (profiles.length > 1) alignKinds(profiles[0]!, profiles[1]!);
			if (profiles.length > 1 && profiles[0]!.kinds.length === 0)
				throw new Error('the two profiles have no figure in common');
			this.profiles = profiles;
			this.draw(this.context());
		} catch (error) {
			if (serial === this.serial) this.fail(error);
		}
	}

	/** Chooses those threads that the command was asked for, once. True if that shows something else. */
	private nameThreads(profile: Profile): boolean {
		const patterns = this.namedThreads;
		const threads = profile.threads
			.filter(({ name }) => patterns.some((pattern) => matchesPattern(pattern, name)))
			.map(({ index }) => index);

		this.namedThreads = [];
		if (threads.length === 0) return false;
		this.choose({ threads }, 'replace');
		return true;
	}

	choose(change: Partial<Selection>, how: 'push' | 'replace' = 'push'): void {
		const hash = toHash({ ...this.selection, ...change });

		if (hash === (location.hash || '#')) return;
		if (how === 'push') history.pushState(null, '', hash);
		else history.replaceState(null, '', hash);
		void this.show();
	}

	context(): Context {
		const { selection, universe, profiles } = this;
		const profile = profiles[0]!;
		const kinds = profile.kinds;
		/* What is below one node is of one thread. */
		const chosen = profile.isPart
			? profile.threads.map(({ row }) => row)
			: chosenThreads(profile, selection.threads);
		const threads = profiles.map((side, i) => (i === 0 || !chosen ? chosen : sameThreads(profile, chosen, side)));
		const path = selection.path ? universe.findPath(selection.path) : ROOT_PATH;

		return {
			app: this,
			selection,
			universe,
			first: profile,
			profile,
			profiles,
			sums: profiles.map((side, i) => side.pathSums(threads[i] ?? null)),
			threads,
			kinds,
			figure: chosenFigure(profile, selection.metric),
			path: path < 0 ? ROOT_PATH : path,
			method: selection.method ? universe.findMethod(selection.method) : -1,
			files: profiles.map((side) => chosenFiles(profiles, side, selection.file)),
			choose: (change, how) => this.choose(change, how),
			link: (change) => toHash({ ...selection, ...change }),
		};
	}
}

/** The name that a figure has in links. */
export const figureName = (kind: FigureKind): string => (kind.samples ? `samples.${kind.name}` : kind.name);

function chosenFigure(profile: Profile, metric: string): number {
	const found = profile.kinds.findIndex((kind) => figureName(kind) === metric);

	return found >= 0 ? found : Math.min(profile.block.header.lead, Math.max(0, profile.kinds.length - 1));
}

/** Of a difference: what both sides have, in the order of the first. */
function alignKinds(first: Profile, second: Profile): void {
	const match = (kind: FigureKind, kinds: FigureKind[]) =>
		kinds.find((other) => figureName(other) === figureName(kind));
	const both = first.kinds.filter((kind) => match(kind, second.kinds));

	second.kinds.splice(0, Infinity, ...both.map((kind) => match(kind, second.kinds)!));
	first.kinds.splice(0, Infinity, ...both);
}

/** Of two profiles all rows of the file: they are matched by its names. */
export function chosenFiles(profiles: Profile[], side: Profile, row: string): number[] | null {
	if (!/^\d+$/.test(row)) return null;
	const file = filesOf(profiles[0]!)[Number(row)];

	if (!file) return [];
	return profiles.length > 1 ? sameFiles(file, side) : [file.row];
}

/** Their rows; null: none is chosen. */
export function chosenThreads(profile: Profile, indices: number[]): number[] | null {
	const wanted = new Set(indices);

	if (wanted.size === 0) return null;
	return profile.threads.filter((thread) => wanted.has(thread.index)).map((thread) => thread.row);
}

/** Threads of the other side with the same names. */
export function sameThreads(first: Profile, chosen: number[], second: Profile): number[] {
	const names = new Set(chosen.map((row) => first.threads[row]!.name));

	return second.threads.filter((thread) => names.has(thread.name)).map((thread) => thread.row);
}
