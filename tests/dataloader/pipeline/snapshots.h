// Snapshots opened on any storage, and rows of all kinds of columns to put into them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/pipeline/stages/plan.h"
#include "tests/dataloader/pipeline/numbered_rows.h"

namespace carrack::data {

inline std::string problem(const std::function<void()>& of) {
  try {
    of();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// Of all snapshots in it.
inline std::set<std::string> folders_in(const std::string& path) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(path)) folders.insert(entry.path().filename());
  return folders;
}

inline void flip_bit(const std::string& file, std::streamoff at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(at);
  const int byte = stream.get();
  stream.seekp(at);
  stream.put(static_cast<char>(byte ^ 1));
}

// All lines that were logged, by any thread.
class Lines {
 public:
  Log log() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    };
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

inline ReadingOptions logging_to(Lines& lines) {
  ReadingOptions options{.cpus = 2};
  options.indexing.log = lines.log();
  return options;
}

// All rows that a stream gives, as one.
inline Rows joined(const std::function<std::optional<Rows>()>& next) {
  Rows all;
  while (const std::optional<Rows> rows = next())
    if (rows->count > 0) append(all, *rows, {0, rows->count});
  return all;
}

inline Rows rows_of(const Dataset& dataset, const ReadingOptions& options = {.cpus = 2}) {
  Reading reading(dataset, storages, options);
  return joined([&] { return reading.next(); });
}

// A snapshot of the data set in any storage, all of whose rows are read.
inline Rows rows_in(Storage& storage, const Dataset& dataset, const std::string& folder, SnapshotOptions options = {},
                    BatchShare share = {}, unsigned cpus = 1) {
  Profile profile(0);
  Workers workers(cpus, cpus);
  OpenContext context{storages, workers, profile};
  context.share = share;
  const Opened opened = open_snapshot(dataset.plan(), storage, folder, options, context);
  const StreamPtr stream = stream_of(opened, context)(0);
  return joined([&] { return stream->next(); });
}

// Changes an id into a row with a column of each kind; lists are of different lengths, some of them empty.
inline RowsFunction all_kinds() {
  return [](Rows& rows) {
    NamedColumn texts{"text", LargeVector<std::string_view>(), {}, {{0}}};
    NamedColumn square{"square", LargeVector<float>(), {2, 3}};
    NamedColumn pairs{"pairs", LargeVector<std::int64_t>(), {2}, {{0}}};
    NamedColumn deep{"deep", LargeVector<float>(), {}, {{0}, {0}, {0}}};
    NamedColumn image{"image", LargeVector<std::uint8_t>(), {1, 2, 3}};
    NamedColumn bytes{"bytes", LargeVector<std::uint8_t>(), {}, {{0}}};
    NamedColumn crops{"crops", LargeVector<std::uint8_t>(), {2}, {{0}, {0}}};
    const auto put = [](NamedColumn& column, auto value, std::size_t times) {
      auto& values = std::get<LargeVector<decltype(value)>>(column.values);
      values.insert(values.end(), times, value);
      return values.size();
    };
    for (const std::int64_t id : ids_in(rows)) {
      const auto some = static_cast<std::size_t>(id % 3);
      const auto byte = static_cast<std::uint8_t>(id * 7);
      texts.splits[0].push_back(put(texts, std::string_view("one\0%\n\xff", 7).substr(some), some));
      put(square, static_cast<float>(id) / 3, 6);
      pairs.splits[0].push_back(put(pairs, -id, 2 * some) / 2);
      for (std::size_t outer = 0; outer < some; ++outer) {
        for (std::size_t inner = 0; inner < outer + 1; ++inner)
          deep.splits[2].push_back(put(deep, static_cast<float>(id), inner));
        deep.splits[1].push_back(deep.splits[2].size() - 1);
        crops.splits[1].push_back(put(crops, byte, 2 * outer) / 2);
      }
      deep.splits[0].push_back(deep.splits[1].size() - 1);
      crops.splits[0].push_back(crops.splits[1].size() - 1);
      put(image, byte, 6);
      bytes.splits[0].push_back(put(bytes, byte, some));
    }
    for (NamedColumn* column : {&texts, &square, &pairs, &deep, &image, &bytes, &crops})
      rows.columns.push_back(std::move(*column));
  };
}

}  // namespace carrack::data
