// Selects the feature that is summarized alone, or one of its values: the text `x` selects the feature x, and `x[2]`
// its third value. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

struct Selection {
  std::string typed;  // the text, `x` or `x[2]`; a feature with exactly this name is always selected
  std::string name;   // the name of the feature, `x`
  std::optional<std::size_t> position = {};  // the index of the value in each record; nullopt: all values

  // Returns `feature` if it is selected, or its selected value as a feature with the name `typed`. Returns nullopt for
  // another feature, and if the record has no such value. The result points into this object and into the data of
  // `feature`.
  std::optional<WalkedFeature> of(const WalkedFeature& feature) const;
};

// Accepts any text. `columns` are the names of the values of joined features, with which `x[age]` selects a value.
// Digits in the brackets are always an index. Text of another form is the name of a feature.
Selection parse_selection(const std::string& typed, const ColumnNames& columns = {});

// Returns why `x[1]` is ambiguous: `x[1] is value 1 (column "2"), and column "1" is x[0]`. Empty if it is not
// ambiguous.
std::string ambiguity(const std::string& typed, const ColumnNames& columns);

// Returns why `x[agee]` selects no value if the columns of x have names: `x has no column "agee"; did you mean 'age'?`.
// Otherwise empty.
std::string column_problem(const std::string& typed, const ColumnNames& columns);

}  // namespace carrack::data::cli
