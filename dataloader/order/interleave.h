// Elements of several sequences by turns, as tf.data.Dataset.interleave has them: `block` of each of the first `cycle`,
// again and again; where one has ended, the next one that has not begun takes its turn. A pure function of their
// lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carrack::data {

class Interleave {
 public:
  struct Element {
    std::size_t sequence = 0;
    std::uint64_t number = 0;
    bool operator==(const Element&) const = default;
  };

  // Throws an Error for a cycle or a block of nothing.
  Interleave(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block);

  std::uint64_t size() const { return size_; }
  // `place` is less than size().
  Element at(std::uint64_t place) const;

 private:
  struct Turn {
    std::size_t sequence = 0;
    std::uint64_t next = 0;  // the number of its next element
  };
  // While no sequence ends, rounds are alike.
  struct Stretch {
    std::uint64_t first = 0;  // place
    std::vector<Turn> turns;  // in the order of their next turns
  };

  std::uint64_t block_;
  std::uint64_t size_ = 0;
  std::vector<Stretch> stretches_;
};

}  // namespace carrack::data
