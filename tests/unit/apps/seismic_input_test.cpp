// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "apps/seismic/problem.hpp"
#include "temporary_folder.hpp"

namespace weir::apps::seismic {
namespace {

using ::testing::HasSubstr;

std::string float_model(int rows, int cols, const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(cols) + "), }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  file += header;
  std::string data(values.size() * sizeof(float), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return file + data;
}

TEST(SeismicSize, IsOneNumberOrTwo) {
  EXPECT_EQ(parse_size("64").value(), (Size{64, 64}));
  EXPECT_EQ(parse_size("64x128").value(), (Size{64, 128}));
}

TEST(SeismicSize, RefusesEverythingElseAndQuotesIt) {
  for (const char* text : {"", "0", "-4", "4x", "x4", "4x4x4", "4 x 4", "1e3", "99999999999999999999"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_THAT(size.status().message, HasSubstr(std::string("'") + text + "'"));
  }
}

TEST(SeismicSize, IsThatOfTheModelUnlessAnotherWasAskedFor) {
  const TemporaryFolder folder;
  const auto model = folder.write("m.npy", float_model(2, 3, std::vector<float>(6, 1500)));
  EXPECT_EQ(choose_size(std::nullopt, model, {9, 9}).value(), (Size{2, 3}));
  EXPECT_EQ(choose_size(Size{2, 3}, model, {9, 9}).value(), (Size{2, 3}));
  const auto other = choose_size(Size{3, 2}, model, {9, 9});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.status().message, HasSubstr("2x3"));
  EXPECT_THAT(other.status().message, HasSubstr("3x2"));
}

TEST(SeismicMemory, RefusalNamesAskedAndAvailableBytes) {
  EXPECT_TRUE(check_memory({64, 64}, false, 0, {std::uint64_t{1} << 30, "the machine"}));
  const auto status = check_memory({8192, 8192}, false, 0, {123456789, "its cgroup"});
  EXPECT_EQ(status.code, base::Code::no_space);
  EXPECT_THAT(status.message, HasSubstr(std::to_string(bytes_needed(8192, 8192))));
  EXPECT_THAT(status.message, HasSubstr("123456789"));
  EXPECT_THAT(status.message, HasSubstr("its cgroup"));
}

TEST(SeismicMemory, TheLargestSizeDoesNotOverflow) {
  EXPECT_FALSE(check_memory({10'000'000, 10'000'000}, true, 0, {std::uint64_t{1} << 40, "the machine"}));
}

TEST(SeismicGround, LayersGoFromTheFirstRockToTheLast) {
  const auto earth = layered_earth(900, 100);
  std::vector<double> velocity(100), density(100);
  earth->row(0, velocity, density);
  EXPECT_EQ(velocity[50], rocks().front().velocity);
  EXPECT_EQ(density[50], rocks().front().density);
  earth->row(899, velocity, density);
  EXPECT_EQ(velocity[50], rocks().back().velocity);
}

TEST(SeismicGround, AModelGivesItsVelocities) {
  const TemporaryFolder folder;
  const auto earth = model_earth(folder.write("m.npy", float_model(2, 2, {1500, 2000, 2500, 3000})));
  ASSERT_TRUE(earth);
  const auto problem = Problem::create(**earth, 2);
  ASSERT_TRUE(problem);
  EXPECT_NEAR(problem->wave_velocity(1, 0), 2500, 1e-6);
  EXPECT_EQ(problem->fastest(), 3000);
}

TEST(SeismicGround, AModelWithAnImpossibleVelocityIsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  for (const float wrong : {0.0F, -1.0F, 1e9F, NAN, INFINITY}) {
    const auto earth = model_earth(folder.write("m.npy", float_model(2, 2, {1500, 2000, wrong, 3000})));
    ASSERT_FALSE(earth) << wrong;
    EXPECT_THAT(earth.status().message, HasSubstr("row 1, column 0"));
  }
}

}  // namespace
}  // namespace weir::apps::seismic
