// The stages of Dataset that join several inputs: concatenate, zip, mix, interleave. There must be at least one input,
// and all must have rows: open() throws an Error if one has batches. The result is a sequence if all inputs are, and a
// stream otherwise. record_stages.h explains the members that all stages have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"

namespace carrack::data::stages {

// All rows of the first input, then all rows of the second, and so on. open() throws an Error if all inputs are
// sequences and one of them is endless.
struct Concatenate {
  static constexpr const char* kind = "concatenate";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

// Rows side by side, as many as the shortest input has. Reading throws an Error if two inputs have a column of the same
// name.
struct Zip {
  static constexpr const char* kind = "zip";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

// Rows of the inputs, each input as often as its weight says (order/mix.h). Ends when the input whose turn it is has no
// row left. Unsuitable weights are an Error, which open() throws, or opening the joined stream.
struct Mix {
  std::vector<double> weights;  // one for each input; each at least a thousandth of their sum
  std::uint64_t seed = 0;       // selects where in the pattern of inputs the rows begin

  static constexpr const char* kind = "mix";
  std::string canonical() const;
  std::string description() const;
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

// Rows of the inputs in turns, `block` rows in each turn, from at most `cycle` inputs at a time (order/interleave.h). A
// `cycle` or `block` of 0 is an Error, which open() throws, or opening the joined stream.
struct Interleave {
  std::uint64_t cycle = 1, block = 1;

  static constexpr const char* kind = "interleave";
  std::string canonical() const { return CanonicalStage(kind).add("cycle", cycle).add("block", block).text(); }
  std::string description() const { return "cycle " + std::to_string(cycle) + ", block " + std::to_string(block); }
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

}  // namespace carrack::data::stages
