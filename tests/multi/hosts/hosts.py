#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program on several hosts that this machine plays: network namespaces, joined by a bridge.

hosts.py --mpi openmpi --hosts 2 --slots 2 PROGRAM ARGUMENT...   4 ranks, 2 on each host, by Open MPI's mpirun
hosts.py --starts-ranks weir run -n 4 --hosts HOSTS PROGRAM...   once, on the first host: it starts the ranks itself

Each host has a network, a host name and nothing else of its own: files and processes are this machine's; with --own and
--clocks a folder and a clock, too. Exits with the
program's status, 124 when it took too long, 77 when something that is needed is missing. Needs root and iproute2. What
it makes has its process number in its name, and is gone when it ends, however that is.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

MISSING = 77  # what ctest takes for "skipped" (SKIP_RETURN_CODE)
LAUNCHERS = {"openmpi": ("mpirun.openmpi", "openmpi-bin"), "mpich": ("mpiexec.hydra", "mpich")}

# Runs a command on a host, as mpirun's remote shell: OPTION... ADDRESS COMMAND. The host knows the names of all, and asks
# no server for others.
ENTER = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=${{1##*.}}
shift
exec ip netns exec {prefix}$host unshare --uts {clock} sh -c "
  {mount}
  echo {prefix}$host > /proc/sys/kernel/hostname
  mount --bind {folder}/names /etc/hosts
  mount --bind /dev/null /etc/resolv.conf
  $*"
"""


def run(*command):
    subprocess.run(command, check=True)


def kill_all_in(namespaces):
    for namespace in namespaces:
        listed = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True, check=False)
        for process in map(int, listed.stdout.split()):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


def remove(namespaces):
    kill_all_in(namespaces)
    for namespace in namespaces:
        subprocess.run(["ip", "netns", "delete", namespace], check=False, stderr=subprocess.DEVNULL)


def remove_when_killed(namespaces):
    """A process that outlives this one, however that ends, and then removes what it has left: a killed test's ranks wait for ever."""
    alive, ends_with_us = os.pipe()
    if os.fork() != 0:
        os.close(alive)
        return
    os.setsid()
    os.close(ends_with_us)
    for number in (0, 1, 2):
        os.close(number)
        os.open(os.devnull, os.O_RDWR)
    os.read(alive, 1)
    remove(namespaces)
    os._exit(0)


class Hosts:
    """make() makes the namespaces, close() removes those that there are, and so does the death of this process at any time."""

    def __init__(self, count):
        self.prefix = f"weir-{os.getpid()}-"
        self.count = count
        self.namespaces = [f"{self.prefix}{name}" for name in ("net", *range(1, count + 1))]
        remove_when_killed(self.namespaces)

    def make(self):
        net = self._namespace("net")
        run("ip", "-n", net, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", net, "link", "set", "bridge", "up")
        for host in range(1, self.count + 1):
            self._add_host(net, host)

    def _namespace(self, name):
        namespace = f"{self.prefix}{name}"
        run("ip", "netns", "add", namespace)
        run("ip", "-n", namespace, "link", "set", "lo", "up")
        return namespace

    def _add_host(self, net, host):
        namespace = self._namespace(host)
        run("ip", "-n", net, "link", "add", f"host{host}", "type", "veth", "peer", "name", "eth0", "netns", namespace)
        run("ip", "-n", net, "link", "set", f"host{host}", "master", "bridge", "up")
        run("ip", "-n", namespace, "address", "add", f"{address(host)}/24", "dev", "eth0")
        run("ip", "-n", namespace, "link", "set", "eth0", "up")
        # Without a way to anywhere, Open MPI's processes do not find the one that has started them.
        run("ip", "-n", namespace, "route", "add", "default", "dev", "eth0")

    def close(self):
        remove(self.namespaces)


def address(host):
    return f"10.99.0.{host}"


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def host_file(options, folder):
    file = os.path.join(folder, "hosts")
    form = "{} slots={}\n" if options.mpi == "openmpi" else "{}:{}\n"
    write(file, "".join(form.format(address(host), options.slots) for host in range(1, options.hosts + 1)))
    return file


def launcher(options, folder, enter):
    hostfile = host_file(options, folder)
    ranks = str(options.ranks or options.hosts * options.slots)
    if options.mpi == "openmpi":
        return ["mpirun.openmpi", "--mca", "plm_rsh_agent", enter, "--mca", "btl_tcp_if_include", "eth0", "--mca",
                "oob_tcp_if_include", "eth0", "--hostfile", hostfile, "--bind-to", "none", "-n", ranks]
    # UCX would see through it all and take the memory that the hosts share.
    return ["env", "UCX_TLS=tcp,self", "UCX_NET_DEVICES=eth0", "mpiexec.hydra", "-launcher", "ssh", "-launcher-exec",
            enter, "-f", hostfile, "-n", ranks]


def for_starters_of_ranks(options, enter):
    """As launcher(), for a program that starts an mpirun."""
    if options.mpi == "openmpi":
        return {"WEIR_MPIRUN": "mpirun.openmpi", "OMPI_MCA_plm_rsh_agent": enter, "OMPI_MCA_btl_tcp_if_include": "eth0",
                "OMPI_MCA_oob_tcp_if_include": "eth0", "OMPI_MCA_hwloc_base_binding_policy": "none"}
    return {"WEIR_MPIRUN": "mpiexec.hydra", "HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": enter, "UCX_TLS": "tcp,self",
            "UCX_NET_DEVICES": "eth0"}


def enter_script(options, prefix, folder):
    mount = clock = ""
    if options.own is not None:
        for host in range(1, options.hosts + 1):
            os.mkdir(os.path.join(folder, f"own-{host}"))
        mount = f"mount --bind {folder}/own-$host {options.own}"
    if options.clocks:
        clock = "--fork --kill-child --time --monotonic ${host}000"
    return ENTER.format(prefix=prefix, folder=folder, mount=mount, clock=clock)


def missing(options):
    program, package = LAUNCHERS[options.mpi]
    if os.geteuid() != 0:
        return "this is not root: namespaces need it"
    if shutil.which("ip") is None:
        return "ip is missing: install iproute2"
    if shutil.which(program) is None:
        return f"{program} is missing: install {package}"
    return None


def run_on(hosts, options):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory() as folder:
        enter = os.path.join(folder, "enter")
        write(enter, enter_script(options, hosts.prefix, folder), 0o755)
        names = [f"{address(host)} {hosts.prefix}{host}\n" for host in range(1, options.hosts + 1)]
        write(os.path.join(folder, "names"), "".join(["127.0.0.1 localhost\n"] + names))
        # The launcher runs on the first host, as its ranks do.
        command = [enter, address(1), shlex.join(launcher(options, folder, enter) + options.program)]
        if options.starts_ranks:
            file = host_file(options, folder)
            command[2:] = [shlex.join(file if word == "HOSTS" else word for word in options.program)]
            environment.update(for_starters_of_ranks(options, enter))
        with subprocess.Popen(command, env=environment, start_new_session=True) as process:
            try:
                return process.wait(timeout=options.timeout)
            except subprocess.TimeoutExpired:
                print(f"hosts.py: not done in {options.timeout} s: {' '.join(options.program)}", file=sys.stderr)
                return 124
            finally:
                kill_all_in(hosts.namespaces)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", choices=LAUNCHERS, default="openmpi")
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--slots", type=int, default=1, help="ranks of a host")
    parser.add_argument("--ranks", type=int, help="less than hosts times slots")
    parser.add_argument("--starts-ranks", action="store_true", help="run PROGRAM once; it starts the ranks; HOSTS: a file of hosts")
    parser.add_argument("--own", help="a folder, of which each host has one of its own")
    parser.add_argument("--clocks", action="store_true", help="the monotonic clocks of hosts are 1000 s apart")
    parser.add_argument("--timeout", type=float, default=120, help="seconds")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    reason = missing(options)
    if reason is not None:
        print(f"hosts.py: SKIPPED, nothing was run: {reason}", file=sys.stderr)
        return MISSING
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    hosts = Hosts(options.hosts)
    try:
        hosts.make()
        return run_on(hosts, options)
    finally:
        hosts.close()


if __name__ == "__main__":
    sys.exit(main())
