// What an endpoint remembers about openings. Both classes are thread-safe.
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

// The name of an opening: its proof, in hexadecimal digits. The first stream on a connection carries it.
inline std::string name_of(const Proof& proof) {
  return data::hexadecimal(proof);
}

// The openings of accepted connections on which no stream has begun yet.
class Admitted {
 public:
  // A connection may end before its stream begins, so beyond this number the oldest opening is forgotten.
  static constexpr std::size_t most = 4096;

  void add(const AcceptedOpening::Proven& proven) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (openings_.size() == most) openings_.pop_front();
    openings_.push_back({name_of(proven.proof), proven.peer});
  }

  // Returns who opened the connection, and forgets the opening. nullopt if there is no such opening, or it was taken
  // already.
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

// The newest start of each member to which a connection was opened. Earlier starts are not accepted after that.
class NewestStarts {
 public:
  void add(const MemberStart& start) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    Fence& newest = newest_[start.member];
    newest = std::max(newest, start.fence);
  }

  // Returns `expected`, with a higher `least` if a newer start of the member is known.
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
