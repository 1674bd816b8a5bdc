// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// shots: pictures of every view, for whoever wants to look at them.
//
//   node shots.mjs OUT-FOLDER PAGE.html... [--widths 400,1000,1800]

import { mkdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { open, VIEWS } from './browser_kit.mjs';

const words = process.argv.slice(2);
const option = (name, usual) => {
	const at = words.indexOf(`--${name}`);

	return at < 0 ? usual : words.splice(at, 2)[1];
};
const widths = option('widths', '400,1000,1800').split(',').map(Number);
const themes = option('themes', 'light,dark').split(',');
const views = option('views', VIEWS.join()).split(',');
const more = option('more', '');
const [out, ...pages] = words;
const browser = await open();

mkdirSync(out, { recursive: true });
for (const file of pages)
	for (const theme of themes)
		for (const width of widths) {
			const page = await browser.newPage({ viewport: { width, height: 1000 }, colorScheme: theme });

			page.on('console', (message) => console.log(`${basename(file)}: ${message.type()}: ${message.text()}`));
			page.on('pageerror', (error) => console.log(`${basename(file)}: ${error}`));
			for (const view of views) {
				await page.goto(`file://${resolve(file)}#/view=${view}${more}`);
				await page.waitForFunction(() => document.documentElement.dataset.ready);
				await page.waitForTimeout(100);
				const wide = await page.evaluate(
					() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
				);
				if (wide > 0) console.log(`${basename(file)} ${view} at ${width}: ${wide} pixels too wide`);
				await page.screenshot({ path: `${out}/${basename(file, '.html')}-${view}-${width}-${theme}.png` });
				await page.goto('about:blank');
			}
			await page.close();
		}
await browser.close();
