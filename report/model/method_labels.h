/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* method_labels: what methods are called. */
#ifndef JPROF_REPORT_METHOD_LABELS_H
#define JPROF_REPORT_METHOD_LABELS_H

#include "profile/profile_read.h"
#include "profile/store.h"

struct method_label {
	struct label class_name, name, signature; /* borrowed from the profile */
	/* For people: class.method, with its parameters where the class has several of that
	 * name: com.acme.Foo.bar(int,String[]) */
	struct label display;
};

/* Those of all methods, by id. The store's; NULL without memory. */
struct method_label *method_labels(struct store *store, const struct profile *profile);

#endif
