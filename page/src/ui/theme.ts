// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// theme: light or dark, as the system has it or as chosen here; the choice lasts as long as the page is open, for pages in
// files have no storage that is theirs alone.

const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];
let chosen: 'light' | 'dark' | null = null;
let printing = false;

export const isDark = (): boolean => !printing && (chosen ?? (system.matches ? 'dark' : 'light')) === 'dark';

/** Pages are drawn anew for it, with all rows. */
export const isPrinting = (): boolean => printing;

function tell(): void {
	document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
	for (const listener of listeners) listener();
}

export function toggleTheme(): void {
	chosen = isDark() ? 'light' : 'dark';
	tell();
}

/** Paper is light. */
export function setPrinting(on: boolean): void {
	printing = on;
	tell();
}

export function onTheme(listener: () => void): void {
	listeners.push(listener);
}

system.addEventListener('change', tell);
document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
