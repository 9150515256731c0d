// Stages that change or drop rows, batch them, or keep them in memory. record_stages.h explains the members of a stage.
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

// Applies a function that may also drop rows, so the elements become a stream. Throws an Error if the input has
// batches.
Opened open_filter(Opened input, const OpenContext& context, const RowsFunction& function);
// Applies a function. For a sequence it must keep all rows, or move them to `lost`.
Opened open_map(Opened input, const OpenContext& context, const RowsFunction& function);

namespace stages {

struct Map {
  std::string name;  // identifies the function, also in saved states and snapshots
  RowsFunction function;

  static constexpr const char* kind = "map";
  std::string canonical() const { return CanonicalStage(kind).add("name", name).text(); }
  std::string description() const { return name; }
  Opened open(Opened input, const OpenContext& context) const;
};

// Replaces a column of tf.Examples by a column for each feature.
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
  std::string name;  // as in Map
  RowPredicate predicate;

  static constexpr const char* kind = "filter";
  std::string canonical() const { return CanonicalStage(kind).add("name", name).text(); }
  std::string description() const { return name; }
  Opened open(Opened input, const OpenContext& context) const;
};

// Batches of rows. This reader gets only its part of each batch, OpenContext::share.
struct Batch {
  BatchOptions options;

  static constexpr const char* kind = "batch";
  std::string canonical() const;
  std::string description() const {
    return std::to_string(options.size) + (options.drop_remainder ? ", whole ones only" : "");
  }
  Opened open(Opened input, const OpenContext& context) const;
};

// Pads the lists of each batch to the longest among the rows that this reader gets of it.
struct Pad {
  std::vector<Padding> columns;  // empty: pads all lists

  static constexpr const char* kind = "pad";
  std::string canonical() const;
  std::string description() const;
  Opened open(Opened input, const OpenContext& context) const;
};

// How many chunks of rows, or batches, are computed ahead; 0: enough to keep all threads busy. No effect if the input's
// elements are an OpenStream. The canonical text does not have the number, which changes no row.
struct Prefetch {
  unsigned results = 0;

  static constexpr const char* kind = "prefetch";
  std::string canonical() const { return kind; }
  std::string description() const { return std::to_string(results); }
  Opened open(Opened input, const OpenContext& context) const;
};

// Keeps in memory what the first epoch reads. Throws Refused if that takes more than `max_bytes`; for a sequence this
// may happen while rows are read. A stream of rows is read whole when it is opened, and becomes a sequence; a lost row
// in it is an Error, also with OnDamage::skip. Throws an Error for a stream of batches, and for an endless sequence.
struct Cache {
  std::uint64_t max_bytes = 0;

  static constexpr const char* kind = "cache";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(Opened input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
