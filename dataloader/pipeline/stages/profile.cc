#include "dataloader/pipeline/stages/profile.h"

#include <algorithm>
#include <utility>

#include "dataloader/machine/thread_time.h"

namespace carrack::data {

template <typename Call>
void Profile::measure(std::size_t stage, const Call& call) {
  const std::uint64_t begin_ns = age_ns();
  const ThreadTime begin = thread_time();
  const Output output = call();
  const ThreadTime took = thread_time() - begin;
  const std::uint64_t end_ns = age_ns();
  const MutexLock lock(mutex_);
  StageTotals& totals = stages_[stage];
  ++totals.calls;
  totals.rows += output.rows;
  totals.bytes += output.bytes;
  totals.busy_ns += took.busy_ns;
  totals.waited_ns += took.waited_ns;
  if (spans_.size() == max_spans_) return;
  const auto thread = std::ranges::find(threads_, std::this_thread::get_id());
  spans_.push_back({stage, static_cast<std::size_t>(thread - threads_.begin()), begin_ns, end_ns, output.rows});
  if (thread == threads_.end()) threads_.push_back(std::this_thread::get_id());
}

namespace {

// Passes on the chunks of another stream. The function `next` calls next() of that stream and measures the call.
class TimedStream final : public Stream {
 public:
  using Timed = std::function<std::optional<Rows>(Stream&)>;

  TimedStream(StreamPtr input, Timed next) : input_(std::move(input)), next_(std::move(next)) {}

  std::optional<Rows> next() override { return next_(*input_); }
  std::uint64_t batch() const override { return input_->batch(); }
  void save(StateWriter& state) const override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  StreamPtr input_;
  Timed next_;
};

}  // namespace

RowsFunction Profile::timed(const std::string& name, RowsFunction function) {
  return [this, stage = add(name), function = std::move(function)](Rows& rows) {
    measure(stage, [&] {
      function(rows);
      return Output{rows.count};
    });
  };
}

Sequence Profile::timed(const std::string& name, Sequence sequence) {
  return {sequence.shape(), [this, stage = add(name), sequence](std::span<const Place> places) {
            Rows rows;
            measure(stage, [&] {
              rows = sequence.read(places);
              return Output{rows.count, places.size() * sequence.element_bytes()};
            });
            return rows;
          }};
}

OpenStream Profile::timed(const std::string& name, OpenStream open) {
  return [this, stage = add(name, true), open = std::move(open)](std::uint64_t epoch) {
    return std::make_unique<TimedStream>(open(epoch), [this, stage](Stream& stream) {
      std::optional<Rows> rows;
      measure(stage, [&] {
        const std::uint64_t before = stream.passed_bytes();
        rows = stream.next();
        return Output{rows ? rows->count : 0, stream.passed_bytes() - before};
      });
      return rows;
    });
  };
}

std::vector<StageTotals> Profile::totals() const {
  const MutexLock lock(mutex_);
  return stages_;
}

std::vector<Span> Profile::spans() const {
  const MutexLock lock(mutex_);
  return spans_;
}

std::uint64_t Profile::age_ns() const {
  return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - opened_).count());
}

std::size_t Profile::add(const std::string& name, bool is_stream) {
  const MutexLock lock(mutex_);
  stages_.push_back({.name = name, .is_stream = is_stream});
  return stages_.size() - 1;
}

}  // namespace carrack::data
