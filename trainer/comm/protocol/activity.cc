#include "trainer/comm/protocol/activity.h"

#include <algorithm>

namespace carrack::train {
namespace {

using Kind = Worker::Doing::Kind;

std::chrono::milliseconds between(Instant from, Instant to) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::max(to - from, Instant::duration::zero()));
}

wire::Work::Kind wire_from(Kind kind, wire::Work::Kind computes) {
  switch (kind) {
    case Kind::nothing:
      break;
    case Kind::awaits_parameters:
      return wire::Work::PARAMETERS;
    case Kind::computes:
      return computes;
  }
  return wire::Work::NOTHING;
}

}  // namespace

void Activity::does(const Worker::Doing& doing, Instant now) {
  if (doing == doing_) return;
  if (doing_.kind == Kind::computes) {
    ++batches_;
    last_took_ = between(since_, now);
  }
  doing_ = doing;
  since_ = now;
}

void Activity::link(std::uint32_t server, std::uint32_t incarnation, bool is_open, Instant now) {
  Link& link = links_[server];
  if (link.incarnation != incarnation) link = {.incarnation = incarnation};
  link.seen = now;
  if (is_open) link.closed_since.reset();
  if (!is_open && !link.closed_since) link.closed_since = now;
}

void Activity::add_to(wire::Alive& alive, wire::Work::Kind computes, Instant now) const {
  wire::Work& work = *alive.mutable_work();
  work.set_kind(wire_from(doing_.kind, computes));
  work.set_timeline(doing_.timeline);
  work.set_batch(doing_.batch);
  work.set_server(doing_.server);
  work.set_for_ms(static_cast<std::uint64_t>(between(since_, now).count()));
  work.set_batches(batches_);
  work.set_last_took_ms(static_cast<std::uint64_t>(last_took_.count()));
  for (const auto& [server, link] : links_) {
    wire::Link& said = *alive.add_links();
    said.set_server(server);
    said.set_incarnation(link.incarnation);
    said.set_age_ms(static_cast<std::uint64_t>(between(link.seen, now).count()));
    if (link.closed_since) {
      said.set_unreached_ms(static_cast<std::uint64_t>(between(*link.closed_since, link.seen).count()));
    }
  }
}

}  // namespace carrack::train
