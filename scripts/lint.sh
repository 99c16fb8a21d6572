#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The linters over all tracked files: lint.sh BUILD_DIR
#
# Runs every one of them, says at the end which failed, and fails when one did. clang-tidy goes over the library (src/
# and the headers it includes), TIDY=all over every source, TIDY=none over none, TIDY=changed over those sources of the
# library that the last 20 commits changed, without the static analyzer, which takes three quarters of the time; it needs
# the compile commands of BUILD_DIR, one for each file (WEIR_UNITY=OFF, as in the presets dev and clang).
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
  unformatted=$(scripts/sources.sh cpp | while read -r file; do
    "$formatter" --dry-run --Werror "$file" 2>/dev/null || echo "$file"
  done)
  [ -z "$unformatted" ] || { echo "not as \`make format\` would have it:"; echo "$unformatted"; return 1; }
}

tidy() (
  set -o pipefail
  pattern='^src/'
  [ "${TIDY:-}" = all ] && pattern=.
  checks=() chosen=(cat)
  if [ "${TIDY:-}" = changed ]; then
    checks=(--checks=-clang-analyzer-*)
    chosen=(grep -xF "$(git log -20 --name-only --format= | sort -u)")
  fi
  # clang does not know some of g++'s options.
  scripts/sources.sh tu | grep -E "$pattern" | { "${chosen[@]}" || true; } | in_compile_commands |
    xargs -r -P "$jobs" -n 1 clang-tidy -p "$build" --quiet "${checks[@]}" --extra-arg=-Wno-unknown-warning-option 2>&1 |
    sed '/^[0-9]* warnings\{0,1\} .*generated\.$/d; /^[0-9]* warnings\{0,1\} treated as error/d'
)

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
