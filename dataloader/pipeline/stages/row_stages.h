// Stages that change or drop rows, batch them, or store them in memory. record_stages.h explains the members of a
// stage.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/options.h"
#include "dataloader/pipeline/stages/words.h"

namespace carrack::data {

// Applies a function that may also drop rows, so a sequence becomes a SequenceInTurn. Throws an Error if the input has
// batches.
Opened open_filter(Opened input, const OpenContext& context, const RowsFunction& function);
// Applies a function. For a sequence it must return all rows, or move them to `lost`. This is not checked here.
Opened open_map(Opened input, const OpenContext& context, const RowsFunction& function);

namespace stages {

struct Map {
  std::string name;       // identifies the function, even in saved states and snapshots
  RowsFunction function;  // reading throws an Error if it drops or adds rows

  static constexpr const char* kind = "map";
  std::string canonical() const { return CanonicalStage(kind).add("name", name).text(); }
  std::string description() const { return name; }
  Opened open(Opened input, const OpenContext& context) const;
};

// Replaces a column of tf.Examples by a column for each feature. The constructor throws an Error if features contradict
// each other.
struct Parse {
  Parse(std::vector<Feature> features, std::string column);

  std::vector<Feature> features;
  std::string column;
  RowsFunction parser;

  static constexpr const char* kind = "parse";
  std::string canonical() const { return CanonicalStage(kind).add("column", column).add(features).text(); }
  std::string description() const { return column + ": " + describe(features); }
  Opened open(Opened input, const OpenContext& context) const;
};

struct Filter {
  std::string name;  // identifies the predicate, even in saved states and snapshots
  RowPredicate predicate;

  static constexpr const char* kind = "filter";
  std::string canonical() const { return CanonicalStage(kind).add("name", name).text(); }
  std::string description() const { return name; }
  Opened open(Opened input, const OpenContext& context) const;
};

// Batches of rows. This reader gets only its part of each batch (OpenContext::share). open() throws an Error if the
// input has batches.
struct Batch {
  BatchOptions options;

  static constexpr const char* kind = "batch";
  std::string canonical() const;
  std::string description() const {
    return std::to_string(options.size) + (options.drop_remainder ? ", whole ones only" : "");
  }
  Opened open(Opened input, const OpenContext& context) const;
};

// Pads the lists of each batch to the longest list among the rows of the batch that this reader gets.
struct Pad {
  std::vector<Padding> columns;  // empty: pads all lists

  static constexpr const char* kind = "pad";
  std::string canonical() const;
  std::string description() const;
  Opened open(Opened input, const OpenContext& context) const;
};

// Sets how many chunks of rows, or batches, are computed ahead; 0: enough to keep all threads busy. No effect if the
// input's elements are an OpenStream. The canonical text does not contain the number, because it changes no row.
struct Prefetch {
  unsigned results = 0;

  static constexpr const char* kind = "prefetch";
  std::string canonical() const { return kind; }
  std::string description() const { return std::to_string(results); }
  Opened open(Opened input, const OpenContext& context) const;
};

// Stores in memory what the first epoch reads. Throws Refused if that takes more than `max_bytes`; for a sequence
// reading may throw it. A stream of rows is read completely when it is opened, and becomes a sequence. A lost row in it
// is an Error, even with OnDamage::skip. Throws an Error for a stream of batches, and for an endless sequence.
struct Cache {
  std::uint64_t max_bytes = 0;

  static constexpr const char* kind = "cache";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(Opened input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
