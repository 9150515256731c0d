// The checkpoint folder: shards and manifests that are created and never written over, and HEAD, which is compared and
// set. Every commit is held against what it claims at the moment it happens.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/trainer/comm/simulation/job.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/comm/protocol/parameter_server.h"

namespace carrack::train::simulation {

struct Head {
  std::uint64_t generation = 0;
  std::uint32_t incarnation = 0;  // Whose it is.
  std::string nonce;
  std::string manifest;
  bool first_pass = false;
};

class Store {
 public:
  explicit Store(const Job& job) : job_(job), changed_(with_record_added(job)) {}

  // Each returns what is wrong, or nothing.
  using Fault = std::optional<std::string>;

  // `data` is what the state says that it was trained on.
  Fault begin_shard(const std::string& prefix, std::uint32_t server, const ShardState& state, const std::string& data);
  void finish_shard(const std::string& prefix, std::uint32_t server);
  Fault write_manifest(const FinishedCut& cut, const std::string& data);

  const Head& head() const { return head_; }
  // False: it is not the expected generation any more, and nothing changed.
  bool replace_head(std::uint64_t expected, Head head);
  // To be asked when a commit has replaced HEAD.
  Fault fault_in_commit(std::uint32_t writer, const Head& before);

  // Of a first pass: files by lane and place in its stream.
  using File = std::pair<std::uint64_t, std::uint64_t>;
  void keep_index(File file) { indexes_.insert(file); }
  // How many steps the pass has, once the indexes of all files are there.
  std::optional<std::uint64_t> steps_of_first_pass() const;
  // As many as those that are there would make.
  std::uint64_t steps_in_part() const;

  Commit commit_of(const std::string& manifest) const;
  const std::string& data_of(const std::string& manifest) const { return data_.at(manifest); }
  ShardState shard(const wire::Load& from, std::uint32_t server);

  // What a server of this range holds, against what it says it has applied.
  Fault fault_in(std::uint32_t server, const ShardState& state, const std::string& data);
  // Sync.
  Fault fault_in_parameters(std::uint32_t server, std::uint64_t version, std::span<const float> values,
                            const std::string& data);

 private:
  struct Shard {
    ShardState state;
    bool whole = false;
  };

  static Job with_record_added(Job job);
  const Job& job_on(const std::string& data) const { return data == changed_.data() ? changed_ : job_; }
  const Buffers& after(std::uint64_t version, const std::string& data);
  ShardState after(std::uint64_t version, std::uint32_t server);
  Fault fault_in_shard(const FinishedCut& cut, std::uint32_t server);

  const Job& job_;
  const Job changed_;  // On the data that it may have later.
  Reference reference_{job_};
  Reference reference_changed_{changed_};
  Head head_;
  std::map<std::pair<std::string, std::uint32_t>, Shard> shards_;
  std::map<std::string, FinishedCut> manifests_;
  std::map<std::string, std::string> data_;  // By manifest.
  std::set<File> indexes_;
};

}  // namespace carrack::train::simulation
