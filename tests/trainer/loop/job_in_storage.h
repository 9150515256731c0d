// Jobs that leave checkpoints without training: what is saved and committed is real, the numbers are made up.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "trainer/comm/transport/key.h"
#include "trainer/error.h"
#include "trainer/loop/roles/role.h"
#include "trainer/loop/storage/commit_store.h"
#include "trainer/loop/storage/shard_store.h"

namespace carrack::train {

constexpr std::uint64_t batches_in_epoch = 10;
inline const FoundData some_data{
    .batches_per_epoch = batches_in_epoch, .order = {"carrack-order v2 files=2", "some data"}, .first_pass = nullptr};

// For a coordinator that answers within milliseconds.
inline const TakeOverWait short_wait{.answer_within = std::chrono::milliseconds(100),
                                     .at_most = std::chrono::milliseconds(300)};

// Three blocks of parameters: 20 epochs of ten batches of 64.
inline Launch some_launch(const std::string& uid, const std::string& folder) {
  Launch launch;
  launch.job_uid = uid;
  launch.member = {Role::coordinator, 0};
  launch.fence = {0, 1};
  launch.config.strategy = Strategy::parameter_server;
  launch.config.ps = {2, 2};
  launch.config.workers = {1, 1};
  launch.config.model = LinearRegression{"x", "y"};
  launch.config.data.features = {{"x", FeatureType::float32, 5000}, {"y", FeatureType::float32, 1}};
  launch.config.training = {.batch = 64, .lanes = 8, .epochs = 20, .optimizer = Adam{}, .seed = 3};
  launch.config.checkpoint = {.folder = folder, .every_steps = 5, .resume = ""};
  return launch;
}

inline std::shared_ptr<const Key> some_key() {
  return std::make_shared<const Key>("the key of the tests, which is long enough");
}

inline RoleContext some_surroundings(const data::Storages& storages) {
  return {.storages = storages, .key = some_key(), .nonce = "nonce", .shutdown_requested = [] { return false; }};
}

struct Tensors {
  Floats parameters;
  std::vector<Floats> optimizer;
  bool operator==(const Tensors&) const = default;
};

// The flat buffer with other numbers in every element and at every step.
inline Tensors tensors_at(const Setup& setup, std::uint64_t step) {
  const auto numbers = [&](int kind) {
    Floats all(static_cast<std::size_t>(setup.layout.size()), 0.0f);
    std::iota(all.begin(), all.end(), static_cast<float>(step) * 100'000 + static_cast<float>(kind) * 10'000);
    return all;
  };
  Tensors tensors{numbers(0), {}};
  for (std::size_t i = 0; i < state_names(setup.optimizer).size(); ++i) {
    tensors.optimizer.push_back(numbers(static_cast<int>(i) + 1));
  }
  return tensors;
}

inline Launch server_of(Launch launch, int index) {
  launch.member = {Role::ps, index};
  return launch;
}

// Claims HEAD and commits one cut, as coordinator and servers of this launch.
inline void leave_checkpoint(const Launch& launch, const data::Storages& storages, std::uint64_t step,
                             const std::vector<BatchRun>& applied = {}, const FoundData& data = some_data,
                             const Skipped& skipped = {}) {
  const Setup setup = setup_from(launch.config);
  CommitStore commits(launch, setup, storages, launch.job_uid + std::to_string(step));
  if (commits.claim(data, short_wait)) throw Error(Blame::bug, "is superseded");
  const auto incarnation = static_cast<std::uint64_t>(launch.fence.incarnation);
  const std::uint64_t attempt = commits.attempts_before() + static_cast<std::uint64_t>(launch.fence.attempt);
  wire::Cut order;
  order.set_number(incarnation << 32 | 1);
  order.set_version(step);
  order.set_prefix(checkpoint::prefix_of({step, attempt, incarnation, 1}));
  FinishedCut cut{order.number(), order.prefix(), step, applied, {}};
  const Tensors whole = tensors_at(setup, step);
  for (std::size_t server = 0; server < setup.ranges.size(); ++server) {
    const auto begin = setup.ranges[server].begin, end = setup.ranges[server].end;
    const auto own = [&](const Floats& all) { return Floats(all.begin() + begin, all.begin() + end); };
    ShardState state{step, std::make_shared<const Floats>(own(whole.parameters)), {}, BatchSet(applied), skipped};
    for (const Floats& values : whole.optimizer) {
      state.optimizer.push_back(std::make_shared<Floats>(own(values)));
    }
    const Launch of_server = server_of(launch, static_cast<int>(server));
    cut.shards.push_back(ShardStore(of_server, setup, storages).save(order, state));
  }
  if (!commits.commit(cut)) throw Error(Blame::bug, "has lost HEAD");
}

// What a new coordinator of this launch goes on from.
inline Commit claimed(const Launch& launch, const data::Storages& storages, const FoundData& data = some_data) {
  const Setup setup = setup_from(launch.config);
  CommitStore commits(launch, setup, storages, launch.job_uid + "-claim");
  if (commits.claim(data, short_wait)) throw Error(Blame::bug, "is superseded");
  return commits.last_commit();
}

// What all servers of this launch hold together once they have loaded that commit.
struct Loaded {
  Tensors tensors;
  std::uint64_t version = 0;
  std::vector<BatchRun> applied;
  Skipped skipped = {};
};

inline Loaded loaded(const Launch& launch, const data::Storages& storages, const Commit& commit) {
  const Setup setup = setup_from(launch.config);
  wire::Load order;
  order.set_manifest(commit.manifest);
  order.set_manifest_crc32c(commit.manifest_crc32c);
  *order.mutable_applied() = wire_from(commit.applied);
  order.set_resumed(commit.resumed);
  order.set_order(some_data.order.text);
  Loaded all;
  all.tensors.optimizer.resize(state_names(setup.optimizer).size());
  for (std::size_t server = 0; server < setup.ranges.size(); ++server) {
    const Launch of_server = server_of(launch, static_cast<int>(server));
    const ShardState state = ShardStore(of_server, setup, storages).load(order);
    const auto append = [](Floats& to, const Floats& values) { to.insert(to.end(), values.begin(), values.end()); };
    append(all.tensors.parameters, *state.parameters);
    for (std::size_t i = 0; i < state.optimizer.size(); ++i) append(all.tensors.optimizer[i], *state.optimizer[i]);
    all.version = state.version;
    all.applied = state.applied.list();
    all.skipped = state.skipped;
  }
  return all;
}

}  // namespace carrack::train
