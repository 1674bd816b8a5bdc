// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jdk.internal.vm.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

@Retention(RetentionPolicy.RUNTIME)
public @interface DontInline {
}
