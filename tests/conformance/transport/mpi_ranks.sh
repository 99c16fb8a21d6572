#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# mpi_ranks.sh openmpi|mpich N PROGRAM ARGUMENT...: N ranks on this host, by that MPI's own launcher. 77 when it is missing.
mpi=$1 ranks=$2
shift 2
case $mpi in
  openmpi) launcher=mpirun.openmpi package=openmpi-bin ;;
  mpich) launcher=mpiexec.hydra package=mpich ;;
  *) echo "mpi_ranks.sh: openmpi or mpich is meant: $mpi" >&2; exit 2 ;;
esac
command -v $launcher >/dev/null || {
  echo "mpi_ranks.sh: SKIPPED, nothing was run: $launcher is missing; install $package" >&2
  exit 77
}
# Neither ends of SIGTERM, whatever its ranks do.
if [ "$mpi" = openmpi ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  exec timeout -k 5 200 mpirun.openmpi --oversubscribe --bind-to none -n "$ranks" "$@"
fi
exec timeout -s KILL 200 mpiexec.hydra -bind-to none -n "$ranks" "$@"
