// SPDX-License-Identifier: Apache-2.0

// Files that are not what was written: each is refused with the place, or, when it is only cut, read as far as it goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "temporary_path.hpp"
#include "trace/records.hpp"
#include "weir/weir.hpp"

namespace weir::trace {
namespace {

using testing::HasSubstr;

// Two runtimes; the second one's chunks take the place of the index behind the first.
std::string recorded() {
  const TemporaryPath path;
  Options options;
  options.workers = 1;
  options.trace = path.file();
  for (int i = 0; i < 2; ++i) {
    Runtime runtime(options);
    int value = 0;
    for (int task = 0; task < 20; ++task) runtime.spawn(name("add"), inout(value), [](int& v) { ++v; });
    runtime.wait();
  }
  std::ifstream file(path.file(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// All that a reader gives: what two files have in common when they are read as the same.
class Everything final : public RecordVisitor {
 public:
  std::vector<Event> events;

 private:
  void spawn(std::uint32_t track, const Event& event, std::uint64_t parent) override {
    events.push_back({event.start, event.id, parent, track});
  }
  void access(std::uint64_t task, const AccessRecord& access) override {
    events.push_back({task, access.address, access.row_bytes, access.mode.mode});
  }
  void after(std::uint64_t task, std::uint64_t before) override { events.push_back({task, before, 1, 0}); }
  void edge(std::uint64_t before, std::uint64_t task) override { events.push_back({task, before, 2, 0}); }
  void event(std::uint32_t, const Event& event) override { events.push_back(event); }
};

std::vector<Event> events_in(const TraceReader& reader) {
  Everything all;
  for (const RuntimeInfo& runtime : reader.runtimes()) EXPECT_TRUE(read_records(reader, runtime, all));
  return std::move(all.events);
}

TEST(DamagedTrace, IsRefusedWithThePlaceWhicheverBitHasChanged) {
  std::string contents = recorded();
  ASSERT_FALSE(TraceReader::of(contents, "t.weir")->ends_early());
  std::mt19937 random(20);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t bit = random() % (contents.size() * 8);
    char& byte = contents[bit / 8];
    byte = static_cast<char>(byte ^ (1 << bit % 8));
    const auto reader = TraceReader::of(contents, "t.weir");
    ASSERT_FALSE(reader) << "bit " << bit % 8 << " of byte " << bit / 8;
    EXPECT_EQ(reader.status().code, base::Code::bad_input);
    const std::string said = reader.status().message;
    ASSERT_THAT(said, HasSubstr("t.weir: damaged at byte "));
    const std::size_t place = std::stoul(said.substr(said.find("byte ") + 5));
    EXPECT_LE(place, bit / 8) << said;
    EXPECT_TRUE(place == 0 ? bit / 8 < sizeof(FileHead) : said.find(", chunk ") != std::string::npos) << said;
    byte = static_cast<char>(byte ^ (1 << bit % 8));
  }
}

TEST(DamagedTrace, ThatIsOnlyCutIsReadAsFarAsItIsWhole) {
  const std::string contents = recorded();
  const auto whole = TraceReader::of(contents, "t.weir");
  ASSERT_TRUE(whole);
  const std::vector<Event> all = events_in(*whole);
  std::mt19937 random(21);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t left = i == 0 ? contents.size() - 1 : random() % contents.size();
    const auto reader = TraceReader::of(contents.substr(0, left), "t.weir");
    if (!reader) {
      EXPECT_LT(left, sizeof(FileHead) + sizeof(ChunkHead) + 16) << reader.status().message;
      EXPECT_THAT(reader.status().message, testing::AnyOf(HasSubstr("it ends before"), HasSubstr("it is empty")));
      continue;
    }
    EXPECT_TRUE(reader->ends_early()) << left;
    for (const Event& event : events_in(*reader)) {
      const bool known = std::any_of(all.begin(), all.end(),
                                     [&](const Event& one) { return std::memcmp(&one, &event, sizeof one) == 0; });
      ASSERT_TRUE(known) << "an event that was not recorded, in the first " << left << " bytes";
    }
  }
}

// Where its chunks are, by their heads.
std::vector<std::size_t> chunks_of(const std::string& contents) {
  std::vector<std::size_t> places;
  for (std::size_t at = sizeof(FileHead); at < contents.size();) {
    places.push_back(at);
    ChunkHead head;
    std::memcpy(&head, contents.data() + at, sizeof head);
    at += sizeof head + head.bytes;
  }
  return places;
}

TEST(DamagedTrace, MayEndInWhatTheSystemHadNotWritten) {
  const std::string contents = recorded();
  const std::string part = contents.substr(0, chunks_of(contents)[4]);
  EXPECT_TRUE(TraceReader::of(part + std::string(5000, '\0'), "t.weir"));
  const auto other = TraceReader::of(part + std::string(5000, '\1'), "t.weir");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.status().message, HasSubstr("damaged at byte "));
}

TEST(DamagedTrace, IsRefusedWhenAChunkIsMissingOrTwiceThere) {
  const std::string contents = recorded();
  const std::vector<std::size_t> places = chunks_of(contents);
  ASSERT_GT(places.size(), 6u);
  const std::string missing = contents.substr(0, places[3]) + contents.substr(places[4]);
  EXPECT_THAT(TraceReader::of(missing, "t.weir").status().message,
              HasSubstr("damaged at byte " + std::to_string(places[3]) + ", chunk 3: chunk 4 stands in its place"));
  const std::string twice = contents.substr(0, places[4]) + contents.substr(places[3]);
  EXPECT_THAT(TraceReader::of(twice, "t.weir").status().message, HasSubstr("chunk 4: chunk 3 stands in its place"));
  EXPECT_THAT(TraceReader::of(contents + std::string(8, 'x'), "t.weir").status().message, HasSubstr("behind its end"));
}

// What a later version may add: passed over.
TEST(DamagedTrace, IsNotOneThatHasAChunkOfAKindThatIsNotKnown) {
  std::string contents = recorded();
  const auto before = TraceReader::of(contents, "t.weir");
  const std::size_t last = chunks_of(contents).back();
  ChunkHead end;
  std::memcpy(&end, contents.data() + last, sizeof end);
  const std::string more = "of a later version, and long.   ";
  ChunkHead unknown = end;
  unknown.kind = 999;
  unknown.runtime = 1;
  unknown.bytes = static_cast<std::uint32_t>(more.size());
  unknown.checksum = platform::crc32c(more);
  unknown.head_checksum = checksum_of(unknown);
  ++end.sequence;
  end.head_checksum = checksum_of(end);
  contents = contents.substr(0, last) + std::string(as_text(unknown)) + more + std::string(as_text(end)) +
             contents.substr(last + sizeof end);
  const auto reader = TraceReader::of(contents, "t.weir");
  ASSERT_TRUE(reader) << reader.status().message;
  EXPECT_FALSE(reader->ends_early());
  EXPECT_EQ(events_in(*reader).size(), events_in(*before).size());
}

TEST(DamagedTrace, OfALaterVersionSaysSo) {
  std::string contents = recorded();
  FileHead head;
  std::memcpy(&head, contents.data(), sizeof head);
  head.version = 2;
  head.checksum = checksum_of(head);
  std::memcpy(contents.data(), &head, sizeof head);
  EXPECT_THAT(TraceReader::of(contents, "t.weir").status().message,
              HasSubstr("its format is version 2, this weir reads version 1"));
}

}  // namespace
}  // namespace weir::trace
