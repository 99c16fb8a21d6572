// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/check.hpp"

namespace weir::transport::shared {
namespace {

// A status as all_gather() carries it.
struct Verdict {
  base::Code code = base::Code::ok;
  char text[503] = {};
};

}  // namespace

base::Status Assembly::barrier() {
  if (base::Status status = peers_.status(); !status) return status;
  Meeting& meeting = commons_.head().meeting;
  const std::uint32_t round = meeting.round.load();
  if (meeting.arrived.fetch_add(1) + 1 == commons_.ranks()) {
    meeting.arrived.store(0);
    meeting.round.store(round + 1);
    peers_.ring_all();
    return base::Status::success();
  }
  return waiting_.until([&] { return meeting.round.load() != round; });
}

base::Status Assembly::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  WEIR_CHECK(all.size() == mine.size() * commons_.ranks(), "all_gather(): room for as many bytes from every rank");
  std::size_t from = 0;
  do {
    const std::size_t bytes = std::min(mine.size() - from, GatherSlot::kData);
    if (base::Status status = gather_piece(mine.subspan(from, bytes), mine.size(), from, all); !status) return status;
    from += bytes;
  } while (from < mine.size());
  return base::Status::success();
}

// The second barrier keeps slots until all have read them.
base::Status Assembly::gather_piece(std::span<const std::byte> mine, std::size_t total, std::size_t from,
                                    std::span<std::byte> all) {
  GatherSlot& slot = commons_.slot(commons_.rank());
  slot.total = total;
  if (!mine.empty()) std::memcpy(slot.data.data(), mine.data(), mine.size());
  if (base::Status status = barrier(); !status) return status;
  for (std::uint32_t i = 0; i < commons_.ranks(); ++i) {
    const GatherSlot& other = commons_.slot(Rank{i});
    WEIR_CHECK(other.total == total, "all_gather(): as many bytes from every rank, and collective calls in one order");
    if (!mine.empty()) std::memcpy(all.data() + i * total + from, other.data.data(), mine.size());
  }
  return barrier();
}

base::Status Assembly::agree(const base::Status& mine) {
  Verdict verdict{mine.code, {}};
  mine.message.copy(verdict.text, sizeof verdict.text - 1);
  std::vector<Verdict> verdicts(commons_.ranks());
  base::Status gathered =
      all_gather(std::as_bytes(std::span(&verdict, 1)), std::as_writable_bytes(std::span(verdicts)));
  if (!gathered) return gathered;
  const auto failed =
      std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& one) { return one.code != base::Code::ok; });
  if (failed == verdicts.end()) return base::Status::success();
  return {failed->code, fmt::format("rank {}: {}", failed - verdicts.begin(), failed->text)};
}

}  // namespace weir::transport::shared
