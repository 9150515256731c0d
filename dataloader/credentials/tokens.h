// Tokens: one token for all threads of a process. It is cached, renewed before it expires, and requested by one thread
// at a time.
//
// At a random moment four to five minutes before the token expires, the next thread that needs one requests another,
// while all other threads use the old one. If the request fails, they use the old one until it expires. Only when there
// is no usable token do threads wait, all for the same request, and all get its error. The machine's clock may jump: a
// token whose lifetime seems to begin in the future is not used.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "dataloader/credentials/token.h"
#include "dataloader/mutex.h"

namespace carrack::data {

// Safe for many threads.
class Tokens {
 public:
  using Fetch = std::function<Token()>;  // Throws Error or Refused.
  using Now = std::function<Moment()>;

  // Both functions are called by the threads that call token(), `fetch` by one at a time and without a lock.
  Tokens(Fetch fetch, Now now, std::uint64_t jitter_seed)
      : fetch_(std::move(fetch)), now_(std::move(now)), jitter_(jitter_seed) {}

  // Returns a usable token; fetches one first if there is none. `rejected` is the token that the service has just
  // rejected with 401, or empty; it counts as not usable. If there is no usable token and fetching fails, throws
  // Refused or Error with the message of the fetch.
  std::string token(const std::string& rejected);

 private:
  struct CachedToken {
    std::string text;
    Moment from, renew, until;
  };
  struct Failure {
    std::string text;
    bool is_refused = false;
  };
  using FetchResult = std::variant<Token, Failure>;

  FetchResult fetch() const;
  void finish_fetch(FetchResult result, Moment started) REQUIRES(mutex_);

  const Fetch fetch_;
  const Now now_;
  Mutex mutex_;
  ConditionVariable fetched_;
  std::mt19937_64 jitter_ GUARDED_BY(mutex_);
  bool is_fetching_ GUARDED_BY(mutex_) = false;
  std::uint64_t fetches_ GUARDED_BY(mutex_) = 0;
  std::optional<CachedToken> cached_ GUARDED_BY(mutex_);
  std::optional<Failure> failure_ GUARDED_BY(mutex_);  // of the last fetch
};

}  // namespace carrack::data
