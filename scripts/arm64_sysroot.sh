#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes a folder with Debian's arm64 libraries, for the cross-compiler and qemu: arm64_sysroot.sh DIR
#
# They are the libraries of the groups build and test of packages.txt, of this system's own release, from the mirror that
# apt uses. The packages are unpacked and not installed, so that this needs no arm64 machine and leaves the system's own
# packages alone. A folder of the same packages is left as it is.
set -eu
here=$(dirname "$0")
sysroot=${1:?usage: arm64_sysroot.sh DIR}

packages=$(awk '($1 == "build" || $1 == "test") && $2 ~ /^(lib|zlib|nlohmann)/ { print $2 }' "$here/packages.txt" | tr '\n' ',')
# shellcheck disable=SC2016  # apt-get expands them
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian')
[ -n "$sources" ] || { echo "weir: apt has no source of Debian packages: run apt-get update" >&2; exit 1; }
wanted="$packages
$sources"
[ "$(cat "$sysroot/.weir" 2>/dev/null)" = "$wanted" ] && exit 0

echo "Unpacking Debian's arm64 libraries in $sysroot"
rm -rf "$sysroot"
mkdir -p "$(dirname "$sysroot")"
echo "$sources" | mmdebstrap --quiet --variant=extract --architectures=arm64 \
  --include="libc6-dev,libstdc++6,libgomp1,$packages" "" "$sysroot" -

# Links from the root would leave the folder.
find "$sysroot" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$sysroot$(readlink "$link")" "$link"
done
# What the packages' scripts would have chosen among alternatives.
libraries=$sysroot/usr/lib/aarch64-linux-gnu
for file in "$libraries"/openblas-pthread/*.so* "$libraries"/openblas-pthread/pkgconfig/*.pc; do
  name=${file#"$libraries"/openblas-pthread/}
  ln -sfr "$file" "$libraries/$name"
done
echo "$wanted" >"$sysroot/.weir"
