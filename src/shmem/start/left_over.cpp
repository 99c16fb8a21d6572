// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/left_over.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "shmem/group/team.hpp"
#include "shmem/rma/context.hpp"

namespace weir::shmem {

namespace {

std::string options_text(long options) {
  std::string text;
  const auto add = [&](long bit, const char* name) {
    if ((options & bit) != 0) text += (text.empty() ? "" : " | ") + std::string(name);
  };
  add(Context::kSerialized, "SHMEM_CTX_SERIALIZED");
  add(Context::kPrivate, "SHMEM_CTX_PRIVATE");
  add(Context::kNostore, "SHMEM_CTX_NOSTORE");
  return text.empty() ? "0" : text;
}

std::string describe(const LeftContext& context) {
  return fmt::format("context {} of those that this PE has created (options {}, {} PEs)", context.number,
                     options_text(context.options), context.n_pes);
}

void note(const std::string& what) {
  const std::string line =
      fmt::format("weir: PE {} of {}: note: {} is not destroyed before the end: shmem_finalize does it\n",
                  world().my_pe, world().n_pes, what);
  std::fputs(line.c_str(), stderr);
}

}  // namespace

void check_left_over() {
  for (const LeftContext& context : contexts_left()) {
    if ((context.options & Context::kPrivate) != 0) {
      fail(
          fmt::format("{} is not destroyed: shmem_finalize destroys those without SHMEM_CTX_PRIVATE only; call "
                      "shmem_ctx_destroy() before",
                      describe(context)));
    }
    note(describe(context));
  }
  for (const int size : team_sizes_left()) note(fmt::format("a team of {} PEs", size));
}

}  // namespace weir::shmem
