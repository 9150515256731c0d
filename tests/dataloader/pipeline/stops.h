// What a reading that stops at damage gives before it, and why it stops.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dataloader/error.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/numbered_rows.h"
#include "tests/dataloader/records/files.h"

namespace carrack::data {

struct Stopped {
  std::vector<Ids> batches;
  std::string error;  // empty if it did not stop

  Ids ids() const {
    Ids all;
    for (const Ids& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }
};

// Reads to the end, or to damage, at which each further call must say the same.
inline Stopped rest_before_stop(Reading& reading) {
  Stopped stopped;
  const auto next = [&] {
    try {
      return reading.next();
    } catch (const Damaged& damaged) {
      stopped.error = damaged.what();
      EXPECT_TRUE(stopped.error.starts_with(text(damaged.why())));
      return std::optional<Rows>();
    }
  };
  while (const std::optional<Rows> rows = next()) stopped.batches.push_back(rows->count > 0 ? ids_in(*rows) : Ids());
  const std::string first = stopped.error;
  if (!first.empty()) {
    EXPECT_FALSE(next().has_value());
  }
  EXPECT_EQ(stopped.error, first);
  EXPECT_EQ(reading.lost(), 0u);
  return stopped;
}

inline Stopped read_to_stop(const Dataset& dataset, ReadingOptions options = {.cpus = 3}) {
  Reading reading(dataset, storages, options);
  return rest_before_stop(reading);
}

// Two files of 100 records, of which one can be damaged.
class Damageable {
 public:
  static constexpr std::int64_t in_file = 100, all = 2 * in_file;

  Dataset rows() const { return Dataset::records({on_disk_.pattern()}).parse({{"id", Dtype::int64, 1}}); }
  Dataset rows_of(std::size_t file) const {
    return Dataset::records({on_disk_.name(file)}).parse({{"id", Dtype::int64, 1}});
  }
  std::string name(std::size_t file) const { return on_disk_.name(file); }
  // Damages the record, or mends it. `byte` is that of its frame.
  void flip(std::int64_t id, std::size_t byte = frame::header_size) const {
    on_disk_.flip_bit(file_of(id), record_of(id), byte);
  }
  std::string error(std::int64_t id, std::string_view what, std::string_view place = ": ") const {
    const std::uint64_t begin = on_disk_.offset(file_of(id), record_of(id));
    const std::uint64_t size = record_of(id) + 1 < in_file ? on_disk_.offset(file_of(id), record_of(id) + 1) - begin
                                                           : size_of_last_[file_of(id)];
    return name(file_of(id)) + ": record " + std::to_string(record_of(id)) + " at byte " + std::to_string(begin) +
           std::string(place) + std::string(what) + "; " + std::to_string(size) + " bytes lost";
  }
  void pack(Compression compression) const {
    for (const std::size_t file : {0u, 1u}) {
      const auto size = std::filesystem::file_size(name(file));
      Bytes plain(size);
      std::ifstream(name(file), std::ios::binary)
          .read(reinterpret_cast<char*>(plain.data()), static_cast<std::streamsize>(size));
      const Bytes packed = compressed(plain, compression);
      std::ofstream(name(file), std::ios::binary)
          .write(reinterpret_cast<const char*>(packed.data()), static_cast<std::streamsize>(packed.size()));
    }
  }

 private:
  static std::size_t file_of(std::int64_t id) { return static_cast<std::size_t>(id / in_file); }
  static std::size_t record_of(std::int64_t id) { return static_cast<std::size_t>(id % in_file); }
  std::uint64_t last_size(std::size_t file) const {
    return std::filesystem::file_size(name(file)) - on_disk_.offset(file, in_file - 1);
  }

  const ExamplesOnDisk on_disk_{2, in_file};
  const std::uint64_t size_of_last_[2] = {last_size(0), last_size(1)};
};

// The rows before this one; all of them if it is not there.
inline Ids before(const Ids& all, std::int64_t id) {
  return {all.begin(), std::ranges::find(all, id)};
}

inline RowPredicate every() {
  return [](const Rows& rows) { return std::vector<bool>(rows.count, true); };
}

}  // namespace carrack::data
