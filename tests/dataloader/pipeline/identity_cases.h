// The data sets whose saved states and snapshots lie in vectors/, and one data set for each stage and option that is
// part of an identity. A new stage or option adds a line at the end of every_stage().
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/pipeline/dataset.h"

namespace carrack::data {

inline Dataset twenty_ids() {
  Rows rows;
  rows.count = 20;
  LargeVector<std::int64_t> ids(rows.count);
  std::iota(ids.begin(), ids.end(), 0);
  rows.columns.push_back({"id", std::move(ids)});
  return Dataset::rows(std::move(rows));
}

inline std::vector<bool> even_ids(const Rows& rows) {
  std::vector<bool> even;
  for (const std::int64_t id : std::get<LargeVector<std::int64_t>>(rows.column("id").values))
    even.push_back(id % 2 == 0);
  return even;
}

inline void times_ten_in_place(Rows& rows) {
  for (std::int64_t& id : std::get<LargeVector<std::int64_t>>(rows.column("id").values)) id *= 10;
}

// By the names of their files in vectors/. "ids.tfrecord" is opened by that relative path.
inline std::vector<std::pair<std::string, Dataset>> resumable() {
  const Shuffle buffer{.kind = Shuffle::Kind::buffer, .seed = 1, .buffer = 5};
  return {
      {"records",
       Dataset::records({"ids.tfrecord"}).parse({{"id", Dtype::int64}}).shuffle({.seed = 7}).repeat(2).batch(3)},
      {"filtered", twenty_ids().filter("even", even_ids).shuffle(buffer).repeat(3).batch(3)},
      {"mixed", Dataset::mix({twenty_ids().shuffle({.seed = 2}).repeat(), twenty_ids().skip(5).repeat()}, {2, 1})
                    .take(30)
                    .batch(4)},
  };
}

// The file's modification time is part of what the snapshot is made of.
constexpr std::int64_t ids_file_written_seconds = 1'700'000'000;

inline std::vector<std::pair<std::string, Dataset>> in_snapshot(const std::string& folder) {
  const Dataset from_file = Dataset::records({"ids.tfrecord"}).parse({{"id", Dtype::int64}});
  return {
      {"rows", twenty_ids().filter("even", even_ids).snapshot(folder, {.shard_rows = 6})},
      {"file", from_file.map("tens", times_ten_in_place).snapshot(folder, {.compression = Compression::gzip})},
  };
}

inline Rows three_ids() {
  Rows rows;
  rows.count = 3;
  rows.columns.push_back({"id", LargeVector<std::int64_t>{1, 2, 3}});
  return rows;
}

inline std::vector<Feature> every_feature() {
  Feature defaulted{"price", Dtype::float32};
  defaulted.default_values = LargeVector<float>{1.5F};
  Feature raw{"pixels", Dtype::int64, 4};
  raw.raw = Raw::uint8;
  Feature ragged{"deep", Dtype::float32};
  ragged.shape = Shape::lists;
  ragged.partitions = {{"deep_lengths", Partition::Kind::lengths}, {"deep_splits", Partition::Kind::splits}};
  Feature steps{"frames", Dtype::bytes};
  steps.part = Part::feature_lists;
  steps.shape = Shape::list;
  steps.may_be_missing = true;
  return {{"id", Dtype::int64},
          {"a b", Dtype::bytes, 2},
          {"list", Dtype::int64, 1, Shape::list},
          {"padded", Dtype::float32, 1, Shape::padded},
          defaulted,
          raw,
          ragged,
          steps};
}

inline std::vector<std::pair<std::string, Dataset>> every_stage() {
  const Dataset rows = Dataset::rows(three_ids());
  const auto all_rows = [](const Rows& kept) { return std::vector<bool>(kept.count, true); };
  const std::vector<Feature> id{{"id", Dtype::int64}};
  const CsvOptions csv{.delimiter = ';', .columns = std::vector<std::string>{"id", "a, b"}, .missing = {"NA", "-"}};
  using Kind = Shuffle::Kind;
  return {
      {"records", Dataset::records({"gs://b/x-*.tfrecord", "y.tfrecord"})},
      {"records in turn", Dataset::records(RecordFiles{{"x-*.tfrecord"}, 4, 2})},
      {"files", Dataset::files({"gs://b/*"})},
      {"csv", Dataset::csv({"x.csv"}, id)},
      {"csv with options", Dataset::csv({"x.csv", "y z.csv"}, id, csv)},
      {"json lines", Dataset::json_lines({"x.jsonl"}, every_feature())},
      {"json lines with options", Dataset::json_lines({"x.jsonl"}, id, {.missing = {"NA", "-"}})},
      {"arrays", Dataset::arrays({"x.npz"}, "image")},
      {"program", Dataset::program({{"/bin/cat", "x.tfrecord"}, {}})},
      {"rows", rows},
      {"generate", Dataset::generate("numbers", [] { return Generator(); })},
      {"concatenate", Dataset::concatenate({rows, rows.take(1)})},
      {"zip", Dataset::zip({rows, rows.map("b", [](Rows&) {})})},
      {"mix", Dataset::mix({rows, rows}, {0.1, 2}, 7)},
      {"interleave", Dataset::interleave({rows, rows, rows}, 2, 3)},
      {"shuffle", rows.shuffle()},
      {"shuffle full", rows.shuffle({.kind = Kind::full, .seed = 7})},
      {"shuffle block", rows.shuffle({.kind = Kind::block, .seed = 7, .block = 100, .window = 4})},
      {"shuffle buffer", rows.shuffle({.kind = Kind::buffer, .seed = 7, .buffer = 20})},
      {"shard", rows.shard(3, 1)},
      {"skip", rows.skip(2)},
      {"take", rows.take(2)},
      {"repeat", rows.repeat(2)},
      {"repeat without end", rows.repeat()},
      {"parse", Dataset::records({"x"}).parse(every_feature(), "record")},
      {"map", rows.map("times > ten", [](Rows&) {})},
      {"filter", rows.filter("even, or not", all_rows)},
      {"batch", rows.batch(2)},
      {"batch of whole ones", rows.batch(2, true)},
      {"padded batch", rows.padded_batch(2, {{"id", LargeVector<std::int64_t>{-1}}, {"x", {}}})},
      {"prefetch", rows.prefetch(3)},
      {"cache", rows.cache(1000)},
      {"snapshot", rows.snapshot("folder", {.compression = Compression::gzip, .shard_rows = 30})},
      {"several", Dataset::concatenate({rows.take(1).repeat(2), rows}).shuffle({.seed = 1}).batch(2)},
  };
}

}  // namespace carrack::data
