#include "tests/trainer/comm/simulation/process.h"

#include <utility>

#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {

Process::Process(World& world, Place place, std::uint32_t incarnation)
    : world_(world), found_(world.job_as_found()), place_(place), incarnation_(incarnation) {}

std::string Process::name() const {
  const char* role = place_.role == wire::PS ? "ps" : place_.role == wire::WORKER ? "worker" : "coordinator";
  return std::string(role) + "-" + std::to_string(place_.index) + "-" + std::to_string(incarnation_);
}

void Process::post(std::function<void()> event) {
  if (ended_) return;
  inbox_.push_back(std::move(event));
  work_off();
}

void Process::work_off() {
  if (std::exchange(working_, true)) return;
  while (!ended_ && !paused_ && !busy_ && !inbox_.empty()) {
    const auto event = std::move(inbox_.front());
    inbox_.pop_front();
    event();
  }
  working_ = false;
}

void Process::kill() {
  if (std::exchange(ended_, true)) return;
  inbox_.clear();
  world_.network().died(*this);
  world_.gone(*this);
}

void Process::wake() {
  paused_ = false;
  woke_at_ = world_.schedule().now();
  work_off();
}

void Process::exit(Exit how) {
  if (ended_) return;
  if (how == Exit::succeeded) world_.succeeded(*this);
  if (how == Exit::superseded) world_.superseded(*this);
  if (how == Exit::drained) world_.left(*this);
  if (how == Exit::user_error) world_.failed(*this);
  kill();
}

void Process::later(Time delay, std::function<void()> what) {
  world_.schedule().after(delay, [this, what = std::move(what)] { post(what); });
}

void Process::busy_for(Time time, std::function<void()> then) {
  busy_ = true;
  world_.schedule().after(time, [this, then = std::move(then)] {
    busy_ = false;
    if (ended_) return;
    inbox_.push_front(then);
    work_off();
  });
}

void Process::perform(Time time, std::function<void()> effect, std::function<void()> then) {
  point();
  world_.schedule().after(time, [this, effect = std::move(effect), then = std::move(then)] {
    const bool sent = world_.random().chance(500);
    if (ended_ && sent) effect();
    if (ended_) return;
    if (paused_ && !sent) {
      return post([effect, then] {
        effect();
        then();
      });
    }
    effect();
    post(then);
    point();
  });
}

void Process::point() {
  world_.point_passed(*this);
}

}  // namespace carrack::train::simulation
