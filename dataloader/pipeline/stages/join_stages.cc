#include "dataloader/pipeline/stages/join_stages.h"

#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/streams/joined_streams.h"
#include "dataloader/sources/number_text.h"

namespace carrack::data::stages {
namespace {

// Joins the inputs as sequences if all of them are sequences, and otherwise as streams. `join` must accept a vector of
// Sequence and a vector of OpenStream.
template <typename Join>
Opened join_inputs(const std::string& kind, const std::vector<Opened>& inputs, const OpenContext& context,
                   const Join& join) {
  Facts facts;
  for (const Opened& input : inputs) {
    if (input.batch > 0) throw Error(kind + ": takes rows, and an input gives batches; batch after it");
    facts.merge(input.facts);
  }
  if (std::ranges::all_of(inputs, &Opened::is_sequence)) {
    std::vector<Sequence> sequences;
    for (const Opened& input : inputs) sequences.push_back(input.sequence());
    return opened_sequence(join(std::move(sequences)), std::move(facts));
  }
  std::vector<OpenStream> open_inputs;
  for (const Opened& input : inputs) open_inputs.push_back(stream_of(input, context));
  const auto open = [open_inputs, join](std::uint64_t epoch) {
    std::vector<OpenStream> at_epoch;
    for (const OpenStream& open_input : open_inputs)
      // The streams that `join` makes open each input for epoch 0. This passes the epoch of the joined stream instead.
      at_epoch.push_back([open_input, epoch](std::uint64_t) { return open_input(epoch); });
    return join(std::move(at_epoch));
  };
  return opened_stream(open, 0, std::move(facts));
}

}  // namespace

Opened Concatenate::open(std::vector<Opened> inputs, const OpenContext& context) const {
  return join_inputs(kind, inputs, context, [](auto all) { return concatenated(std::move(all)); });
}

Opened Zip::open(std::vector<Opened> inputs, const OpenContext& context) const {
  return join_inputs(kind, inputs, context, [](auto all) { return zipped(std::move(all)); });
}

std::string Mix::canonical() const {
  CanonicalStage stage(kind);
  for (const double weight : weights) stage.add("weight", exact_text(weight));
  return stage.add("seed", seed).text();
}

std::string Mix::description() const {
  std::string text;
  for (const double weight : weights) text += exact_text(weight) + ", ";
  return text + "seed " + std::to_string(seed);
}

Opened Mix::open(std::vector<Opened> inputs, const OpenContext& context) const {
  return join_inputs(kind, inputs, context, [weights = weights, random = Random(seed, "mix")](auto all) {
    return mixed(std::move(all), weights, random);
  });
}

Opened Interleave::open(std::vector<Opened> inputs, const OpenContext& context) const {
  return join_inputs(kind, inputs, context, [*this](auto all) { return interleaved(std::move(all), cycle, block); });
}

}  // namespace carrack::data::stages
