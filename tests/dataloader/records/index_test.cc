#include "dataloader/records/index.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {
namespace {

Index index_of(const Bytes& file) {
  return std::get<Index>(build_index(MemorySource(file)));
}

Corrupt fault_of(const Bytes& file) {
  return std::get<Corrupt>(build_index(MemorySource(file)));
}

std::string problem_of(const Bytes& encoded) {
  return std::get<std::string>(index_from(encoded));
}

// Replaces the checksum by the one of what stands before it.
Bytes sealed(Bytes encoded) {
  encoded.erase(encoded.end() - 4, encoded.end());
  append_number(encoded, masked_crc32c(encoded));
  return encoded;
}

Bytes with_number(Bytes encoded, std::size_t offset, std::uint64_t number) {
  std::memcpy(encoded.data() + offset, &number, sizeof number);
  return sealed(std::move(encoded));
}

TEST(Index, KnowsWhereEachRecordIs) {
  const Index index = index_of(file_of({"one", "", "three"}));
  ASSERT_EQ(index.records(), 3);
  EXPECT_EQ(index.at(0), (Index::Extent{0, 19}));
  EXPECT_EQ(index.at(1), (Index::Extent{19, 16}));
  EXPECT_EQ(index.at(2), (Index::Extent{35, 21}));
  EXPECT_EQ(index.file(), (ObjectStat{56, {"1"}}));
}

TEST(Index, IndexesDamageAsRecordsIfRequested) {
  const Bytes whole = file_of({"one", "two", "three", "four"});
  const auto index_around = [](const Bytes& file) {
    const Index index = std::get<Index>(build_index(MemorySource(file), 1, DamagedFile::indexed));
    EXPECT_EQ(std::get<Index>(index_from(encode(index))), index);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < index.records(); ++i) offsets.push_back(index.at(i).offset);
    return offsets;
  };
  EXPECT_EQ(index_around(whole), (std::vector<std::uint64_t>{0, 19, 38, 59}));
  for (const std::size_t bit : {19u * 8, 19u * 8 + 63, 19u * 8 + 64, 19u * 8 + 95}) {  // of a length and its checksum
    Bytes file = whole;
    file[bit / 8] ^= std::byte{1} << bit % 8;
    EXPECT_EQ(index_around(file), (std::vector<std::uint64_t>{0, 19, 38, 59})) << bit;
    EXPECT_EQ(fault_of(file).fault, Fault::bad_length);
  }
  for (const std::size_t left : {60u, 71u, 75u, 78u})  // within the last one's length, its data, its checksum
    EXPECT_EQ(index_around(Bytes(whole.begin(), whole.begin() + left)), (std::vector<std::uint64_t>{0, 19, 38, 59}));
  const std::string_view pointer = "version https://git-lfs.github.com/spec/v1\n";
  Bytes other = file_of({"one"});
  for (const char letter : pointer) other.push_back(static_cast<std::byte>(letter));
  const Bytes last = file_of({"last"});
  other.insert(other.end(), last.begin(), last.end());
  EXPECT_EQ(index_around(other), (std::vector<std::uint64_t>{0, 19, 19 + pointer.size()})) << "which is no whole file";
  Bytes cut = whole;
  cut.erase(cut.begin() + 19, cut.begin() + 33);
  EXPECT_EQ(index_around(cut), (std::vector<std::uint64_t>{0, 19, 24, 45})) << "five bytes that belong to nothing";
}

TEST(Index, HasNoRecordsForAnEmptyFile) {
  EXPECT_EQ(index_of({}).records(), 0);
}

