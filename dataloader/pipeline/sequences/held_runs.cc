#include "dataloader/pipeline/sequences/held_runs.h"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/error.h"
#include "dataloader/mutex.h"
#include "dataloader/pipeline/sequences/held_run.h"

namespace carrack::data {
namespace {

// A run: neighbouring rows of the input that are read together. HeldRuns::mutex_ guards it.
struct Run {
  enum class State : std::uint8_t { unread, reading, read, failed };
  State state = State::unread;
  std::exception_ptr error;  // set if it failed
  HeldRun rows;
  // Has one number for each call in progress that requests rows of this run: the first place that the call requests.
  std::multiset<std::uint64_t> first_places;
  // The value of the counter HeldRuns::uses_ when the last call that requested this run ended. The smallest value
  // belongs to the least recently used run.
  std::uint64_t last_use = 0;
};

// Names a run. `run` is the position of the run in the order in which the runs of the epoch are read.
struct RunKey {
  std::uint64_t epoch = 0;
  std::uint64_t run = 0;
  auto operator<=>(const RunKey&) const = default;
};

// The rows of one run that a call requests.
struct RunRequest {
  RunKey key;
  std::vector<HeldRun::RowRequest> rows = {};
  std::uint64_t first_place = endless;
  std::shared_ptr<Run> run = {};
};

// Reads the runs of a block shuffle, and has their rows in memory until they were returned. All threads share it.
class HeldRuns {
 public:
  HeldRuns(Sequence rows, const BlockOrder& order, BlockShuffleOptions options)
      : rows_(std::move(rows)),
        order_(order),
        options_(std::move(options)),
        window_rows_(order.window_elements() < order.size() / options_.lanes ? whole_runs(order) * options_.lanes
                                                                             : order.size()) {
    if (options_.memory) options_.memory->add_user();
  }

  Rows read(std::span<const Place> places) EXCLUDES(mutex_) {
    const Call call(*this, places);
    std::vector<HeldRun::RowLocation> locations(places.size());
    std::vector<bool> is_taken(call.requests.size());
    // The first round skips runs that another thread is reading, and the second round waits for them. So threads that
    // request the same runs read different runs at the same time.
    for (const bool may_wait : {false, true})
      for (std::size_t i = 0; i < call.requests.size(); ++i)
        is_taken[i] = is_taken[i] || take(call.requests[i], may_wait, locations);
    Rows rows;
    for (std::size_t i = 0; i < locations.size(); ++i) append(rows, locations[i], i);
    return rows;
  }

 private:
  // A call of read() that is in progress. While this object exists, drop_unused_runs() does not drop the runs that the
  // call requests.
  struct Call {
    Call(HeldRuns& held_runs, std::span<const Place> places)
        : runs(held_runs), rows(places.size()), requests(held_runs.requests_for(places)) {
      runs.begin(*this);
    }
    // A call that reads a run ahead. It requests no row. Its first place is 0, which makes first_place_to_hold() return
    // 0, so all rows of the run remain in memory.
    Call(HeldRuns& held_runs, const RunKey& ahead)
        : runs(held_runs), rows(0), requests{{.key = ahead, .first_place = 0}} {
      runs.begin(*this);
    }
    ~Call() { runs.end(*this); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    HeldRuns& runs;
    const std::size_t rows;
    std::vector<RunRequest> requests;
  };

  // Groups the requested places by run.
  std::vector<RunRequest> requests_for(std::span<const Place> places) const {
    std::map<RunKey, RunRequest> by_run;
    std::optional<BlockOrder::Epoch> epoch;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!epoch || epoch->epoch() != places[i].epoch) epoch.emplace(order_, places[i].epoch);
      const std::uint64_t read_index = epoch->read_index_at(places[i].number);
      const RunKey key{places[i].epoch, read_index / order_.block()};
      RunRequest& request = by_run.try_emplace(key, RunRequest{key}).first->second;
      request.rows.push_back({read_index % order_.block(), i});
      request.first_place = std::min(request.first_place, places[i].number);
    }
    std::vector<RunRequest> requests;
    for (auto& [key, request] : by_run) requests.push_back(std::move(request));
    return requests;
  }

