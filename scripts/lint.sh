#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The linters over all tracked files: lint.sh BUILD_DIR
#
# Runs every one of them, says at the end which failed, and fails when one did. clang-tidy goes over the library (src/
# and the headers it includes), TIDY=all over every source, TIDY=none over none, TIDY=changed over those sources of the
# library that the last 20 commits changed, at most 10 (TIDY_FILES) of them, the last changed first, without the static
# analyzer, and lists what it left out. It needs the compile commands of
# BUILD_DIR, one for each file and without precompiled headers (as in the preset dev): a file that does not include what
# it uses is found there.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:?usage: lint.sh BUILD_DIR}
jobs=${JOBS:-$(nproc)}
failed=()

check() {  # check NAME COMMAND...: runs it under a heading, and remembers the failure
  local name=$1
  shift
  echo "== $name"
  "$@" || failed+=("$name")
}

formatting() {
  local formatter=clang-format-14
  command -v $formatter >/dev/null || formatter=clang-format
  if ! $formatter --version | grep -q 'version 14\.'; then
    echo "not checked: the sources are formatted as clang-format 14 does it, here is $($formatter --version)"
    return 0
  fi
  local unformatted
  unformatted=$(scripts/sources.sh cpp | xargs "$formatter" --dry-run --Werror 2>&1 |
    sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*/\1/p' | sort -u)
  [ -z "$unformatted" ] || { echo "not as \`make format\` would have it:"; echo "$unformatted"; return 1; }
}

tidy() (
  set -o pipefail
  pattern='^src/'
  [ "${TIDY:-}" = all ] && pattern=.
  checks=() chosen=cat
  if [ "${TIDY:-}" = changed ]; then
    checks=(--checks=-clang-analyzer-*)
    chosen=last_changed
  fi
  # What was configured before a source was added has no compile command for it.
  ninja -C "$build" build.ninja > "$build/configure.log" || { cat "$build/configure.log"; return 1; }
  # clang does not know some of g++'s options.
  scripts/sources.sh tu | grep -E "$pattern" | in_compile_commands | $chosen |
    xargs -r -P "$jobs" -n 1 clang-tidy -p "$build" --quiet "${checks[@]}" --extra-arg=-Wno-unknown-warning-option 2>&1 |
    sed '/^[0-9]* warnings\{0,1\} .*generated\.$/d; /^[0-9]* warnings\{0,1\} treated as error/d'
)

last_changed() {  # of the sources on standard input; those that are too many are listed on standard error
  local sources most=${TIDY_FILES:-10}
  sources=$(cat)
  git log -20 --name-only --format= | awk 'NF && !seen[$0]++' | { grep -xF "$sources" || true; } |
    awk -v most="$most" 'NR <= most { print; next } { left = left "\n  " $0; count++ }
      END { if (count) printf "not looked at here, but by `make lint`, %d more that changed:%s\n", count, left > "/dev/stderr" }'
}

in_compile_commands() {  # sources that are not built here have no flags to be checked with
  while read -r file; do
    grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json" && echo "$file"
  done
  return 0
}

shell_scripts() { scripts/sources.sh sh | xargs shellcheck; }

manual_pages() {  # made by the build; nothing to check before it
  local pages
  pages=$(find "$build" build/release build/ci -path '*/documents/*.[17]' 2>/dev/null)
  [ -z "$pages" ] || echo "$pages" | xargs mandoc -T lint -W warning
}

check clang-format formatting
check shellcheck shell_scripts
check licences scripts/licences.sh
check layers python3 tests/layers/layers.py .
check orders python3 tests/layers/orders.py .
check docs python3 tests/docs/docs.py .
check names python3 tests/docs/names.py .
check words python3 scripts/words.py .
check mandoc manual_pages
[ "${TIDY:-}" = none ] || check clang-tidy tidy

if [ ${#failed[@]} -ne 0 ]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
echo "lint: all passed"
