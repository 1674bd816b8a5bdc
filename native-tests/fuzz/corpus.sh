#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# corpus: fills a directory with what a fuzzer begins with, made of what is here: the sources, what is
# built, the archives of the system.
#
#   corpus.sh FUZZER DIRECTORY SOURCE_DIR BUILD_DIR
set -eu
out=$2 source_dir=$3 build=$4
tests=$source_dir/native-tests
mkdir -p "$out"

# put NAME TEXT
put() {
	printf '%s' "$2" >"$out/$1"
}

corpus_options() {
	local file n=0 line

	for file in "$source_dir"/config/*.json; do
		{ printf c && cat "$file"; } >"$out/config-$(basename "$file")"
		{ printf f && cat "$file"; } >"$out/file-$(basename "$file")"
	done
	# A line each: kind, then the text; ~ is a line break.
	while IFS= read -r line; do
		n=$((n + 1))
		printf '%s' "${line//\~/$'\n'}" >"$out/text-$n"
	done <<-'END'
		sfile=/tmp/p-%p.jprof,start=no,calls=events,metrics=wall+cpu+alloc,io=records
		sinclude=com.acme.*,include=java.util.HashMap.*,exclude=com.acme.Foo.bar,threads=worker-*
		sinclude=java.util.*,include=com.acme.Foo.run,exclude=com.acme.Foo.run,file=com.acme.Foo
		sinclude=com.acme.Foo,file=com.acme.Foo
		smax_memory=256m,flush=10,log=debug,timing=precise,calibration=off,io_slots=1024
		wfile~/tmp/a=b,c
		winclude~com.acme.*
		ostart=no,metrics=wall~{"io": "off", "include": ["a.*", "b.*"], "metrics": ["cpu"]}
		oio=off~io=records,max_memory=1g
	END
}

corpus_parameter_choice() {
	put one '0com.acme.Orders.find(0)'
	put many '0com.acme.X.y(0.getMethod() this.a.b.c().d 3 name.x):route'
	put result '0a.b(result.getId()):hash'
	put set '0jdbc'
	put tag '1user:com.acme.S.handle(0.user):plain'
	put tag-set '1request:http'
}

corpus_rules() {
	put method '{"rules": [{"method": "com.acme.*", "figure": "calls", "may_grow": 0, "min": "1%"}]}'
	put path '{"rules": [{"path": "*.db", "figure": "reads.bytes", "at_most": 1.1, "name": "reads"}]}'
	put both '{"rules": [{"call_path": "a > *", "figure": "base.cpu", "may_grow": "5%"}, {"total": "cpu", "at_least": 0.5}]}'
	put none '{"rules": []}'
}

# Statements; and bytes that choose pieces of each dialect.
corpus_sql_shape() {
	local n=0 line dialect

	while IFS= read -r line; do
		n=$((n + 1))
		put "text-$n" "0${line//\~/$'\n'}"
	done <<-'END'
		select t."id", 'it''s', 1.5e-3 from "s"."t" as `x` where a in (1, -2) -- c~and b = E'\''
		insert into t (a, b) values (1, 'x', now()), (2, "y", f((3))) on conflict do nothing;
		select q'[it's]' || $a$ $b$ $a$ || N'x' from [a b].[c] where (a, b) in ((1, 2), (3, 4))
		{? = call f(?, :name, $1, @p, 'x' /* c */, a[1:5], x::int)} # it is~+ 5--3
		update #t set a = ... like 'x\\' escape '\' and b = "x\" and 'secret'
	END
	for n in 1 2 3 4 5 6 7 8; do
		# Of a hash of numbers, so always the same ones.
		line=$(for dialect in {1..40}; do printf '%s' "$n.$dialect" | sha256sum | cut -c1-64; done | sed 's/../\\x&/g' | tr -d '\n')
		printf "1\\$n$line" >"$out/made-$n"
	done
}

corpus_control() {
	put echo $'1234{"jprof": 1, "id": 7, "verb": "echo", "label": "a"}\n'
	put last $'\n\n\n\n{"jprof": 1, "id": "x", "verb": "detach"}\r\n{"jprof":1,"verb":"echo"}\n'
	put many $'abcd{"jprof": 2}\n[]\n{"jprof":1}\n{"jprof":1,"verb":7}\n{"jprof":1,"verb":"none","id":{}}\n{\n'
}

# The fixture of the tests is in the program; and that of this user, if there is one.
corpus_calibration() {
	put small '{"jprof_calibration": 1}'
	cp "${XDG_CACHE_HOME:-$HOME/.cache}"/jprof/calibration-*.json "$out" 2>/dev/null || :
}

# No frames; a frame and two places of it.
corpus_code_places() {
	printf '\0\20\2' >"$out/plain"
	printf '\1\1\2\4\20\2\21\2\2' >"$out/inlined"
	printf '\2\1\120\6\2\16\4\40\120\41\2\22\41\2\12\40\1' >"$out/deep"
}

# No frames; two of them, entries and exits; all that is seldom.
corpus_event_stream() {
	printf '\0\0\1\2\0' >"$out/plain"
	printf '\2\2\3\4\211\7\5\210\1\2\4\5\55\46' >"$out/frames"
	printf '\1\1\2\7\10\3\7\11\3\7\12\5\7\13\1\100\2\2\6\7\7\14\7\15\4\0\1\200\10\144\7\16' >"$out/seldom"
}

# Kind and changes; what is changed, the file of a writer, is in the program.
corpus_profile() {
	printf '\1\0\0\0\0' >"$out/columns"
	printf '\2\1\1\1\1' >"$out/pages"
	printf '\0SQLite format 3' >"$out/header"
}

