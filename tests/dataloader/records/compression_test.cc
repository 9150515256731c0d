// Compressed files of records: which they are, and what is said and lost where they are damaged.
#include "dataloader/records/compression.h"

#include <gtest/gtest.h>

#include <string>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/reading.h"

namespace carrack::data {
namespace {

constexpr Compression both[] = {Compression::gzip, Compression::zlib};

const Lines three = {"0@0 one", "1@19 ", "2@35 three"};

Bytes three_records() {
  return file_of({"one", "", "three"});
}

Lines with(Lines lines, const std::string& last) {
  lines.push_back(last);
  return lines;
}

std::size_t records_in(const Lines& lines) {
  std::size_t records = 0;
  while (records < lines.size() && records < three.size() && lines[records] == three[records]) ++records;
  return records;
}

TEST(Compression, IsRecognizedByTheFirstBytes) {
  for (const Compression compression : both) {
    const Bytes file = compressed(three_records(), compression);
    EXPECT_EQ(read_all(file), three) << name_of(compression);
    EXPECT_EQ(read_all(file, {.compression = compression}), three) << name_of(compression);
  }
}

TEST(Compression, IsRecognizedInAFileWithoutRecords) {
  for (const Compression compression : both) {
    EXPECT_EQ(read_all(compressed({}, compression)), Lines()) << name_of(compression);
    EXPECT_EQ(read_all(Bytes(), {.compression = compression}), Lines()) << name_of(compression);
  }
}

TEST(Compression, DoesNotDependOnTheSizeOfPieces) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 200; ++i) texts.push_back(std::string(i * i % 1130, static_cast<char>('a' + i % 26)));
  const Bytes file = file_of({texts.begin(), texts.end()});
  const Lines expected = read_all(file);
  for (const Compression compression : both)
    for (const std::size_t piece : {1u, 17u, 129u, 1000u, 100'000u})
      EXPECT_EQ(read_all(compressed(file, compression), {.piece = piece}), expected) << piece;
}

TEST(Compression, MayConsistOfSeveralStreams) {
  const Bytes file = three_records();
  for (const Compression compression : both) {
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
      Bytes streams = compressed(std::span(file).first(cut), compression);
      streams = joined(streams, compressed(std::span(file).subspan(cut), compression));
      for (const std::size_t piece : {1u, 1000u}) EXPECT_EQ(read_all(streams, {.piece = piece}), three) << cut;
    }
  }
}

TEST(Compression, ReadsRecordsLongerThanPieces) {
  const std::string longest(5'000'000, 'x');
  for (const Compression compression : both)
    EXPECT_EQ(read_all(compressed(file_of({"one", longest, "two"}), compression), {.piece = 1000}),
              (Lines{"0@0 one", "1@19 " + longest, "2@5000035 two"}));
}

TEST(Compression, LosesSingleRecordsLikeAPlainFile) {
  Bytes data = three_records(), length = three_records();
  flip_bit(data, 12);
  flip_bit(length, 19);
  for (const Compression compression : both) {
    EXPECT_EQ(read_all(compressed(data, compression)),
              (Lines{"x.tfrecord: record 0 at byte 0 of the inflated data: the data does not match its checksum; "
                     "lost 19",
                     three[1], three[2]}));
    EXPECT_EQ(read_all(compressed(length, compression)),
              (Lines{three[0],
                     "x.tfrecord: record 1 at byte 19 of the inflated data: the length does not match its checksum; "
                     "lost 16",
                     three[2]}));
  }
}

TEST(Compression, AllocatesNoMoreThanTheBytesThatArrive) {
  for (const std::uint64_t length : {std::uint64_t{1} << 20, std::uint64_t{2} << 30}) {
    Bytes file = file_of({"one"});
    append_number(file, length);
    append_number(file, masked_crc32c(std::span(file).subspan(19)));
    file.resize(file.size() + 300'000);
    for (const Compression compression : both)
      EXPECT_EQ(read_all(compressed(file, compression), {.piece = 1000}),
                (Lines{"0@0 one",
                       "x.tfrecord: record 1 at byte 19 of the inflated data: the file ends within the record; "
                       "lost 300012"}));
  }
}

TEST(Compression, ReportsATruncatedTailAtAnyByte) {
  for (const Compression compression : both) {
    const Bytes file = compressed(three_records(), compression);
    for (std::size_t size = 8; size < file.size(); ++size) {
      const Lines found = read_all(front(file, size));
      const std::size_t records = records_in(found);
      ASSERT_EQ(found.size(), records + 1) << size;
      const std::string offset[] = {"0", "19", "35", "56"};
      const std::string expected = "x.tfrecord: record " + std::to_string(records) + " at byte " + offset[records] +
                                   " of the inflated data: the file ends within its compressed data; lost ";
      EXPECT_EQ(found.back().substr(0, expected.size()), expected);
      EXPECT_EQ(read_all(front(file, size), {.allow_truncated = true}).size(), records);
    }
    for (std::size_t size = 1; size < 3; ++size)
      EXPECT_EQ(read_all(front(file, size)),
                Lines{"x.tfrecord: record 0 at byte 0: the file ends within the record; lost " + std::to_string(size)});
  }
}

// Nothing depends on 49 bits of a GZIP header, which hold the time, the system and the level, nor on up to seven behind
// the end of a deflated stream.
TEST(Compression, DetectsEachFlippedBit) {
  for (const Compression compression : both) {
    Bytes file = compressed(three_records(), compression);
    std::size_t harmless = 0;
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      file[bit / 8] ^= std::byte{1} << bit % 8;
      const Lines found = read_all(file);
      std::size_t faults = 0;
      for (const std::string& line : found) {
        const std::string data = line.substr(line.find(' ') + 1);
        const bool written = data == "one" || data.empty() || data == "three";
        const bool fault = line.starts_with("x.tfrecord: record ");
        EXPECT_NE(written, fault) << line;
        faults += fault ? 1 : 0;
      }
      if (faults == 0) {
        EXPECT_EQ(found, three) << "bit " << bit;
        ++harmless;
      }
      file[bit / 8] ^= std::byte{1} << bit % 8;
    }
    EXPECT_LE(harmless, 7 + (compression == Compression::gzip ? 49 : 0));
  }
}

TEST(Compression, DescribesDamageOfAStream) {
  const std::string behind = "x.tfrecord: record 3 at byte 56 of the inflated data: the compressed data is damaged: ";
  const auto last_flipped = [](Compression compression, std::size_t from_end) {
    Bytes file = compressed(three_records(), compression);
    flip_bit(file, file.size() - from_end);
    return read_all(file);
  };
  EXPECT_EQ(last_flipped(Compression::gzip, 5), with(three, behind + "incorrect data check; lost 0"));
  EXPECT_EQ(last_flipped(Compression::gzip, 1), with(three, behind + "incorrect length check; lost 0"));
  EXPECT_EQ(last_flipped(Compression::zlib, 1), with(three, behind + "incorrect data check; lost 0"));
  for (const Compression compression : both)
    EXPECT_EQ(read_all(joined(compressed(three_records(), compression), file_of({"one"}))),
              with(three, behind + "incorrect header check; lost 0"));
}

TEST(Compression, NamesTheCompressionFoundInsteadOfTheOneStated) {
  const auto read_as = [](const Bytes& file, Compression compression) {
    return read_all(file, {.compression = compression});
  };
  const auto fault = [](const std::string& what, std::size_t lost) {
    return Lines{"x.tfrecord: record 0 at byte 0: " + what +
                 " was named; leave the compression out to have it found; " + "lost " + std::to_string(lost)};
  };
  const Bytes plain = three_records();
  const Bytes gzip = compressed(plain, Compression::gzip);
  const Bytes zlib = compressed(plain, Compression::zlib);
  EXPECT_EQ(read_as(plain, Compression::gzip), fault("it begins with a record, and GZIP", plain.size()));
  EXPECT_EQ(read_as(plain, Compression::zlib), fault("it begins with a record, and ZLIB", plain.size()));
  EXPECT_EQ(read_as(gzip, Compression::zlib), fault("it is compressed as GZIP, and ZLIB", gzip.size()));
  EXPECT_EQ(read_as(gzip, Compression::none), fault("it is compressed as GZIP, and NONE", gzip.size()));
  EXPECT_EQ(read_as(zlib, Compression::gzip), fault("it is compressed as ZLIB, and GZIP", zlib.size()));
  EXPECT_EQ(read_as(zlib, Compression::none), fault("it is compressed as ZLIB, and NONE", zlib.size()));
  EXPECT_EQ(read_as(Bytes(100), Compression::gzip),
            fault("it begins neither with a record nor as GZIP or ZLIB do, and GZIP", 100));
}

// 376 is 0x0178, and 78 01 is how zlib's fastest streams begin.
TEST(Compression, IsNotFoundInADamagedLength) {
  Bytes file;
  frame::append(file, Bytes(376));
  frame::append(file, wire::bytes_of("two"));
  flip_bit(file, 8);
  EXPECT_EQ(read_all(file),
            (Lines{"x.tfrecord: record 0 at byte 0: the length does not match its checksum; lost 392", "1@392 two"}));
}

// 78 01 again, and then neither zeros nor anything that inflates.
TEST(Compression, FallsBackToPlainIfOnlyTheFirstBytesMatch) {
  for (const std::size_t offset : {4U, 5U, 6U, 7U}) {
    Bytes file;
    frame::append(file, Bytes(376));
    frame::append(file, wire::bytes_of("two"));
    flip_bit(file, offset);
    EXPECT_EQ(read_all(file),
              (Lines{"x.tfrecord: record 0 at byte 0: the length does not match its checksum; lost 392", "1@392 two"}))
        << offset;
  }
}

TEST(Compression, RefusesRecordsOfOverTwoGibibytes) {
  for (const std::uint64_t length : {(std::uint64_t{2} << 30) + 1, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    Bytes file = file_of({"one"});
    append_number(file, length);
    append_number(file, masked_crc32c(std::span(file).subspan(19)));
    file = joined(file, file_of({"three"}));
    for (const Compression compression : both) {
      EXPECT_EQ(read_all(compressed(file, compression)),
                (Lines{"0@0 one",
                       "x.tfrecord: record 1 at byte 19 of the inflated data: the record is longer than 2 GiB; lost 12",
                       "2@31 three"}));
    }
  }
}

TEST(Compression, ReportsAFileThatChangesWhileItIsRead) {
  Bytes noise(1000);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::byte>(i * i * i >> 3);
  Bytes file;
  for (int i = 0; i < 10; ++i) frame::append(file, noise);
  MemorySource source(compressed(file, Compression::gzip));
  RecordReader reader(source, {.piece = 64});
  source.bytes.resize(source.bytes.size() / 2);
  const Lines found = read_all(reader);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found.back().find(" of the inflated data: the file has changed since it was opened; lost "),
            std::string::npos)
      << found.back();
}

TEST(Compression, HasTensorFlowsNames) {
  for (const Compression compression : {Compression::none, Compression::gzip, Compression::zlib})
    EXPECT_EQ(compression_from(name_of(compression)), compression);
  try {
    compression_from("SNAPPY");
    FAIL() << "it was taken";
  } catch (const Refused& refused) {
    EXPECT_STREQ(refused.what(), "'SNAPPY' is not a known compression of TFRecords; write NONE, GZIP or ZLIB");
  }
}

}  // namespace
}  // namespace carrack::data
