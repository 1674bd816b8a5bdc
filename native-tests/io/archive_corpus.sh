#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# archive_corpus: fills a directory with small archives of several kinds, for fuzz_archive.
#
#   archive_corpus.sh DIRECTORY ARCHIVE|DIRECTORY...
set -eu
mkdir -p "$1"
out=$(realpath "$1")
shift
# Real ones below 16 KB.
find "$@" -type f \( -name '*.jar' -o -name '*.zip' \) -size -16k | head -200 |
	while read -r archive; do
		cp "$archive" "$out/$(md5sum <"$archive" | cut -c1-16)"
	done
# Those that build tools seldom make, of the same small files.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf 'one' >a
seq 200 >b
: >c
zip -qX deflated.zip a b c
zip -qX0 stored.zip a b c
zip -qX - a b | cat >descriptor.zip
printf 'a comment' | zip -qXz commented.zip a b >/dev/null
zip -qX -fz sizes64.zip a b
{ printf '#!/bin/sh\nexit\n' && cat stored.zip; } >front.zip
cp front.zip adjusted.zip && zip -qA adjusted.zip
printf 'PK\5\6%018d' 0 | tr 0 '\0' >empty.zip
for archive in *.zip; do
	cp "$archive" "$out/made-${archive%.zip}"
done
echo "$(ls "$out" | wc -l) archives in $out"
