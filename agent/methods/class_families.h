/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_families: classes that are made by the thousand (proxies, scripts, accessors), and what
 * their names have in common.
 *
 * They would fill the table of methods. So the classes of a family are told apart up to a
 * number; later ones share the family's name, which has '*' in it, and methods of the same name
 * and signature are one:
 *
 *   $Proxy17, $Proxy18...    $Proxy*          names alike but for numbers and random parts
 *   com.acme.Foo$Abc...      com.acme.Foo$*   all classes in one
 *   com.acme.Abc...          com.acme.*       all of a package
 *
 * Owns: some 32 bytes for each class that is told apart, and for each of its families.
 * Runs: under the caller's lock.
 */
#ifndef JPROF_CLASS_FAMILIES_H
#define JPROF_CLASS_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

enum {
	FAMILY_ALIKE_MAX = 1000,
	FAMILY_INSIDE_MAX = 4000,
	FAMILY_PACKAGE_MAX = 16000,
	FAMILY_NAME_MAX = 512 /* families with longer names are none */
};

/* True: the class is told apart. False: it is not, and name is that of its family.
 * Without memory classes are told apart. */
bool class_is_apart(const char *class_name, char name[FAMILY_NAME_MAX]);

#endif
