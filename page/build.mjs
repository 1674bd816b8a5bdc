// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// build: src/ into dist/page.html, one file that asks for nothing. The same bytes whenever the sources are the same.
//
//   node build.mjs [OUT]

import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist', 'page.html');

async function bundle(entry) {
	const result = await build({
		absWorkingDir: here,
		entryPoints: [entry],
		bundle: true,
		write: false,
		minify: true,
		charset: 'utf8',
		target: ['es2022', 'chrome103', 'firefox113', 'safari16.4'],
		format: 'iife',
		legalComments: 'none',
		logLevel: 'warning',
	});

	return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

const script = await bundle('src/main.ts');
const style = await bundle('src/style.css');

/* In an element's text nothing may look like its end, nor open a comment. */
for (const [text, end] of [
	[script, /<\/script|<!--/i],
	[style, /<\/style|<!--/i],
])
	if (end.test(text)) throw new Error(`the bundle holds ${end}: it would end its element`);

/* Favicons are asked for: an empty one is in the page. */
const policy = [
	"default-src 'none'",
	`script-src ${hash(script)}`,
	`style-src ${hash(style)}`,
	'img-src data:',
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
].join('; ');

const place = '<!--jprof:data-->';
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
	.replace('{{policy}}', () => policy)
	.replace('{{style}}', () => style)
	.replace('{{script}}', () => script);

/* Hashes are of an element's whole text: white space around it would be part of it. */
if (!page.includes(`<script>${script}</script>`) || !page.includes(`<style>${style}</style>`))
	throw new Error('src/page.html has something beside the script or the style in their elements');
if (page.split(place).length !== 2) throw new Error(`the page must have ${place} once`);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
