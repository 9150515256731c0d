// Records that a function makes.
#include "dataloader/sources/generated_records.h"

#include <gtest/gtest.h>

#include <string>

#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

std::vector<std::string> read_all(RecordStream& records) {
  std::vector<std::string> lines;
  for (auto next = records.next(); !std::holds_alternative<EndOfFile>(next); next = records.next()) {
    const Records& chunk = std::get<Records>(next);
    for (std::size_t i = 0; i < chunk.records.size(); ++i)
      lines.push_back(std::to_string(chunk.first + i) + "@" + std::to_string(chunk.records[i].offset) + " " +
                      std::string(wire::text_of(chunk.records[i].data)));
  }
  return lines;
}

TEST(GeneratedRecords, DoNotDependOnTheSizeOfCalls) {
  for (const std::size_t piece : {1u, 4u, 1000u}) {
    int calls = 0;
    std::string record;
    GeneratedRecords records(
        [&]() -> std::optional<std::span<const std::byte>> {
          if (++calls > 4) return std::nullopt;
          record = std::string(static_cast<std::size_t>(calls - 1), static_cast<char>('a' + calls));
          return wire::bytes_of(record);
        },
        piece);
    EXPECT_EQ(read_all(records), (std::vector<std::string>{"0@0 ", "1@0 c", "2@1 dd", "3@3 eee"}));
    EXPECT_EQ(calls, 5);
    EXPECT_TRUE(std::holds_alternative<EndOfFile>(records.next()));
    EXPECT_EQ(calls, 5);
  }
}

TEST(GeneratedRecords, CannotBeResumed) {
  GeneratedRecords records([] { return std::nullopt; });
  EXPECT_EQ(records.resume(), Seek::never);
}

}  // namespace
}  // namespace carrack::data
