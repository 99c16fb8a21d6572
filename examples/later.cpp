// SPDX-License-Identifier: Apache-2.0

// A task that ends later: its function has returned, and what it has begun elsewhere has not ended. What comes after it
// waits for that, and no worker does.
#include <weir/weir.hpp>

#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

namespace {

// In place of a device, or of a message from another process: another thread writes the data, and says when it is
// there.
class Device {
 public:
  ~Device() {
    for (std::thread& thread : threads_) thread.join();
  }
  void read(std::span<int> data, weir::Completion completion) {
    threads_.emplace_back([data, completion = std::move(completion)]() mutable {
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i);
      completion.complete();
    });
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

int main() {
  Device device;
  weir::Runtime runtime;
  std::vector<int> values(1000);
  long sum = 0;

  runtime.spawn(weir::out(values), weir::name("read"), [&](std::span<int> data) {
    device.read(data, weir::end_later());  // returns at once
  });
  runtime.spawn(weir::in(values), weir::inout(sum), weir::name("sum"), [&] {
    for (int value : values) sum += value;
  });

  runtime.wait();
  std::printf("%ld\n", sum);
  return sum == 499500 ? 0 : 1;
}
