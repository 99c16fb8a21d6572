// SPDX-License-Identifier: Apache-2.0

// Where OCR's data blocks are, by the kernel's word, page by page: for each allocation mode, for affinities and hints,
// and after moves.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "extensions/ocr-affinity.h"
#include "extensions/ocr-legacy.h"
#include "guest_main.hpp"
#include "guest_memory.hpp"
#include "kernel_view.hpp"
#include "ocr.h"

namespace weir::guest {
namespace {

using Nodes = std::set<int>;
constexpr u64 kBlock = 256 << 10;

// An OCR runtime with these variables, and what runs in it as EDTs.
class Program {
 public:
  using Variables = std::vector<std::pair<const char*, const char*>>;
  explicit Program(const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    setenv("WEIR_POLICY", "numa", 0);
    ocrLegacyInit(&context_, nullptr);
    for (const auto& [name, value] : variables) unsetenv(name);
    unsetenv("WEIR_POLICY");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { ocrLegacyFinalize(context_, false); }

  using Body = std::function<void(ocrEdtDep_t* depv)>;
  // Runs it as an EDT, in that domain unless that is negative, on those blocks, and waits for its end.
  void run(int domain, const Body& body, std::vector<ocrGuid_t> blocks = {}, ocrDbAccessMode_t mode = DB_MODE_RW) {
    ocrGuid_t of, edt, done;
    ocrEventCreate(&done, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrEdtTemplateCreate(&of, &call, 1, EDT_PARAM_UNK);
    u64 paramv[] = {reinterpret_cast<u64>(&body)};
    ocrHint_t hint;
    ocrHintInit(&hint, OCR_HINT_EDT_T);
    if (domain >= 0) ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, affinity(domain));
    const auto depc = static_cast<u32>(blocks.size());
    ASSERT_EQ(ocrEdtCreate(&edt, of, 1, paramv, depc + 1, nullptr, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, &hint, &done),
              0);
    for (u32 i = 0; i < depc; ++i) ASSERT_EQ(ocrAddDependence(blocks[i], edt, i, mode), 0);
    ASSERT_EQ(ocrAddDependence(NULL_GUID, edt, depc, DB_MODE_NULL), 0);
    ASSERT_EQ(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0);
    ocrEventDestroy(done);
    ocrEdtTemplateDestroy(of);
  }
  static u64 affinity(int domain) {
    ocrGuid_t guid = NULL_GUID;
    EXPECT_EQ(ocrAffinityGetAt(AFFINITY_PD, static_cast<u64>(domain), &guid), 0);
    return ocrAffinityToHintValue(guid);
  }

 private:
  static ocrGuid_t call(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
    (*reinterpret_cast<const Body*>(paramv[0]))(depv);
    return NULL_GUID;
  }
  ocrGuid_t context_ = NULL_GUID;
};

class GuestOcr : public testing::Test {
 protected:
  static bool has_hbm() { return !layout->hbm_of_domain.empty(); }
  static int domains() { return static_cast<int>(layout->domains.size()); }
  static int ordinary_node(int domain) { return layout->domains[static_cast<std::size_t>(domain)]; }
  static int fast_node(int domain) {
    return has_hbm() ? layout->hbm_of_domain[static_cast<std::size_t>(domain)] : ordinary_node(domain);
  }
  static Nodes fast_nodes() {
    Nodes nodes;
    for (int d = 0; d < domains(); ++d) nodes.insert(fast_node(d));
    return nodes;
  }
  static bool is_in_one_kind(const Nodes& nodes, bool fast) {
    for (int d = 0; d < domains(); ++d)
      if (nodes == Nodes{fast ? fast_node(d) : ordinary_node(d)}) return true;
    return false;
  }
  static const char* tiers() { return has_hbm() ? "hbm=128MiB,ddr=128MiB" : "ddr=128MiB"; }

