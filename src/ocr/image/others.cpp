// SPDX-License-Identifier: Apache-2.0

#include "ocr/image/others.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace weir::ocr {

using base::Code;
using base::Status;

namespace {

constexpr auto kLookForStillness = std::chrono::microseconds(100), kLookForEnd = std::chrono::microseconds(500);

Status ends() { return {Code::lost, "the program ends"}; }

}  // namespace

void Others::begin_turn(std::uint64_t turn) {
  order_.turn = turn;
  order(Step::halt);
}

void Others::order(Step step) {
  order_.step = step;
  mail_.post_to_others(Say::checkpoint, Writer().put(CheckpointAsk::step).put(order_));
}

// A rank that has no checkpoints has other options than this one, which is refused at the start.
std::optional<Others::Said> Others::ask(Rank rank) {
  const Answer answer = mail_.ask(rank, Say::checkpoint, Writer().put(CheckpointAsk::step).put(order_));
  if (answer.code != 0) return std::nullopt;
  Reader body(answer.body);
  Said said{body.get<StepDone>(), {}};
  const std::span<const std::byte> text = body.rest();
  said.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return said;
}

// What stays so counts more than what may be otherwise next time.
Status Others::ask_all(std::vector<Said>& all) {
  Status failure = Status::success();
  bool has_ended = false;
  all.clear();
  mail_.for_each_other([&](Rank rank) {
    const std::optional<Said> said = ask(rank);
    has_ended |= !said;
    if (!said) return;
    all.push_back(*said);
    const bool has_failed = said->done.last.turn == order_.turn && said->done.code != Code::ok;
    if (has_failed && (failure || said->done.code == Code::unsupported))
      failure = {said->done.code, fmt::format("rank {}: {}", static_cast<unsigned>(rank), said->text)};
  });
  if (has_ended) return ends();
  last_ended_ = 0;
  for (const Said& each : all) last_ended_ += each.done.stillness.ended;
  return failure;
}

// HALT-1
Status Others::wait_until_still(const std::function<Stillness()>& own) {
  std::vector<Stillness> before;
  std::vector<Said> all;
  while (!stops_()) {
    std::vector<Stillness> now{own()};
    if (Status status = ask_all(all); !status) return status;
    for (const Said& each : all) {
      now.push_back(each.done.stillness);
      now.back().is_still = !order_.is_after(each.done.last);
    }
    if (nothing_happened(before, now)) return Status::success();
    const bool may_be = all_is_performed(now);
    before = std::move(now);
    if (!may_be) std::this_thread::sleep_for(kLookForStillness);
  }
  return ends();
}

Status Others::wait_until_done() {
  std::vector<Said> all;
  while (!stops_()) {
    if (Status status = ask_all(all); !status) return status;
    const bool all_have =
        std::all_of(all.begin(), all.end(), [&](const Said& each) { return !order_.is_after(each.done.last); });
    if (all_have) return Status::success();
    std::this_thread::sleep_for(order_.step == Step::write ? kLookForEnd : kLookForStillness);
  }
  return ends();
}

std::optional<std::uint64_t> Others::ended() {
  std::vector<Said> all;
  static_cast<void>(ask_all(all));
  const bool all_go_on = all.size() + 1 == mail_.transport().ranks();
  return all_go_on ? std::optional(last_ended_) : std::nullopt;
}

}  // namespace weir::ocr
