#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Copies the tracked files of a checkout, as they are now, to where a Debian package is built: copy_sources.sh ROOT TO
set -eu
root=$1 to=$2
git -C "$root" ls-files -z | tar -C "$root" -c --ignore-failed-read --null -T - | tar -C "$to" -x
mv "$to/packaging/debian" "$to/debian"
