// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// decode: bytes of a block into columns. What does not fit throws: a page with half of its data would lie.

import { Block, Table, type Column, type Header } from './block';

export const BLOCK_VERSION = 1;

/**
 * Unsigned varints, or, `signed`, zigzag ones. Bits from the 32nd on do not fit JavaScript's bit operators, so they are
 * added by multiplication; numbers above 2^53 lose their last digits.
 */
function readVarints(bytes: Uint8Array, count: number, signed: boolean): Float64Array {
	const values = new Float64Array(count);
	let at = 0;

	for (let i = 0; i < count; i++) {
		let byte = bytes[at++]!;
		/* Asked of the byte: of a number above 2^53 the last digit is lost, and with it the sign. */
		const negative = signed && (byte & 1) === 1;
		let value = byte & 0x7f;
		let scale = 0x80;

		while (byte >= 0x80) {
			if (at >= bytes.length) throw new Error('a column ends within a number');
			byte = bytes[at++]!;
			value += (byte & 0x7f) * scale;
			scale *= 0x80;
		}
		values[i] = !signed ? value : negative ? -(value + 1) / 2 : value / 2;
	}
	if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes too many or too few in a column`);
	return values;
}

/** Four planes, of the lowest bytes first. */
function readFloats(bytes: Uint8Array, count: number): Float32Array {
	const values = new Float32Array(count);
	const out = new Uint8Array(values.buffer);

	if (bytes.length !== 4 * count) throw new Error('a column of floats has another length');
	for (let plane = 0; plane < 4; plane++)
		for (let i = 0; i < count; i++) out[4 * i + plane] = bytes[plane * count + i]!;
	return values;
}

function readColumn(type: string, bytes: Uint8Array, count: number): Column {
	switch (type) {
		case 'v':
			return readVarints(bytes, count, false);
		case 'z':
			return readVarints(bytes, count, true);
		case 'f':
			return readFloats(bytes, count);
		case 'b':
			if (bytes.length !== count) throw new Error('a column of bytes has another length');
			return bytes;
		default:
			throw new Error(`unknown type of column '${type}'`);
	}
}

export function decodeBlock(bytes: Uint8Array): Block {
	const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
	let at = 4 + length;

	if (at > bytes.length) throw new Error('the header is longer than its block');
	const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, at))) as Header;
	if (header.version !== BLOCK_VERSION)
		throw new Error(`the data is of version ${header.version}, the page reads version ${BLOCK_VERSION}`);

	const block = new Block(header);
	for (const column of header.columns) {
		const end = at + column.bytes;

		if (end > bytes.length) throw new Error(`the column '${column.table}.${column.name}' is cut off`);
		let table = block.tables.get(column.table);
		if (!table) block.tables.set(column.table, (table = new Table()));
		table.put(column.name, readColumn(column.type, bytes.subarray(at, end), column.count));
		at = end;
	}
	return block;
}
