// The stages of Dataset that change or drop rows, make batches, or store rows in memory: map, parse, filter, batch,
// pad, prefetch, cache. record_stages.h explains the members that all stages have.
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

// Applies a function to the rows of the input. The function may also drop rows, so the places of the rows that are left
// are not known, and a sequence becomes a StreamedSequence. Throws an Error if the input has batches.
Opened open_filter(Opened input, const OpenContext& context, const RowsFunction& function);
// Applies a function to the rows of the input, which may have batches. If the input is a sequence, the function must
// drop no rows, but may move them to Rows::lost. This is not checked here. The kind of the elements does not change.
Opened open_map(Opened input, const OpenContext& context, const RowsFunction& function);

namespace stages {

// Applies a function of the user.
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

// The rows for which the predicate returns true. open() throws an Error if the input has batches.
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

// Stores in memory what the first epoch reads, and returns it in all epochs. A sequence is stored while it is read. A
// stream of rows is read completely by open(), and becomes a sequence; a lost row in it is an Error with
// OnDamage::stop, and one of Facts::skipped_rows with OnDamage::skip. open() throws an Error for a stream of batches,
// and for an endless sequence. Throws Refused if more than `max_bytes` would be stored: reading does for a sequence,
// open() for a stream.
struct Cache {
  std::uint64_t max_bytes = 0;

  static constexpr const char* kind = "cache";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(Opened input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
