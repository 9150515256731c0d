// Stages that change or drop rows, batch them, or keep them in memory. See record_stages.h for what the members of a
// stage are.
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

// Applies a function that may also drop rows, so that the elements are a stream from here on.
Opened open_filter(Opened input, const OpenContext& context, const RowsFunction& function);
// Applies a function that keeps all rows.
Opened open_map(Opened input, const OpenContext& context, const RowsFunction& function);

namespace stages {

struct Map {
  std::string name;  // tells the function from others; nothing else about it is known
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
  std::string name;  // as of Map
  RowPredicate predicate;

  static constexpr const char* kind = "filter";
  std::string canonical() const { return CanonicalStage(kind).add("name", name).text(); }
  std::string description() const { return name; }
  Opened open(Opened input, const OpenContext& context) const;
};

// Only the context's share of each batch is opened.
struct Batch {
  BatchOptions options;

  static constexpr const char* kind = "batch";
  std::string canonical() const;
  std::string description() const {
    return std::to_string(options.size) + (options.drop_remainder ? ", whole ones only" : "");
  }
  Opened open(Opened input, const OpenContext& context) const;
};

// Pads the lists of each batch.
struct Pad {
  std::vector<Padding> columns;  // empty: all lists

  static constexpr const char* kind = "pad";
  std::string canonical() const;
  std::string description() const;
  Opened open(Opened input, const OpenContext& context) const;
};

// How many chunks of rows, or batches, are made ready ahead; 0: as many as keep all threads busy. The canonical text
// has the stage but not the number, which changes no row.
struct Prefetch {
  unsigned results = 0;

  static constexpr const char* kind = "prefetch";
  std::string canonical() const { return kind; }
  std::string description() const { return std::to_string(results); }
  Opened open(Opened input, const OpenContext& context) const;
};

// Keeps in memory what was read in the first epoch. Throws a Refused if that takes more than `max_bytes`, for a
// sequence while rows are read. A stream is read whole when it is opened.
struct Cache {
  std::uint64_t max_bytes = 0;

  static constexpr const char* kind = "cache";
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(Opened input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
