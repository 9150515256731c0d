#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/pipeline/reading.h"
#include "dataloader/pipeline/rows/fingerprint.h"
#include "dataloader/pipeline/rows/text_function.h"

namespace carrack::data {
namespace {

struct Hashed {
  std::size_t size;
  std::uint64_t first, second;  // modulo the two largest primes below 2^32
};

// By tf.strings.to_hash_bucket_fast of TensorFlow 2.21, of bytes i * 37 + 11 modulo 256. Each size that is hashed in
// another way, at both ends.
constexpr Hashed by_tensorflow[] = {
    {0, 905401221, 2022199012},   {1, 1968070581, 2460156060},  {3, 654548312, 3183321982},
    {4, 877052674, 3316932055},   {7, 3036866155, 3177550538},  {8, 1608588741, 1067868171},
    {16, 1605950713, 2185510391}, {17, 908332231, 2425757351},  {32, 3552408091, 1445035347},
    {33, 4183293586, 606599321},  {64, 3312994503, 3324803007}, {65, 201608031, 3532447766},
    {128, 458975257, 2324861115}, {129, 117927295, 730170064},  {1000, 2648336988, 4029174357},
};

TEST(Fingerprint, IsThatOfTensorFlow) {
  for (const Hashed& hashed : by_tensorflow) {
    std::string text;
    for (std::size_t i = 0; i < hashed.size; ++i) text += static_cast<char>(i * 37 + 11);
    EXPECT_EQ(fingerprint64(text) % 4294967291, hashed.first) << hashed.size;
    EXPECT_EQ(fingerprint64(text) % 4294967279, hashed.second) << hashed.size;
  }
}

const Storages storages{StorageSettings{}};

// Rows whose column "city" has items of `size` strings.
Rows of_strings(std::vector<std::string> strings, std::size_t size = 1) {
  const auto memory = std::make_shared<std::vector<std::string>>(std::move(strings));
  Rows rows;
  rows.count = memory->size() / size;
  LargeVector<std::string_view> views(memory->begin(), memory->end());
  rows.columns.push_back({"city", std::move(views), size == 1 ? std::vector<std::size_t>() : std::vector{size}});
  rows.memory.push_back(memory);
  return rows;
}

std::vector<std::int64_t> ids_in(const Rows& rows) {
  const auto& ids = std::get<LargeVector<std::int64_t>>(rows.column("city").values);
  return {ids.begin(), ids.end()};
}

std::vector<std::int64_t> ids_of(const std::vector<std::string>& strings, const TextIds& options) {
  Rows rows = of_strings(strings);
  text_ids(options)(rows);
  return ids_in(rows);
}

TEST(TextIds, AreFingerprintsModuloTheBuckets) {
  EXPECT_EQ(ids_of({"Paris", "Rome", "S\xc3\xa3o Paulo", ""}, {.column = "city", .buckets = 1000}),
            (std::vector<std::int64_t>{650, 349, 704, 263}));
}

TEST(TextIds, ArePlacesAmongTheWordsBehindTheBuckets) {
  const std::vector<std::string> words{"Rome", "Paris"};
  EXPECT_EQ(ids_of({"Paris", "Rome"}, {.column = "city", .words = words}), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(ids_of({"Paris", "Rome", "Oslo", "rome"}, {.column = "city", .words = words, .buckets = 1}),
            (std::vector<std::int64_t>{2, 1, 0, 0}));
}

TEST(TextIds, LoseRowsWithAStringThatHasNone) {
  const Dataset dataset =
      Dataset::rows(of_strings({"Rome", "Rome", "Oslo", "Bern\n", "Rome", "Oslo", "Rome", "Rome"}, 2))
          .map("ids", text_ids({.column = "city", .words = {"Rome"}}));
  Reading reading(dataset.batch(10), storages, {.on_damage = OnDamage::skip});
  const Rows rows = reading.next().value();
  EXPECT_EQ(rows.count, 2u);
  EXPECT_EQ(ids_in(rows), (std::vector<std::int64_t>{0, 0, 0, 0}));
  ASSERT_EQ(reading.lost(), 2u);
  EXPECT_EQ(reading.first_lost()[0].message, "feature \"city\" is \"Oslo\", which is not one of its words");
}

TEST(TextIds, OfListsLoseTheRightRow) {
  Rows rows = of_strings({"Rome", "Rome", "Rome", "Oslo", "Rome"});
  rows.count = 4;
  rows.columns[0].splits = {{0, 2, 2, 2, 4}, {0, 1, 2, 3, 5}};
  text_ids({.column = "city", .words = {"Rome"}})(rows);
  ASSERT_EQ(rows.lost.size(), 1u);
  EXPECT_EQ(rows.lost[0].index, 3u);
  EXPECT_EQ(rows.count, 3u);
  EXPECT_EQ(ids_in(rows), (std::vector<std::int64_t>{0, 0}));
}

std::string problem(const TextIds& options) {
  try {
    Rows rows = of_strings({"Rome"});
    rows.columns.push_back({"number", LargeVector<std::int64_t>(1)});
    text_ids(options)(rows);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(TextIds, SayWhatIsWrongWithTheirOptions) {
  EXPECT_EQ(problem({.column = "city"}), "text: column \"city\" has neither words nor buckets");
  EXPECT_EQ(problem({.column = "city", .buckets = -1}), "text: column \"city\" has -1 buckets");
  EXPECT_EQ(problem({.column = "city", .words = {"a", "b", "a"}}),
            "text: column \"city\" has \"a\" twice among its words");
  EXPECT_EQ(problem({.column = "town", .buckets = 1}), "there is no column \"town\"; there are: city, number");
  EXPECT_EQ(problem({.column = "number", .buckets = 1}), "text: column \"number\" holds no strings");
}

}  // namespace
}  // namespace carrack::data
