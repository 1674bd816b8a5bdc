// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// kit: the page's modules for node, the blocks of a page, and an encoder of blocks.

import { build } from 'esbuild';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inflateRawSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));

export async function modules() {
	const folder = mkdtempSync(join(tmpdir(), 'jprof-page-'));
	const outfile = join(folder, 'model.mjs');

	try {
		await build({
			entryPoints: [join(here, 'model_entry.ts')],
			bundle: true,
			format: 'esm',
			platform: 'node',
			outfile,
			logLevel: 'warning',
		});
		return await import(pathToFileURL(outfile));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Of a page's file: [{side, interval, bytes}]. */
export function blocksOf(file) {
	const text = readFileSync(file, 'latin1');
	const element =
		/<script type="application\/x-jprof-block" data-side="(\d)" data-interval="([^"]*)">([^<]*)<\/script>/g;

	return [...text.matchAll(element)].map(([, side, interval, data]) => ({
		side: Number(side),
		interval: interval
			.replace(/&quot;/g, '"')
			.replace(/&lt;/g, '<')
			.replace(/&amp;/g, '&'),
		bytes: new Uint8Array(inflateRawSync(Buffer.from(data, 'base64'))),
	}));
}

// ---- an encoder, from docs/page-data.md alone ----

function varint(out, value) {
	let rest = BigInt(value);

	for (; rest >= 128n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
	out.push(Number(rest));
}

const encoders = {
	v: (values) => {
		const out = [];

		values.forEach((value) => varint(out, value));
		return out;
	},
	z: (values) => {
		const out = [];

		values.map(BigInt).forEach((value) => varint(out, value < 0n ? -2n * value - 1n : 2n * value));
		return out;
	},
	b: (values) => values,
	f: (values) => {
		const bytes = new Uint8Array(new Float32Array(values).buffer);

		return [0, 1, 2, 3].flatMap((plane) => values.map((_, i) => bytes[4 * i + plane]));
	},
};

/** columns: {"node.up": ["v", [0, 1]], ...} */
export function encodeBlock(header, columns) {
	const parts = [];
	const listed = Object.entries(columns).map(([key, [type, values]]) => {
		const [table, name] = key.split('.');
		const bytes = encoders[type](values);

		parts.push(Uint8Array.from(bytes));
		return { table, name, type, count: values.length, bytes: bytes.length };
	});
	const text = Buffer.from(JSON.stringify({ ...header, columns: listed }));
	const length = Buffer.alloc(4);

	length.writeUInt32LE(text.length);
	return new Uint8Array(Buffer.concat([length, text, ...parts]));
}
