// One token for all threads: kept, renewed before its end, and asked for by one thread at a time.
//
// From four to five minutes before its end, by chance, the next thread that needs one asks for another, while all
// others still use it; if nothing comes of it, they use it to its end. Only where there is none to use does everybody
// wait, for one answer: that there is none is told to all who waited. The clock may jump: a token that seems to be of
// the future is not used, and one that the service does not take any more is reported by who used it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "dataloader/credentials/token.h"

namespace carrack::data {

class Tokens {
 public:
  using Ask = std::function<Token()>;  // Throws Error or Refused.
  using Now = std::function<Moment()>;

  Tokens(Ask ask, Now now, std::uint64_t jitter_seed)
      : ask_(std::move(ask)), now_(std::move(now)), jitter_(jitter_seed) {}

  // A TokenSource. Throws what asking threw, where there is no token to use.
  std::string token(const std::string& refused);

 private:
  struct CachedToken {
    std::string text;
    Moment from, renew, until;
  };
  struct Failure {
    std::string text;
    bool refused = false;
  };

  using Answer = std::variant<Token, Failure>;

  Answer ask() const;
  void take(Answer answer, Moment asked);

  const Ask ask_;
  const Now now_;
  std::mutex mutex_;  // Of what follows.
  std::condition_variable answered_;
  std::mt19937_64 jitter_;
  bool asking_ = false;
  std::uint64_t answers_ = 0;
  std::optional<CachedToken> cached_;
  std::optional<Failure> failure_;  // Of the last answer.
};

}  // namespace carrack::data
