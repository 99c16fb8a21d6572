// SPDX-License-Identifier: Apache-2.0

// The look-ups of segments, and what says that there is none, against plain models of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "deps/segment_index.hpp"

namespace weir::deps {
namespace {

TEST(SegmentHash, FindsWhatIsThereAndOnlyThat) {
  std::mt19937_64 random(3);
  SegmentHash hash;
  std::map<std::uintptr_t, Segment> model;
  for (int i = 0; i < 50'000; ++i) {
    const std::uintptr_t start = 8 * (random() % 500);
    const auto at = model.find(start);
    if (at != model.end() && random() % 2 == 0) {
      hash.erase(&at->second);
      model.erase(at);
    } else if (at == model.end()) {
      Segment& segment = model[start];
      segment.start = start;
      segment.end = start + 8;
      hash.insert(&segment);
    }
    const std::uintptr_t asked = 8 * (random() % 500);
    const auto expected = model.find(asked);
    ASSERT_EQ(hash.find(asked, asked + 8), expected == model.end() ? nullptr : &expected->second);
    ASSERT_EQ(hash.find(asked, asked + 4), nullptr);
  }
}

TEST(SegmentHash, IsEmptyAtFirstAndAfterClear) {
  SegmentHash hash;
  EXPECT_EQ(hash.find(0, 8), nullptr);
  std::vector<Segment> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].start = 64 * i;
    many[i].end = 64 * i + 64;
    hash.insert(&many[i]);
  }
  EXPECT_EQ(hash.find(640, 704), &many[10]);
  hash.clear(0);
  EXPECT_EQ(hash.find(640, 704), nullptr);
  EXPECT_EQ(hash.system_bytes(), 0u);
}

TEST(SegmentIndex, CoversRangesWithDisjointSegmentsInOrder) {
  std::mt19937_64 random(4);
  Arena arena;
  SegmentIndex index(arena);
  for (int i = 0; i < 20'000; ++i) {
    const std::uintptr_t start = random() % 4900, end = start + 1 + random() % (i % 100 == 0 ? 99 : 12);
    std::vector<Record*> records;
    index.cover({start, end}, records);
    ASSERT_FALSE(records.empty());
    ASSERT_EQ(std::adjacent_find(records.begin(), records.end()), records.end());
    std::vector<Record*> again;
    index.cover({start, end}, again);
    ASSERT_EQ(again, records);
    if (records.size() == 1) {
      ASSERT_EQ(index.find(start, end), records.front());
    }
    if (i % 1000 == 999)
      index.visit({0, 5000}, [&](Segment& s) {
        return s.start % 2 == 0 ? SegmentIndex::Verdict::remove : SegmentIndex::Verdict::keep;
      });
  }
}

// Segments of 8 bytes by their starts.
class IndexAndModel {
 public:
  // At multiples of 4, so that neighbours overlap.
  void add(std::uintptr_t start) {
    Record* const record = index_.add(start, start + 8);
    const auto after = model_.lower_bound(start);
    const bool free = (after == model_.end() || after->first >= start + 8) &&
                      (after == model_.begin() || std::prev(after)->first + 8 <= start);
    ASSERT_EQ(record != nullptr, free);
    if (free) model_[start] = record;
  }
  template <class Drop>
  void remove_if(Drop drop) {
    index_.remove_if([&](const Segment& s) { return drop(s.start); });
    std::erase_if(model_, [&](const auto& entry) { return drop(entry.first); });
  }
  void compare() {
    ASSERT_EQ(index_.size(), model_.size());
    auto expected = model_.begin();
    index_.visit({0, ~std::uintptr_t{0}}, [&](Segment& s) {
      EXPECT_EQ(s.start, expected->first);
      EXPECT_EQ(&s.record, expected->second);
      ++expected;
      return SegmentIndex::Verdict::keep;
    });
    for (const auto& [start, record] : model_) ASSERT_EQ(index_.find(start, start + 8), record);
    if (!model_.empty()) {
      ASSERT_EQ(index_.add(0, ~std::uintptr_t{0}), nullptr);
    }
  }

