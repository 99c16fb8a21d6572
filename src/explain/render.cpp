// SPDX-License-Identifier: Apache-2.0

#include "explain/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/one_line.hpp"
#include "base/utf8.hpp"
#include "explain/findings.hpp"
#include "platform/source_lines.hpp"

namespace weir::explain {

namespace {

constexpr const char* kCauseNames[kCauses] = {"edge",     "children", "task",  "half",     "room",
                                              "transfer", "lock",     "above", "throttle", "event",
                                              "source",   "block",    "label", "rank",     "nothing"};
constexpr const char* kCauseTexts[kCauses] = {"a task that comes before",
                                              "their children",
                                              "a task by its handle",
                                              "the other half of a fork_join()",
                                              "room in a tier",
                                              "blocks on their way",
                                              "commutative data",
                                              "a task that runs on top, on the same worker",
                                              "fewer unfinished children",
                                              "events",
                                              "another event",
                                              "data blocks",
                                              "labels that others have",
                                              "what another rank does",
                                              "something that never happens"};
constexpr const char* kKindNames[] = {"task", "own", "thread", "edt", "event"};
constexpr const char* kStateNames[] = {"waiting", "ready", "running", "inactive"};

std::string number_of(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Which waits are whose, and the places of what is told.
class Teller {
 public:
  explicit Teller(const Situation& situation)
      : s_(situation), findings_(find(situation)), first_(situation.things.size() + 1, 0) {
    for (const Wait& wait : s_.waits) ++first_[wait.who + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    order_.resize(s_.waits.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < s_.waits.size(); ++i) order_[next[s_.waits[i].who]++] = i;
  }

  const Findings& findings() const { return findings_; }
  std::size_t wait_count(Index thing) const { return first_[thing + 1] - first_[thing]; }
  const Wait& wait(Index thing, std::size_t i) const { return s_.waits[order_[first_[thing] + i]]; }

  // Roots, what is on the cycle, then others that wait, at most `most` of these.
  std::vector<Index> chosen(std::size_t most) const {
    std::vector<Index> result;
    const auto add = [&](Index i) {
      if (std::find(result.begin(), result.end(), i) == result.end()) result.push_back(i);
    };
    for (const std::uint32_t w : findings_.cycle) add(s_.waits[w].who);
    for (const Root& root : findings_.roots) add(root.thing);
    std::size_t count = 0;
    for (Index i = 0; i < s_.things.size() && count < most; ++i) {
      const Thing& thing = s_.things[i];
      if (thing.kind == Kind::event) continue;
      ++count;
      result.push_back(i);
    }
    std::vector<Index> unique;
    std::vector<bool> there(s_.things.size(), false);
    for (const Index i : result) {
      if (!there[i]) unique.push_back(i);
      there[i] = true;
    }
    return unique;
  }

  // Of those that wait for it directly, a task or an EDT before what stands for the program's own thread; or null.
  const Wait* first_wait_on(Index thing) const {
    const Wait* first = nullptr;
    for (const Wait& wait : s_.waits) {
      if (wait.on != thing) continue;
      if (s_.things[wait.who].kind != Kind::thread) return &wait;
      if (first == nullptr) first = &wait;
    }
    return first;
  }

  void find_places(const std::vector<Index>& of) {
    std::vector<const void*> sites;
    const auto add = [&](Index i) {
      if (i != kNobody && s_.things[i].site != nullptr && places_.emplace(s_.things[i].site, "").second)
        sites.push_back(s_.things[i].site);
    };
    for (const Index i : of) {
      add(i);
      for (std::size_t w = 0; w < std::min<std::size_t>(wait_count(i), 4); ++w) add(wait(i, w).on);
    }
    const auto lines = platform::find_source(sites);
    for (std::size_t i = 0; i < sites.size(); ++i) places_[sites[i]] = lines[i].text();
  }

  std::string place(const Thing& thing) const {
    const auto found = places_.find(thing.site);
    return found == places_.end() ? std::string() : found->second;
  }

  // "task 'a' (12), spawned at f.cpp:3 (main)".
  std::string full_name(Index i) const {
    const Thing& thing = s_.things[i];
    std::string text = name(i);
    if (const std::string at = place(thing); !at.empty()) text += fmt::format(", spawned at {}", at);
    if (!thing.detail.empty()) text += fmt::format(", {}", thing.detail);
    return text;
  }

  std::string name(Index i) const {
    const Thing& thing = s_.things[i];
    switch (thing.kind) {
      case Kind::thread: return thing.name;
      case Kind::event: return fmt::format("{} {:#x}", thing.name, thing.id);
      case Kind::edt: return fmt::format("{} ({:#x})", thing.name, thing.id);
      case Kind::own: return fmt::format("{} ({:x})", thing.name, thing.id);
      case Kind::task: break;
    }
    return thing.name.empty() ? fmt::format("task {:x}", thing.id)
                              : fmt::format("task '{}' ({:x})", thing.name, thing.id);
  }

  // What is told of one wait behind "waits for".
  std::string reason(const Wait& wait) const {
    std::string on = wait.on == kNobody ? std::string() : name(wait.on);
    switch (wait.cause) {
      case Cause::edge:
        if (on.empty()) return "a task that was not looked at, or for a worker";
        if (s_.things[wait.on].kind == Kind::own) return fmt::format("{}, before it{}", on, by(wait));
        return fmt::format("{} to end, which comes before it{}", on, by(wait));
      case Cause::children: return fmt::format("its child {} to end", on);
      case Cause::task: return fmt::format("{} to end, by its handle", on);
      case Cause::half:
        return wait.what.empty() ? "the other half of a fork_join(), which another worker runs" : wait.what;
      case Cause::room: return on.empty() ? wait.what : fmt::format("{}; {}", wait.what, full_name(wait.on));
      case Cause::transfer: return wait.what;
      case Cause::lock:
        return fmt::format("commutative data that {} has{}", on.empty() ? "another task" : on, by(wait));
      case Cause::above: return fmt::format("{}, which its worker runs on top of it", on);
      case Cause::throttle: return fmt::format("some of its children to end, as it has too many: {} is one", on);
      case Cause::event: return wait.what.empty() ? on : on.empty() ? wait.what : fmt::format("{}: {}", wait.what, on);
      case Cause::source: return on;
      case Cause::label: return on.empty() ? wait.what : fmt::format("{} to end, which has the label", on);
      case Cause::block: return on.empty() ? wait.what : fmt::format("{}, which {} holds", wait.what, on);
      case Cause::rank:
      case Cause::nothing: return wait.what;
    }
    return {};
  }

  // "8 bytes at 0x7f00": what two tasks have in common; "" when that is not known.
  std::string data(const Wait& wait) const {
    if (wait.data == kNobody) return {};
    const Data& d = s_.data[wait.data];
    if (d.is_block)
      return d.block.empty() ? fmt::format("a block of {} bytes", d.row_bytes) : fmt::format("block '{}'", d.block);
    std::string text = d.rows == 1 ? fmt::format("{} bytes at {:#x}", d.row_bytes, d.address)
                                   : fmt::format("{} rows of {} bytes at {:#x}", d.rows, d.row_bytes, d.address);
    if (d.array != 0)
      text += fmt::format(" (row {}, byte {} of the watched array at {:#x})", d.array_row, d.array_byte, d.array);
    return text;
  }

  std::string state(const Thing& thing) const {
    if (thing.state == State::inactive) return "nothing has satisfied it";
    if (thing.state == State::ready) return "is ready, and no worker has taken it";
    if (thing.state != State::running) return "waits";
    const std::string asleep = thing.asleep.empty() ? "" : fmt::format(", its thread asleep in {}", thing.asleep);
    if (thing.seconds < 0.05) return fmt::format("runs on worker {}{}", thing.worker, asleep);
    return fmt::format("has been running on worker {} for {:.1f} s at least{}", thing.worker, thing.seconds, asleep);
  }

 private:
  // What makes them wait, behind who: ": 8 bytes at 0x7f00, in here (item 1), out there (item 2)".
  std::string by(const Wait& wait) const {
    if (wait.by_after) return ", by after()";
    if (wait.data == kNobody) return {};
    const Data& d = s_.data[wait.data];
    std::string text = fmt::format(": {}", data(wait));
    if (d.item == d.item_of_other && std::string_view(d.mode) == d.mode_of_other)
      return text + fmt::format(", {} in both (item {}){}", d.mode, d.item, more(d));
    if (d.item != 0) text += fmt::format(", {} here (item {})", d.mode, d.item);
    if (d.item_of_other != 0) text += fmt::format(", {} there (item {})", d.mode_of_other, d.item_of_other);
    return text + more(d);
  }
  static std::string more(const Data& d) {
    std::string text = d.only_a_block ? "; they share no byte of it, but a block of the array" : "";
    if (d.more != 0)
      text += fmt::format("; and {} here", number_of(static_cast<std::size_t>(d.more), "more item", "more items"));
    return text;
  }

  const Situation& s_;
  const Findings findings_;
  std::vector<std::uint32_t> first_, order_;
  std::map<const void*, std::string> places_;
};

// Names that the program has given may hold ends of lines, and codes that a terminal would obey.
std::string line_of(std::string_view text) { return base::one_line(text) + '\n'; }

std::string head(const Situation& s, const Findings& f) {
  const std::size_t left = f.waiting + f.ready + f.running + s.left_out;
  std::string text = fmt::format("weir: explain: {}: ", s.title);
  if (left == 0) return line_of(text + "no task is left");
  text += fmt::format("{} left: {} running, {} ready, {} waiting", number_of(left, "task", "tasks"), f.running, f.ready,
                      f.waiting);
  if (s.left_out != 0) text += fmt::format(", {} not looked at", s.left_out);
  if (s.nothing_runs) text += fmt::format("; nothing has run for {:.1f} s", s.quiet_seconds);
  return line_of(text);
}

void add_causes(std::string& text, const Findings& f) {
  std::string list;
  for (int i = 0; i < kCauses; ++i) {
    const std::uint32_t count = f.by_cause[static_cast<std::size_t>(i)];
    if (count != 0) list += fmt::format("{}{} for {}", list.empty() ? "" : ", ", count, kCauseTexts[i]);
  }
  if (!list.empty()) text += fmt::format("  waits: {}\n", list);
}

void add_cycle(std::string& text, const Situation& s, const Teller& teller) {
  if (teller.findings().cycle.empty()) return;
  text += "  they wait for each other, in a circle:\n";
  for (const std::uint32_t w : teller.findings().cycle) {
    const Wait& wait = s.waits[w];
    text += line_of("    " + teller.full_name(wait.who));
    text += line_of("      waits for " + teller.reason(wait));
  }
}

void add_roots(std::string& text, const Situation& s, const Teller& teller) {
  if (teller.findings().roots.empty()) return;
  text += "  at the root:\n";
  for (const Root& root : teller.findings().roots) {
    const Thing& thing = s.things[root.thing];
    std::string line = fmt::format("    {}: {}", teller.full_name(root.thing), teller.state(thing));
    const char* const begins = thing.state == State::running ? ", and waits for" : " for";
    for (std::size_t i = 0; i < teller.wait_count(root.thing); ++i)
      line += fmt::format("{} {}", i == 0 ? begins : ", and", teller.reason(teller.wait(root.thing, i)));
    if (root.waiters != 0) {
      line += fmt::format("; {} for it", number_of(root.waiters, "waits", "wait"));
      if (const Wait* const wait = teller.first_wait_on(root.thing)) {
        line += fmt::format("{} {}", root.waiters == 1 ? ":" : ", the first", teller.name(wait->who));
        const std::string what = wait->data != kNobody ? teller.data(*wait) : wait->what;
        if (!what.empty()) line += fmt::format(", for {}", what);
      }
    }
    text += line_of(line);
  }
  if (const std::size_t others = teller.findings().roots_left_out; others != 0)
    text += fmt::format("    and {} more\n", others);
}

void add_things(std::string& text, const Situation& s, const Teller& teller, std::size_t most) {
  constexpr std::size_t kMostReasons = 4;
  std::size_t told = 0, count = 0;
  for (Index i = 0; i < s.things.size(); ++i) {
    const Thing& thing = s.things[i];
    if (thing.kind == Kind::event) continue;
    if (++count > most) continue;
    if (told++ == 0) text += "  one by one:\n";
    text += line_of(fmt::format("    {}: {}", teller.full_name(i), teller.state(thing)));
    const std::size_t waits = teller.wait_count(i);
    for (std::size_t w = 0; w < std::min(waits, kMostReasons); ++w) {
      const Wait& wait = teller.wait(i, w);
      const bool same_room = w != 0 && wait.cause == Cause::room && wait.what == teller.wait(i, w - 1).what;
      text += line_of(fmt::format("      {} {}", w == 0 ? "for" : "and",
                                  same_room ? teller.full_name(wait.on) : teller.reason(wait)));
    }
    if (waits > kMostReasons) text += fmt::format("      and {} more\n", waits - kMostReasons);
  }
  if (count > most) text += fmt::format("    ... and {} more\n", count - most);
}

// ---- JSON ----

// Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (std::size_t at = 0, length = 0; at < text.size(); at += std::max<std::size_t>(length, 1)) {
    const char c = text[at];
    length = base::utf8_length(text.substr(at));
    if (c == '"' || c == '\\')
      result += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<int>(c));
    else if (length == 0)
      result += "\xef\xbf\xbd";
    else
      result += text.substr(at, length);
  }
  return result + '"';
}

std::string json_by(const Situation& s, const Wait& wait) {
  if (wait.by_after) return R"({"after":true})";
  if (wait.data == kNobody) return "null";
  const Data& d = s.data[wait.data];
  std::string text = "{";
  if (d.item != 0) text += fmt::format(R"("item":{},"mode":"{}",)", d.item, d.mode);
  if (d.item_of_other != 0)
    text += fmt::format(R"("other_item":{},"other_mode":"{}",)", d.item_of_other, d.mode_of_other);
  if (d.is_block) return text + fmt::format(R"("block":{},"bytes":{}}})", json_string(d.block), d.row_bytes);
  text += fmt::format(R"("address":"{:#x}","rows":{},"row_bytes":{},"only_a_block":{})", d.address, d.rows, d.row_bytes,
                      d.only_a_block);
  if (d.array != 0)
    text += fmt::format(R"(,"array":"{:#x}","array_row":{},"array_byte":{})", d.array, d.array_row, d.array_byte);
  return text + '}';
}

std::string json_wait(const Situation& s, const Wait& wait, const Teller& teller) {
  return fmt::format(R"({{"cause":"{}","for":{},"by":{},"text":{}}})",
                     kCauseNames[static_cast<std::size_t>(wait.cause)],
                     wait.on == kNobody ? "null" : json_string(fmt::format("{:x}", s.things[wait.on].id)),
                     json_by(s, wait), json_string(teller.reason(wait)));
}

std::string json_thing(const Situation& s, Index i, const Teller& teller) {
  const Thing& thing = s.things[i];
  const std::string place = teller.place(thing);
  std::string waits;
  for (std::size_t w = 0; w < teller.wait_count(i); ++w)
    waits += fmt::format("{}{}", w == 0 ? "" : ",", json_wait(s, teller.wait(i, w), teller));
  return fmt::format(
      R"({{"id":"{:x}","kind":"{}","name":{},"state":"{}","worker":{},"seconds":{:.3f},"asleep_in":{},"spawned_at":{},"detail":{},"waits":[{}]}})",
      thing.id, kKindNames[static_cast<std::size_t>(thing.kind)], thing.name.empty() ? "null" : json_string(thing.name),
      kStateNames[static_cast<std::size_t>(thing.state)], thing.worker < 0 ? "null" : fmt::format("{}", thing.worker),
      thing.seconds, thing.asleep.empty() ? "null" : json_string(thing.asleep),
      place.empty() ? "null" : json_string(place), thing.detail.empty() ? "null" : json_string(thing.detail), waits);
}

template <class Range, class F>
std::string list_of(const Range& range, F&& each) {
  std::string text;
  for (const auto& item : range) text += fmt::format("{}{}", text.empty() ? "" : ",", each(item));
  return text;
}

}  // namespace

std::string to_text(const Situation& situation, std::size_t most) {
  Teller teller(situation);
  teller.find_places(teller.chosen(most));
  std::string text = head(situation, teller.findings());
  add_causes(text, teller.findings());
  add_cycle(text, situation, teller);
  add_roots(text, situation, teller);
  add_things(text, situation, teller, most);
  if (!situation.workers.empty()) text += "  workers:\n";
  for (const WorkerState& worker : situation.workers)
    text += line_of(fmt::format("    worker {} {}", worker.index, worker.doing));
  for (const std::string& note : situation.notes) text += line_of("  " + note);
  return text;
}

std::string to_json(const Situation& situation, std::size_t most) {
  Teller teller(situation);
  const std::vector<Index> chosen = teller.chosen(most);
  teller.find_places(chosen);
  const Findings& f = teller.findings();
  std::string causes;
  for (std::size_t i = 0; i < kCauses; ++i) {
    if (f.by_cause[i] != 0)
      causes += fmt::format("{}\"{}\":{}", causes.empty() ? "" : ",", kCauseNames[i], f.by_cause[i]);
  }
  return fmt::format(
      R"({{"title":{},"left":{},"running":{},"ready":{},"waiting":{},"left_out":{},"nothing_runs":{},"quiet_seconds":{:.3f},"causes":{{{}}},"cycle":[{}],"roots":[{}],"roots_left_out":{},"things":[{}],"workers":[{}],"notes":[{}]}})",
      json_string(situation.title), f.waiting + f.ready + f.running + situation.left_out, f.running, f.ready, f.waiting,
      situation.left_out, situation.nothing_runs, situation.quiet_seconds, causes,
      list_of(f.cycle,
              [&](std::uint32_t w) {
                const Wait& wait = situation.waits[w];
                return fmt::format(R"({{"who":"{:x}","name":{},"wait":{}}})", situation.things[wait.who].id,
                                   json_string(teller.full_name(wait.who)), json_wait(situation, wait, teller));
              }),
      list_of(f.roots,
              [&](const Root& root) {
                return fmt::format(R"({{"id":"{:x}","text":{},"waiters":{}}})", situation.things[root.thing].id,
                                   json_string(teller.full_name(root.thing)), root.waiters);
              }),
      f.roots_left_out, list_of(chosen, [&](Index i) { return json_thing(situation, i, teller); }),
      list_of(situation.workers,
              [&](const WorkerState& worker) {
                return fmt::format(R"({{"index":{},"doing":{}}})", worker.index, json_string(worker.doing));
              }),
      list_of(situation.notes, [&](const std::string& note) { return json_string(note); }));
}

}  // namespace weir::explain
