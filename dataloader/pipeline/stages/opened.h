// A pipeline, or the first stages of one, that has been opened: what Stage::open() functions take and return.
//
// Elements (rows or batches) stay a Sequence, readable at any place by any thread, for as long as every stage allows
// it. From the first stage that needs them in turn they are a stream.
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

// What stages are opened with. Everything it refers to must outlive what is opened.
struct OpenContext {
  const Storages& storages;
  Workers& workers;
  Profile& profile;
  AheadLimits ahead = {};                                // of the results that are made before they are requested
  std::uint64_t cache_bytes = std::uint64_t{128} << 20;  // of file blocks that each source of records may cache
  // The memory that all block shuffles may hold together; nullptr means no limit.
  std::shared_ptr<HeldMemory> held_memory = nullptr;
  // How many lanes read parts of an epoch side by side; they share the window of a block shuffle.
  std::uint64_t lanes = 1;
  BatchShare share = {};  // the part of each batch that this reader gets, if there are several
  Indexing indexing = {};
  OnDamage on_damage = OnDamage::stop;
  // Called from time to time while a stage waits for rows; the stage passes on what it throws.
  std::function<void()> check_cancelled = [] {};
  // Errors that a stage throws while rows are read begin with this, e.g. the field of a manifest.
  std::string error_prefix = "";
};

// A sequence that is read from its first element to its last.
struct SequenceInTurn {
  Sequence sequence;
  SequenceStreamOptions options = {};
};

struct Opened {
  std::variant<Sequence, SequenceInTurn, OpenStream> elements = Sequence();
  std::uint64_t batch = 0;      // rows of a batch; 0: the elements are rows
  bool drop_remainder = false;  // No batch is short.
  unsigned results_ahead = 0;   // that are made ready, set by prefetch; 0: as many as keep all threads busy
  Facts facts = {};

  bool is_sequence() const { return std::holds_alternative<Sequence>(elements); }
  // Only where is_sequence().
  const Sequence& sequence() const { return std::get<Sequence>(elements); }
  // nullptr unless the elements are a SequenceInTurn.
  SequenceInTurn* in_turn() { return std::get_if<SequenceInTurn>(&elements); }
};

Opened opened_sequence(Sequence sequence, Facts facts = {});
Opened opened_stream(OpenStream stream, std::uint64_t batch, Facts facts = {});

// What is known of files before they are read.
Facts facts_of(const Storages& storages, const std::vector<Listed>& files);

// `opened` with other elements and the same facts. `batch` becomes that of the sequence; `results_ahead` stays.
Opened replace_elements(Opened opened, Sequence sequence);
// The same for a stream. `batch` stays, so set it if the stream has other batches; `results_ahead` becomes 0.
Opened replace_elements(Opened opened, OpenStream stream);

// Returns a function that opens the elements of an epoch as a stream, also if they are a sequence.
OpenStream stream_of(const Opened& opened, const OpenContext& context);

}  // namespace carrack::data
