#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing of the given groups of scripts/packages.txt: install_packages.sh build test
#
# Says what is missing before it does anything, and calls apt-get only then: with everything in place it is silent and
# needs no network. Without root and sudo it prints the command to run and fails. SKIP_PACKAGES=1 skips all of it, for
# systems whose packages have other names.
set -eu

list=$(dirname "$0")/packages.txt
[ "${SKIP_PACKAGES:-0}" = 1 ] && exit 0

# The names of this system's packages in the groups given.
wanted() {
  column=2
  if grep -q '^ID=ubuntu$' /etc/os-release 2>/dev/null; then column=3; fi
  for group in "$@"; do
    awk -v group="$group" -v column="$column" '$1 == group { print ($column == "=" ? $2 : $column) }' "$list"
  done
}

is_installed() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -q '^installed$'
}

one_line() { tr '\n' ' ' | sed 's/ *$//'; }

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
  echo "weir: this system has no apt-get; install the like of: $(wanted "$@" | one_line);" \
    "then run make with SKIP_PACKAGES=1" >&2
  exit 1
fi

missing=$(for package in $(wanted "$@"); do is_installed "$package" || echo "$package"; done | one_line)
[ -z "$missing" ] && exit 0

echo "Missing packages: $missing"
command="apt-get install -y --no-install-recommends $missing"
if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
  as_root="sudo"
else
  echo "weir: packages are missing and this is neither root nor has it sudo; run as root: apt-get update && $command" >&2
  exit 1
fi

$as_root apt-get update -q
# shellcheck disable=SC2086  # one word per package is what is wanted
$as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
