#include "dataloader/pipeline/sequences/stored_rows.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/error.h"
#include "dataloader/mutex.h"
#include "dataloader/pipeline/execution/in_order.h"
#include "dataloader/pipeline/rows/runs.h"

namespace carrack::data {
namespace {

// Stores the elements of a sequence in memory, in groups of neighbouring elements. Reads a group when one of its
// elements is first requested. All threads share it.
class GroupCache {
 public:
  GroupCache(Sequence input, std::uint64_t max_bytes, std::string error_prefix)
      : input_(std::move(input)),
        max_bytes_(max_bytes),
        error_prefix_(std::move(error_prefix)),
        elements_in_group_(group_size(input_)),
        group_count_(input_.size() / elements_in_group_ + 1) {
    // The pointers to the groups count as memory of the cache, so that a sequence of extremely many elements is
    // refused.
    if (__builtin_mul_overflow(group_count_, sizeof(std::shared_ptr<const Group>), &bytes_))
      bytes_ = std::numeric_limits<std::uint64_t>::max();
    check_cache_size(bytes_, max_bytes_);
  }

  Rows read(std::span<const Place> places) EXCLUDES(mutex_) {
    Rows rows;
    const auto group = [&](std::size_t i) { return places[i].number / elements_in_group_; };
    const auto follows = [&](std::size_t i) { return group(i) == group(i - 1); };
    for_each_run(places.size(), follows, [&](Range run) {
      append_elements(*get(group(run.begin)), places.subspan(run.begin, run.size()), run.begin, rows);
    });
    return rows;
  }

 private:
  // The rows of neighbouring elements. The rows of element i are those from begins[i] up to begins[i + 1].
  struct Group {
    Rows rows;
    std::vector<std::size_t> begins;
  };

  // Returns the group, after reading it if it is not stored. If two threads read it at the same time, the second result
  // is dropped.
  std::shared_ptr<const Group> get(std::uint64_t number) EXCLUDES(mutex_) {
    CHECK_LT(number, group_count_);
    {
      const MutexLock lock(mutex_);
      if (!groups_.empty() && groups_[number]) return groups_[number];
    }
    auto group = std::make_shared<const Group>(read_group(number));
    const MutexLock lock(mutex_);
    groups_.resize(group_count_);  // Not in the constructor, so that an unread sequence takes no memory.
    if (groups_[number]) return groups_[number];
    const std::uint64_t bytes = bytes_ + bytes_of(group->rows);
    check_cache_size(bytes, max_bytes_, error_prefix_);
    bytes_ = bytes;
    return groups_[number] = std::move(group);
  }

  // Returns how many elements a group has: about 256 KiB of rows, or one batch.
  static std::uint64_t group_size(const Sequence& input) {
    constexpr std::uint64_t group_bytes = std::uint64_t{256} << 10, elements_max = 256;
    if (input.batch() > 0) return 1;
    const std::uint64_t element_bytes = std::max<std::uint64_t>(input.element_bytes(), 1);
    return std::clamp<std::uint64_t>(group_bytes / element_bytes, 1, elements_max);
  }

  Group read_group(std::uint64_t number) const {
    const std::uint64_t begin = number * elements_in_group_;
    std::vector<Place> places;
    for (std::uint64_t i = begin; i < std::min(begin + elements_in_group_, input_.size()); ++i)
      places.push_back({0, i});
    Group group{with_own_memory(input_.read(places)), {}};
    if (input_.batch() > 0) {
      group.begins = {0, group.rows.count};
      return group;
    }
    group.begins.resize(places.size() + 1);
    for (const std::size_t index : indexes_of(group.rows)) group.begins[index + 1] = 1;
    std::partial_sum(group.begins.begin(), group.begins.end(), group.begins.begin());
    return group;
  }

  // Appends the elements at these places, which are all in `group`. `index` is the index of the first place among all
  // places of the call.
  void append_elements(const Group& group, std::span<const Place> places, std::size_t index, Rows& rows) const {
    const auto element = [&](std::size_t i) { return places[i].number % elements_in_group_; };
    const auto follows = [&](std::size_t i) {
      return element(i) == element(i - 1) + 1 && places[i].epoch == places[i - 1].epoch;
    };
    for_each_run(places.size(), follows, [&](Range run) {
      const std::uint64_t first = element(run.begin), last = element(run.end - 1);
      const Range group_rows{group.begins[first], group.begins[last + 1]};
      const std::size_t before = rows.places.size();
      if (group_rows.size() > 0) append(rows, group.rows, group_rows);
      // All groups are read for epoch 0. Sets the requested epoch, because later stages must make other random draws in
      // each epoch.
      for (Place& place : std::span(rows.places).subspan(before)) place.epoch = places[run.begin].epoch;
      for (const Lost& lost : group.rows.lost) {
        const bool is_whole_batch = input_.batch() > 0;
        if (is_whole_batch) rows.lost.push_back(lost);
        if (!is_whole_batch && lost.index >= first && lost.index <= last)
          rows.lost.push_back({index + run.begin + lost.index - first, lost.why});
      }
    });
  }

  const Sequence input_;
  const std::uint64_t max_bytes_;
  const std::string error_prefix_;
  const std::uint64_t elements_in_group_;
  const std::uint64_t group_count_;
  Mutex mutex_;
  std::vector<std::shared_ptr<const Group>> groups_ GUARDED_BY(mutex_);  // by number; empty until one is read
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;                           // of all groups
};

}  // namespace

Sequence stored(Rows rows) {
  const SequenceShape shape{.size = rows.count, .element_bytes = rows.count > 0 ? bytes_of(rows) / rows.count : 0};
  return {shape, [all = std::move(rows)](std::span<const Place> places) {
            Rows read;
            const auto follows = [&](std::size_t i) { return places[i].number == places[i - 1].number + 1; };
            for_each_run(places.size(), follows, [&](Range run) {
              const std::uint64_t first = places[run.begin].number;
              append(read, all, {first, first + run.size()});
            });
            read.places.assign(places.begin(), places.end());
            return read;
          }};
}

void check_cache_size(std::uint64_t bytes, std::uint64_t max_bytes, const std::string& error_prefix) {
  if (bytes <= max_bytes) return;
  throw Refused(error_prefix + "cache: takes more than the " + std::to_string(max_bytes) +
                " bytes it may have; give it more, or leave it out");
}

Sequence cached(Sequence input, std::uint64_t max_bytes, std::string error_prefix) {
  if (input.size() >= endless) throw Error("cache: has no end of its input to keep; cache first, then repeat");
  const SequenceShape shape = input.shape();
  return sequence_of(shape, std::make_shared<GroupCache>(std::move(input), max_bytes, std::move(error_prefix)));
}

}  // namespace carrack::data
