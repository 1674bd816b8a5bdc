// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// io: sums of I/O, by file, by method, by path. What is charged to entries of archives is charged to the archives, too: sums over
// several files leave entries out.

import { flatMethods, type Profile } from './profile';
import { METHOD_SMALL, ROOT_PATH } from './universe';

export interface Amount {
	ops: number;
	bytes: number;
	ns: number;
}

export const IO_PARTS = ['reads', 'writes', 'received', 'sent', 'others'] as const;
export type IoPart = (typeof IO_PARTS)[number];
const PART_OF = new Map<string, IoPart>([
	['read', 'reads'],
	['write', 'writes'],
	['receive', 'received'],
	['send', 'sent'],
]);

export interface IoUse extends Record<IoPart | 'all', Amount> {
	cpu: number; // ns that threads ran in all of them; 0 where that was not recorded
	kinds: Map<string, number>; // operations by kind
	failures: number;
}

export function newUse(): IoUse {
	const amount = (): Amount => ({ ops: 0, bytes: 0, ns: 0 });

	return {
		all: amount(),
		reads: amount(),
		writes: amount(),
		received: amount(),
		sent: amount(),
		others: amount(),
		cpu: 0,
		kinds: new Map(),
		failures: 0,
	};
}

export interface IoFile {
	row: number;
	name: string;
	peer: string;
	kind: string;
	openedBy: string;
}

export function fileText(file: IoFile | undefined): string {
	if (!file) return '(not known)';
	if (file.kind === 'entry') return `${file.peer}!${file.name}`;
	return file.peer ? `${file.name} \u2013 ${file.peer}` : file.name;
}

export interface IoChoice {
	threads: number[] | null;
	path: number; // on this path and below; ROOT_PATH: all
	method: number; // by this method and what it calls; -1: all
	files: number[] | null; // rows of `file`; null: all, of an empty list nothing counts
}

/** The kind of accounts that are no operations, but the processor time of those. */
const CPU = 'io-cpu';

/** Operations of one kind with one file on one path. */
interface Account {
	path: number; // or -1: of a method on a folded path
	method: number;
	small: boolean; // at a "(small)"
	file: number;
	kind: string;
	count: number;
	failures: number;
	amount: number;
	ns: number;
}

export class IoSums {
	readonly files: IoFile[];

	constructor(private readonly profile: Profile) {
		this.files = filesOf(profile);
	}

	get isEmpty(): boolean {
		return this.profile.block.table('io').rows === 0;
	}

	/** Whether the processor time of operations was recorded. */
	get hasCpu(): boolean {
		const { block } = this.profile;

		return block
			.table('io')
			.get('kind')
			.includes(block.header.io_kinds?.indexOf(CPU) ?? -1);
	}

	private *accounts(threads: number[] | null): Generator<Account> {
		const { block, universe, placement, nodeThreads, flatThreads } = this.profile;
		const table = block.table('io');
		const [where, file, kind] = [table.get('where'), table.get('file'), table.get('kind')];
		const [count, failures] = [table.get('count'), table.get('failures')];
		const [amount, ns] = [table.get('amount'), table.get('ns')];
		const nodes = placement.path.length;
		const flat = flatMethods(this.profile);
		const mask = this.profile.threadMask(threads);

		for (let row = 0; row < table.rows; row++) {
			const at = where[row]!;
			const isFlat = at >= nodes;
			const path = isFlat ? -1 : placement.path[at]!;

			if (!mask[isFlat ? flatThreads[at - nodes]! : nodeThreads[at]!]) continue;
			yield {
				path,
				method: isFlat ? flat[at - nodes]! : universe.methodOf[path]!,
				small: !isFlat && universe.methodOf[path] === METHOD_SMALL,
				file: file[row]! - 1,
				kind: block.header.io_kinds?.[kind[row]!] ?? String(kind[row]),
				count: count[row]!,
				failures: failures[row]!,
				amount: amount[row]!,
				ns: ns[row]!,
			};
		}
	}

	/** By path: 1 below a call of the method. */
	private belowMethod(method: number): Uint8Array {
		const { universe } = this.profile;
		const below = new Uint8Array(universe.pathCount);

		for (let path = 1; path < below.length; path++)
			if (universe.methodOf[path] === method || below[universe.parent[path]!]) below[path] = 1;
		return below;
	}

	/** Accounts at paths, small ones too; what flat rows have is there once more. */
	private *chosen(choice: IoChoice): Generator<Account> {
		const inside = choice.path === ROOT_PATH ? null : this.profile.pathSums(choice.threads).below(choice.path);
		const below = choice.method < 0 ? null : this.belowMethod(choice.method);

		for (const account of this.accounts(choice.threads)) {
			if (account.path < 0) continue;
			if (choice.files && !choice.files.includes(account.file)) continue;
			if ((inside && !inside[account.path]) || (below && !below[account.path])) continue;
			yield account;
		}
	}

	private isEntry(account: Account): boolean {
		return this.files[account.file]?.kind === 'entry';
	}

