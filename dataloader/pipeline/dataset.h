// Dataset: the C++ API to describe an input pipeline, stage by stage, as with tf.data:
//
//   Dataset::records({"gs://bucket/train-*.tfrecord"}).shuffle({.seed = 7}).parse(features).batch(1024).repeat(3)
//
// A Dataset is a value: each method returns another one, and no data is read until a Reading (reading.h) opens it.
// Copies are cheap and share the description. Options that make no sense are an Error, which the method or the Reading
// throws. `carrack data`, `carrack predict` and users of the library describe pipelines in this way. A training job
// opens the stages itself (trainer/loop/data/input.h).
//
// Until batch(), the elements are rows; after it they are batches. The elements are a sequence if they can be read at
// any place (indexed files and most stages), and a stream if they can only be read from front to back (compressed text,
// programs, generators, filters, shuffle buffers).
//
// The functions of map() and filter() get many rows at a time, and many threads call them at the same time. Saved
// states and snapshots identify these functions, and generators, only by `name`. So when you change a function, change
// its name. docs/design/pipelines.md says how exactly each stage resumes.
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
  // Returns all records of the TFRecord files that match the patterns, such as "gs://bucket/train-*.tfrecord", in a
  // column "record": the files of the first pattern, sorted by URL, then those of the second, and so on. The Reading
  // throws an Error if a pattern matches no file.
  static Dataset records(const std::vector<std::string>& patterns);
  // Returns the records of these files, interleaved as options.h says.
  static Dataset records(const RecordFiles& files);
  // Returns the URLs of the files that match, as a column "file".
  static Dataset files(const std::vector<std::string>& patterns);
  // Returns the rows of CSV files, or of files with one JSON object in each line, with a column for each feature. If
  // any file is compressed, they are a stream.
  static Dataset csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                     const CsvOptions& options = {});
  static Dataset json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                            const JsonLinesOptions& options = {});
  // Returns the rows of numpy's arrays, which are the entries along the first axis. An .npz file becomes a column for
  // each of its arrays, an .npy file a single column with the name `column`.
  static Dataset arrays(const std::vector<std::string>& patterns, const std::string& column = "values");
  // Returns the TFRecords that a program writes, as a column "record". Resuming starts the program again and skips
  // records.
  static Dataset program(const Program& program);
  // Returns these rows, from memory. Their strings are not copied: Rows::memory must keep them alive. Throws an Error
  // unless each column has an item or a list for each row.
  static Dataset rows(Rows rows);
  // Returns the rows that a function makes. `open` is called once for each epoch and returns a Generator (options.h).
  // Resuming calls `open` again and skips the rows that were read before, so each generator must return the same rows
  // in the same chunks.
  static Dataset generate(const std::string& name, std::function<Generator()> open);

  // Returns all rows of the first input, then all rows of the second, and so on. This and the next three functions
  // throw an Error if there are no inputs. The inputs must have rows, not batches.
  static Dataset concatenate(const std::vector<Dataset>& inputs);
  // Returns rows side by side, as many as the shortest input has. The columns of the inputs must have different names.
  // With OnDamage::skip, a row that one input has lost is left out of all inputs if all are sequences. If any is a
  // stream, the later rows of the damaged input move up instead, and are combined with other rows.
  static Dataset zip(const std::vector<Dataset>& inputs);
  // Returns rows of the inputs, each input as often as its weight says. There must be one weight for each input.
  // Weights are positive and need not add up to 1; none may be less than a thousandth of their sum. Ends when the input
  // whose turn it is has no row left, so repeat the inputs.
  static Dataset mix(const std::vector<Dataset>& inputs, const std::vector<double>& weights, std::uint64_t seed = 0);
  // Returns rows of the inputs in turns, `block` rows in each turn. At most `cycle` inputs are read at a time; the next
  // input replaces an input that has ended.
  static Dataset interleave(const std::vector<Dataset>& inputs, std::uint64_t cycle, std::uint64_t block = 1);

  // Shuffles the elements (rows or batches). Shuffle (options.h) says which kinds of shuffle an input allows.
  Dataset shuffle(const Shuffle& options = {}) const;
  // Returns every `count`th element, beginning with element `index`, counted from 0; `index` must be less than `count`.
  Dataset shard(std::uint64_t count, std::uint64_t index) const;
  // Returns all elements but the first `count`; none if there are fewer.
  Dataset skip(std::uint64_t count) const;
  // Returns the first `count` elements; all if there are fewer.
  Dataset take(std::uint64_t count) const;
  // Repeats all elements; 0 times: there are none. Each repetition is another epoch, with other random draws. A stream
  // ends early after an epoch without rows, for example if a filter drops all of them. But a filtered sequence ends
  // early only if it is repeated without end, and after a thousand such epochs.
  Dataset repeat(std::uint64_t times = endless) const;
  // Replaces a column of tf.Examples by a column for each feature. Padded features become lists; padded_batch() pads
  // them. Throws an Error if features contradict each other.
  Dataset parse(std::vector<Feature> features, const std::string& column = "record") const;
  // Applies a function that changes the columns of rows in place, such as decode_images(). The result for a row must
  // not depend on other rows. The function may move unusable rows to `lost` by drop_bad_rows() (rows/rows.h). If it
  // drops or adds rows in any other way, reading throws an Error with its name.
  Dataset map(const std::string& name, RowsFunction function) const;
  // Returns the rows for which the predicate returns true. The input must have rows, not batches, and the result is a
  // stream.
  Dataset filter(const std::string& name, RowPredicate predicate) const;
  // Makes batches of `size` rows, which must not be 0. The last batch may be smaller, or is left out with
  // `drop_remainder`.
  Dataset batch(std::uint64_t size, bool drop_remainder = false) const;
  // Makes batches and pads the lists of the named columns, or of all columns if `padding` is empty. Each column is
  // padded to its longest list among the rows of the batch that the reader gets. Lists of lists are not padded.
  Dataset padded_batch(std::uint64_t size, std::vector<Padding> padding = {}, bool drop_remainder = false) const;
  // Sets how many chunks of rows, or batches, are computed ahead. 0, the default, is enough to keep all CPUs busy. No
  // effect on a stream, except on a sequence that is read as a stream because of a filter or a shuffle buffer.
  Dataset prefetch(unsigned results) const;
  // Stores in memory what the first epoch reads; all later epochs return the same. The Reading throws Refused, when
  // it opens or later, if that takes more than `max_bytes`.
  Dataset cache(std::uint64_t max_bytes) const;
  // Writes the rows of the earlier stages to a folder of any storage once, and reads them from there while neither
  // those stages nor their sources change. The result is a sequence, whatever its input is, and the same in all epochs.
  // In a folder on a local disk it is a cache that outlives the process.
  Dataset snapshot(const std::string& folder, const SnapshotOptions& options = {}) const;

  // The description of the stages, for Reading. Valid as long as this Dataset or a copy of it.
  const Plan& plan() const { return *plan_; }

 private:
  explicit Dataset(Plan plan);
  // Adds the inputs to the plan. Throws an Error if there are none.
  static Dataset joined(Plan plan, const std::vector<Dataset>& inputs);

  std::shared_ptr<const Plan> plan_;
};

}  // namespace carrack::data
