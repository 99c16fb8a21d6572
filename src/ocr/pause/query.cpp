// SPDX-License-Identifier: Apache-2.0

#include "ocr/pause/query.hpp"

#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include "ocr/blocks/block.hpp"
#include "ocr/mail/stillness.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/pause/everywhere.hpp"

namespace weir::ocr {

namespace {

using Found = std::vector<ocrGuid_t>;

struct Query {
  ocrQueryType_t what;
  Guid guid;
};

// ---- On this rank ----

void find_edts(bool only_ready, Found& found) {
  for_each_edt([&](Edt& edt) {
    if (is_librarys_own(*edt.kind())) return;
    if (!only_ready || (edt.is_complete() && !edt.has_begun())) found.push_back(to_c(edt.guid()));
  });
}

void find_events(Found& found) {
  events().for_each([&](Event& event) {
    if (!event.word.alive() || !event.word.lock(event.word.generation())) return;
    if (!event.fired && !event.own) found.push_back(to_c(event.word.guid(Kind::event)));
    event.word.unlock();
  });
}

void find_blocks_of(Guid guid, Found& found) {
  Edt* const edt = lock_edt(guid);
  if (edt == nullptr) return;
  for (const Slot& slot : edt->slots()) {
    const SlotState state = slot.state.load(std::memory_order_acquire);  // HELD-1
    if (state == SlotState::held) found.push_back(to_c(slot.block().guid()));
    if (state == SlotState::satisfied && slot.value != 0) found.push_back(to_c({slot.value}));
  }
  edt->body().word.unlock();
}

Found find_here(const Query& query) {
  Found found;
  switch (query.what) {
    case OCR_QUERY_READY_EDTS:
    case OCR_QUERY_ALL_EDTS: find_edts(query.what == OCR_QUERY_READY_EDTS, found); break;
    case OCR_QUERY_EVENTS: find_events(found); break;
    case OCR_QUERY_LAST_SATISFIED_DB: find_blocks_of(query.guid, found); break;
  }
  return found;
}

// ---- On others ----

Answer ask(Rank rank, const Query& query) {
  return Mail::running()->ask(rank, Say::pause, Writer().put(PauseAsk::query).put(query));
}

void add_found(Rank rank, const Query& query, Found& found) {
  const Answer answer = ask(rank, query);
  if (answer.code != 0) return;  // the program ends
  const Found there = Reader(answer.body).get_all<ocrGuid_t>();
  found.insert(found.end(), there.begin(), there.end());
}

// ---- What is on its way ----

// Of each rank, this one first; empty when the program ends.
std::vector<Stillness> count_all(Program& program) {
  Mail& mail = *Mail::running();
  std::vector<Stillness> all{{true, program.progress().ended, mail.traffic()}};
  mail.for_each_other([&](Rank rank) {
    const Answer answer = mail.ask(rank, Say::pause, Writer().put(PauseAsk::count));
    if (answer.code == 0) all.push_back(Reader(answer.body).get<Stillness>());
  });
  if (all.size() != mail.transport().ranks()) all.clear();
  return all;
}

// PAUSE-2: what EDTs had asked of other ranks when they were stopped has been done when this returns. A thread of the
// program's own may go on to ask, so it looks for so long only.
void wait_for_messages(Program& program) {
  constexpr int kMostLooks = 1000;
  std::vector<Stillness> before;
  for (int look = 0; look < kMostLooks && !program.shutting_down(); ++look) {
    std::vector<Stillness> now = count_all(program);
    if (nothing_happened(before, now)) return;
    if (!all_is_performed(now)) std::this_thread::sleep_for(std::chrono::microseconds(50));
    before = std::move(now);
  }
}

}  // namespace

std::vector<ocrGuid_t> query_everywhere(Program& program, ocrQueryType_t what, Guid guid) {
  const Query query{what, guid};
  if (!is_spread()) return find_here(query);
  wait_for_messages(program);
  Found found;
  if (what == OCR_QUERY_LAST_SATISFIED_DB && is_far(guid)) {
    add_found(home_of(guid), query, found);
    return found;
  }
  found = find_here(query);
  if (what != OCR_QUERY_LAST_SATISFIED_DB)
    Mail::running()->for_each_other([&](Rank rank) { add_found(rank, query, found); });
  return found;
}

Answer answer_query(Reader& body) {
  const Found found = find_here(body.get<Query>());
  return {0, Writer().put_all(std::span<const ocrGuid_t>(found)).take()};
}

}  // namespace weir::ocr
