#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-archives: what is known of an archive is kept once, whatever it is called, within max_memory.
. "$(dirname "$0")/common.sh"
need jq
entries=20000 links=200

# archives JAVA OPTIONS: the program; leaves opened, KB.
archives() {
	rm -rf "$work/zips" "$work"/p.jprof*
	mkdir "$work/zips"
	timeout 120 "$1" -XX:+UseSerialGC -Xmx64m -Xms64m -XX:+AlwaysPreTouch \
		"-agentpath:$agent=file=$work/p.jprof,$2" -cp "$work" Archives "$work/zips" $entries $links \
		>"$work/out" 2>"$work/err" || fail "$1, $2: exit status $?: $(head -3 "$work/err")"
	opened=$(sed -n 's/^open //p' "$work/out")
}

# rows ENTRY: how many of the links have it.
rows() {
	"$jprof" report "$work/p.jprof" --view entries --format json |
		jq --arg entry "$1" '[.rows[] | select(.entry == $entry)] | length'
}

"$(dirname "${javas[0]}")/javac" -d "$work" "$source_dir/java-tests/agent/Archives.java" || exit 1
for java in "${javas[@]}"; do
	archives "$java" io=off
	plain=$opened
	archives "$java" io=summary
	# One directory is 2.5 MB; all names of it would be 500.
	[ $((opened - plain)) -lt 100000 ] || fail "$java: $((opened - plain)) KB for $links names of one archive"
	[ "$(rows a/folder/of/some/length/entry-0)" = $links ] ||
		fail "$java: $(rows a/folder/of/some/length/entry-0) of $links archives have their entry"
	# With less than that the entries are not told apart, and that is said.
	archives "$java" io=summary,max_memory=8m
	[ "$(rows a/folder/of/some/length/entry-0)" = 0 ] || fail "$java: entries without memory"
	note=$("$jprof" report "$work/p.jprof" --view files --format json |
		jq -r --arg last "/link-$((links - 1)).zip" \
			'.rows[] | select(.path | strings | endswith($last)) | .note')
	[[ $note == *max_memory* ]] || fail "$java: nobody says that there is no memory: '$note'"
done
finish
