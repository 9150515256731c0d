#include "dataloader/pipeline/held_runs.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace carrack::data {
namespace {

// Of what was given of a run, no more than such a part is held still.
constexpr std::uint64_t pieces_of_run = 64;

// Rows of a run that come one after the other, in memory of their own, and those of them that are lost.
struct Piece {
  std::shared_ptr<const Rows> rows;  // none once all were given
  std::uint64_t last_place = 0;
  std::size_t left = 0;
};

// What there is of a run.
struct Contents {
  std::vector<std::uint32_t> comes;  // of each row, how many of the others come before it
  std::vector<bool> given;           // in the order in which they come
  std::size_t in_piece = 1;
  std::vector<Piece> pieces;
};

struct Run {
  enum class State : std::uint8_t { unread, reading, read, failed };
  State state = State::unread;
  std::exception_ptr error;
  Contents contents;
  std::multiset<std::uint64_t> wanted;  // the first place that each call in progress asks for
  std::uint64_t last_use = 0;
};

// Runs are numbered as they are taken in.
struct RunKey {
  std::uint64_t epoch = 0;
  std::uint64_t run = 0;
  auto operator<=>(const RunKey&) const = default;
};

// Which rows of a run are asked for, each with its number among all that are.
struct Wish {
  struct Row {
    std::uint64_t row;
    std::size_t asked;
  };
  RunKey key;
  std::vector<Row> rows = {};
  std::uint64_t first_place = endless;
  std::shared_ptr<Run> run = {};
};

struct Answer {
  std::shared_ptr<const Rows> piece;
  std::size_t number = 0;  // among its rows
};

void append(Rows& rows, const Answer& answer, std::size_t asked) {
  const std::vector<Lost>& lost = answer.piece->lost;
  const auto next = std::ranges::lower_bound(lost, answer.number, {}, &Lost::asked);
  const std::size_t row = answer.number - static_cast<std::size_t>(next - lost.begin());
  if (next != lost.end() && next->asked == answer.number)
    rows.lost.push_back({asked, next->why});
  else
    append(rows, *answer.piece, {row, row + 1});
}

struct Coming {
  std::uint64_t place = 0;
  std::uint32_t row = 0;  // of the run
};

// `rows` are all of a run's in the order in which they come. Those that come before `first_place` are not held.
Contents held(const Rows& rows, const std::vector<Coming>& coming, std::uint64_t first_place) {
  Contents run;
  run.comes.resize(coming.size());
  run.given.resize(coming.size());
  run.in_piece = std::max<std::size_t>(coming.size() / pieces_of_run, 1);
  for (std::size_t i = 0; i < coming.size(); ++i) run.comes[coming[i].row] = static_cast<std::uint32_t>(i);
  auto lost = rows.lost.begin();
  for (std::size_t begin = 0, row = 0; begin < coming.size(); begin += run.in_piece) {
    const std::size_t end = std::min(begin + run.in_piece, coming.size()), first = row;
    Rows piece;
    for (std::size_t i = begin; i < end; ++i) {
      if (lost != rows.lost.end() && lost->asked == i)
        piece.lost.push_back({i - begin, lost++->why});
      else
        ++row;
    }
    run.pieces.push_back({nullptr, coming[end - 1].place, end - begin});
    if (run.pieces.back().last_place < first_place) continue;
    append(piece, rows, {first, row});
    run.pieces.back().rows = std::make_shared<const Rows>(with_own_memory(std::move(piece)));
  }
  return run;
}

class HeldRuns final : public Sequence {
 public:
  HeldRuns(SequencePtr rows, const BlockOrder& order, std::uint64_t lanes)
      : rows_(std::move(rows)), order_(order), lanes_(lanes) {}

  std::uint64_t size() const override { return order_.size(); }
  std::uint64_t element_bytes() const override { return rows_->element_bytes(); }

  Rows read(std::span<const Place> places) const override {
    const Call call(*this, places);
    std::vector<Answer> answers(places.size());
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
      runs.begin(*this);
    }
    ~Call() { runs.end(*this); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const HeldRuns& runs;
    const std::size_t asked;
    std::vector<Wish> wishes;
  };

