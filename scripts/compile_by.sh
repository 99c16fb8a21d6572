#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# compile_by.sh COMPILER OTHER [LAUNCHER...] OTHER ARGUMENT...: runs that compile command of OTHER, a g++, by COMPILER, a clang++. The
# build's launcher for the sources of tests: weir_test_code() in cmake/WeirTest.cmake.
compiler=$1 other=$2
shift 2
launcher=''
while [ "$1" != "$other" ]; do launcher="$launcher $1" && shift; done
shift

# clang++ would read the precompiled header of an earlier build where it is to make the new one.
previous='' is_header='' output=''
for argument; do
  case $previous,$argument in
    -x,c++-header) is_header=yes ;;
    -o,*) output=$argument ;;
  esac
  previous=$argument
done
[ -z "$is_header" ] || rm -f "$output"

# shellcheck disable=SC2086  # no word where there is no launcher
exec $launcher "$compiler" "$@" -fpch-instantiate-templates -Qunused-arguments -Wno-unknown-warning-option
