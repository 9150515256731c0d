#include "dataloader/pipeline/sequences/held_runs.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/pipeline/sequences/held_run.h"

namespace carrack::data {
namespace {

struct Run {
  enum class State : std::uint8_t { unread, reading, read, failed };
  State state = State::unread;
  std::exception_ptr error;
  HeldRun rows;
  std::multiset<std::uint64_t> wanted;  // the first place that each call in progress asks for
  std::uint64_t last_use = 0;
};

// Runs are numbered as they are taken in.
struct RunKey {
  std::uint64_t epoch = 0;
  std::uint64_t run = 0;
  auto operator<=>(const RunKey&) const = default;
};

// Which rows of a run a call asks for.
struct RunWish {
  RunKey key;
  std::vector<HeldRun::Wish> rows = {};
  std::uint64_t first_place = endless;
  std::shared_ptr<Run> run = {};
};

class HeldRuns final : public Sequence {
 public:
  HeldRuns(SequencePtr rows, const BlockOrder& order, Holding holding)
      : rows_(std::move(rows)),
        order_(order),
        holding_(std::move(holding)),
        window_(order.held() < order.size() / holding_.lanes ? order.held() * holding_.lanes : order.size()) {
    if (holding_.memory) holding_.memory->share();
  }

  std::uint64_t size() const override { return order_.size(); }
  std::uint64_t element_bytes() const override { return rows_->element_bytes(); }

  Rows read(std::span<const Place> places) const override {
    const Call call(*this, places);
    std::vector<HeldRun::Answer> answers(places.size());
    std::vector<bool> is_taken(call.wishes.size());
    for (const bool may_wait : {false, true})
      for (std::size_t i = 0; i < call.wishes.size(); ++i)
        is_taken[i] = is_taken[i] || take(call.wishes[i], may_wait, answers);
    Rows rows;
    for (std::size_t i = 0; i < answers.size(); ++i) append(rows, answers[i], i);
    return rows;
  }

 private:
  // While it is there, nothing goes that it asks for.
  struct Call {
    Call(const HeldRuns& in, std::span<const Place> places)
        : runs(in), asked(places.size()), wishes(in.wishes_for(places)) {
      runs.enter(*this);
    }
    ~Call() { runs.leave(*this); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const HeldRuns& runs;
    const std::size_t asked;
    std::vector<RunWish> wishes;
  };

  std::vector<RunWish> wishes_for(std::span<const Place> places) const {
    std::map<RunKey, RunWish> wishes;
    std::optional<BlockOrder::Epoch> epoch;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!epoch || epoch->epoch() != places[i].epoch) epoch.emplace(order_, places[i].epoch);
      const std::uint64_t taken = epoch->taken_at(places[i].number);
      const RunKey key{places[i].epoch, taken / order_.block()};
      RunWish& wish = wishes.try_emplace(key, RunWish{key}).first->second;
      wish.rows.push_back({taken % order_.block(), i});
      wish.first_place = std::min(wish.first_place, places[i].number);
    }
    std::vector<RunWish> all;
    for (auto& [key, wish] : wishes) all.push_back(std::move(wish));
    return all;
  }

  void enter(Call& call) const {
    const std::lock_guard lock(mutex_);
    rows_asked_ += call.asked;
    for (RunWish& wish : call.wishes) {
      const auto found = runs_.find(wish.key);
      wish.run = found != runs_.end() ? found->second : std::make_shared<Run>();
      wish.run->wanted.insert(wish.first_place);
      if (found == runs_.end()) runs_.emplace(wish.key, wish.run);
    }
  }

  void leave(Call& call) const {
    const std::lock_guard lock(mutex_);
    for (RunWish& wish : call.wishes) {
      wish.run->wanted.erase(wish.run->wanted.find(wish.first_place));
      wish.run->last_use = ++uses_;
      if (wish.run->wanted.empty() && wish.run->rows.size().rows == 0) forget(wish.key, wish.run);
    }
    make_room();
    rows_asked_ -= call.asked;
  }

  // What nobody asks for any more goes as soon as there is too much of it: rows that other processes give, or nobody,
  // after a leap to another place.
  void make_room() const {
    while (held_.rows > 2 * (window_ + rows_asked_) || held_.bytes > may_take()) {
      auto oldest = runs_.end();
      for (auto one = runs_.begin(); one != runs_.end(); ++one)
        if (one->second->wanted.empty() && (oldest == runs_.end() || one->second->last_use < oldest->second->last_use))
          oldest = one;
      if (oldest == runs_.end()) return;
      if (held_.bytes > may_take()) give_up(oldest->first);
      change(*oldest->second, [](HeldRun& rows) { rows = {}; });
      runs_.erase(oldest);
    }
  }

  void give_up(const RunKey& key) const {
    given_up_.erase(given_up_.begin(), given_up_.lower_bound({key.epoch > 0 ? key.epoch - 1 : 0, 0}));
    given_up_.insert(key);
  }

