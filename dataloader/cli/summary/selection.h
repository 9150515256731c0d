// Implements `carrack data stats --feature`, which summarizes one feature alone, or one of its values: `x` selects the
// feature x, `x[2]` its third value in each record, and `x[age]` the value from the column `age`, if `convert --join`
// has made x from columns. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dataloader/records/column_names.h"
#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

struct Selection {
  std::string typed;  // the option's value, `x` or `x[2]`; a feature with exactly this name is always selected
  std::string name;   // the name of the feature, `x`
  std::optional<std::size_t> position = {};  // the index of the value in each record, from 0; nullopt: all values

  // Returns `feature` if all of it is selected. If one value is, returns a feature that has only this value and the
  // name `typed`. Returns nullopt for another feature, and if the record has no such value. The result points into this
  // object and into the data of `feature`.
  std::optional<WalkedFeature> select(const WalkedFeature& feature) const;
};

// Parses the option's value; accepts any text. `columns` has the names of the columns of joined features. Digits in the
// brackets are always an index. Text of another form, and `x[age]` if x has no column `age`, is the name of a feature.
Selection parse_selection(const std::string& typed, const ColumnNames& columns = {});

// Returns why `x[1]` is ambiguous, as columns may have numbers as names: `x[1] is value 1 (column "2"), and column "1"
// is x[0]`. Empty if it is not ambiguous.
std::string ambiguity(const std::string& typed, const ColumnNames& columns);

// Returns why `x[agee]` selects no value if the columns of x have names: `x has no column "agee"; did you mean 'age'?`.
// Otherwise empty.
std::string column_problem(const std::string& typed, const ColumnNames& columns);

}  // namespace carrack::data::cli
