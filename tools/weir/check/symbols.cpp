// SPDX-License-Identifier: Apache-2.0

#include "check/symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "check/debug_info.hpp"
#include "check/decode.hpp"
#include "platform/symbol_names.hpp"

namespace weir::tool::check {

namespace {

std::string demangled(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

// "f<int>(int)::{lambda()#1}::operator()() const" is "f::{lambda}".
std::string shortened(std::string name) {
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (name.compare(i, 10, "operator()") == 0 && depth == 0) {
      i += 9;
      result += "operator";
      continue;
    }
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) result += c;
    if (c == '>' || c == ')') --depth;
  }
  while (result.find("::::") != std::string::npos) result.erase(result.find("::::"), 2);  // unnamed namespaces
  for (const std::string_view noise : {" const", "::operator", " [clone .isra]", "[abi:cxx11]"}) {
    for (auto at = result.find(noise); at != std::string::npos; at = result.find(noise)) result.erase(at, noise.size());
  }
  return result;
}

// Of code without lines only the name tells whose it is.
bool is_library_function(const std::string& name) {
  static const std::regex pattern(
      "^(((non-virtual |virtual )?thunk to |[a-z ]*)"
      "weir::(alloc|base|check|checker|checkpoint|cluster|data|deps|detail|explain|island|launch|machine|memory|mpi|"
      "ocr|"
      "placer|platform|runtime|sched|shmem|trace|transport)::|"
      "weir::(Runtime::|spawn|wait)|ocr[A-Z]|std::|__gnu_cxx::|__cxa_).*");
  return std::regex_match(name, pattern);
}

// Weir's own sources, where this one comes from; its headers, wherever they are installed; the system's.
bool is_library_file(const std::string& file) {
  const std::string path = std::filesystem::path(file).lexically_normal().string();
  for (const char* const folder : {WEIR_SOURCE_FOLDER "/src/", WEIR_SOURCE_FOLDER "/include/"})
    if (path.rfind(folder, 0) == 0) return true;
  static const std::regex pattern(
      "(/usr/(local/)?(include|lib)/.*|/usr/src/debug/.*|.*/include/weir/([a-z_]+|detail/[a-z_]+)\\.hpp|"
      ".*/sysdeps/.*|.*/csu/.*)");
  return std::regex_match(path, pattern);
}

// With debug information of its own it has files, of whatever names.
bool is_c_library(const std::string& module) {
  return module.rfind("libc.so", 0) == 0 || module.rfind("libc-", 0) == 0 || module.rfind("ld-linux", 0) == 0;
}

// Whether memory of the process at `address` is mapped from a file.
bool is_of_file(int pid, std::uint64_t address) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0, inode = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64, &begin, &end, &inode) != 3) continue;
    if (begin <= address && address < end) return inode != 0;
  }
  return false;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string Place::text() const {
  if (!file.empty()) return fmt::format("{}:{}", base_name(file), line);
  const std::string where = fmt::format("{}+{:#x}", module, offset);
  return fmt::format("{} (no line: compile with -g)", function.empty() ? where : function + " in " + where);
}

