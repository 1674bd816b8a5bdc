/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_kin: which classes are below which, by their names, as far as class files that came by have told.
 *
 *   class hook: Foo extends Bar implements Baz --> kin_note --> kin_of("Foo", "Baz")?
 *
 *   class Impl extends Base implements Orders: Base's methods may be called as those of Orders --> kin_has_heir("Base", "Orders")
 *
 * A class's own file comes by before those of its super classes, if these are not loaded yet. So an answer may be that it
 * can be: then it is seen when a method is called (value_rows.h).
 *
 * Owns: names, until kin_forget.
 * Runs: on any thread, under LOCK_KIN.
 */
#ifndef JPROF_CLASS_KIN_H
#define JPROF_CLASS_KIN_H

#include <stdbool.h>

enum kin { KIN_NO, KIN_MAYBE, KIN_YES };

/* The class, whose name in internal form that is, extends or implements the other one. Of several classes of a name all that
 * they have above them counts. */
void kin_note(const char *name, const char *above);

/* Whether the class is the other one or below it; names in internal form. Of the JDK's classes, but for those of the package of
 * `above`, it is taken for granted that they are not, where their files have not come by. */
enum kin kin_of(const char *name, const char *above);

/* A class that came by extends the class, and is below the other one: it has the methods of the one for the other. */
bool kin_has_heir(const char *name, const char *above);

void kin_forget(void);

#endif
