// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/fetch.hpp"

#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/home.hpp"

namespace weir::ocr {

namespace {

struct Fetches {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, std::function<void(Local&)>> then WEIR_GUARDED_BY(mutex);
  std::uint64_t last WEIR_GUARDED_BY(mutex) = 0;
};
Fetches& fetches() {
  static base::Forever<Fetches> all;
  return all.value;
}

}  // namespace

void fetch(Local& local, Rank from, std::uint64_t offset, std::span<std::byte> to, std::function<void(Local&)> then) {
  Reach& reach = *Reach::running();
  if (const std::byte* const there = reach.mapped(from, offset)) {
    std::memcpy(to.data(), there, to.size());
    return then(local);
  }
  std::uint64_t number = 0;
  {
    const base::Lock lock(fetches().mutex);
    number = ++fetches().last;
    fetches().then.emplace(number, std::move(then));
  }
  // What could not be read was on a lost rank, which ends the program on all ranks (ranks/postman.cpp).
  Mail& mail = *Mail::running();
  mail.begin_work();
  reach.read(from, offset, to, [number, &mail](const base::Status& status) {
    if (status) mail.post(homes().self(), Say::fetched, Writer().put(number));
    mail.end_work();
  });
}

Answer answer_fetched(Local& local, Reader& body) {
  std::function<void(Local&)> then;
  {
    const base::Lock lock(fetches().mutex);
    auto found = fetches().then.extract(body.get<std::uint64_t>());
    then = std::move(found.mapped());
  }
  then(local);
  return {};
}

void forget_fetches() noexcept {
  std::unordered_map<std::uint64_t, std::function<void(Local&)>> left;
  const base::Lock lock(fetches().mutex);
  left.swap(fetches().then);
}

}  // namespace weir::ocr
