// SPDX-License-Identifier: Apache-2.0

// Tasks that use MPI: a task ends when the messages that it has started have gone, or have come, and no thread waits
// for them. For programs that call MPI themselves; it uses their <mpi.h>, whichever MPI that is of, and the library
// links none.
//
//   runtime.spawn(weir::out(halo), [&](std::span<double> halo) {
//     MPI_Request request;
//     MPI_Irecv(halo.data(), int(halo.size()), MPI_DOUBLE, left, tag, MPI_COMM_WORLD, &request);
//     weir::mpi::wait_at_end(request);  // returns at once
//   });
//
// Which threads may call MPI is what MPI_Init_thread() has granted:
//
//   MPI_THREAD_MULTIPLE    tasks call MPI as they like, and any worker asks it what has ended
//   MPI_THREAD_SERIALIZED  the program holds mpi::mutex() when it calls MPI, and a worker that asks does so, too
//   MPI_THREAD_FUNNELED    only the thread that has initialised MPI asks, while it runs tasks: in a wait(), say. Calls
//   of
//                          MPI itself have to be made there by the program, wait_at_end() by any task
//   MPI_THREAD_SINGLE      wait_at_end() throws: MPI_Init() grants no more in most
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "weir/detail/requests.hpp"
#include "weir/error.hpp"

namespace weir::mpi {

// Held by each thread that calls MPI where it grants MPI_THREAD_SERIALIZED; Weir's workers do so. May be locked again
// by the thread that has it, also around wait_at_end().
inline std::recursive_mutex& mutex() {
  static auto* const the_mutex = new std::recursive_mutex;  // workers may ask while static objects end
  return *the_mutex;
}

namespace detail {

// The calls of MPI that weir/detail/requests.hpp makes.
struct Calls {
  using Request = MPI_Request;
  using Status = MPI_Status;

  static inline std::atomic<int> level{MPI_THREAD_SINGLE};  // that MPI grants; set before the first request

  static bool only_one_may_ask() noexcept { return level == MPI_THREAD_FUNNELED; }
  static bool may_ask() noexcept {
    if (!only_one_may_ask()) return true;
    int is_main = 0;
    MPI_Is_thread_main(&is_main);
    return is_main != 0;
  }
  struct Turn {
    std::unique_lock<std::recursive_mutex> lock;  // of nothing where no lock is needed
    bool has;
    explicit operator bool() const noexcept { return has; }
  };
  static Turn try_turn() {
    if (level != MPI_THREAD_SERIALIZED) return {{}, true};
    std::unique_lock lock(mutex(), std::try_to_lock);
    const bool has = lock.owns_lock();
    return {std::move(lock), has};
  }

  static weir::detail::Tested test(MPI_Request& request, MPI_Status& status) noexcept {
    int ended = 0;
    const int code = MPI_Test(&request, &ended, &status);
    return {ended != 0 || code != MPI_SUCCESS, code == MPI_SUCCESS ? 0 : code};
  }
  static int test_some(std::span<MPI_Request> requests,
                       std::span<weir::detail::EndedRequest<MPI_Status>> ended) noexcept {
    static thread_local std::array<int, weir::detail::kRequestBatch> indices;
    static thread_local std::array<MPI_Status, weir::detail::kRequestBatch> statuses;
    for (std::size_t i = 0; i < requests.size(); ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
    int count = 0;
    const int code =
        MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, indices.data(), statuses.data());
    if (count == MPI_UNDEFINED) return -1;
    bool says_which = code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const int failure = code == MPI_SUCCESS ? 0 : statuses[i].MPI_ERROR;
      ended[i] = {indices[i], failure, statuses[i]};
      says_which |= failure != MPI_SUCCESS;  // Open MPI returns the failure of a single request, and has freed it
    }
    return says_which ? count : -1;
  }
  static std::string text_of(int failure) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    if (MPI_Error_string(failure, text.data(), &length) != MPI_SUCCESS) return "error " + std::to_string(failure);
    return {text.data(), static_cast<std::size_t>(length)};
  }
};

inline weir::detail::Requests<Calls>& requests() {
  static auto* const the_requests = new weir::detail::Requests<Calls>;  // as mutex()
  return *the_requests;
}

inline void look_at_level() {
  int initialised = 0, finalised = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised == 0 || finalised != 0)
    throw Error(std::string("weir::mpi::wait_at_end() ") +
                (finalised != 0 ? "after MPI_Finalize()" : "before MPI_Init_thread()") +
                ": there are no requests then; call it in tasks that run between the two");
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_SINGLE)
    throw Error(
        "weir::mpi::wait_at_end() with MPI_THREAD_SINGLE, which is what MPI has granted: it is for processes of one "
        "thread, and Weir has several; call MPI_Init_thread() with MPI_THREAD_MULTIPLE instead of MPI_Init()");
  Calls::level = level;
}

}  // namespace detail

// The running task ends, and its footprint is released, when these requests have completed, too; until then its
// successors wait and no thread does. Returns at once; may be called several times in a task, and after MPI has
// completed some. The handles are used up, as by MPI_Wait(), but for persistent requests, which may be started again by
// tasks that come after this one; MPI_REQUEST_NULL and inactive requests count as completed.
//
// `statuses`: one for each request, in memory that is there until the task has ended, when they are valid; none by
// default. A request that fails where errors return (MPI_ERRORS_RETURN) makes the task fail, with a weir::Error that
// has MPI's text; the default is that MPI ends the program.
//
// On the thread that runs the task. Throws weir::Error outside of tasks, before MPI_Init_thread(), after
// MPI_Finalize(), with MPI_THREAD_SINGLE, and at once when all have completed and one has failed.
inline void wait_at_end(std::span<const MPI_Request> requests, std::span<MPI_Status> statuses = {}) {
  detail::look_at_level();
  detail::requests().wait_at_end(requests, statuses, "weir::mpi::wait_at_end()");
}
inline void wait_at_end(MPI_Request request, MPI_Status& status) {
  wait_at_end(std::span<const MPI_Request>(&request, 1), std::span(&status, 1));
}
template <std::same_as<MPI_Request>... Requests>
requires(sizeof...(Requests) != 0) void wait_at_end(Requests... requests) {
  const std::array<MPI_Request, sizeof...(Requests)> all{requests...};
  wait_at_end(std::span<const MPI_Request>(all));
}

}  // namespace weir::mpi