	/** By row of `file`; -1: what is not known. Those that nothing was done with on the chosen paths are left out. */
	byFile(choice: IoChoice): Map<number, IoUse> {
		const uses = new Map<number, IoUse>();

		for (const account of this.chosen(choice)) addTo(uses, account.file, account);
		return uses;
	}

	/** By path, of its own. */
	byPath(choice: IoChoice): Map<number, IoUse> {
		const uses = new Map<number, IoUse>();

		for (const account of this.chosen(choice))
			if (choice.files || !this.isEntry(account)) addTo(uses, account.path, account);
		return uses;
	}

	/**
	 * By method: base what it did itself, cum what was done within its calls. On folded paths, where nothing but threads
	 * and files are chosen, what methods did themselves is known, and what was done within their calls is theirs alone.
	 */
	byMethod(choice: IoChoice): Map<number, { base: IoUse; cum: IoUse }> {
		const { universe } = this.profile;
		const uses = new Map<number, { base: IoUse; cum: IoUse }>();
		const take = (method: number) => {
			let use = uses.get(method);

			if (!use) uses.set(method, (use = { base: newUse(), cum: newUse() }));
			return use;
		};
		const flat = choice.path === ROOT_PATH && choice.method < 0;

		for (const account of this.chosen(choice)) {
			if (!choice.files && this.isEntry(account)) continue;
			if (!flat || !account.small) addAccount(take(account.method).base, account);
			for (let path = account.path; path > ROOT_PATH; path = universe.parent[path]!)
				if (universe.recursion[path] === 0 && !(flat && universe.methodOf[path] === METHOD_SMALL))
					addAccount(take(universe.methodOf[path]!).cum, account);
		}
		if (!flat) return uses;
		for (const account of this.accounts(choice.threads)) {
			if (account.path >= 0 || (choice.files ? !choice.files.includes(account.file) : this.isEntry(account)))
				continue;
			addAccount(take(account.method).base, account);
			addAccount(take(account.method).cum, account);
		}
		return uses;
	}

	/** By path: 1 if something of that was done there or below. */
	leading(choice: IoChoice): Uint8Array {
		const { universe } = this.profile;
		const leads = new Uint8Array(universe.pathCount);

		for (const account of this.chosen(choice))
			for (let path = account.path; path >= ROOT_PATH && !leads[path]; path = universe.parent[path]!)
				leads[path] = 1;
		return leads;
	}

	total(choice: IoChoice): IoUse {
		const use = newUse();

		for (const account of this.chosen(choice)) if (choice.files || !this.isEntry(account)) addAccount(use, account);
		return use;
	}
}

/** Adds all of another. */
export function addUse(to: IoUse, use: IoUse): void {
	for (const part of ['all', ...IO_PARTS] as const) {
		to[part].ops += use[part].ops;
		to[part].bytes += use[part].bytes;
		to[part].ns += use[part].ns;
	}
	to.cpu += use.cpu;
	for (const [kind, count] of use.kinds) to.kinds.set(kind, (to.kinds.get(kind) ?? 0) + count);
	to.failures += use.failures;
}

function addAccount(use: IoUse, account: Account): void {
	if (account.kind === CPU) {
		use.cpu += account.ns;
		return;
	}
	for (const amount of [use.all, use[PART_OF.get(account.kind) ?? 'others']]) {
		amount.ops += account.count;
		amount.bytes += account.amount;
		amount.ns += account.ns;
	}
	use.kinds.set(account.kind, (use.kinds.get(account.kind) ?? 0) + account.count);
	use.failures += account.failures;
}

function addTo(uses: Map<number, IoUse>, key: number, account: Account): void {
	let use = uses.get(key);

	if (!use) uses.set(key, (use = newUse()));
	addAccount(use, account);
}

/** Bytes a second of what reads and writes took, in both directions; null without time. */
export function throughput(use: IoUse): number | null {
	const parts = [use.reads, use.writes, use.received, use.sent];
	const ns = parts.reduce((sum, part) => sum + part.ns, 0);

	return ns > 0 ? Math.floor((parts.reduce((sum, part) => sum + part.bytes, 0) * 1e9) / ns) : null;
}

const read = new WeakMap<Profile, IoFile[]>();

export function filesOf(profile: Profile): IoFile[] {
	let files = read.get(profile);

	if (!files) read.set(profile, (files = readFiles(profile)));
	return files;
}

/** Rows of the same file, of another profile or the same one: one that is opened several times may have several. */
export function sameFiles(file: IoFile | undefined, profile: Profile): number[] {
	if (!file) return [];
	return filesOf(profile)
		.filter((one) => one.kind === file.kind && one.name === file.name && one.peer === file.peer)
		.map(({ row }) => row);
}

function readFiles(profile: Profile): IoFile[] {
	const { block } = profile;
	const table = block.table('file');

	return Array.from({ length: table.rows }, (_, row) => ({
		row,
		name: block.text(table.get('name')[row]!),
		peer: block.text(table.get('peer')[row]!),
		kind: block.header.file_kinds?.[table.get('kind')[row]!] ?? '',
		openedBy: block.text(table.get('opened_by')[row]!),
	}));
}
