// Elements of several sequences in turns, as in tf.data.Dataset.interleave: `block` elements of each of the first
// `cycle` sequences, again and again; when one ends, the next one that has not begun takes its turn. A pure function of
// the lengths of the sequences; safe from any thread.
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

  // Throws an Error for a cycle or a block of 0.
  Interleave(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block);

  std::uint64_t size() const { return size_; }
  // `place` is less than size().
  Element at(std::uint64_t place) const;

 private:
  struct Turn {
    std::size_t sequence = 0;
    std::uint64_t next = 0;  // the number of its next element
  };
  // Consecutive rounds in which no sequence ends: they are alike.
  struct Stretch {
    std::uint64_t first = 0;  // place
    std::vector<Turn> turns;  // in the order of their next turns
  };

  std::uint64_t block_;
  std::uint64_t size_ = 0;
  std::vector<Stretch> stretches_;
};

}  // namespace carrack::data
