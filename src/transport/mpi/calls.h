// SPDX-License-Identifier: Apache-2.0

// What Weir asks of an MPI, as a table of functions that a plugin has: plugin.c is compiled once for each MPI, and is
// all that includes <mpi.h>. So one Weir works with any MPI, and needs none to be built or to run on one host.
//
// Plain C types, the same for all MPIs. Functions return 0 or an error of MPI's (text_of_error). Whoever calls holds
// the link's mutex: one thread talks at a time. None waits, but for start and finish.
#ifndef WEIR_TRANSPORT_MPI_CALLS_H
#define WEIR_TRANSPORT_MPI_CALLS_H

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): plugins are in C

#ifdef __cplusplus
extern "C" {
#endif

// Raised when the table changes. A plugin of another version is refused.
#define WEIR_MPI_CALLS_VERSION 2

// An operation under way: what the MPI calls MPI_Request, which fits.
struct WeirMpiRequest {
  uint64_t bits;
};

struct WeirMpiStart {
  // In: called by MPI_Finalize() before it does anything, when the program calls that itself.
  void (*at_finalize)(void* context);
  void* context;
  // Out.
  int rank, ranks;
  int threads;        // 1 when any thread may call MPI (MPI_THREAD_MULTIPLE)
  char library[128];  // "Open MPI v4.1.4"
};

// How an operation stands.
struct WeirMpiOutcome {
  int done, from;
  uint64_t bytes;  // received
};

struct WeirMpiCalls {
  uint32_t version;
  const char* name;  // "Open MPI"

  // Collective, while MPI has not been finalised. Initialises it unless that is done, and makes a communicator of
  // Weir's own. What it has initialised is finalised when the process ends by exit(), if finish() has been called by
  // then.
  int (*start)(struct WeirMpiStart* start);
  // Collective, unless MPI has been finalised. start() may follow.
  int (*finish)(void);
  int (*is_finalised)(void);

  int (*send)(const void* from, uint64_t bytes, int to, int tag, struct WeirMpiRequest* request);
  int (*receive)(void* to, uint64_t bytes, int from, int tag, struct WeirMpiRequest* request);
  // A receive from any rank that can be started again and again; it is not started yet.
  int (*make_receive)(void* to, uint64_t bytes, int tag, struct WeirMpiRequest* request);
  int (*start_receive)(struct WeirMpiRequest* request);
  // Cancels a started receive and frees it.
  void (*end_receive)(struct WeirMpiRequest* request);
  int (*test)(struct WeirMpiRequest* request, struct WeirMpiOutcome* outcome);

  int (*barrier)(struct WeirMpiRequest* request);
  int (*all_gather)(const void* mine, uint64_t bytes, void* all, struct WeirMpiRequest* request);

  void (*text_of_error)(int error, char* text, int room);
  void (*abort)(int status);
};

// The plugin's one symbol.
const struct WeirMpiCalls* weir_mpi_calls(void);

#ifdef __cplusplus
}
#endif
#endif