struct Symbols::Session {
  int pid;
  Dwfl* dwfl = nullptr;
  explicit Session(int p) : pid(p) { open(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { dwfl_end(dwfl); }

  void open() {
    static const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, nullptr};
    dwfl_end(dwfl);
    dwfl = dwfl_begin(&callbacks);
    if (dwfl == nullptr) return;
    dwfl_linux_proc_report(dwfl, pid);
    dwfl_report_end(dwfl, nullptr, nullptr);
  }
  // Libraries may have been loaded since. Not when data is asked for that is in no file: to read debug information
  // again takes a tenth of a second and more.
  Dwfl_Module* module(std::uint64_t address) {
    Dwfl_Module* found = dwfl_addrmodule(dwfl, address);
    if (found != nullptr || !is_of_file(pid, address)) return found;
    open();
    return dwfl_addrmodule(dwfl, address);
  }
};

Symbols::Symbols(int pid) : session_(std::make_unique<Session>(pid)) {}
Symbols::~Symbols() = default;

namespace {

// clang calls lambdas "f()::$_0::operator()".
bool is_lambda(const std::string& function) {
  static const std::regex pattern("(.*::)?\\$_[0-9]+");
  return std::regex_match(function, pattern);
}

// "a lambda", or the name as it is in the source.
std::string name_of(Dwarf_Die& inlined) {
  Dwarf_Attribute attribute;
  const char* const linkage = dwarf_formstring(dwarf_attr_integrate(&inlined, DW_AT_linkage_name, &attribute));
  const char* const name = linkage != nullptr ? linkage : dwarf_diename(&inlined);
  if (linkage == nullptr && name != nullptr && std::string_view(name) == "operator()") return "a lambda";
  const std::string function = shortened(demangled(name));
  return is_lambda(function) ? "a lambda" : function;
}

// The function that has a frame of its own: by its symbol.
void name_outermost(Dwfl_Module* module, std::uint64_t at, Place& place) {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const std::string whole = demangled(dwfl_module_addrinfo(module, at, &offset, &symbol, nullptr, nullptr, nullptr));
  place.function = shortened(whole);
  if (is_lambda(place.function)) place.function = "a lambda";
  if (!place.file.empty()) return;
  const bool system = place.module.rfind("lib", 0) == 0 && place.module.find(".so") != std::string::npos;
  place.of_user = !system && !is_library_function(whole) && !is_library_function(place.function);
}

// Null when nothing is known. Clang writes no table of addresses (.debug_aranges), which libdw looks into.
Dwarf_Die* unit_at(Dwfl_Module* module, Dwarf_Addr at, Dwarf_Addr& bias) {
  Dwarf_Die* unit = dwfl_module_addrdie(module, at, &bias);
  if (unit != nullptr) return unit;
  do unit = dwfl_module_nextcu(module, unit, &bias);
  while (unit != nullptr && dwarf_haspc(unit, at - bias) != 1);
  return unit;
}

}  // namespace

std::vector<Place> Symbols::places(std::uint64_t address, bool exact) {
  const std::uint64_t at = exact ? address : address - 1;
  Dwfl_Module* const module = session_->module(at);
  if (module == nullptr) return {};
  GElf_Addr start = 0;
  Place place;
  place.module = base_name(dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr));
  place.offset = at - start;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(module, at, bias);
  std::vector<Place> result;
  std::vector<Dwarf_Die> functions;
  if (unit != nullptr) functions = functions_at(*unit, at - bias);
  for (std::size_t depth = unit != nullptr ? functions.size() : 0; depth-- != 0;) {
    const Line line = line_in(*unit, functions, depth, at - bias);
    place.file = line.file;
    place.line = line.number;
    place.function = name_of(functions[depth]);
    place.of_user = !is_library_file(place.file) && !is_c_library(place.module);
    result.push_back(place);
  }
  if (result.empty()) {
    if (Dwfl_Line* const line = dwfl_module_getsrc(module, at)) {  // code by hand: no function, but lines
      const char* const file = dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr);
      if (place.line != 0 && file != nullptr) place.file = file;
    }
    place.of_user = !is_library_file(place.file) && !is_c_library(place.module);
    result.push_back(place);
  }
  name_outermost(module, at, result.back());
  return result;
}

namespace {
const Place* user_place_in(const std::vector<Place>& all) {
  const auto found =
      std::find_if(all.begin(), all.end(), [](const Place& place) { return place.of_user && !place.file.empty(); });
  return found == all.end() ? nullptr : &*found;
}
}  // namespace

Place Symbols::user_place(const weir::checker::Frames& frames, std::uint64_t function) {
  Place without_line;
  for (std::uint32_t i = 0; i < frames.count; ++i) {
    const std::vector<Place> all = places(frames.address[i], i == 0 && frames.first_is_exact != 0);
    if (const Place* const place = user_place_in(all)) return *place;
    for (const Place& place : all) {
      const bool better = without_line.module.empty() || (place.of_user && !without_line.of_user);
      if (better) without_line = place;
    }
  }
  const std::vector<Place> jumps = last_jumps(function, 0);
  return jumps.size() == 1 ? jumps.front() : without_line;
}

std::vector<Place> Symbols::last_jumps(std::uint64_t function, int depth) {
  constexpr int kDeepest = 3;
  constexpr std::size_t kLongestFunction = 1 << 20;
  Dwfl_Module* const module = function == 0 ? nullptr : session_->module(function);
  Dwarf_Addr bias = 0, start = 0, end = 0;
  Dwarf_Die* const unit = module == nullptr ? nullptr : unit_at(module, function, bias);
  std::vector<Dwarf_Die> functions;
  if (unit != nullptr) functions = functions_at(*unit, function - bias);
  if (functions.empty() || dwarf_lowpc(functions.data(), &start) != 0 || dwarf_highpc(functions.data(), &end) != 0 ||
      end - start > kLongestFunction)
    return {};
  std::vector<unsigned char> code(end - start);
  const iovec to{code.data(), code.size()}, from{reinterpret_cast<void*>(start + bias), code.size()};
  if (process_vm_readv(session_->pid, &to, 1, &from, 1, 0) != static_cast<ssize_t>(code.size())) return {};
  std::vector<Place> jumps;
  for (std::size_t at = 0; at < code.size();) {
    const Flow next = flow(std::span(code).subspan(at));
    if (next.length == 0) break;
    const std::uint64_t target = start + bias + at + next.length + static_cast<std::uint64_t>(next.by);
    if (next.jumps && (!next.is_relative || target < start + bias || target >= end + bias)) {
      const std::vector<Place> all = places(start + bias + at, true);
      if (const Place* const place = user_place_in(all)) jumps.push_back(*place);
      if (next.is_relative && depth < kDeepest)
        std::ranges::move(last_jumps(target, depth + 1), std::back_inserter(jumps));
    }
    at += next.length;
  }
  return jumps;
}

std::string Symbols::object(std::uint64_t address) {
  Dwfl_Module* const module = session_->module(address);
  if (module == nullptr) return "";
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  return name != nullptr && offset < symbol.st_size ? platform::source_name(name) : "";
}

}  // namespace weir::tool::check
