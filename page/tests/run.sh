#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: one test of the page. run.sh bundle|model|figures|browser BUILD-FOLDER [PROFILE...]
#
# Exits with 77 (skipped), and says why, where what it needs is not installed: node, the packages of package-lock.json, a
# browser. Profiles are made by the tool of the native tests, unless some are given.
set -euo pipefail

test=$1 build=$(readlink -f "$2")
shift 2
cd "$(dirname "$(readlink -f "$0")")/.."

skip() {
	echo "skipped: $*"
	exit 77
}

command -v node >/dev/null || skip "node is not installed"
major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
((major >= 18)) || skip "node is older than release 18"
[[ -d node_modules/esbuild ]] || skip "page/node_modules is not there: 'npm ci --ignore-scripts' in page/ makes it, as './dev setup' does"

folder=$(mktemp -d "${TMPDIR:-/tmp}/jprof-page-XXXXXX")
trap 'rm -rf "$folder"' EXIT

# make NAME SHAPE NODES METRICS SNAPSHOTS
make() {
	"$build/tests/make_profile" "$2" "$3" "$4" "$folder/$1.jprof" "$5" >/dev/null
	profiles+=("$folder/$1.jprof")
}

# The page that is checked in is the one that the sources make.
run_bundle() {
	node_modules/.bin/tsc --noEmit
	node_modules/.bin/prettier --log-level warn --check src tests build.mjs
	node build.mjs "$folder/page.html"
	if ! cmp dist/page.html "$folder/page.html"; then
		echo "page/dist/page.html is not what page/src makes: 'npm run build' in page/" >&2
		return 1
	fi
}

run_model() {
	node --test tests/model.test.mjs
}

run_figures() {
	local -a profiles=("$@")

	if (($# == 0)); then
		make bushy bushy 5000 2 0
		make recursive recursive 3000 1 2
		make sampled sampled 20000 2 1
		make folded bushy 210000 1 0
	fi
	node tests/figures.mjs "$build/jprof" "${profiles[@]}"
}

run_browser() {
	local -a profiles=("$@")

	node -e "import('./tests/browser_kit.mjs').then((kit) => process.exit(kit.browserPath() ? 0 : 1))" ||
		skip "no Chromium is installed (JPROF_CHROMIUM names one)"
	if (($# == 0)); then
		make sampled sampled 3000 2 1
		make recursive recursive 3000 1 2
		make labelled labelled 3000 2 1
	fi
	node tests/browser.mjs "$build/jprof" "${profiles[@]}"
}

"run_$test" "$@"
