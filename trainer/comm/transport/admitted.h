// What an endpoint (endpoint.h) remembers about openings, the handshakes of its connections (protocol/opening.h). Both
// classes are thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dataloader/mutex.h"
#include "dataloader/text.h"
#include "trainer/comm/protocol/opening.h"

namespace carrack::train {

// Returns the name of an opening: its proof, in hexadecimal digits. The connecting side sends it as gRPC metadata of
// its stream, because gRPC does not report on which connection a stream arrives. By this name the accepting side finds
// out which member has opened the stream (AdmittedConnections::take).
inline std::string name_of(const Proof& proof) {
  return data::hexadecimal(proof);
}

// For the side of GrpcEndpoint that accepts connections: those whose other side has proven which member it is, but on
// which no gRPC stream has begun yet.
class AdmittedConnections {
 public:
  // The maximum number of connections. One may end before its stream begins, so add() forgets the oldest if there are
  // more.
  static constexpr std::size_t most = 4096;

  // Remembers which member has opened the connection.
  void add(const AcceptedOpening::Proven& proven) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (openings_.size() == most) openings_.pop_front();
    openings_.push_back({name_of(proven.proof), proven.peer});
  }

  // Returns the process that opened the connection with this opening, and forgets it, so a second call with the same
  // name returns nullopt. Returns nullopt for an unknown name.
  std::optional<MemberStart> take(std::string_view name) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = std::ranges::find(openings_, name, &Opening::name);
    if (found == openings_.end()) return std::nullopt;
    const MemberStart peer = found->peer;
    openings_.erase(found);
    return peer;
  }

 private:
  struct Opening {
    std::string name;
    MemberStart peer;
  };

  Mutex mutex_;
  std::deque<Opening> openings_ GUARDED_BY(mutex_);
};

// For Dialer (dialer.h), which opens connections: the newest process of each member to which it has connected. After
// that, least() excludes earlier processes of that member, which were replaced.
class NewestStarts {
 public:
  // Remembers that a connection to this process was opened.
  void add(const MemberStart& start) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    Fence& newest = newest_[start.member];
    newest = std::max(newest, start.fence);
  }

  // Returns `expected`. If a process with a higher fence than `expected.least` is known, raises `least` to that.
  ExpectedMember least(ExpectedMember expected) const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto known = newest_.find(expected.member);
    if (known != newest_.end()) expected.least = std::max(expected.least, known->second);
    return expected;
  }

 private:
  mutable Mutex mutex_;
  std::map<Member, Fence> newest_ GUARDED_BY(mutex_);
};

}  // namespace carrack::train
