// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// model: decoding and sums on blocks made by hand, without a browser or a profile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBlock, modules } from './kit.mjs';

const page = await modules();

const header = (more = {}) => ({
	version: 1,
	jprof: 'test',
	title: 't',
	side: 0,
	interval: '',
	begin: 0,
	end: 1000,
	intervals: [{ interval: '', from: null, to: null }],
	metrics: [{ name: 'cpu', unit: 'ns', divided: false, condition: null }],
	conditions: [],
	lead: 0,
	errors: false,
	strings: ['', 'A', 'a', 'A.a', 'B', 'b', 'B.b', 'C', 'c', 'C.c', 'main', 'worker', 'GC'],
	folded: null,
	root: 0,
	views: {
		threads: {
			view: 'threads',
			rows: [
				{ thread: 'main', index: 1 },
				{ thread: 'worker', index: 2 },
			],
		},
	},
	states: ['interpreted', 'jprof'],
	io_kinds: ['open', 'read'],
	file_kinds: ['file', 'entry'],
	...more,
});

/* Methods: 2 A.a, 3 B.b, 4 C.c. */
const methods = {
	'method.class': ['v', [0, 0, 1, 4, 7]],
	'method.name': ['v', [0, 0, 2, 5, 8]],
	'method.signature': ['v', [0, 0, 0, 0, 0]],
	'method.display': ['v', [0, 0, 3, 6, 9]],
	'method.kind': ['b', [0, 0, 0, 0, 0]],
	'method.flags': ['b', [0, 0, 0, 0, 0]],
	'thread.index': ['v', [1, 2, 3]],
	'thread.name': ['v', [10, 11, 12]],
	'thread.jvm': ['b', [0, 0, 1]],
};

/**
 * main: (root) 1 > A.a 10 > B.b 20 > A.a 5 > C.c 7        a method that calls itself through another
 * worker: (root) 0 > A.a 100 > C.c 3
 */
const nodes = {
	'node.up': ['v', [0, 1, 1, 1, 1, 0, 1, 1]],
	'node.thread': ['v', [0, 0, 0, 0, 0, 1, 1, 1]],
	'node.method': ['v', [0, 2, 3, 2, 4, 0, 2, 4]],
	'node.id': ['v', [1, 2, 3, 4, 5, 6, 7, 8]],
	'node.recursion': ['v', [0, 0, 0, 1, 0, 0, 0, 0]],
	'node.calls': ['v', [0, 1, 2, 3, 4, 0, 10, 20]],
	'node.flags': ['b', [0, 0, 0, 0, 0, 0, 0, 0]],
	'node.base0': ['z', [1, 10, 20, 5, 7, 0, 100, 3]],
};

function open(more = {}, columns = {}) {
	const universe = new page.Universe();
	const profile = new page.Profile(
		page.decodeBlock(encodeBlock(header(more), { ...methods, ...nodes, ...columns })),
		universe,
	);
	const method = (name) => universe.findMethodNamed(name.toUpperCase(), name, '');

	return { universe, profile, method };
}

test('columns of every type come back', () => {
	const numbers = [0, 1, 127, 128, 16383, 16384, 2 ** 31, 2 ** 32, 2 ** 40 + 3, 2 ** 52 - 1];
	const block = page.decodeBlock(
		encodeBlock(header(), {
			't.v': ['v', numbers],
			't.z': ['z', numbers.map((n, i) => (i % 2 ? -n : n))],
			't.b': ['b', [0, 255]],
			't.f': ['f', [0, 1.5, -2.25, 1e30]],
		}),
	);
	const table = block.table('t');

	assert.deepEqual([...table.get('v')], numbers);
	assert.deepEqual(
		[...table.get('z')].map((n) => n + 0),
		numbers.map((n, i) => (i % 2 ? -n : n) + 0),
	);
	assert.deepEqual([...table.get('b')], [0, 255]);
	assert.deepEqual([...table.get('f')], [0, 1.5, -2.25, 1e30].map(Math.fround));
	assert.deepEqual([...table.get('not there')], new Array(numbers.length).fill(0));
});

test('a damaged block is refused, not half shown', () => {
	const good = encodeBlock(header(), methods);

	assert.throws(() => page.decodeBlock(good.subarray(0, good.length - 1)), /cut off/);
	assert.throws(() => page.decodeBlock(good.subarray(0, 30)), /longer than its block/);
	assert.throws(() => page.decodeBlock(encodeBlock(header({ version: 2 }), {})), /version 2/);
});

