// What an inflater makes of a file in all, and how ISA-L's differs from zlib's, which tests and fuzzers take for right.
#pragma once

#include <algorithm>
#include <string>

#include "dataloader/records/block_inflater.h"
#include "dataloader/records/inflater.h"

namespace carrack::data {

// The most bytes of the input and of the output in a call.
struct Pieces {
  std::size_t in = 100'000;
  std::size_t out = 100'000;
};

struct Inflated {
  Bytes bytes;
  std::string verdict;  // "complete", "cut", or "damaged: " and why
};

template <typename AnyInflater>
Inflated inflate_all(std::span<const std::byte> file, Compression compression, const Pieces& pieces) {
  AnyInflater inflater(compression);
  Inflated inflated;
  Bytes into(pieces.out);
  for (;;) {
    const auto step = inflater.inflate(file.first(std::min(file.size(), pieces.in)), into);
    inflated.bytes.insert(inflated.bytes.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(step.made));
    file = file.subspan(step.taken);
    if (step.damage) {
      inflated.verdict = "damaged: " + *step.damage;
      return inflated;
    }
    if (file.empty() && step.taken == 0 && step.made < into.size()) break;
  }
  inflated.verdict = inflater.at_an_end() ? "complete" : "cut";
  return inflated;
}

// Codes that zlib refuses as a whole; ISA-L refuses them only if they are used.
inline bool is_of_codes(const std::string& verdict) {
  return verdict.starts_with("damaged: invalid") && verdict.ends_with("set");
}

// ISA-L takes up to three codes at once, so where the input is cut it may leave two that are there.
constexpr std::size_t last_codes = 2;

// What differs between ISA-L and zlib, if anything.
inline std::string difference_from_zlib(std::span<const std::byte> file, Compression compression,
                                        const Pieces& pieces) {
  const Inflated ours = inflate_all<Inflater>(file, compression, pieces);
  const Inflated zlibs = inflate_all<BlockInflater>(file, compression, pieces);
  const bool is_damage = ours.verdict.starts_with("damaged") && zlibs.verdict.starts_with("damaged");
  const std::size_t size = std::min(ours.bytes.size(), zlibs.bytes.size());
  if (!std::equal(ours.bytes.begin(), ours.bytes.begin() + static_cast<std::ptrdiff_t>(size), zlibs.bytes.begin()))
    return "other bytes";
  const bool is_cut = ours.verdict == "cut" && zlibs.verdict == "cut";
  if (ours.bytes.size() + (is_cut ? last_codes : 0) < zlibs.bytes.size()) return "too few bytes";
  if (is_of_codes(zlibs.verdict)) return "";
  // ISA-L notices damage in the header of a block before all of it is there.
  if (ours.verdict == "damaged: invalid block" && zlibs.verdict == "cut") return "";
  if (ours.bytes.size() > zlibs.bytes.size()) return "more bytes";
  if (ours.verdict != zlibs.verdict && !is_damage) return ours.verdict + ", but with zlib " + zlibs.verdict;
  return "";
}

}  // namespace carrack::data
