#include "trainer/evaluation/predict.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/graph/expect_error.h"

namespace carrack::train {
namespace {

void write_records(const std::string& path, const std::vector<std::int64_t>& numbers) {
  data::Bytes file;
  for (const std::int64_t number : numbers) {
    const data::NamedValues values[] = {{"record", std::span<const std::int64_t>(&number, 1)}};
    data::frame::append(file, data::example_of(values));
  }
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

TEST(Predict, PrintsTheRecordsBeforeOneThatTheModelCannotUse) {
  const data::TemporaryFolder here;
  const std::string path = here.path() + "/numbers.tfrecord";
  write_records(path, {0, 2, 7, 1});
  StoredModel model;
  model.config.model = Tally{.record = "record", .records = 3};
  model.config.data.features.push_back({.name = "record", .type = FeatureType::int64});
  model.parameters = Floats{5, 6, 8};
  std::vector<std::string> lines;
  const PredictRequest request{.files = {path}, .print = [&](std::string_view line) { lines.emplace_back(line); }};
  const data::Storages storages{data::StorageSettings{}};
  const std::string message = path + ": record 2: spec.model: a record has 7 as `record`, but `tally` has rows 0 to 2";
  expect_error(Blame::user, message.c_str(),
               [&] { predict(model, request, storages, {.memory = std::uint64_t{64} << 20, .cpus = 2}); });
  const std::string begin = "{\"file\": \"" + path + "\", \"record\": ";
  EXPECT_EQ(lines, (std::vector<std::string>{begin + "0, \"output\": 5, \"loss\": -5}",
                                             begin + "1, \"output\": 8, \"loss\": -8}"}));
}

}  // namespace
}  // namespace carrack::train
