#include "dataloader/pipeline/stages/array_stage.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/machine/limits.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/pipeline/rows/runs.h"
#include "dataloader/pipeline/sequences/parts.h"
#include "dataloader/pipeline/sequences/source_files.h"
#include "dataloader/sources/npy.h"
#include "dataloader/sources/npz.h"

namespace carrack::data {
namespace {

// The arrays of a .npy or .npz file, one for each column of the rows. There is at least one, and all have the same
// number of rows.
struct ArrayFile {
  std::shared_ptr<const ByteSource> source;  // the .npz file that `arrays` read from; nullptr for .npy
  std::shared_ptr<const std::string> name;
  std::vector<std::string> columns;
  std::vector<ArrayRows> arrays;

  std::uint64_t rows() const { return arrays.front().rows(); }
};

Dtype dtype_of(const ArrayRows& array) {
  return is_whole(array.type().number) ? Dtype::int64 : Dtype::float32;
}

// Opens a file of arrays. The array of a .npy file has no name, so it becomes the column `column`.
ArrayFile array_file(const Storages& storages, const Listed& listed, const std::string& column) {
  ArrayFile file;
  file.name = std::make_shared<const std::string>(listed.url);
  if (!listed.url.ends_with(".npz")) {
    file.columns = {column};
    file.arrays.push_back(value_or_throw(open_npy(source_of(storages, listed))));
    return file;
  }
  file.source = source_of(storages, listed);
  const Npz archive = value_or_throw(Npz::open(*file.source));
  file.columns = archive.names();
  if (file.columns.empty()) throw Error(listed.url + ": holds no array");
  if (archive.inflated_bytes() > memory_of_this_process())
    throw Error(listed.url + ": its arrays inflate to " + std::to_string(archive.inflated_bytes()) +
                " bytes, and this process may have " + std::to_string(memory_of_this_process()) +
                "; store them uncompressed, as numpy.savez does");
  for (const std::string& name : file.columns) file.arrays.push_back(value_or_throw(archive.array(name)));
  for (std::size_t i = 0; i < file.arrays.size(); ++i)
    if (file.arrays[i].rows() != file.rows())
      throw Error(listed.url + ": array \"" + file.columns[i] + "\" has " + std::to_string(file.arrays[i].rows()) +
                  " rows, and \"" + file.columns[0] + "\" has " + std::to_string(file.rows()) +
                  "; those of one file have as many");
  return file;
}

// Throws an Error if a file has rows, but all of them are empty, as in an array of shape (1000, 0). The header of a
// small file can claim any number of such rows, and reading them would take forever.
void check_has_numbers(const ArrayFile& file) {
  const bool has_numbers = std::ranges::any_of(file.arrays, [](const ArrayRows& array) { return array.count() > 0; });
  if (file.rows() > 0 && !has_numbers)
    throw Error(*file.name + ": its " + std::to_string(file.rows()) +
                " rows hold no numbers, so there is nothing to read");
}

// Returns the columns and the shapes of their rows, which must be the same in all files of a data set.
std::string describe_shape(const ArrayFile& file) {
  std::string text;
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    text += (i == 0 ? "\"" : ", \"") + file.columns[i] + "\" of " +
            (dtype_of(file.arrays[i]) == Dtype::int64 ? "whole numbers" : "floats");
    for (std::size_t axis = 1; axis < file.arrays[i].shape().size(); ++axis)
      text += (axis == 1 ? " " : "x") + std::to_string(file.arrays[i].shape()[axis]);
  }
  return text;
}

// Reads rows of arrays by their places. Thread-safe.
class PlacedRows {
 public:
  explicit PlacedRows(std::vector<ArrayFile> files) : files_(std::move(files)) {
    for (const ArrayFile& file : files_) {
      parts_.add(file.rows());
      if (describe_shape(file) != describe_shape(files_.front()))
        throw Error(*file.name + ": its rows are " + describe_shape(file) + ", and those of " + *files_.front().name +
                    " are " + describe_shape(files_.front()) + "; files that are read together have the same");
    }
    for (const ArrayRows& array : files_.front().arrays) element_bytes_ += array.count() * size_of(array.type().number);
  }

  SequenceShape shape() const { return {.size = parts_.size(), .element_bytes = element_bytes_}; }

  Rows read(std::span<const Place> places) const {
    Rows rows;
    const auto follows = [&](std::size_t i) {
      const bool is_next = places[i].number == places[i - 1].number + 1;
      return is_next && parts_.at(places[i].number).number != 0;  // Row 0 begins another file.
    };
    for_each_run(places.size(), follows,
                 [&](Range run) { read(places.subspan(run.begin, run.size()), run.begin, rows); });
    return rows;
  }

 private:
  // Appends the rows at these places, which are neighbours in one file. `index` is the index of the first place among
  // all places of the call. If one of the rows cannot be used, reads each row separately, so that only bad rows are
  // lost.
  void read(std::span<const Place> places, std::size_t index, Rows& into) const {
    const auto [part, first] = parts_.at(places.front().number);
    const ArrayFile& file = files_[part];
    Rows run;
    run.count = places.size();
    for (std::size_t i = 0; i < file.arrays.size(); ++i) {
      auto column = file.arrays[i].read(first, places.size(), dtype_of(file.arrays[i]));
      if (Corrupt* corrupt = std::get_if<Corrupt>(&column)) {
        if (corrupt->fault == Fault::changed) throw Error(text(*corrupt));
        if (places.size() == 1) {
          into.lost.push_back({index, std::move(*corrupt)});
          return;
        }
        for (std::size_t row = 0; row < places.size(); ++row) read(places.subspan(row, 1), index + row, into);
        return;
      }
      run.columns.push_back(named(file, i, std::get<Column>(std::move(column))));
    }
    run.places.assign(places.begin(), places.end());
    for (std::size_t row = 0; row < places.size(); ++row) run.origins.push_back({file.name, first + row, 0});
    append(into, run, {0, run.count});
  }

  static NamedColumn named(const ArrayFile& file, std::size_t array, Column column) {
    const std::vector<std::uint64_t>& shape = file.arrays[array].shape();
    return {file.columns[array], column_values(std::move(column.values)), {shape.begin() + 1, shape.end()}};
  }

  const std::vector<ArrayFile> files_;
  Parts parts_;  // number of rows of each file
  std::uint64_t element_bytes_ = 0;
};

}  // namespace

namespace stages {

Opened Arrays::open(const OpenContext& context) const {
  const std::vector<Listed> listed = source_files(context.storages, patterns);
  std::vector<ArrayFile> files;
  for (const Listed& one : listed) {
    files.push_back(array_file(context.storages, one, column));
    check_has_numbers(files.back());
  }
  const auto rows = std::make_shared<const PlacedRows>(std::move(files));
  return opened_sequence(context.profile.timed("arrays", sequence_of(rows->shape(), rows)),
                         facts_of(context.storages, listed));
}

}  // namespace stages
}  // namespace carrack::data
