// What a command is asked to read, by the names: TFRecords, or what else has rows, as a data set of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/request.h"
#include "dataloader/pipeline/dataset.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

enum class InputKind : std::uint8_t { records, csv, json_lines, arrays, program };

// By its ending, or by what it begins with: `exec:`.
InputKind kind_of_input(const std::string& name);

struct Inputs {
  InputKind kind = InputKind::records;
  std::vector<Listed> files = {};        // none of a program
  std::vector<std::string> judged = {};  // of each column what it holds and why, a sentence each
  // Of what is no TFRecord: columns, of text as lists that are empty where nothing stands. A program's rows are
  // records.
  std::optional<Dataset> rows = {};

  std::uint64_t bytes() const;
};

// Throws Refused where names stand for no file or for several kinds, and an Error where a file does not begin as its
// kind does. A program has this environment.
Inputs inputs_of(const Request& request, const Storages& storages, const std::vector<std::string>& environment);

}  // namespace carrack::data::cli
