// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// choice: what a profile is looked at by: only what was done under some tags, by calls with some values, below calls of some methods,
// within some components. The data of each choice is a block of its own, of a served page any, of a file those that it has.

/** Lists of a choice, as they are called in blocks. */
export const CHOICE_KINDS = ['tags', 'values', 'paths', 'components'] as const;
export type ChoiceKind = (typeof CHOICE_KINDS)[number];
export type Choice = Record<ChoiceKind, string[]>;

/** What each is called in words, and in questions to the server; and the option of commands. */
export const CHOICE_WORDS: Record<ChoiceKind, { word: string; name: string; option: string }> = {
	tags: { word: 'tag', name: 'tag', option: '--tag' },
	values: { word: 'value', name: 'value', option: '--value' },
	paths: { word: 'calls of', name: 'path', option: '--path' },
	components: { word: 'component', name: 'component', option: '--component' },
};

const lists = (choice: Partial<Choice>): Choice => ({
	tags: choice.tags ?? [],
	values: choice.values ?? [],
	paths: choice.paths ?? [],
	components: choice.components ?? [],
});

export const isWhole = (choice: Choice): boolean => CHOICE_KINDS.every((kind) => choice[kind].length === 0);

/** The same text for the same choice, in whatever order it was made; "": all. */
export function choiceKey(choice: Partial<Choice>): string {
	const all = lists(choice);

	return isWhole(all) ? '' : JSON.stringify(CHOICE_KINDS.map((kind) => [...new Set(all[kind])].sort()));
}

/** "--tag user=alice --component 'JDBC and database'": for a shell. */
export function choiceOptions(choice: Choice): string {
	return CHOICE_KINDS.flatMap((kind) =>
		choice[kind].map((text) => `${CHOICE_WORDS[kind].option} '${text.replace(/'/g, `'\\''`)}'`),
	).join(' ');
}

/** As options have patterns: '*' is any run of characters. */
export function matchesPattern(pattern: string, text: string): boolean {
	const pieces = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));

	return new RegExp(`^${pieces.join('[^]*')}$`, 'u').test(text);
}
