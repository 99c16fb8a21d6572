// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/gone.hpp"

#include <cstdint>
#include <map>
#include <span>

#include "ocr/image/steps.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/tables.hpp"

namespace weir::ocr {

namespace {

// By GUID.
std::map<std::uint64_t, Block*> find_copies() {
  std::map<std::uint64_t, Block*> copies;
  blocks().for_each([&](Block& each) {
    if (each.memory.seen() != 0 && each.is_copy) copies.emplace(each.guid().bits, &each);
  });
  return copies;
}

std::vector<Guid> gone_of(std::span<const Guid> asked) {
  std::vector<Guid> gone;
  for (const Guid guid : asked)
    if (!block_exists(guid)) gone.push_back(guid);
  return gone;
}

}  // namespace

std::optional<std::vector<Block*>> find_last_copies() {
  const std::map<std::uint64_t, Block*> copies = find_copies();
  std::map<Rank, std::vector<Guid>> by_rank;
  for (const auto& [bits, copy] : copies) by_rank[home_of(Guid{bits})].push_back({bits});
  std::vector<Block*> last;
  for (const auto& [rank, guids] : by_rank) {
    const Answer answer = Mail::running()->ask(
        rank, Say::checkpoint, Writer().put(CheckpointAsk::find_gone).put_all(std::span<const Guid>(guids)));
    if (answer.code != 0) return std::nullopt;
    for (const Guid gone : Reader(answer.body).get_all<Guid>()) last.push_back(copies.at(gone.bits));
  }
  return last;
}

Answer answer_find_gone(Reader& body) {
  const std::vector<Guid> gone = gone_of(body.get_all<Guid>());
  return {0, Writer().put_all(std::span<const Guid>(gone)).take()};
}

}  // namespace weir::ocr
