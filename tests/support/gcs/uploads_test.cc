#include "tests/support/gcs/uploads.h"

#include <gtest/gtest.h>

namespace carrack::tests {
namespace {

constexpr std::uint64_t quantum = upload_quantum;

std::string bytes(std::uint64_t length, char fill = 'a') {
  return std::string(length, fill);
}

ContentRange range(std::uint64_t first, std::uint64_t length, std::optional<std::uint64_t> total) {
  return {ContentRange::Bytes{first, first + length - 1}, total};
}

TEST(Uploads, ReadContentRanges) {
  EXPECT_EQ(content_range_from("bytes 0-99/*"), (ContentRange{ContentRange::Bytes{0, 99}, std::nullopt}));
  EXPECT_EQ(content_range_from("bytes 100-149/150"), (ContentRange{ContentRange::Bytes{100, 149}, 150}));
  EXPECT_EQ(content_range_from("bytes */150"), (ContentRange{std::nullopt, 150}));
  EXPECT_EQ(content_range_from("bytes */*"), ContentRange());
  for (const char* text : {"", "bytes", "bytes 0-99", "bytes 9-0/10", "bytes -9/10", "bytes 0-/10", "items 0-9/10",
                           "bytes 0-9/x", "bytes 0-9/"}) {
    EXPECT_FALSE(content_range_from(text)) << text;
  }
}

TEST(Uploads, TakeAWholeObjectInOneRequest) {
  Upload upload;
  EXPECT_EQ(receive(upload, std::nullopt, "hello", std::nullopt), Received(Complete{}));
  EXPECT_EQ(upload.content, "hello");
  Upload empty;
  EXPECT_EQ(receive(empty, std::nullopt, "", std::nullopt), Received(Complete{}));
}

TEST(Uploads, TakeChunksUntilTheTotalIsReached) {
  Upload upload;
  EXPECT_EQ(receive(upload, range(0, quantum, std::nullopt), bytes(quantum), std::nullopt), Received(Incomplete{}));
  EXPECT_EQ(persisted_range(upload), "bytes=0-262143");
  EXPECT_EQ(receive(upload, range(quantum, 5, quantum + 5), "hello", std::nullopt), Received(Complete{}));
  EXPECT_EQ(upload.content, bytes(quantum) + "hello");
}

TEST(Uploads, AStatusQueryTellsAndFinishesNothing) {
  Upload upload;
  EXPECT_EQ(receive(upload, ContentRange{std::nullopt, 2 * quantum}, "", std::nullopt), Received(Incomplete{}));
  EXPECT_FALSE(persisted_range(upload)) << "nothing persisted: no Range";
  receive(upload, range(0, quantum, 2 * quantum), bytes(quantum), std::nullopt);
  EXPECT_EQ(receive(upload, ContentRange(), "", std::nullopt), Received(Incomplete{}));
  EXPECT_EQ(persisted_range(upload), "bytes=0-262143");
}

TEST(Uploads, AnEmptyLastRequestNamesTheTotal) {
  Upload upload;
  receive(upload, range(0, quantum, std::nullopt), bytes(quantum), std::nullopt);
  EXPECT_EQ(receive(upload, ContentRange{std::nullopt, quantum}, "", std::nullopt), Received(Complete{}));
}

TEST(Uploads, ThatAreNotTheLastPersistWholeQuantaOnly) {
  Upload upload;
  EXPECT_EQ(receive(upload, range(0, quantum + 7, std::nullopt), bytes(quantum + 7), std::nullopt),
            Received(Incomplete{}));
  EXPECT_EQ(persisted_range(upload), "bytes=0-262143");
}

TEST(Uploads, PersistLessThanSentWhenLimited) {
  Upload upload;
  const std::string all = bytes(3 * quantum);
  EXPECT_EQ(receive(upload, range(0, all.size(), all.size()), all, quantum + 9), Received(Incomplete{true}));
  EXPECT_EQ(persisted_range(upload), "bytes=0-262143");
  EXPECT_EQ(receive(upload, range(quantum, 2 * quantum, all.size()), bytes(2 * quantum), 5),
            Received(Incomplete{true}));
  EXPECT_EQ(persisted_range(upload), "bytes=0-262143") << "less than a quantum more is nothing more";
  EXPECT_EQ(receive(upload, range(quantum, 2 * quantum, all.size()), bytes(2 * quantum), all.size()),
            Received(Complete{}));
  EXPECT_EQ(upload.content, all);
}

TEST(Uploads, IgnoreBytesThatAreSentAgain) {
  Upload upload;
  receive(upload, range(0, quantum, std::nullopt), bytes(quantum, 'a'), std::nullopt);
  const std::string again = bytes(quantum, 'x') + "tail";
  EXPECT_EQ(receive(upload, range(0, again.size(), again.size()), again, std::nullopt), Received(Complete{}));
  EXPECT_EQ(upload.content, bytes(quantum, 'a') + "tail");
}

TEST(Uploads, KeepNothingBehindAGap) {
  Upload upload;
  EXPECT_EQ(receive(upload, range(quantum, 5, quantum + 5), "hello", std::nullopt), Received(Incomplete{}));
  EXPECT_FALSE(persisted_range(upload));
}

TEST(Uploads, RefuseWhatContradictsItself) {
  const auto refuses = [](const ContentRange& given, const std::string& body) {
    Upload upload{"", 100};
    return std::holds_alternative<Refused>(receive(upload, given, body, std::nullopt));
  };
  EXPECT_TRUE(refuses(range(0, 5, std::nullopt), "four")) << "another length than announced";
  EXPECT_TRUE(refuses(range(0, 4, 99), "four")) << "another total than before";
  EXPECT_TRUE(refuses(range(98, 4, 100), "four")) << "beyond the total";
  EXPECT_TRUE(refuses(ContentRange(), "four")) << "a status query with a body";
  EXPECT_FALSE(refuses(range(0, 4, 100), "four"));
}

}  // namespace
}  // namespace carrack::tests
