// Several arrays in one file: stored, deflated, beyond 4 GiB, damaged.
#include <gtest/gtest.h>

#include "dataloader/error.h"
#include "dataloader/sources/npy.h"
#include "dataloader/sources/npz.h"
#include "tests/dataloader/sources/arrays.h"

namespace carrack::data {
namespace {

using Ints = LargeVector<std::int64_t>;

const Bytes one = npy_of(dictionary("<i8", "(3,)"), numbers(Ints{1, 2, 3}));
const Bytes two = npy_of(dictionary("<i8", "(100000, 1)"), numbers(Ints(100'000, 7)));

// The rows of an array, or what is wrong with it or the whole file.
std::string rows_of(Bytes bytes, const std::string& name = "a") {
  const MemorySource file(std::move(bytes), "x.npz");
  const auto opened = Npz::open(file);
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&opened)) return text(*corrupt);
  const auto array = std::get<Npz>(opened).array(name);
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&array)) return text(*corrupt);
  const ArrayRows& rows = std::get<ArrayRows>(array);
  std::string line;
  const Column column = std::get<Column>(rows.read(rows.rows() - 3, 3, Dtype::int64));
  for (const std::int64_t value : std::get<Ints>(column.values)) line += std::to_string(value) + " ";
  return line;
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  for (const bool beyond : {false, true}) {
    const Bytes file = zip_of({{"a.npy", one}, {"b.npy", two, true}, {"readme", {}}}, beyond);
    EXPECT_EQ(rows_of(file, "a"), "1 2 3 ");
    EXPECT_EQ(rows_of(file, "b"), "7 7 7 ");
    const MemorySource source(file, "x.npz");
    EXPECT_EQ(std::get<Npz>(Npz::open(source)).names(), (std::vector<std::string>{"a", "b"}));
  }
}

TEST(Npz, HasNoArrayOfAnotherName) {
  EXPECT_THROW(rows_of(zip_of({{"a.npy", one}}), "c"), Error);
  EXPECT_EQ(rows_of(zip_of({{"a.npy", one}, {"a.npy", two}})), "x.npz: row 0 at byte 0: array \"a\" occurs twice");
}

TEST(OddNpz, ReportsOtherAndTruncatedFiles) {
  const Bytes good = zip_of({{"a.npy", one}, {"b.npy", one, true}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::string words = rows_of(front(good, size));
    EXPECT_TRUE(words.starts_with("x.npz: row 0 at byte 0: ")) << size << words;
  }
  EXPECT_EQ(rows_of(front(good, 100)), "x.npz: row 0 at byte 0: it does not end as a ZIP archive of one part does");
}

TEST(OddNpz, DetectsEachDamagedByte) {
  for (const bool is_deflated : {false, true}) {
    const Bytes good = zip_of({{"a.npy", one, is_deflated}});
    const std::string expected = rows_of(good);
    std::size_t same = 0;
    for (std::size_t at = 0; at < good.size(); ++at) {
      Bytes damaged = good;
      flip_bit(damaged, at);
      try {
        const std::string words = rows_of(damaged);
        same += words == expected;
        EXPECT_TRUE(words == expected || words.starts_with("x.npz")) << at << words;
      } catch (const Error&) {
        // Its name was damaged.
      }
    }
    EXPECT_LT(same, 80u);  // Times, attributes, the comment.
  }
}

TEST(OddNpz, RefusesALargeClaimBeforeMemoryIsAllocated) {
  Bytes file = zip_of({{"a.npy", one, true}});
  for (std::size_t i = 0; i < 4; ++i) file.at(file.size() - 26 - 5 - 46 + 24 + i) = std::byte{0xfe};
  const std::string problem = rows_of(file);
  EXPECT_TRUE(
      problem.starts_with("x.npz/a.npy: row 0 at byte 0: it says that it inflates to 4,278,124,286 bytes, more"))
      << problem;
}

TEST(OddNpz, DescribesFaultsOfAMember) {
  const std::string begin = "x.npz/a.npy: row 0 at byte 0: ";
  EXPECT_EQ(rows_of(zip_of({{"a.npy", one, false, 1}})), begin + "it is encrypted, which is not read");
  Bytes damaged = zip_of({{"a.npy", one}});
  flip_bit(damaged, 30 + 5 + one.size() - 1);
  EXPECT_EQ(rows_of(damaged), begin + "it does not match its checksum");
  Bytes other = zip_of({{"a.npy", one}});
  const std::size_t directory = 30 + 5 + one.size();
  other.at(directory + 10) = std::byte{12};
  EXPECT_EQ(rows_of(other),
            begin + "it is compressed by ZIP's method 12, and only stored and deflated members are read");
  Bytes longer = zip_of({{"a.npy", one, true}});
  Bytes shorter = longer;
  const std::size_t size_at = longer.size() - 26 - 5 - 46 + 24;
  longer.at(size_at) = static_cast<std::byte>(one.size() + 1);
  EXPECT_EQ(rows_of(longer), begin + "it inflates to less than the archive's directory says");
  shorter.at(size_at) = static_cast<std::byte>(one.size() - 1);
  EXPECT_EQ(rows_of(shorter), begin + "it inflates to more than the archive's directory says");
  EXPECT_EQ(rows_of(zip_of({{"a.npy", file_with("no array")}})),
            begin + "it does not begin as an array of numpy's does");
}

}  // namespace
}  // namespace carrack::data
