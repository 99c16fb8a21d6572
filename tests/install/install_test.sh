#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs a program of somebody else against an installed Weir, as its user would.
#
# install_test.sh find_package|pkg_config|ocr_find_package|ocr_pkg_config|ocr_wrapper|shmem_...|cluster_... STAGE_DIR SOURCE_DIR WORK_DIR CXX
set -eu
how=$1 stage=$2 source=$3 work=$4 cxx=$5
flags=${CONSUMER_FLAGS:-}

rm -rf "$work"
mkdir -p "$work"
folder=$(dirname "$(find "$stage" -name weir.pc)")
export PKG_CONFIG_PATH="$folder${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
unset LD_LIBRARY_PATH  # programs find shared libraries by themselves

with_cmake() {  # with_cmake PROJECT
  cmake -S "$source/$1" -B "$work/$1" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$stage" \
    -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags"
  cmake --build "$work/$1"
}

with_pkg_config() {  # with_pkg_config PACKAGE COMPILER ARGUMENT...
  package=$1
  shift
  eval "\"\$@\" $flags $(pkg-config --cflags --libs "$package")"  # words as a shell reads them
}

expect() {  # expect TEXT PROGRAM ARGUMENT...: what the program prints
  wanted=$1
  shift
  printed=$("$@") || { echo "$*: exit status $?, printed: $printed" >&2; exit 1; }
  [ "$printed" = "$wanted" ] || { echo "$*: printed: $printed" >&2; exit 1; }
}

expect_hello() {  # expect_hello PATH: of the four OCR programs, up to "c" and "cxx"
  for workers in 1 4; do
    export WEIR_WORKERS=$workers
    expect "C, GUIDs of 64 bits: 1 parameter, 2 blocks, 7 of word, 42" "$1c" word
    expect "C, GUIDs of 128 bits: 1 parameter, 2 blocks, 7 of word, 42" "$1c128" word
    expect "C++, GUIDs of 64 bits: 42" "$1cxx"
    expect "C++, GUIDs of 128 bits: 42" "$1cxx128"
  done
}

expect_refusal() {  # expect_refusal STATUS TEXT COMMAND...: how it fails, and what it says
  status=$1 text=$2 refused=0
  shift 2
  "$@" >"$work/said" 2>&1 || refused=$?
  [ "$refused" -eq "$status" ] && grep -qF -- "$text" "$work/said" && return
  echo "$*: exit status $refused, said:" >&2
  cat "$work/said" >&2
  exit 1
}

wrapper() {
  ln -s "$stage/bin/weir-ocrcc" "$work/ocrcc"  # called by another name, from another folder
  export CXX="$cxx"
  cd "$source/ocr"
  # shellcheck disable=SC2086  # flags are words
  {
    "$work/ocrcc" $flags hello.c -o "$work/c"
    "$work/ocrcc" $flags --guid=128 hello.c -o "$work/c128"
    "$work/ocrcc" $flags --all-extensions -Werror -c hello.cpp -o "$work/cxx.o"
    "$work/ocrcc" $flags "$work/cxx.o" -o "$work/cxx"
    eval "$("$work/ocrcc" --show $flags --guid=128 hello.cpp -o "$work/cxx128")"
    "$work/ocrcc" $flags --ocr=1.0 scalar.c -o "$work/scalar"
    "$work/ocrcc" $flags -Werror -DOCR_TYPE_H=x86-mpi.h hello.c -o "$work/reference" -L/nowhere -locr_x86-mpi
    cp hello.cpp "$work/cxx_in.c"
    "$stage/bin/weir-ocrc++" $flags "$work/cxx_in.c" -o "$work/cxx_in_c"
    expect_refusal 1 "ocrEdtTemplateCreate_with_128_bit_guids" \
      "$work/ocrcc" $flags -DOCR_ENABLE_128_BIT_GUID hello.c -o "$work/mixed"
    "$work/ocrcc" $flags -c hello.c -o "$work/c.o"
    expect_refusal 1 "ocrEdtTemplateCreate_internal" "$work/ocrcc" $flags --guid=128 "$work/c.o" -o "$work/mixed"
  }
  expect_hello "$work/"
  expect "1 2" "$work/scalar"
  expect "C, GUIDs of 64 bits: 1 parameter, 2 blocks, 7 of word, 42" "$work/reference" word
  expect "C++, GUIDs of 64 bits: 42" "$work/cxx_in_c"
  "$work/ocrcc" --show-compile | grep -q -- /include/ocr
  "$work/ocrcc" --show-link | grep -q -- -lweir-ocr
  "$work/ocrcc" -show -c hello.c | grep -q -- -lweir && exit 1
  "$work/ocrcc" --show hello.c | grep -q -- " -no-pie "
  for option in -pie -shared; do "$work/ocrcc" --show $option hello.c | grep -q -- -no-pie && exit 1; done
  for path in /opt/shared/lib /home/pieter/lib; do "$work/ocrcc" --show -Wl,-rpath,$path hello.c | grep -q -- " -no-pie .*mainEdt"; done
  "$work/ocrcc" --show-link | grep -q -- -no-pie && exit 1
  "$work/ocrcc" --show -shared -fPIC hello.c | grep -q mainEdt && exit 1  # which the program has
  expect_refusal 2 "usage: weir-ocrcc" "$work/ocrcc"
  expect_refusal 2 "--guid=32: it must be 64 or 128" "$work/ocrcc" --guid=32 hello.c
  expect_refusal 2 "--ocr=2: it must be 1.0 or 1.2" "$work/ocrcc" --ocr=2 hello.c
  expect_refusal 1 "no-such-option" "$work/ocrcc" --no-such-option hello.c
  CC=/nowhere/cc expect_refusal 2 "there is no compiler /nowhere/cc: install it, or name one in CC" "$work/ocrcc" hello.c
  CC="env A=b weir-ocrcc -g" "$work/ocrcc" --show hello.c | grep -q "^env A=b cc -g "
  CXX='none -g' expect_refusal 2 "there is no compiler none: install it, or name one in CXX" "$work/ocrcc" hello.cpp
  PKG_CONFIG=nowhere expect_refusal 2 "there is no nowhere" "$work/ocrcc" hello.c
  "$work/ocrcc" --help >"$work/help"
  cp Makefile hello.c "$work"
  PATH="$stage/bin:$PATH" make -C "$work" CC=weir-ocrcc CFLAGS="$flags"
  expect "C, GUIDs of 64 bits: 1 parameter, 2 blocks, 7 of word, 42" "$work/made" word
  page="$stage/share/man/man1/weir-ocrcc.1"
  [ -e "$page" ] || return 0  # made by the command line, which may not have been built
  options=$(grep -o "^  -[-a-z]*" "$work/help")
  for option in $options; do
    sed 's/\\-/-/g' "$page" | grep -q -- "$option" || { echo "the manual page does not have $option" >&2; exit 1; }
  done
}

