#include "dataloader/pipeline/stages/profile.h"

#include <algorithm>
#include <utility>

#include "dataloader/machine/thread_time.h"

namespace carrack::data {

// Measures one call, from construction to end().
class Profile::Call {
 public:
  Call(Profile& profile, Stage& stage)
      : profile_(profile), stage_(stage), begin_ns_(profile.age_ns()), begin_(thread_time()) {}

  void end(std::uint64_t rows, std::uint64_t bytes) {
    const ThreadTime took = thread_time() - begin_;
    ++stage_.calls;
    stage_.rows += rows;
    stage_.bytes += bytes;
    stage_.busy_ns += took.busy_ns;
    stage_.waited_ns += took.waited_ns;
    if (profile_.max_spans_ > 0) profile_.keep({stage_.number, 0, begin_ns_, profile_.age_ns(), rows});
  }

 private:
  Profile& profile_;
  Stage& stage_;
  const std::uint64_t begin_ns_;
  const ThreadTime begin_;
};

namespace {

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
  return [this, &stage = add(name), function = std::move(function)](Rows& rows) {
    Call call(*this, stage);
    function(rows);
    call.end(rows.count, 0);
  };
}

Sequence Profile::timed(const std::string& name, Sequence sequence) {
  return {sequence.shape(), [this, &stage = add(name), sequence](std::span<const Place> places) {
            Call call(*this, stage);
            Rows rows = sequence.read(places);
            call.end(rows.count, places.size() * sequence.element_bytes());
            return rows;
          }};
}

OpenStream Profile::timed(const std::string& name, OpenStream open) {
  return [this, &stage = add(name, true), open = std::move(open)](std::uint64_t epoch) {
    return std::make_unique<TimedStream>(open(epoch), [this, &stage](Stream& stream) {
      Call call(*this, stage);
      std::optional<Rows> rows = stream.next();
      call.end(rows ? rows->count : 0, 0);
      return rows;
    });
  };
}

std::vector<StageTotals> Profile::totals() const {
  const MutexLock lock(mutex_);
  std::vector<StageTotals> totals;
  for (const Stage& stage : stages_)
    totals.push_back({stage.name, stage.calls, stage.rows, stage.bytes, stage.busy_ns, stage.waited_ns, stage.in_turn});
  return totals;
}

std::vector<Span> Profile::spans() const {
  const MutexLock lock(mutex_);
  return spans_;
}

std::uint64_t Profile::age_ns() const {
  return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - opened_).count());
}

Profile::Stage& Profile::add(const std::string& name, bool in_turn) {
  const MutexLock lock(mutex_);
  Stage& stage = stages_.emplace_back();
  stage.number = stages_.size() - 1;
  stage.name = name;
  stage.in_turn = in_turn;
  return stage;
}

void Profile::keep(Span span) {
  const MutexLock lock(mutex_);
  if (spans_.size() == max_spans_) return;
  const auto thread = std::ranges::find(threads_, std::this_thread::get_id());
  span.thread = static_cast<std::size_t>(thread - threads_.begin());
  if (thread == threads_.end()) threads_.push_back(std::this_thread::get_id());
  spans_.push_back(span);
}

}  // namespace carrack::data
