// The faults that the proxy can play, and which of them apply to a request. Pure and deterministic: the same faults and
// the same order of requests give the same result.
//
// Each rule numbers the requests that match it, from 1. Whether it applies to number n depends only on (seed, rule, n).
// Of several rules that apply, the first of each kind counts: Slow, PersistAtMost and one Ending.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace carrack::tests {

// At least `first_byte` from the end of the request to the first byte of the reply; then the reply's body, and likewise
// the request's, at no more than `bytes_per_second`.
struct Slow {
  std::chrono::milliseconds first_byte{0};
  std::optional<std::uint64_t> bytes_per_second;
  bool operator==(const Slow&) const = default;
};
// A resumable upload persists no more than this of the request, in whole multiples of 256 KiB, as GCS may.
struct PersistAtMost {
  std::uint64_t bytes = 0;
  bool operator==(const PersistAtMost&) const = default;
};
// Answers with this status; the request is carried out only if `applied`.
struct Answer {
  int status = 503;
  bool applied = false;
  bool operator==(const Answer&) const = default;
};
// Silence in the reply's body, after which it goes on.
struct Stall {
  std::uint64_t after_bytes = 0;
  std::chrono::milliseconds lasts{0};
  bool operator==(const Stall&) const = default;
};
// The connection closes in the reply's body.
struct Cut {
  std::uint64_t after_bytes = 0;
  bool operator==(const Cut&) const = default;
};
// The whole request is read, nothing is carried out, and the connection closes without a reply.
struct LoseRequest {
  bool operator==(const LoseRequest&) const = default;
};
// The request is carried out, and the connection closes without a reply.
struct LoseReply {
  bool operator==(const LoseReply&) const = default;
};
// The upload session named in the request is gone from now on: 410, or 404.
struct ExpireUpload {
  int status = 410;
  bool operator==(const ExpireUpload&) const = default;
};

using Ending = std::variant<Answer, Stall, Cut, LoseRequest, LoseReply, ExpireUpload>;
using Fault = std::variant<Slow, PersistAtMost, Ending>;

struct Always {
  bool operator==(const Always&) const = default;
};
struct Nth {
  std::vector<std::uint64_t> numbers;  // From 1.
  bool operator==(const Nth&) const = default;
};
struct Share {
  double of_requests = 0;  // 0 to 1.
  bool operator==(const Share&) const = default;
};
using When = std::variant<Always, Nth, Share>;

struct Rule {
  std::string method;  // empty: any
  std::string target;  // A part of the percent-decoded target; empty: any.
  When when;
  Fault fault;
  bool operator==(const Rule&) const = default;
};

struct Faults {
  std::uint64_t seed = 0;
  std::vector<Rule> rules;
  std::string bearer = {};  // Requests without this token are refused; empty: none is needed.
  bool operator==(const Faults&) const = default;
};

// The faults of one request.
struct Play {
  std::optional<Slow> slow;
  std::optional<PersistAtMost> persist;
  std::optional<Ending> ending;
  bool operator==(const Play&) const = default;
};

// True if the rule with this index applies to the request with this number.
bool plays(const When& when, std::uint64_t seed, std::size_t rule, std::uint64_t number);

// Numbers the requests of each rule.
class FaultScript {
 public:
  explicit FaultScript(Faults faults) : faults_(std::move(faults)), numbers_(faults_.rules.size()) {}

  Play next(const std::string& method, const std::string& decoded_target);
  const Faults& faults() const { return faults_; }

 private:
  Faults faults_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace carrack::tests
