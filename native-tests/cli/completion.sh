#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# completion.sh JPROF: what shells complete behind `jprof`. bash is driven as readline does it; zsh and fish, where they are
# installed, read their scripts, and fish completes, too. Each check is a line; a failing one names itself.
set -u
jprof=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/checks.sh"

holds()
{
	local line=${BASH_LINENO[0]} text=$1 good=no
	shift
	"$@" && good=yes
	result "$line" $good "$text"
}

for shell in bash zsh fish; do
	holds "no script for $shell" "$jprof" completion $shell >$shell.script
done

# Processes as `jprof list` prints them, one with a name that a shell would run.
mkdir bin
cat >bin/jprof <<'END'
#!/bin/bash
cat <<'ROWS'
     PID  User       Java       jprof      Program
    4711  me         17.0.2     -          com.acme.Main$Inner
    4712  me         21.0.1     records    $(touch,ran) of two words
          no attach: it does not answer
ROWS
END
chmod +x bin/jprof
PATH=$work/bin:$PATH
mkdir folder
touch one.jprof 'two words.jprof' other.txt

# ---- bash ----

# shellcheck disable=SC1091
. ./bash.script

# offered WORD...: what bash completes the last word to, sorted, in one line.
offered()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_jprof
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ *$//'
}

# completes EXPECTED WORD...
completes()
{
	local line=${BASH_LINENO[0]} expected=$1 got good=no
	shift
	got=$(offered "$@")
	[ "$got" = "$expected" ] && good=yes
	result "$line" $good "$*: '$got', not '$expected'"
}

completes 'report reset' jprof re
completes '--help --version' jprof --
completes '' jprof nothing
completes 'safepoints seconds slowest snapshots states summary' jprof report --view s
completes 'safepoints seconds slowest snapshots states summary' jprof report --view = s
completes '--view=states' jprof report one.jprof --view=st
completes 'csv' jprof report --format c
completes 'json' jprof list --format j
completes 'json text' jprof status 4711 --format ''
completes 'fast' jprof run --timing f
completes 'off records summary' jprof run --io ''
completes 'auto' jprof attach --calls a
completes 'wall+cpu' jprof run --metrics wall+c
completes 'cpu' jprof run --metrics c
completes 'one.jprof' jprof report one
completes 'bin folder one.jprof two words.jprof' jprof report ''
completes 'one.jprof other.txt' jprof report --source o
completes '' jprof report --sort o
completes 'folder' jprof html fo
completes '4711 4712' jprof stop ''
completes 'com.acme.Main\$Inner' jprof attach com
completes '' jprof attach '$'
completes 'bash' jprof completion b
completes 'schema scope' jprof help sc
completes 'component' jprof report --by c
completes '--watch --width' jprof status --w
completes '--io --io_class_loading --io_cpu --io_slots' jprof run --io
completes '--path' jprof report --pa
completes '--component --components' jprof report --comp
holds "a process's name was run" test ! -e ran

# ---- every command, every option, in each script ----

# all_options COMMAND: those that help and the agent's table name.
all_options()
{
	"$jprof" help "$1" | grep -oE '^  (--[a-z-]+|-o) ' | tr -d ' '
	case $1 in
	run | attach) "$jprof" help options | grep -oE '^  [a-z_]+ ' | sed 's/ *\([a-z_]*\) */--\1/' ;;
	start) "$jprof" help options | grep -oE '^  [a-z_]+ ' | sed 's/ *\([a-z_]*\) */--\1/' | grep -vx -- --start ;;
	esac
}

commands=$("$jprof" help | grep -oE '^  [a-z]+ ' | tr -d ' ')
holds "help names no commands" test "$(wc -w <<<"$commands")" -ge 15
count=0
for command in $commands; do
	holds "bash does not complete $command" grep -qw -- "$command" <<<"$(offered jprof "${command:0:1}")"
	holds "zsh does not complete $command" grep -q "^	$command)\$" zsh.script
	holds "fish does not complete $command" grep -q -- "-n __jprof_begins -a $command " fish.script
	sed -n "/^	$command)\$/,/^		;;/p" zsh.script >zsh.part
	for option in $(all_options "$command"); do
		count=$((count + 1))
		holds "bash does not complete $command $option" \
			grep -qw -- "$option" <<<"$(offered jprof "$command" -)"
		holds "zsh does not complete $command $option" grep -q -- "'\*${option}[=+\\[]" zsh.part
		name=${option#-}
		holds "fish does not complete $command $option" \
			grep -qE -- "-n '__jprof_in $command' (-l|-s) ${name#-} " fish.script
	done
done
holds "only $count options were looked for" test $count -ge 90

# Words that are legal: what is refused names them.
for kind in view format; do
	legal=$("$jprof" report --$kind xyzzy 2>&1 | sed "s/.*the ${kind}s are //; s/ (see.*//; s/,//g" | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ *$//')
	completes "$legal" jprof report --$kind ''
done

# ---- the others ----

if command -v zsh >/dev/null; then
	holds "zsh cannot read its script" zsh -n zsh.script
	mkdir functions
	cp zsh.script functions/_jprof
	holds "zsh's functions do not load" zsh -fc '
		fpath=($PWD/functions $fpath)
		autoload -Uz compinit && compinit -D -u && [[ $_comps[jprof] == _jprof ]] && autoload +X _jprof'
	holds "zsh cannot source its script" zsh -fc '
		autoload -Uz compinit && compinit -D -u && source ./zsh.script && [[ $_comps[jprof] == _jprof ]]'
else
	echo "completion.sh: zsh is not here: its script was not read"
fi
if command -v fish >/dev/null; then
	# fish_offers EXPECTED LINE: the words in front of the descriptions.
	fish_offers()
	{
		local line=${BASH_LINENO[0]} got good=no
		got=$(HOME=$work fish --no-config -c "source fish.script; complete -C '$2'" 2>&1 |
			cut -f1 | LC_ALL=C sort | tr '\n' ' ' | sed 's/ *$//')
		[ "$got" = "$1" ] && good=yes
		result "$line" $good "fish, '$2': '$got', not '$1'"
	}
	holds "fish cannot read its script" fish -n fish.script
	fish_offers 'report reset' 'jprof re'
	fish_offers 'safepoints seconds slowest snapshots states summary' 'jprof report --view s'
	fish_offers '--view=safepoints --view=seconds --view=slowest --view=snapshots --view=states --view=summary' 'jprof report --view=s'
	fish_offers 'fast' 'jprof run --timing f'
	fish_offers 'wall+cpu' 'jprof run --metrics wall+c'
	fish_offers '4711 4712' 'jprof stop 4'
	fish_offers 'com.acme.Main$Inner' 'jprof stop com'
	fish_offers 'one.jprof' 'jprof report one'
	fish_offers 'bash' 'jprof completion b'
	fish_offers 'schema scope' 'jprof help sc'
	holds "a process's name was run" test ! -e ran
else
	echo "completion.sh: fish is not here: its script was not read"
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
