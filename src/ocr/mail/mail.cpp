// SPDX-License-Identifier: Apache-2.0

#include "ocr/mail/mail.hpp"

#include <utility>

namespace weir::ocr {

namespace {

constexpr std::uint16_t kPart = 0;  // the transport's handler

}  // namespace

constinit std::atomic<Mail*> Mail::running_{nullptr};
thread_local constinit bool Mail::performing_ = false;

Mail::Mail(transport::Transport& transport) : transport_(transport) {
  transport_.set_handler(
      kPart,
      [](void* context, Rank from, std::span<const std::byte> bytes) {
        static_cast<Mail*>(context)->on_part(from, bytes);
      },
      this);
}

// What is not sent was to a lost rank, which ends the program on all ranks (ranks/postman.cpp).
void Mail::send(Rank to, const Head& head, std::span<const std::byte> body) {
  Writer message;
  message.put(head).put_bytes(body);
  const std::uint64_t number = messages_.fetch_add(1);
  for_each_part(number, message.bytes(),
                [&](std::span<const std::byte> part) { static_cast<void>(transport_.send(to, kPart, part)); });
}

Answer Mail::ask(Rank to, Say what, const Writer& body) {
  Asking asking;
  std::uint64_t ticket = 0;
  {
    const base::Lock lock(asking_mutex_);
    if (is_given_up_) return {OCR_ECANCELED};
    ticket = ++last_ticket_;
    asking_.emplace(ticket, &asking);
  }
  count_sent(what);
  send(to, {what, 0, ticket}, body.bytes());
  base::Lock lock(asking_mutex_);
  while (!asking.is_done && !is_given_up_) lock.wait(answered_);
  asking_.erase(ticket);
  return asking.is_done ? std::move(asking.answer) : Answer{OCR_ECANCELED};
}

void Mail::post(Rank to, Say what, const Writer& body) {
  count_sent(what);
  send(to, {what, 0, 0}, body.bytes());
}

void Mail::post_to_others(Say what, const Writer& body) {
  for (std::uint32_t rank = 0; rank < transport_.ranks(); ++rank)
    if (Rank{rank} != transport_.rank()) post(Rank{rank}, what, body);
}

// On whichever thread makes progress.
void Mail::on_part(Rank from, std::span<const std::byte> bytes) {
  std::optional<std::vector<std::byte>> message = assembly_.add(from, bytes);
  if (!message) return;
  Reader reader(*message);
  const Head head = reader.get<Head>();
  if (head.what == Say::answer) return on_answer(head, reader.rest());
  const base::Lock lock(inbox_mutex_);
  inbox_.push_back({from, std::move(*message)});
}

void Mail::on_answer(const Head& head, std::span<const std::byte> body) {
  const base::Lock lock(asking_mutex_);
  const auto found = asking_.find(head.ticket);
  if (found == asking_.end()) return;  // it has given up
  *found->second = {true, {head.code, {body.begin(), body.end()}}};
  answered_.notify_all();
}

bool Mail::perform_arrived(Performer& performer) {
  while (transport_.progress()) {
  }
  static_cast<void>(messages_.load());
  std::deque<Arrived> arrived;
  {
    const base::Lock lock(inbox_mutex_);
    arrived.swap(inbox_);
  }
  performing_ = true;
  for (const Arrived& each : arrived) {
    Reader reader(each.message);
    const Head head = reader.get<Head>();
    const Answer answer = performer.perform(each.from, head.what, reader);
    if (head.ticket != 0) send(each.from, {Say::answer, answer.code, head.ticket}, answer.body);
    if (!is_control(head.what)) performed_.fetch_add(1);
  }
  performing_ = false;
  return !arrived.empty();
}

void Mail::give_up() {
  const base::Lock lock(asking_mutex_);
  is_given_up_ = true;
  answered_.notify_all();
}

}  // namespace weir::ocr