  // Registers a call with the runs that it requests, so that they are not dropped before it ends.
  void begin(Call& call) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    rows_requested_ += call.rows;
    for (RunRequest& request : call.requests) {
      const auto [found, is_new] = runs_.try_emplace(request.key);
      if (is_new) found->second = std::make_shared<Run>();
      request.run = found->second;
      request.run->first_places.insert(request.first_place);
    }
  }

  // Removes a call from its runs. Then drops runs if too much is in memory.
  void end(Call& call) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (RunRequest& request : call.requests) {
      Run& run = *request.run;
      const auto own = run.first_places.find(request.first_place);
      CHECK(own != run.first_places.end());
      run.first_places.erase(own);
      run.last_use = ++uses_;
      if (run.first_places.empty() && run.rows.size().rows == 0) forget(request.key, request.run);
    }
    drop_unused_runs();
    CHECK_GE(rows_requested_, call.rows);
    rows_requested_ -= call.rows;
  }

  // While too many rows or bytes are in memory, drops runs that no call requests, the least recently used run first.
  // Such a run still has rows if other processes return them, or if the reader has jumped to another place.
  void drop_unused_runs() REQUIRES(mutex_) {
    while (held_.rows > held_rows_max() || held_.bytes > bytes_max()) {
      auto oldest = runs_.end();
      for (auto one = runs_.begin(); one != runs_.end(); ++one) {
        if (!one->second->first_places.empty()) continue;
        if (oldest == runs_.end() || one->second->last_use < oldest->second->last_use) oldest = one;
      }
      if (oldest == runs_.end()) return;
      CHECK(oldest->second->state != Run::State::reading);  // A call that reads a run also requests it.
      if (held_.bytes > bytes_max()) note_dropped(oldest->first);
      change(*oldest->second, [](HeldRun& rows) { rows = {}; });
      runs_.erase(oldest);
    }
  }

  // Remembers that a run was dropped for lack of memory, so that count_read() notices if it is read again. Forgets the
  // runs of epochs before the previous one.
  void note_dropped(const RunKey& key) REQUIRES(mutex_) {
    dropped_.erase(dropped_.begin(), dropped_.lower_bound({key.epoch > 0 ? key.epoch - 1 : 0, 0}));
    dropped_.insert(key);
  }

  // Counts a run that was read. Returns false if the shuffle needs more memory than it may use: if its rows take too
  // much memory, or if too many rows had to be read again because their runs were dropped for lack of memory.
  bool count_read(const RunKey& key) REQUIRES(mutex_) {
    const std::uint64_t rows = run_rows(key);
    rows_read_ += rows;
    if (dropped_.erase(key) > 0) rows_read_again_ += rows;
    return held_.bytes <= bytes_max() && rows_read_again_ <= 2 * window_rows_ + rows_read_ / 2;
  }
  Refused no_room() const {
    return Refused(options_.error_prefix + "shuffle: the rows of its window do not fit into " +
                   std::to_string(bytes_max()) +
                   " bytes, which it may take of this process's memory; ask for a smaller window or block, or give it "
                   "more memory");
  }
  std::uint64_t held_rows_max() const REQUIRES(mutex_) { return 2 * (window_rows_ + rows_requested_); }
  std::uint64_t bytes_max() const { return options_.memory ? options_.memory->bytes_per_user() : ~std::uint64_t{0}; }

  // Sets the locations of the requested rows of a run, and returns true. Reads the run first unless a thread has read
  // it. If another thread is reading it: without `may_wait` returns false; with `may_wait` waits, and reads the next
  // runs ahead meanwhile. If reading the run failed on any thread, throws that exception.
  bool take(const RunRequest& request, bool may_wait, std::vector<HeldRun::RowLocation>& locations) EXCLUDES(mutex_) {
    Run& run = *request.run;
    MutexLock lock(mutex_);
    while (true) {
      if (run.state == Run::State::unread) {
        run.state = Run::State::reading;
        ++runs_reading_;
        const std::uint64_t first_place = first_place_to_hold(run);
        lock.unlock();
        ReadRun result = read_run(request.key, first_place);
        lock.lock();
        settle(run, request.key, std::move(result));
      }
      if (run.state == Run::State::reading && !may_wait) return false;
      while (run.state == Run::State::reading) {
        const std::optional<RunKey> ahead = run_to_read_ahead(request.key);
        if (!ahead) {
          settled_.wait(lock);
          continue;
        }
        lock.unlock();
        read_ahead(*ahead);
        lock.lock();
      }
      if (run.state == Run::State::failed) {
        forget(request.key, request.run);  // so that a later call reads the run again
        std::rethrow_exception(run.error);
      }
      if (run.state == Run::State::unread) continue;
      const std::uint64_t first_place = first_place_to_hold(run);
      bool has_all = false;
      change(run, [&](HeldRun& rows) {
        // If all rows are there, drops only rows before first_place, which no call needs any more. Otherwise drops all
        // rows, because the run is read again below.
        has_all = rows.locate(request.rows, locations);
        rows.drop_before(has_all ? first_place : endless);
      });
      if (has_all) return true;
      run.state = Run::State::unread;  // The run was read for later places and lacks earlier rows: reads it again.
    }
  }

  // Returns one of the next few runs after `after` that no thread has read or is reading. Returns nullopt if there is
  // none, or if there is no room for its rows. The limit for the room is the one without any call in progress:
  // otherwise the run would be dropped when these calls end, and read again. With several lanes returns nullopt,
  // because their calls already request enough different runs, and the next run may belong to another lane.
  std::optional<RunKey> run_to_read_ahead(const RunKey& after) const REQUIRES(mutex_) {
    constexpr std::uint64_t runs_ahead_max = 8;
    const std::uint64_t rows = held_.rows + (runs_reading_ + 1) * order_.block();
    if (options_.lanes > 1 || rows > 2 * window_rows_) return {};
    if (options_.memory) {
      if (held_.rows == 0) return {};  // It is not known yet how much memory a row takes.
      const double row_bytes = static_cast<double>(held_.bytes) / static_cast<double>(held_.rows);
      if (row_bytes * static_cast<double>(rows) > static_cast<double>(bytes_max()) / 2) return {};
    }
    const std::uint64_t runs = (order_.size() + order_.block() - 1) / order_.block();
    for (std::uint64_t run = after.run + 1; run < std::min(after.run + 1 + runs_ahead_max, runs); ++run)
      if (!runs_.contains({after.epoch, run})) return RunKey{after.epoch, run};
    return {};
  }

  // Ignores errors: a call that requests rows of the run reads it again and gets the error.
  void read_ahead(const RunKey& key) EXCLUDES(mutex_) {
    try {
      const Call call(*this, key);
      std::vector<HeldRun::RowLocation> none;
      take(call.requests.front(), false, none);
    } catch (...) {
    }
  }

  // The number of rows in a window, rounded up to whole runs.
  static std::uint64_t whole_runs(const BlockOrder& order) {
    return (order.window_elements() + order.block() - 1) / order.block() * order.block();
  }

  struct ReadRun {
    HeldRun rows;
    std::exception_ptr error;
  };

  // Reads a run. Returns an exception instead of throwing it, because each thread that waits for the run must get it:
  // take() throws it there.
  ReadRun read_run(const RunKey& key, std::uint64_t first_place) const {
    try {
      return {read_rows(key, first_place), nullptr};
    } catch (...) {
      return {{}, std::current_exception()};
    }
  }

  // Stores the rows of a run, or the error of reading it, and wakes the threads that wait for the run.
  void settle(Run& run, const RunKey& key, ReadRun result) REQUIRES(mutex_) {
    CHECK(run.state == Run::State::reading);
    --runs_reading_;
    change(run, [&](HeldRun& rows) { rows = std::move(result.rows); });
    drop_unused_runs();
    if (!result.error && !count_read(key)) result.error = std::make_exception_ptr(no_room());
    if (result.error) change(run, [](HeldRun& rows) { rows = {}; });
    run.error = result.error;
    run.state = result.error ? Run::State::failed : Run::State::read;
    settled_.notify_all();
  }

  std::uint64_t run_rows(const RunKey& key) const {
    return std::min(order_.block(), order_.size() - key.run * order_.block());
  }

  // Reads the rows of a run in the order of their places, the order in which HeldRun stores them.
  HeldRun read_rows(const RunKey& key, std::uint64_t first_place) const {
    BlockOrder::Epoch epoch(order_, key.epoch);
    const std::uint64_t begin = key.run * order_.block();
    std::vector<HeldRun::RowSlot> slots(run_rows(key));
    for (std::uint32_t row = 0; row < slots.size(); ++row) slots[row] = {epoch.place_of(begin + row), row};
    std::ranges::sort(slots, {}, &HeldRun::RowSlot::place);
    std::vector<Place> places;
    for (const HeldRun::RowSlot& slot : slots) places.push_back({key.epoch, epoch.input_number_of(begin + slot.row)});
    return {rows_.read(places), slots, first_place};
  }

  // Returns the first place whose row must be in memory. It is half a window before the first place that a call in
  // progress requests, because a slower thread may soon request earlier places.
  std::uint64_t first_place_to_hold(const Run& run) const REQUIRES(mutex_) {
    CHECK(!run.first_places.empty());
    const std::uint64_t first = *run.first_places.begin();
    return first - std::min(first, order_.window_elements() / 2);
  }

  // Calls the function, which may load or free rows of the run, and updates held_.
  template <typename Function>
  void change(Run& run, const Function& function) REQUIRES(mutex_) {
    const HeldRun::Size before = run.rows.size();
    CHECK_GE(held_.rows, before.rows);
    CHECK_GE(held_.bytes, before.bytes);
    function(run.rows);
    held_.rows += run.rows.size().rows - before.rows;
    held_.bytes += run.rows.size().bytes - before.bytes;
  }
  // Removes this run, unless another run has replaced it under the same key.
  void forget(const RunKey& key, const std::shared_ptr<Run>& run) REQUIRES(mutex_) {
    const auto found = runs_.find(key);
    if (found != runs_.end() && found->second == run) runs_.erase(found);
  }

  const Sequence rows_;
  const BlockOrder order_;
  const BlockShuffleOptions options_;
  const std::uint64_t window_rows_;  // number of rows in the windows of all lanes, in whole runs
  Mutex mutex_;
  ConditionVariable settled_;  // A run was read, or reading it has failed.
  std::map<RunKey, std::shared_ptr<Run>> runs_ GUARDED_BY(mutex_);
  HeldRun::Size held_ GUARDED_BY(mutex_);                // rows and bytes in memory, of all runs
  std::uint64_t rows_requested_ GUARDED_BY(mutex_) = 0;  // by calls in progress
  std::uint64_t runs_reading_ GUARDED_BY(mutex_) = 0;    // runs that are being read
  std::uint64_t uses_ GUARDED_BY(mutex_) = 0;
  std::set<RunKey> dropped_ GUARDED_BY(mutex_);  // runs dropped for lack of memory
  std::uint64_t rows_read_ GUARDED_BY(mutex_) = 0, rows_read_again_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

Sequence block_shuffled_sequence(Sequence rows, const BlockOrder& order, BlockShuffleOptions options) {
  const SequenceShape shape{.size = order.size(), .element_bytes = rows.element_bytes()};
  return sequence_of(shape, std::make_shared<HeldRuns>(std::move(rows), order, std::move(options)));
}

}  // namespace carrack::data
