// SPDX-License-Identifier: Apache-2.0

// Every function of the C library on memory and strings, on the last bytes that a task may touch, of every length and
// at every distance from a multiple of 64: nothing may be found, whatever vectors its instructions read. Then each once
// with one byte too much, which is told on standard error, `too much: NAME read|write ADDRESS`, and has to be found.
#include <strings.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <vector>

#include "weir/weir.hpp"

namespace {

constexpr std::size_t kRoom = 3 * 4096;  // around what tasks touch
volatile std::uintptr_t kept = 0;        // no call is in vain

template <class T>
void keep(T value) {
  if constexpr (std::is_pointer_v<T>)
    kept = reinterpret_cast<std::uintptr_t>(value);
  else
    kept = static_cast<std::uintptr_t>(value);
}

// What the last of the units at `a` is, of which the function reads all: the end of a string, or something else.
enum class Last { same, end, different };

// Touches n units at `a`, and at `b` if it has any, and no other.
struct Function {
  const char* name;
  std::size_t unit;
  Last last;
  bool writes;       // to b
  std::size_t more;  // units at b, beside n
  void (*call)(char* a, char* b, std::size_t n);
};

wchar_t* wide(char* at) { return reinterpret_cast<wchar_t*>(at); }

// By a pointer that the compiler knows nothing of: the call is one.
#define CALL(function, ...)                                                                                            \
  [](char* a, char* b, [[maybe_unused]] std::size_t n) {                                                               \
    static_cast<void>(b);                                                                                              \
    decltype(&function) volatile const called = &function;                                                             \
    keep(called(__VA_ARGS__));                                                                                         \
  }
#define CALL_VOID(function, ...)                                                                                       \
  [](char* a, char* b, [[maybe_unused]] std::size_t n) {                                                               \
    static_cast<void>(b);                                                                                              \
    decltype(&function) volatile const called = &function;                                                             \
    called(__VA_ARGS__);                                                                                               \
  }
#define CALL_AS(type, function, ...)                                                                                   \
  [](char* a, char* b, [[maybe_unused]] std::size_t n) {                                                               \
    static_cast<void>(b);                                                                                              \
    type volatile const called = &function;                                                                            \
    keep(called(__VA_ARGS__));                                                                                         \
  }
using FindByte = void* (*)(void*, int, std::size_t);
using FindFirst = void* (*)(void*, int);
using FindLetter = char* (*)(char*, int);
using FindString = char* (*)(char*, const char*);
using FindWide = wchar_t* (*)(wchar_t*, wchar_t);
using FindWides = wchar_t* (*)(wchar_t*, wchar_t, std::size_t);

const Function functions[] = {
    {"memcpy", 1, Last::same, true, 0, CALL(memcpy, b, a, n)},
    {"memmove", 1, Last::same, true, 0, CALL(memmove, b, a, n)},
    {"mempcpy", 1, Last::same, true, 0, CALL(mempcpy, b, a, n)},
    {"memccpy", 1, Last::different, true, 0, CALL(memccpy, b, a, 'y', n + 40)},
    {"bcopy", 1, Last::same, true, 0, CALL_VOID(bcopy, a, b, n)},
    {"memset", 1, Last::same, true, 0, CALL(memset, b, 'x', n)},
    {"bzero", 1, Last::same, true, 0, CALL_VOID(bzero, b, n)},
    {"memcmp", 1, Last::same, false, 0, CALL(memcmp, a, b, n)},
    {"memcmp, the other way round", 1, Last::same, false, 0, CALL(memcmp, b, a, n)},
    {"bcmp", 1, Last::same, false, 0, CALL(bcmp, a, b, n)},
    {"memchr", 1, Last::same, false, 0, CALL_AS(FindByte, memchr, a, 'z', n)},
    {"memchr, found", 1, Last::different, false, 0, CALL_AS(FindByte, memchr, a, 'y', n + 40)},
    {"rawmemchr", 1, Last::different, false, 0, CALL_AS(FindFirst, rawmemchr, a, 'y')},
    {"memrchr", 1, Last::same, false, 0, CALL_AS(FindByte, memrchr, a, 'z', n)},
    {"memmem", 1, Last::different, false, 0, CALL(memmem, a, n, "y", 1)},
    {"strlen", 1, Last::end, false, 0, CALL(strlen, a)},
    {"strnlen", 1, Last::same, false, 0, CALL(strnlen, a, n)},
    {"strnlen, a short one", 1, Last::end, false, 0, CALL(strnlen, a, n + 40)},
    {"strcpy", 1, Last::end, true, 0, CALL(strcpy, b, a)},
    {"stpcpy", 1, Last::end, true, 0, CALL(stpcpy, b, a)},
    {"strncpy", 1, Last::same, true, 0, CALL(strncpy, b, a, n)},
    {"strncpy, a short one", 1, Last::end, true, 40, CALL(strncpy, b, a, n + 40)},
    {"stpncpy", 1, Last::same, true, 0, CALL(stpncpy, b, a, n)},
    {"strcat", 1, Last::end, true, 0, CALL(strcat, b, a)},
    {"strncat", 1, Last::same, true, 1, CALL(strncat, b, a, n)},
    {"strcmp", 1, Last::end, false, 0, CALL(strcmp, a, b)},
    {"strcmp, different", 1, Last::different, false, 0, CALL(strcmp, a, b)},
    {"strncmp", 1, Last::same, false, 0, CALL(strncmp, a, b, n)},
    {"strncmp, different", 1, Last::different, false, 0, CALL(strncmp, b, a, n + 40)},
    {"strcasecmp", 1, Last::end, false, 0, CALL(strcasecmp, a, b)},
    {"strncasecmp", 1, Last::same, false, 0, CALL(strncasecmp, a, b, n)},
    {"strchr", 1, Last::end, false, 0, CALL_AS(FindLetter, strchr, a, 'z')},
    {"strchr, found", 1, Last::different, false, 0, CALL_AS(FindLetter, strchr, a, 'y')},
    {"strchrnul", 1, Last::different, false, 0, CALL_AS(FindLetter, strchrnul, a, 'y')},
    {"strrchr", 1, Last::end, false, 0, CALL_AS(FindLetter, strrchr, a, 'z')},
    {"strstr", 1, Last::end, false, 0, CALL_AS(FindString, strstr, a, "xz")},
    {"strcasestr", 1, Last::end, false, 0, CALL_AS(FindString, strcasestr, a, "xz")},
    {"strspn", 1, Last::different, false, 0, CALL(strspn, a, "wx")},
    {"strcspn", 1, Last::different, false, 0, CALL(strcspn, a, "zy")},
    {"strpbrk", 1, Last::different, false, 0, CALL_AS(FindString, strpbrk, a, "zy")},
    {"strdup", 1, Last::end, false, 0, [](char* a, char*, std::size_t) { std::free(strdup(a)); }},
    {"wmemcpy", sizeof(wchar_t), Last::same, true, 0, CALL(wmemcpy, wide(b), wide(a), n)},
    {"wmemset", sizeof(wchar_t), Last::same, true, 0, CALL(wmemset, wide(b), L'x', n)},
    {"wmemcmp", sizeof(wchar_t), Last::same, false, 0, CALL(wmemcmp, wide(a), wide(b), n)},
    {"wmemchr", sizeof(wchar_t), Last::same, false, 0, CALL_AS(FindWides, wmemchr, wide(a), L'z', n)},
    {"wcslen", sizeof(wchar_t), Last::end, false, 0, CALL(wcslen, wide(a))},
    {"wcsnlen", sizeof(wchar_t), Last::same, false, 0, CALL(wcsnlen, wide(a), n)},
    {"wcscpy", sizeof(wchar_t), Last::end, true, 0, CALL(wcscpy, wide(b), wide(a))},
    {"wcsncpy", sizeof(wchar_t), Last::same, true, 0, CALL(wcsncpy, wide(b), wide(a), n)},
    {"wcscat", sizeof(wchar_t), Last::end, true, 0, CALL(wcscat, wide(b), wide(a))},
    {"wcscmp", sizeof(wchar_t), Last::end, false, 0, CALL(wcscmp, wide(a), wide(b))},
    {"wcsncmp", sizeof(wchar_t), Last::same, false, 0, CALL(wcsncmp, wide(a), wide(b), n)},
    {"wcschr", sizeof(wchar_t), Last::end, false, 0, CALL_AS(FindWide, wcschr, wide(a), L'z')},
    {"wcsrchr", sizeof(wchar_t), Last::end, false, 0, CALL_AS(FindWide, wcsrchr, wide(a), L'z')},
};

void set(char* at, std::size_t index, std::size_t unit, char value) {
  std::fill_n(at + index * unit, unit, '\0');
  at[index * unit] = value;
}

// 'x' in every unit.
void fill(const Function& function, char* at, std::size_t bytes) {
  if (function.unit == 1) {
    std::memset(at, 'x', bytes);
  } else {
    std::wmemset(wide(at), L'x', bytes / sizeof(wchar_t));
  }
}

// Everything is 'x', but the last of n units, and what comes behind them.
void prepare(const Function& function, std::vector<char>& memory, char* at, std::size_t n, bool is_source) {
  fill(function, memory.data(), memory.size());
  set(at, n + 60, function.unit, '\0');
  if (function.last == Last::end) set(at, n - 1, function.unit, '\0');
  if (function.last == Last::different && is_source) set(at, n - 1, function.unit, 'y');
}

struct Memory {
  std::vector<char> a = std::vector<char>(2 * kRoom), b = std::vector<char>(2 * kRoom);
};

// All of the memory is some task's; the one that calls has n units of each, or `too_much` less of what it touches.
void call_in_task(weir::Runtime& runtime, Memory& memory, const Function& function, std::size_t n, std::size_t shift,
                  bool too_much) {
  char* const a = memory.a.data() + kRoom + shift * function.unit;
  char* const b = memory.b.data() + kRoom + (shift * 7 % 64) * function.unit;
  const std::size_t bytes_a = n * function.unit, bytes_b = (n + function.more) * function.unit;
  const std::size_t less = too_much ? 1 : 0;
  prepare(function, memory.a, a, n, true);
  prepare(function, memory.b, b, n, false);
  const bool appends = std::strstr(function.name, "cat") != nullptr && std::strstr(function.name, "case") == nullptr;
  if (appends) set(b, 0, function.unit, '\0');
  runtime.spawn(weir::inout(memory.a.data(), memory.a.size()), weir::inout(memory.b.data(), memory.b.size()), [] {});
  const bool less_of_a = !function.writes;
  if (too_much) {
    const char* const end = less_of_a ? a + bytes_a : b + bytes_b;
    std::fprintf(stderr, "too much: %s %s %#" PRIxPTR "\n", function.name, less_of_a ? "read" : "write",
                 reinterpret_cast<std::uintptr_t>(end - 1));
  }
  runtime.spawn(weir::in(a, bytes_a - (less_of_a ? less : 0)), weir::inout(b, bytes_b - (less_of_a ? 0 : less)),
                [&] { function.call(a, b, n); });
  runtime.wait();
}

}  // namespace

int main() {
  weir::Runtime runtime;
  Memory memory;
  for (const Function& function : functions) {
    for (std::size_t n = 1; n < 300; n = n < 20 ? n + 3 : n + n / 3)
      for (std::size_t shift = 0; shift < 64; shift += 9) call_in_task(runtime, memory, function, n, shift, false);
  }
  for (const Function& function : functions) call_in_task(runtime, memory, function, 70, 5, true);
  std::puts("all right");
}
