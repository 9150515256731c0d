// What a pipeline does, as a value: a stage, with what it was asked for in words, and the plans it takes its input
// from. Nothing is read before it is opened.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dataloader/indexes/indexed_files.h"
#include "dataloader/pipeline/sequences/held_memory.h"
#include "dataloader/pipeline/stages/profile.h"
#include "dataloader/pipeline/streams/stream.h"
#include "dataloader/storage/storages.h"

namespace carrack::data {

// How exactly a stage goes on from a state.
enum class Resume : std::uint8_t {
  exact,        // from a number
  exact_state,  // from a state as large as what the stage holds, or by reading again what comes before
  none,
};

// Where the rows lie that are read one after the other.
enum class Spread : std::uint8_t { together, runs, scattered };

// What a plan is opened with.
struct OpenContext {
  const Storages& storages;
  Workers& workers;
  Profile& profile;
  AheadLimits ahead = {};
  std::uint64_t cache_bytes = std::uint64_t{128} << 20;  // of files
  // Of shuffles in blocks: what they may hold, and how many lanes go through parts of it side by side, which share the
  // window.
  std::shared_ptr<HeldMemory> held_memory = nullptr;
  std::uint64_t lanes = 1;
  BatchShare share = {};
  Indexing indexing = {};
  bool skip_corrupt = false;
  std::function<void()> check_cancelled = [] {};  // as of ReadingOptions
};

// A plan that is opened: elements by their places as long as that can be, and from some stage on a stream of them.
struct Opened {
  SequencePtr sequence;
  // Of a sequence: how it is read through, where a stage said so. From then on it is no sequence for later stages.
  Visit how = {};
  bool visited = false;
  OpenStream stream = {};
  unsigned results_ahead = 0;  // that are made ready, where a stage said how many
  std::uint64_t batch = 0;     // rows of a batch; 0 where elements are rows
  bool is_far = false;         // Reading here and there takes a request each.
  // That are read.
  std::uint64_t files = 0, file_bytes = 0, file_records = 0;
  std::uint64_t lost = 0;  // rows that were left out before, and the first of them
  std::vector<Corrupt> lost_first = {};
  Resume resume = Resume::exact;
  std::uint64_t state_rows = 0;  // that the state holds
  Spread spread = Spread::together;
  bool in_memory = false;       // all rows: how they came there makes no difference any more
  std::uint64_t held_rows = 0;  // of runs, each of which would be read again and again for rows in another order
  // Tells this data from all other, as far as it is known.
  std::string contents = {};

  bool is_sequence() const { return sequence && !visited; }
};

// Rows or batches, an epoch's.
OpenStream stream_of(const Opened& opened, const OpenContext& context);

struct Plan {
  std::string stage;
  std::string asked;  // in words, of which each pair of plans that differ has different ones
  std::vector<std::shared_ptr<const Plan>> from;
  std::function<Opened(std::vector<Opened>, const OpenContext&)> open;
  // Patterns of the files that a source reads: these and their versions tell its data from all other.
  std::vector<std::string> files = {};
  bool opens_inputs = false;  // by itself, where it needs them: it is given none
};

using PlanPtr = std::shared_ptr<const Plan>;

// `watch` is told of each stage once it is opened, the sources first.
using Watch = std::function<void(const Plan&, const Opened&)>;
Opened open(
    const Plan& plan, const OpenContext& context, const Watch& watch = [](const Plan&, const Opened&) {});

// The stages, the source first, joined in words: for fingerprints.
std::string in_words(const Plan& plan);

}  // namespace carrack::data