test('threads are summed by path, a method by its outermost calls', () => {
	const { universe, profile, method } = open();
	const paths = profile.pathSums(null);
	const sums = new page.MethodSums(paths);

	assert.equal(universe.pathCount, 1 + 5, 'the root; A, A-B, A-B-A, A-B-A-C, A-C');
	assert.equal(paths.total(0, 0).value, 146);
	assert.deepEqual(
		[sums.self(0, method('a')).value, sums.total(0, method('a')).value, sums.calls(method('a')).calls],
		[115, 145, 14],
	);
	assert.deepEqual([sums.self(0, method('c')).value, sums.total(0, method('c')).value], [10, 10]);
	assert.equal(new page.MethodSums(profile.pathSums([1])).total(0, method('a')).value, 103);
});

test('threads of the JVM are in sums only if they are chosen', () => {
	const columns = { ...nodes };

	columns['node.thread'] = ['v', [0, 0, 0, 0, 0, 2, 2, 2]];
	const { profile } = open({}, columns);
	assert.equal(profile.pathSums(null).total(0, 0).value, 43);
	assert.equal(profile.pathSums([2]).total(0, 0).value, 103);
});

test('callers and callees of a method that calls itself', () => {
	const { profile, method } = open();
	const sums = new page.MethodSums(profile.pathSums(null));
	const callers = new page.EdgeSums(sums, method('a'), 'callers');
	const callees = new page.EdgeSums(sums, method('a'), 'callees');

	assert.deepEqual(callers.ends(), [0, method('b')]);
	assert.deepEqual([callers.total(0, 0).value, callers.total(0, method('b')).value], [145, 0]);
	assert.deepEqual([callers.self(0, 0).value, callers.self(0, method('b')).value], [110, 5]);
	/* To B went 32, of which 12 were A's own again; to C 7 and 3. */
	assert.deepEqual([callees.total(0, method('b')).value, callees.total(0, method('c')).value], [20, 10]);
});

test('below a chosen path a method counts from there on', () => {
	const { universe, profile, method } = open();
	const outer = [...universe.children(0)][0];
	const b = [...universe.children(outer)].find((path) => universe.methodOf[path] === method('b'));
	const sums = new page.MethodSums(profile.pathSums(null), b);

	assert.equal(sums.total(0, method('a')).value, 12);
	assert.equal(sums.self(0, method('b')).value, 20);
});

test('recursion folded: the inner call is the outer one\u2019s', () => {
	const { universe, profile } = open();
	const tree = new page.FoldedTree([profile.pathSums(null)]);
	const show = (node) => [
		universe.methods[tree.method(node)].name,
		tree.sides[0].self(0, node).value,
		tree.sides[0].total(0, node).value,
		...page.sortedChildren(tree, node, 0, 0).map(show),
	];

	assert.deepEqual(show(tree.root), ['', 1, 146, ['a', 115, 145, ['b', 20, 20], ['c', 10, 10]]]);
});

test('turned round: methods by self, below them their callers', () => {
	const { universe, profile, method } = open();
	const tree = new page.CallersTree([profile.pathSums(null)], null);
	const top = page.sortedChildren(tree, tree.root, 0, 0);
	const c = top.find((node) => tree.method(node) === method('c'));

	assert.deepEqual(
		top.map((node) => [universe.methods[tree.method(node)].name, tree.sides[0].totalValue(0, node)]),
		[
			['a', 115],
			['b', 20],
			['c', 10],
		],
	);
	const callers = page.sortedChildren(tree, c, 0, 0);
	assert.deepEqual(
		callers.map((node) => [universe.methods[tree.method(node)].name, tree.sides[0].totalValue(0, node)]),
		[['a', 10]],
	);
	const of = new page.CallersTree([profile.pathSums(null)], method('a'));
	assert.equal(of.sides[0].totalValue(0, of.root), 145);
});

