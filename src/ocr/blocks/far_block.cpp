// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/far_block.hpp"

#include <utility>

#include "ocr/blocks/copies.hpp"
#include "ocr/blocks/lending_mode.hpp"
#include "ocr/blocks/tiers.hpp"
#include "ocr/objects/hint.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

namespace {

struct Wanted {
  std::uint64_t size = 0;
  ocrHint_t hint{};
  std::uint16_t properties = 0;
  bool is_acquired = false;
};

}  // namespace

std::optional<Rank> far_home(const BlockLocal& local, const BlockRequest& request) noexcept {
  if (!is_spread() || request.hint == nullptr || request.heap || local.current == nullptr || checking::active())
    return std::nullopt;
  if ((request.properties & GUID_PROP_IS_LABELED) != 0) return std::nullopt;  // it is where its label is
  const int rank = rank_of_hint(hint_value(*request.hint, OCR_HINT_DB_AFFINITY, 0));
  if (rank < 0 || static_cast<std::uint32_t>(rank) >= homes().ranks ||
      Rank{static_cast<std::uint32_t>(rank)} == homes().self())
    return std::nullopt;
  return Rank{static_cast<std::uint32_t>(rank)};
}

u8 create_far_block(BlockLocal& local, Rank where, Guid& guid, const BlockRequest& request, std::byte*& data) {
  const bool is_acquired = (request.properties & DB_PROP_NO_ACQUIRE) == 0;
  const Wanted wanted{request.size, *request.hint, request.properties, is_acquired};
  const Answer answer = Mail::running()->ask(where, Say::create_block, Writer().put(wanted));
  if (answer.code != 0) return answer.code;
  const auto made = Reader(answer.body).get<LoanMade>();
  guid = made.of.block;
  data = nullptr;
  if (!is_acquired) return 0;
  Block& copy = make_copy(local, made, make_contents(guid, made.bytes));
  hold_as_maker(*local.current, copy);
  data = copy.small();
  return 0;
}

Answer answer_create_block(BlockLocal& local, Reader& body) {
  const auto wanted = body.get<Wanted>();
  LoanMade made;
  made.of.mode = DB_MODE_RW;
  made.bytes = wanted.size;
  std::byte* data = nullptr;
  BlockRequest request{wanted.size, static_cast<u16>(wanted.properties | DB_PROP_NO_ACQUIRE), &wanted.hint, false};
  request.shares_slab = !local.tiers.tracked();  // the thread that performs messages waits for no room
  if (const u8 code = create_block(local, made.of.block, request, data)) return {code};
  if (wanted.is_acquired) static_cast<void>(try_acquire(made.of.block, lending_mode(DB_MODE_RW)));
  made.version = blocks().find(made.of.block.index())->version;
  return {0, Writer().put(made).take()};
}

}  // namespace weir::ocr
