#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# class_corpus: fills a directory with small classes of every kind, for fuzz_rewrite.
#
#   class_corpus.sh DIRECTORY CLASSES_DIR|JAR...
set -eu
out=$1
shift
mkdir -p "$out"
for source in "$@"; do
	from=$source
	if [ -f "$source" ]; then
		from=$(mktemp -d)
		(cd "$from" && unzip -qo "$source" '*.class')
	fi
	# One in seven of those below 3 KB, and a few larger ones.
	find "$from" -name '*.class' -size -6 | awk 'NR % 7 == 1' | head -400 |
		while read -r class; do
			cp "$class" "$out/$(md5sum <"$class" | cut -c1-16)"
		done
	find "$from" -name '*.class' -size +20 -size -40 | awk 'NR % 31 == 1' | head -30 |
		while read -r class; do
			cp "$class" "$out/$(md5sum <"$class" | cut -c1-16)"
		done
	[ "$from" = "$source" ] || rm -rf "$from"
done
echo "$(ls "$out" | wc -l) classes in $out"
