// Files of tf.Examples on disk that nobody has indexed, each record with a number of its own, and readers that go
// through them for the first time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/pipeline/lanes/first_pass_batches.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {

class UnindexedData : public testing::Test {
 protected:
  static constexpr std::uint64_t lanes = 4, seed = 5;
  static constexpr Batching batching{10, lanes};  // Shares of 3, 3, 2 and 2.

  // One of them empty.
  UnindexedData() {
    std::filesystem::create_directories(folder.path() + "/data");
    std::int64_t first = 0;
    for (const std::int64_t count : {17, 3, 0, 40, 1, 22, 9, 31}) {
      put(records.size(), examples(first, count));
      records.push_back(static_cast<std::uint64_t>(count));
      first += count;
    }
  }

  static Bytes examples(std::int64_t first, std::int64_t count) {
    Bytes file;
    for (std::int64_t id = first; id < first + count; ++id) {
      const std::string name(static_cast<std::size_t>(id % 7), 'x');
      const std::string_view names[1] = {name};
      const NamedValues values[] = {{"id", std::span<const std::int64_t>(&id, 1)},
                                    {"name", std::span<const std::string_view>(names)}};
      frame::append(file, example_of(values));
    }
    return file;
  }

  std::string name(std::size_t file) const { return folder.path() + "/data/x-" + std::to_string(file); }
  std::string index_of(std::size_t file, const std::string& place = "indexes") const {
    return folder.path() + "/" + place + "/" + index_name(name(file));
  }
  void put(std::size_t file, const Bytes& bytes) const {
    std::ofstream(name(file), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  Bytes bytes_of(std::size_t file) { return read_whole(storage, name(file)).value(); }

  IndexingOptions how() const { return {.shared = folder.path() + "/indexes", .cache = "", .share = {}}; }
  FirstPass pass(const IndexingOptions& as) {
    return {KnownIndexes([this](const std::string&) -> Storage& { return storage; },
                         data_files(storage, folder.path() + "/data/x-*", as.log), as),
            seed, batching};
  }
  FirstPass pass() { return pass(how()); }
  FirstPassBatches reader(const std::vector<Feature>& features = {{"id", Dtype::int64, 1}},
                          OnDamage on_damage = OnDamage::stop) {
    return {pass(), parse_examples(features), on_damage};
  }

  static std::vector<std::int64_t> ids(const Batch& batch) {
    if (batch.rows.count == 0) return {};
    const auto& values = std::get<LargeVector<std::int64_t>>(batch.rows.columns[0].values);
    return {values.begin(), values.end()};
  }
  static Batch batch_at(FirstPassBatches& reader, std::uint64_t step, Range of) {
    auto read = reader.read(step, of);
    if (const auto* corrupt = std::get_if<Corrupt>(&read)) throw Error(text(*corrupt));
    return std::get<Batch>(std::move(read));
  }
  // Each step's, by lane.
  using Step = std::vector<std::vector<std::int64_t>>;
  static Step by_lane(const Batch& batch) {
    const std::vector<std::int64_t> all = ids(batch);
    Step step;
    for (const Range rows : batch.lanes) {
      step.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(rows.begin),
                        all.begin() + static_cast<std::ptrdiff_t>(rows.end));
    }
    return step;
  }
  // What a reader that stays alone to the end gives.
  std::vector<Step> all_steps(OnDamage on_damage = OnDamage::stop) {
    FirstPassBatches alone = reader({{"id", Dtype::int64, 1}}, on_damage);
    std::vector<Step> steps;
    for (;;) {
      auto read = alone.read(steps.size(), {0, lanes});
      if (std::holds_alternative<FirstPass::Totals>(read)) return steps;
      steps.push_back(by_lane(std::get<Batch>(read)));
    }
  }
  void forget_indexes() const { std::filesystem::remove_all(folder.path() + "/indexes"); }

  const TemporaryFolder folder;
  FileStorage storage{3};
  std::vector<std::uint64_t> records;  // by file
};

}  // namespace carrack::data
