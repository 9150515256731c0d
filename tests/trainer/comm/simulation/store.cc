#include "tests/trainer/comm/simulation/store.h"

#include <algorithm>

namespace carrack::train::simulation {
namespace {

std::span<const float> part(std::span<const float> whole, ServerRange range) {
  return whole.subspan(range.begin, range.size);
}

BatchSet before(std::uint64_t version) {
  BatchSet batches;
  if (version > 0) batches.add(BatchRun{0, version});
  return batches;
}

std::string name_of(const FinishedCut& cut) {
  return cut.prefix;
}

}  // namespace

Job Store::with_record_added(Job job) {
  job.records_added = 1;
  return job;
}

const Buffers& Store::after(std::uint64_t version, const std::string& data) {
  return (data == changed_.data() ? reference_changed_ : reference_).after(version);
}

Store::Fault Store::begin_shard(const std::string& prefix, std::uint32_t server, const ShardState& state,
                                const std::string& data) {
  if (!shards_.try_emplace({prefix, server}, Shard{state, false}).second) {
    return "shard " + std::to_string(server) + " of " + prefix + " is written twice";
  }
  return fault_in(server, state, data);
}

void Store::finish_shard(const std::string& prefix, std::uint32_t server) {
  shards_.at({prefix, server}).whole = true;
}

Store::Fault Store::write_manifest(const FinishedCut& cut, const std::string& data) {
  data_[name_of(cut)] = data;
  if (!manifests_.try_emplace(name_of(cut), cut).second) return "manifest " + name_of(cut) + " is written twice";
  return std::nullopt;
}

void Store::remove_before(const std::string& manifest) {
  const std::uint64_t version = manifests_.at(manifest).version;
  for (const auto& [name, cut] : manifests_) {
    if (cut.version < version) removed_.insert(name);
  }
}

bool Store::replace_head(std::uint64_t expected, Head head) {
  if (expected != head_.generation) return false;
  head.generation = head_.generation + 1;
  head_ = std::move(head);
  return true;
}

Store::Fault Store::fault_in_commit(std::uint32_t writer, const Head& before) {
  if (writer != before.incarnation) {
    return "coordinator " + std::to_string(writer) + " committed, and HEAD was of " +
           std::to_string(before.incarnation);
  }
  const FinishedCut& cut = manifests_.at(head_.manifest);
  if (cut.version <= commit_of(before.manifest).version) {
    return head_.manifest + " was committed after " + before.manifest;
  }
  if (cut.shards.size() != job_.servers) return head_.manifest + " has not all shards";
  for (std::uint32_t server = 0; server < job_.servers; ++server) {
    if (const Fault fault = fault_in_shard(cut, server)) return head_.manifest + ": " + *fault;
  }
  return std::nullopt;
}

Store::Fault Store::fault_in_shard(const FinishedCut& cut, std::uint32_t server) {
  const std::string name = "shard " + std::to_string(server);
  const auto found = shards_.find({cut.prefix, server});
  if (found == shards_.end() || !found->second.whole) return name + " is not whole";
  const ShardState& state = found->second.state;
  if (state.version != cut.version) {
    return name + " holds version " + std::to_string(state.version) + ", not " + std::to_string(cut.version);
  }
  if (!job_.sync && state.applied != BatchSet(cut.applied)) return name + " holds other batches than the commit names";
  if (!job_.sync && BatchSet(cut.applied).count() != cut.version)
    return "it does not name as many batches as its version";
  return fault_in(server, state, data_.at(cut.prefix));
}

std::optional<std::uint64_t> Store::steps_of_first_pass() const {
  std::size_t files = 0;
  for (const auto& stream : job_.streams) files += stream.size();
  if (indexes_.size() < files) return std::nullopt;
  return job_.steps_of_first_pass();
}

std::uint64_t Store::steps_in_part() const {
  Job known = job_;
  for (std::uint64_t lane = 0; lane < job_.streams.size(); ++lane) {
    for (std::uint64_t file = 0; file < job_.streams[lane].size(); ++file) {
      if (!indexes_.contains({lane, file})) known.streams[lane][file] = 0;
    }
  }
  return known.steps_of_first_pass();
}

Commit Store::commit_of(const std::string& manifest) const {
  if (manifest.empty() && job_.resumed_at == 0) return {};
  if (manifest.empty()) return Commit{"another job's", 0, job_.resumed_at, {{0, job_.resumed_at}}, true};
  const FinishedCut& cut = manifests_.at(manifest);
  return Commit{manifest, 0, cut.version, cut.applied};
}

ShardState Store::shard(const wire::Load& from, std::uint32_t server) {
  if (from.resumed()) return after(job_.resumed_at, server);
  if (from.manifest().empty()) return after(0, server);
  return shards_.at({manifests_.at(from.manifest()).prefix, server}).state;
}

ShardState Store::after(std::uint64_t version, std::uint32_t server) {
  const Buffers& buffers = reference_.after(version);
  const auto range = job_.ranges[server];
  const auto own = [&](const Floats& all) {
    const auto values = part(all, range);
    return Floats(values.begin(), values.end());
  };
  ShardState state;
  state.version = version;
  state.skipped.records = skipped_by(job_, before(version));
  state.parameters = std::make_shared<const Floats>(own(buffers.parameters));
  for (const auto& slot : buffers.optimizer) {
    state.optimizer.push_back(std::make_shared<Floats>(own(slot)));
  }
  return state;
}

Store::Fault Store::fault_in(std::uint32_t server, const ShardState& state, const std::string& data) {
  if (const Fault fault = fault_in_values(server, state, data)) return fault;
  if (state.skipped.records != skipped_by(job_on(data), job_.sync ? before(state.version) : state.applied)) {
    return "server " + std::to_string(server) + " has counted other records as left out";
  }
  return std::nullopt;
}

Store::Fault Store::fault_in_values(std::uint32_t server, const ShardState& state, const std::string& data) {
  if (job_.sync) {
    const Buffers& expected = after(state.version, data);
    for (std::size_t i = 0; i < expected.optimizer.size(); ++i) {
      if (!std::ranges::equal(part(expected.optimizer[i], job_.ranges[server]), *state.optimizer[i])) {
        return "server " + std::to_string(server) + " holds another state of the optimizer";
      }
    }
    return fault_in_parameters(server, state.version, *state.parameters, data);
  }
  const Floats tally = tally_of(job_on(data), state.applied);
  if (state.version != state.applied.count() ||
      !std::ranges::equal(part(tally, job_.ranges[server]), *state.parameters)) {
    return "server " + std::to_string(server) + " holds something else than what it says it has applied";
  }
  return std::nullopt;
}

Store::Fault Store::fault_in_parameters(std::uint32_t server, std::uint64_t version, std::span<const float> values,
                                        const std::string& data) {
  if (version > job_.total_batches()) return "server " + std::to_string(server) + " went past the last batch";
  if (std::ranges::equal(part(after(version, data).parameters, job_.ranges[server]), values)) return std::nullopt;
  return "server " + std::to_string(server) + " holds other values than version " + std::to_string(version) + " has";
}

}  // namespace carrack::train::simulation