 private:
  Arena arena_;
  SegmentIndex index_{arena_};
  std::map<std::uintptr_t, Record*> model_;
};

TEST(SegmentIndex, AddsWhatIsFreeInAnyOrderAndRemovesManyAtOnce) {
  std::mt19937_64 random(5);
  for (int order = 0; order < 4; ++order) {
    IndexAndModel both;
    for (std::uintptr_t i = 0; i < 30'000; ++i) {
      const std::uintptr_t start[] = {8 * i + 8, 8 * (40'000 - i), (i % 10 << 20) + i / 10 * 8 + 8,
                                      4 * (random() % 100'000) + 8};
      both.add(start[order]);
      if (i % 3'000 != 2'999) continue;
      both.compare();
      const std::uintptr_t kept = i % 9'000 == 8'999 ? 1'000'000 : 1 + i / 3'000;
      both.remove_if([&](std::uintptr_t s) { return s / 8 % kept != 0 || s % 56 == 0; });
      both.compare();
    }
    both.remove_if([](std::uintptr_t) { return true; });
    both.compare();
    both.add(8);
    both.compare();
  }
}

// Disjoint ranges, by their starts.
class Ranges {
 public:
  bool overlap(std::uintptr_t start, std::uintptr_t end) const {
    const auto after = ends_.lower_bound(end);
    return after != ends_.begin() && std::prev(after)->second > start;
  }
  void add(std::uintptr_t start, std::uintptr_t end) { ends_[start] = end; }
  std::size_t size() const { return ends_.size(); }

 private:
  std::map<std::uintptr_t, std::uintptr_t> ends_;
};

// Of 1 byte to some MiB, of all sizes alike; the address has as many bits as the size at most to spare for alignment.
ByteRange any_range(std::mt19937_64& random) {
  const std::uintptr_t size = (std::uintptr_t{1} << random() % 22) + random() % 9;
  const std::uintptr_t alignment = std::uintptr_t{1} << random() % 13;
  const std::uintptr_t start = random() % (std::uintptr_t{1} << 31) / alignment * alignment + 8;
  return {start, start + size};
}

TEST(SegmentIndex, AddsRangesOfAllSizesWhereNoneOverlaps) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    Arena arena;
    SegmentIndex index(arena);
    Ranges model;
    for (int i = 0; i < 3'000; ++i) {
      const auto [start, end] = any_range(random);
      const bool overlaps = model.overlap(start, end);
      ASSERT_EQ(index.add(start, end) == nullptr, overlaps) << start << ' ' << end;
      if (!overlaps) model.add(start, end);
      ASSERT_EQ(index.size(), model.size());
      if (random() % 1'000 == 0) index.visit({start, end}, [](Segment&) { return SegmentIndex::Verdict::keep; });
    }
  }
}

TEST(SegmentIndex, KnowsWhatWasCoveredAndWhatIsLeftOfManyWhenItAdds) {
  std::mt19937_64 random(8);
  Arena arena;
  SegmentIndex index(arena);
  std::vector<Record*> records;
  index.cover({1'000, 100'000}, records);
  EXPECT_EQ(index.add(99'999, 100'001), nullptr);
  EXPECT_NE(index.add(100'000, 100'001), nullptr);
  index.remove_if([](const Segment& s) { return s.start == 1'000; });
  EXPECT_EQ(index.add(100'000, 100'002), nullptr);
  EXPECT_NE(index.add(50'000, 50'008), nullptr);
  EXPECT_EQ(index.size(), 2u);
}

// What it calls new must be new; and it must call so what is new, where all are of one kind: else all were put in
// order.
TEST(SegmentFilter, CallsNewWhatIsAndNothingElse) {
  std::mt19937_64 random(9);
  for (const bool alike : {false, true}) {
    SegmentFilter filter;
    Ranges model;
    std::vector<ByteRange> all;
    for (int i = 0; i < 5'000; ++i) {
      const std::uintptr_t at = 8 + 8 * (random() % 200'000);
      const ByteRange range = alike ? ByteRange{at, at + 8 * (1 + random() % 64)} : any_range(random);
      if (!filter.is_ready_for(range.start, range.end)) {
        filter.clear(all.size(), range.start, range.end);
        for (const ByteRange& before : all) static_cast<void>(filter.add(before.start, before.end));
      }
      ASSERT_TRUE(filter.is_ready_for(range.start, range.end));
      const bool overlaps = model.overlap(range.start, range.end);
      const bool is_new = filter.add(range.start, range.end);
      ASSERT_FALSE(is_new && overlaps);
      // Of what overlaps some units are marked all the same, so from then on it may err on the safe side.
      if (alike && all.size() == static_cast<std::size_t>(i)) {
        ASSERT_EQ(is_new, !overlaps);
      }
      if (overlaps) continue;
      model.add(range.start, range.end);
      all.push_back(range);
    }
  }
}

TEST(SegmentFilter, CallsNewWhatLiesSideBySide) {
  SegmentFilter filter;
  for (const std::uintptr_t size : {8, 24, 64, 512, 4'096, 65'536}) {
    for (std::uintptr_t i = 0; i < 1'000; ++i) {
      const std::uintptr_t start = (std::uintptr_t{size} << 32) + i * size, end = start + size;
      if (!filter.is_ready_for(start, end)) {  // as if nothing else were there
        filter.clear(0, start, end);
      }
      ASSERT_TRUE(filter.add(start, end)) << size << ' ' << i;
    }
  }
}

TEST(SegmentIndex, KeepsTheHistoryOfBothPartsOfASplit) {
  Arena arena;
  SegmentIndex index(arena);
  std::vector<Record*> records;
  index.cover({100, 200}, records);
  int node = 0;
  records.front()->current.set({&node, 7});
  records.front()->kind = Kind::exclusive;
  records.clear();
  index.cover({120, 180}, records);
  ASSERT_EQ(records.size(), 1u);
  for (const ByteRange range : {ByteRange{100, 120}, ByteRange{120, 180}, ByteRange{180, 200}}) {
    const Record* record = index.find(range.start, range.end);
    ASSERT_NE(record, nullptr);
    EXPECT_TRUE(record->current.ends_with({&node, 7}));
  }
  EXPECT_EQ(index.find(100, 200), nullptr);
}

TEST(SegmentIndex, MakesSegmentsSideBySideOneWhereTheyAreToBeJoined) {
  Arena arena;
  SegmentIndex index(arena);
  std::vector<Record*> records;
  for (std::uintptr_t start = 100; start < 200; start += 10) index.cover({start, start + 10}, records);
  index.cover({300, 310}, records);
  const Record* const apart = index.find(170, 180);
  EXPECT_EQ(index.join({115, 310}, [&](const Record&, const Record& next) { return &next != apart; }), 3u);
  EXPECT_EQ(index.size(), 4u);
  const ByteRange left[] = {{100, 110}, {110, 170}, {170, 200}, {300, 310}};
  for (const ByteRange range : left) EXPECT_NE(index.find(range.start, range.end), nullptr) << range.start;
  EXPECT_EQ(index.find(120, 130), nullptr);
  records.clear();
  index.cover({105, 310}, records);
  EXPECT_EQ(records.size(), 5u);
}

TEST(SegmentIndex, HidesASegmentUntilAPartIsCutOut) {
  Arena arena;
  SegmentIndex index(arena);
  std::vector<Record*> records;
  index.cover({100, 200}, records);
  index.visit({0, 300}, [](Segment&) { return SegmentIndex::Verdict::hide; });
  EXPECT_EQ(index.find(100, 200), nullptr);
  index.cover({100, 120}, records);
  EXPECT_NE(index.find(100, 120), nullptr);
  EXPECT_EQ(index.find(120, 200), nullptr);
}

}  // namespace
}  // namespace weir::deps
