#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs a build into a folder of its own, and moves it: nothing in it may know where it was put.
#
# stage.sh BUILD_DIR STAGE_DIR
set -eu
build=$1 stage=$2

rm -rf "$stage" "$stage.first"
DESTDIR='' cmake --install "$build" --prefix "$stage.first" >"$stage.log"
mv "$stage.first" "$stage"
