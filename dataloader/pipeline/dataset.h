// A data set and what is done with it, stage by stage, as users of tf.data know it:
//
//   Dataset::records({"gs://bucket/train-*.tfrecord"}).shuffle({.seed = 7}).parse(features).batch(1024).repeat(3)
//
// A Dataset is a value: each method returns a new one, and nothing is read until a Reading (reading.h) opens it.
// Options that make no sense are an Error, which the method itself or at the latest the Reading throws.
//
// The functions of map() and filter() get many rows at once and are called by many threads. Only the names of these
// functions, and of generators, tell them apart, also in saved states and snapshots; so rename a function when it
// changes. docs/design/pipelines.md says how exactly each stage resumes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/pipeline/stages/options.h"
#include "dataloader/records/example.h"
#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/json_lines_reader.h"
#include "dataloader/sources/program_stream.h"

namespace carrack::data {

struct Plan;  // pipeline/stages/plan.h

class Dataset {
 public:
  // All records of the files that match, in the order of the files' names, as a column "record".
  static Dataset records(const std::vector<std::string>& patterns);
  // The same, with files interleaved as options.h says.
  static Dataset records(const RecordFiles& files);
  // The names of the files that match, as a column "file".
  static Dataset files(const std::vector<std::string>& patterns);
  // Rows of text with a column for each feature. If any file is compressed, they are a stream.
  static Dataset csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                     const CsvOptions& options = {});
  static Dataset json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                            const JsonLinesOptions& options = {});
  // Rows of numpy's arrays, which are the entries along the first axis: a column for each array of an .npz file, and
  // `column` for an .npy file.
  static Dataset arrays(const std::vector<std::string>& patterns, const std::string& column = "values");
  // The TFRecords that a program writes, as a column "record". Resuming starts the program again.
  static Dataset program(const Program& program);
  // These rows. Throws an Error unless each column has an item or a list for each row.
  static Dataset rows(Rows rows);
  // `open` returns a generator for each epoch. Resuming skips the rows that an earlier generator had returned, so a new
  // one must return the same rows.
  static Dataset generate(const std::string& name, std::function<Generator()> open);

  // All rows of the first input, then all of the second, and so on.
  static Dataset concatenate(const std::vector<Dataset>& inputs);
  // Rows side by side, as many as the shortest input has. The columns of the inputs must have different names.
  static Dataset zip(const std::vector<Dataset>& inputs);
  // Rows of the inputs, each input as often as its weight says. Weights are positive and need not add up to 1; none may
  // be less than a thousandth of their sum. Ends where an input has no row for its turn, so repeat the inputs.
  static Dataset mix(const std::vector<Dataset>& inputs, const std::vector<double>& weights, std::uint64_t seed = 0);
  // Rows of the inputs in turns, `block` rows in each turn. At most `cycle` inputs are read at a time; the next input
  // replaces one that has ended.
  static Dataset interleave(const std::vector<Dataset>& inputs, std::uint64_t cycle, std::uint64_t block = 1);

  // Shuffle (options.h) says which kinds of shuffle an input allows.
  Dataset shuffle(const Shuffle& options = {}) const;
  // Every `count`th element (row or batch), starting with number `index`, counted from 0.
  Dataset shard(std::uint64_t count, std::uint64_t index) const;
  Dataset skip(std::uint64_t count) const;
  Dataset take(std::uint64_t count) const;
  // Each repetition is another epoch, with other random draws.
  Dataset repeat(std::uint64_t times = endless) const;
  // Replaces a column of tf.Examples by a column for each feature. Padded features become lists; padded_batch() pads
  // them.
  Dataset parse(std::vector<Feature> features, const std::string& column = "record") const;
  // Changes columns in place, each row by itself. Reading throws an Error that names the function if the function drops
  // or adds rows. The function may move unusable rows to `lost` by drop_bad_rows() (rows/rows.h).
  Dataset map(const std::string& name, RowsFunction function) const;
  // Keeps the rows for which the predicate returns true.
  Dataset filter(const std::string& name, RowPredicate predicate) const;
  Dataset batch(std::uint64_t size, bool drop_remainder = false) const;
  // Also pads the lists of the named columns, or of all, to the longest one of their batch.
  Dataset padded_batch(std::uint64_t size, std::vector<Padding> padding = {}, bool drop_remainder = false) const;
  // Sets how many chunks of rows, or batches, are computed ahead. 0, the default, is enough to keep all CPUs busy. No
  // effect on a stream, except one that reads a sequence in turn.
  Dataset prefetch(unsigned results) const;
  // Keeps in memory what the first epoch reads; all epochs are then like the first. Throws Refused, perhaps while rows
  // are read, if that takes more than `max_bytes`.
  Dataset cache(std::uint64_t max_bytes) const;
  // Writes the rows of the stages before it to a folder of any storage, once, and reads them from there as long as
  // neither those stages nor their sources change. The result is a sequence, whatever its input is; all epochs are like
  // the first. In a folder on a local disk it is a cache that outlives the process.
  Dataset snapshot(const std::string& folder, const SnapshotOptions& options = {}) const;

  const Plan& plan() const { return *plan_; }

 private:
  explicit Dataset(Plan plan);
  // Adds the inputs to the plan. Throws an Error if there are none.
  static Dataset joined(Plan plan, const std::vector<Dataset>& inputs);

  std::shared_ptr<const Plan> plan_;
};

}  // namespace carrack::data
