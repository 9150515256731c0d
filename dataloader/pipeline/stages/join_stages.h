// Stages that join several inputs. The inputs must give rows: open() throws an Error if one gives batches.
// record_stages.h explains the members of a stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"

namespace carrack::data::stages {

// All rows of the first input, then all of the second, and so on. open() throws an Error if all inputs are sequences
// and one is endless.
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

// Rows of the inputs, each as often as its weight says (order/mix.h); `seed` selects where in the pattern the rows
// begin. Ends where an input has no row for its turn.
struct Mix {
  std::vector<double> weights;  // one for each input, at least a thousandth of their sum
  std::uint64_t seed = 0;

  static constexpr const char* kind = "mix";
  std::string canonical() const;
  std::string description() const;
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

// Rows of the inputs in turns, `block` rows in each turn and at most `cycle` inputs at a time (order/interleave.h).
struct Interleave {
  std::uint64_t cycle = 1, block = 1;

  static constexpr const char* kind = "interleave";
  std::string canonical() const { return CanonicalStage(kind).add("cycle", cycle).add("block", block).text(); }
  std::string description() const { return "cycle " + std::to_string(cycle) + ", block " + std::to_string(block); }
  Opened open(std::vector<Opened> inputs, const OpenContext& context) const;
};

}  // namespace carrack::data::stages
