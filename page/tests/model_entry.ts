// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// model_entry: what tests use of the page without a browser.
export { decodeBlock } from '../src/data/decode';
export { Universe, ROOT_PATH } from '../src/model/universe';
export { Profile, MethodSums, EdgeSums } from '../src/model/profile';
export { PathTree, FoldedTree, CallersTree, sortedChildren } from '../src/model/tree';
export { IoSums, throughput } from '../src/model/io';
export { neighbours } from '../src/model/segments';
export { byLine, statesByMethod } from '../src/model/places';
export { chosenFiles, chosenThreads, sameThreads } from '../src/app';
export { changeColumns } from '../src/views/columns';
export { fromHash, toHash, NOTHING } from '../src/state/selection';
export { quantity, percent } from '../src/ui/format';
export { choiceKey, choiceOptions, matchesPattern } from '../src/state/choice';
