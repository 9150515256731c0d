// The checkpoint folder: shards and manifests, which are never overwritten, and HEAD, which is changed by
// compare-and-set. Every commit is checked when it happens.
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
  std::uint32_t incarnation = 0;  // of its owner
  std::string nonce;
  std::string manifest;
  bool first_pass = false;
};

class Store {
 public:
  explicit Store(const Job& job) : job_(job), changed_(with_record_added(job)) {}

  // Each returns what is wrong, or an empty text.
  using Fault = std::optional<std::string>;

  // `data` is the order that the state was trained on.
  Fault begin_shard(const std::string& prefix, std::uint32_t server, const ShardState& state, const std::string& data);
  void finish_shard(const std::string& prefix, std::uint32_t server);
  Fault write_manifest(const FinishedCut& cut, const std::string& data);

  const Head& head() const { return head_; }
  // Returns false, and changes nothing, if HEAD has another generation.
  bool replace_head(std::uint64_t expected, Head head);
  // To be called when a commit has replaced HEAD.
  Fault fault_in_commit(std::uint32_t writer, const Head& before);

  // A file of a first pass, by lane and position in its stream.
  using File = std::pair<std::uint64_t, std::uint64_t>;
  void keep_index(File file) { indexes_.insert(file); }
  // The number of steps of the pass, once the indexes of all files are there.
  std::optional<std::uint64_t> steps_of_first_pass() const;
  // The number of steps that the files with an index would make.
  std::uint64_t steps_in_part() const;

  // Removes the checkpoints before the one that this manifest names, as a job does that keeps the last one.
  void remove_before(const std::string& manifest);
  bool is_removed(const std::string& manifest) const { return removed_.contains(manifest); }

  Commit commit_of(const std::string& manifest) const;
  const std::string& data_of(const std::string& manifest) const { return data_.at(manifest); }
  ShardState shard(const wire::Load& from, std::uint32_t server);

  // Compares the state of a server of this range with what it says it has applied.
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
  Fault fault_in_values(std::uint32_t server, const ShardState& state, const std::string& data);

  const Job& job_;
  const Job changed_;  // with the data that the job may have later
  Reference reference_{job_};
  Reference reference_changed_{changed_};
  Head head_;
  std::map<std::pair<std::string, std::uint32_t>, Shard> shards_;
  std::map<std::string, FinishedCut> manifests_;
  std::map<std::string, std::string> data_;  // by manifest
  std::set<std::string> removed_;            // manifests
  std::set<File> indexes_;
};

}  // namespace carrack::train::simulation
