// Tokens: a cache of one access token for all threads of a process, around google_token(). The storage of gs:// calls
// token() before each request. A new token is requested before the old one expires, by one thread at a time.
//
// A token is renewed from a random moment on, four to five minutes before it expires, but not before half of its
// lifetime. The next thread that needs a token then requests a new token, while all other threads use the old one. If
// the request fails, all use the old token until it expires, and the request is repeated after 30 seconds. Other
// threads wait only if there is no usable token: all wait for the same request, and all get its error. The machine's
// clock may jump, so a token whose lifetime seems to begin in the future is not used.
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

// Thread-safe.
class Tokens {
 public:
  using Fetch = std::function<Token()>;  // requests a token; throws Error or Refused
  using Now = std::function<Moment()>;

  // The threads that call token() call both functions: `fetch` on one thread at a time and without a lock, `now` under
  // a lock. Neither may be empty or call token(), and `now` must not throw.
  Tokens(Fetch fetch, Now now, std::uint64_t jitter_seed)
      : fetch_(std::move(fetch)), now_(std::move(now)), jitter_(jitter_seed) {}

  // Returns the text of a usable token (Token::text), which it fetches first if needed; it then blocks. `rejected` is
  // the token that the service has just rejected with 401, which counts as not usable; empty if none was. If there is
  // no usable token and fetching fails, throws Refused or Error with the message of the fetch.
  std::string token(const std::string& rejected);

 private:
  struct CachedToken {
    std::string text;
    Moment from, renew, until;  // when it was requested, is due to be renewed, and expires
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
  std::uint64_t fetches_ GUARDED_BY(mutex_) = 0;  // the number of fetches that have ended
  std::optional<CachedToken> cached_ GUARDED_BY(mutex_);
  std::optional<Failure> failure_ GUARDED_BY(mutex_);  // of the last fetch; nullopt if the fetch succeeded
};

}  // namespace carrack::data
