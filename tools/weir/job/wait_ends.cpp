// SPDX-License-Identifier: Apache-2.0

#include "wait_ends.hpp"

#include <algorithm>
#include <iterator>

#include "trace/records.hpp"

namespace weir::tool::job {

namespace {

constexpr std::uint64_t kMostBytes = 4096;  // of words of one wait that are looked at
constexpr std::uint64_t kStep = 2;          // words may be as short as this

std::uint64_t key(trace::PePlace place, std::uint64_t offset) {
  place.offset = offset;
  return place.packed();
}

template <class Do>
void for_words(const WaitEnds::Wait& wait, Do&& act) {
  if (!wait.place.is_known()) return;
  const std::uint64_t step = wait.bytes <= 8 ? 8 : kStep;
  for (std::uint64_t at = 0; at < std::min(wait.bytes, kMostBytes); at += step)
    act(key(wait.place, wait.place.offset + at));
}

// Of one PE: its waits, or its puts and atomics.
class Reading final : public trace::RecordVisitor {
 public:
  Reading(const PeFile& file, bool for_waits, WaitEnds& to)
      : pe_(file.pe), clock_(file), for_waits_(for_waits), to_(to) {}

 private:
  void event(std::uint32_t track, const trace::Event& event) override {
    const trace::Kind kind = event.kind();
    const bool is_wait = kind == trace::Kind::until, is_put = kind == trace::Kind::put || kind == trace::Kind::atomic;
    if (for_waits_ ? !is_wait : !is_put) return;
    const CallAt call{pe_, track, clock_.ns(event.start), clock_.ns(event.end())};
    if (for_waits_)
      to_.add_wait({call, trace::PePlace::of(event.id), event.value()});
    else
      to_.add_put(event, call);
  }

  const int pe_;
  const JobClock clock_;
  const bool for_waits_;
  WaitEnds& to_;
};

}  // namespace

base::Status for_each_end(const JobFiles& job,
                          const std::function<void(const WaitEnds::Wait&, const CallAt& by)>& take) {
  WaitEnds waits;
  for (const bool for_waits : {true, false}) {
    for (const PeFile& file : job.files) {
      Reading reading(file, for_waits, waits);
      if (base::Status status = trace::read_records(file.reader, file.info(), reading); !status) return status;
    }
  }
  waits.find_ends([&](const WaitEnds::Wait& wait, const CallAt& by) {
    if (by.pe >= 0) take(wait, by);
  });
  return base::Status::success();
}

void WaitEnds::add_wait(const Wait& wait) {
  waits_.push_back(wait);
  for_words(wait, [&](std::uint64_t word) { words_.try_emplace(word); });
}

void WaitEnds::add_to(trace::PePlace place, std::uint64_t offset, const CallAt& put) {
  const auto word = words_.find(key(place, offset));
  if (word != words_.end()) word->second.push_back(put);
}

void WaitEnds::add_put(const trace::Event& event, const CallAt& call) {
  const auto place = trace::PePlace::of(event.id);
  if (!place.is_known()) return;
  add_to(place, place.offset, call);
  const bool is_signal =
      event.kind() == trace::Kind::put && (event.small() == static_cast<int>(trace::PePut::signal) ||
                                           event.small() == static_cast<int>(trace::PePut::signal_nbi));
  if (is_signal || event.value() <= 8) return;
  for (const std::uint64_t size : {8, 4}) add_to(place, place.offset + event.value() - size, call);
}

void WaitEnds::find_ends(const std::function<void(const Wait&, const CallAt& by)>& take) {
  const auto is_before = [](const CallAt& a, const CallAt& b) { return a.start < b.start; };
  for (auto& [place, puts] : words_) std::sort(puts.begin(), puts.end(), is_before);
  for (const Wait& wait : waits_) {
    CallAt last{.start = INT64_MIN};
    for_words(wait, [&](std::uint64_t word) {
      const std::vector<CallAt>& puts = words_.at(word);
      const auto after = std::upper_bound(puts.begin(), puts.end(), CallAt{.start = wait.call.end}, is_before);
      if (after != puts.begin() && std::prev(after)->start > last.start) last = *std::prev(after);
    });
    take(wait, last);
  }
}

}  // namespace weir::tool::job
