#include "tests/trainer/comm/simulation/network.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "tests/trainer/comm/simulation/process.h"

namespace carrack::train::simulation {
namespace {

// Alive messages do not count: their number does not depend on how far a peer is behind.
bool counts(const wire::Message& message) {
  return !message.has_alive();
}

PeerId id_of(std::size_t stream, std::size_t side) {
  return 2 * (stream + 1) + side;
}

}  // namespace

PeerId Network::connect(Process& from, Process* to) {
  if (to != nullptr && are_cut(from, *to)) to = nullptr;
  const std::size_t stream = streams_.size();
  streams_.push_back({});
  streams_[stream].ends[0].process = &from;
  streams_[stream].ends[1].process = to;
  if (to == nullptr) {
    streams_[stream].ends[1].told = true;
    break_stream(stream);
  }
  return id_of(stream, 0);
}

Time Network::delay() {
  if (random_.chance(late_)) return random_.between(millisecond, second);
  return random_.between(100, 5 * millisecond);
}

// In the order of sending.
Time Network::arrival(End& from) {
  from.last_arrival = std::max(from.last_arrival + 1, schedule_.now() + delay());
  return from.last_arrival - schedule_.now();
}

Time Network::arrival_of_next_piece(End& from) {
  from.last_arrival += pieces_.chance(late_pieces_) ? pieces_.between(millisecond, second) : pieces_.between(1, 300);
  return from.last_arrival - schedule_.now();
}

void Network::send(PeerId end, const wire::Message& message, const Tail& tail) {
  Stream& stream = stream_of(end);
  End& from = stream.ends[side_of(end)];
  if (stream.broken || from.closing) return;
  if (counts(message)) most_under_way_ = std::max(most_under_way_, ++from.under_way);
  const std::span<const float> sent = tail.values();
  const auto values = std::make_shared<const Floats>(sent.begin(), sent.end());
  const auto shared = std::make_shared<const wire::Message>(message);
  std::size_t begin = 0;
  do {
    const std::size_t left = values->size() - begin;
    const std::size_t size = left == 0 || !has_pieces_ || pieces_.chance(300) ? left : pieces_.between(1, left);
    const auto bytes = std::as_bytes(std::span(*values).subspan(begin, size));
    FramePart part(shared, Piece(begin, values->size(), {bytes}, values));
    schedule_.after(begin == 0 ? arrival(from) : arrival_of_next_piece(from),
                    [this, end, part = std::move(part)] { deliver(end, part); });
    begin += size;
  } while (begin < values->size());
}

void Network::deliver(PeerId end, FramePart part) {
  if (stream_of(end).broken) return;
  Process& to = *stream_of(end).ends[1 - side_of(end)].process;
  to.post([this, end, &to, part = std::move(part)] {
    trace(end, part.message->ShortDebugString());
    if (part.piece.is_last() && counts(*part.message)) --stream_of(end).ends[side_of(end)].under_way;
    to.arrived(end ^ 1, part);
  });
}

void Network::close(PeerId end) {
  Stream& stream = stream_of(end);
  End& from = stream.ends[side_of(end)];
  if (stream.broken || from.closing) return;
  from.closing = true;
  schedule_.after(arrival(from), [this, end] { break_stream(end / 2 - 1); });
}

void Network::break_stream(std::size_t stream) {
  if (streams_[stream].broken) return;
  streams_[stream].broken = true;
  trace(id_of(stream, 0), "breaks");
  // A reset is noticed at once, a lost machine by a time-out.
  for (std::size_t side = 0; side < 2; ++side) {
    tell(id_of(stream, side), random_.chance(100) ? random_.between(1, 5) * second : delay());
  }
}

void Network::tell(PeerId end, Time after) {
  schedule_.after(after, [this, end] {
    End& here = stream_of(end).ends[side_of(end)];
    if (!std::exchange(here.told, true)) here.process->post([process = here.process, end] { process->closed(end); });
  });
}

void Network::trace(PeerId end, const std::string& what) {
  if (trace_ == nullptr) return;
  const Stream& stream = stream_of(end);
  const auto name = [](const Process* process) { return process == nullptr ? "nobody" : process->name(); };
  *trace_ << schedule_.now() / millisecond << " ms " << name(stream.ends[side_of(end)].process) << " > "
          << name(stream.ends[1 - side_of(end)].process) << ": " << what << "\n";
}

void Network::died(const Process& process) {
  for (Stream& stream : streams_) {
    for (End& end : stream.ends) end.told |= end.process == &process;
  }
  lose_streams_of(process);
}

void Network::lose_streams_of(const Process& process) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].ends[0].process == &process || streams_[i].ends[1].process == &process) break_stream(i);
  }
}

void Network::cut(const Process& one, const Process& other) {
  cuts_.emplace_back(&one, &other);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const auto* to = streams_[i].ends[1].process;
    if (to != nullptr && are_cut(*streams_[i].ends[0].process, *to)) break_stream(i);
  }
}

bool Network::are_cut(const Process& one, const Process& other) const {
  return std::ranges::any_of(cuts_, [&](const auto& cut) {
    return (cut.first == &one && cut.second == &other) || (cut.first == &other && cut.second == &one);
  });
}

void Network::heal(const Process& process) {
  std::erase_if(cuts_, [&](const auto& cut) { return cut.first == &process || cut.second == &process; });
}

bool Network::was_cut(const Process& process) const {
  return std::ranges::any_of(cuts_, [&](const auto& cut) { return cut.first == &process || cut.second == &process; });
}

void Network::lose_any_stream() {
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (!streams_[i].broken) whole.push_back(i);
  }
  if (!whole.empty()) break_stream(whole[random_.below(whole.size())]);
}

}  // namespace carrack::train::simulation
