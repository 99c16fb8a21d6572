#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The second half of deb_test.sh, in a minimal system that has /weir/packages: installs the packages as a user would, first
# those that run, then those to develop with, builds programs in every way that the documentation tells, and purges them.
set -eu
cd /weir/packages
ls -d -- /usr/share/man >/dev/null 2>&1 || mkdir -p /usr/share/man

install() { apt-get install -q -y --no-install-recommends "$@"; }

say() { echo "--- $*"; }

say "the tools alone bring what they need"
apt-get update -q
install ./weir_*.deb man-db
weir topo
weir --version
man -w weir weir-topo weir-run
weir run seismic --size 256x256 --iterations 4 --repeat 1 --no-image
weir bench --help >/dev/null
ldd /usr/bin/weir | grep 'not found' && exit 1
if dpkg-query -W 'libopenmpi*' 'libmpich*' 2>/dev/null | grep .; then
  echo "the tools bring an MPI" >&2
  exit 1
fi

say "completion in bash, zsh and fish"
install bash-completion zsh fish
completes() {  # completes SHELL SCRIPT: what the shell offers after "weir " has the verbs
  offered=$("$1" -c "$2")
  for verb in topo run report; do
    echo "$offered" | grep -q "^$verb" || { echo "$1: no $verb in: $offered" >&2; exit 1; }
  done
}
# shellcheck disable=SC2016  # the shells expand them
{
  completes bash '. /usr/share/bash-completion/bash_completion; _completion_loader weir; COMP_WORDS=(weir "") COMP_CWORD=1
    "$(complete -p weir | sed "s/.* -F \([^ ]*\) .*/\1/")"; printf "%s\n" "${COMPREPLY[@]}"'
  completes zsh 'autoload -Uz compinit && compinit -u -D && [[ $_comps[weir] == _weir ]] || exit
    autoload +X -Uz _weir; _describe() { print -l -- ${(P)2} }; words=(weir "") CURRENT=2; _weir'
  completes fish 'complete -C "weir "'
}

say "development: CMake, pkg-config, the static library, weir-ocrcc, weir-shmemcc"
install ./libweir*.deb cmake ninja-build make gcc g++ gfortran
# Says where the licence is, as every package does.
for package in weir libweir0 libweir-dev libweir-ocr0 libweir-ocr-dev libweir-shmem0 libweir-shmem-dev; do
  grep -q 'Apache License' "/usr/share/doc/$package/copyright"
done
man -w weir-ocrcc weir-ocr weir-shmemcc weir-shmem shmem_put
say "every manual page is rendered without a warning"
install mandoc
dpkg -L weir libweir-ocr-dev libweir-shmem-dev | grep '/man/man[0-9]/' >/tmp/pages
while read -r page; do
  mandoc -T lint -W warning "$page"
  said=$(man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
  [ -z "$said" ] || { echo "$page: $said" >&2; exit 1; }
done </tmp/pages
[ "$(wc -l </tmp/pages)" -gt 8 ]
for how in find_package pkg_config ocr_find_package ocr_pkg_config ocr_wrapper \
    shmem_find_package shmem_pkg_config shmem_wrapper; do
  say "$how"
  /weir/install/install_test.sh "$how" /usr /weir/install "/tmp/$how" c++
done
ldd /tmp/pkg_config/consumer | grep -q libweir.so.0
say "static"
# shellcheck disable=SC2046  # flags are words
c++ -std=c++20 /weir/install/consumer/consumer.cpp -o /tmp/static -Wl,-Bstatic -lweir -Wl,-Bdynamic \
  $(pkg-config --static --libs weir | sed 's/-lweir//')
/tmp/static
ldd /tmp/static | grep libweir && exit 1

say "purging leaves nothing"
packages="weir libweir0 libweir-dev libweir-ocr0 libweir-ocr-dev libweir-shmem0 libweir-shmem-dev"
for package in $packages; do dpkg -L "$package"; done | sort -u | while read -r path; do
  [ -d "$path" ] || echo "$path"
done >/tmp/files
# shellcheck disable=SC2086  # words
apt-get purge -q -y $packages
while read -r path; do
  [ ! -e "$path" ] || { echo "left behind: $path" >&2; exit 1; }
done </tmp/files
[ "$(wc -l </tmp/files)" -gt 50 ]
say "all passed"
