// SPDX-License-Identifier: Apache-2.0

#include "job_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json.hpp"
#include "shmem/world/awaited.hpp"
#include "text.hpp"

namespace weir::tool {

namespace {

using shmem::Phase;
using Kind = shmem::Awaited::Kind;

constexpr std::array kComparisons{"==", "!=", ">", "<=", "<", ">="};  // in the order of shmem.h

const char* sign_of(int comparison) {
  const auto index = static_cast<std::size_t>(comparison);
  return index < kComparisons.size() ? kComparisons[index] : "?";
}

// "PE 3", "PEs 0-2, 5".
std::string pes_text(const std::vector<int>& pes) {
  return fmt::format("PE{} {}", pes.size() == 1 ? "" : "s", ranges(pes, ", "));
}

std::string word_text(const WaitView& wait) {
  const std::string object = wait.object.empty() ? "a word" : wait.object;
  if (static_cast<Kind>(wait.kind) == Kind::words) return fmt::format("one of {} words from {} on", wait.words, object);
  return fmt::format("{}{}, and it waits until that is {} {}", object,
                     wait.value.empty() ? "" : fmt::format(" is {}", wait.value), sign_of(wait.comparison),
                     wait.wanted);
}

std::string group_text(const WaitView& wait) {
  std::string text = fmt::format("with {}", pes_text(wait.members));
  if (wait.elsewhere > 0) text += fmt::format(" and {} on other hosts", wait.elsewhere);
  if (!wait.missing.empty())
    return text +
           fmt::format("; {} {} not come to it", pes_text(wait.missing), wait.missing.size() == 1 ? "has" : "have");
  return text + (wait.elsewhere > 0 ? "; all of this host have come to it" : "; all have come to it");
}

std::string wait_text(const WaitView& wait) {
  std::string text =
      fmt::format("in {} for {:.1f} s: ", wait.routine.empty() ? "a SHMEM call" : wait.routine, wait.seconds);
  switch (static_cast<Kind>(wait.kind)) {
    case Kind::word:
    case Kind::words: return text + word_text(wait);
    case Kind::lock:
      if (wait.pe < 0) return text + fmt::format("the lock {}", wait.object);
      return text + fmt::format("the lock {}, which PE {} has or gets before it", wait.object, wait.pe);
    case Kind::collective: return text + group_text(wait);
    case Kind::pe: return text + fmt::format("PE {} has not come to it", wait.pe);
    case Kind::unknown: break;
  }
  return text + "it waits";
}

const char* idle_text(const PeView& pe) {
  switch (pe.life) {
    case Life::runs: return "in no SHMEM call that waits; it computes";
    case Life::sleeps: return "in no SHMEM call that waits; it is asleep";
    case Life::stopped: return "in no SHMEM call that waits";
    case Life::ended: break;
  }
  return "";
}

std::vector<std::string> doings_of(const PeView& pe, const std::vector<int>& waits_for) {
  if (pe.phase == Phase::left) return {"has left: it is out of shmem_finalize"};
  if (pe.is_lost()) return {"is lost: its process has ended without shmem_finalize"};
  std::vector<std::string> doings;
  const std::string others =
      waits_for.empty() ? "" : fmt::format("; {} {} not", pes_text(waits_for), waits_for.size() == 1 ? "has" : "have");
  if (pe.phase == Phase::finishing)
    doings.push_back(
        fmt::format("has left: in shmem_finalize, or out of main, for {:.1f} s{}", pe.phase_seconds, others));
  for (const WaitView& wait : pe.waits) doings.push_back(wait_text(wait));
  if (doings.empty()) doings.emplace_back(idle_text(pe));
  return doings;
}

const char* life_text(const PeView& pe) {
  return pe.life == Life::stopped ? ", stopped: kill -CONT lets it go on" : "";
}

std::string pe_text(const PeView& pe, const std::vector<int>& waits_for) {
  std::string text;
  for (const std::string& doing : doings_of(pe, waits_for)) text += (text.empty() ? "" : "; ") + doing;
  return fmt::format("PE {} (process {}{}): {}", pe.pe, pe.process, life_text(pe), text);
}

std::size_t index_of(const JobView& job, int pe) {
  const auto found = std::find_if(job.pes.begin(), job.pes.end(), [&](const PeView& one) { return one.pe == pe; });
  return static_cast<std::size_t>(found - job.pes.begin());
}

std::string root_text(const JobView& job, const Stand& stand, const Root& root) {
  const std::size_t index = index_of(job, root.pe);
  const std::string who = index == job.pes.size() ? fmt::format("PE {}, on another host", root.pe)
                                                  : pe_text(job.pes[index], stand.waits_for[index]);
  return fmt::format("{}; {} wait{} for it", who, pes_text(root.waiters), root.waiters.size() == 1 ? "s" : "");
}

Json wait_object(const WaitView& wait) {
  constexpr std::array kKinds{"unknown", "word", "words", "lock", "collective", "pe"};
  const bool is_word = static_cast<Kind>(wait.kind) == Kind::word;
  return {{"thread", wait.thread},
          {"routine", wait.routine},
          {"seconds", wait.seconds},
          {"kind", wait.kind < kKinds.size() ? kKinds[wait.kind] : "unknown"},
          {"object", wait.object.empty() ? Json() : Json(wait.object)},
          {"value", is_word && !wait.value.empty() ? Json(wait.value) : Json()},
          {"comparison", is_word ? Json(sign_of(wait.comparison)) : Json()},
          {"wanted", is_word ? Json(wait.wanted) : Json()},
          {"pe", wait.pe < 0 ? Json() : Json(wait.pe)},
          {"members", wait.members},
          {"members_elsewhere", wait.elsewhere},
          {"missing", wait.missing}};
}

const char* state_of(const PeView& pe) {
  if (pe.phase == Phase::left) return "left";
  if (pe.is_lost()) return "lost";
  return pe.phase == Phase::finishing ? "finalizing" : "running";
}

Json pe_object(const PeView& pe, const std::vector<int>& waits_for) {
  constexpr std::array kLives{"runs", "sleeps", "stopped", "ended"};
  Json waits = Json::array();
  for (const WaitView& wait : pe.waits) waits.push_back(wait_object(wait));
  return {{"pe", pe.pe},
          {"process", pe.process},
          {"state", state_of(pe)},
          {"state_seconds", pe.phase_seconds},
          {"life", kLives[static_cast<std::size_t>(pe.life)]},
          {"waits", waits},
          {"waits_for", waits_for}};
}

}  // namespace

std::string text_of(const JobView& job, const Stand& stand) {
  std::string text = fmt::format("weir: explain: SHMEM job of {} PE{}, {} of them on this host\n", job.n_pes,
                                 job.n_pes == 1 ? "" : "s", job.pes.size());
  if (!stand.cycle.empty()) {
    text += "  they wait for each other, in a circle:\n";
    for (std::size_t i = 0; i < stand.cycle.size(); ++i)
      text += fmt::format("    PE {} waits for PE {}\n", stand.cycle[i], stand.cycle[(i + 1) % stand.cycle.size()]);
  }
  if (!stand.roots.empty()) text += "  at the root:\n";
  for (const Root& root : stand.roots) text += fmt::format("    {}\n", root_text(job, stand, root));
  for (std::size_t i = 0; i < job.pes.size(); ++i)
    text += fmt::format("  {}\n", pe_text(job.pes[i], stand.waits_for[i]));
  return text;
}

Json object_of(const JobView& job, const Stand& stand) {
  Json pes = Json::array(), roots = Json::array();
  for (std::size_t i = 0; i < job.pes.size(); ++i) pes.push_back(pe_object(job.pes[i], stand.waits_for[i]));
  for (const Root& root : stand.roots) roots.push_back({{"pe", root.pe}, {"waiters", root.waiters}});
  return {{"object", "shmem_job"}, {"n_pes", job.n_pes}, {"pes", pes}, {"roots", roots}, {"cycle", stand.cycle}};
}

}  // namespace weir::tool
