// The checkpoint folder: shards and manifests that are created and never written over, and HEAD, which is compared and
// set. Every commit is held against what it claims at the moment it happens.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tests/trainer/comm/simulation/job.h"
#include "trainer/comm/coordinator.h"
#include "trainer/comm/parameter_server.h"

namespace carrack::train::simulation {

struct Head {
  std::uint64_t generation = 0;
  std::uint32_t incarnation = 0;  // Whose it is.
  std::string nonce;
  std::string manifest;
};

class Store {
 public:
  explicit Store(const Job& job) : job_(job), reference_(job) {}

  // Each returns what is wrong, or nothing.
  using Fault = std::optional<std::string>;

  Fault begin_shard(const std::string& prefix, std::uint32_t server, const ShardState& state);
  void finish_shard(const std::string& prefix, std::uint32_t server);
  Fault write_manifest(const FinishedCut& cut);

  const Head& head() const { return head_; }
  // False: it is not the expected generation any more, and nothing changed.
  bool replace_head(std::uint64_t expected, Head head);
  // To be asked when a commit has replaced HEAD.
  Fault fault_in_commit(std::uint32_t writer, const Head& before);

  Commit commit_of(const std::string& manifest) const;
  ShardState shard(const wire::Load& from, std::uint32_t server);

  // What a server of this range holds, against what it says it has applied.
  Fault fault_in(std::uint32_t server, const ShardState& state);
  // Sync.
  Fault fault_in_parameters(std::uint32_t server, std::uint64_t version, std::span<const float> values);

 private:
  struct Shard {
    ShardState state;
    bool whole = false;
  };

  ShardState after(std::uint64_t version, std::uint32_t server);
  Fault fault_in_shard(const FinishedCut& cut, std::uint32_t server);

  const Job& job_;
  Reference reference_;
  Head head_;
  std::map<std::pair<std::string, std::uint32_t>, Shard> shards_;
  std::map<std::string, FinishedCut> manifests_;
};

}  // namespace carrack::train::simulation
