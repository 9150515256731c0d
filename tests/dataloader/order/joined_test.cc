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

TEST(Interleave, TakesTurnsAsTensorFlowDoes) {
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

TEST(Interleave, OfLongSequencesTakesLittleMemory) {
  const Interleave order(std::vector<std::uint64_t>(5000, 1'000'003), 16, 2);
  EXPECT_EQ(order.size(), std::uint64_t{5000} * 1'000'003);
  EXPECT_EQ(order.at(0), (Element{0, 0}));
  EXPECT_EQ(order.at(2), (Element{1, 0}));
  EXPECT_EQ(order.at(33), (Element{0, 3}));
}

TEST(Mix, HasEachSequencesShareOfEveryRound) {
  const Mix order({endless, endless, endless}, {1, 2, 5}, Random(3, "mix"));
  std::vector<std::vector<std::uint64_t>> seen(3);
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const Mix::Element element = order.at({0, i});
    seen[element.sequence].push_back(element.place.number);
  }
  EXPECT_EQ(seen[0].size(), 4096u / 8);
  EXPECT_EQ(seen[1].size(), 4096u / 4);
  for (auto& numbers : seen) {
    std::ranges::sort(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
  }
  EXPECT_EQ(order.size(), endless);
}

TEST(Mix, EndsWithTheFirstThatEnds) {
  for (const std::uint64_t size : {0u, 1u, 100u, 1000u, 3000u}) {
    const Mix order({size, endless}, {3, 1}, Random(3, "mix"));
    std::uint64_t of_first = 0;
    for (std::uint64_t i = 0; i < order.size(); ++i) of_first += order.at({0, i}).sequence == 0 ? 1 : 0;
    EXPECT_LE(of_first, size);
    const Mix::Element behind = order.at({0, order.size()});
    EXPECT_EQ(behind.sequence, 0u);
    EXPECT_GE(behind.place.number, size);
  }
}

std::string refused(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Joined, RefusesWhatMakesNoSense) {
  const Random draws(1, "x");
  EXPECT_EQ(refused([] { Interleave({1}, 0, 1); }), "interleave: a cycle and a block hold at least one");
  EXPECT_EQ(refused([&] { Mix({1, 2}, {1}, draws); }), "mix: 2 inputs have 1 weights");
  EXPECT_EQ(refused([&] { Mix({1, 2}, {1, -1}, draws); }), "mix: each weight is a number above 0");
  EXPECT_EQ(refused([&] { Mix({1, 2}, {1, 1e-9}, draws); }), "mix: a weight is less than a thousandth of all");
  EXPECT_EQ(refused([&] { BufferOrder(5, 0, draws); }), "shuffle: a buffer holds at least one element");
}

TEST(BufferOrder, GivesEachElementOnceAnEpochFromWithinItsBuffer) {
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
