// Data sets of rows that tell their own numbers, and what a pipeline gives of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "dataloader/pipeline/reading.h"

namespace carrack::data {

using Ids = LargeVector<std::int64_t>;

inline const Storages storages{StorageSettings{}};

inline Rows numbers(std::int64_t begin, std::int64_t end) {
  Ids ids(static_cast<std::size_t>(end - begin));
  std::iota(ids.begin(), ids.end(), begin);
  Rows rows;
  rows.count = ids.size();
  rows.columns.push_back({"id", ids});
  return rows;
}

inline Dataset ids(std::int64_t begin, std::int64_t end) {
  return Dataset::rows(numbers(begin, end));
}

// Rows whose number is known only once they have come.
inline Dataset generated(std::int64_t begin, std::int64_t end, std::int64_t at_once = 7) {
  return Dataset::generate("numbers", [=]() -> Generator {
    return [=, at = begin]() mutable -> std::optional<Rows> {
      if (at == end) return std::nullopt;
      const std::int64_t first = std::exchange(at, std::min(end, at + at_once));
      return numbers(first, at);
    };
  });
}

inline RowPredicate even() {
  return [](const Rows& rows) {
    std::vector<bool> kept;
    for (const std::int64_t id : std::get<Ids>(rows.column("id").values)) kept.push_back(id % 2 == 0);
    return kept;
  };
}

inline RowsFunction times_ten() {
  return [](Rows& rows) {
    for (std::int64_t& id : std::get<Ids>(rows.column("id").values)) id *= 10;
  };
}

inline const Ids& ids_in(const Rows& rows) {
  return std::get<Ids>(rows.column("id").values);
}

inline Ids rest_of(Reading& reading) {
  Ids all;
  while (const std::optional<Rows> rows = reading.next()) {
    EXPECT_EQ(rows->count, ids_in(*rows).size());
    all.insert(all.end(), ids_in(*rows).begin(), ids_in(*rows).end());
  }
  return all;
}

inline Ids all_of(const Dataset& dataset, ReadingOptions options = {.cpus = 3}) {
  Reading reading(dataset, storages, options);
  return rest_of(reading);
}

inline std::vector<Ids> batches_of(const Dataset& dataset, BatchShare share = {}) {
  Reading reading(dataset, storages, {.cpus = 3, .share = share});
  std::vector<Ids> batches;
  while (const std::optional<Rows> rows = reading.next()) batches.push_back(ids_in(*rows));
  return batches;
}

inline Ids up_to(std::int64_t end) {
  Ids all(static_cast<std::size_t>(end));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

inline Ids sorted(Ids numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace carrack::data
