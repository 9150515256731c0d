// A data set and what is done with it, stage by stage, as users of tf.data know it:
//
//   Dataset::records({"gs://bucket/train-*.tfrecord"}).shuffle({.seed = 7}).parse(features).batch(1024).repeat(3)
//
// A Dataset is a value: each stage gives another one, and nothing is read before it is opened, see reading.h. Functions
// get many rows at once and are called by many threads; their names tell them apart, also in the state to go on from.
// docs/design/pipelines.md says of each stage how exactly it goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/pipeline/snapshots/snapshot.h"
#include "dataloader/pipeline/stages/plan.h"
#include "dataloader/pipeline/stages/stages.h"
#include "dataloader/records/example.h"

namespace carrack::data {

class Dataset {
 public:
  // All records of the files that match, in the order of their names, as a column "record".
  static Dataset records(const std::vector<std::string>& patterns);
  // Or with files by turns.
  static Dataset records(const RecordFiles& files);
  // The names of files that match, as a column "file".
  static Dataset files(const std::vector<std::string>& patterns);
  // Rows of text as columns of these features. Plain files by their rows; of compressed ones a stream.
  static Dataset csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                     const CsvOptions& options = {});
  static Dataset json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features);
  // The rows of numpy's arrays: an npz's by the names of its arrays, an npy's as this column.
  static Dataset arrays(const std::vector<std::string>& patterns, const std::string& column = "values");
  // What a program writes, which are TFRecords, as a column "record". It goes on from a state by running anew.
  static Dataset program(const Program& program);
  static Dataset rows(Rows rows);
  // `open` gives a generator for each epoch. It goes on from a state by leaving out as many rows as it had given.
  static Dataset generate(const std::string& name, std::function<Generator()> open);

  static Dataset concatenate(const std::vector<Dataset>& inputs);
  // Rows side by side, up to the end of the shortest.
  static Dataset zip(const std::vector<Dataset>& inputs);
  // Ends with the first input that ends; so repeat them.
  static Dataset mix(const std::vector<Dataset>& inputs, const std::vector<double>& weights, std::uint64_t seed = 0);
  static Dataset interleave(const std::vector<Dataset>& inputs, std::uint64_t cycle, std::uint64_t block = 1);

  Dataset shuffle(const Shuffle& how = {}) const;
  Dataset shard(std::uint64_t count, std::uint64_t index) const;
  Dataset skip(std::uint64_t count) const;
  Dataset take(std::uint64_t count) const;
  Dataset repeat(std::uint64_t times = endless) const;
  Dataset parse(std::vector<Feature> features, const std::string& from = "record") const;
  // Changes columns where they are, each row by itself.
  Dataset map(const std::string& name, RowsFunction function) const;
  // Says of each row whether it stays.
  using Keep = std::function<std::vector<bool>(const Rows&)>;
  Dataset filter(const std::string& name, Keep which) const;
  Dataset batch(std::uint64_t size, bool drop_remainder = false) const;
  // And makes lists as long as the longest of their batch: those named, or all.
  Dataset padded_batch(std::uint64_t size, std::vector<Padding> padding = {}, bool drop_remainder = false) const;
  // How many chunks of rows, or batches, are made ready; else as many as keep all CPUs busy.
  Dataset prefetch(unsigned results) const;
  // Keeps in memory what is read once; all epochs are then like the first. More than so many bytes is an Error.
  Dataset cache(std::uint64_t most_bytes) const;
  // Writes what comes before once, under a folder of any storage, and reads it there from then on, as long as neither
  // the stages before nor their sources change. It is a sequence then, whatever it was; all epochs are like the first.
  // In a folder of a local disk it is a cache that outlives the program.
  Dataset snapshot(const std::string& folder, const SnapshotOptions& options = {}) const;

  const Plan& plan() const { return *plan_; }

 private:
  explicit Dataset(Plan plan) : plan_(std::make_shared<const Plan>(std::move(plan))) {}
  static Dataset source(std::string stage, std::string asked, std::function<Opened(const OpenContext&)> open,
                        std::vector<std::string> files = {});
  static Dataset join(const std::string& stage, std::string asked, const std::vector<Dataset>& inputs,
                      std::function<Opened(std::vector<Opened>, const OpenContext&)> open);
  Dataset then(std::string stage, std::string asked, std::function<Opened(Opened, const OpenContext&)> open) const;
  Dataset mapped(const std::string& stage, const std::string& asked, RowsFunction function) const;

  PlanPtr plan_;
};

}  // namespace carrack::data
