// What is lost with a damaged length, and that the search for the next record ends soon on any bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/reading.h"

namespace carrack::data {
namespace {

constexpr std::string_view bad_length = ": the length does not match its checksum; lost ";
constexpr std::string_view bad_data = ": the data does not match its checksum; lost ";

// How a reader words that `lost` bytes from `offset` on, where a record of this number stood, cannot be used.
std::string fault(std::uint64_t number, std::uint64_t offset, std::string_view what, std::uint64_t lost) {
  return "x.tfrecord: record " + std::to_string(number) + " at byte " + std::to_string(offset) + std::string(what) +
         std::to_string(lost);
}

// A header that claims data of this length, with a good checksum.
void append_header(Bytes& file, std::uint64_t length) {
  append_number(file, length);
  append_number(file, masked_crc32c(std::as_bytes(std::span(&length, 1))));
}

// Counts what is read.
class CountedSource final : public ByteSource {
 public:
  explicit CountedSource(Bytes bytes) : ByteSource("x.tfrecord", {bytes.size(), {"1"}}), source_(std::move(bytes)) {}
  ReadResult read(std::span<const Slice> slices) const override {
    for (const Slice& slice : slices) {
      read_ += slice.into.size();
      longest_ = std::max(longest_, slice.into.size());
    }
    return source_.read(slices);
  }
  std::uint64_t bytes_read() const { return read_; }
  std::size_t longest_read() const { return longest_; }

 private:
  MemorySource source_;
  mutable std::uint64_t read_ = 0;
  mutable std::size_t longest_ = 0;
};

TEST(Resync, LosesExactlyTheRecordInWhichABitIsFlipped) {
  const Bytes good = file_of({"one", "", "three"});
  const Lines records = {"0@0 one", "1@19 ", "2@35 three"};
  const std::uint64_t begins[] = {0, 19, 35, 56};
  for (std::size_t record = 0; record < 3; ++record) {
    const std::uint64_t size = begins[record + 1] - begins[record];
    for (std::size_t at = 0; at < size; ++at) {
      Lines expected = records;
      expected[record] = fault(record, begins[record], at < frame::header_size ? bad_length : bad_data, size);
      for (int bit = 0; bit < 8; ++bit) {
        Bytes file = good;
        file.at(begins[record] + at) ^= std::byte{1} << bit;
        for (const std::size_t piece : {1u, 20u, 1000u})
          EXPECT_EQ(read_all(file, {.piece = piece}), expected) << "byte " << at << " of record " << record;
      }
    }
  }
}

TEST(Resync, LosesOneRecordOf100000AndNamesIt) {
  Bytes file;
  std::vector<std::uint64_t> begins;
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < 100'000; ++i) {
    begins.push_back(file.size());
    Bytes record(random() % 100);
    for (std::byte& byte : record) byte = static_cast<std::byte>(random());
    frame::append(file, record);
  }
  begins.push_back(file.size());
  const Lines good = read_all(file);
  ASSERT_EQ(good.size(), 100'000);
  for (const std::size_t at : {0u, 3u, 7u, 8u, 11u, 12u, 15u}) {
    const std::size_t number = random() % 100'000;
    const std::byte bit = std::byte{1} << random() % 8;
    file.at(begins[number] + at) ^= bit;
    Lines expected = good;
    expected[number] = fault(number, begins[number], at < frame::header_size ? bad_length : bad_data,
                             begins[number + 1] - begins[number]);
    EXPECT_TRUE(read_all(file) == expected) << "byte " << at << " of record " << number;
    file.at(begins[number] + at) ^= bit;
  }
}

TEST(Resync, AcceptsARecordOnlyIfItsDataIsGood) {
  Bytes file = file_of({"one", "two", "three", "four"});
  flip_bit(file, 19);
  flip_bit(file, 38 + 12);
  EXPECT_EQ(read_all(file), (Lines{"0@0 one", fault(1, 19, bad_length, 40), "2@59 four"}));
}

TEST(Resync, LosesTheRestIfItHasNoRecord) {
  Bytes file = file_of({"one", "two", "three"});
  flip_bit(file, 19);
  file.pop_back();
  EXPECT_EQ(read_all(file), (Lines{"0@0 one", fault(1, 19, bad_length, 39)}));
  EXPECT_EQ(read_all(Bytes(1000)), Lines{fault(0, 0, bad_length, 1000)});
}

TEST(Resync, FindsRecordsBetweenAnyOtherBytes) {
  Bytes file = file_of({"one"});
  for (const std::string_view other : {"no record, but longer than a header", "a short gap", "another one, as long"}) {
    const auto bytes = wire::bytes_of(other);
    file.insert(file.end(), bytes.begin(), bytes.end());
    frame::append(file, wire::bytes_of("found"));
  }
  EXPECT_EQ(read_all(file), (Lines{"0@0 one", fault(1, 19, bad_length, 35), "2@54 found", fault(3, 75, bad_length, 11),
                                   "4@86 found", fault(5, 107, bad_length, 20), "6@127 found"}));
}

TEST(Resync, FindsRecordsUpToItsLimitAndReadsNothingForLongerOnes) {
  for (const std::size_t beyond : {0u, 1u}) {
    Bytes file = file_of({"one"});
    frame::append(file, Bytes(RecordReader::search_bytes_max - frame::overhead + beyond, std::byte{0xff}));
    flip_bit(file, 0);
    const CountedSource source(file);
    RecordReader reader(source);
    const auto first = reader.next();
    ASSERT_TRUE(std::holds_alternative<Corrupt>(first));
    EXPECT_EQ(std::get<Corrupt>(first).lost, beyond == 0 ? 19 : file.size());
    EXPECT_EQ(source.bytes_read(), file.size());
    EXPECT_LE(source.longest_read(), beyond == 0 ? RecordReader::search_bytes_max / 2 : ReadOptions().piece);
  }
}

// To check each to its end would take ten minutes and more.
TEST(Resync, TakesLinearTimeForForgedLengths) {
  constexpr std::size_t size = std::size_t{12} << 20;
  Bytes file(1);
  while (file.size() + frame::overhead < size) append_header(file, size - file.size() - frame::overhead);
  file.resize(size);
  const CountedSource source(file);
  RecordReader reader(source);
  EXPECT_EQ(read_all(reader), Lines{fault(0, 0, bad_length, file.size())});
  EXPECT_EQ(source.bytes_read(), file.size());
}

// Of nested frames all but the innermost are bad, and each is checked: they are not many.
TEST(Resync, FindsARecordBehindManyForgedOnes) {
  Bytes file(1);
  for (int i = 0; i < 1000; ++i) append_header(file, 5'000);
  frame::append(file, wire::bytes_of("found"));
  const std::uint64_t begin = file.size() - 21;
  file.resize(file.size() + 10'000);
  EXPECT_EQ(read_all(file), (Lines{fault(0, 0, bad_length, begin), "1@" + std::to_string(begin) + " found",
                                   fault(2, begin + 21, bad_length, 10'000)}));
}

}  // namespace
}  // namespace carrack::data