expect_pes() {  # expect_pes LANGUAGE PROGRAM: bare it is one PE; two are started by weir run, where that was built
  expect "$1: 1 of 1 PEs" "$2"
  [ -x "$stage/bin/weir" ] || return 0
  expect "$1: 2 of 2 PEs" "$stage/bin/weir" run -n 2 "$2"
}

expect_ranks() {  # expect_ranks PROGRAM: likewise
  expect "1 ranks: 4950" "$1"
  [ -x "$stage/bin/weir" ] || return 0
  expect "2 ranks: 4950" "$stage/bin/weir" run -n 2 "$1"
}

# The newcomer's way: a traced run, then what it says.
expect_trace() {
  [ -x "$stage/bin/weir" ] || return 0
  "$stage/bin/weir" run -n 2 --trace "$work/t.weir" "$1" >/dev/null
  "$stage/bin/weir" report "$work/t.weir" | grep -q "2 PEs on 1 host" || { echo "weir report: not of 2 PEs" >&2; exit 1; }
}

# The libraries can be linked into a shared library, which a program without them loads.
expect_plugin() {
  # shellcheck disable=SC2086  # flags are words
  {
    "$bin/weir-shmemcc" $flags -shared -fPIC plugin.c -o "$work/plugin.so"
    cc $flags host.c -ldl -o "$work/host"
  }
  expect "a plugin: 1 PEs" "$work/host" "$work/plugin.so"
  [ -x "$stage/bin/weir" ] || return 0
  expect "a plugin: 2 PEs" "$stage/bin/weir" run -n 2 "$work/host" "$work/plugin.so"
}

# Whatever the folder is called that an installation is in: the flags name it, or it is refused.
names_of_folders() {
  mkdir -p "$work/co,mma b/bin" "$work/co,mma b/libexec/weir" "$work/it's/bin"
  cp "$stage/bin/weir-shmemcc" "$work/co,mma b/bin"
  PKG_CONFIG=true "$work/co,mma b/bin/weir-shmemcc" --show-link |
    grep -q -- "-Xlinker -rpath -Xlinker '$work/co,mma b/libexec/weir'" || { echo "no folder for plugins" >&2; exit 1; }
  for name in weir-shmemcc weir-ocrcc; do
    [ -x "$stage/bin/$name" ] || continue
    cp "$stage/bin/$name" "$work/it's/bin"
    PKG_CONFIG=true expect_refusal 2 "it's" "$work/it's/bin/$name" hello.c
  done
}

