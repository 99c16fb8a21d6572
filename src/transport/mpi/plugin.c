// SPDX-License-Identifier: Apache-2.0

// The plugin: the table of calls.h by the MPI that this file is compiled for, in C, as that is what every MPI has:
//
//   mpicc -O2 -shared -fPIC -I src -o libweir-transport-mine.so src/transport/mpi/plugin.c
//
// makes one for an MPI that Weir was not built with; WEIR_MPI=/the/path/libweir-transport-mine.so takes it.
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/mpi/calls.h"

_Static_assert(sizeof(MPI_Request) <= sizeof(struct WeirMpiRequest), "a request fits");

static MPI_Comm weir_world = MPI_COMM_NULL;
static pid_t weir_initialiser;  // the process in which start() has initialised MPI
static int weir_has_finished;   // finish() came last, not start()
static int weir_watches;        // the end of MPI, for as long as it lasts
static void (*weir_at_finalize)(void*);
static void* weir_context;

static MPI_Request unpack(const struct WeirMpiRequest* packed) {
  MPI_Request request;
  memcpy(&request, packed, sizeof request);
  return request;
}

static int pack(int error, MPI_Request request, struct WeirMpiRequest* packed) {
  memcpy(packed, &request, sizeof request);
  return error;
}

// MPI_Finalize() begins by deleting the attributes of MPI_COMM_SELF.
static int finalize_begins(MPI_Comm comm, int key, void* context, void* unused) {
  (void)comm, (void)key, (void)context, (void)unused;
  if (weir_at_finalize != NULL) weir_at_finalize(weir_context);
  weir_at_finalize = NULL;
  return MPI_SUCCESS;
}

static int watch_finalize(struct WeirMpiStart* start) {
  int key = MPI_KEYVAL_INVALID;
  weir_at_finalize = start->at_finalize;
  weir_context = start->context;
  if (weir_watches) return MPI_SUCCESS;
  int error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_begins, &key, NULL);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  weir_watches = error == MPI_SUCCESS;
  return error;
}

static void name_library(struct WeirMpiStart* start) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) length = 0;
  text[length < MPI_MAX_LIBRARY_VERSION_STRING ? length : MPI_MAX_LIBRARY_VERSION_STRING - 1] = 0;
  text[strcspn(text, ",\n")] = 0;  // "Open MPI v4.1.4, package: ..."; "MPICH Version:\t4.0.2", and more lines
  char* const version = strstr(text, " Version:\t");
  if (version != NULL)
    memmove(version + 1, version + strlen(" Version:\t"), strlen(version + strlen(" Version:\t")) + 1);
  snprintf(start->library, sizeof start->library, "%.100s", text);
}

static int weir_is_finalised(void) {
  int finalised = 0;
  return MPI_Finalized(&finalised) == MPI_SUCCESS && finalised;
}

// MPICH before 4.2, over UCX, stands still in MPI_Finalize() when ranks come there at different times: the first ones
// wait in a barrier of the process manager, and do not answer the flush by which the others close their connections
// (github.com/pmodels/mpich/pull/6596). So its process manager alone is told, which else would kill the neighbours of a
// rank that has ended: a line on the socket PMI_FD, and its answer.
#if defined(MPICH_NUMVERSION)
#if MPICH_NUMVERSION < 40200000
#define WEIR_FINALIZE_PMI 1
#endif
#endif

#if defined(WEIR_FINALIZE_PMI)
static int weir_finalize(void) {
  static const char command[] = "cmd=finalize\n";
  const char* const number = getenv("PMI_FD");
  if (number == NULL) return MPI_Finalize();
  const int manager = atoi(number);
  if (write(manager, command, strlen(command)) != (ssize_t)strlen(command)) return MPI_ERR_OTHER;
  for (char letter = 0; letter != '\n';)
    if (read(manager, &letter, 1) != 1) return MPI_ERR_OTHER;
  return MPI_SUCCESS;
}
#else
static int weir_finalize(void) { return MPI_Finalize(); }
#endif

// MPI starts once in a process, and a program may start Weir again after it has ended it: so MPI ends with the process.
// Not one that has ended without leaving: finalising would wait for the others, and what started the job is to see it.
static void finalize_at_exit(void) {
  const int is_child = getpid() != weir_initialiser;  // by fork(): MPI is its parent's
  if (!is_child && weir_has_finished && !weir_is_finalised()) weir_finalize();
}

