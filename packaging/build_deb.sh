#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian packages of the tracked files of this checkout, for this system: build_deb.sh OUT_DIR
#
# OUT_DIR/source is a copy with the folder debian in its place, so that nothing of the checkout is touched. The packages of
# a system are built in that system; packages of another release are made by deb_test.sh.
set -eu
out=${1:?usage: build_deb.sh OUT_DIR}
root=$(dirname "$0")/..
rm -rf "$out"
mkdir -p "$out/source"
"$root/packaging/copy_sources.sh" "$root" "$out/source"
cd "$out/source"
dpkg-buildpackage --build=binary --no-sign
rm -rf "../source"
echo "Built:"
ls ../*.deb
