#include "dataloader/pipeline/stages/opened.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dataloader/pipeline/sequences/source_files.h"

namespace carrack::data {

void Facts::merge(const Facts& input) {
  files += input.files;
  file_bytes += input.file_bytes;
  file_records += input.file_records;
  is_remote = is_remote || input.is_remote;
  is_inflated = is_inflated || input.is_inflated;
  skipped_rows += input.skipped_rows;
  std::ranges::copy(input.first_skipped, std::back_inserter(first_skipped));
  resume = std::max(resume, input.resume);
  state_rows += input.state_rows;
  read_order = std::max(read_order, input.read_order);
  held_rows += input.held_rows;
  data_fingerprint += (data_fingerprint.empty() ? "" : "; ") + input.data_fingerprint;
}

Facts facts_of(const Storages& storages, const std::vector<Listed>& files) {
  Facts facts{.files = files.size(), .file_bytes = total_bytes(files)};
  for (const Listed& file : files) {
    facts.is_remote = facts.is_remote || storages.is_remote(file.url);
    facts.data_fingerprint += std::to_string(file.stat.size) + " " + file.stat.version.text + "\n";
  }
  return facts;
}

Opened opened_sequence(Sequence sequence, Facts facts) {
  return replace_elements({.facts = std::move(facts)}, std::move(sequence));
}

Opened opened_stream(OpenStream stream, std::uint64_t batch, Facts facts) {
  return {.elements = std::move(stream), .batch = batch, .facts = std::move(facts)};
}

Opened replace_elements(Opened opened, Sequence sequence) {
  opened.batch = sequence.batch();
  opened.elements = std::move(sequence);
  return opened;
}

Opened replace_elements(Opened opened, OpenStream stream) {
  opened.elements = std::move(stream);
  opened.results_ahead = 0;  // A prefetch stage has set it for the elements of the input, not for the new stream.
  return opened;
}

OpenStream stream_of(const Opened& opened, const OpenContext& context) {
  if (const auto* stream = std::get_if<OpenStream>(&opened.elements)) return *stream;
  StreamedSequence streamed =
      opened.is_sequence() ? StreamedSequence{opened.sequence()} : std::get<StreamedSequence>(opened.elements);
  streamed.options.ahead = context.ahead;
  if (opened.results_ahead > 0) streamed.options.ahead.results = opened.results_ahead;
  return [streamed = std::move(streamed), &workers = context.workers](std::uint64_t epoch) {
    SequenceStreamOptions options = streamed.options;
    // A repeat stage may have set `epochs`: one epoch of the stream is then that many epochs of the sequence.
    options.first_epoch = epoch * options.epochs;
    return sequence_stream(streamed.sequence, std::move(options), workers);
  };
}

}  // namespace carrack::data
