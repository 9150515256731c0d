// Files of records that are numbered, and which of them the batches of a job hold.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/loop/data/input.h"
#include "trainer/loop/data/job_files.h"

namespace carrack::train {

using Ids = std::vector<std::int64_t>;

inline void write_records(const std::string& path, std::int64_t first, std::int64_t count) {
  data::Bytes file;
  for (std::int64_t number = first; number < first + count; ++number) {
    const data::NamedValues values[] = {{"record", std::span<const std::int64_t>(&number, 1)}};
    data::frame::append(file, data::example_of(values));
  }
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

inline Input input_of(const Launch& launch, const RoleContext& context) {
  return {indexed_files(job_files(launch, context), launch, context), launch, setup_from(launch.config), context};
}

inline Input input_of(const Launch& launch, const data::Storages& storages) {
  return input_of(launch, some_surroundings(storages));
}

inline Ids ids_of(Input& input, std::uint64_t batch, data::Range lanes) {
  const data::Batch read = input.read({batch, lanes});
  if (read.rows.count == 0) return {};
  const auto& column = std::get<data::LargeVector<std::int64_t>>(read.rows.column("record").values);
  return {column.begin(), column.end()};
}

// Of all lanes, batch by batch.
inline Ids epoch_of(Input& input, std::uint64_t number, std::uint64_t lanes) {
  const std::uint64_t steps = input.order().steps_in_epoch();
  Ids all;
  for (std::uint64_t step = number * steps; step < (number + 1) * steps; ++step)
    for (const std::int64_t id : ids_of(input, step, {0, lanes})) all.push_back(id);
  return all;
}

}  // namespace carrack::train
