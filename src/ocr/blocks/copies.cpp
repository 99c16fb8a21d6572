// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/copies.hpp"

#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/blocks/lending_mode.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/observe/message_log.hpp"

namespace weir::ocr {

namespace {

struct Copy {
  std::uint64_t word = 0;  // of the copy's own entry in the table
  std::uint32_t version = 0;
  ContentsPtr contents;
  bool is_last = false;  // see make_last_copy()
};
struct Copies {
  base::Mutex mutex;
  std::unordered_map<Block*, Copy> all WEIR_GUARDED_BY(mutex);
  std::unordered_map<std::uint64_t, ContentsPtr> expected WEIR_GUARDED_BY(mutex);   // by EDT
  std::unordered_map<std::uint64_t, ContentsPtr> returning WEIR_GUARDED_BY(mutex);  // by GivenBack::copy
  KeptContents kept WEIR_GUARDED_BY(mutex);
};
Copies& copies() {
  static base::Forever<Copies> all;
  return all.value;
}

void init(Block& copy, const Contents& contents, std::uint8_t mode) noexcept {
  copy.memory = reinterpret_cast<std::uintptr_t>(contents.data());
  copy.size = contents.bytes;
  copy.strong = mode == DB_MODE_RO ? 0 : 1;
  copy.weak = mode == DB_MODE_RO ? 1 : 0;
  copy.strong_mode = mode;
  copy.named = 0;
  copy.no_hint = copy.keeps_contents = false;
  copy.fetch = Block::Fetch::usual;
  copy.is_copy = true;
  copy.domain = 0;
  copy.first_waiting = copy.last_waiting = nullptr;
  copy.creator = nullptr;
  copy.maker = nullptr;
  copy.heap = nullptr;
  copy.hint = nullptr;
  copy.pinned_outside.store(false, std::memory_order_relaxed);  // relaxed: the copy is being made
}

// It is a free entry of the table again.
void give_up(BlockLocal& local, Block& copy, std::uint64_t word) noexcept {
  copy.word.lock_held();
  copy.memory = 0;
  copy.is_copy = false;
  copy.word.restore(word);
  blocks().free(local.blocks, copy);
}

bool is_kept(Guid block, std::uint32_t version, const Contents& contents) noexcept {
  return version != 0 && !block.is_label() && !goes_inside(contents.bytes) && !checking::active();
}

// The same contents where they are not in use, else new ones; an EDT is going to write them, and then they are of
// another version.
ContentsPtr own(Guid block, ContentsPtr contents) {
  bool is_shared = false;
  {
    const base::Lock lock(copies().mutex);
    copies().kept.drop(block);
    is_shared = contents->uses != 0;
    ++contents->uses;  // so no other EDT takes them for its own while they are copied
  }
  if (!is_shared) return contents;
  auto made = std::make_shared<Contents>(contents->bytes);
  std::memcpy(made->data(), contents->data(), contents->bytes);
  const base::Lock lock(copies().mutex);
  --contents->uses;
  ++made->uses;
  return made;
}

ContentsPtr share(const LoanMade& made, ContentsPtr contents) {
  Copies& all = copies();
  const base::Lock lock(all.mutex);
  ++contents->uses;
  if (is_kept(made.of.block, made.version, *contents))
    all.kept.keep(made.of.block, made.version, contents, Reach::running()->most_kept());
  return contents;
}

// The home adds one to the version of a block that was written: that is the version of what was written, unless it has
// added more.
void give_back(const BlockLocal& local, Guid block, Copy&& copy) {
  Contents& contents = *copy.contents;
  const std::span<const std::byte> bytes(contents.data(), contents.bytes);
  const checking::Unseen unseen;
  GivenBack back{block, contents.bytes};
  back.traced = number_for_contents();
  Writer message;
  const auto offset = goes_inside(bytes.size()) ? std::nullopt : Reach::running()->offset_of(bytes.data());
  if (offset) {
    back.offset = *offset;
    back.copy = reinterpret_cast<std::uint64_t>(&contents);
    message.put(back);
  } else {
    message.put(back).put_bytes(bytes);
  }
  {
    Copies& all = copies();
    const base::Lock lock(all.mutex);
    if (is_kept(block, copy.version, contents))
      all.kept.keep(block, version_after(copy.version), copy.contents, Reach::running()->most_kept());
    if (offset)
      all.returning.emplace(back.copy, std::move(copy.contents));
    else
      --contents.uses;
  }
  trace_contents_sent(local, home_of(block), {block, true, back.traced, back.bytes});
  Mail::running()->post(home_of(block), Say::give_back, message);
}

}  // namespace

ContentsCounts& contents_counts() noexcept {
  static constinit ContentsCounts counts;
  return counts;
}

std::uint32_t expect_contents(const Edt& edt, Guid block) {
  Copies& all = copies();
  const base::Lock lock(all.mutex);
  const KeptContents::Kept* const kept = all.kept.find(block);
  if (kept == nullptr) return 0;
  ++kept->contents->uses;
  all.expected.emplace(reinterpret_cast<std::uint64_t>(&edt), kept->contents);
  return kept->version;
}

ContentsPtr take_expected(std::uint64_t edt) {
  Copies& all = copies();
  const base::Lock lock(all.mutex);
  auto found = all.expected.extract(edt);
  if (found.empty()) return nullptr;
  --found.mapped()->uses;
  return std::move(found.mapped());
}

ContentsPtr find_contents(Guid block, std::uint32_t version) {
  Copies& all = copies();
  const base::Lock lock(all.mutex);
  const KeptContents::Kept* const kept = all.kept.find(block);
  return kept != nullptr && kept->version == version ? kept->contents : nullptr;
}

ContentsPtr make_contents(Guid block, std::size_t bytes) {
  {
    Copies& all = copies();
    const base::Lock lock(all.mutex);
    const KeptContents::Kept* const kept = all.kept.find(block);
    if (kept != nullptr && kept->contents->uses == 0 && kept->contents->bytes == bytes) {
      ContentsPtr outdated = kept->contents;
      all.kept.drop(block);
      return outdated;
    }
  }
  return std::make_shared<Contents>(bytes);
}

namespace {

Block& make(BlockLocal& local, const LoanMade& made, ContentsPtr contents, bool is_last) {
  const Guid guid = made.of.block;
  const std::uint8_t mode = made.of.mode;
  contents = is_to_be_written(mode) ? own(guid, std::move(contents)) : share(made, std::move(contents));
  Block& copy = blocks().allocate(local.blocks);
  const std::uint64_t word = copy.word.kept();
  copy.word.restore(0);
  static_cast<void>(copy.word.try_create(guid));
  init(copy, *contents, mode);
  copy.word.unlock();
  const base::Lock lock(copies().mutex);
  copies().all.emplace(&copy, Copy{word, made.version, std::move(contents), is_last});
  return copy;
}

}  // namespace

Block& make_copy(BlockLocal& local, const LoanMade& made, ContentsPtr contents) {
  return make(local, made, std::move(contents), false);
}

Block& make_last_copy(BlockLocal& local, Guid block, std::uint8_t mode, ContentsPtr contents) {
  return make(local, LoanMade{Loan{block, 0, 0, mode}}, std::move(contents), true);
}

void end_copy(BlockLocal& local, Block& copy, std::uint8_t mode) {
  Copy ended;
  bool is_written = is_to_be_written(mode);
  {
    const base::Lock lock(copies().mutex);
    ended = std::move(copies().all.extract(&copy).mapped());
    is_written = is_written && !ended.is_last;
    if (!is_written) --ended.contents->uses;
  }
  const std::uint64_t word = ended.word;
  if (is_written) give_back(local, copy.guid(), std::move(ended));
  give_up(local, copy, word);
}

void copy_is_back(std::uint64_t copy) {
  ContentsPtr contents;
  Copies& all = copies();
  const base::Lock lock(all.mutex);
  auto found = all.returning.extract(copy);
  if (found.empty()) return;
  contents = std::move(found.mapped());
  --contents->uses;
}

void forget_contents(Guid block) {
  const base::Lock lock(copies().mutex);
  copies().kept.drop(block);
}

void forget_copies(BlockLocal& local) noexcept {
  Copies& all = copies();
  std::unordered_map<Block*, Copy> left;
  {
    const base::Lock lock(all.mutex);
    left.swap(all.all);
    all.expected.clear();
    all.returning.clear();
    all.kept.clear();
  }
  for (const auto& [copy, of] : left) give_up(local, *copy, of.word);
}

}  // namespace weir::ocr
