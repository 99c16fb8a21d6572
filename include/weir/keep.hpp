// SPDX-License-Identifier: Apache-2.0

// Keep: a variable of the program that is part of every checkpoint, as blocks are.
//
//   double error = 1;
//   const weir::Keep kept(runtime, "error", error);
//   while (error > 1e-6) {
//     runtime.spawn(weir::inout(x), weir::out(error), sweep);
//     runtime.wait();
//   }
//
// What it is for: whatever tasks write outside of blocks, and what decides which tasks the program spawns. The value
// that the variable has at each outermost wait() is noted, and a program that is restarted (options.restart) finds the
// same value there, though the tasks that made it are skipped. So the program takes the same way up to the checkpoint.
//
// A value is its bytes, without padding where the compiler has __builtin_clear_padding. Addresses mean nothing in the
// process that goes on: pointers, and what holds memory elsewhere, do not compile, and structs that have them as
// members, which is not seen, must not be kept.
//
// On the thread that made the runtime or the ranks, outside of tasks. Over ranks a variable has to have the same value
// on all of them at each wait(), or the checkpoint is refused.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weir/detail/elements.hpp"

namespace weir {

class Runtime;
class Ranks;

namespace checkpoint {
class Variables;  // src/checkpoint/variables.hpp
}  // namespace checkpoint

namespace detail {
// Null: the program neither writes checkpoints nor is restarted. Throw weir::Error on another thread.
checkpoint::Variables* kept_variables(Runtime& runtime);
checkpoint::Variables* kept_variables(Ranks& ranks);
// What lies between the members of a type, in which equal values may differ.
struct Padding {
  // Null: there is none, or the compiler does not know. `copy`: of elements, `bytes` in all, at a multiple of
  // `alignment`.
  void (*clear)(void* copy, std::size_t bytes) noexcept = nullptr;
  std::size_t alignment = 1;
};
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define WEIR_CLEARS_PADDING 1
#endif
#endif
#ifdef WEIR_CLEARS_PADDING
inline constexpr bool kClearsPadding = true;
#undef WEIR_CLEARS_PADDING
template <class T>
void clear_padding(void* copy, std::size_t bytes) noexcept {
  T* const elements = static_cast<T*>(copy);
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i) __builtin_clear_padding(elements + i);
}
template <class T>
constexpr Padding padding_of() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::has_unique_object_representations_v<U> || std::is_same_v<U, float> || std::is_same_v<U, double>)
    return {};
  else
    return {&clear_padding<U>, alignof(U)};
}
#else
inline constexpr bool kClearsPadding = false;
template <class T>
constexpr Padding padding_of() noexcept {
  return {};
}
#endif

// Its number. Throws weir::Error for a name that is empty or in use, and for more memory than kMostKeptBytes in all.
std::size_t keep(checkpoint::Variables* variables, const char* name, void* memory, std::size_t bytes, Padding padding);
void end_keep(checkpoint::Variables* variables, std::size_t number) noexcept;

// As far as the type shows that: a struct of the program's does not.
template <class T>
constexpr bool has_addresses() noexcept {
  using U = std::remove_cv_t<std::remove_all_extents_t<T>>;
  if constexpr (std::is_pointer_v<U> || std::is_member_function_pointer_v<U>)
    return true;
  else if constexpr (kIsStdArray<U> || Optional<U>)
    return has_addresses<typename U::value_type>();
  else
    return kHoldsMemoryElsewhere<U>;
}
}  // namespace detail

// What all variables that are kept at a time may have: those that have changed are copied at each wait(), to a log that
// stays in memory and is part of each checkpoint. More, and what is large and changes often, is for blocks.
inline constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;

class [[nodiscard]] Keep {
 public:
  // `name`: the same in each run, and no other variable's that is kept at the time. The variable must outlive this, and
  // this must end before the runtime. Throws weir::Error.
  template <class Owner, class T>
  requires std::is_trivially_copyable_v<T> Keep(Owner& owner, const char* name, T& variable)
      : Keep(owner, name, std::span<T>(std::addressof(variable), 1)) {}
  // All elements of contiguous memory that stays where it is.
  template <class Owner, class T>
  requires std::is_trivially_copyable_v<T> Keep(Owner& owner, const char* name, std::span<T> elements)
      : variables_(detail::kept_variables(owner)) {
    static_assert(!std::is_const_v<T>, "what is kept is written when the program is restarted");
    static_assert(
        !detail::has_addresses<T>(),
        "what is kept has addresses, which mean nothing in the process that goes on: keep what lies there, as "
        "weir::Keep(runtime, name, std::span(data, count)), or an index in place of a pointer");
    if (variables_ != nullptr)
      number_ = detail::keep(variables_, name, elements.data(), elements.size_bytes(), detail::padding_of<T>());
  }
  Keep(Keep&& other) noexcept : variables_(std::exchange(other.variables_, nullptr)), number_(other.number_) {}
  Keep& operator=(Keep&&) = delete;
  ~Keep() {
    if (variables_ != nullptr) detail::end_keep(variables_, number_);
  }

 private:
  checkpoint::Variables* variables_;
  std::size_t number_ = 0;
};

}  // namespace weir
