// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/postman.hpp"

#include <cstdio>
#include <system_error>

#include "ocr/blocks/block.hpp"
#include "ocr/blocks/far_block.hpp"
#include "ocr/blocks/far_heap.hpp"
#include "ocr/edts/far_edt.hpp"
#include "ocr/edts/lender.hpp"
#include "ocr/edts/outside_of_edts.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far_events.hpp"
#include "ocr/graph/far_label.hpp"
#include "ocr/graph/far_links.hpp"
#include "ocr/graph/far_maps.hpp"
#include "ocr/graph/fetch.hpp"
#include "ocr/graph/lent.hpp"
#include "ocr/graph/object_hint.hpp"
#include "ocr/pause/everywhere.hpp"
#include "ocr/pause/query.hpp"
#include "ocr/ranks/stall.hpp"
#include "platform/start_thread.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

constexpr std::uint64_t kNapNs = 2'000'000;  // at most: what a sender has received is seen after that, at the latest
constexpr u8 kLost = 1;                      // exit code

thread_local constinit bool is_postman = false;
thread_local constinit bool is_looking = false;  // a worker that looks for work

u8 destroy(Local& local, Guid object) {
  switch (object.kind()) {
    case Kind::event: return destroy_event(local, object);
    case Kind::edt: return destroy_edt(local, object);
    case Kind::block: return destroy_block(local, object);
    case Kind::edt_template: return destroy_template(local, object);
    case Kind::map: return destroy_map_of_ranks(object);
    default: return OCR_EINVAL;
  }
}

}  // namespace

bool Postman::is_this_thread() noexcept { return is_postman; }

base::Status Postman::start() {
  program_.set_elsewhere(this);
  mail_.set_performer(this);
  begin_asking(*this);
  try {
    thread_ = platform::start_thread("weir postman", [this] { run(); });
  } catch (const std::system_error& error) {
    return {base::Code::no_space, error.what()};
  }
  return base::Status::success();
}

void Postman::program_ends(u8 code) noexcept { mail_.post_to_others(Say::end, Writer().put(code)); }

// Also when the program has ended, for EDTs that have begun elsewhere, until those of all ranks have ended. What that
// makes ready does not begin here, and does not go elsewhere to begin there.
Answer Postman::perform(Rank from, Say what, Reader body) {
  if (what == Say::stopped) {
    note_stopped();
    return {};
  }
  if (what == Say::end) {
    program_.shut_down_here(body.get<u8>());
    return {};
  }
  if (what == Say::look) return {0, Writer().put(stillness_of(program_, mail_)).take()};
  if (what == Say::report) {
    duties_.report();
    return {};
  }
  if (what == Say::checkpoint) return duties_.checkpoint(body);
  if (what == Say::pause) return perform_pause(from, body);
  Local* const local = ocr::local();
  if (local == nullptr || (what == Say::ask_for_edts && program_.shutting_down())) return {OCR_ECANCELED};
  const OutsideOfEdts outside(*local);
  Answer answer = perform_here(*local, from, what, body);
  local->worker->flush();  // an EDT that will not run has left its scope
  return answer;
}

Answer Postman::perform_pause(Rank from, Reader& body) {
  const auto ask = body.get<PauseAsk>();
  return ask == PauseAsk::query ? answer_query(body) : answer_pause(program_, far_pauser_, from, ask, body);
}

Answer Postman::perform_here(Local& local, Rank from, Say what, Reader& body) {
  switch (what) {
    case Say::create_edt: return answer_create_edt(local, body);
    case Say::satisfy: return answer_satisfy(local, body);
    case Say::satisfy_linked: return answer_satisfy_linked(local, body);
    case Say::claim_slot: return answer_claim_slot(body);
    case Say::give_up_slot: return answer_give_up_slot(body);
    case Say::link: return answer_link(local, body);
    case Say::destroy: return {destroy(local, body.get<Guid>())};
    case Say::ask_for_edts: return answer_ask_for_edts(from, body);
    case Say::see: return answer_see(body);
    case Say::create_event: return answer_create_event(local, body);
    case Say::watch_label: return answer_watch_label(body);
    case Say::unwatch_label: return answer_unwatch_label(body);
    case Say::contribute: return answer_contribute(local, body);
    case Say::set_hint: return answer_set_hint(local, body);
    case Say::get_hint: return answer_get_hint(body);
    case Say::fetch_map: return answer_fetch_map(body);
    case Say::set_default_map: return answer_set_default_map(body);
    case Say::forget_map: return answer_forget_map(body);
    case Say::create_block: return answer_create_block(local, body);
    case Say::use_heap: return answer_use_heap(body);
    case Say::borrow: return answer_borrow(local, from, body);
    case Say::lent: return answer_lent(local, from, body);
    case Say::taken: return answer_taken(local, body);
    case Say::give_back: return answer_give_back(local, from, body);
    case Say::is_back: return answer_is_back(body);
    case Say::fetched: return answer_fetched(local, body);
    case Say::fetch_template: return answer_fetch_template(body);
    case Say::forget_template: return answer_forget_template(body);
    default: return {OCR_EINVAL};
  }
}

// A thread that notifies what depends on an event, or on the end of a scope, has to end that before it does what
// another rank asks.
bool Postman::may_perform() const noexcept {
  const Local* const local = known_local();
  return local != nullptr && !local->notifying && !local->closing;
}

// ---- As workers see it ----

bool Postman::look() noexcept {
  if (!std::exchange(is_looking, true)) mail_.begin_looking();
  return mail_.perform_arrived();
}

void Postman::end_looking() noexcept {
  if (std::exchange(is_looking, false) && mail_.end_looking()) mail_.perform_arrived();
}

// What it would make ready now, the worker that is about to sleep would not run.
void Postman::hand_over() noexcept {
  if (std::exchange(is_looking, false) && mail_.end_looking()) mail_.transport().wake_waiting();
}

// ---- The thread ----

void Postman::note_stopped() {
  const base::Lock lock(mutex_);
  ++stopped_;
  changed_.notify_all();
}

void Postman::look_for_losses() {
  const auto lost = mail_.transport().lost();
  if (!lost) return;
  {
    const base::Lock lock(mutex_);
    if (is_lost_) return;
    is_lost_ = true;
    changed_.notify_all();
  }
  mail_.give_up();
  std::fflush(stdout);
  std::fprintf(stderr, "weir: ocr: rank %u: rank %u is lost, and the program ends: %s\n",
               static_cast<unsigned>(mail_.transport().rank()), static_cast<unsigned>(lost->rank), lost->why.c_str());
  program_.shut_down_here(kLost);
}

void Postman::run() {
  is_postman = true;
  const std::uint64_t since = trace::Track::now();
  while (!ends_.load(std::memory_order_relaxed)) {
    const bool any = mail_.perform_arrived();
    look_for_losses();
    if (any) continue;
    seeker_.look();
    mail_.transport().wait_for_arrival(kNapNs);
  }
  trace_life(since);
}

// What it has not performed then, it has looked for.
void Postman::trace_life(std::uint64_t since) noexcept {
  const Local* const local = known_local();
  if (local != nullptr && local->worker->track() != nullptr) local->worker->track()->search(since);
}

bool Postman::stop() {
  end_asking(*this);
  mail_.post_to_others(Say::stopped, {});
  bool is_lost = false;
  {
    base::Lock lock(mutex_);
    while (stopped_ + 1 < mail_.transport().ranks() && !is_lost_) lock.wait(changed_);
    is_lost = is_lost_;
  }
  ends_.store(true, std::memory_order_relaxed);
  thread_.join();
  return !is_lost;
}

}  // namespace weir::ocr
