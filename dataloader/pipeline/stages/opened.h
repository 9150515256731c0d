// An opened pipeline, or its first stages: what the open() functions of stages take and return.
//
// Elements (rows or batches) are a Sequence, readable at any place by any thread, as long as every stage allows it.
// From the first stage on that needs them in turn they are a stream.
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

// What stages are opened with. Everything that it refers to must outlive what is opened.
struct OpenContext {
  const Storages& storages;
  Workers& workers;
  Profile& profile;
  AheadLimits ahead = {};                                // limits of the results that are computed ahead
  std::uint64_t cache_bytes = std::uint64_t{128} << 20;  // the most bytes of file blocks that each source may cache
  // The memory that all block shuffles together may use for held rows; nullptr: no limit.
  std::shared_ptr<HeldMemory> held_memory = nullptr;
  // How many lanes read parts of an epoch at the same time; they share the window of a block shuffle.
  std::uint64_t lanes = 1;
  BatchShare share = {};  // the part of each batch that this reader gets
  Indexing indexing = {};
  OnDamage on_damage = OnDamage::stop;
  // Called from time to time while a stage waits for a program's rows; the stage passes on what it throws.
  std::function<void()> check_cancelled = [] {};
  // Begins the messages of some errors that are thrown while rows are read, such as with the field of a manifest.
  std::string error_prefix = "";
};

// A sequence that is read from its first element to its last, perhaps with functions that drop rows.
struct SequenceInTurn {
  Sequence sequence;
  SequenceStreamOptions options = {};
};

struct Opened {
  std::variant<Sequence, SequenceInTurn, OpenStream> elements = Sequence();
  std::uint64_t batch = 0;      // rows of a batch; 0: the elements are rows
  bool drop_remainder = false;  // true: a batch stage leaves out short batches
  unsigned results_ahead = 0;   // results computed ahead, set by prefetch; 0: enough to keep all threads busy
  Facts facts = {};

  bool is_sequence() const { return std::holds_alternative<Sequence>(elements); }
  // Call only if is_sequence().
  const Sequence& sequence() const { return std::get<Sequence>(elements); }
  // nullptr if the elements are not a SequenceInTurn.
  SequenceInTurn* in_turn() { return std::get_if<SequenceInTurn>(&elements); }
};

Opened opened_sequence(Sequence sequence, Facts facts = {});
Opened opened_stream(OpenStream stream, std::uint64_t batch, Facts facts = {});

// The facts that are known of files before they are read: number, bytes, whether remote, and the fingerprint.
Facts facts_of(const Storages& storages, const std::vector<Listed>& files);

// Returns `opened` with these elements and the same facts. `batch` becomes that of the sequence; `results_ahead` stays.
Opened replace_elements(Opened opened, Sequence sequence);
// The same with a stream. `batch` stays, so set it if the stream has other batches; `results_ahead` becomes 0.
Opened replace_elements(Opened opened, OpenStream stream);

// Returns a function that opens the elements of an epoch as a stream, even if they are a sequence. `opened` need not
// outlive it, but the workers of `context` must.
OpenStream stream_of(const Opened& opened, const OpenContext& context);

}  // namespace carrack::data