  std::vector<Wish> wishes_for(std::span<const Place> places) const {
    std::map<RunKey, Wish> wishes;
    std::optional<BlockOrder::Epoch> epoch;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!epoch || epoch->epoch() != places[i].epoch) epoch.emplace(order_, places[i].epoch);
      const std::uint64_t taken = epoch->taken_at(places[i].number);
      const RunKey key{places[i].epoch, taken / order_.block()};
      Wish& wish = wishes.try_emplace(key, Wish{key}).first->second;
      wish.rows.push_back({taken % order_.block(), i});
      wish.first_place = std::min(wish.first_place, places[i].number);
    }
    std::vector<Wish> all;
    for (auto& [key, wish] : wishes) all.push_back(std::move(wish));
    return all;
  }

  void begin(Call& call) const {
    const std::lock_guard lock(mutex_);
    rows_asked_ += call.asked;
    for (Wish& wish : call.wishes) {
      const auto found = runs_.find(wish.key);
      wish.run = found != runs_.end() ? found->second : std::make_shared<Run>();
      wish.run->wanted.insert(wish.first_place);
      if (found == runs_.end()) runs_.emplace(wish.key, wish.run);
    }
  }

  // What nobody asks for any more goes as soon as there is too much of it: rows that other processes give, or nobody,
  // after a leap to another place.
  void end(Call& call) const {
    const std::lock_guard lock(mutex_);
    const std::uint64_t most = 2 * (order_.held() * lanes_ + rows_asked_);
    rows_asked_ -= call.asked;
    for (Wish& wish : call.wishes) {
      wish.run->wanted.erase(wish.run->wanted.find(wish.first_place));
      wish.run->last_use = ++uses_;
      const auto has_rows = [](const Piece& piece) { return piece.rows != nullptr; };
      if (wish.run->wanted.empty() && std::ranges::none_of(wish.run->contents.pieces, has_rows))
        forget(wish.key, wish.run);
    }
    while (rows_held_ > most) {
      auto oldest = runs_.end();
      for (auto one = runs_.begin(); one != runs_.end(); ++one)
        if (one->second->wanted.empty() && (oldest == runs_.end() || one->second->last_use < oldest->second->last_use))
          oldest = one;
      if (oldest == runs_.end()) return;
      let_go(*oldest->second, endless);
      runs_.erase(oldest);
    }
  }

  // Reads the run unless another thread does; false where it does and this one may not wait.
  bool take(const Wish& wish, bool may_wait, std::vector<Answer>& answers) const {
    Run& run = *wish.run;
    std::unique_lock lock(mutex_);
    while (true) {
      if (run.state == Run::State::unread) read(run, wish.key, lock);
      if (run.state == Run::State::reading && !may_wait) return false;
      settled_.wait(lock, [&] { return run.state != Run::State::reading; });
      if (run.state == Run::State::failed) {
        forget(wish.key, wish.run);
        std::rethrow_exception(run.error);
      }
      if (run.state == Run::State::unread) continue;
      if (give(run, wish, answers)) return true;
      let_go(run, endless);  // It was read for those who were further on.
      run.state = Run::State::unread;
    }
  }

  void read(Run& run, const RunKey& key, std::unique_lock<std::mutex>& lock) const {
    run.state = Run::State::reading;
    const std::uint64_t first_place = behind(run);
    lock.unlock();
    Contents contents;
    std::exception_ptr error;
    try {
      contents = contents_of(key, first_place);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    run.contents = std::move(contents);
    run.error = error;
    run.state = error ? Run::State::failed : Run::State::read;
    for (const Piece& piece : run.contents.pieces) rows_held_ += piece.rows ? piece.rows->count : 0;
    settled_.notify_all();
  }

  Contents contents_of(const RunKey& key, std::uint64_t first_place) const {
    BlockOrder::Epoch epoch(order_, key.epoch);
    const std::uint64_t begin = key.run * order_.block();
    std::vector<Coming> coming(std::min(order_.block(), order_.size() - begin));
    for (std::uint32_t row = 0; row < coming.size(); ++row) coming[row] = {epoch.place_of(begin + row), row};
    std::ranges::sort(coming, {}, &Coming::place);
    std::vector<Place> places;
    for (const Coming& one : coming) places.push_back({key.epoch, epoch.number_of(begin + one.row)});
    return held(rows_->read(places), coming, first_place);
  }

  // What comes a little before the first place that is asked for is held, too: a call that begins late may want it.
  std::uint64_t behind(const Run& run) const {
    const std::uint64_t first = *run.wanted.begin();
    return first - std::min(first, order_.held() / 2);
  }

  // False where not all are there.
  bool give(Run& run, const Wish& wish, std::vector<Answer>& answers) const {
    Contents& contents = run.contents;
    const auto piece_of = [&](std::uint32_t number) -> Piece& { return contents.pieces[number / contents.in_piece]; };
    for (const auto& [row, asked] : wish.rows)
      if (!piece_of(contents.comes[row]).rows) return false;
    for (const auto& [row, asked] : wish.rows) {
      const std::uint32_t number = contents.comes[row];
      answers[asked] = {piece_of(number).rows, number % contents.in_piece};
      if (!contents.given[number]) --piece_of(number).left;
      contents.given[number] = true;
    }
    for (Piece& piece : contents.pieces)
      if (piece.left == 0) let_go(piece);
    let_go(run, behind(run));
    return true;
  }

  void let_go(Piece& piece) const {
    if (piece.rows) rows_held_ -= piece.rows->count;
    piece.rows.reset();
  }
  // What comes before a place.
  void let_go(Run& run, std::uint64_t place) const {
    for (Piece& piece : run.contents.pieces) {
      if (piece.last_place >= place) return;
      let_go(piece);
    }
  }
  void forget(const RunKey& key, const std::shared_ptr<Run>& run) const {
    const auto found = runs_.find(key);
    if (found != runs_.end() && found->second == run) runs_.erase(found);
  }

  const SequencePtr rows_;
  const BlockOrder order_;
  const std::uint64_t lanes_;
  mutable std::mutex mutex_;  // Guards what is below, and all runs.
  mutable std::condition_variable settled_;
  mutable std::map<RunKey, std::shared_ptr<Run>> runs_;
  mutable std::uint64_t rows_held_ = 0;
  mutable std::uint64_t rows_asked_ = 0;  // by calls in progress
  mutable std::uint64_t uses_ = 0;
};

}  // namespace

SequencePtr in_blocks(SequencePtr rows, const BlockOrder& order, std::uint64_t lanes) {
  return std::make_shared<HeldRuns>(std::move(rows), order, lanes);
}

}  // namespace carrack::data
