#include "check/symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>

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
      "^(weir::(detail|runtime|check|sched|deps|data|base|platform|ocr)::|weir::(Runtime::|spawn|wait)|"
      "[a-z ]*weir::(detail|check|sched)::|ocr[A-Z]|std::|__gnu_cxx::|__cxa_).*");
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
  // Libraries may have been loaded since.
  Dwfl_Module* module(std::uint64_t address) {
    Dwfl_Module* found = dwfl_addrmodule(dwfl, address);
    if (found != nullptr) return found;
    open();
    return dwfl_addrmodule(dwfl, address);
  }
};

Symbols::Symbols(int pid) : session_(std::make_unique<Session>(pid)) {}
Symbols::~Symbols() = default;

namespace {

Place innermost(Dwfl_Module* module, std::uint64_t address) {
  Place place;
  GElf_Addr start = 0;
  place.module = base_name(dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr));
  place.offset = address - start;
  if (Dwfl_Line* const line = dwfl_module_getsrc(module, address)) {
    const char* const file = dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr);
    place.file = file != nullptr ? file : "";
  }
  return place;
}

std::string file_of_call(Dwarf_Die* inlined, Dwarf_Die* unit, int& line) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, number = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0) return "";
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) != 0) return "";
  Dwarf_Files* files = nullptr;
  if (dwarf_getsrcfiles(unit, &files, nullptr) != 0) return "";
  const char* const name = dwarf_filesrc(files, file, nullptr, nullptr);
  line = static_cast<int>(number);
  return name != nullptr ? name : "";
}

}  // namespace

std::vector<Place> Symbols::places(std::uint64_t address, bool exact) {
  const std::uint64_t at = exact ? address : address - 1;
  Dwfl_Module* const module = session_->module(at);
  if (module == nullptr) return {};
  std::vector<Place> result{innermost(module, at)};
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, at, &bias);
  Dwarf_Die* scopes = nullptr;
  const int found = unit == nullptr ? 0 : dwarf_getscopes(unit, at - bias, &scopes);
  Dwarf_Die innermost_function;
  bool any = false;
  for (int i = 0; i < found && !any; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    any = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
    if (any) innermost_function = scopes[i];
  }
  std::free(scopes);
  Dwarf_Die* around = nullptr;
  const int depth = any ? dwarf_getscopes_die(&innermost_function, &around) : 0;
  for (int i = 0; i < depth; ++i) {
    const int tag = dwarf_tag(&around[i]);
    if (tag == DW_TAG_subprogram) break;
    if (tag != DW_TAG_inlined_subroutine) continue;
    Dwarf_Attribute attribute;
    const char* const linkage = dwarf_formstring(dwarf_attr_integrate(&around[i], DW_AT_linkage_name, &attribute));
    const char* const name = linkage != nullptr ? linkage : dwarf_diename(&around[i]);
    result.back().function = linkage == nullptr && name != nullptr && std::string_view(name) == "operator()"
                                 ? "a lambda"
                                 : shortened(demangled(name));
    result.back().of_user = !is_library_file(result.back().file);
    Place outer = result.back();
    outer.file = file_of_call(&around[i], unit, outer.line);
    result.push_back(outer);
  }
  std::free(around);
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name = dwfl_module_addrinfo(module, at, &offset, &symbol, nullptr, nullptr, nullptr);
  Place& outermost = result.back();
  const std::string whole = demangled(name);
  outermost.function = shortened(whole);
  if (outermost.file.empty()) {
    const bool system = outermost.module.rfind("lib", 0) == 0 && outermost.module.find(".so") != std::string::npos;
    outermost.of_user = !system && !is_library_function(whole) && !is_library_function(outermost.function);
  } else {
    outermost.of_user = !is_library_file(outermost.file);
  }
  return result;
}

Place Symbols::user_place(const weir::check::Frames& frames) {
  Place without_line;
  for (std::uint32_t i = 0; i < frames.count; ++i) {
    const std::vector<Place> all = places(frames.address[i], i == 0 && frames.first_is_exact != 0);
    for (const Place& place : all) {
      if (place.of_user && !place.file.empty()) return place;
      const bool better = without_line.module.empty() || (place.of_user && !without_line.of_user);
      if (better) without_line = place;
    }
  }
  return without_line;
}

std::string Symbols::object(std::uint64_t address) {
  Dwfl_Module* const module = session_->module(address);
  if (module == nullptr) return "";
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  return name != nullptr && offset < symbol.st_size ? shortened(demangled(name)) : "";
}

}  // namespace weir::tool::check
