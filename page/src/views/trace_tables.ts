// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// trace_tables: the reports of traces, which of their cells are shown, and what each is.

/** How a cell is shown: its unit, a moment, a text, a call path (its innermost steps, the whole on request). */
type Kind = 'ns' | 'bytes' | 'count' | 'moment' | 'text' | 'path';

/** Where the cell is in a row (`holder.method`), its title, its kind; not shown in a narrow window. */
export type TraceColumn = [key: string, title: string, kind: Kind, wide?: boolean | 'wider'];

export interface TraceTable {
	view: string; // as reports name it
	trace: string;
	title: string;
	question: string;
	columns: TraceColumn[];
}

const METHOD: TraceColumn[] = [
	['class', 'Class', 'text'],
	['method', 'Method', 'text'],
];
const WAITED: TraceColumn[] = [
	['contended.ns', 'Waited', 'ns'],
	['contended.waits', 'Waits', 'count'],
	['contended.longest', 'Longest', 'ns'],
	['unfinished', 'Unfinished', 'count', true],
	['idle.ns', 'Idle', 'ns', true],
];
const BYTES: TraceColumn[] = [
	['alive.bytes', 'Alive', 'bytes'],
	['alive.objects', 'Objects alive', 'count'],
	['alive.age', 'Collections survived', 'text', true],
	['allocated.bytes', 'Allocated', 'bytes'],
	['allocated.objects', 'Objects', 'count', true],
	['alive.samples', 'Samples alive', 'count', 'wider'],
];