static int initialise(int* level) {
  const int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, level);
  if (error != MPI_SUCCESS) return error;
  weir_initialiser = getpid();
  return atexit(finalize_at_exit) == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int weir_start(struct WeirMpiStart* start) {
  int is_initialised = 0, level = MPI_THREAD_SINGLE;
  weir_has_finished = 0;
  int error = MPI_Initialized(&is_initialised);
  if (error == MPI_SUCCESS) error = is_initialised ? MPI_Query_thread(&level) : initialise(&level);
  if (error != MPI_SUCCESS) return error;
  start->threads = level == MPI_THREAD_MULTIPLE;
  error = MPI_Comm_dup(MPI_COMM_WORLD, &weir_world);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(weir_world, MPI_ERRORS_RETURN);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(weir_world, &start->rank);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(weir_world, &start->ranks);
  if (error == MPI_SUCCESS) error = watch_finalize(start);
  name_library(start);
  return error;
}

static int weir_finish(void) {
  weir_at_finalize = NULL;
  weir_has_finished = 1;
  if (weir_is_finalised() || weir_world == MPI_COMM_NULL) return MPI_SUCCESS;
  return MPI_Comm_free(&weir_world);
}

static int weir_send(const void* from, uint64_t bytes, int to, int tag, struct WeirMpiRequest* packed) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Isend(from, (int)bytes, MPI_BYTE, to, tag, weir_world, &request);
  return pack(error, request, packed);
}

static int weir_receive(void* to, uint64_t bytes, int from, int tag, struct WeirMpiRequest* packed) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Irecv(to, (int)bytes, MPI_BYTE, from, tag, weir_world, &request);
  return pack(error, request, packed);
}

static int weir_make_receive(void* to, uint64_t bytes, int tag, struct WeirMpiRequest* packed) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Recv_init(to, (int)bytes, MPI_BYTE, MPI_ANY_SOURCE, tag, weir_world, &request);
  return pack(error, request, packed);
}

static int weir_start_receive(struct WeirMpiRequest* packed) {
  MPI_Request request = unpack(packed);
  const int error = MPI_Start(&request);
  return pack(error, request, packed);
}

static void weir_end_receive(struct WeirMpiRequest* packed) {
  MPI_Request request = unpack(packed);
  if (MPI_Cancel(&request) == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static int weir_test(struct WeirMpiRequest* packed, struct WeirMpiOutcome* outcome) {
  MPI_Request request = unpack(packed);
  MPI_Status status;
  int count = 0;
  outcome->done = 0;
  outcome->from = -1;
  const int error = MPI_Test(&request, &outcome->done, &status);
  if (error == MPI_SUCCESS && outcome->done) {
    outcome->from = status.MPI_SOURCE;
    MPI_Get_count(&status, MPI_BYTE, &count);
    outcome->bytes = count == MPI_UNDEFINED ? 0 : (uint64_t)count;
  }
  return pack(error, request, packed);
}

static int weir_barrier(struct WeirMpiRequest* packed) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Ibarrier(weir_world, &request);
  return pack(error, request, packed);
}

static int weir_all_gather(const void* mine, uint64_t bytes, void* all, struct WeirMpiRequest* packed) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, weir_world, &request);
  return pack(error, request, packed);
}

static void weir_text_of_error(int error, char* text, int room) {
  char whole[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(error, whole, &length) != MPI_SUCCESS) snprintf(whole, sizeof whole, "error %d of MPI", error);
  snprintf(text, (size_t)room, "%s", whole);
}

static void weir_abort(int status) { MPI_Abort(weir_world == MPI_COMM_NULL ? MPI_COMM_WORLD : weir_world, status); }

static const struct WeirMpiCalls weir_table = {
    .version = WEIR_MPI_CALLS_VERSION,
#if defined(OPEN_MPI)
    .name = "Open MPI",
#elif defined(MPICH_VERSION)
    .name = "MPICH",
#else
    .name = "MPI",
#endif
    .start = weir_start,
    .finish = weir_finish,
    .is_finalised = weir_is_finalised,
    .send = weir_send,
    .receive = weir_receive,
    .make_receive = weir_make_receive,
    .start_receive = weir_start_receive,
    .end_receive = weir_end_receive,
    .test = weir_test,
    .barrier = weir_barrier,
    .all_gather = weir_all_gather,
    .text_of_error = weir_text_of_error,
    .abort = weir_abort,
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct WeirMpiCalls*
weir_mpi_calls(void) {
  return &weir_table;
}
