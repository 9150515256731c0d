#include "trainer/library/exchange.h"

#include <string>
#include <utility>

#include "trainer/error.h"

namespace carrack::train {

RowGradients::Sum Exchange::sum_over(const StepRows& of, const SharedFloats& parameters) {
  auto gradient = std::make_shared<Floats>(parameters->size(), 0.0f);
  const Clock::time_point deadline = Clock::now() + compute_within_;
  MutexLock lock(mutex_);
  // StepRows::lane_ends are left out: only `deterministic` jobs have them, and programs cannot be used in those.
  work_ = Work{{of.step, of.batch, of.rows}, parameters, gradient};
  state_ = State::offered;
  changed_.notify_all();
  while (state_ != State::pushed && !stopped_ && !left_ && Clock::now() < deadline) changed_.wait_until(lock, deadline);
  const bool is_pushed = state_ == State::pushed;
  state_ = State::idle;
  work_.reset();
  if (is_pushed) return {std::move(gradient), loss_};
  if (left_) throw ProgramLeft();
  if (stopped_) throw Error(Blame::platform, "the worker has ended while it waited for gradients");
  hung_ = true;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(compute_within_).count();
  throw Error(Blame::platform, "the program has not pushed the gradients of a batch within " + std::to_string(seconds) +
                                   " s, so it is taken to hang; if a batch takes longer, raise step_seconds");
}

void Exchange::stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool Exchange::end(Ended ended) {
  const MutexLock lock(mutex_);
  if (ended_) return hung_;
  ended_ = std::move(ended);
  noticed_ = false;
  changed_.notify_all();
  return hung_;
}

bool Exchange::wait_until_noticed(Clock::duration time) {
  const Clock::time_point deadline = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!noticed_ && !left_ && Clock::now() < deadline) changed_.wait_until(lock, deadline);
  return noticed_ || left_;
}

std::optional<Exchange::Ended> Exchange::ended() {
  const MutexLock lock(mutex_);
  return ended_;
}

std::variant<Exchange::Work, Exchange::Ended, Exchange::Nothing> Exchange::next(Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (!ended_ && !left_ && state_ != State::offered && Clock::now() < deadline) changed_.wait_until(lock, deadline);
  if (ended_) {
    noticed_ = true;
    changed_.notify_all();
  }
  if (!end_of_next_ && ended_) end_of_next_ = ended_;
  if (!end_of_next_ && left_) end_of_next_ = Ended{Exit::drained, ""};
  if (end_of_next_) return *end_of_next_;
  if (state_ != State::offered) return Nothing{};
  state_ = State::taken;
  return *work_;
}

void Exchange::leave() {
  const MutexLock lock(mutex_);
  left_ = true;
  changed_.notify_all();
}

void Exchange::push(double loss) {
  const MutexLock lock(mutex_);
  noticed_ = true;
  changed_.notify_all();
  if (state_ != State::taken) return;  // sum_over() has stopped waiting for this gradient
  loss_ = loss;
  state_ = State::pushed;
}

}  // namespace carrack::train
