/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* method_ids: ids that are no method's, the same in trees and in files. */
#ifndef JPROF_METHOD_IDS_H
#define JPROF_METHOD_IDS_H

enum {
	METHOD_ROOT = 0,   /* a thread's root: what runs outside every included method */
	METHOD_FOLDED = 1, /* a fold: below it are methods whose paths were given up */
	METHOD_FIRST = 2   /* the first real method's id */
};

#endif
