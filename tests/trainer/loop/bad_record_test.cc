#include "trainer/loop/data/bad_record.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// Nine rows, records 10 to 18 of a file.
data::Batch some_batch() {
  data::Batch batch;
  batch.rows.count = 9;
  batch.first_row = 100;
  const auto file = std::make_shared<const std::string>("a.tfrecord");
  for (std::uint64_t i = 0; i < batch.rows.count; ++i) batch.rows.origins.push_back({file, 10 + i, 1000 + i});
  return batch;
}

// What is thrown for these rows of the batch, if `compute` throws for those parts that hold one of the `bad` rows.
std::string thrown(const data::Batch& batch, data::Range rows, const std::vector<std::size_t>& bad, Blame blame) {
  const auto compute = [&](data::Range part) {
    for (const std::size_t row : bad)
      if (row >= part.begin && row < part.end) throw Error(blame, "has " + std::to_string(row));
  };
  try {
    compute_naming_record(batch, rows, compute);
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), blame);
    return error.what();
  }
  return "nothing";
}

TEST(BadRecord, IsTheFirstOfThoseThatAreBad) {
  for (std::size_t row = 0; row < 9; ++row) {
    const std::string record = "record " + std::to_string(10 + row) + " at byte " + std::to_string(1000 + row);
    EXPECT_EQ(thrown(some_batch(), {0, 9}, {row, 8}, Blame::user),
              "a.tfrecord: " + record + ": has " + std::to_string(row));
  }
  EXPECT_EQ(thrown(some_batch(), {2, 5}, {0, 4, 5}, Blame::user), "a.tfrecord: record 14 at byte 1004: has 4");
  EXPECT_EQ(thrown(some_batch(), {2, 5}, {0, 5}, Blame::user), "nothing");
}

TEST(BadRecord, IsNamedByItsPlaceInTheBatchIfItComesFromNoFile) {
  data::Batch batch = some_batch();
  batch.rows.origins.clear();
  EXPECT_EQ(thrown(batch, {0, 9}, {3}, Blame::user), "record 103 of the batch: has 3");
}

TEST(BadRecord, IsNotSoughtForWhatIsNotOfTheUser) {
  EXPECT_EQ(thrown(some_batch(), {0, 9}, {3}, Blame::bug), "has 3");
}

TEST(BadRecord, IsNoneIfOnlySeveralTogetherAreBad) {
  const auto compute = [](data::Range rows) {
    if (rows.size() > 1) throw Error(Blame::user, "are too many");
  };
  try {
    compute_naming_record(some_batch(), {0, 9}, compute);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "are too many");
  }
}

}  // namespace
}  // namespace carrack::train
