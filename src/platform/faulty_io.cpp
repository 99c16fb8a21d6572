// SPDX-License-Identifier: Apache-2.0

#include "platform/faulty_io.hpp"

#include <algorithm>

#include "platform/io_pieces.hpp"

namespace weir::platform {
namespace {

// A request on its way through the inner engine with less to do, and what it really was.
struct Broken {
  IoRequest request;
  std::size_t bytes;
  int error;

  static void answered(IoRequest& request, const base::Status&) noexcept {
    const std::unique_ptr<Broken> self(static_cast<Broken*>(request.user));
    if (request.error == 0) request.error = self->error;
    request.bytes = self->bytes;
    request.done = self->request.done;
    request.user = self->request.user;
    answer(request);
  }
};

}  // namespace

FaultyIo::FaultyIo(std::unique_ptr<AsyncIo> inner, std::vector<IoFault> faults)
    : inner_(std::move(inner)), faults_(std::move(faults)) {}

FaultyIo::~FaultyIo() {
  while (true) {
    std::vector<std::jthread> delayed;
    const base::Lock lock(mutex_);
    delayed.swap(delayed_);
    if (delayed.empty()) break;
  }
  inner_.reset();
}

void FaultyIo::submit(IoRequest* request) noexcept {
  const IoFault* fault = fault_of(*request);
  if (fault == nullptr) {
    inner_->submit(request);
  } else if (fault->kind == IoFault::Kind::delay) {
    const base::Lock lock(mutex_);
    delayed_.emplace_back([this, request, delay = fault->delay] {
      std::this_thread::sleep_for(delay);
      inner_->submit(request);
    });
  } else {
    submit_broken(request, *fault);
  }
}

void FaultyIo::submit_broken(IoRequest* request, const IoFault& fault) {
  const bool some = fault.kind == IoFault::Kind::short_transfer;
  const int error = some && !request->write ? kEndOfFile : fault.error;
  auto* broken = new Broken{*request, request->bytes, error};
  request->bytes = some ? request->bytes / 2 / 4096 * 4096 : 0;
  request->done = Broken::answered;
  request->user = broken;
  inner_->submit(request);
}

const IoFault* FaultyIo::fault_of(const IoRequest& request) noexcept {
  const std::uint64_t number = ++(request.write ? writes_ : reads_);
  const auto fault = std::find_if(faults_.begin(), faults_.end(), [&](const IoFault& f) {
    return f.write == request.write && number >= f.first && number - f.first < f.count;
  });
  return fault == faults_.end() ? nullptr : &*fault;
}

void FaultyIo::register_memory(std::span<std::byte> memory) noexcept { inner_->register_memory(memory); }
void FaultyIo::forget_memory(std::span<std::byte> memory) noexcept { inner_->forget_memory(memory); }
const char* FaultyIo::name() const noexcept { return inner_->name(); }
std::string FaultyIo::report() const { return "with faults, " + inner_->report(); }

}  // namespace weir::platform
