// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/lender.hpp"

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "ocr/blocks/lend.hpp"
#include "ocr/edts/create_edt.hpp"
#include "ocr/graph/borrow.hpp"
#include "ocr/graph/slots.hpp"

namespace weir::ocr {

namespace {

void send_lent(Rank to, const Loan& loan, bool exists, std::span<const std::byte> contents) {
  Mail::running()->post(to, Say::lent, Writer().put(LoanMade{loan, exists}).put_bytes(contents));
}

enum LendParam { kRank, kBlock, kEdt, kMode, kLendParams };

// Slot 0: the block, null when it was destroyed before this EDT could have it.
ocrGuid_t lend(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const Loan loan{{paramv[kBlock]}, paramv[kEdt], static_cast<std::uint8_t>(paramv[kMode])};
  const Rank to{static_cast<std::uint32_t>(paramv[kRank])};
  Local& here = *local();
  const Block* const block = find_held(*here.current, loan.block).block;
  if (block == nullptr) {
    send_lent(to, loan, false, {});
    return to_c({});
  }
  Writer message;
  message.put(LoanMade{loan, true}).put_bytes(std::span(static_cast<const std::byte*>(depv[0].ptr), block->size));
  begin_loan(here, loan.block);
  Mail::running()->post(to, Say::lent, message);
  return to_c({});
}

// An EDT of the library's own, with a slot or none.
Guid make_edt(Local& local, ocrEdt_t function, const char* name, std::span<const u64> paramv, std::uint32_t depc) {
  Template of{};
  of.kind = intern(function, name);
  ocrGuid_t guid;
  EdtRequest request{};
  request.paramc = of.paramc = static_cast<std::uint32_t>(paramv.size());
  request.paramv = paramv.data();
  request.depc = of.depc = depc;
  request.made = &guid;
  return create_edt_here(local, of, request) == 0 ? from_c(guid) : Guid{};
}

void lend_later(Local& local, Rank to, const Loan& loan) {
  const u64 paramv[kLendParams] = {static_cast<u64>(to), loan.block.bits, loan.edt, loan.mode};
  const Guid edt = make_edt(local, &lend, "that lends a data block to another rank", paramv, 1);
  if (satisfy_slot(local, edt, 0, loan.block, lending_mode(loan.mode)) != 0) send_lent(to, loan, false, {});
}

struct Returned {
  Guid block;
  std::vector<std::byte> contents;
};

ocrGuid_t take_back(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  const std::unique_ptr<Returned> returned(reinterpret_cast<Returned*>(paramv[0]));
  Local& here = *local();
  const u8 code = end_loan(here, returned->block, returned->contents);
  if (code == 0) return to_c({});
  std::fprintf(stderr, "weir: ocr: there is no place for what another rank has written to data block %#llx\n",
               static_cast<unsigned long long>(returned->block.bits));
  here.program.shut_down(code);
  return to_c({});
}

}  // namespace

Answer answer_borrow(Local& local, Rank from, Reader& body) {
  const auto loan = body.get<Loan>();
  Writer message;
  message.put(LoanMade{loan, true});
  switch (try_lend(local, loan.block, loan.mode, message)) {
    case Lent::yes: Mail::running()->post(from, Say::lent, message); break;
    case Lent::later: lend_later(local, from, loan); break;
    case Lent::no_such_block: send_lent(from, loan, false, {}); break;
  }
  return {};
}

Answer answer_give_back(Local& local, Reader& body) {
  const Guid block = body.get<Guid>();
  const std::span<const std::byte> contents = body.rest();
  if (try_end_loan(local, block, contents)) return {};
  auto returned = std::make_unique<Returned>(Returned{block, {contents.begin(), contents.end()}});
  const u64 paramv[] = {reinterpret_cast<u64>(returned.get())};
  if (!make_edt(local, &take_back, "that takes a data block back from another rank", paramv, 0).is_null())
    static_cast<void>(returned.release());
  return {};
}

}  // namespace weir::ocr
