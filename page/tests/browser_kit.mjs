// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// browser_kit: the browser that tests and pictures use: Debian's Chromium, with nothing that asks the network.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const VIEWS = ['overview', 'flame', 'tree', 'methods', 'callers', 'threads', 'io', 'lines', 'intervals', 'numbers'];

export const browserPath = () => process.env.JPROF_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

export function open() {
	return chromium.launch({
		executablePath: browserPath(),
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			'--no-first-run',
		],
	});
}