  // False where what is asked for does not fit, or most of what is read was read before and had to go.
  bool fits(const RunKey& key) const {
    const std::uint64_t rows = run_size(key);
    rows_read_ += rows;
    if (given_up_.erase(key) > 0) rows_read_again_ += rows;
    return held_.bytes <= may_take() && rows_read_again_ <= 2 * window_ + rows_read_ / 2;
  }
  Refused no_room() const {
    return Refused(holding_.place + "shuffle: the rows of its window do not fit into " + std::to_string(may_take()) +
                   " bytes, which it may take of this process's memory; ask for a smaller window or block, or give it "
                   "more memory");
  }
  std::uint64_t may_take() const { return holding_.memory ? holding_.memory->part() : ~std::uint64_t{0}; }

  // Reads the run unless another thread does; false where it does and this one may not wait.
  bool take(const RunWish& wish, bool may_wait, std::vector<HeldRun::Answer>& answers) const {
    Run& run = *wish.run;
    std::unique_lock lock(mutex_);
    while (true) {
      if (run.state == Run::State::unread) read_run(run, wish.key, lock);
      if (run.state == Run::State::reading && !may_wait) return false;
      settled_.wait(lock, [&] { return run.state != Run::State::reading; });
      if (run.state == Run::State::failed) {
        forget(wish.key, wish.run);
        std::rethrow_exception(run.error);
      }
      if (run.state == Run::State::unread) continue;
      bool has_all = false;
      change(run, [&](HeldRun& rows) {
        has_all = rows.give(wish.rows, answers);
        rows.let_go(has_all ? behind(run) : endless);
      });
      if (has_all) return true;
      run.state = Run::State::unread;  // It was read for those who were further on.
    }
  }

  void read_run(Run& run, const RunKey& key, std::unique_lock<std::mutex>& lock) const {
    run.state = Run::State::reading;
    const std::uint64_t first_place = behind(run);
    lock.unlock();
    HeldRun fresh;
    std::exception_ptr error;
    try {
      fresh = rows_of(key, first_place);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    change(run, [&](HeldRun& rows) { rows = std::move(fresh); });
    make_room();
    if (!error && !fits(key)) error = std::make_exception_ptr(no_room());
    if (error) change(run, [](HeldRun& rows) { rows = {}; });
    run.error = error;
    run.state = error ? Run::State::failed : Run::State::read;
    settled_.notify_all();
  }

  std::uint64_t run_size(const RunKey& key) const {
    return std::min(order_.block(), order_.size() - key.run * order_.block());
  }

  HeldRun rows_of(const RunKey& key, std::uint64_t first_place) const {
    BlockOrder::Epoch epoch(order_, key.epoch);
    const std::uint64_t begin = key.run * order_.block();
    std::vector<HeldRun::Coming> coming(run_size(key));
    for (std::uint32_t row = 0; row < coming.size(); ++row) coming[row] = {epoch.place_of(begin + row), row};
    std::ranges::sort(coming, {}, &HeldRun::Coming::place);
    std::vector<Place> places;
    for (const HeldRun::Coming& one : coming) places.push_back({key.epoch, epoch.number_of(begin + one.row)});
    return {rows_->read(places), coming, first_place};
  }

  // What comes a little before the first place that is asked for is held, too: a call that begins late may want it.
  std::uint64_t behind(const Run& run) const {
    const std::uint64_t first = *run.wanted.begin();
    return first - std::min(first, order_.held() / 2);
  }

  // All changes of what is held of a run are counted.
  template <typename Function>
  void change(Run& run, const Function& function) const {
    const HeldRun::Size before = run.rows.size();
    function(run.rows);
    held_.rows += run.rows.size().rows - before.rows;
    held_.bytes += run.rows.size().bytes - before.bytes;
  }
  void forget(const RunKey& key, const std::shared_ptr<Run>& run) const {
    const auto found = runs_.find(key);
    if (found != runs_.end() && found->second == run) runs_.erase(found);
  }

  const SequencePtr rows_;
  const BlockOrder order_;
  const Holding holding_;
  const std::uint64_t window_;  // rows that the order holds, in all lanes
  mutable std::mutex mutex_;    // Guards what is below, and all runs.
  mutable std::condition_variable settled_;
  mutable std::map<RunKey, std::shared_ptr<Run>> runs_;
  mutable HeldRun::Size held_;
  mutable std::uint64_t rows_asked_ = 0;  // by calls in progress
  mutable std::uint64_t uses_ = 0;
  mutable std::set<RunKey> given_up_;  // for want of memory, in this epoch and the one before
  mutable std::uint64_t rows_read_ = 0, rows_read_again_ = 0;
};

}  // namespace

SequencePtr in_blocks(SequencePtr rows, const BlockOrder& order, Holding holding) {
  return std::make_shared<HeldRuns>(std::move(rows), order, std::move(holding));
}

}  // namespace carrack::data
