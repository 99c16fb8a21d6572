// SPDX-License-Identifier: Apache-2.0

#include "pages.hpp"

namespace weir::manual {

namespace {

const Page kSetup[] = {
    {"shmem_init",
     "start and end of an OpenSHMEM program",
     {"shmem_init", "shmem_init_thread", "shmem_query_thread", "shmem_query_initialized", "shmem_finalize",
      "shmem_global_exit", "start_pes", "globalexit"},
     "shmem_init() starts the library: it finds the other PEs, makes the symmetric heap and the variables with static "
     "storage symmetric, and returns when all PEs have called it. It may be called again; each call is matched by a "
     "shmem_finalize(), of which the last one completes what was issued, waits for all PEs and ends the library. "
     "A program that returns from main() without it is finalized then.\n\n"
     "shmem_init_thread() says which threads of a PE may call routines: only one that there is "
     "(SHMEM_THREAD_SINGLE), the one that has called it (FUNNELED), one at a time (SERIALIZED) or all "
     "(MULTIPLE). *provided is what is given: at least what was asked for, and in a later call, while the library is "
     "started, the "
     "level of the first.\n\n"
     "shmem_global_exit() ends all PEs with that exit status, whatever they wait for; with 1 for one of which the "
     "eight bits that the system keeps are 0, as 256. Those that wait in the library and the one that calls write what "
     "their "
     "streams hold; functions of atexit() are not called. start_pes() is "
     "shmem_init() under its first name, and its argument is not used.",
     "shmem_init_thread() returns 0, or another value when `requested` is no such level.",
     {"shmem_my_pe"}},
    {"shmem_my_pe",
     "the number of this PE, and how many there are",
     {"shmem_my_pe", "shmem_n_pes", "_my_pe", "_num_pes"},
     "PEs are numbered from 0. The names with an underscore are those of OpenSHMEM 1.0.",
     "The number of the calling PE; the number of PEs.",
     {"shmem_team_my_pe"}},
    {"shmem_ptr",
     "what another PE's memory is, and whether it can be reached",
     {"shmem_ptr", "shmem_team_ptr", "shmem_pe_accessible", "shmem_addr_accessible"},
     "shmem_ptr() gives an address at which the PE's object `dest` can be loaded and stored: for all PEs of the same "
     "host, which are those of SHMEM_TEAM_SHARED. In shmem_team_ptr(), `pe` is a number in the team. Stores are "
     "ordered "
     "by shmem_fence() and shmem_quiet() as puts are.",
     "NULL when the PE is on another host, is none, or `dest` is not symmetric, or constant. The accessible functions "
     "return 1 or "
     "0.",
     {"shmem_malloc", "shmem_put"}},
    {"shmem_info_get_version",
     "what library this is; control of a profiler",
     {"shmem_info_get_version", "shmem_info_get_name", "shmem_pcontrol"},
     "The version of the specification (SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION) and the name of the library "
     "(SHMEM_VENDOR_STRING, in at most SHMEM_MAX_NAME_LEN characters with the 0 at its end). shmem_pcontrol() does "
     "nothing but for a profiler that defines it.",
     "",
     {"weir-shmem"}},
    {"shmem_malloc",
     "memory of the symmetric heap",
     {"shmem_malloc", "shmem_calloc", "shmem_align", "shmem_realloc", "shmem_malloc_with_hints", "shmem_free",
      "shmalloc", "shmemalign", "shrealloc", "shfree"},
     "Called by all PEs, with the same arguments: the memory lies at the same offset on each. An allocation ends, and "
     "a "
     "release begins, with a barrier; that of 0 bytes is NULL without one. shmem_calloc() clears the memory. The "
     "alignment of shmem_align() is any power of two that the heap has room for; that of the "
     "others is 64. shmem_realloc() leaves a block of 4 KiB or more where it is when what "
     "follows is free. shrealloc() of a block that "
     "was freed is NULL.\n\n"
     "Hints are SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE, and SHMEMX_MALLOC_PARTITION(n) of shmemx.h, "
     "for a partition in a tier of memory. The size of the heap is SHMEM_SYMMETRIC_SIZE.",
     "NULL on all PEs alike when there is no room, no such partition, or an alignment that there is not.",
     {"weir-shmem"}},
};

const Page kMemoryAccess[] = {
    {"shmem_put",
     "copy to another PE's memory",
     {"_put"},
     "Copies `nelems` elements from `source`, any memory, to `dest`, which is symmetric, on PE `pe`. When it returns, "
     "the "
     "source can be used again; the data is there after a barrier or shmem_quiet(). shmem_putmem() counts bytes.",
     "",
     {"shmem_get", "shmem_put_nbi", "shmem_quiet"}},
    {"shmem_get",
     "copy from another PE's memory",
     {"_get"},
     "Copies `nelems` elements from `source`, which is symmetric, on PE `pe` to `dest`, any memory. The data is there "
     "when "
     "it returns. shmem_getmem() counts bytes. Constant variables with static storage can be a source: they are the "
     "same on all PEs, and this PE's own are read.",
     "",
     {"shmem_put", "shmem_get_nbi"}},
    {"shmem_put_nbi",
     "copy to another PE's memory without waiting",
     {"_put_nbi"},
     "As shmem_put(), but the source is to be left alone until shmem_quiet() of the context has returned.",
     "",
     {"shmem_put", "shmem_quiet"}},
    {"shmem_get_nbi",
     "copy from another PE's memory without waiting",
     {"_get_nbi"},
     "As shmem_get(), but the data is there after shmem_quiet() of the context.",
     "",
     {"shmem_get", "shmem_quiet"}},
    {"shmem_p",
     "put and get one value",
     {"_p", "_g"},
     "shmem_p() puts a value into `dest` on PE `pe`, shmem_g() returns that of `source` there. Values of 32 and 64 "
     "bits "
     "that are aligned are written and read whole.",
     "shmem_g() returns the value.",
     {"shmem_put", "shmem_wait_until"}},
    {"shmem_iput",
     "copy elements at equal distances",
     {"_iput", "_iget"},
     "Of `nelems` elements, each `dst` elements after the one before it in `dest`, and `sst` in `source`: at least 1.",
     "",
     {"shmem_ibput", "shmem_put"}},
    {"shmem_ibput",
     "copy blocks at equal distances",
     {"_ibput", "_ibget"},
     "Of `nblocks` blocks of `bsize` elements each, whose beginnings are `dst` elements apart in `dest` and `sst` in "
     "`source`: at least `bsize`.",
     "",
     {"shmem_iput"}},
    {"shmem_put_signal",
     "copy to another PE, with a signal behind the data",
     {"_put_signal", "_put_signal_nbi", "shmem_signal_add", "shmem_ctx_signal_add", "shmem_signal_set",
      "shmem_ctx_signal_set", "shmem_signal_fetch", "shmem_signal_wait_until"},
     "Puts, then sets the symmetric word `sig_addr` on that PE (SHMEM_SIGNAL_SET) or adds to it (SHMEM_SIGNAL_ADD). "
     "Who sees "
     "the signal there sees the data; nothing else is ordered. The source of shmem_put_signal_nbi() is to be left "
     "alone "
     "until shmem_quiet(). shmem_signal_set() and shmem_signal_add() send a signal alone; shmem_signal_fetch() and "
     "shmem_signal_wait_until() look at this PE's own word.",
     "shmem_signal_wait_until() returns the value that satisfied the comparison.",
     {"shmem_wait_until"}},
    {"shmem_atomic_fetch",
     "read, write and exchange a word atomically",
     {"_atomic_fetch", "_atomic_set", "_atomic_swap", "_fetch", "_set", "_swap"},
     "On the symmetric word of PE `pe`. Atomics of one type on one word are atomic to one another, from any PE, by any "
     "way; "
     "not to plain puts. The names without `atomic` are deprecated.",
     "The value that the word had before.",
     {"shmem_atomic_add", "shmem_atomic_nbi"}},
    {"shmem_atomic_add",
     "add to a word atomically",
     {"_atomic_add", "_atomic_inc", "_atomic_fetch_add", "_atomic_fetch_inc", "_add", "_inc", "_fadd", "_finc"},
     "Adds `value`, or 1. Without a result, it is done after shmem_quiet().",
     "Those with fetch return the value before.",
     {"shmem_atomic_fetch", "shmem_atomic_nbi"}},
    {"shmem_atomic_compare_swap",
     "exchange a word if it has a value",
     {"_atomic_compare_swap", "_cswap"},
     "Stores `value` if the word is `cond`.",
     "The value before: `cond` when it was stored.",
     {"shmem_atomic_fetch"}},
    {"shmem_atomic_and",
     "change bits of a word atomically",
     {"_atomic_and", "_atomic_or", "_atomic_xor", "_atomic_fetch_and", "_atomic_fetch_or", "_atomic_fetch_xor"},
     "Without a result, it is done after shmem_quiet().",
     "Those with fetch return the value before.",
     {"shmem_atomic_add", "shmem_atomic_nbi"}},
    {"shmem_atomic_nbi",
     "atomics whose result comes later",
     {"_atomic_fetch_nbi", "_atomic_swap_nbi", "_atomic_compare_swap_nbi", "_atomic_fetch_inc_nbi",
      "_atomic_fetch_add_nbi", "_atomic_fetch_and_nbi", "_atomic_fetch_or_nbi", "_atomic_fetch_xor_nbi"},
     "*fetch has the value before after shmem_quiet() of the context.",
     "",
     {"shmem_atomic_fetch", "shmem_quiet"}},
};

const Page kOrder[] = {
    {"shmem_wait_until",
     "wait for a word, or look at it",
     {"_wait_until", "_test", "_wait", "shmem_wait_until", "shmem_wait"},
     "Until the word `ivar` of this PE compares with the value as `cmp` says: SHMEM_CMP_EQ, NE, GT, GE, LT or LE. What "
     "was "
     "put before the word (with a fence between) is seen then. shmem_wait() waits until the word is not `cmp_value`; "
     "it is "
     "deprecated. A wait spins, then yields the processor, then sleeps; when a PE is lost, the program ends. A loop "
     "that "
     "calls shmem_test() yields the processor, too, where there are more PEs than processors.",
     "shmem_test() returns 1 when it compares so, else 0.",
     {"shmem_wait_until_all", "shmem_put_signal"}},
    {"shmem_wait_until_all",
     "wait for several words, or look at them",
     {"_wait_until_all", "_wait_until_any", "_wait_until_some", "_test_all", "_test_any", "_test_some",
      "_wait_until_all_vector", "_wait_until_any_vector", "_wait_until_some_vector", "_test_all_vector",
      "_test_any_vector", "_test_some_vector"},
     "Of the words whose `status` is 0 (all, when `status` is NULL). The vector forms compare each word with a value "
     "of its "
     "own. With no word to look at, a wait returns at once, test_all is 1, and some 0.",
     "any: the index of a word that compares so, SIZE_MAX when there is none. some: how many do, their indices in "
     "`indices`. test_all: 1 or 0.",
     {"shmem_wait_until"}},
    {"shmem_quiet",
     "order and complete what was issued",
     {"shmem_fence", "shmem_ctx_fence", "shmem_quiet", "shmem_ctx_quiet", "shmem_pe_quiet", "shmem_ctx_pe_quiet"},
     "shmem_fence(): what was put, stored or changed by atomics at a PE before is seen there before what comes after. "
     "shmem_quiet(): all of it is done and seen by every PE; shmem_pe_quiet(): what went to these PEs. Of the default "
     "context, or the one given; with SHMEM_CTX_INVALID they do nothing.",
     "",
     {"shmem_put", "shmem_barrier_all"}},
    {"shmem_set_lock",
     "locks of the program",
     {"shmem_set_lock", "shmem_clear_lock", "shmem_test_lock"},
     "A lock is a symmetric long, 0 at first. shmem_clear_lock() completes what was issued before it. PEs get a lock "
     "in the "
     "order in which they have come. In Fortran a lock is an INTEGER of four bytes.",
     "shmem_test_lock() returns 0 when it has got the lock, and never waits.",
     {"shmem_atomic_compare_swap"}},
    {"shmem_udcflush",
     "control of caches, as old machines had it",
     {"shmem_set_cache_inv", "shmem_set_cache_line_inv", "shmem_clear_cache_inv", "shmem_clear_cache_line_inv",
      "shmem_udcflush", "shmem_udcflush_line"},
     "Deprecated: caches are coherent, and these do nothing.",
     "",
     {"shmem_quiet"}},
};

const Page kTogether[] = {
    {"shmem_barrier_all",
     "wait until all PEs have come",
     {"shmem_barrier_all", "shmem_sync_all", "shmem_team_sync", "shmem_barrier", "shmem_sync"},
     "shmem_barrier_all() completes what was issued on the default context, too; shmem_sync_all() and "
     "shmem_team_sync() do "
     "not. shmem_sync(team) is shmem_team_sync() in C11 and C++. Those of an active set (PE_start, steps of "
     "2^logPE_stride, PE_size) are deprecated.",
     "shmem_team_sync() returns 0, or another value for SHMEM_TEAM_INVALID; the others return nothing.",
     {"shmem_quiet"}},
    {"shmem_broadcast",
     "the same data on all PEs",
     {"_broadcast", "shmem_broadcastmem"},
     "From `source` on PE_root, a number in the team, to `dest` on every PE of it. `dest` is `source`, or they do not "
     "overlap. With an "
     "active set, deprecated, the "
     "root's own `dest` is left alone.",
     "0, or another value for SHMEM_TEAM_INVALID.",
     {"shmem_collect"}},
    {"shmem_collect",
     "the data of all PEs in a row",
     {"_collect", "_fcollect", "shmem_collectmem", "shmem_fcollectmem"},
     "The sources of all PEs, in their order, in every `dest`. For shmem_fcollect() `nelems` is the same on all; for "
     "shmem_collect() it may differ, and be 0.",
     "0, or another value for SHMEM_TEAM_INVALID.",
     {"shmem_broadcast", "shmem_alltoall"}},
    {"shmem_alltoall",
     "each PE's data for each other",
     {"_alltoall", "_alltoalls", "shmem_alltoallmem", "shmem_alltoallsmem"},
     "Block j of `nelems` elements of `source` goes to PE j, where it is block i for PE i's. In shmem_alltoalls(), "
     "elements "
     "are `dst` and `sst` elements apart.",
     "0, or another value for SHMEM_TEAM_INVALID.",
     {"shmem_collect"}},
    {"shmem_reduce",
     "sums, products, least, greatest and bits of all PEs",
     {"_and_reduce", "_or_reduce", "_xor_reduce", "_max_reduce", "_min_reduce", "_sum_reduce", "_prod_reduce",
      "_and_to_all", "_or_to_all", "_xor_to_all", "_max_to_all", "_min_to_all", "_sum_to_all", "_prod_to_all"},
     "Element by element, the result in every `dest`. `dest` is `source`, or they do not overlap. Floating-point "
     "numbers are "
     "put together in the order of the PEs: the result is the same on all, and in every run with the same PEs on the "
     "same "
     "hosts. Those of active sets are deprecated; pSync tells sets apart, and neither it nor pWrk is written.",
     "0, or another value for SHMEM_TEAM_INVALID.",
     {"shmem_sum_scan"}},
    {"shmem_sum_scan",
     "sums of the PEs before",
     {"_sum_inscan", "_sum_exscan"},
     "Element by element: the sum of the sources of all PEs of the team up to this one, with it (inscan) or without "
     "(exscan: 0 on the first). `dest` is `source`, or they do not overlap.",
     "0, or another value for SHMEM_TEAM_INVALID.",
     {"shmem_reduce"}},
    {"shmem_team_split",
     "make and end teams",
     {"shmem_team_split_strided", "shmem_team_split_2d", "shmem_team_destroy", "shmem_team_get_config"},
     "Called by all PEs of the parent. shmem_team_split_strided(): PEs start, start + stride, ... of the parent, "
     "`size` of "
     "them; the stride may be negative. shmem_team_split_2d(): rows of `xrange` PEs and columns. A PE that is not in a "
     "new team gets SHMEM_TEAM_INVALID. In `config`, num_contexts counts when the mask has SHMEM_TEAM_NUM_CONTEXTS. "
     "Destroying a team ends its contexts. A PE can be in 1,022 teams and active sets.",
     "0, or on all PEs another value and SHMEM_TEAM_INVALID: PEs that the parent has not, or no parent.",
     {"shmem_team_my_pe", "shmem_ctx_create"}},
    {"shmem_team_my_pe",
     "numbers of PEs in teams",
     {"shmem_team_my_pe", "shmem_team_n_pes", "shmem_team_translate_pe"},
     "SHMEM_TEAM_WORLD has all PEs, SHMEM_TEAM_SHARED those of this host.",
     "The number; -1 for no team, and for a PE that is not in `dest_team`.",
     {"shmem_team_split"}},
    {"shmem_ctx_create",
     "contexts: operations that are completed by themselves",
     {"shmem_ctx_create", "shmem_team_create_ctx", "shmem_ctx_destroy", "shmem_ctx_get_team", "shmem_ctx_session_start",
      "shmem_ctx_session_stop"},
     "Routines with a context are ordered and completed by its own fence and quiet. In a context of a team, PEs have "
     "the "
     "team's numbers. Options: SHMEM_CTX_SERIALIZED (its threads take turns), SHMEM_CTX_PRIVATE (only the thread that "
     "has "
     "made it uses it), SHMEM_CTX_NOSTORE. Destroying a context completes it. \n\n"
     "A session is a hint, and changes nothing that a program sees. Its option is SHMEM_CTX_SESSION_BATCH: operations "
     "may "
     "be sent together. total_ops of shmem_ctx_session_config_t, how many there will be, counts when the mask has "
     "SHMEM_CTX_SESSION_TOTAL_OPS. With SHMEM_CTX_INVALID a session and shmem_ctx_destroy() do nothing, and "
     "shmem_ctx_get_team() gives SHMEM_TEAM_INVALID.",
     "0, or another value when there can be no such context; of shmem_ctx_get_team(), for SHMEM_CTX_INVALID.",
     {"shmem_quiet", "shmem_team_split"}},
};

}  // namespace

std::span<const Page> all_pages() {
  static const std::vector<Page> pages = [] {
    std::vector<Page> all;
    for (const std::span<const Page> part : {std::span<const Page>(kSetup), {kMemoryAccess}, {kOrder}, {kTogether}})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return pages;
}

}  // namespace weir::manual
