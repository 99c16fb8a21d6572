// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/lent.hpp"

#include <cstring>
#include <utility>

#include "ocr/blocks/copies.hpp"
#include "ocr/graph/acquire.hpp"
#include "ocr/graph/fetch.hpp"
#include "ocr/observe/tracing.hpp"

namespace weir::ocr {

namespace {

// Relaxed: statistics, exact when no EDT runs.
void count_read(std::size_t bytes) noexcept {
  contents_counts().read.fetch_add(1, std::memory_order_relaxed);
  contents_counts().bytes_read.fetch_add(bytes, std::memory_order_relaxed);
}
void count_reused() noexcept { contents_counts().reused.fetch_add(1, std::memory_order_relaxed); }

// `got`: bytes that had to come.
void grant(Local& local, Rank from, const LoanMade& made, std::size_t got, ContentsPtr contents) {
  Edt& edt = *reinterpret_cast<Edt*>(made.of.edt);
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_block_came(edt, from, {made.of.block, false, made.of.traced, got});
  block_granted(local, edt, make_copy(local, made, std::move(contents)));
}

void fetch_contents(Local& local, Rank from, const LoanMade& made) {
  count_read(made.bytes);
  ContentsPtr contents = make_contents(made.of.block, made.bytes);
  const std::span<std::byte> to(contents->data(), contents->bytes);
  fetch(local, from, made.offset, to, [from, made, contents = std::move(contents)](Local& here) {
    Mail::running()->post(from, Say::taken, Writer().put(Taken{made.of.block, made.of.mode}));
    grant(here, from, made, made.bytes, contents);
  });
}

}  // namespace

Answer answer_lent(Local& local, Rank from, Reader& body) {
  const auto made = body.get<LoanMade>();
  ContentsPtr contents = take_expected(made.of.edt);
  std::size_t got = 0;
  switch (made.as) {
    case LentAs::nothing: block_missing(local, *reinterpret_cast<Edt*>(made.of.edt)); return {};
    case LentAs::known: count_reused(); break;
    case LentAs::inside: {
      const std::span<const std::byte> bytes = body.rest();
      got = bytes.size();
      count_read(got);
      contents = std::make_shared<Contents>(bytes.size());
      if (!bytes.empty()) std::memcpy(contents->data(), bytes.data(), bytes.size());
      break;
    }
    case LentAs::there:  // while this one waited, another EDT may have got them
      contents = find_contents(made.of.block, made.version);
      if (contents == nullptr) {
        fetch_contents(local, from, made);
        return {};
      }
      count_reused();
      Mail::running()->post(from, Say::taken, Writer().put(Taken{made.of.block, made.of.mode}));
      break;
  }
  grant(local, from, made, got, std::move(contents));
  return {};
}

Answer answer_is_back(Reader& body) {
  copy_is_back(body.get<std::uint64_t>());
  return {};
}

}  // namespace weir::ocr
