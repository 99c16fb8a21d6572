// SPDX-License-Identifier: Apache-2.0

#include "apps/common/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "temporary_folder.hpp"

namespace weir::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string npy(int version, const std::string& header, const std::string& data) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte) file += static_cast<char>(header.size() >> (8 * byte));
  return file + header + data;
}

std::string header(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }            \n";
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}

class Npy : public ::testing::Test {
 protected:
  base::Status refusal(const std::string& content) {
    const std::string path = folder_.write("model.npy", content);
    const auto array = read_npy(path);
    EXPECT_FALSE(array);
    EXPECT_FALSE(read_npy_shape(path)) << "the header alone should tell";
    return array ? base::Status{} : array.status();
  }

  TemporaryFolder folder_;
};

TEST_F(Npy, ReadsEveryVersionAndBothPrecisions) {
  for (const int version : {1, 2, 3}) {
    const auto doubles =
        folder_.write("d.npy", npy(version, header("<f8", "False", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6})));
    const auto array = read_npy(doubles);
    ASSERT_TRUE(array) << array.status().message;
    EXPECT_EQ(array->rows, 2);
    EXPECT_EQ(array->cols, 3);
    EXPECT_THAT(array->values, ElementsAre(1, 2, 3, 4, 5, 6));
    const auto floats = folder_.write("f.npy", npy(version, header("<f4", "False", "(1, 2)"), bytes<float>({0.5F, 7})));
    EXPECT_THAT(read_npy(floats).value().values, ElementsAre(0.5F, 7));
  }
}

TEST_F(Npy, UnderstandsHeadersWithoutSpacesAndInAnotherOrder) {
  const std::string text = "{\"shape\":(1,1),\"fortran_order\":False,\"descr\":\"<f8\"}\n";
  EXPECT_THAT(read_npy(folder_.write("a.npy", npy(1, text, bytes<double>({9})))).value().values, ElementsAre(9));
}

TEST_F(Npy, ShapeComesFromTheHeaderAlone) {
  const auto path = folder_.write("a.npy", npy(1, header("<f4", "False", "(3, 1)"), bytes<float>({1, 2, 3})));
  const auto shape = read_npy_shape(path);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->rows, 3);
  EXPECT_EQ(shape->cols, 1);
  EXPECT_EQ(shape->bytes_per_number, 4);
}

TEST_F(Npy, RefusesOtherTypes) {
  for (const char* type : {">f8", "<i4", "<f2", "|b1", "<c16"}) {
    EXPECT_THAT(refusal(npy(1, header(type, "False", "(1, 1)"), std::string(16, '\0'))).message, HasSubstr(type));
  }
}

TEST_F(Npy, RefusesFortranOrder) {
  EXPECT_THAT(refusal(npy(1, header("<f8", "True", "(1, 1)"), bytes<double>({1}))).message, HasSubstr("Fortran"));
}

TEST_F(Npy, RefusesOtherNumbersOfDimensions) {
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "(2,)"), bytes<double>({1, 2}))).message,
              HasSubstr("1 dimension;"));
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "()"), bytes<double>({1}))).message, HasSubstr("0 dimensions"));
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "(1, 1, 1)"), bytes<double>({1}))).message,
              HasSubstr("3 dimensions"));
}

TEST_F(Npy, RefusesEmptyAndImpossibleShapes) {
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "(0, 4)"), "")).message, HasSubstr("empty"));
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "(99999999999, 99999999999)"), "")).message, HasSubstr("shape"));
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "(999999999999999999999, 1)"), "")).message, HasSubstr("damaged"));
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "(-1, 4)"), "")).message, HasSubstr("damaged"));
}

TEST_F(Npy, RefusesATruncatedFileAndSaysHowManyBytesAreThere) {
  const auto message = refusal(npy(1, header("<f8", "False", "(2, 2)"), bytes<double>({1, 2, 3}))).message;
  EXPECT_THAT(message, HasSubstr("truncated"));
  EXPECT_THAT(message, HasSubstr("model.npy"));
}

TEST_F(Npy, RefusesTrailingBytes) {
  EXPECT_THAT(refusal(npy(1, header("<f8", "False", "(1, 1)"), bytes<double>({1, 2}))).message,
              HasSubstr("8 bytes more"));
}

TEST_F(Npy, RefusesEveryPrefixOfAFile) {
  const std::string whole = npy(2, header("<f4", "False", "(1, 2)"), bytes<float>({1, 2}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(read_npy(folder_.write("model.npy", whole.substr(0, length)))) << length;
  }
}

TEST_F(Npy, RefusesOtherFilesAndVersions) {
  EXPECT_THAT(refusal("depth,velocity\n1,2\n").message, HasSubstr("no .npy file"));
  EXPECT_THAT(refusal(npy(4, header("<f8", "False", "(1, 1)"), bytes<double>({1}))).message, HasSubstr("version 4"));
}

TEST_F(Npy, NamesAFileThatIsNotThere) {
  const auto array = read_npy(folder_.path() + "/absent.npy");
  ASSERT_FALSE(array);
  EXPECT_EQ(array.status().code, base::Code::not_found);
  EXPECT_THAT(array.status().message, HasSubstr("absent.npy"));
}

}  // namespace
}  // namespace weir::apps
