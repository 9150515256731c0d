// What the operator tells a process of a job, and what the process answers when it ends: all that one knows of the
// other. A Launch travels as environment variables, which differ from process to process, and one text file, the same
// for all processes of a job; docs/formats/launch.md is the format. Both directions are here, and they round-trip.
// Launching throws Error: Blame::user where another trainer image helps, Blame::bug where the operator wrote nonsense.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trainer/error.h"
#include "trainer/launch/image.h"
#include "trainer/launch/spellings.h"

namespace carrack::train {

// The newest one spoken here. What an older one can say is said in it.
constexpr int contract_version = 3;

enum class Role { coordinator, ps, worker };

struct Member {
  Role role = Role::worker;
  int index = 0;
  auto operator<=>(const Member&) const = default;
};

// Which start of a member this is, within one job UID. A higher fence supersedes a lower one; peers and HEAD refuse the
// lower.
struct Fence {
  int attempt = 0;      // restarts of the whole job
  int incarnation = 0;  // process starts of this member within the attempt, from 1
  auto operator<=>(const Fence&) const = default;
};

enum class Strategy { single, parameter_server };

struct Replicas {
  int min = 0;
  int max = 0;
  bool operator==(const Replicas&) const = default;
};

// target = weights * input + bias, trained on the squared error.
struct LinearRegression {
  std::string input;   // a float32 feature of any size
  std::string target;  // a float32 feature of size 1
  bool operator==(const LinearRegression&) const = default;
};

// Counts how often each record was used: one parameter a record, gradient -1 at that record.
struct Tally {
  std::string record;        // an int64 feature of size 1: the record's number, from 0
  std::int64_t records = 0;  // how many there are
  bool operator==(const Tally&) const = default;
};

enum class ModelKind { linear_regression, tally };  // in the order of Model's alternatives
using Model = std::variant<LinearRegression, Tally>;

enum class FeatureType { float32, int64 };

struct Feature {
  std::string name;
  FeatureType type = FeatureType::float32;
  std::int64_t size = 1;            // values in each record; of an image values_in() it
  std::optional<Image> image = {};  // the record holds bytes, which are decoded into float32 values
  bool operator==(const Feature&) const = default;
};

// What is done with the records of an epoch, stage by stage, before they are cut into batches.
// Files by turns, `cycle` of them at once, `block` records of each.
struct Interleave {
  std::int64_t cycle = 16;
  std::int64_t block = 1;
  bool operator==(const Interleave&) const = default;
};
// Every `count`th record, from number `index` on.
struct Shard {
  std::int64_t count = 1;
  std::int64_t index = 0;
  bool operator==(const Shard&) const = default;
};
struct Skip {
  std::int64_t records = 0;
  bool operator==(const Skip&) const = default;
};
struct Take {
  std::int64_t records = 1;
  bool operator==(const Take&) const = default;
};
enum class ShuffleKind { by_place, full, block };
struct Shuffle {
  ShuffleKind kind = ShuffleKind::by_place;  // full of files, block of what lies behind a network
  std::int64_t block = 0;                    // records in a run; 0: as many as have 4 MiB
  std::int64_t window = 16;                  // runs that are mixed
  bool operator==(const Shuffle&) const = default;
};
struct Repeat {
  std::int64_t times = 1;
  bool operator==(const Repeat&) const = default;
};
// What was read once stays in the memory of each process that read it.
struct Cache {
  std::string memory;  // as "512Mi"; more is an error
  bool operator==(const Cache&) const = default;
};

// Records of which all values of a feature lie within bounds stay. Which these are is not known before they are read,
// so it stands before a snapshot.
struct Filter {
  std::string feature;
  std::optional<double> min, max;  // lie within
  bool operator==(const Filter&) const = default;
};
// What stands before it is done once, by all who need it, and written down; from there on records are read there.
struct Snapshot {
  std::string folder;  // of any snapshots
  bool operator==(const Snapshot&) const = default;
};

// In the order of Stage's alternatives.
enum class StageKind { interleave, shard, skip, take, shuffle, repeat, cache, filter, snapshot };
using Stage = std::variant<Interleave, Shard, Skip, Take, Shuffle, Repeat, Cache, Filter, Snapshot>;

// One of several sets of files of which records are drawn by weight.
struct MixedSet {
  std::vector<std::string> files;
  std::vector<Stage> stages = {Shuffle{}};  // before they are mixed
  double weight = 1;                        // beside those of the others
  bool operator==(const MixedSet&) const = default;
};

struct Data {
  std::vector<std::string> files;           // URLs or paths; a name may hold `*`. None where sets are mixed
  std::vector<Feature> features;            // sorted by name
  std::vector<Stage> stages = {Shuffle{}};  // of a mix behind it
  std::vector<MixedSet> mix = {};
  bool operator==(const Data&) const = default;
};

struct Sgd {
  double learning_rate = 0.01;
  bool operator==(const Sgd&) const = default;
};

struct Adam {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  bool operator==(const Adam&) const = default;
};

enum class OptimizerKind { sgd, adam };  // in the order of Optimizer's alternatives
using Optimizer = std::variant<Sgd, Adam>;

enum class Consistency { sync, async };
enum class Reduction { mean, sum };  // what an update does with the sum of its records' gradients

struct Training {
  std::int64_t batch = 0;  // records in one update
  int lanes = 8;
  std::int64_t epochs = 1;
  Optimizer optimizer;
  std::int64_t seed = 0;
  Consistency consistency = Consistency::sync;
  Reduction reduction = Reduction::mean;
  bool deterministic = false;
  bool operator==(const Training&) const = default;
};

struct Checkpoint {
  std::string folder;  // HEAD, manifests and bundles of this job
  std::int64_t every_steps = 100;
  std::string resume;  // another job's folder: where training starts if this one holds no commit; empty: from step 0
  bool operator==(const Checkpoint&) const = default;
};

// The same for all processes of a job: the file.
struct Config {
  Strategy strategy = Strategy::single;
  Replicas ps;
  Replicas workers;
  Model model;
  Data data;
  Training training;
  Checkpoint checkpoint;
  bool operator==(const Config&) const = default;
};

// How a cluster wires its processes; core leaves it empty, the edge that starts the process fills it in.
struct Places {
  std::string coordinator;  // where the coordinator is found, as gRPC writes addresses; the same in every incarnation
  std::string listen;       // what this process listens on; port 0: any free one
  std::string keys;         // folder of the run's key
  std::string progress;     // where the coordinator serves /progress, as HOST:PORT; empty: nowhere
  bool operator==(const Places&) const = default;
};

struct Launch {
  std::string job;
  std::string job_uid;
  Member member;
  Fence fence;
  Places places;
  Config config;
  bool operator==(const Launch&) const = default;
};

using Environment = std::map<std::string, std::string>;

// Names the file that holds the configuration; the main reads it.
constexpr std::string_view config_variable = "CARRACK_CONFIG";

Environment environment_of(const Launch& launch);
std::string config_text(const Config& config);
Launch launch_from(const Environment& environment, std::string_view config_text);

// How a process ends. Other codes are accidents: they come from signals, loaders and shells.
enum class Exit {
  succeeded = 0,
  drained = 80,           // was asked to leave, and handed back what it held
  user_error = 81,        // a retry gives the same
  platform_error = 82,    // a retry may help
  bug = 83,               // ours
  checkpoint_taken = 84,  // HEAD is claimed by another job
  superseded = 85,        // a peer or HEAD knows a higher fence
};

// A line that a process prints while all goes on.
std::string log_line(std::string_view text);
inline constexpr std::size_t termination_message_max = 2048;  // of what it printed: a termination message holds as much
std::string without_log_lines(std::string_view printed);

ModelKind kind_of(const Model& model);
OptimizerKind kind_of(const Optimizer& optimizer);
StageKind kind_of(const Stage& stage);
// The stage that writes down what stands before it, where there is one.
const Snapshot* snapshot_in(const Data& data);
// As a line of the file has it: "shuffle Full 0 16".
std::string text_of(const Stage& stage);
// What Kubernetes calls a quantity, where there is one: "1.5Gi" is 1,610,612,736.
std::optional<std::uint64_t> bytes_in(std::string_view quantity);

// Makes it the alternative of that kind, with its defaults, unless it is one.
template <class Variant, class Kind, std::size_t index = 0>
void become(Variant& variant, Kind kind) {
  if constexpr (index < std::variant_size_v<Variant>) {
    if (static_cast<std::size_t>(kind) != index) return become<Variant, Kind, index + 1>(variant, kind);
    if (variant.index() != index) variant.template emplace<index>();
  }
}

template <>
inline constexpr Spelling<Role> spellings<Role>[] = {
    {Role::coordinator, "coordinator"}, {Role::ps, "ps"}, {Role::worker, "worker"}};
template <>
inline constexpr Spelling<Strategy> spellings<Strategy>[] = {{Strategy::single, "Single"},
                                                             {Strategy::parameter_server, "ParameterServer"}};
template <>
inline constexpr Spelling<ModelKind> spellings<ModelKind>[] = {{ModelKind::linear_regression, "LinearRegression"},
                                                               {ModelKind::tally, "Tally"}};
template <>
inline constexpr Spelling<FeatureType> spellings<FeatureType>[] = {{FeatureType::float32, "float32"},
                                                                   {FeatureType::int64, "int64"}};
template <>
inline constexpr Spelling<StageKind> spellings<StageKind>[] = {{StageKind::interleave, "interleave"},
                                                               {StageKind::shard, "shard"},
                                                               {StageKind::skip, "skip"},
                                                               {StageKind::take, "take"},
                                                               {StageKind::shuffle, "shuffle"},
                                                               {StageKind::repeat, "repeat"},
                                                               {StageKind::cache, "cache"},
                                                               {StageKind::filter, "filter"},
                                                               {StageKind::snapshot, "snapshot"}};
template <>
inline constexpr Spelling<ShuffleKind> spellings<ShuffleKind>[] = {
    {ShuffleKind::by_place, "ByPlace"}, {ShuffleKind::full, "Full"}, {ShuffleKind::block, "Block"}};
template <>
inline constexpr Spelling<OptimizerKind> spellings<OptimizerKind>[] = {{OptimizerKind::sgd, "SGD"},
                                                                       {OptimizerKind::adam, "Adam"}};
template <>
inline constexpr Spelling<Consistency> spellings<Consistency>[] = {{Consistency::sync, "Sync"},
                                                                   {Consistency::async, "Async"}};
template <>
inline constexpr Spelling<Reduction> spellings<Reduction>[] = {{Reduction::mean, "Mean"}, {Reduction::sum, "Sum"}};
template <>
inline constexpr Spelling<Exit> spellings<Exit>[] = {
    {Exit::succeeded, "Succeeded"},          {Exit::drained, "Drained"}, {Exit::user_error, "UserError"},
    {Exit::platform_error, "PlatformError"}, {Exit::bug, "Bug"},         {Exit::checkpoint_taken, "CheckpointTaken"},
    {Exit::superseded, "Superseded"}};

}  // namespace carrack::train
