// Numbered rows of which some are lost, and what is read of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

inline const Random draws(5, "order");

// Rows that say their numbers, of which every 97th is lost. It knows how many of them anybody still holds.
class Numbered {
 public:
  explicit Numbered(std::uint64_t size) : size_(size) {}

  std::uint64_t size() const { return size_; }
  Rows read(std::span<const Place> places) const {
    ++begun;
    is_held_up.wait(true);
    const auto is_failing = [&](const Place& place) { return place.number == failing; };
    if (fails || std::ranges::any_of(places, is_failing)) throw Error("the bucket is gone");
    ++calls;
    rows_read += places.size();
    Rows rows;
    LargeVector<std::string_view> records;
    const auto texts = std::make_shared<std::deque<std::string>>();
    rows.memory.push_back(texts);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint64_t number = places[i].number;
      if (number % 97 == 96) {
        rows.lost.push_back({i, {Fault::bad_data, "numbers", number, 0, 0, "is lost"}});
        continue;
      }
      texts->push_back(std::to_string(places[i].epoch) + ":" + std::to_string(number));
      records.push_back(texts->back());
      const auto count_down = [held = held](const std::string* file) { delete file, --*held; };
      ++*held;
      rows.origins.push_back({{new std::string("numbers"), count_down}, number, 0});
      rows.places.push_back(places[i]);
    }
    rows.count = records.size();
    rows.columns.push_back({"record", std::move(records)});
    return rows;
  }

  mutable std::atomic<std::uint64_t> begun = 0, calls = 0, rows_read = 0;  // calls that began, and that succeeded
  std::shared_ptr<std::atomic<std::int64_t>> held = std::make_shared<std::atomic<std::int64_t>>(0);
  std::atomic<bool> fails = false, is_held_up = false;
  std::atomic<std::uint64_t> failing = endless;  // the number of a row that cannot be read

 private:
  std::uint64_t size_;
};

inline Sequence sequence_of(const std::shared_ptr<Numbered>& rows) {
  return sequence_of({.size = rows->size()}, rows);
}

inline std::vector<Place> places(std::uint64_t epoch, std::uint64_t begin, std::uint64_t end) {
  std::vector<Place> all;
  for (std::uint64_t number = begin; number < end; ++number) all.push_back({epoch, number});
  return all;
}

inline void append_to(std::vector<std::string>& texts, const Rows& rows) {
  for (const std::string_view text : std::get<0>(rows.column("record").values)) texts.emplace_back(text);
  for (const Lost& lost : rows.lost)
    texts.push_back("lost " + std::to_string(lost.index) + " " + std::to_string(lost.why.record));
}

}  // namespace carrack::data
