// What an endpoint remembers about openings (protocol/opening.h). Both classes are thread-safe.
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

// The name of an opening: its proof, in hexadecimal digits. The first stream on a connection has it in its gRPC
// metadata, from which the accepting side learns which member the stream comes from (Admitted::take).
inline std::string name_of(const Proof& proof) {
  return data::hexadecimal(proof);
}

// The openings of accepted connections on which no stream has begun yet.
class Admitted {
 public:
  // The maximum number of openings. A connection may end before its stream begins, so add() forgets the oldest opening
  // if there are more.
  static constexpr std::size_t most = 4096;

  void add(const AcceptedOpening::Proven& proven) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (openings_.size() == most) openings_.pop_front();
    openings_.push_back({name_of(proven.proof), proven.peer});
  }

  // Returns the member that opened the connection, and forgets the opening. Returns nullopt if there is no such
  // opening, or if it was taken before.
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

// The newest process (MemberStart) of each member to which a connection was opened. Connections to an earlier process
// of that member are not accepted after that.
class NewestStarts {
 public:
  void add(const MemberStart& start) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    Fence& newest = newest_[start.member];
    newest = std::max(newest, start.fence);
  }

  // Returns `expected`, with a higher `least` if a newer process of the member is known.
  Expected least(Expected expected) const EXCLUDES(mutex_) {
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