TEST(Index, DistinguishesFilesByLengthsAndChecksums) {
  const std::string longest(600'000, 'x');
  const Bytes file = file_of({"one", "", longest, "three"});
  Bytes ends;
  for (const std::string_view record :
       {std::string_view("one"), std::string_view(), std::string_view(longest), std::string_view("three")}) {
    Bytes framed;
    frame::append(framed, wire::bytes_of(record));
    ends.insert(ends.end(), framed.begin(), framed.begin() + frame::header_size);
    ends.insert(ends.end(), framed.end() - frame::footer_size, framed.end());
  }
  EXPECT_EQ(index_of(file).contents(), crc32c(ends));
  EXPECT_NE(index_of(file_of({"one"})).contents(), index_of(file_of({"two"})).contents());
  EXPECT_NE(index_of(file_of({"one", "two"})).contents(), index_of(file_of({"two", "one"})).contents());
}

// The worked bytes of docs/formats/index.md.
TEST(Index, HasTheDocumentedBytes) {
  const Bytes encoded = encode(index_of(file_of({"one", "two"})));
  std::string text;
  for (const std::byte one : encoded) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%02x ", static_cast<unsigned>(one));
    text += hex;
  }
  EXPECT_EQ(text,
            "43 52 52 4b 49 44 58 31 26 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "01 00 00 00 00 00 00 00 fa 60 ee 27 31 00 00 00 00 00 00 00 00 00 13 40 e9 fa 1a ");
}

TEST(Index, RoundTripsFilesOfAnyNumberAndLengthOfRecords) {
  for (const std::size_t records : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    for (const std::size_t longest : {1u, 300u, 70'000u}) {
      Bytes file;
      std::vector<std::uint64_t> offsets;
      for (std::size_t i = 0; i < records; ++i) {
        offsets.push_back(file.size());
        frame::append(file, Bytes(i * i % longest));
      }
      const Index index = index_of(file);
      ASSERT_EQ(index.records(), records);
      for (std::size_t i = 0; i < records; ++i) ASSERT_EQ(index.at(i).offset, offsets[i]);
      EXPECT_EQ(std::get<Index>(index_from(encode(index))), index);
    }
  }
}

TEST(Index, TakesTwoOrThreeBytesARecord) {
  const auto size = [](std::size_t length) {
    const std::string record(length, 'x');
    return encode(index_of(file_of(std::vector<std::string_view>(640, record)))).size();
  };
  EXPECT_EQ(size(1024), 44 + 1 + 10 * 8 + 640 * 2 + 4);
  EXPECT_EQ(size(1025), 44 + 1 + 10 * 8 + 640 * 3 + 4);
  EXPECT_EQ(size(266'000), 44 + 1 + 10 * 8 + 640 * 3 + 4);
}

// What is read of it.
class Counted final : public ByteSource {
 public:
  explicit Counted(const ByteSource& file) : ByteSource(file.name(), file.stat()), file_(file) {}
  ReadResult read(std::span<const Slice> slices) const override {
    for (const Slice& slice : slices) {
      ++reads;
      bytes += slice.into.size();
    }
    return file_.read(slices);
  }

  mutable std::uint64_t reads = 0, bytes = 0;

 private:
  const ByteSource& file_;
};

TEST(Index, IsBuiltInPiecesAndFromLongRecordsEndsOnly) {
  constexpr std::size_t piece = 1 << 16;
  const auto read_of = [&](std::size_t length, std::size_t records) {
    const std::string record(length, 'x');
    const MemorySource file(file_of(std::vector<std::string_view>(records, record)));
    const Counted counted(file);
    EXPECT_EQ(std::get<Index>(build_index(counted, piece)).records(), records);
    return std::pair(counted.reads, counted.bytes);
  };
  EXPECT_EQ(read_of(1024 - 16, 640), std::pair(std::uint64_t{10}, std::uint64_t{10 * piece}));
  // The first piece holds a beginning, and each end comes with the next beginning.
  EXPECT_EQ(read_of(4 * piece, 9), std::pair(std::uint64_t{10}, std::uint64_t{piece + 8 * 4096 + 4}));
}

TEST(Index, ReportsWhereAFileCannotBeIndexed) {
  Bytes file = file_of({"one", "two"});
  flip_bit(file, 19);
  EXPECT_EQ(text(fault_of(file)), "x.tfrecord: record 1 at byte 19: the length does not match its checksum");
  flip_bit(file, 19);
  file.pop_back();
  EXPECT_EQ(text(fault_of(file)), "x.tfrecord: record 1 at byte 19: the file ends within the record");
  file.resize(25);
  EXPECT_EQ(text(fault_of(file)), "x.tfrecord: record 1 at byte 19: the file ends within the record");
  MemorySource source(file_of({"one", "two"}));
  source.bytes.clear();
  EXPECT_EQ(text(std::get<Corrupt>(build_index(source))),
            "x.tfrecord: record 0 at byte 0: the file has changed since it was opened");
}

TEST(Index, IsNotBuiltForGitLfsPointers) {
  const auto pointer = wire::bytes_of("version https://git-lfs.github.com/spec/v1\n");
  EXPECT_EQ(text(fault_of(Bytes(pointer.begin(), pointer.end()))),
            "x.tfrecord: record 0 at byte 0: it is a pointer of Git LFS, not the file itself; `git lfs pull` fetches "
            "that");
}

TEST(Index, OfACompressedFileIsThatOfItsInflatedBytes) {
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    for (const std::vector<std::string_view>& records :
         {std::vector<std::string_view>{}, {"one", "two"}, {"one", "", "three"}}) {
      const Bytes plain = file_of(records);
      const Bytes file = compressed(plain, compression);
      const Index index = index_of(file);
      EXPECT_EQ(index.file(), (ObjectStat{plain.size(), {"1"}}));
      EXPECT_EQ(index.stored(), (ObjectStat{file.size(), {"1"}}));
      EXPECT_EQ(index.contents(), index_of(plain).contents());
      ASSERT_EQ(index.records(), records.size());
      for (std::uint64_t i = 0; i < records.size(); ++i) EXPECT_EQ(index.at(i), index_of(plain).at(i));
      EXPECT_EQ(std::get<Index>(index_from(encode(index))), index);
      EXPECT_NE(index, index_of(plain));
    }
  }
}

TEST(Index, RefusesOtherBytes) {
  const Bytes good = encode(index_of(file_of({"one", "two"})));
  EXPECT_EQ(problem_of({}), "it is not an index, or one of another version");
  EXPECT_EQ(problem_of(Bytes(100)), "it is not an index, or one of another version");
  for (std::size_t size = 8; size < good.size(); ++size) {
    const auto decoded = index_from(std::span(good).first(size));
    EXPECT_TRUE(std::holds_alternative<std::string>(decoded)) << size;
  }
  for (std::size_t at = 8; at < good.size(); ++at) {
    Bytes bad = good;
    flip_bit(bad, at);
    EXPECT_EQ(problem_of(bad), "it does not match its checksum") << at;
  }
}

TEST(Index, RefusesWrongNumbersUnderAGoodChecksum) {
  const Bytes good = encode(index_of(file_of({"one", "two"})));
  constexpr std::size_t size = 8, records = 16, width = 24, version = 32, first = 45, relative = 53;
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{9}, ~std::uint64_t{0}}) {
    EXPECT_EQ(problem_of(with_number(good, width, number)), "its lengths exceed it");
  }
  EXPECT_EQ(problem_of(with_number(good, records, 3)), "its lengths exceed it");
  EXPECT_EQ(problem_of(with_number(good, records, ~std::uint64_t{0})), "its lengths exceed it");
  EXPECT_EQ(problem_of(with_number(good, version, ~std::uint64_t{0})), "its lengths exceed it");
  EXPECT_EQ(problem_of(with_number(good, size, 19)), "its records do not fill its file");
  EXPECT_EQ(problem_of(with_number(good, first, 1)), "its records do not fill its file");
  Bytes close = good;
  close.at(relative + 1) = std::byte{0};
  EXPECT_EQ(problem_of(sealed(close)), "its records do not fill its file");
}

// Otherwise a few bytes in a bucket would have each reader allocate as much as they say.
TEST(Index, RefusesRecordsLongerThanAReaderAllocates) {
  const Bytes good = encode(index_of(file_of({"one", "two"})));
  constexpr std::size_t size = 8;
  const std::uint64_t longest = 19 + frame::size_of(frame::record_bytes_max);
  EXPECT_EQ(std::get<Index>(index_from(with_number(good, size, longest))).at(1).size, longest - 19);
  EXPECT_EQ(problem_of(with_number(good, size, longest + 1)), "a record in it is longer than 2 GiB");
  EXPECT_EQ(problem_of(with_number(good, size, 100'000'000'000)), "a record in it is longer than 2 GiB");
}

}  // namespace
}  // namespace carrack::data
