// A feature to summarize alone, or one of its values: `x`, or `x[2]` for the third. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

struct Selection {
  std::string typed;
  std::string name;                          // of the feature, unless there is one of the name that was typed
  std::optional<std::size_t> position = {};  // of the value in each record, from 0; nullopt: all values

  // The feature, or its value as a feature of the name that was typed. nullopt if it is another one, or has no such
  // value. The result points into this object and into `feature`.
  std::optional<WalkedFeature> of(const WalkedFeature& feature) const;
};

// Any text is one. `columns` are the names of the values of joined features: with them, `x[age]` is a value, too.
// Digits are always a position.
Selection parse_selection(const std::string& typed, const ColumnNames& columns = {});

// Why `x[1]` may be meant otherwise: `x[1] is value 1 (column "2"), and column "1" is x[0]`. Empty if it may not.
std::string ambiguity(const std::string& typed, const ColumnNames& columns);

// Why `x[agee]` is no value, if the columns of x have names: `x has no column "agee"; did you mean 'age'?`. Otherwise
// empty.
std::string column_problem(const std::string& typed, const ColumnNames& columns);

}  // namespace carrack::data::cli
