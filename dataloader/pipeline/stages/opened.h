// Opened: an open pipeline, or its first stages: what the open() functions of stages take and return.
//
// The elements (rows or batches) are a Sequence, which any thread can read at any place, up to the first stage that
// does not allow that. From there on they are a stream, which can only be read from front to back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/indexes/indexed_files.h"
#include "dataloader/pipeline/sequences/held_runs.h"
#include "dataloader/pipeline/stages/facts.h"
#include "dataloader/pipeline/stages/profile.h"
#include "dataloader/pipeline/streams/sequence_stream.h"
#include "dataloader/storage/storages.h"

namespace carrack::data {

// The arguments of open() of all stages, from ReadingOptions or from the trainer. `storages`, `workers` and `profile`
// must outlive what is opened.
struct OpenContext {
  const Storages& storages;
  Workers& workers;
  Profile& profile;
  AheadLimits ahead = {};                                // limits of the results that are computed ahead
  std::uint64_t cache_bytes = std::uint64_t{128} << 20;  // maximum size of each source's cache of file blocks
  // Limits the memory of all block shuffles together for the rows of their windows; nullptr: no limit.
  std::shared_ptr<ShuffleMemory> shuffle_memory = nullptr;
  // The number of lanes (shares of every batch) that read parts of an epoch at the same time; not 0. They share the
  // window of a block shuffle. 1 except in a training job.
  std::uint64_t lanes = 1;
  BatchShare share = {};  // the part of each batch that this reader gets
  IndexingOptions indexing = {};
  OnDamage on_damage = OnDamage::stop;
  // Called about ten times a second while a stage waits for a program's output, on the thread that reads or opens the
  // stage. What it throws, reading or opening throws. Must not be empty.
  std::function<void()> check_cancelled = [] {};
  // The beginning of some errors that are thrown while rows are read, such as the field of a manifest; may be empty.
  std::string error_prefix = "";
};

// A sequence that can only be read as a stream, from its first element to its last, because it is shuffled through a
// buffer or a filter drops rows. In contrast to an OpenStream, many threads read it.
struct StreamedSequence {
  Sequence sequence;
  SequenceStreamOptions options = {};
};

struct Opened {
  std::variant<Sequence, StreamedSequence, OpenStream> elements = Sequence();
  std::uint64_t batch = 0;      // rows of a batch; 0: the elements are rows
  bool drop_remainder = false;  // true: a batch stage leaves out short batches
  unsigned results_ahead = 0;   // number of results computed ahead, set by prefetch; 0: as OpenContext::ahead says
  Facts facts = {};

  bool is_sequence() const { return std::holds_alternative<Sequence>(elements); }
  // Call this only if is_sequence().
  const Sequence& sequence() const { return std::get<Sequence>(elements); }
  // Returns nullptr if the elements are not a StreamedSequence. Points into this object.
  StreamedSequence* streamed_sequence() { return std::get_if<StreamedSequence>(&elements); }
};

// Make an Opened of these elements. `batch` is the number of rows of a batch; 0: the stream has rows.
Opened opened_sequence(Sequence sequence, Facts facts = {});
Opened opened_stream(OpenStream stream, std::uint64_t batch, Facts facts = {});

// Returns what is known of files before they are read: number, bytes, whether any is remote, and a fingerprint of their
// sizes and versions.
Facts facts_of(const Storages& storages, const std::vector<Listed>& files);

// For a stage that changes its input: returns `opened` with these elements and the same facts. `batch` becomes that of
// the sequence; `results_ahead` does not change.
Opened replace_elements(Opened opened, Sequence sequence);
// The same for a stream. `batch` does not change, so set it if the stream has other batches. `results_ahead` becomes 0.
Opened replace_elements(Opened opened, OpenStream stream);

// Returns a function that opens the elements of an epoch as a stream, even if they are a sequence. The function copies
// what it needs of `opened`; the workers of `context` must outlive it and its streams.
OpenStream stream_of(const Opened& opened, const OpenContext& context);

}  // namespace carrack::data
