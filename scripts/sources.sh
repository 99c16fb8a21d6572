#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lists the repository's sources, for the linters: sources.sh cpp (C++ and headers), tu (.cpp only), sh, or all (every file
# that somebody wrote and that can have a comment).
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in
  cpp) git ls-files '*.cpp' '*.hpp' ;;
  tu)  git ls-files '*.cpp' ;;
  sh)  git ls-files | while read -r file; do
         [ -f "$file" ] && head -c 64 "$file" | grep -aqE '^#!.*\b(ba)?sh' && echo "$file"
       done || true ;;
  all) git ls-files '*.cpp' '*.hpp' '*.c' '*.h' '*.py' '*.sh' '*.js' '*.css' '*.html' '*.cmake' '*.in' '*CMakeLists.txt' \
         '*Makefile' '.ci/run' 'scripts/*' 'tools/ocrcc/*' 'tools/shmemcc/*' 'packaging/debian/rules' ;;
  *)   echo "usage: sources.sh cpp|tu|sh|all" >&2; exit 2 ;;
esac
