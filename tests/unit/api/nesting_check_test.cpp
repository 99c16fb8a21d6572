// SPDX-License-Identifier: Apache-2.0

// Debug builds end a program whose child's footprint is not within its parent's.
#include "support.hpp"

namespace weir {
namespace {

#ifdef NDEBUG
constexpr bool kChecked = false;
#else
constexpr bool kChecked = true;
#endif

template <class Body>
void in_a_parent_that_reads_ten(Body body) {
  Runtime runtime(test::with_workers(1));
  int data[20] = {};
  runtime.spawn(name("outer"), in(data, 10), [&] { body(data); });
  runtime.wait();
}

TEST(NestingCheckDeathTest, NamesBothTasksAndTheBytes) {
  if (!kChecked) GTEST_SKIP() << "a release build does not check";
  EXPECT_DEATH(in_a_parent_that_reads_ten([](int* data) { spawn(name("inner"), in(data + 5, 10), [] {}); }),
               "task inner is not within that of its parent outer: .*from byte 20 on");
  EXPECT_DEATH(in_a_parent_that_reads_ten([](int* data) { spawn(out(data[3]), [] {}); }),
               "task .without a name. .*parent outer.*only reads");
}

TEST(NestingCheck, AllowsWhatIsWithinAndWhatHasNoParentWithAFootprint) {
  in_a_parent_that_reads_ten([](int* data) {
    spawn(in(data, 4), in(data[9]), [data] { spawn(in(data[2]), [] {}); });
    spawn([data] {
      spawn(inout(data[15]), [] {});  // its parent declares nothing
    });
    spawn([] {});
  });
  Runtime runtime(test::with_workers(2));
  int x = 0, y = 0;
  for (int i = 0; i < 300; ++i) {
    runtime.spawn(inout(x), [&x] { spawn(inout(x), [&x] { ++x; }); });
    runtime.spawn(inout(y), [&y] { spawn(inout(y), [&y] { ++y; }); });
    runtime.spawn([&x] { static_cast<void>(x); });
  }
  runtime.wait();
  EXPECT_EQ(x + y, 600);
}

}  // namespace
}  // namespace weir
