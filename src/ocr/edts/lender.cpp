// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/lender.hpp"

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "ocr/blocks/lend.hpp"
#include "ocr/edts/library_edt.hpp"
#include "ocr/graph/fetch.hpp"
#include "ocr/graph/slots.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/message_log.hpp"

namespace weir::ocr {

namespace {

// What another rank waits for, or has written, would be lost.
void give_up(const Local& local, const char* why, Guid block, u8 code) {
  std::fflush(stdout);
  std::fprintf(stderr, "weir: ocr: rank %u: there is no %s data block %#llx, and the program ends\n", homes().here, why,
               static_cast<unsigned long long>(block.bits));
  local.program.shut_down(code);
}

void send_nothing(Rank to, const Loan& loan) { Mail::running()->post(to, Say::lent, Writer().put(LoanMade{loan})); }

// `message`: a LoanMade, and the contents if they are inside.
void send_lent(const Local& local, Rank to, const Writer& message) {
  const auto made = Reader(message.bytes()).get<LoanMade>();
  const bool is_known = made.as == LentAs::nothing || made.as == LentAs::known;
  trace_contents_sent(local, to, {made.of.block, false, made.of.traced, is_known ? 0 : made.bytes});
  Mail::running()->post(to, Say::lent, message);
}

enum LendParam { kRank, kBlock, kEdt, kKnown, kMode, kTraced, kLendParams };

// Slot 0: the block, null when it was destroyed before this EDT could have it.
ocrGuid_t lend(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const Loan loan{{paramv[kBlock]},
                  paramv[kEdt],
                  static_cast<std::uint32_t>(paramv[kKnown]),
                  static_cast<std::uint8_t>(paramv[kMode]),
                  paramv[kTraced]};
  const Rank to{static_cast<std::uint32_t>(paramv[kRank])};
  Local& here = *local();
  Writer message;
  if (find_held(*here.current, loan.block).block == nullptr)
    message.put(LoanMade{loan});
  else
    lend_held(here, loan, static_cast<const std::byte*>(depv[0].ptr), message);
  send_lent(here, to, message);
  return to_c({});
}

void lend_later(Local& local, Rank to, const Loan& loan) {
  const u64 paramv[kLendParams] = {static_cast<u64>(to), loan.block.bits, loan.edt, loan.known, loan.mode, loan.traced};
  const Guid edt = make_library_edt(local, &lend, kLenderName, paramv, 1);
  if (edt.is_null()) return give_up(local, "memory for what lends", loan.block, OCR_ENOMEM);
  if (satisfy_slot(local, edt, 0, loan.block, lending_mode(loan.mode)) != 0) send_nothing(to, loan);
}

void say_is_back(Rank to, std::uint64_t copy) {
  if (copy != 0) Mail::running()->post(to, Say::is_back, Writer().put(copy));
}

struct Returned {
  Guid block;
  std::vector<std::byte> contents;
};

ocrGuid_t take_back(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  const std::unique_ptr<Returned> returned(reinterpret_cast<Returned*>(paramv[0]));
  Local& here = *local();
  if (const u8 code = end_loan(here, returned->block, returned->contents))
    give_up(here, "place for what another rank has written to", returned->block, code);
  return to_c({});
}

// The contents that are back are written to the block, at once or by an EDT that waits for its place.
void end_loan_of(Local& local, Guid block, std::span<const std::byte> contents) {
  if (try_end_loan(local, block, contents)) return;
  auto returned = std::make_unique<Returned>(Returned{block, {contents.begin(), contents.end()}});
  const u64 paramv[] = {reinterpret_cast<u64>(returned.get())};
  if (make_library_edt(local, &take_back, kReturnerName, paramv, 0).is_null())
    return give_up(local, "memory for what takes back", block, OCR_ENOMEM);
  static_cast<void>(returned.release());
}

}  // namespace

Answer answer_borrow(Local& local, Rank from, Reader& body) {
  const auto loan = body.get<Loan>();
  Writer message;
  if (try_lend(local, loan, message))
    send_lent(local, from, message);
  else
    lend_later(local, from, loan);
  return {};
}

Answer answer_taken(Local& local, Reader& body) {
  end_offer(local, body.get<Taken>());
  return {};
}

Answer answer_give_back(Local& local, Rank from, Reader& body) {
  const auto back = body.get<GivenBack>();
  const TracedContents contents{back.block, true, back.traced, back.bytes};
  if (back.copy == 0) {
    trace_contents_came_back(local, from, contents);
    end_loan_of(local, back.block, body.rest());
  } else if (const std::byte* const there = Reach::running()->mapped(from, back.offset)) {
    trace_contents_came_back(local, from, contents);
    end_loan_of(local, back.block, std::span(there, back.bytes));
    say_is_back(from, back.copy);
  } else {
    auto bytes = std::make_shared<std::vector<std::byte>>(back.bytes);
    const std::span<std::byte> to(*bytes);
    fetch(local, from, back.offset, to, [from, back, contents, bytes = std::move(bytes)](Local& here) {
      trace_contents_came_back(here, from, contents);
      say_is_back(from, back.copy);
      end_loan_of(here, back.block, *bytes);
    });
  }
  return {};
}

// ---- For a checkpoint ----

bool is_lender(const Edt& edt) noexcept { return edt.kind()->function == &lend; }

ComingBack coming_back(Edt& edt) noexcept {
  if (edt.kind()->function != &take_back) return {};
  const Returned& returned = *reinterpret_cast<const Returned*>(edt.body().paramv()[0]);
  return {returned.block, returned.contents};
}

}  // namespace weir::ocr
