// Interleave: the order in which several sequences, such as files, are read in turns, as tf.data.Dataset.interleave
// does. It computes numbers only, as a pure function of the lengths of the sequences. Immutable; safe for many threads.
//
//   Interleave({3, 2, 2}, cycle = 2, block = 1) of the sequences a, b and c: a0 b0 a1 b1 a2 c0 c1
//
// Up to `cycle` sequences are open, each in a slot. The slots take turns, and in each turn the slot's sequence yields
// at most `block` elements. A sequence that ends within its block frees its slot immediately. A sequence that ends with
// its block frees its slot at the slot's next turn, which yields no element. The turn of an empty sequence yields no
// element, either. A free slot opens the next sequence at its next turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carrack::data {

class Interleave {
 public:
  struct Element {
    std::size_t sequence = 0;  // as an index into `sizes`
    std::uint64_t number = 0;  // within the sequence
    bool operator==(const Element&) const = default;
  };

  // `sizes` are the numbers of elements of the sequences. A size may be `endless` (place.h); size() is then `endless`.
  // Throws an Error for a cycle or block of 0, and if the smaller of `cycle` and the number of sequences, times the
  // number of sequences, is more than 20 million, because memory grows with this product.
  Interleave(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block);

  std::uint64_t size() const { return size_; }  // number of places
  // Returns the element at a place (a position in the interleaved order), which must be less than size(). Takes
  // logarithmic time.
  Element at(std::uint64_t place) const;

 private:
  struct Turn {
    std::size_t sequence = 0;
    std::uint64_t next = 0;  // number, within the sequence, of its next element
  };
  // Consecutive rounds of all slots in which no sequence ends, so that all rounds are alike; or a single turn of one
  // slot.
  struct Stretch {
    std::uint64_t first = 0;  // the place at which it begins
    std::vector<Turn> turns;  // in the order of their next turns
  };

  std::uint64_t block_;
  std::uint64_t size_ = 0;
  std::vector<Stretch> stretches_;
};

}  // namespace carrack::data
