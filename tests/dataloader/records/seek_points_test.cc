// Compressed files that are read anywhere: the same bytes as those of a reader from front to back, whatever the streams
// in them are, few bytes for the places, and of a damaged file everything up to the damage and behind it.
#include "dataloader/records/seek_points.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string_view>

#include "dataloader/crc32c.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"
#include "dataloader/records/inflated_source.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/seek_point_stream.h"
#include "tests/dataloader/records/deflated.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// Bytes that are packed to about half.
Bytes some_bytes(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 16);
  return bytes;
}

struct Scanned {
  Bytes bytes;
  SeekPoints points;
  std::optional<ByteStream::Problem> problem;
};

Scanned scan(const Bytes& file, Compression compression, DamagedFile damage = DamagedFile::refused,
             std::size_t piece = 100'000) {
  const MemorySource source(file);
  SeekPointStream stream(source, compression, piece, damage);
  Scanned scanned;
  Bytes into(70'000);
  while (const std::size_t size = stream.read(into))
    scanned.bytes.insert(scanned.bytes.end(), into.begin(), into.begin() + size);
  EXPECT_EQ(stream.inflated(), scanned.bytes.size());
  scanned.points = stream.points();
  scanned.problem = stream.problem();
  return scanned;
}

std::unique_ptr<const ByteSource> opened(const Bytes& file, const SeekPoints& points, std::uint64_t size) {
  return inflated(std::make_unique<const MemorySource>(file), std::make_shared<const SeekPoints>(points), size,
                  std::make_shared<InflaterCache>());
}

Bytes bytes_at(const ByteSource& source, std::uint64_t offset, std::size_t size) {
  Bytes bytes(size);
  EXPECT_EQ(source.read_at(offset, bytes), ReadResult::complete);
  return bytes;
}

Bytes part_of(const Bytes& bytes, std::size_t offset, std::size_t size) {
  const auto part = std::span(bytes).subspan(offset, size);
  return {part.begin(), part.end()};
}

// Any range of the file is that of `plain`; and the points take at most a hundredth of the file and a head.
void expect_reads_as(const Bytes& file, Compression compression, const Bytes& plain, std::size_t points_min) {
  const Scanned scanned = scan(file, compression);
  EXPECT_FALSE(scanned.problem);
  ASSERT_TRUE(scanned.bytes == plain);
  EXPECT_GE(scanned.points.points.size(), points_min);
  const Bytes encoded = encode(scanned.points);
  EXPECT_LE(encoded.size(), file.size() / 100 + 44);
  std::span<const std::byte> left = encoded;
  EXPECT_EQ(std::get<SeekPoints>(take_seek_points(left)), scanned.points);
  EXPECT_TRUE(left.empty());
  const std::unique_ptr<const ByteSource> source = opened(file, scanned.points, plain.size());
  std::mt19937 random(2);
  for (const SeekPoint& point : scanned.points.points) {
    const std::size_t size = std::min<std::size_t>(plain.size() - point.out, 1000);
    EXPECT_TRUE(bytes_at(*source, point.out, size) == part_of(plain, point.out, size)) << point.out;
  }
  for (int time = 0; time < 5; ++time) {
    const std::size_t offset = random() % plain.size();
    const std::size_t size = std::min<std::size_t>(random() % 300'000, plain.size() - offset);
    EXPECT_TRUE(bytes_at(*source, offset, size) == part_of(plain, offset, size)) << offset << " " << size;
  }
}

TEST(SeekPoints, LeadIntoStreamsOfAnyLevel) {
  const Bytes plain = some_bytes(5 * mebibyte);
  for (const int level : {0, 1, 6, 9})
    expect_reads_as(deflated(plain, Compression::gzip, level), Compression::gzip, plain, 2);
  for (const int level : {0, 1})
    expect_reads_as(deflated(plain, Compression::zlib, level), Compression::zlib, plain, 2);
}

TEST(SeekPoints, LeadIntoFlushedStreams) {
  const Bytes plain = some_bytes(5 * mebibyte);
  for (const int flush : {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK})
    expect_reads_as(deflated(plain, Compression::gzip, 1, flush), Compression::gzip, plain, 2);
}

TEST(SeekPoints, AreTheBeginningsOfStreamsWhereThereAreMany) {
  const Bytes plain = some_bytes(3 * mebibyte);
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    Bytes file = deflated({}, compression, 6);
    for (std::size_t at = 0; at < plain.size(); at += 100'000) {
      const auto part = std::span(plain).subspan(at, std::min<std::size_t>(100'000, plain.size() - at));
      file = joined(joined(file, deflated(part, compression, 6)), deflated({}, compression, 6));
    }
    expect_reads_as(file, compression, plain, 10);
    const Scanned scanned = scan(file, compression);
    EXPECT_TRUE(std::ranges::all_of(scanned.points.points, &SeekPoint::begins_stream));
  }
}

TEST(SeekPoints, AreFewWhereTheyWouldTakeMoreThanAHundredthOfTheFile) {
  const Bytes zeros(30 * mebibyte);  // which is packed to a thousandth
  expect_reads_as(deflated(zeros, Compression::gzip, 6), Compression::gzip, zeros, 2);
  Bytes many;
  for (int member = 0; member < 1000; ++member) many = joined(many, deflated(some_bytes(1), Compression::gzip, 6));
  expect_reads_as(many, Compression::gzip, Bytes(1000, some_bytes(1)[0]), 1);
}

TEST(SeekPoints, AreTheSameWhereverPiecesEnd) {
  const Bytes file = deflated(some_bytes(5 * mebibyte), Compression::gzip, 1);
  const SeekPoints points = scan(file, Compression::gzip).points;
  EXPECT_EQ(points.points.size(), 2);
  for (const std::size_t piece : {std::size_t{16}, std::size_t{4097}, file.size()})
    EXPECT_EQ(scan(file, Compression::gzip, DamagedFile::refused, piece).points, points);
}

TEST(SeekPoints, AreNotNeededToReadOn) {
  const Bytes plain = some_bytes(5 * mebibyte);
  const Bytes file = deflated(plain, Compression::gzip, 1);
  BytesRead count;
  const auto source = inflated(std::make_unique<const CountingSource>(file, count),
                               std::make_shared<const SeekPoints>(scan(file, Compression::gzip).points), plain.size(),
                               std::make_shared<InflaterCache>());
  for (std::size_t at = 0; at < plain.size(); at += 10'000) {
    const std::size_t size = std::min<std::size_t>(10'000, plain.size() - at);
    ASSERT_TRUE(bytes_at(*source, at, size) == part_of(plain, at, size)) << at;
  }
  EXPECT_LE(count.all, file.size());
}

TEST(SeekPoints, AreReadFromInPartsWhereAllWouldTakeMuchMemory) {
  std::mt19937_64 random(1);
  Bytes plain(40 * mebibyte), file;
  for (std::size_t at = 0; at < plain.size(); at += 8) {
    const std::uint64_t number = random();
    std::memcpy(plain.data() + at, &number, 8);
  }
  constexpr std::size_t member = 300'000;
  for (std::size_t at = 0; at < plain.size(); at += member) {
    const auto part = std::span(plain).subspan(at, std::min(member, plain.size() - at));
    file = joined(std::move(file), deflated(part, Compression::gzip, 0));
  }
  const SeekPoints points = scan(file, Compression::gzip).points;
  BytesRead count;
  const auto source =
      inflated(std::make_unique<const CountingSource>(file, count), std::make_shared<const SeekPoints>(points),
               plain.size(), std::make_shared<InflaterCache>());
  std::vector<Bytes> found(points.points.size() - 1, Bytes(10));
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < found.size(); ++i) slices.push_back({points.points[i].out + 200'000, found[i]});
  ASSERT_EQ(source->read(slices), ReadResult::complete);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], part_of(plain, slices[i].offset, 10));
  EXPECT_GT(count.all, 32 * mebibyte);
  EXPECT_LE(count.at_once_max, 32 * mebibyte);
}

TEST(SeekPoints, EndWhatDamageHasMoved) {
  const Bytes plain = some_bytes(9 * mebibyte);
  const Bytes file = deflated(plain, Compression::gzip, 1);
  const SeekPoints points = scan(file, Compression::gzip).points;
  ASSERT_EQ(points.points.size(), 3);
  const std::uint64_t behind = points.points[1].out;
  std::size_t differing = 0;
  for (std::size_t at = points.points[1].in / 2, flips = 0; flips < 12; ++flips, at += 997) {
    Bytes damaged = file;
    damaged[at] ^= std::byte{1} << flips % 8;
    const Bytes found = bytes_at(*opened(damaged, points, plain.size()), 0, plain.size());
    differing += part_of(found, 0, behind) != part_of(plain, 0, behind);
    EXPECT_TRUE(part_of(found, behind, plain.size() - behind) == part_of(plain, behind, plain.size() - behind)) << at;
  }
  EXPECT_EQ(differing, 12);
}

TEST(SeekPoints, AreSearchedForInLinearTimeBehindDamage) {
  Bytes file = deflated(some_bytes(1000), Compression::gzip, 6);
  file[file.size() / 2] ^= std::byte{1};
  // Headers whose names do not end.
  const char header[] = "\x1f\x8b\x08\x08\x01\x01\x01\x01\x01\x03xx";
  for (int i = 0; i < 40'000; ++i)
    for (const char letter : std::string_view(header, 12)) file.push_back(static_cast<std::byte>(letter));
  BytesRead count;
  const auto built = build_index(CountingSource(file, count), 100'000, DamagedFile::indexed);
  EXPECT_TRUE(std::holds_alternative<Index>(built));
  EXPECT_LE(count.all, 70 * mebibyte);
}

TEST(SeekPoints, ServeSeveralSlicesInAnyOrder) {
  const Bytes plain = some_bytes(5 * mebibyte);
  const Bytes file = deflated(plain, Compression::zlib, 1);
  const auto source = opened(file, scan(file, Compression::zlib).points, plain.size());
  Bytes a(100), b(100), c(100), none;
  const Slice slices[] = {{5'000'000, a}, {10, b}, {20, none}, {60, c}};
  ASSERT_EQ(source->read(slices), ReadResult::complete);
  EXPECT_EQ(a, part_of(plain, 5'000'000, 100));
  EXPECT_EQ(b, part_of(plain, 10, 100));
  EXPECT_EQ(c, part_of(plain, 60, 100));
  const Slice behind{plain.size(), a};
  EXPECT_EQ(source->read({&behind, 1}), ReadResult::past_end);
}

// The worked bytes of docs/formats/index.md.
TEST(SeekPoints, HaveTheDocumentedBytes) {
  SeekPoints points{.compression = Compression::gzip, .file_size = 5'000'000};
  points.points.push_back({.in = 3'000'000, .out = 9'000'000});
  std::string text;
  for (const std::byte one : encode(points)) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%02x ", static_cast<unsigned>(one));
    text += hex;
  }
  EXPECT_EQ(text,
            "43 52 52 4b 49 44 5a 31 40 4b 4c 00 00 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "16 00 00 00 00 00 00 00 c0 c6 2d 00 00 00 00 00 40 54 89 00 00 00 00 00 00 00 00 00 00 00 57 1f "
            "f3 29 ");
}

TEST(SeekPoints, AreRefusedIfTheyAreDamaged) {
  SeekPoints points{.compression = Compression::zlib, .file_size = 100};
  points.points.push_back({.in = 50, .out = 70, .bits = 3, .value = 5, .window = Bytes(9)});
  const auto problem = [](Bytes bytes, bool sealed = true) {
    if (sealed) {
      bytes.erase(bytes.end() - 4, bytes.end());
      append_number(bytes, masked_crc32c(bytes));
    }
    std::span<const std::byte> left = bytes;
    const auto taken = take_seek_points(left);
    return std::holds_alternative<SeekPoints>(taken) ? "" : std::get<std::string>(taken);
  };
  const auto with = [&](std::size_t at, unsigned char byte) {
    Bytes bytes = encode(points);
    bytes.at(at) = std::byte{byte};
    return bytes;
  };
  EXPECT_EQ(problem(encode(points)), "");
  EXPECT_EQ(problem({}, false), "it is not an index, or one of another version");
  EXPECT_EQ(problem(with(7, '2')), "it is not an index, or one of another version");
  EXPECT_EQ(problem(front(encode(points), 30), false), "its lengths exceed it");
  EXPECT_EQ(problem(with(50, 9), false), "it does not match its checksum");
  EXPECT_EQ(problem(with(16, 3)), "it is of an unknown compression");
  EXPECT_EQ(problem(with(24, 2)), "its lengths exceed it");
  EXPECT_EQ(problem(with(24, 0)), "its lengths exceed it");
  EXPECT_EQ(problem(with(58, 10)), "its lengths exceed it");
  const std::string disorder = "the places at which its file can be inflated are not in order";
  EXPECT_EQ(problem(with(40, 0)), disorder);
  EXPECT_EQ(problem(with(40, 100)), disorder);
  EXPECT_EQ(problem(with(48, 0)), disorder);
  EXPECT_EQ(problem(with(56, 8)), "a place at which its file can be inflated has bits that cannot be");
  EXPECT_EQ(problem(with(57, 8)), "a place at which its file can be inflated has bits that cannot be");
}

}  // namespace
}  // namespace carrack::data
