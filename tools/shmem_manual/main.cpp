// SPDX-License-Identifier: Apache-2.0

// Writes the manual pages of OpenSHMEM's routines, from the lists that the header is made of: weir_shmem_manual FOLDER.
// A routine that no page has, or two, is an error.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "pages.hpp"
#include "roff.hpp"
#include "routines.hpp"
#include "text.hpp"

namespace {

using weir::manual::Page;
using weir::manual::Routine;
using weir::tool::add_line;
using weir::tool::add_prose;
using weir::tool::roff;

// In angle brackets what stands for something else.
std::string shown(std::string text) {
  for (const auto& [word, better] : {std::pair{"TYPENAME", "<TYPENAME>"}, std::pair{"SIZE", "<SIZE>"}}) {
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + 2 + std::string(word).size()))
      text.replace(at, std::string(word).size(), better);
  }
  return text;
}

std::string prototype(const Routine& routine, const std::string& name, bool with_context = false) {
  std::string parameters = routine.parameters;
  if (with_context) parameters = "(shmem_ctx_t ctx, " + parameters.substr(1);
  const bool is_pointer = routine.result.ends_with('*');
  return fmt::format("{}{}{}{};", routine.result, is_pointer ? "" : " ", shown(name), parameters);
}

// The C names of a routine, generic, typed or of a width.
std::vector<std::string> prototypes(const Routine& routine) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& plain, const std::string& with_context) {
    all.push_back(prototype(routine, plain));
    if (routine.has_context) all.push_back(prototype(routine, with_context, true));
  };
  if (routine.has_generic) add("shmem" + routine.name, "shmem" + routine.name);
  if (routine.kind == Routine::Kind::typed) add("shmem_TYPENAME" + routine.name, "shmem_ctx_TYPENAME" + routine.name);
  if (routine.kind == Routine::Kind::wide) add("shmem_" + routine.name, "shmem_ctx_" + routine.name);
  if (routine.kind == Routine::Kind::plain) all.push_back(prototype(routine, routine.name));
  return all;
}

void add_routine(std::string& page, const Routine& routine) {
  for (const std::string& line : prototypes(routine)) page += fmt::format(".HP\n.B {}\n", roff(line));
}

// Routines of the same types are together, and followed by them.
void add_synopsis(std::string& page, const std::vector<Routine>& routines, bool old) {
  std::string types;
  Routine::Kind kind = Routine::Kind::plain;
  const auto end_group = [&] {
    if (types.empty()) return;
    page += ".PP\n";
    add_line(page, (kind == Routine::Kind::typed ? "<TYPENAME> (and TYPE): " : "<SIZE>: ") + types);
  };
  for (const Routine& routine : routines) {
    if (routine.is_old != old) continue;
    if (routine.types != types || routine.kind != kind) {
      end_group();
      types = routine.types;
      kind = routine.kind;
    }
    add_routine(page, routine);
  }
  end_group();
}

std::string text_of(const Page& page, const std::vector<Routine>& routines) {
  std::string text =
      fmt::format(".TH {} 3 {} \"weir {}\" \"OpenSHMEM\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B #include <shmem.h>\n",
                  weir::tool::capitals(std::string(page.name)), WEIR_RELEASE_DATE, WEIR_VERSION, roff(page.name),
                  roff(page.purpose));
  add_synopsis(text, routines, false);
  if (std::any_of(routines.begin(), routines.end(), [](const Routine& r) { return r.is_old; })) {
    text += ".SS Deprecated\n";
    add_synopsis(text, routines, true);
  }
  text += ".SH DESCRIPTION\n";
  add_prose(text, page.text);
  if (!page.returns.empty()) {
    text += ".SH RETURN VALUE\n";
    add_prose(text, page.returns);
  }
  text += ".SH SEE ALSO\n";
  for (const std::string_view other : page.see_also) {
    if (other != "weir-shmem") text += fmt::format(".BR {} (3),\n", roff(other));
  }
  return text + ".BR weir\\-shmem (7)\n";
}

// putSIZE for each of its sizes, which stand in `types`; putmem.
std::vector<std::string> names_of_widths(const Routine& routine) {
  const std::size_t at = routine.name.find("SIZE");
  if (at == std::string::npos) return {routine.name};
  std::vector<std::string> names;
  std::istringstream sizes(routine.types);
  for (int size = 0; sizes >> size; sizes.ignore())
    names.push_back(std::string(routine.name).replace(at, 4, std::to_string(size)));
  return names;
}

// Names under which a routine is looked up, besides its page's: those that have no type in them.
std::set<std::string> names_of(const std::vector<Routine>& routines) {
  std::set<std::string> names;
  for (const Routine& routine : routines) {
    if (routine.kind == Routine::Kind::typed) {
      names.insert("shmem" + routine.name);
      if (routine.has_context) names.insert("shmem_ctx" + routine.name);
    }
    if (routine.kind == Routine::Kind::plain) names.insert(routine.name);
    if (routine.kind != Routine::Kind::wide) continue;
    for (const std::string& name : names_of_widths(routine)) {
      names.insert("shmem_" + name);
      if (routine.has_context) names.insert("shmem_ctx_" + name);
    }
  }
  return names;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
}

void write_all(const std::filesystem::path& folder) {
  std::map<std::string, std::vector<Routine>> by_key;
  for (const Routine& routine : weir::manual::all_routines()) by_key[routine.key].push_back(routine);
  std::set<std::string> written;
  std::map<std::string, std::string> links;
  for (const Page& page : weir::manual::all_pages()) {
    std::vector<Routine> routines;
    for (const std::string_view key : page.routines) {
      const auto found = by_key.find(std::string(key));
      if (found == by_key.end()) throw std::runtime_error(fmt::format("{}: there is no {} (left)", page.name, key));
      routines.insert(routines.end(), found->second.begin(), found->second.end());
      by_key.erase(found);
    }
    written.emplace(page.name);
    write(folder / fmt::format("{}.3", page.name), text_of(page, routines));
    for (const std::string& name : names_of(routines)) links.emplace(name, page.name);
  }
  if (!by_key.empty()) throw std::runtime_error(by_key.begin()->first + " is on no page");
  for (const auto& [name, page] : links) {
    const std::filesystem::path link = folder / (name + ".3");
    if (written.contains(name)) continue;
    std::filesystem::remove(link);
    std::filesystem::create_symlink(page + ".3", link);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: weir_shmem_manual FOLDER\n", stderr);
    return 2;
  }
  try {
    write_all(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir_shmem_manual: %s\n", error.what());
    return 1;
  }
  return 0;
}