test('what was folded for the page is exact by method and caller', () => {
	/* Below B of main: C.c 7 and A.a 5 are folded into one row. */
	const columns = {
		'node.up': ['v', [0, 1, 1, 1, 0, 1, 1]],
		'node.thread': ['v', [0, 0, 0, 0, 1, 1, 1]],
		'node.method': ['v', [0, 2, 3, 1, 0, 2, 4]],
		'node.id': ['v', [1, 2, 3, 0, 6, 7, 8]],
		'node.recursion': ['v', [0, 0, 0, 0, 0, 0, 0]],
		'node.calls': ['v', [0, 1, 2, 7, 0, 10, 20]],
		'node.flags': ['b', [0, 0, 0, 4, 0, 0, 0]],
		'node.paths': ['v', [0, 0, 0, 2, 0, 0, 0]],
		'node.base0': ['z', [1, 10, 20, 12, 0, 100, 3]],
		'flat.thread': ['v', [0, 0]],
		'flat.method': ['v', [2, 4]],
		'flat.nodes': ['v', [1, 1]],
		'flat.calls': ['v', [3, 4]],
		'flat.base0': ['z', [5, 7]],
		'flat.cum0': ['z', [0, 7]],
	};
	const whole = open();
	const folded = open({ folded: { limit: 0.1, paths: 2 } }, columns);
	const a = new page.MethodSums(whole.profile.pathSums(null));
	const b = new page.MethodSums(folded.profile.pathSums(null));

	const sums = [folded.profile.pathSums(null)];
	const small = (tree) => {
		const below = (node) => [node, ...tree.children(node).flatMap(below)];

		return below(tree.root)
			.filter((node) => tree.method(node) === 1)
			.map((node) => tree.smallPaths(node));
	};
	assert.deepEqual(small(new page.PathTree(sums)), [2]);
	assert.deepEqual(small(new page.FoldedTree(sums)), [2]);
	assert.deepEqual(small(new page.CallersTree(sums, null)), [2]);
	for (const name of ['a', 'b', 'c']) {
		const [one, other] = [whole.method(name), folded.method(name)];

		assert.deepEqual(
			[b.self(0, other).value, b.total(0, other).value, b.calls(other).calls],
			[a.self(0, one).value, a.total(0, one).value, a.calls(one).calls],
			name,
		);
		for (const side of ['callers', 'callees']) {
			const sum = (sums, of) => {
				const edges = new page.EdgeSums(sums, of, side);

				return edges.ends().reduce((all, end) => all + edges.total(0, end).value, 0);
			};
			assert.equal(sum(b, other), sum(a, one), `${side} of ${name}`);
		}
	}
});

test('errors: of a sum as the document says, where samples divide more', () => {
	const parts = (which, values) =>
		Object.fromEntries(
			values.map((value, part) => [`node.${which}${part}_0`, ['f', [0, value, value, 0, 0, 0, value, 0]]]),
		);
	const { profile } = open(
		{ errors: true, metrics: [{ name: 'cpu', unit: 'ns', divided: true, condition: null }] },
		{
			'node.counted0': ['z', [0, 50, 0, 0, 0, 0, 50, 0]],
			...parts('be', [20, 3, 16, 9]),
			...parts('ce', [8, 1, 4, 0]),
		},
	);
	const sums = profile.pathSums(null);
	const a = [...profile.universe.children(0)][0];

	/* Two nodes: whole 40, common 6, square 32, chance 18; reach 110. */
	assert.deepEqual(sums.self(0, a), {
		value: 110,
		error: Math.round(Math.hypot(Math.sqrt(36 + 32), Math.sqrt(18))),
		divided: true,
	});
	assert.deepEqual(sums.total(0, a), { value: 145, error: Math.round(Math.sqrt(4 + 8)), divided: false });
});

test('what samples alone have found is not known, not 0', () => {
	const { profile } = open(
		{ conditions: [{ name: 'cpu', asked: 'cpu:1ms', event: 'cpu', period: 1e6, unit: 'ns' }] },
		{ 'node.flags': ['b', [0, 0, 0, 0, 1, 0, 0, 1]], 'node.samples0': ['v', [0, 0, 0, 0, 2, 0, 0, 3]] },
	);
	const sums = new page.MethodSums(profile.pathSums(null));
	const c = profile.universe.findMethodNamed('C', 'c', '');

	assert.deepEqual([sums.self(0, c).value, sums.calls(c).calls, sums.self(1, c).value], [null, null, 5]);
});

