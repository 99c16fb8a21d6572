#!/bin/sh
# Installs a build into a folder of its own, and builds and runs the consumer project against it, as a user would.
#
# install_test.sh find_package|pkg_config BUILD_DIR CONSUMER_DIR WORK_DIR CXX
set -eu
how=$1 build=$2 consumer=$3 work=$4 cxx=$5

rm -rf "$work"
mkdir -p "$work"
DESTDIR='' cmake --install "$build" --prefix "$work/stage" >"$work/install.log"

# Moved after installing: nothing in it may know where it was put.
mv "$work/stage" "$work/weir"
case $how in
  find_package)
    cmake -S "$consumer" -B "$work/consumer" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$work/weir" \
      -DCMAKE_CXX_FLAGS="${CONSUMER_FLAGS:-}" -DCMAKE_C_FLAGS="${CONSUMER_FLAGS:-}"
    cmake --build "$work/consumer"
    ;;
  pkg_config)
    pc=$(find "$work/weir" -name weir.pc)
    PKG_CONFIG_PATH=$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
    flags=$(pkg-config --cflags --libs weir)
    mkdir "$work/consumer"
    eval "set -- $flags"  # words, blanks in paths escaped by pkg-config
    # shellcheck disable=SC2086  # flags are words
    "$cxx" -std=c++20 ${CONSUMER_FLAGS:-} "$consumer/consumer.cpp" -o "$work/consumer/consumer" "$@"
    # shellcheck disable=SC2086
    cc ${CONSUMER_FLAGS:-} "$consumer/consumer.c" -o "$work/consumer/consumer_c" "$@"
    ;;
esac
LD_LIBRARY_PATH=$(dirname "$(find "$work/weir" -name 'libweir.*' | head -n 1)")
export LD_LIBRARY_PATH
"$work/consumer/consumer"
"$work/consumer/consumer_c"
