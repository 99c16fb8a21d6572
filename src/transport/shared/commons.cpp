// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/commons.hpp"

#include <fmt/format.h>

#include <utility>

namespace weir::transport::shared {

using memory::SharedBacking;

base::Result<Commons> Commons::make(std::uint32_t ranks) {
  auto memory = SharedBacking::open(
      {.source = SharedBacking::Source::memfd, .name = "weir commons", .size = Layout(ranks).size(), .os_nodes = {}});
  if (!memory) return memory.status();
  return Commons(std::move(*memory), Rank{0}, ranks);
}

base::Result<Commons> Commons::attach(int descriptor, Rank rank, std::uint32_t ranks) {
  auto memory = SharedBacking::attach(descriptor, "weir commons");
  if (!memory) return memory.status();
  const Bytes expected = Layout(ranks).size();
  if ((*memory)->size() != expected) {
    return base::Status{base::Code::bad_option,
                        fmt::format("rank 0 has {} bytes of common memory where {} are expected: the ranks of a job "
                                    "must use the same libweir",
                                    (*memory)->size().count, expected.count)};
  }
  return Commons(std::move(*memory), rank, ranks);
}

}  // namespace weir::transport::shared
