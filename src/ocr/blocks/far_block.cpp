// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/far_block.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "ocr/blocks/copies.hpp"
#include "ocr/blocks/tiers.hpp"
#include "ocr/mail/refuse.hpp"
#include "ocr/objects/hint.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

namespace {

struct Wanted {
  std::uint64_t size = 0;
  Guid label;
  ocrHint_t hint{};
  std::uint16_t properties = 0;
  bool has_hint = false, has_heap = false, is_acquired = false;
};

bool has_label(const BlockRequest& request) noexcept { return (request.properties & GUID_PROP_IS_LABELED) != 0; }

u8 try_create(BlockLocal& local, Rank where, Guid& guid, const Wanted& wanted, std::byte*& data) {
  const Answer answer = Mail::running()->ask(where, Say::create_block, Writer().put(wanted));
  if (answer.code != 0) return answer.code;
  const auto made = Reader(answer.body).get<LoanMade>();
  guid = made.of.block;
  if (!wanted.is_acquired) return 0;
  Block& copy = make_copy(local, made, make_contents(guid, made.bytes));
  hold_copy(*local.current, copy, true);
  data = copy.small();
  return 0;
}

}  // namespace

std::optional<Rank> far_home(const BlockLocal& local, Guid guid, const BlockRequest& request) noexcept {
  if (has_label(request))
    return guid.kind() == Kind::block && guid.is_label() && is_far(guid) ? std::optional(home_of(guid)) : std::nullopt;
  if (request.hint == nullptr || local.current == nullptr || checking::active()) return std::nullopt;
  const int rank = rank_of_hint(hint_value(*request.hint, OCR_HINT_DB_AFFINITY, 0));
  if (rank < 0 || static_cast<std::uint32_t>(rank) >= homes().ranks ||
      Rank{static_cast<std::uint32_t>(rank)} == homes().self())
    return std::nullopt;
  return Rank{static_cast<std::uint32_t>(rank)};
}

u8 create_far_block(BlockLocal& local, Rank where, Guid& guid, const BlockRequest& request, std::byte*& data) {
  const bool is_acquired = (request.properties & DB_PROP_NO_ACQUIRE) == 0;
  if (is_acquired && local.current == nullptr)
    return refuse_across_ranks(local.program,
                               "a thread outside of EDTs writes a data block whose label another rank has reserved");
  Wanted wanted{request.size,
                has_label(request) ? guid : Guid{},
                {},
                for_one_try(request.properties),
                request.hint != nullptr,
                request.heap,
                is_acquired};
  if (request.hint != nullptr) wanted.hint = *request.hint;
  data = nullptr;
  u8 code = 0;
  const u8 waited = wait_for_label(local, wanted.label, request.properties, [&] {
    code = try_create(local, where, guid, wanted, data);
    while (code == OCR_EAGAIN) {  // only a checkpoint has the label's block
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      code = try_create(local, where, guid, wanted, data);
    }
    return code != OCR_EGUIDEXISTS;
  });
  return waited != 0 ? waited : code;
}

// Others that wait for the label may find the block at once, so it is lent before that; and of one that has a label no
// contents are kept.
Answer answer_create_block(BlockLocal& local, Reader& body) {
  const auto wanted = body.get<Wanted>();
  LoanMade made;
  made.of.block = wanted.label;
  made.of.mode = DB_MODE_RW;
  made.bytes = wanted.size;
  std::byte* data = nullptr;
  BlockRequest request{wanted.size, static_cast<u16>(wanted.properties | DB_PROP_NO_ACQUIRE),
                       wanted.has_hint ? &wanted.hint : nullptr, wanted.has_heap};
  request.shares_slab = !local.tiers.tracked();  // the thread that performs messages waits for no room
  request.is_lent = wanted.is_acquired;
  if (const u8 code = create_block(local, made.of.block, request, data)) return {code};
  if (wanted.label.is_null()) made.version = blocks().find(made.of.block.index())->version;
  return {0, Writer().put(made).take()};
}

}  // namespace weir::ocr
