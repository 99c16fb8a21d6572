// SPDX-License-Identifier: Apache-2.0

// What MPI's own one-sided operations take between the first rank and the last one: lines "NAME VALUE", as
// link_bench's. The last rank waits in a barrier meanwhile. 8 bytes: microseconds for one; 1 MiB: MB/s of kWindow of
// them at a time.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLarge = 1 << 20, kWindow = 16, kWarm = 50, kSmallTimes = 500, kLargeTimes = 8 };

typedef void (*Operation)(char* local, int rank, int bytes, MPI_Win window, int index);

static void put(char* local, int rank, int bytes, MPI_Win window, int index) {
  MPI_Put(local, bytes, MPI_BYTE, rank, (MPI_Aint)index * bytes, bytes, MPI_BYTE, window);
}
static void get(char* local, int rank, int bytes, MPI_Win window, int index) {
  MPI_Get(local + (size_t)index * bytes, bytes, MPI_BYTE, rank, (MPI_Aint)index * bytes, bytes, MPI_BYTE, window);
}

static double seconds(Operation operation, char* local, int rank, int bytes, int many, int times, MPI_Win window) {
  const double begin = MPI_Wtime();
  for (int time = 0; time < times; ++time) {
    for (int i = 0; i < many; ++i) operation(local, rank, bytes, window, i);
    MPI_Win_flush(rank, window);
  }
  return (MPI_Wtime() - begin) / times;
}

static void measure(const char* name, Operation operation, char* local, int rank, MPI_Win window) {
  seconds(operation, local, rank, 8, 1, kWarm, window);
  printf("%s_8 %.3f\n", name, 1e6 * seconds(operation, local, rank, 8, 1, kSmallTimes, window));
  seconds(operation, local, rank, kLarge, kWindow, 2, window);
  printf("%s_1M %.1f\n", name,
         kWindow * kLarge / 1e6 / seconds(operation, local, rank, kLarge, kWindow, kLargeTimes, window));
}

// A message and its answer: what a put takes where MPI has no windows between hosts.
static void ping(const char* name, char* local, int rank, int other, int bytes, int many, int times) {
  MPI_Request requests[kWindow];
  MPI_Status statuses[kWindow];
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int time = -2; time < times; ++time) {
    if (time == 0) begin = MPI_Wtime();
    for (int i = 0; i < many; ++i) {
      char* const at = local + (size_t)i * bytes;
      if (rank == 0) MPI_Isend(at, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[i]);
      if (rank == other) MPI_Irecv(at, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
    }
    if (rank != 0 && rank != other) continue;
    MPI_Waitall(many, requests, statuses);
    if (rank == 0) MPI_Recv(local, 1, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == other) MPI_Send(local, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
  const double took = (MPI_Wtime() - begin) / times;
  if (rank == 0) printf("%s %.3f\n", name, many == 1 ? 1e6 * took : 1e-6 * many * bytes / took);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* const local = malloc((size_t)kWindow * kLarge);
  char* const shared = malloc((size_t)kWindow * kLarge);
  memset(local, 1, (size_t)kWindow * kLarge);
  memset(shared, 1, (size_t)kWindow * kLarge);
  ping("message_8", local, rank, ranks - 1, 8, 1, kSmallTimes);
  ping("message_1M", local, rank, ranks - 1, kLarge, kWindow, kLargeTimes);
  fflush(stdout);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Win window;
  if (MPI_Win_create(shared, (MPI_Aint)kWindow * kLarge, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window) == MPI_SUCCESS) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (rank == 0) measure("put", put, local, ranks - 1, window);
    if (rank == 0) measure("get", get, local, ranks - 1, window);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