  // Where a block is that an EDT of domain `maker` makes with these hints.
  static Nodes nodes_of(Program& program, int maker, u64 bytes,
                        const std::vector<std::pair<ocrHintProp_t, u64>>& hints = {}) {
    Nodes nodes;
    program.run(maker, [&](ocrEdtDep_t*) {
      ocrHint_t hint;
      ocrHintInit(&hint, OCR_HINT_DB_T);
      for (const auto& [property, value] : hints) ocrSetHintValue(&hint, property, value);
      ocrGuid_t guid;
      void* data = nullptr;
      ASSERT_EQ(ocrDbCreate(&guid, &data, bytes, DB_PROP_NONE, &hint, NO_ALLOC), 0);
      std::memset(data, 1, bytes);
      nodes = nodes_under(data, bytes);
      ASSERT_EQ(ocrDbDestroy(guid), 0);
    });
    return nodes;
  }
};

TEST_F(GuestOcr, WithoutAHintABlockIsBesideTheDomainOfItsCreator) {
  Program program(Program::Variables{{"WEIR_TIERS", tiers()}});
  for (int d = 0; d < domains(); ++d) {
    EXPECT_EQ(nodes_of(program, d, kBlock), (Nodes{fast_node(d)}));
    EXPECT_EQ(nodes_of(program, d, 64), (Nodes{fast_node(d)})) << "small";
  }
}

TEST_F(GuestOcr, EachAllocationModePutsABlockWhereItSays) {
  for (const char* mode : {"default", "fast", "local", "local-fast"}) {
    SCOPED_TRACE(mode);
    Program program(Program::Variables{{"WEIR_TIERS", tiers()}, {"WEIR_ALLOCATION", mode}});
    for (int d = 0; d < domains(); ++d) {
      const Nodes nodes = nodes_of(program, d, kBlock);
      ASSERT_EQ(nodes.size(), 1u);
      if (mode == std::string("fast")) {
        EXPECT_TRUE(fast_nodes().contains(*nodes.begin()));
      } else {
        EXPECT_EQ(*nodes.begin(), mode == std::string("local-fast") ? fast_node(d) : ordinary_node(d));
      }
    }
  }
}

TEST_F(GuestOcr, AnAffinityPutsABlockBesideThatDomainInEveryMode) {
  for (const char* mode : {"default", "fast", "local", "local-fast"}) {
    SCOPED_TRACE(mode);
    Program program(Program::Variables{{"WEIR_TIERS", tiers()}, {"WEIR_ALLOCATION", mode}});
    const bool fast = std::strstr(mode, "fast") != nullptr;
    for (int d = 0; d < domains(); ++d) {
      const Nodes wanted = {fast ? fast_node(d) : ordinary_node(d)};
      const int maker = (d + 1) % domains();
      EXPECT_EQ(nodes_of(program, maker, kBlock, {{OCR_HINT_DB_AFFINITY, Program::affinity(d)}}), wanted);
      EXPECT_EQ(nodes_of(program, maker, 64, {{OCR_HINT_DB_AFFINITY, Program::affinity(d)}}), wanted) << "small";
    }
  }
}

TEST_F(GuestOcr, HintsChooseBetweenFastAndOrdinaryMemory) {
  if (!has_hbm()) GTEST_SKIP() << "one kind of memory";
  for (const char* mode : {"local", "local-fast"}) {
    SCOPED_TRACE(mode);
    Program program(Program::Variables{{"WEIR_TIERS", tiers()}, {"WEIR_ALLOCATION", mode}});
    for (int d = 0; d < domains(); ++d) {
      for (const u64 bytes : {kBlock, u64{64}}) {
        EXPECT_EQ(nodes_of(program, d, bytes, {{OCR_HINT_DB_HIGHBW, 1}}), (Nodes{fast_node(d)}));
        EXPECT_EQ(nodes_of(program, d, bytes, {{OCR_HINT_DB_NEAR, 1}}), (Nodes{fast_node(d)}));
        EXPECT_EQ(nodes_of(program, d, bytes, {{OCR_HINT_DB_INTER, 1}}), (Nodes{ordinary_node(d)}));
        EXPECT_EQ(nodes_of(program, d, bytes, {{OCR_HINT_DB_FAR, 1}}), (Nodes{ordinary_node(d)}));
      }
    }
  }
}

TEST_F(GuestOcr, AnEdtRunsOnACoreOfItsAffinity) {
  Program program(Program::Variables{{"WEIR_TIERS", tiers()}});
  for (int round = 0; round < 4; ++round) {
    for (int d = 0; d < domains(); ++d) {
      int cpu = -1;
      program.run(d, [&](ocrEdtDep_t*) { cpu = sched_getcpu(); });
      EXPECT_TRUE(cpus_of_node(ordinary_node(d)).contains(cpu)) << "domain " << d << ", core " << cpu;
    }
  }
}

TEST_F(GuestOcr, AnEdtRunsWhereMostOfItsBytesAre) {
  for (const char* policy : {"flat", "near", "numa"}) {
    SCOPED_TRACE(policy);
    Program program(Program::Variables{{"WEIR_TIERS", tiers()}, {"WEIR_POLICY", policy}});
    for (int d = 0; d < domains(); ++d) {
      ocrGuid_t block = NULL_GUID;
      program.run(d, [&](ocrEdtDep_t*) {
        void* data = nullptr;
        ASSERT_EQ(ocrDbCreate(&block, &data, kBlock, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      });
      ocrGuid_t here = NULL_GUID, wanted = NULL_GUID;
      ocrAffinityGetAt(AFFINITY_PD, static_cast<u64>(d), &wanted);
      program.run(-1, [&](ocrEdtDep_t*) { ocrAffinityGetCurrent(&here); }, {block});
      EXPECT_NE(ocrAffinityToHintValue(here), 0u);
      if (policy == std::string("numa")) {
        EXPECT_EQ(ocrAffinityToHintValue(here), ocrAffinityToHintValue(wanted));
      }
    }
  }
}

// Four times as many blocks as fast memory holds, used by EDTs of all domains in turn.
TEST_F(GuestOcr, AfterMovesABlockIsBesideTheDomainOfItsEdtAndWhole) {
  if (!has_hbm()) GTEST_SKIP() << "nothing slower";
  constexpr u64 kFast = 16 << 20, kBlocks = 4 * kFast / kBlock;
  Program program(Program::Variables{{"WEIR_TIERS", "hbm=16MiB,ddr=128MiB"}, {"WEIR_ALLOCATION", "local-fast"}});
  std::vector<ocrGuid_t> blocks(kBlocks, NULL_GUID);
  for (u64 i = 0; i < kBlocks; ++i) {
    program.run(static_cast<int>(i) % domains(), [&](ocrEdtDep_t*) {
      void* data = nullptr;
      ASSERT_EQ(ocrDbCreate(&blocks[i], &data, kBlock, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      std::memset(data, static_cast<int>(i % 251), kBlock);
    });
  }
  for (int round = 1; round <= 2; ++round) {
    for (u64 i = 0; i < kBlocks; ++i) {
      const int domain = static_cast<int>(i + static_cast<u64>(round)) % domains();
      program.run(domain,
                  [&](ocrEdtDep_t* depv) {
                    const auto* const bytes = static_cast<const unsigned char*>(depv[0].ptr);
                    ASSERT_NE(bytes, nullptr);
                    EXPECT_EQ(nodes_under(depv[0].ptr, kBlock), (Nodes{fast_node(domain)})) << "block " << i;
                    for (u64 at = 0; at < kBlock; at += 4096) ASSERT_EQ(bytes[at], i % 251);
                  },
                  {blocks[i]});
    }
  }
}

// Twice as many blocks as fast memory holds, held at once and asked for there: the others are in ordinary memory.
TEST_F(GuestOcr, WhatFastMemoryHasNoRoomForIsInOrdinaryMemory) {
  if (!has_hbm()) GTEST_SKIP() << "nothing slower";
  constexpr u64 kFast = 16 << 20, kBlocks = 2 * kFast / kBlock;
  for (const char* mode : {"local", "local-fast"}) {
    SCOPED_TRACE(mode);
    Program program(Program::Variables{{"WEIR_TIERS", "hbm=16MiB,ddr=128MiB"}, {"WEIR_ALLOCATION", mode}});
    program.run(0, [&](ocrEdtDep_t*) {
      ocrHint_t hint;
      ocrHintInit(&hint, OCR_HINT_DB_T);
      ocrSetHintValue(&hint, OCR_HINT_DB_HIGHBW, 1);
      std::vector<unsigned char*> held;
      u64 fast = 0, ordinary = 0;
      for (u64 i = 0; i < kBlocks; ++i) {
        ocrGuid_t guid;
        void* data = nullptr;
        ASSERT_EQ(ocrDbCreate(&guid, &data, kBlock, DB_PROP_NONE, &hint, NO_ALLOC), 0);
        std::memset(data, static_cast<int>(i), kBlock);
        held.push_back(static_cast<unsigned char*>(data));
        const Nodes nodes = nodes_under(data, kBlock);
        if (i == 0) {
          EXPECT_EQ(nodes, (Nodes{fast_node(0)}));
        }
        fast += is_in_one_kind(nodes, true) ? 1 : 0;
        ordinary += is_in_one_kind(nodes, false) ? 1 : 0;
      }
      EXPECT_EQ(fast + ordinary, kBlocks) << "of one node each";
      EXPECT_LE(fast, kFast / kBlock);
      for (u64 i = 0; i < kBlocks; ++i) {
        for (u64 at = 0; at < kBlock; at += 4096) ASSERT_EQ(held[i][at], i);
      }
    });
  }
}

// The fast memory beside a domain is taken by others: blocks go where there is room, and nobody is killed.
TEST_F(GuestOcr, AFullNodeIsNotTheEnd) {
  if (!has_hbm()) GTEST_SKIP() << "nothing slower";
  Program program(Program::Variables{{"WEIR_TIERS", tiers()}});
  const FullNode full(fast_node(0), 6 * kMiB);
  std::vector<ocrGuid_t> blocks;
  program.run(0, [&](ocrEdtDep_t*) {
    for (int i = 0; i < 160; ++i) {
      ocrGuid_t guid;
      void* data = nullptr;
      ASSERT_EQ(ocrDbCreate(&guid, &data, kBlock, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      std::memset(data, i, kBlock);
      const Nodes nodes = nodes_under(data, kBlock);
      EXPECT_TRUE(is_in_one_kind(nodes, true) || is_in_one_kind(nodes, false)) << "block " << i;
      blocks.push_back(guid);
      ASSERT_EQ(ocrDbRelease(guid), 0);
    }
  });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    program.run(0, [&](ocrEdtDep_t* d) { ASSERT_EQ(static_cast<unsigned char*>(d[0].ptr)[4096], i % 256); },
                {blocks[i]});
  }
}

}  // namespace
}  // namespace weir::guest
