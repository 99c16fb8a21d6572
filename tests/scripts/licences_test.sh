#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/licences.sh in a repository that we make up: licences_test.sh SCRIPTS_DIR WORK_DIR
set -eu
scripts=$1 work=$2
rm -rf "$work"
mkdir -p "$work/scripts" "$work/src"
cp "$scripts/licences.sh" "$scripts/sources.sh" "$work/scripts/"
cd "$work"
git init -q .
printf '// SPDX-License-Identifier: Apache-2.0\n' >src/with.cpp
printf 'int main() {}\n' >src/untracked.cpp
git add scripts src/with.cpp
scripts/licences.sh || { echo "FAILED: all have it" >&2; exit 1; }
printf '// A file of somebody.\n' >src/without.hpp
printf 'add_library(x)\n' >src/CMakeLists.txt
git add src/without.hpp src/CMakeLists.txt
said=$(scripts/licences.sh) && { echo "FAILED: two have it not" >&2; exit 1; }
wanted="without a line 'SPDX-License-Identifier: Apache-2.0':
src/CMakeLists.txt
src/without.hpp"
[ "$said" = "$wanted" ] || { echo "FAILED: it says: $said" >&2; exit 1; }
echo "all passed"
