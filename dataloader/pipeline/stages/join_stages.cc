#include "dataloader/pipeline/stages/join_stages.h"

#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/streams/joined_streams.h"
#include "dataloader/sources/number_text.h"

namespace carrack::data::stages {
namespace {

// Joins the inputs' sequences where all are sequences, and else their streams, epoch by epoch.
template <typename JoinSequences, typename JoinStreams>
Opened join_inputs(const std::string& kind, const std::vector<Opened>& inputs, const OpenContext& context,
                   const JoinSequences& join_sequences, const JoinStreams& join_streams) {
  Facts facts;
  for (const Opened& input : inputs) {
    if (input.batch > 0) throw Error(kind + ": takes rows, and an input gives batches; batch behind it");
    facts.merge(input.facts);
  }
  if (std::ranges::all_of(inputs, &Opened::is_sequence)) {
    std::vector<Sequence> sequences;
    for (const Opened& input : inputs) sequences.push_back(input.sequence());
    return opened_sequence(join_sequences(std::move(sequences)), std::move(facts));
  }
  std::vector<OpenStream> open_inputs;
  for (const Opened& input : inputs) open_inputs.push_back(stream_of(input, context));
  const auto open = [open_inputs, join_streams](std::uint64_t epoch) {
    std::vector<OpenStream> at_epoch;
    for (const OpenStream& open_input : open_inputs)
      at_epoch.push_back([open_input, epoch](std::uint64_t) { return open_input(epoch); });
    return join_streams(at_epoch);
  };
  return opened_stream(open, 0, std::move(facts));
}

std::vector<StreamPtr> open_all(const std::vector<OpenStream>& inputs) {
  std::vector<StreamPtr> streams;
  for (const OpenStream& open : inputs) streams.push_back(open(0));
  return streams;
}

}  // namespace

Opened Concatenate::open(std::vector<Opened> inputs, const OpenContext& context) const {
  return join_inputs(
      kind, inputs, context, [](std::vector<Sequence> all) { return concatenated(std::move(all)); },
      [](const std::vector<OpenStream>& all) { return concatenated(open_all(all)); });
}

Opened Zip::open(std::vector<Opened> inputs, const OpenContext& context) const {
  return join_inputs(
      kind, inputs, context, [](std::vector<Sequence> all) { return zipped(std::move(all)); },
      [](const std::vector<OpenStream>& all) { return zipped(open_all(all)); });
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
  const Random random(seed, "mix");
  return join_inputs(
      kind, inputs, context, [&](std::vector<Sequence> all) { return mixed(std::move(all), weights, random); },
      [weights = weights, random](const std::vector<OpenStream>& all) {
        return mixed(open_all(all), weights, random);
      });
}

Opened Interleave::open(std::vector<Opened> inputs, const OpenContext& context) const {
  return join_inputs(
      kind, inputs, context, [this](std::vector<Sequence> all) { return interleaved(std::move(all), cycle, block); },
      [cycle = cycle, block = block](const std::vector<OpenStream>& all) { return interleaved(all, cycle, block); });
}

}  // namespace carrack::data::stages
