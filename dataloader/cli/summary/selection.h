// Selects the feature that is summarized alone, or one of its values: `x`, or `x[2]` for the third value. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

struct Selection {
  std::string typed;                         // `x` or `x[2]`; a feature with this whole name is selected in any case
  std::string name;                          // the feature: `x`
  std::optional<std::size_t> position = {};  // the value in each record, from 0; nullopt: all values

  // Returns `feature` if it is the selected one, or its selected value as a feature with the name `typed`. nullopt for
  // another feature, and if there is no such value. The result points into this object and into what `feature` points
  // to.
  std::optional<WalkedFeature> of(const WalkedFeature& feature) const;
};

// Accepts any text. `columns` are the names of the values of joined features, with which `x[age]` selects a value.
// Digits are always a position.
Selection parse_selection(const std::string& typed, const ColumnNames& columns = {});

// Returns why `x[1]` is ambiguous: `x[1] is value 1 (column "2"), and column "1" is x[0]`. Empty if it is not.
std::string ambiguity(const std::string& typed, const ColumnNames& columns);

// Returns why `x[agee]` selects no value if the columns of x have names: `x has no column "agee"; did you mean 'age'?`.
// Otherwise empty.
std::string column_problem(const std::string& typed, const ColumnNames& columns);

}  // namespace carrack::data::cli