/** In the order of the choice; the first of a trace is what one looks at first. */
export const TRACE_TABLES: TraceTable[] = [
	{
		view: 'wait-pairs',
		trace: 'locks',
		title: 'Who waits for whom',
		question: 'Threads that waited, what for, and who held it meanwhile.',
		columns: [
			['thread', 'Waits', 'text'],
			['holder.thread', 'For', 'text'],
			['holder.method', 'Which was in', 'text', true],
			['lock', 'Lock', 'text'],
			...WAITED,
		],
	},
	{
		view: 'locks',
		trace: 'locks',
		title: 'Locks',
		question: 'What was waited for, and who held it longest.',
		columns: [
			['lock.class', 'Lock', 'text'],
			['lock.id', 'Its id', 'text', true],
			...WAITED,
			['threads', 'Threads', 'count'],
			['holder.thread', 'Held by', 'text', true],
			['holder.method', 'In', 'text', true],
		],
	},
	{
		view: 'waits',
		trace: 'locks',
		title: 'Waits by call path',
		question: 'Where threads waited, and where what they waited for was held.',
		columns: [
			['path', 'Waited at', 'path'],
			['kind', 'How', 'text', true],
			['class', 'For a', 'text', true],
			...WAITED,
			['holder.path', 'Held at', 'path'],
		],
	},
	{
		view: 'long-waits',
		trace: 'locks',
		title: 'Longest waits',
		question: 'Single waits, the longest of them.',
		columns: [
			['begin', 'At', 'moment'],
			['ns', 'Waited', 'ns'],
			['ended', 'Ended', 'text'],
			['thread', 'Waits', 'text'],
			['method', 'In', 'text', true],
			['lock.class', 'For a', 'text'],
			['holder.thread', 'Held by', 'text'],
			['holder.method', 'Which was in', 'text'],
			['path', 'Waited at', 'path', 'wider'],
		],
	},
	{
		view: 'alive',
		trace: 'objects',
		title: 'What stays',
		question: 'Classes whose objects were not freed, by samples of allocations.',
		columns: [['class', 'Class', 'text'], ...BYTES],
	},
	{
		view: 'objects',
		trace: 'objects',
		title: 'Objects by class',
		question: 'Classes by what was allocated, by samples of allocations.',
		columns: [['class', 'Class', 'text'], ...BYTES],
	},
	{
		view: 'object-paths',
		trace: 'objects',
		title: 'Objects by call path',
		question: 'Where objects were made, and how much of that stays.',
		columns: [['class', 'Class', 'text'], ['path', 'Made at', 'path'], ...BYTES],
	},
	{
		view: 'gc',
		trace: 'gc',
		title: 'How long collections stopped it',
		question:
			'Pauses of collections, in all and by cause; then single steps of collections. What is concurrent stops nobody.',
		columns: [
			['part', 'Row', 'text'],
			['cause', 'Cause', 'text'],
			['paused', 'Stopped', 'ns'],
			['count', 'Pauses', 'count'],
			['longest', 'Longest', 'ns'],
			['began', 'At', 'moment', true],
			['ns', 'Took', 'ns'],
			['name', 'Step', 'text', true],
			['kind', 'Kind', 'text', true],
			['heap.before', 'Heap before', 'bytes', 'wider'],
			['heap.after', 'After', 'bytes', 'wider'],
		],
	},
	{
		view: 'safepoints',
		trace: 'gc',
		title: 'Safepoints',
		question: 'Whatever stopped all threads, in all and by operation; then single ones.',
		columns: [
			['part', 'Row', 'text'],
			['operation', 'Operation', 'text'],
			['ns', 'Stopped', 'ns'],
			['reaching', 'Until all stood', 'ns'],
			['count', 'Stops', 'count'],
			['longest', 'Longest', 'ns'],
			['began', 'At', 'moment', true],
		],
	},
	{
		view: 'exceptions',
		trace: 'exceptions',
		title: 'Exceptions',
		question: 'What was thrown, where, and who caught it.',
		columns: [
			['exception', 'Exception', 'text'],
			['count', 'Count', 'count'],
			...METHOD,
			['again', 'Thrown again', 'count', true],
			['not_caught', 'Not caught', 'count', true],
			['created', 'Created', 'count', true],
			['caught', 'Caught by', 'text'],
		],
	},
	{
		view: 'classes',
		trace: 'classes',
		title: 'Classes',
		question: 'Classes by what loading them took.',
		columns: [
			['class', 'Class', 'text'],
			['ns', 'Took', 'ns'],
			['loader', 'Loader', 'text'],
			['loaded', 'Loaded at', 'moment'],
			['initialized', 'Initialized at', 'moment', true],
			['unloaded', 'Unloaded at', 'moment', true],
		],
	},
	{
		view: 'class-loaders',
		trace: 'classes',
		title: 'Class loaders',
		question: 'Loaders, by their classes.',
		columns: [
			['class', 'Loader', 'text'],
			['name', 'Name', 'text', true],
			['loaded', 'Loaded', 'count'],
			['unloaded', 'Unloaded', 'count'],
			['alive', 'Alive', 'count'],
			['before', 'Before the trace', 'count', true],
			['ns', 'Took', 'ns'],
		],
	},
	{
		view: 'jit',
		trace: 'jit',
		title: 'Compilations',
		question: 'Compilations of methods, in all and by level; then single ones.',
		columns: [
			['part', 'Row', 'text'],
			['compiler', 'Compiler', 'text', true],
			['level', 'Level', 'text'],
			['ns', 'Took', 'ns'],
			['count', 'Count', 'count'],
			...METHOD,
			['failures', 'Failures', 'count', true],
			['began', 'At', 'moment', true],
			['bytecodes', 'Bytecodes', 'count', 'wider'],
		],
	},
	{
		view: 'deoptimizations',
		trace: 'jit',
		title: 'Deoptimizations',
		question: 'Compiled code that was given up, and why.',
		columns: [
			...METHOD,
			['count', 'Count', 'count'],
			['kind', 'Kind', 'text'],
			['reason', 'Reason', 'text'],
			['first', 'First at', 'moment', true],
			['last', 'Last at', 'moment', true],
		],
	},
	{
		view: 'thread-states',
		trace: 'threads',
		title: 'States of threads',
		question: 'What each thread did of its time.',
		columns: [
			['thread', 'Thread', 'text'],
			['ns', 'Told of', 'ns'],
			['running', 'Ran', 'ns'],
			['runnable', 'Waited for a processor', 'ns'],
			['not_running', 'Did not run', 'ns', true],
			['blocked', 'Blocked', 'ns'],
			['waiting', 'Waited', 'ns'],
			['parked', 'Parked', 'ns'],
			['io', 'I/O', 'ns', true],
			['voluntary', 'Gave up', 'count', 'wider'],
			['involuntary', 'Was put aside', 'count', 'wider'],
		],
	},
];
