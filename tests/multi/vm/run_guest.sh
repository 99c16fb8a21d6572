#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run_guest.sh MACHINE PROGRAM [ARGUMENT...]: runs PROGRAM in a guest whose memory is laid out like MACHINE, prints what
# it printed, and exits with its status; 125 when the guest did not get so far.
#
# The guest is emulated (no KVM, no privileges): a distribution kernel, and an initramfs of busybox, the program and its
# shared libraries. Nothing is installed. Its CPU has no AVX-512, and all its memory is equally fast.
#
#   WEIR_VM_FILES    more files, each HOST_PATH=GUEST_PATH, with their shared libraries; PROGRAM may be a script of sh then
#   WEIR_VM_KERNEL   a kernel image (vmlinuz) to boot; default: Debian's cloud kernel, downloaded once
#   WEIR_VM_MODULES  its folder kernel/drivers, for MACHINE dax; default: the modules of the downloaded kernel
#   WEIR_VM_CACHE    where that is kept; default: ${XDG_CACHE_HOME:-~/.cache}/weir/vm
#   WEIR_VM_TIMEOUT  seconds; default 1200: for what waits for ever, on however busy a machine
set -euo pipefail
cache=${WEIR_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weir/vm}

die() { echo "run_guest.sh: $*" >&2; exit 125; }

[ $# -ge 2 ] || die "usage: run_guest.sh MACHINE PROGRAM [ARGUMENT...]"
machine=$1 program=$(realpath "$2")
shift 2
for tool in qemu-system-x86_64 busybox cpio; do
  command -v "$tool" > /dev/null || die "$tool is missing; install qemu-system-x86, busybox-static and cpio"
done

# --- the machine ---------------------------------------------------------------------------------------------------
qemu=() boot_words='' modules=() start=''
memory_node() {  # NODE MEGABYTES PLACE...: where PLACE is cpus=A-B or initiator=N
  qemu+=(-object "memory-backend-ram,id=ram$1,size=$2M" -numa "node,nodeid=$1,memdev=ram$1${3:+,$3}")
}
distance() { qemu+=(-numa "dist,src=$1,dst=$2,val=$3"); }
hmat() {  # FROM TO NANOSECONDS BANDWIDTH: what the firmware claims
  local path="initiator=$1,target=$2,hierarchy=memory"
  qemu+=(-numa "hmat-lb,$path,data-type=access-latency,latency=$3"
         -numa "hmat-lb,$path,data-type=access-bandwidth,bandwidth=$4")
}

numa2() {
  qemu=(-m 768M -machine q35 -smp "4,sockets=2,cores=2")
  memory_node 0 512 cpus=0-1
  memory_node 1 256 cpus=2-3
  distance 0 1 21
}

knl_quad_flat() {  # one cluster: ordinary memory, and HBM that has no cores of its own
  qemu=(-m 1024M -machine "q35,hmat=on" -smp "4,sockets=1,cores=4")
  memory_node 0 768 cpus=0-3
  memory_node 1 256 initiator=0
  distance 0 1 31
  hmat 0 0 130 20G
  hmat 0 1 155 90G
}

knl_snc4_flat() {  # four clusters, each with ordinary memory and with HBM that has no cores of its own
  local i j
  qemu=(-m 1792M -machine "q35,hmat=on" -smp "8,sockets=1,cores=8")
  memory_node 0 512 cpus=0-1
  for i in 1 2 3; do memory_node "$i" 256 "cpus=$((2 * i))-$((2 * i + 1))"; done
  for i in 0 1 2 3; do memory_node $((i + 4)) 128 "initiator=$i"; done
  for i in 0 1 2 3; do
    for j in 0 1 2 3; do
      if [ "$i" = "$j" ]; then
        distance "$i" $((j + 4)) 31
        hmat "$i" "$j" 130 20G
        hmat "$i" $((j + 4)) 155 90G
      else
        distance "$i" "$j" 21
        distance "$i" $((j + 4)) 41
        distance $((i + 4)) $((j + 4)) 41
        hmat "$i" "$j" 150 18G
        hmat "$i" $((j + 4)) 175 80G
      fi
    done
  done
}

dax() {  # one node, and 256 MiB that the kernel does not manage, as /dev/dax0.0
  qemu=(-m 1024M -machine q35 -smp 2)
  boot_words='memmap=256M!256M'
  modules=(nvdimm/libnvdimm nvdimm/nd_btt nvdimm/nd_pmem dax/device_dax dax/dax_pmem nvdimm/nd_e820)
  # What `ndctl create-namespace --mode devdax --map mem` does.
  start='cd /sys/bus/nd
    echo 00000000-0000-0000-0000-000000000001 > devices/dax0.0/uuid
    echo ram > devices/dax0.0/mode
    echo 2097152 > devices/dax0.0/align
    echo namespace0.0 > drivers/nd_pmem/unbind
    echo namespace0.0 > devices/dax0.0/namespace
    echo dax0.0 > drivers/dax_pmem/bind
    cd /'
}

case $machine in
  numa2) numa2 ;;
  dax) dax ;;
  knl-quad-flat) knl_quad_flat ;;
  knl-snc4-flat) knl_snc4_flat ;;
  *) die "unknown machine '$machine'; there are numa2, knl-quad-flat, knl-snc4-flat, dax" ;;
esac

