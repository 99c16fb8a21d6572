// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/library_functions.hpp"

#include <algorithm>

namespace weir::checker {

namespace {

using Arguments = const std::uintptr_t (&)[kLibraryArguments];
using Byte = unsigned char;

constexpr std::size_t kNoEnd = ~std::size_t{0};
// A call on more than that is wrong, and ends where the program's memory does.
constexpr std::size_t kMostBytes = std::size_t{1} << 36;

void touch(LibraryTouches& to, std::uintptr_t start, std::size_t bytes, bool writes) {
  if (bytes == 0) return;
  to.list[to.count++] = {start, std::min(bytes, kMostBytes), !writes, writes, ~std::uint64_t{0}, 0};
}
template <class Unit>
void reads(LibraryTouches& to, std::uintptr_t start, std::size_t units) {
  touch(to, start, std::min(units, kMostBytes) * sizeof(Unit), false);
}
template <class Unit>
void writes(LibraryTouches& to, std::uintptr_t start, std::size_t units) {
  touch(to, start, std::min(units, kMostBytes) * sizeof(Unit), true);
}

// Of at most `most` units how many there are before the first for which it is true; `most` when there is none.
template <class Unit, class Decides>
std::size_t units_before(ProgramMemory& memory, std::uintptr_t start, std::size_t most, Decides&& decides) {
  std::size_t i = 0;
  while (i < most && !decides(memory.at<Unit>(start + i * sizeof(Unit)))) ++i;
  return i;
}
// With the one for which it is true.
template <class Unit, class Decides>
std::size_t units_until(ProgramMemory& memory, std::uintptr_t start, std::size_t most, Decides&& decides) {
  const std::size_t before = units_before<Unit>(memory, start, most, decides);
  return before == most ? most : before + 1;
}
template <class Unit>
std::size_t length(ProgramMemory& memory, std::uintptr_t string, std::size_t most = kNoEnd) {
  return units_before<Unit>(memory, string, most, [](Unit unit) { return unit == 0; });
}
template <class Unit>
std::size_t length_with_end(ProgramMemory& memory, std::uintptr_t string, std::size_t most = kNoEnd) {
  return units_until<Unit>(memory, string, most, [](Unit unit) { return unit == 0; });
}

// ---- Memory ----

template <class Unit>
void copy(Arguments a, LibraryCode, ProgramMemory&, LibraryTouches& to) {
  reads<Unit>(to, a[1], a[2]);
  writes<Unit>(to, a[0], a[2]);
}
void copy_from_first(Arguments a, LibraryCode, ProgramMemory&, LibraryTouches& to) {
  reads<Byte>(to, a[0], a[2]);
  writes<Byte>(to, a[1], a[2]);
}
template <class Unit>
void fill(Arguments a, LibraryCode, ProgramMemory&, LibraryTouches& to) {
  writes<Unit>(to, a[0], a[2]);
}
void clear(Arguments a, LibraryCode, ProgramMemory&, LibraryTouches& to) { writes<Byte>(to, a[0], a[1]); }
template <class Unit>
void compare(Arguments a, LibraryCode, ProgramMemory&, LibraryTouches& to) {
  reads<Unit>(to, a[0], a[2]);
  reads<Unit>(to, a[1], a[2]);
}
template <class Unit>
void find(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  const auto wanted = static_cast<Unit>(a[1]);
  reads<Unit>(to, a[0], units_until<Unit>(memory, a[0], a[2], [=](Unit unit) { return unit == wanted; }));
}
void find_for_sure(Arguments a, LibraryCode code, ProgramMemory& memory, LibraryTouches& to) {
  const std::uintptr_t all[] = {a[0], a[1], kNoEnd, 0};
  find<Byte>(all, code, memory, to);
}
void find_last(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  std::size_t first = a[2];
  while (first != 0 && memory.at<Byte>(a[0] + --first) != static_cast<Byte>(a[1])) {
  }
  reads<Byte>(to, a[0] + first, a[2] - first);
}
void copy_until(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  const auto last = static_cast<Byte>(a[2]);
  const std::size_t bytes = units_until<Byte>(memory, a[1], a[3], [=](Byte byte) { return byte == last; });
  reads<Byte>(to, a[1], bytes);
  writes<Byte>(to, a[0], bytes);
}
// Up to and with what was found. The function knows how to find it; all that it may read is open to it then.
void find_piece(Arguments a, LibraryCode code, ProgramMemory& memory, LibraryTouches& to) {
  memory.open(a[0], std::min(a[1], kMostBytes));
  memory.open(a[2], std::min(a[3], kMostBytes));
  const std::uintptr_t found = code(a[0], a[1], a[2], a[3]);
  reads<Byte>(to, a[0], found == 0 ? a[1] : found + a[3] - a[0]);
  reads<Byte>(to, a[2], a[3]);
}

// ---- Strings ----

template <class Unit>
void measure(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  reads<Unit>(to, a[0], length_with_end<Unit>(memory, a[0]));
}
template <class Unit>
void measure_some(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  reads<Unit>(to, a[0], length_with_end<Unit>(memory, a[0], a[1]));
}
template <class Unit>
void copy_string(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  const std::size_t units = length_with_end<Unit>(memory, a[1]);
  reads<Unit>(to, a[1], units);
  writes<Unit>(to, a[0], units);
}
template <class Unit>
void copy_some(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  reads<Unit>(to, a[1], length_with_end<Unit>(memory, a[1], a[2]));
  writes<Unit>(to, a[0], a[2]);
}
// Cuts: the end is written in any case, when there is room for anything.
void copy_with_end(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  const std::size_t bytes = length_with_end<Byte>(memory, a[1]);
  reads<Byte>(to, a[1], bytes);
  writes<Byte>(to, a[0], std::min(bytes, a[2]));
}
template <class Unit>
void append_some(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  const std::size_t before = length<Unit>(memory, a[0]), more = length<Unit>(memory, a[1], a[2]);
  reads<Unit>(to, a[0], before + 1);
  reads<Unit>(to, a[1], std::min(more + 1, a[2]));
  writes<Unit>(to, a[0] + before * sizeof(Unit), more + 1);
}
template <class Unit>
void append(Arguments a, LibraryCode code, ProgramMemory& memory, LibraryTouches& to) {
  const std::uintptr_t all[] = {a[0], a[1], kNoEnd, 0};
  append_some<Unit>(all, code, memory, to);
}
void append_with_end(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  const std::size_t before = length<Byte>(memory, a[0], a[2]), more = length<Byte>(memory, a[1]);
  reads<Byte>(to, a[0], std::min(before + 1, a[2]));
  reads<Byte>(to, a[1], more + 1);
  if (before < a[2]) writes<Byte>(to, a[0] + before, std::min(more + 1, a[2] - before));
}

// Letters of the alphabet are the same in every locale; of others nothing more is read than they would decide.
template <class Unit>
Unit same(Unit unit) {
  return unit;
}
Byte without_case(Byte byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<Byte>(byte + 'a' - 'A') : byte; }

template <class Unit, Unit (*kAs)(Unit)>
void compare_some_of_strings(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  std::size_t units = 0;
  while (units < a[2]) {
    const Unit one = kAs(memory.at<Unit>(a[0] + units * sizeof(Unit)));
    const Unit other = kAs(memory.at<Unit>(a[1] + units * sizeof(Unit)));
    ++units;
    if (one != other || one == 0) break;
  }
  reads<Unit>(to, a[0], units);
  reads<Unit>(to, a[1], units);
}
template <class Unit, Unit (*kAs)(Unit)>
void compare_strings(Arguments a, LibraryCode code, ProgramMemory& memory, LibraryTouches& to) {
  const std::uintptr_t all[] = {a[0], a[1], kNoEnd, 0};
  compare_some_of_strings<Unit, kAs>(all, code, memory, to);
}
template <class Unit>
void find_in_string(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  const auto wanted = static_cast<Unit>(a[1]);
  const auto decides = [=](Unit unit) { return unit == wanted || unit == 0; };
  reads<Unit>(to, a[0], units_until<Unit>(memory, a[0], kNoEnd, decides));
}
void find_string(Arguments a, LibraryCode code, ProgramMemory& memory, LibraryTouches& to) {
  const std::size_t all = length_with_end<Byte>(memory, a[0]), wanted = length_with_end<Byte>(memory, a[1]);
  const std::uintptr_t found = code(a[0], a[1], 0, 0);
  reads<Byte>(to, a[0], found == 0 ? all : std::max<std::size_t>(found + wanted - 1 - a[0], 1));
  reads<Byte>(to, a[1], wanted);
}

// How many of the first letters are of a set, or are not.
template <bool kOfTheSet>
void span_of_set(Arguments a, LibraryCode, ProgramMemory& memory, LibraryTouches& to) {
  bool in_set[256] = {};
  const std::size_t set = length<Byte>(memory, a[1]);
  for (std::size_t i = 0; i < set; ++i) in_set[memory.at<Byte>(a[1] + i)] = true;
  const auto decides = [&](Byte byte) { return byte == 0 || in_set[byte] != kOfTheSet; };
  reads<Byte>(to, a[0], units_until<Byte>(memory, a[0], kNoEnd, decides));
  reads<Byte>(to, a[1], set + 1);
}

}  // namespace

constinit const LibraryFunction kLibraryFunctionTable[kLibraryFunctions] = {
    {"memcpy", &copy<Byte>},
    {"memmove", &copy<Byte>},
    {"mempcpy", &copy<Byte>},
    {"__memcpy_chk", &copy<Byte>},
    {"__memmove_chk", &copy<Byte>},
    {"__mempcpy_chk", &copy<Byte>},
    {"bcopy", &copy_from_first},
    {"memccpy", &copy_until},
    {"memset", &fill<Byte>},
    {"__memset_chk", &fill<Byte>},
    {"bzero", &clear},
    {"explicit_bzero", &clear},
    {"__explicit_bzero_chk", &clear},
    {"memcmp", &compare<Byte>},
    {"bcmp", &compare<Byte>},
    {"__memcmpeq", &compare<Byte>},
    {"memchr", &find<Byte>},
    {"rawmemchr", &find_for_sure},
    {"__rawmemchr", &find_for_sure},
    {"memrchr", &find_last},
    {"memmem", &find_piece},
    {"strlen", &measure<Byte>},
    {"strnlen", &measure_some<Byte>},
    {"strcpy", &copy_string<Byte>},
    {"stpcpy", &copy_string<Byte>},
    {"__strcpy_chk", &copy_string<Byte>},
    {"__stpcpy_chk", &copy_string<Byte>},
    {"strncpy", &copy_some<Byte>},
    {"stpncpy", &copy_some<Byte>},
    {"__strncpy_chk", &copy_some<Byte>},
    {"__stpncpy_chk", &copy_some<Byte>},
    {"strlcpy", &copy_with_end},
    {"__strlcpy_chk", &copy_with_end},
    {"strcat", &append<Byte>},
    {"__strcat_chk", &append<Byte>},
    {"strncat", &append_some<Byte>},
    {"__strncat_chk", &append_some<Byte>},
    {"strlcat", &append_with_end},
    {"__strlcat_chk", &append_with_end},
    {"strcmp", &compare_strings<Byte, &same<Byte>>},
    {"strncmp", &compare_some_of_strings<Byte, &same<Byte>>},
    {"strcasecmp", &compare_strings<Byte, &without_case>},
    {"strcasecmp_l", &compare_strings<Byte, &without_case>},
    {"strncasecmp", &compare_some_of_strings<Byte, &without_case>},
    {"strncasecmp_l", &compare_some_of_strings<Byte, &without_case>},
    {"strchr", &find_in_string<Byte>},
    {"index", &find_in_string<Byte>},
    {"strchrnul", &find_in_string<Byte>},
    {"strrchr", &measure<Byte>},
    {"rindex", &measure<Byte>},
    {"strstr", &find_string},
    {"strcasestr", &find_string},
    {"strspn", &span_of_set<true>},
    {"strcspn", &span_of_set<false>},
    {"strpbrk", &span_of_set<false>},
    {"wmemcpy", &copy<wchar_t>},
    {"wmemmove", &copy<wchar_t>},
    {"wmempcpy", &copy<wchar_t>},
    {"__wmemcpy_chk", &copy<wchar_t>},
    {"__wmemmove_chk", &copy<wchar_t>},
    {"__wmempcpy_chk", &copy<wchar_t>},
    {"wmemset", &fill<wchar_t>},
    {"__wmemset_chk", &fill<wchar_t>},
    {"wmemcmp", &compare<wchar_t>},
    {"wmemchr", &find<wchar_t>},
    {"wcslen", &measure<wchar_t>},
    {"wcsnlen", &measure_some<wchar_t>},
    {"wcscpy", &copy_string<wchar_t>},
    {"wcpcpy", &copy_string<wchar_t>},
    {"__wcscpy_chk", &copy_string<wchar_t>},
    {"__wcpcpy_chk", &copy_string<wchar_t>},
    {"wcsncpy", &copy_some<wchar_t>},
    {"wcpncpy", &copy_some<wchar_t>},
    {"wcscat", &append<wchar_t>},
    {"wcsncat", &append_some<wchar_t>},
    {"wcscmp", &compare_strings<wchar_t, &same<wchar_t>>},
    {"wcsncmp", &compare_some_of_strings<wchar_t, &same<wchar_t>>},
    {"wcschr", &find_in_string<wchar_t>},
    {"wcschrnul", &find_in_string<wchar_t>},
    {"wcsrchr", &measure<wchar_t>},
};

}  // namespace weir::checker