test('two blocks speak of the same path by the same number, and links find it', () => {
	const { universe, profile } = open();
	const second = new page.Profile(
		page.decodeBlock(encodeBlock(header({ side: 1 }), { ...methods, ...nodes })),
		universe,
	);

	assert.deepEqual(second.placement.path, profile.placement.path);
	for (let path = 1; path < universe.pathCount; path++)
		assert.equal(universe.findPath(universe.pathHash(path)), path);
	for (let method = 2; method < universe.methods.length; method++)
		assert.equal(universe.findMethod(universe.methodHash(method)), method);
});

test('the selection goes through the location and back', () => {
	const selection = {
		...page.NOTHING,
		view: 'flame',
		threads: [3, 14],
		search: 'a&b=c#"<\u202e',
		interval: 'A..B,%',
		fold: true,
		sort: '-self.cpu',
	};

	assert.deepEqual(page.fromHash(page.toHash(selection)), selection);
	assert.deepEqual(page.fromHash('#view=nothing&threads=x.2&__proto__=1&search=%E0%A4%A&fold=2'), {
		...page.NOTHING,
		threads: [2],
	});
});

test('numbers for people', () => {
	assert.deepEqual(
		[0, 1, 999, 999600, 1e6, 12345678, 4643867036].map((ns) => page.quantity(ns, 'ns').replace('\u00a0', ' ')),
		['0', '1 ns', '999 ns', '1.00 ms', '1.00 ms', '12.3 ms', '4.64 s'],
	);
	assert.deepEqual(
		[1, 0.0001, 0.5].map((part) => page.percent(part, 2).replace('\u00a0', ' ')),
		['50.0 %', '<0.1 %', '25.0 %'],
	);
});

test('a time line is of intervals between snapshots next to each other, in the part that is shown', () => {
	const snapshots = [
		{ at: 500, kind: 'snapshot', label: 'B' },
		{ at: 200, kind: 'snapshot', label: 'A' },
		{ at: 300, kind: 'mark', label: 'M' },
	];
	const pair = (from, to) => ({ interval: `${from ?? ''}..${to ?? ''}`, from, to });
	const all = [
		{ interval: '', from: null, to: null },
		pair('A', null),
		...[pair(null, 'A'), pair(null, 'B'), pair('A', 'B'), pair('B', null), pair('A', 'M')],
	];
	const found = (begin, end, intervals = all, moments = snapshots) =>
		page
			.neighbours(intervals, moments, begin, end)
			.map(({ interval }) => interval)
			.join(' ');

	assert.equal(found(0, 1000), '..A A..B B..');
	assert.equal(found(200, 500), 'A..B');
	assert.equal(found(200, 1000), 'A..B B..');
	assert.equal(found(0, 500), '..A A..B');
	/* From a reset on: there is nothing before it to choose. */
	assert.equal(
		found(
			200,
			1000,
			[{ interval: '', from: null, to: null }, pair('A', 'B'), pair('B', null)],
			snapshots.map((row) => (row.label === 'A' ? { ...row, kind: 'reset' } : row)),
		),
		'A..B B..',
	);
});

test('a thread is chosen by what all intervals know it by; where it is not, nothing is summed', () => {
	const { profile, universe } = open();
	/* Of another interval: main has no row. */
	const columns = {
		...methods,
		'thread.index': ['v', [2, 7]],
		'thread.name': ['v', [11, 10]],
		'thread.jvm': ['b', [0, 0]],
		'node.up': ['v', [0, 1]],
		'node.thread': ['v', [0, 0]],
		'node.method': ['v', [0, 2]],
		'node.id': ['v', [6, 7]],
		'node.calls': ['v', [0, 1]],
		'node.base0': ['z', [0, 100]],
	};
	const other = new page.Profile(page.decodeBlock(encodeBlock(header({ interval: 'A..' }), columns)), universe);
	const total = (side, threads) => side.pathSums(threads).total(0, 0).value;

	assert.deepEqual(page.chosenThreads(profile, []), null);
	assert.deepEqual(page.chosenThreads(profile, [2]), [1]);
	assert.deepEqual(page.chosenThreads(other, [2]), [0]);
	assert.deepEqual(page.chosenThreads(other, [1]), []);
	assert.deepEqual([total(other, null), total(other, [0]), total(other, [])], [100, 100, 0]);
	/* The other side of a difference has its own indices. */
	assert.deepEqual(page.sameThreads(profile, [0], other), [1]);
	assert.deepEqual(page.sameThreads(profile, [2], other), []);
	assert.equal(total(profile, page.sameThreads(other, [], profile)), 0);
});

