#include "dataloader/order/order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dataloader/error.h"
#include "dataloader/order/permutation.h"

namespace carrack::data {
namespace {

std::vector<std::uint64_t> numbers(const Permutation& permutation) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t place = 0; place < permutation.size(); ++place) all.push_back(permutation.at(place));
  return all;
}

// How many standard deviations the counts lie from what chance makes of equal odds.
double chi_square(const std::vector<std::uint64_t>& counts, double expected, double freedom) {
  double sum = 0;
  for (const std::uint64_t count : counts) sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST(Permutation, HoldsEachNumberOnce) {
  for (std::uint64_t size = 1; size < 300; ++size) {
    std::vector<bool> seen(size);
    for (const std::uint64_t number : numbers(Permutation(size, Random(7, "order"), 0))) {
      ASSERT_LT(number, size);
      ASSERT_FALSE(seen[number]);
      seen[number] = true;
    }
  }
}

TEST(Permutation, HoldsNumbersBelowItsSizeAlsoWhereThatIsLarge) {
  for (const std::uint64_t size : {(std::uint64_t{1} << 32) + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const Permutation permutation(size, Random(7, "order"), 0);
    for (std::uint64_t place = 0; place < 1000; ++place) ASSERT_LT(permutation.at(place), size);
  }
}

TEST(Permutation, DiffersFromSeedToSeedAndEpochToEpoch) {
  const auto first = numbers({100, Random(1, "order"), 0});
  EXPECT_EQ(numbers({100, Random(1, "order"), 0}), first);
  EXPECT_NE(numbers({100, Random(2, "order"), 0}), first);
  EXPECT_NE(numbers({100, Random(1, "order"), 1}), first);
}

// A job that resumes must find the order in which it began, whatever version of this program began it.
TEST(Permutation, IsTheSameInEachVersion) {
  EXPECT_EQ(numbers({10, Random(42, "order"), 0}), (std::vector<std::uint64_t>{6, 5, 4, 3, 7, 0, 2, 8, 9, 1}));
  EXPECT_EQ(Permutation(1'000'000, Random(42, "order"), 3).at(0), 534868);
}

TEST(Permutation, PutsEachNumberAtEachPlaceEquallyOften) {
  for (const std::uint64_t size : {2u, 3u, 5u, 8u, 33u, 100u}) {
    constexpr std::uint64_t drawn = 5000;
    std::vector<std::uint64_t> counts(size * size);
    for (std::uint64_t epoch = 0; epoch < drawn; ++epoch) {
      const Permutation permutation(size, Random(3, "order"), epoch);
      for (std::uint64_t place = 0; place < size; ++place) ++counts[place * size + permutation.at(place)];
    }
    const double others = static_cast<double>(size - 1);
    EXPECT_LT(chi_square(counts, double{drawn} / static_cast<double>(size), others * others), 4) << size << " numbers";
  }
}

// Neighbours must part: a permutation may be even in its places and still keep runs together.
TEST(Permutation, PutsEachNumberBehindEachOtherEquallyOften) {
  for (const std::uint64_t size : {4u, 7u, 20u}) {
    constexpr std::uint64_t drawn = 20000;
    std::vector<std::uint64_t> counts(size);
    for (std::uint64_t epoch = 0; epoch < drawn; ++epoch) {
      const Permutation permutation(size, Random(3, "order"), epoch);
      ++counts[(permutation.at(1) + size - permutation.at(0)) % size];
    }
    EXPECT_EQ(counts[0], 0);
    counts.erase(counts.begin());
    const double others = static_cast<double>(size - 1);
    EXPECT_LT(chi_square(counts, drawn / others, others - 1), 4) << size << " numbers";
  }
}

TEST(LaneOf, SpreadsRecordsEvenlyWithLargerFirstLanes) {
  const auto shares = [](std::uint64_t records, std::uint64_t lanes) {
    std::vector<std::uint64_t> sizes;
    std::uint64_t end = 0;
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(lane_of(records, lanes, lane).begin, end);
      end = lane_of(records, lanes, lane).end;
      sizes.push_back(lane_of(records, lanes, lane).size());
    }
    EXPECT_EQ(end, records);
    return sizes;
  };
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(shares(8, 4), (Sizes{2, 2, 2, 2}));
  EXPECT_EQ(shares(10, 4), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(shares(3, 4), (Sizes{1, 1, 1, 0}));
  EXPECT_EQ(shares(0, 2), (Sizes{0, 0}));
}

TEST(Order, HasEachRecordOnceAnEpochAndAShortLastBatch) {
  const Order order(11, {4, 2});
  ASSERT_EQ(order.steps_in_epoch(), 3);
  EXPECT_EQ(order.lane(2, 0), (Range{8, 10}));
  EXPECT_EQ(order.lane(2, 1), (Range{10, 11}));
  std::uint64_t places = 0;
  for (std::uint64_t step = 0; step < 3; ++step) {
    for (std::uint64_t lane = 0; lane < 2; ++lane) {
      EXPECT_EQ(order.lane(step, lane).begin, places);
      places = order.lane(step, lane).end;
    }
  }
  EXPECT_EQ(places, order.records());
}

// As many in each step as without runs, each once, and each lane in one run.
TEST(Order, GivesEachLaneARunOfItsOwn) {
  for (std::uint64_t records = 1; records < 60; ++records) {
    for (const std::uint64_t lanes : {1u, 2u, 8u}) {
      const Order together(records, {7, lanes}), apart(records, {7, lanes, true});
      std::uint64_t next = 0;
      for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        for (std::uint64_t step = 0; step < apart.steps_in_epoch(); ++step) {
          ASSERT_EQ(apart.lane(step, lane).begin, next);
          ASSERT_EQ(apart.lane(step, lane).size(), together.lane(step, lane).size());
          next = apart.lane(step, lane).end;
        }
      }
      ASSERT_EQ(next, records);
    }
  }
}

TEST(Order, ContinuesWithTheNextEpoch) {
  const Order order(5, {2, 1});
  EXPECT_EQ(order.after({0, 1}), (Position{0, 2}));
  EXPECT_EQ(order.after({0, 2}), (Position{1, 0}));
}

TEST(Order, RefusesZeroRecordsBatchesAndLanes) {
  const auto refusal = [](std::uint64_t records, Batching batching) -> std::string {
    try {
      Order(records, batching);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(0, {1, 1}), "there are no records to read");
  EXPECT_EQ(refusal(1, {0, 1}), "a batch has at least one record and one lane");
  EXPECT_EQ(refusal(1, {1, 0}), "a batch has at least one record and one lane");
}

TEST(Order, CutsABatchIntoAnyNumberOfLanes) {
  const Order order(103, {16, 8});
  for (const std::uint64_t count : {1u, 3u, 16u, 1000u, 65'536u}) {
    for (std::uint64_t step = 0; step < order.steps_in_epoch(); ++step) {
      const std::uint64_t begin = step * 16, end = std::min<std::uint64_t>(begin + 16, 103);
      EXPECT_EQ(order.lanes_of(step, {0, count}, count), (Range{begin, end}));
      for (std::uint64_t cut = 0; cut <= count; cut += 1 + count / 7) {
        EXPECT_EQ(order.lanes_of(step, {0, cut}, count).end, order.lanes_of(step, {cut, count}, count).begin);
      }
    }
  }
}

TEST(Order, GivesEachOfSomeWorkersAnEqualPartOfEveryBatch) {
  const Order order(103, {16, 8});
  for (std::uint64_t workers = 1; workers <= 16; ++workers) {
    for (std::uint64_t step = 0; step < order.steps_in_epoch(); ++step) {
      std::uint64_t least = 16, most = 0;
      for (std::uint64_t worker = 0; worker < workers; ++worker) {
        const Range lanes{16 * worker / workers, 16 * (worker + 1) / workers};
        const std::uint64_t size = order.lanes_of(step, lanes, 16).size();
        least = std::min(least, size);
        most = std::max(most, size);
      }
      EXPECT_LE(most - least, 1u + (step == 6)) << workers << " workers, step " << step;
    }
  }
}

TEST(Order, CutsTheLargestBatchesWithoutOverflow) {
  const std::uint64_t batch = std::uint64_t{1} << 62;
  const Order order(batch, {batch, 8});
  EXPECT_EQ(order.lanes_of(0, {65'535, 65'536}, 65'536), (Range{batch - batch / 65'536, batch}));
}

}  // namespace
}  // namespace carrack::data
