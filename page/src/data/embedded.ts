// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// embedded: the blocks that stand in the page itself, each inflated when it is first asked for.

import { choiceKey, type Choice } from '../state/choice';

export interface EmbeddedBlock {
	side: number;
	interval: string;
	part: string; // the key of a choice that it has all of; "": it has all
	read(): Promise<Uint8Array>;
}

export async function inflate(deflated: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate-raw'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
	const binary = atob(text.replace(/\s+/g, ''));
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

export function embeddedBlocks(root: ParentNode): EmbeddedBlock[] {
	return [...root.querySelectorAll<HTMLScriptElement>('script[type="application/x-jprof-block"]')].map((element) => ({
		side: Number(element.dataset['side'] ?? 0),
		interval: element.dataset['interval'] ?? '',
		part: choiceKey(JSON.parse(element.dataset['chosen'] ?? '{}') as Partial<Choice>),
		read: async () => inflate(fromBase64(element.textContent ?? '')),
	}));
}

/** What a served page says of its server; null: the page is a file. */
export interface ServerFacts {
	live: boolean;
	pid?: number;
	traces?: string[]; // names of all that there are
	/** What the command was asked for: patterns. */
	chosen?: Partial<Choice> & { threads?: string[] };
}

export function serverFacts(root: ParentNode): ServerFacts | null {
	const element = root.querySelector('script[type="application/x-jprof-server"]');

	return element ? (JSON.parse(element.textContent || '{}') as ServerFacts) : null;
}
