// ISA-L and zlib inflate the same inputs, whole, cut and damaged, in pieces of any size: the same bytes, the same
// verdict.
#include "dataloader/records/inflater.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <random>

#include "tests/dataloader/records/deflated.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/inflating.h"

namespace carrack::data {
namespace {

using std::string_view_literals::operator""sv;

constexpr Compression both[] = {Compression::gzip, Compression::zlib};

Bytes owned(std::string_view text) {
  const wire::View bytes = wire::bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

// Some text, which is compressed by copies and codes of all lengths.
Bytes some_text(std::size_t size) {
  std::mt19937 random(3);
  std::string text;
  while (text.size() < size) {
    const std::size_t back = random() % (text.size() + 1);
    if (random() % 3 != 0)
      text += text.substr(back, random() % 400);
    else
      for (std::size_t i = random() % 30; i > 0; --i) text += static_cast<char>('a' + (random() & random() & 31));
  }
  return owned(std::string_view(text).substr(0, size));
}

Bytes joined_streams(std::span<const std::byte> plain, Compression compression, std::size_t size) {
  Bytes file;
  for (; !plain.empty(); plain = plain.subspan(std::min(size, plain.size())))
    file = joined(file, compressed(plain.first(std::min(size, plain.size())), compression));
  return file;
}

void expect_inflates(const Bytes& file, Compression compression, const Bytes& plain, const Pieces& pieces = {}) {
  const Inflated inflated = inflate_all<Inflater>(file, compression, pieces);
  EXPECT_TRUE(inflated.bytes == plain) << inflated.bytes.size() << " of " << plain.size();
  EXPECT_EQ(inflated.verdict, "complete");
}

TEST(Inflater, InflatesAnyLevelAndFlush) {
  for (const Bytes& plain : {Bytes(), some_text(1), some_text(70'000), some_text(700'000), Bytes(300'000)}) {
    for (const Compression compression : both) {
      for (const int level : {0, 1, 6, 9}) expect_inflates(deflated(plain, compression, level), compression, plain);
      for (const int flush : {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK})
        expect_inflates(deflated(plain, compression, 6, flush), compression, plain);
    }
  }
}

TEST(Inflater, InflatesStreamsBehindEachOtherInPiecesOfAnySize) {
  const Bytes plain = some_text(3000);
  for (const Compression compression : both) {
    for (const std::size_t stream : {1u, 2u, 7u, 100u, 1000u}) {
      const Bytes file = joined_streams(plain, compression, stream);
      for (const std::size_t in : {1u, 2u, 3u, 7u, 8u, 9u, 64u, 100'000u})
        for (const std::size_t out : {1u, 300u, 100'000u}) expect_inflates(file, compression, plain, {in, out});
    }
  }
}

TEST(Inflater, InflatesLongStreamsInPiecesOfAnySize) {
  const Bytes plain = some_text(400'000);
  for (const Compression compression : both) {
    const Bytes file = joined_streams(plain, compression, 150'000);
    for (const std::size_t in : {1u, 300u, 10'000u, 1'000'000u})
      for (const std::size_t out : {100u, 20'000u, 100'000u, 1'000'000u})
        expect_inflates(file, compression, plain, {in, out});
  }
}

TEST(Inflater, IsAtAnEndWhenTheOutputHasJustRoom) {
  for (std::size_t size = 0; size < 140'000; size += size < 300 ? 1 : 9'973) {
    const Bytes plain = some_text(size);
    for (const int level : {0, 1, 6}) {
      const Bytes file = deflated(plain, Compression::gzip, level);
      Inflater inflater(Compression::gzip);
      Bytes into(size);
      const Inflater::Step step = inflater.inflate(file, into);
      EXPECT_EQ(step.taken, file.size()) << size << " " << level;
      EXPECT_TRUE(step.made == size && into == plain && inflater.at_an_end()) << size << " " << level;
    }
  }
}

TEST(Inflater, SaysTheSameAsZlibOfACutStream) {
  const Bytes plain = some_text(2000);
  for (const Compression compression : both) {
    const Bytes file = joined_streams(plain, compression, 1500);
    for (std::size_t size = 0; size <= file.size(); ++size) {
      const Inflated ours = inflate_all<Inflater>(front(file, size), compression, {50, 100});
      const Inflated zlibs = inflate_all<BlockInflater>(front(file, size), compression, {50, 100});
      EXPECT_EQ(ours.verdict, zlibs.verdict) << size;
      EXPECT_TRUE(ours.bytes == zlibs.bytes) << size;
    }
  }
}

TEST(Inflater, SaysTheSameAsZlibOfAFlippedBit) {
  std::size_t damaged = 0;
  for (const Compression compression : both) {
    for (const int level : {0, 6}) {
      Bytes file = deflated(some_text(1000), compression, level);
      file = joined(file, deflated(some_text(50), compression, level));
      for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        file[bit / 8] ^= std::byte{1} << bit % 8;
        const std::string difference = difference_from_zlib(file, compression, {});
        EXPECT_EQ(difference, "") << "bit " << bit;
        damaged += inflate_all<Inflater>(file, compression, {}).verdict.starts_with("damaged") ? 1 : 0;
        file[bit / 8] ^= std::byte{1} << bit % 8;
      }
    }
  }
  EXPECT_GT(damaged, 10'000);
}

TEST(Inflater, SaysTheSameAsZlibOfDamageInALongStream) {
  std::mt19937 random(5);
  const Bytes plain = some_text(300'000);
  for (const Compression compression : both) {
    const Bytes file = deflated(plain, compression, 6);
    for (int time = 0; time < 100; ++time) {
      Bytes damaged = file;
      flip_bit(damaged, random() % file.size());
      for (const std::size_t out : {1000u, 1'000'000u})
        EXPECT_EQ(difference_from_zlib(damaged, compression, {100'000, out}), "");
    }
  }
}

// A GZIP header with these fields, RFC 1952.
Bytes header_with(unsigned flags) {
  Bytes header = owned("\x1f\x8b\x08"sv);
  header.push_back(static_cast<std::byte>(flags));
  header.resize(10);
  if ((flags & 4) != 0) header = joined(header, owned("\3\0\x61\x62\x63"sv));
  if ((flags & 8) != 0) header = joined(header, owned("name\0"sv));
  if ((flags & 16) != 0) header = joined(header, owned("a comment\0"sv));
  if ((flags & 2) != 0) {
    const std::uint32_t crc = crc32(header);
    header.push_back(static_cast<std::byte>(crc));
    header.push_back(static_cast<std::byte>(crc >> 8));
  }
  return header;
}

TEST(Inflater, PassesOverTheFieldsOfAGzipHeader) {
  const Bytes plain = some_text(100);
  const Bytes stream = compressed(plain, Compression::gzip);
  const Bytes behind(stream.begin() + 10, stream.end());
  for (unsigned flags = 0; flags < 32; ++flags) {
    const Bytes file = joined(header_with(flags), behind);
    for (const std::size_t in : {1u, 1000u}) expect_inflates(file, Compression::gzip, plain, {in, 1000});
    for (std::size_t at = 0; at < header_with(flags).size(); ++at) {
      Bytes damaged = file;
      flip_bit(damaged, at);
      EXPECT_EQ(difference_from_zlib(damaged, Compression::gzip, {}), "") << flags << " " << at;
    }
  }
  Bytes empty = header_with(4);
  empty[10] = std::byte{0};
  empty.resize(12);
  expect_inflates(joined(empty, behind), Compression::gzip, plain);
}

TEST(Inflater, SaysWhatIsWrongWithAHeader) {
  const auto verdict = [](std::string_view begin, Compression compression) {
    return inflate_all<Inflater>(joined(owned(begin), Bytes(20)), compression, {}).verdict;
  };
  EXPECT_EQ(verdict("\x1f\x8c\x08\x00"sv, Compression::gzip), "damaged: incorrect header check");
  EXPECT_EQ(verdict("\x1f\x8b\x07\x00"sv, Compression::gzip), "damaged: unknown compression method");
  EXPECT_EQ(verdict("\x1f\x8b\x08\x20"sv, Compression::gzip), "damaged: unknown header flags set");
  EXPECT_EQ(verdict("\x1f\x8b\x08\x02"sv, Compression::gzip), "damaged: header crc mismatch");
  EXPECT_EQ(verdict("\x78\x9d", Compression::zlib), "damaged: incorrect header check");
  EXPECT_EQ(verdict("\x77\x85", Compression::zlib), "damaged: unknown compression method");
  EXPECT_EQ(verdict("\x88\x1c", Compression::zlib), "damaged: invalid window size");
  EXPECT_EQ(verdict("\x78\x20", Compression::zlib), "damaged: needs a dictionary");
}

TEST(Inflater, SaysWhatIsWrongWithDeflatedBytes) {
  const auto verdict = [](std::string_view begin) {
    return inflate_all<Inflater>(joined(joined(owned("\x78\x9c"), owned(begin)), Bytes(20)), Compression::zlib, {})
        .verdict;
  };
  EXPECT_EQ(verdict("\x07"), "damaged: invalid block");
  EXPECT_EQ(verdict("\x1b\x03"), "damaged: invalid code");
  EXPECT_EQ(verdict("\x63\x00\x42"sv), "damaged: invalid distance too far back");
}

TEST(Inflater, TakesRawDeflate) {
  for (const std::size_t size : {0u, 1u, 100'000u}) {
    const Bytes plain = some_text(size);
    const Bytes stream = compressed(plain, Compression::zlib);
    Inflater inflater = Inflater::of_raw_deflate();
    Bytes into(size + 1);
    const auto raw = std::span(stream).subspan(2, stream.size() - 6);
    const Inflater::Step step = inflater.inflate(raw, into);
    into.resize(step.made);
    EXPECT_TRUE(into == plain && step.taken == raw.size() && inflater.at_an_end());
  }
}

TEST(Crc32, IsThatOfZlib) {
  const Bytes bytes = some_text(1000);
  const auto* text = reinterpret_cast<const Bytef*>(bytes.data());
  for (const uInt size : {0u, 1u, 15u, 16u, 999u})
    EXPECT_EQ(crc32(std::span(bytes).first(size), 7), ::crc32(7, text, size)) << size;
}

}  // namespace
}  // namespace carrack::data