test('a change of what is not known of both sides is not known', () => {
	const known = { value: 100, error: 0, divided: false };
	const side = (value) => ({
		total: () => ({ ...known, value }),
		self: () => ({ ...known, value }),
		calls: () => null,
	});
	const values = (before, after) =>
		page
			.changeColumns({ kinds: [{ name: 'cpu', unit: 'ns' }], figure: 0 }, [side(before), side(after)])
			.filter(({ key }) => key.startsWith('self.'))
			.map(({ value }) => value(5));

	assert.deepEqual(values(100, 40), [100, 40, 60]);
	assert.deepEqual(values(100, null), [100, null, null]);
	assert.deepEqual(values(null, 40), [null, 40, null]);
	assert.deepEqual(values(0, 40), [0, 40, 40]);
});

test('a chosen file is the same file on both sides of a difference, by its kind and names', () => {
	const universe = new page.Universe();
	const side = (names, kinds) =>
		new page.Profile(
			page.decodeBlock(
				encodeBlock(header(), {
					...methods,
					...nodes,
					'file.name': ['v', names],
					'file.peer': ['v', names.map(() => 0)],
					'file.kind': ['b', kinds],
					'io.where': ['v', names.map(() => 1)],
					'io.file': ['v', names.map((_, row) => row + 1)],
					'io.kind': ['b', names.map(() => 1)],
					'io.count': ['v', names.map((_, row) => 10 ** row)],
				}),
			),
			universe,
		);
	const [before, after] = [side([1, 4, 7], [0, 0, 0]), side([4, 1, 1, 1], [0, 1, 0, 0])];
	const both = [before, after];
	const count = (profile, files) =>
		new page.IoSums(profile).total({ threads: null, path: 0, method: -1, files }).all.ops;

	assert.deepEqual(page.chosenFiles(both, after, ''), null);
	assert.deepEqual([page.chosenFiles(both, before, '0'), page.chosenFiles(both, after, '0')], [[0], [2, 3]]);
	assert.deepEqual(page.chosenFiles(both, after, '1'), [0]);
	assert.deepEqual(page.chosenFiles(both, after, '2'), []);
	assert.deepEqual(page.chosenFiles([before], before, '9'), []);
	assert.deepEqual(
		[count(after, null), count(after, [2, 3]), count(after, [])],
		[1101, 1100, 0],
		'of all without entries of archives, of one, of none',
	);
});

test('the processor time of I/O is no operation', () => {
	const rows = {
		'file.name': ['v', [1]],
		'file.peer': ['v', [0]],
		'file.kind': ['b', [0]],
		'io.where': ['v', [3, 3]],
		'io.file': ['v', [1, 1]],
		'io.kind': ['b', [1, 2]],
		'io.count': ['v', [4, 0]],
		'io.amount': ['v', [100, 0]],
		'io.ns': ['v', [1000, 700]],
	};
	const all = { threads: null, path: 0, method: -1, files: null };
	const { profile, method } = open({ io_kinds: ['open', 'read', 'io-cpu'] }, rows);
	const io = new page.IoSums(profile);
	const { all: amount, cpu, kinds } = io.total(all);
	const { base, cum } = io.byMethod(all).get(method('a'));

	assert.deepEqual([amount, cpu, [...kinds]], [{ ops: 4, bytes: 100, ns: 1000 }, 700, [['read', 4]]]);
	assert.deepEqual([base.cpu, cum.cpu, cum.all.ns], [700, 700, 1000]);
	assert.equal(io.hasCpu, true);
	const without = { ...rows, 'io.kind': ['b', [1, 1]] };
	assert.equal(new page.IoSums(open({ io_kinds: ['open', 'read', 'io-cpu'] }, without).profile).hasCpu, false);
	assert.equal(new page.IoSums(open({}, without).profile).hasCpu, false);
});

