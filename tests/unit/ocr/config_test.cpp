// SPDX-License-Identifier: Apache-2.0

#include "ocr/system/config.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace weir::ocr {
namespace {

int workers_of(const std::string& text) {
  const std::string file = testing::TempDir() + "ocr_config_" + std::to_string(::getpid()) + ".cfg";
  std::ofstream(file) << text;
  ::unsetenv("WEIR_WORKERS");
  const base::Result<Config> config = read_config(file);
  ::unlink(file.c_str());
  EXPECT_TRUE(config);
  return config ? config->options.workers : -1;
}

TEST(OcrConfig, WorkersAreThoseThatWeirIsToldElseAsManyAsThereAreIds) {
  EXPECT_EQ(workers_of("[WorkerInst0]\nid = 0-1\n"), 2);
  EXPECT_EQ(workers_of("[WorkerInst0]\nid = 0-1\n[weir]\nworkers = 3\n"), 3);
  EXPECT_EQ(workers_of("[weir]\nworkers = 3\n[WorkerInst0]\nid = 0-1\n"), 3);
}

}  // namespace
}  // namespace weir::ocr
