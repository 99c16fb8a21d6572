#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian packages in a chroot of each release, and installs, uses and purges them in another one that has nothing
# but a minimal system: deb_test.sh CACHE_DIR [RELEASE...] (default: bookworm trixie)
#
# Needs root, debootstrap, and a mirror, which is the one that apt uses here. CACHE_DIR keeps, for each release, the minimal
# system, the one with all that the build needs, and what ccache keeps; a second run takes the time of the tests alone.
# CACHE_DIR/RELEASE/packages has the packages.
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${1:?usage: deb_test.sh CACHE_DIR [RELEASE...]}
shift
[ $# -ne 0 ] || set -- bookworm trixie
[ "$(id -u)" -eq 0 ] || { echo "weir: deb_test.sh needs root, for chroot" >&2; exit 1; }
mkdir -p "$cache"
cache=$(realpath "$cache")

# shellcheck disable=SC2016  # apt-get expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
[ -n "$mirror" ] || { echo "weir: apt has no source of Debian packages: run apt-get update" >&2; exit 1; }

# ccache takes what was compiled with precompiled headers only when it is told not to look at macros and times of theirs, and
# when g++ names them in what it preprocesses (-fpch-preprocess below).
export sloppiness=pch_defines,time_macros,include_file_mtime,include_file_ctime

# in_chroot ROOT COMMAND...: with /proc, /sys and /dev, which go when the command ends.
in_chroot() {
  # shellcheck disable=SC2016  # the inner shell expands them
  unshare --mount --fork sh -c '
    set -e
    root=$1 && shift
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    [ ! -d "$root/ccache" ] || mount --bind "$root.ccache" "$root/ccache"
    exec env -i PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      CCACHE_DIR=/ccache CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS="$sloppiness" chroot "$root" "$@"' sh "$@"
}

install_in() {  # install_in ROOT PACKAGE...
  local root=$1
  shift
  in_chroot "$root" apt-get install -q -y --no-install-recommends "$@"
}

make_base() {  # make_base RELEASE: the minimal system
  local base=$cache/$1/base
  [ -e "$cache/$1/base.done" ] && return
  rm -rf "$base"
  mkdir -p "$base"
  debootstrap --variant=minbase "$1" "$base" "$mirror"
  apt-config dump | grep -i '^Acquire::.*Proxy' >"$base/etc/apt/apt.conf.d/50proxy" || true
  touch "$cache/$1/base.done"
}

make_builder() {  # make_builder RELEASE: with what packaging/debian/control asks for, lintian and ccache
  local builder=$cache/$1/builder wanted
  wanted=$(sed -n '/^Build-Depends:/,/^$/p' packaging/debian/control)
  [ "$(cat "$builder.done" 2>/dev/null)" = "$wanted" ] && return
  rm -rf "$builder"
  cp -a "$cache/$1/base" "$builder"
  mkdir -p "$builder/ccache" "$builder.ccache" "$builder/weir/debian"
  cp packaging/debian/control "$builder/weir/debian/"
  in_chroot "$builder" apt-get update -q
  install_in "$builder" ccache lintian dpkg-dev
  in_chroot "$builder" apt-get build-dep -q -y --no-install-recommends /weir
  echo "$wanted" >"$builder.done"
}

build() {  # build RELEASE
  local builder=$cache/$1/builder packages=$cache/$1/packages
  rm -rf "$builder/weir" "$packages"
  mkdir -p "$builder/weir/source" "$packages"
  packaging/copy_sources.sh . "$builder/weir/source"
  in_chroot "$builder" sh -c 'cd /weir/source && DEB_BUILD_OPTIONS="nocheck noautodbgsym" DEB_CFLAGS_STRIP=-g \
    DEB_CXXFLAGS_STRIP=-g DEB_CXXFLAGS_APPEND=-fpch-preprocess WEIR_CMAKE_FLAGS=-DWEIR_WERROR=ON dpkg-buildpackage --build=binary --no-sign'
  # A first upload to Debian's archive would close the request for the package; these packages are not for that archive.
  in_chroot "$builder" sh -c 'lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs /weir/*.changes'
  cp "$builder"/weir/*.deb "$packages/"
}

use() {  # use RELEASE: in a copy of the minimal system
  local root=$cache/$1/user
  rm -rf "$root"
  cp -a "$cache/$1/base" "$root"
  mkdir -p "$root/weir"
  cp -r "$cache/$1/packages" tests/install packaging/use_deb.sh "$root/weir/"
  in_chroot "$root" sh /weir/use_deb.sh
  rm -rf "$root"
}

for release in "$@"; do
  echo "=== $release: a minimal system, and one to build in"
  make_base "$release"
  make_builder "$release"
  echo "=== $release: building"
  build "$release"
  echo "=== $release: installing, using, purging"
  use "$release"
done
echo "deb-test: all passed: $*"