test('what leads to a file: its paths and those above, of the chosen threads, turned round or folded', () => {
	/* The worker's C.c reads file 1, main's inner A.a file 2. */
	const { profile, universe } = open(
		{},
		{
			'io.where': ['v', [7, 3]],
			'io.file': ['v', [1, 2]],
			'io.kind': ['b', [1, 1]],
			'io.count': ['v', [1, 1]],
			'file.name': ['v', [1, 4]],
			'file.kind': ['b', [0, 0]],
		},
	);
	const io = new page.IoSums(profile);
	const sums = [profile.pathSums(null)];
	const names = (leads) =>
		[...leads].flatMap((led, path) => (led ? [universe.methods[universe.methodOf[path]].display || 'root'] : []));
	const leads = (threads, file) => io.leading({ threads, path: 0, method: -1, files: [file] });
	const shown = (tree, node = tree.root) =>
		tree.children(node).map((child) => {
			const below = shown(tree, child);
			const own = universe.methods[tree.method(child)].display;

			return below.length ? `${own}(${below.join(' ')})` : own;
		});

	assert.deepEqual(names(leads(null, 0)), ['root', 'A.a', 'C.c']);
	assert.deepEqual(names(leads(null, 1)), ['root', 'A.a', 'B.b', 'A.a']);
	assert.deepEqual(names(leads([1], 1)), []);
	assert.deepEqual(shown(new page.PathTree(sums, 0, leads(null, 0))), ['A.a(C.c)']);
	assert.deepEqual(shown(new page.PathTree(sums, 0, leads(null, 1))), ['A.a(B.b(A.a))']);
	assert.deepEqual(shown(new page.FoldedTree(sums, 0, leads(null, 1))), ['A.a(B.b)']);
	assert.deepEqual(shown(new page.CallersTree(sums, null, 0, leads(null, 0))), ['A.a', 'C.c(A.a)']);
});

test('what is chosen is in the address, each text by itself, and one choice has one key', () => {
	const chosen = {
		tags: ['user=a&b', 'kind=(none)'],
		values: ["jdbc=SELECT ','"],
		components: ['JDBC and database'],
	};
	const selection = { ...page.NOTHING, ...chosen };

	assert.deepEqual(page.fromHash(page.toHash(selection)), selection);
	assert.equal(page.choiceKey(page.NOTHING), '');
	assert.equal(page.choiceKey({}), '');
	assert.equal(page.choiceKey({ tags: ['b', 'a', 'b'] }), page.choiceKey({ tags: ['a', 'b'], values: [] }));
	assert.notEqual(page.choiceKey({ tags: ['a'] }), page.choiceKey({ values: ['a'] }));
	assert.equal(page.choiceOptions({ ...selection, paths: ["it's"] }).includes("--path 'it'\\''s'"), true);
	assert.deepEqual(
		['worker-*', '*-1', 'w*k*1', '*', 'worker', 'work.r-1'].map((pattern) =>
			page.matchesPattern(pattern, 'worker-1'),
		),
		[true, true, true, true, false, false],
	);
});

test('links to paths are told apart: a hundred thousand have as many', () => {
	const count = 100000;
	const each = (f) => Array.from({ length: count }, (_, i) => f(i));
	const ways = 1000; /* main calls so many, each as many as are left */
	const { universe } = open(
		{ strings: ['', 'main', ...Array.from({ length: ways }, (_, i) => `m${i}`)] },
		{
			'method.class': ['v', [0, 0, ...Array(ways).fill(0)]],
			'method.name': ['v', [0, 0, ...Array.from({ length: ways }, (_, i) => i + 2)]],
			...Object.fromEntries(
				['signature', 'display'].map((key) => [`method.${key}`, ['v', Array(ways + 2).fill(0)]]),
			),
			...Object.fromEntries(['kind', 'flags'].map((key) => [`method.${key}`, ['b', Array(ways + 2).fill(0)]])),
			'thread.name': ['v', [1, 1, 1]],
			'node.up': ['v', each((i) => (i === 0 ? 0 : i % 100 === 1 ? i : (i - 1) % 100))],
			'node.thread': ['v', each(() => 0)],
			'node.method': [
				'v',
				each((i) => (i === 0 ? 0 : 2 + (i % 100 === 1 ? Math.floor(i / 100) : (i * 7) % ways))),
			],
			'node.id': ['v', each((i) => i + 1)],
			'node.recursion': ['v', each(() => 0)],
			'node.calls': ['v', each(() => 1)],
			'node.flags': ['b', each(() => 0)],
			'node.base0': ['z', each(() => 1)],
		},
	);
	const hashes = new Set();

	for (let path = 1; path < universe.pathCount; path++) hashes.add(universe.pathHash(path));
	assert.equal(hashes.size, universe.pathCount - 1);
});
