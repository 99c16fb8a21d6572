#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/install_packages.sh on systems that we make up: a PATH with dpkg-query, apt-get, id and sudo of our own.
#
# install_packages_test.sh SCRIPTS_DIR WORK_DIR
set -eu
scripts=$1 work=$2
failures=0

# The copy reads the list beside it and the system that $work/os-release describes.
new_system() {  # new_system ID UID: of this distribution and user; compiler installed, library and checker not
  rm -rf "$work"
  mkdir -p "$work/bin" "$work/scripts"
  sed "s:/etc/os-release:'$work/os-release':" "$scripts/install_packages.sh" >"$work/scripts/install_packages.sh"
  printf '# comment\nbuild compiler =\nbuild libfoo-dev libfoo2-dev\nlint checker =\n' >"$work/scripts/packages.txt"
  echo "ID=$1" >"$work/os-release"
  for tool in sh awk sed tr grep dirname env; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
  fake id "echo $2"
  # shellcheck disable=SC2016  # the fake expands it
  fake dpkg-query 'for last; do :; done; grep -qx "$last" '"'$work/installed' && echo installed"
  fake apt-get "echo \"apt-get \$*\" >>'$work/calls'"
  echo compiler >"$work/installed"
  : >"$work/calls"
}

fake() {
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

install() {  # install GROUP...: what the script prints is in $said, its status in $status
  status=0
  said=$(PATH="$work/bin" sh "$work/scripts/install_packages.sh" "$@" 2>&1 </dev/null) || status=$?
}

expect() {  # expect WHAT ACTUAL EXPECTED
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  expected: %s\n  got:      %s\n' "$1" "$3" "$2"
  failures=$((failures + 1))
}

calls() { tr '\n' ';' <"$work/calls"; }

new_system debian 0
echo libfoo-dev >>"$work/installed"
install build
expect "with everything in place it says nothing" "$said" ""
expect "with everything in place it calls nothing" "$(calls)" ""
expect "with everything in place it succeeds" "$status" 0

new_system debian 0
install build
expect "root: says what is missing" "$said" "Missing packages: libfoo-dev"
expect "root: installs just that" "$(calls)" \
  "apt-get update -q;apt-get install -y -q --no-install-recommends libfoo-dev;"

new_system ubuntu 0
install build lint
expect "Ubuntu: its own names, of all groups" "$said" "Missing packages: libfoo2-dev checker"

new_system debian 1000
install build
expect "no root, no sudo: the command to run, in one line" "$said" "Missing packages: libfoo-dev
weir: packages are missing and this is neither root nor has it sudo; run as root: apt-get update && apt-get install -y --no-install-recommends libfoo-dev"
expect "no root, no sudo: fails" "$status" 1
expect "no root, no sudo: calls nothing" "$(calls)" ""

new_system debian 1000
# shellcheck disable=SC2016
fake sudo 'case $1 in -n) exit 0;; DEBIAN_FRONTEND=*) shift;; esac; "$@"'
install build
expect "sudo: installs" "$(calls)" "apt-get update -q;apt-get install -y -q --no-install-recommends libfoo-dev;"

new_system debian 0
fake apt-get 'echo "apt-get: no network" >&2; exit 100'
install build
expect "apt-get fails: so does it" "$status" 100

new_system fedora 0
rm "$work/bin/apt-get"
install build
expect "no apt-get: fails" "$status" 1
expect "no apt-get: names all it needs" "$said" \
  "weir: this system has no apt-get; install the like of: compiler libfoo-dev; then run make with SKIP_PACKAGES=1"

SKIP_PACKAGES=1
export SKIP_PACKAGES
install build
expect "SKIP_PACKAGES=1: succeeds and says nothing" "$status$said" 0

[ "$failures" -eq 0 ] && echo "all passed"
exit "$failures"