shmem_wrapper() {
  bin="$stage/bin"
  names_of_folders
  export CC=cc CXX="$cxx"
  cd "$source/shmem"
  # shellcheck disable=SC2086  # flags are words
  {
    "$bin/weir-shmemcc" $flags -Wall -Werror hello.c -o "$work/c"
    "$bin/weir-shmemcc" $flags -c hello.c -o "$work/c.o"
    "$bin/weir-shmemc++" $flags "$work/c.o" -o "$work/linked"
    "$bin/weir-shmemc++" $flags -std=c++11 -Wall -Werror hello.cpp -o "$work/cxx"
    eval "$("$bin/weir-shmemcc" --show $flags hello.c -o "$work/shown")"
  }
  for program in c linked shown; do expect_pes C "$work/$program"; done
  expect_trace "$work/c"
  expect_plugin
  expect_pes C++ "$work/cxx"
  if command -v gfortran >/dev/null && [ -z "$flags" ]; then
    "$bin/weir-shmemfc" -std=legacy hello.f -o "$work/fortran"
    expect_pes Fortran "$work/fortran"
  fi
  for argument in -fdefault-integer-8 -i8; do
    expect_refusal 2 "$argument makes INTEGERs of eight bytes" "$bin/weir-shmemfc" "$argument" hello.f
  done
  "$bin/weir-shmemcc" --show-compile | grep -q -- /include/shmem
  "$bin/weir-shmemcc" --show-link | grep -q -- -lweir-shmem
  "$bin/weir-shmemcc" -showme:incdirs | grep -q -- '^/.*/include/shmem'
  "$bin/weir-shmemcc" --showme:libs | grep -q -- '^weir-shmem weir '
  for option in -c -r --compile --assemble --preprocess; do
    if "$bin/weir-shmemcc" -show "$option" hello.c | grep -q -- -lweir; then exit 1; fi
  done
  "$bin/weir-shmemcc" --show hello.c -Xlinker -lsma -Xlinker -r -lshmem -o hello | grep -q -- 'hello.c -Xlinker -lsma -Xlinker -r -o hello .*-lweir-shmem'
  if "$bin/weir-shmemcc" --show hello.c -lsma -lshmem -loshmem | grep -qE -- '-l(sma|shmem|oshmem)'; then exit 1; fi
  expect_refusal 2 "usage: weir-shmemcc" "$bin/weir-shmemcc"
  expect_refusal 1 "no-such-option" "$bin/weir-shmemcc" --no-such-option hello.c
  CC=/nowhere/cc expect_refusal 2 "there is no compiler /nowhere/cc: install it, or name one in CC" "$bin/weir-shmemcc" hello.c
  FC=none expect_refusal 2 "there is no compiler none: install it, or name one in FC" "$bin/weir-shmemfc" hello.f
  CC="env A=b weir-shmemcc -g" "$bin/weir-shmemcc" --show hello.c | grep -q "^env A=b cc -g "
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$bin/weir-shmemcc" >"$work/calls"
  chmod +x "$work/calls"
  PATH="$work:$PATH" CC=calls expect_refusal 2 "calls weir-shmemcc, which calls it again: name the compiler in SHMEMCC_CC" "$bin/weir-shmemcc" hello.c
  PKG_CONFIG=nowhere expect_refusal 2 "nowhere does not tell the flags of weir-shmem" "$bin/weir-shmemcc" hello.c
  cp Makefile hello.c "$work"
  PATH="$bin:$PATH" make -C "$work" CC=weir-shmemcc CFLAGS="$flags"
  expect_pes C "$work/made"
}

case $how in
  find_package)
    with_cmake consumer
    "$work/consumer/consumer"
    "$work/consumer/consumer_c"
    ;;
  pkg_config)
    with_pkg_config weir "$cxx" -std=c++20 "$source/consumer/consumer.cpp" -o "$work/consumer"
    with_pkg_config weir cc "$source/consumer/consumer.c" -o "$work/consumer_c"
    with_pkg_config weir "$cxx" -std=c++20 -shared -fPIC "$source/consumer/consumer.cpp" -o "$work/consumer.so"
    "$work/consumer"
    "$work/consumer_c"
    ;;
  ocr_find_package)
    with_cmake ocr
    expect_hello "$work/ocr/hello_"
    with_cmake ocr_c
    expect "C, GUIDs of 64 bits: 1 parameter, 2 blocks, 7 of word, 42" "$work/ocr_c/hello_c" word
    ;;
  ocr_pkg_config)
    with_pkg_config weir-ocr cc "$source/ocr/hello.c" -o "$work/c"
    with_pkg_config weir-ocr128 cc "$source/ocr/hello.c" -o "$work/c128"
    with_pkg_config weir-ocr "$cxx" "$source/ocr/hello.cpp" -o "$work/cxx"
    with_pkg_config weir-ocr128 "$cxx" "$source/ocr/hello.cpp" -o "$work/cxx128"
    expect_hello "$work/"
    ;;
  ocr_wrapper) wrapper ;;
  shmem_find_package)
    with_cmake shmem
    expect_pes C "$work/shmem/hello_c"
    expect_pes C++ "$work/shmem/hello_cxx"
    ;;
  shmem_pkg_config)
    with_pkg_config weir-shmem cc "$source/shmem/hello.c" -o "$work/c"
    with_pkg_config weir-shmem "$cxx" "$source/shmem/hello.cpp" -o "$work/cxx"
    expect_pes C "$work/c"
    expect_pes C++ "$work/cxx"
    ;;
  shmem_wrapper) shmem_wrapper ;;
  cluster_find_package)
    with_cmake cluster
    expect_ranks "$work/cluster/sum"
    ;;
  cluster_pkg_config)
    with_pkg_config weir-cluster "$cxx" -std=c++20 "$source/cluster/sum.cpp" -o "$work/sum"
    expect_ranks "$work/sum"
    ;;
  *) echo "unknown: $how" >&2; exit 2 ;;
esac
