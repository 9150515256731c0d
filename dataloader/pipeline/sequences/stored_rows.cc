#include "dataloader/pipeline/sequences/stored_rows.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/execution/in_order.h"

namespace carrack::data {
namespace {

// Runs of neighbours are moved together.
template <typename RowOf>
void append_runs(Rows& to, const Rows& from, std::size_t count, RowOf row_of) {
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    while (end < count && row_of(end) == row_of(end - 1) + 1) ++end;
    append(to, from, {row_of(i), row_of(i) + end - i});
    i = end;
  }
}

class Stored final : public Sequence {
 public:
  explicit Stored(Rows rows) : rows_(std::move(rows)), bytes_(rows_.count > 0 ? bytes_of(rows_) / rows_.count : 0) {}

  std::uint64_t size() const override { return rows_.count; }
  std::uint64_t element_bytes() const override { return bytes_; }
  Rows read(std::span<const Place> places) const override {
    Rows rows;
    append_runs(rows, rows_, places.size(), [&](std::size_t i) { return places[i].number; });
    rows.places.assign(places.begin(), places.end());
    return rows;
  }

 private:
  Rows rows_;
  std::uint64_t bytes_;
};

class Cached final : public Sequence {
 public:
  Cached(SequencePtr of, std::uint64_t most_bytes, std::string place)
      : of_(std::move(of)),
        most_bytes_(most_bytes),
        place_(std::move(place)),
        in_group_(group_of(*of_)),
        all_groups_(of_->size() / in_group_ + 1) {
    if (__builtin_mul_overflow(all_groups_, sizeof(groups_[0]), &bytes_))
      bytes_ = std::numeric_limits<std::uint64_t>::max();
    require_room(bytes_, most_bytes_);
  }

  std::uint64_t size() const override { return of_->size(); }
  std::uint64_t batch() const override { return of_->batch(); }
  std::uint64_t element_bytes() const override { return of_->element_bytes(); }

  Rows read(std::span<const Place> places) const override {
    Rows rows;
    for (std::size_t i = 0; i < places.size();) {
      const std::uint64_t number = places[i].number / in_group_;
      std::size_t end = i + 1;
      while (end < places.size() && places[end].number / in_group_ == number) ++end;
      take(*group(number), places.subspan(i, end - i), i, rows);
      i = end;
    }
    return rows;
  }

 private:
  // Neighbours, read at once; where each one's rows begin, and behind the last one where those end.
  struct Group {
    Rows rows;
    std::vector<std::size_t> begins;
  };

  static std::uint64_t group_of(const Sequence& of) {
    constexpr std::uint64_t bytes = std::uint64_t{256} << 10, most = 256;
    return of.batch() > 0 ? 1
                          : std::clamp<std::uint64_t>(bytes / std::max<std::uint64_t>(of.element_bytes(), 1), 1, most);
  }

  // Where two read the same one at once, the second one's is dropped.
  std::shared_ptr<const Group> group(std::uint64_t number) const {
    {
      const std::shared_lock lock(mutex_);
      if (!groups_.empty() && groups_[number]) return groups_[number];
    }
    auto read = std::make_shared<const Group>(read_group(number));
    const std::unique_lock lock(mutex_);
    groups_.resize(all_groups_);  // Not before: who only asks how many there are takes no memory.
    if (groups_[number]) return groups_[number];
    bytes_ += bytes_of(read->rows);
    require_room(bytes_, most_bytes_, place_);
    return groups_[number] = std::move(read);
  }

  Group read_group(std::uint64_t number) const {
    std::vector<Place> places;
    for (std::uint64_t i = number * in_group_; i < std::min((number + 1) * in_group_, size()); ++i)
      places.push_back({0, i});
    Group group{with_own_memory(of_->read(places)), {}};
    if (batch() > 0) {
      group.begins = {0, group.rows.count};
      return group;
    }
    std::vector<bool> is_lost(places.size());
    for (const Lost& lost : group.rows.lost) is_lost[lost.asked] = true;
    std::size_t row = 0;
    for (const bool lost : is_lost) {
      group.begins.push_back(row);
      row += lost ? 0 : 1;
    }
    group.begins.push_back(row);
    return group;
  }

  void take(const Group& group, std::span<const Place> places, std::size_t asked, Rows& rows) const {
    for (std::size_t i = 0; i < places.size();) {
      const auto element = [&](std::size_t place) { return places[place].number % in_group_; };
      std::size_t end = i + 1;
      while (end < places.size() && element(end) == element(end - 1) + 1 && places[end].epoch == places[i].epoch) ++end;
      const Range run{group.begins[element(i)], group.begins[element(end - 1) + 1]};
      const std::size_t before = rows.places.size();
      if (run.size() > 0) append(rows, group.rows, run);
      // What is drawn behind the cache is drawn anew in each epoch.
      for (Place& place : std::span(rows.places).subspan(before)) place.epoch = places[i].epoch;
      for (const Lost& lost : group.rows.lost) {
        const bool is_whole_batch = batch() > 0;
        if (is_whole_batch) rows.lost.push_back(lost);
        if (!is_whole_batch && lost.asked >= element(i) && lost.asked <= element(end - 1))
          rows.lost.push_back({asked + i + lost.asked - element(i), lost.why});
      }
      i = end;
    }
  }

  const SequencePtr of_;
  const std::uint64_t most_bytes_;
  const std::string place_;
  const std::uint64_t in_group_;
  const std::uint64_t all_groups_;
  mutable std::shared_mutex mutex_;  // Guards what is below.
  mutable std::vector<std::shared_ptr<const Group>> groups_;
  mutable std::uint64_t bytes_ = 0;
};

}  // namespace

SequencePtr stored(Rows rows) {
  return std::make_shared<Stored>(std::move(rows));
}

void require_room(std::uint64_t bytes, std::uint64_t most_bytes, const std::string& place) {
  if (bytes <= most_bytes) return;
  throw Refused(place + "cache: takes more than the " + std::to_string(most_bytes) +
                " bytes it may have; give it more, or leave it out");
}

SequencePtr cached(SequencePtr of, std::uint64_t most_bytes, std::string place) {
  if (of->size() >= endless) throw Error("cache: has no end of its input to keep; cache first, then repeat");
  return std::make_shared<Cached>(std::move(of), most_bytes, std::move(place));
}

}  // namespace carrack::data
