// Orders over several sequences, and the one through a buffer.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/order/buffer_order.h"
#include "dataloader/order/interleave.h"
#include "dataloader/order/mix.h"

namespace carrack::data {
namespace {

using Element = Interleave::Element;

std::vector<Element> all_of(const Interleave& order) {
  std::vector<Element> elements;
  for (std::uint64_t i = 0; i < order.size(); ++i) elements.push_back(order.at(i));
  return elements;
}

// Step by step, as tf.data's InterleaveDataset goes.
std::vector<Element> interleaved_naively(const std::vector<std::uint64_t>& sizes, std::size_t cycle,
                                         std::uint64_t block) {
  struct Slot {
    std::size_t sequence;
    std::uint64_t next;
  };
  std::vector<std::optional<Slot>> slots(cycle);
  std::vector<Element> elements;
  std::size_t at = 0, begun = 0, open = 0;
  std::uint64_t in_block = 0;
  const auto advance = [&] {
    at = (at + 1) % cycle;
    in_block = 0;
  };
  while (begun < sizes.size() || open > 0) {
    if (slots[at]) {
      if (slots[at]->next < sizes[slots[at]->sequence]) {
        elements.push_back({slots[at]->sequence, slots[at]->next++});
        if (++in_block == block) advance();
      } else {
        slots[at].reset();
        --open;
        advance();
      }
    } else if (begun < sizes.size()) {
      slots[at] = Slot{begun++, 0};
      ++open;
    } else {
      advance();
    }
  }
  return elements;
}

TEST(Interleave, TakesTurnsLikeTensorFlow) {
  const Random random(1, "sizes");
  for (std::uint64_t i = 0; i < 400; ++i) {
    std::vector<std::uint64_t> sizes(random.bits(i, 0) % 9);
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = random.bits(i, k + 1) % 23;
    const std::size_t cycle = 1 + random.bits(i, 100) % 6;
    const std::uint64_t block = 1 + random.bits(i, 101) % 5;
    const Interleave order(sizes, cycle, block);
    EXPECT_EQ(all_of(order), interleaved_naively(sizes, cycle, block)) << i;
  }
}

TEST(Interleave, TakesLittleMemoryForLongSequences) {
  const Interleave order(std::vector<std::uint64_t>(5000, 1'000'003), 16, 2);
  EXPECT_EQ(order.size(), std::uint64_t{5000} * 1'000'003);
  EXPECT_EQ(order.at(0), (Element{0, 0}));
  EXPECT_EQ(order.at(2), (Element{1, 0}));
  EXPECT_EQ(order.at(33), (Element{0, 3}));
}

TEST(Interleave, IsEndlessForEndlessSequences) {
  const Interleave order({3, endless, endless, endless, endless}, 5, 1);
  EXPECT_EQ(order.size(), endless);
  EXPECT_EQ(order.at(5), (Element{0, 1}));
  EXPECT_EQ(order.at(15 + 4'000'003), (Element{4, 3 + 1'000'000}));
}

TEST(Mix, HasEachSequencesShareOfEveryRoundInItsOwnOrder) {
  const Mix order({endless, endless, endless}, {1, 2, 5}, Random(3, "mix"));
  std::vector<std::uint64_t> taken(3);
  for (std::uint64_t place = 0; place < 4096; ++place) {
    const Mix::Element element = order.at(place);
    EXPECT_EQ(element.number, taken[element.sequence]++);
    if (place % 1024 == 1023) {
      EXPECT_EQ(taken, (std::vector<std::uint64_t>{(place + 1) / 8, (place + 1) / 4, (place + 1) * 5 / 8}));
    }
  }
  EXPECT_EQ(order.size(), endless);
}

// A shard that had none of one sequence would train on other data than its neighbour.
TEST(Mix, SpreadsSequencesEvenlyOverAnyRunAndAnyShards) {
  const Mix order({endless, endless}, {1, 3}, Random(3, "mix"));
  for (const std::uint64_t shards : {1u, 2u, 3u, 8u, 64u}) {
    for (std::uint64_t begin = 0; begin < 2048 * shards; begin += 64 * shards) {
      std::uint64_t of_first = 0;
      for (std::uint64_t i = 0; i < 64; ++i) of_first += order.at(begin + i * shards).sequence == 0 ? 1 : 0;
      EXPECT_NEAR(static_cast<double>(of_first), 16, 3) << shards << " shards, from " << begin;
    }
  }
}

TEST(Mix, EndsWithTheFirstSequenceThatEnds) {
  for (const std::uint64_t size : {0u, 1u, 100u, 1000u, 3000u}) {
    const Mix order({size, endless}, {3, 1}, Random(3, "mix"));
    std::uint64_t of_first = 0;
    for (std::uint64_t i = 0; i < order.size(); ++i) of_first += order.at(i).sequence == 0 ? 1 : 0;
    EXPECT_EQ(of_first, size);
    EXPECT_EQ(order.at(order.size()), (Mix::Element{0, size}));
  }
}

// With the first size, the number of places would not fit into 64 bits.
TEST(Mix, OfVeryLongSequencesIsEndless) {
  const std::vector<double> weights{1, 1023};
  EXPECT_EQ(Mix({std::uint64_t{1} << 60, endless}, weights, Random(3, "mix")).size(), endless);
  const Mix shorter({std::uint64_t{1} << 50, endless}, weights, Random(3, "mix"));
  EXPECT_EQ(shorter.size() / 1024, std::uint64_t{1} << 50);
}

std::string refused(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Joined, RefusesInvalidArguments) {
  const Random draws(1, "x");
  EXPECT_EQ(refused([] { Interleave({1}, 0, 1); }), "interleave: a cycle and a block hold at least one");
  EXPECT_EQ(refused([&] { Mix({1, 2}, {1}, draws); }), "mix: 2 inputs have 1 weights");
  EXPECT_EQ(refused([&] { Mix({1, 2}, {1, -1}, draws); }), "mix: each weight is a number above 0");
  EXPECT_EQ(refused([&] { Mix({1, 2}, {1, 1e-9}, draws); }), "mix: a weight is less than a thousandth of all");
  EXPECT_EQ(refused([&] {
              Mix({1, 2}, {1e308, 1e308}, draws);
            }),
            "mix: the weights are too large: their sum is infinite");
  EXPECT_EQ(refused([&] { BufferOrder(5, 0, draws); }), "shuffle: a buffer holds at least one element");
}

TEST(BufferOrder, DrawsEachElementOnceAnEpochFromItsBuffer) {
  BufferOrder order(1000, 64, Random(3, "buffer"));
  std::vector<std::vector<std::uint64_t>> epochs(2);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Place place = order.next();
    EXPECT_EQ(place.epoch, i / 1000);
    EXPECT_LT(place.number, i % 1000 + 64);
    epochs[place.epoch].push_back(place.number);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  for (auto& epoch : epochs) {
    std::ranges::sort(epoch);
    for (std::size_t i = 0; i < epoch.size(); ++i) EXPECT_EQ(epoch[i], i);
  }
}

}  // namespace
}  // namespace carrack::data