# A class whose method is so long that with probes in it the loop's branch is too short; with the
# annotation of a type in it, whose places move.
make_long() {
	cat <<-'END'
		class Long {
			@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE)
			@interface Seen { }
			static int work(int x, Object o) {
				while (x > 0) {
					@Seen String s = (@Seen String) o;
					switch (s.length()) { case 1: x++; break; case 7: x--; break; default: }
	END
	seq 1000 3200 | sed 's/.*/			if (x == &) return &;/'
	printf '		}\n		return x;\n	}\n}\n'
}

# And some that have what few have: annotations of types within code, branches that are too short.
corpus_rewrite() {
	local from=()

	[ ! -d "$build/java-tests/classes" ] || from+=("$build/java-tests/classes")
	[ ! -d /usr/share/java ] ||
		mapfile -t -O ${#from[@]} from < <(find /usr/share/java -name '*.jar' -type f -size -400k | sort | head -5)
	"$tests/rewrite/class_corpus.sh" "$out" "${from[@]}"
	command -v javac >/dev/null || return 0
	make_long >"$out/Long.java"
	javac -nowarn -d "$out" "$tests/rewrite/Annotated.java" "$out/Long.java"
	rm "$out/Long.java"
}

corpus_archive() {
	local folders=("$build")

	[ ! -d /usr/share/java ] || folders+=(/usr/share/java)
	"$tests/io/archive_corpus.sh" "$out" "${folders[@]}"
}

# The library of the tests, small: whole, stripped, its symbols alone, and with a link to those.
corpus_elf() {
	local objcopy=${OBJCOPY:-objcopy} library=$build/tests/libsymbols_library.so

	"$objcopy" --strip-debug "$library" "$out/whole"
	"$objcopy" --strip-all "$library" "$out/stripped"
	"$objcopy" --only-keep-debug "$out/whole" "$out/debug"
	"$objcopy" --add-gnu-debuglink="$out/debug" "$out/stripped" "$out/linked"
	"$objcopy" --remove-section=.note.gnu.build-id "$out/linked" "$out/linked-by-sum"
}

# Without the _Z in front.
corpus_demangle() {
	local n=0 name

	for name in $(grep -oE '"_Z[^"]+"' "$tests/symbols/test_demangle.c" | tr -d '"'); do
		n=$((n + 1))
		put "name-$n" "${name#_Z}"
	done
}

# The sections of programs that are here, with a pc at the first function and one further on; a program.
corpus_unwind() {
	local objcopy=${OBJCOPY:-objcopy} file name

	for file in "$build"/tests/{libsymbols_library.so,test_frame_rules,test_modules}; do
		[ -e "$file" ] || continue
		name=$(basename "$file")
		"$objcopy" -O binary -j .eh_frame_hdr -j .eh_frame "$file" "$out/sections"
		{ printf '\100' && dd if="$out/sections" bs=1 skip=12 count=4 && printf '\0\0\0\0' &&
			cat "$out/sections"; } >"$out/$name-first" 2>/dev/null
		{ printf '\100' && dd if="$out/sections" bs=1 skip=44 count=4 && printf '\0\0\0\0' &&
			cat "$out/sections"; } >"$out/$name-fifth" 2>/dev/null
	done
	rm -f "$out/sections"
	printf '\7\14\7\20\220\1\206\2\101\16\40\12\15\6\13\306' >"$out/program"
	printf '\67\14\7\20\220\1\206\2\17\4\167\240\1\6\20\20\2\167\10' >"$out/signal"
}

# Frames of all kinds, in each form of a JVM; and changes of each kind of place.
corpus_walk() {
	local form

	for form in 0 1 2; do
		printf "\\$form"'\5\1\0\2\1\2\2\4\0\4\1' >"$out/compiled-$form"
		printf "\\$form"'\11\1\0\2\5\4\2\5\0\0\0\0\1\1\0\2\1\4\1' >"$out/entries-$form"
		printf "\\$form"'\4\1\0\4\3\5\0\0\0' >"$out/left-$form"
		printf "\\$form"'\3\1\0\2\1\3\60\2\0\0\5\1\0' >"$out/stub-$form"
		printf "\\$form"'\3\1\0\2\1\4\1\4\0\0\0\1\0\3\1\0\1\0\1' >"$out/changes-$form"
		printf "\\$form"'\3\1\0\4\1\6\101' >"$out/interpreter-$form"
		printf "\\$form"'\3\1\0\4\1\6\100' >"$out/adapter-$form"
		printf "\\$form"'\4\1\0\2\1\4\0\0\0\3\3\0\0\1\0' >"$out/unpacking-$form"
	done
}

# What JVMs wrote, in parts of 1 and of 49 bytes.
corpus_vm_log() {
	local file

	for file in "$tests"/tracers/lines/*.log; do
		{ printf '\0' && cat "$file"; } >"$out/bytes-$(basename "$file")"
		{ printf 0 && cat "$file"; } >"$out/parts-$(basename "$file")"
	done
}

# The ready-made definitions, and one of each key.
corpus_components() {
	cp "$tests/../config/components.json" "$out/ready-made"
	echo '{"components":[{"name":"a","methods":["a.*"],"entries":["a.A.a"],"below":["b"]},
{"name":"b","kinds":["kernel"],"of_caller":true},{"name":"c","methods":["c"],"below":true}]}' >"$out/keys"
}

corpus_lines() {
	printf '\0\10\0\20\3\11\12\77\377\211\301\2\5\0' >"$out/old"
	printf '\2\10\0\20\3\11\12\77\377\212\302\3\6\0' >"$out/new"
}

"corpus_${1#fuzz_}"
