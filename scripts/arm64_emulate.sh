#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command during which programs for arm64 start like this processor's own, under qemu and with the libraries of
# SYSROOT: arm64_emulate.sh SYSROOT COMMAND...
#
# The kernel is told once that qemu is what starts them, for tests that start programs themselves; that needs root.
set -eu
sysroot=$(realpath "${1:?usage: arm64_emulate.sh SYSROOT COMMAND...}")
shift
formats=/proc/sys/fs/binfmt_misc
if [ ! -e $formats/qemu-aarch64 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "weir: the kernel does not start programs for arm64, and only root may tell it how: install qemu-user-static and" \
      "binfmt-support, or run this as root" >&2
    exit 1
  fi
  [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats
  cat /usr/lib/binfmt.d/qemu-aarch64.conf >$formats/register
fi
export QEMU_LD_PREFIX="$sysroot"
exec "$@"