# --- the kernel ----------------------------------------------------------------------------------------------------
fetch_kernel() {
  local package work
  package=$(apt-cache depends linux-image-cloud-amd64 2> /dev/null | awk '/Depends:/ {print $2; exit}')
  [ -n "$package" ] || die "no kernel: set WEIR_VM_KERNEL to a vmlinuz (apt knows no linux-image-cloud-amd64)"
  work=$(mktemp -d)
  (cd "$work" && apt-get -qq download "$package" > /dev/null 2>&1) || die "cannot download $package; set WEIR_VM_KERNEL"
  dpkg-deb --fsys-tarfile "$work"/*.deb |
    tar -xC "$work" --wildcards './boot/vmlinuz-*' './lib/modules/*/kernel/drivers/nvdimm' './lib/modules/*/kernel/drivers/dax'
  rm -rf "$cache"/{vmlinuz,drivers}
  mkdir -p "$cache"
  mv "$work"/lib/modules/*/kernel/drivers "$cache/drivers"
  mv "$work"/boot/vmlinuz-* "$cache/vmlinuz"
  rm -rf "$work"
}

kernel=${WEIR_VM_KERNEL:-$cache/vmlinuz} drivers=${WEIR_VM_MODULES:-$cache/drivers}
[ "${#modules[@]}" = 0 ] || [ -z "${WEIR_VM_KERNEL:-}" ] || [ -n "${WEIR_VM_MODULES:-}" ] ||
  die "machine $machine needs the modules of the kernel: set WEIR_VM_MODULES to its folder kernel/drivers"
if [ -z "${WEIR_VM_KERNEL:-}" ] && ! { [ -e "$kernel" ] && [ -d "$drivers" ]; }; then fetch_kernel; fi

# --- what it runs --------------------------------------------------------------------------------------------------
scratch=$(mktemp -d)
# shellcheck disable=SC2046  # one word for each guest
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$scratch"' EXIT
trap 'exit 143' INT TERM
root=$scratch/root
mkdir -p "$root"/{bin,proc,sys,dev,tmp,root}
cp "$(command -v busybox)" "$root/bin/busybox"
# take HOST_PATH GUEST_PATH: its shared libraries go where it looks for them, the loader included.
take() {
  mkdir -p "$root$(dirname "$2")"
  cp -L "$1" "$root$2"
  { ldd "$1" 2> /dev/null || true; } | { grep -o '/[^ ]*' || true; } | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
}
take "$program" /bin/program
mkdir -p "$root/modules"
for module in ${modules[@]+"${modules[@]}"}; do
  case $(echo "$drivers/$module".ko*) in
    *.ko) cp "$drivers/$module.ko" "$root/modules" ;;
    *.ko.xz) xz -dc "$drivers/$module.ko.xz" > "$root/modules/${module##*/}.ko" ;;
    *) die "there is no module $module in $drivers" ;;
  esac
done
for file in ${WEIR_VM_FILES:-}; do take "${file%%=*}" "${file#*=}"; done
arguments=$(printf ' %q' "$@")
cat > "$root/init" << END
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
for module in ${modules[*]+"${modules[*]##*/}"}; do insmod "/modules/\$module.ko"; done
$start
export HOME=/root GTEST_COLOR=no
echo guest-started
/bin/program$arguments
echo "guest-status \$?"
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) > "$scratch/initrd"

# Processor seconds that a process has used.
cpu_seconds() { awk -v hertz="$(getconf CLK_TCK)" '{ print int(($14 + $15) / hertz) }' "/proc/$1/stat" 2> /dev/null || echo 0; }

# TCG, since /dev/kvm may be there and hang under nested virtualisation. False: the guest's init never ran; rarely, an
# emulated kernel is stuck before that, which is told by the processor time it took, as this machine may be busy. For the same
# reason the kernel is not to test its timer against the processor's speed, and not to look for processors that stand still.
# Seconds are counted by sleeping, so that those in which this script was held up, too, are not.
boot() {
  : > "$scratch/log"
  qemu-system-x86_64 -accel tcg,thread=multi -cpu max "${qemu[@]}" \
    -nodefaults -display none -net none -no-reboot -serial "file:$scratch/log" \
    -kernel "$kernel" -initrd "$scratch/initrd" \
    -append "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off no_timer_check nowatchdog rcupdate.rcu_cpu_stall_suppress=1 $boot_words" \
    < /dev/null &
  local emulator=$! second started=1
  for ((second = 0; second < ${WEIR_VM_TIMEOUT:-1200}; ++second)); do
    sleep 1
    [ "$started" = 0 ] || ! grep -q '^guest-started' "$scratch/log" || started=0
    kill -0 "$emulator" 2> /dev/null || break
    [ "$started" = 0 ] || [ "$(cpu_seconds "$emulator")" -lt 120 ] || break
  done
  kill "$emulator" 2> /dev/null && echo "run_guest.sh: stopped after $second s" >&2
  wait "$emulator" || true
  return "$started"
}
boot || { echo "run_guest.sh: the guest did not start, and is started again" >&2 && boot; } || true

tr -d '\r' < "$scratch/log" | sed '/^guest-st\(arted\|atus\)/d; /reboot: Power down/d'
status=$(tr -d '\r' < "$scratch/log" | sed -n 's/^guest-status //p' | tail -1)
exit "${status:-125}"
