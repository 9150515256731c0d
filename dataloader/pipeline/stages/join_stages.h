// Stages that make one of several inputs, which give rows and not batches. See record_stages.h for what the members of
// a stage are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"

namespace carrack::data::stages {

// All rows of the first input, then all of the second, and so on.
struct Concatenate {
  static constexpr const char* kind = "concatenate";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

// Rows side by side, as many as the shortest input has. Throws an Error, while rows are read, if two inputs have a
// column of the same name.
struct Zip {
  static constexpr const char* kind = "zip";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

// Rows of the inputs in turn, each as often as its weight says; the seed chooses where the pattern begins
// (order/mix.h). Ends with the first input that ends.
struct Mix {
  std::vector<double> weights;  // one for each input, positive; they need not add up to 1
  std::uint64_t seed = 0;

  static constexpr const char* kind = "mix";
  std::string canonical() const;
  std::string description() const;
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

// `block` rows of each of `cycle` inputs in turn.
struct Interleave {
  std::uint64_t cycle = 1, block = 1;

  static constexpr const char* kind = "interleave";
  std::string canonical() const { return CanonicalStage(kind).add("cycle", cycle).add("block", block).text(); }
  std::string description() const { return "cycle " + std::to_string(cycle) + ", block " + std::to_string(block); }
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

}  // namespace carrack::data::stages
