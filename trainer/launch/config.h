// Config: what a TrainingJob's manifest says to the trainer, as plain structs: model, data, training and checkpoints.
// The operator decodes a manifest into a Config and passes it, as a config file (launch.h), to each process of the job,
// so it is the same for all of them. docs/reference/trainingjob.md describes the fields for users. A Config may have
// invalid values: decoding does not check them, and operator/core/validate.h says which are valid.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trainer/launch/image.h"
#include "trainer/launch/layers.h"
#include "trainer/launch/overloaded.h"
#include "trainer/launch/spellings.h"
#include "trainer/launch/stages.h"
#include "trainer/launch/tensor_groups.h"

namespace carrack::train {

// single: one process does all of the training. parameter_server: a coordinator, parameter servers and workers.
enum class Strategy { single, parameter_server };
template <>
inline constexpr Spelling<Strategy> spellings<Strategy>[] = {{Strategy::single, "Single"},
                                                             {Strategy::parameter_server, "ParameterServer"}};

// The limits of the number of processes of a role.
struct Replicas {
  int min = 0;
  int max = 0;
  bool operator==(const Replicas&) const = default;
};

// A model that computes target = weights * input + bias, and is trained on the squared error.
struct LinearRegression {
  std::string input;   // a float32 feature of any size
  std::string target;  // a float32 feature of size 1
  bool operator==(const LinearRegression&) const = default;
};

// A model for tests that counts how often each record was used: one parameter for each record, whose gradient is -1 at
// that record.
struct Tally {
  std::string record;        // an int64 feature of size 1: the number of the record, from 0
  std::int64_t records = 0;  // the number of records
  bool operator==(const Tally&) const = default;
};

// The initial values of a tensor of an OwnModel.
struct OwnInitial {
  enum class Kind {
    constant,          // all are `scale`
    uniform,           // uniformly distributed over [-scale, scale)
    truncated_normal,  // truncated_normal() (kernels/random.h) times `scale`: none is beyond twice `scale`
  };
  Kind kind = Kind::constant;
  double scale = 0;
  bool operator==(const OwnInitial&) const = default;
};
template <>
inline constexpr Spelling<OwnInitial::Kind> spellings<OwnInitial::Kind>[] = {
    {OwnInitial::Kind::constant, "Constant"},
    {OwnInitial::Kind::uniform, "Uniform"},
    {OwnInitial::Kind::truncated_normal, "TruncatedNormal"}};

struct OwnTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // empty: a scalar
  OwnInitial initial = {};
  bool trained = true;  // false: each update sets it to the mean, over the records, of the values that workers send
  bool operator==(const OwnTensor&) const = default;
};

// A model whose gradients the user's program computes, for example in PyTorch. Carrack knows only its tensors. The
// program reads all features.
struct OwnModel {
  std::vector<OwnTensor> tensors;
  bool operator==(const OwnModel&) const = default;
};

using Model = std::variant<Layers, LinearRegression, Tally, OwnModel>;

// Returns whether the model is an OwnModel.
inline bool is_own(const Model& model) {
  return std::holds_alternative<OwnModel>(model);
}

// Returns whether the model uses the mean and deviation of features, which are computed from the training data.
inline bool standardizes(const Model& model) {
  const auto* network = std::get_if<Layers>(&model);
  return network != nullptr && needs_statistics(*network);
}

enum class ModelKind { layers, linear_regression, tally, own };
template <>
inline constexpr Spelling<ModelKind> spellings<ModelKind>[] = {{ModelKind::layers, "Layers"},
                                                               {ModelKind::linear_regression, "LinearRegression"},
                                                               {ModelKind::tally, "Tally"},
                                                               {ModelKind::own, "Own"}};
static_assert(std::size(spellings<ModelKind>) == std::variant_size_v<Model>);

inline ModelKind kind_of(const Model& model) {
  return std::visit(
      overloaded{[](const Layers&) { return ModelKind::layers; },
                 [](const LinearRegression&) { return ModelKind::linear_regression; },
                 [](const Tally&) { return ModelKind::tally; }, [](const OwnModel&) { return ModelKind::own; }},
      model);
}

// The type of a feature in records. A uint8 value is stored as one byte, and the model reads it as a float32 from 0 to
// 255. A text value is stored as a string, and the model reads the id of that string as an int64;
// docs/formats/text_ids.md defines ids.
enum class FeatureType { float32, int64, uint8, text };
template <>
inline constexpr Spelling<FeatureType> spellings<FeatureType>[] = {{FeatureType::float32, "float32"},
                                                                   {FeatureType::int64, "int64"},
                                                                   {FeatureType::uint8, "uint8"},
                                                                   {FeatureType::text, "text"}};

// Returns the type as which a model reads such a feature: float32 or int64.
FeatureType model_type(FeatureType type);

// A feature of a record (tf.Example) that the job reads.
struct Feature {
  std::string name;
  FeatureType type = FeatureType::float32;
  std::int64_t size = 1;  // number of values in each record; equals value_count() of `image` or `shape` if set
  std::optional<Image> image = {};  // set if each record has an encoded image, which becomes float32 values
  std::optional<std::vector<std::int64_t>> shape = {};  // shape of each record's values, outermost dimension first
  // For text. Ids from `buckets` on are those of `words`, in order. Other strings are hashed to ids below `buckets`.
  std::vector<std::string> words = {};
  std::int64_t buckets = 0;
  bool operator==(const Feature&) const = default;
};

// Returns the number of ids of a text feature: `buckets` plus the number of `words`. Ids count from 0.
std::int64_t id_count(const Feature& feature);

// Returns the product of the dimensions: 1 for none, 0 if one of them is less than 1, and the largest int64 if the
// product exceeds it.
std::int64_t value_count(const std::vector<std::int64_t>& shape);

// Returns the shape of each record's values; for a feature without a shape, one dimension of its size.
std::vector<std::int64_t> shape_of(const Feature& feature);

// One of several sets of files whose records are mixed at random, each in proportion to its weight.
struct MixedSet {
  std::vector<std::string> files;
  std::vector<Stage> stages = {Shuffle{}};  // applied to this set before mixing
  double weight = 1;
  bool operator==(const MixedSet&) const = default;
};

// What a job does with records that cannot be used, as docs/reference/sources.md#damage defines them.
enum class OnDamage { stop, skip };
template <>
inline constexpr Spelling<OnDamage> spellings<OnDamage>[] = {{OnDamage::stop, "stop"}, {OnDamage::skip, "skip"}};

// Records on which the models of checkpoints, not always of all, are evaluated. They are not trained on.
struct EvaluationData {
  std::vector<std::string> files;  // URLs or paths; names may contain `*`
  bool operator==(const EvaluationData&) const = default;
};

struct Data {
  std::vector<std::string> files;           // URLs or paths; names may contain `*`. Empty if `mix` is used
  std::vector<Feature> features;            // sorted by name
  std::vector<Stage> stages = {Shuffle{}};  // if `mix` is used, they are applied after mixing
  std::vector<MixedSet> mix = {};
  std::optional<EvaluationData> evaluation = {};
  OnDamage on_damage = OnDamage::stop;
  bool operator==(const Data&) const = default;
};

// Returns the Snapshot in data.stages, as a pointer into `data`; null if there is none.
const Snapshot* snapshot_in(const Data& data);

// Returns the message for the user if a field names a feature `name` that does not exist: "'z' is not a feature;
// spec.data.features has x, y". Lists at most 20 features.
std::string unknown_feature(const std::string& name, const Data& data);

// The settings of optimizers, with the defaults of Keras. kernels/update.h has the formulas.
struct Sgd {
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;  // ignored if momentum is 0
  bool operator==(const Sgd&) const = default;
};

struct Adam {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  bool operator==(const Adam&) const = default;
};

struct AdamW {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  double weight_decay = 0.004;
  bool operator==(const AdamW&) const = default;
};

struct Adagrad {
  double learning_rate = 0.001;
  double initial_accumulator = 0.1;
  double epsilon = 1e-7;
  bool operator==(const Adagrad&) const = default;
};

struct RmsProp {
  double learning_rate = 0.001;
  double rho = 0.9;
  double epsilon = 1e-7;
  bool operator==(const RmsProp&) const = default;
};

using Optimizer = std::variant<Sgd, Adam, AdamW, Adagrad, RmsProp>;

enum class OptimizerKind { sgd, adam, adamw, adagrad, rms_prop };
template <>
inline constexpr Spelling<OptimizerKind> spellings<OptimizerKind>[] = {{OptimizerKind::sgd, "SGD"},
                                                                       {OptimizerKind::adam, "Adam"},
                                                                       {OptimizerKind::adamw, "AdamW"},
                                                                       {OptimizerKind::adagrad, "Adagrad"},
                                                                       {OptimizerKind::rms_prop, "RMSProp"}};
static_assert(std::size(spellings<OptimizerKind>) == std::variant_size_v<Optimizer>);

inline OptimizerKind kind_of(const Optimizer& optimizer) {
  return std::visit(
      overloaded{[](const Sgd&) { return OptimizerKind::sgd; }, [](const Adam&) { return OptimizerKind::adam; },
                 [](const AdamW&) { return OptimizerKind::adamw; },
                 [](const Adagrad&) { return OptimizerKind::adagrad; },
                 [](const RmsProp&) { return OptimizerKind::rms_prop; }},
      optimizer);
}

enum class ScheduleKind { constant, linear, cosine, exponential };
template <>
inline constexpr Spelling<ScheduleKind> spellings<ScheduleKind>[] = {{ScheduleKind::constant, "Constant"},
                                                                     {ScheduleKind::linear, "Linear"},
                                                                     {ScheduleKind::cosine, "Cosine"},
                                                                     {ScheduleKind::exponential, "Exponential"}};

// The factor by which the learning rate is multiplied in the course of a job.
struct Schedule {
  ScheduleKind kind = ScheduleKind::constant;
  std::int64_t steps = 0;     // number of updates after which the factor is `final_fraction`; not used by `constant`
  double final_fraction = 0;  // not used by `constant`
  // The number of updates at the beginning in which the factor grows to 1. They are part of `steps`.
  std::int64_t warmup_steps = 0;
  bool operator==(const Schedule&) const = default;
};

// How gradients are limited before an update uses them. Both limits may be set; nullopt: no such limit.
struct Clip {
  std::optional<double> value = {};  // each element is limited to -value to value
  // After that, the whole gradient is scaled down so that its norm is at most this number.
  std::optional<double> norm = {};
  bool operator==(const Clip&) const = default;
};

// sync: each update uses one whole batch. async: each worker's gradient is applied when it arrives.
enum class Consistency { sync, async };
template <>
inline constexpr Spelling<Consistency> spellings<Consistency>[] = {{Consistency::sync, "Sync"},
                                                                   {Consistency::async, "Async"}};

// Whether an update uses the mean or the sum of its records' gradients.
enum class Reduction { mean, sum };
template <>
inline constexpr Spelling<Reduction> spellings<Reduction>[] = {{Reduction::mean, "Mean"}, {Reduction::sum, "Sum"}};

// Where a weights file stores a tensor of the model.
struct StoredName {
  std::string tensor;       // name of the tensor in the model
  std::string stored_as;    // name of the tensor in the file; empty: the same name
  bool transposed = false;  // for a matrix: the file stores it transposed
  bool operator==(const StoredName&) const = default;
};

// Weights of another model, with which training begins.
struct InitialWeights {
  std::string from;                          // a .safetensors file, or the prefix of the names of a bundle's files
  std::vector<std::string> tensors = {"*"};  // patterns of the model's tensors to read, for matches_tensor()
  std::vector<StoredName> names = {};        // at most one for each tensor
  bool operator==(const InitialWeights&) const = default;
};

inline constexpr int lanes_max = 65'536;

struct Training {
  std::int64_t batch = 0;  // number of records in one update
  int lanes = 8;           // number of lanes, if batches have lanes for the workers (kernels/lanes.h)
  std::int64_t epochs = 1;
  Optimizer optimizer;
  std::int64_t seed = 0;
  Consistency consistency = Consistency::sync;
  Reduction reduction = Reduction::mean;
  bool deterministic = false;  // the result must not depend on the number of workers: see lanes in docs/GLOSSARY.md
  Schedule schedule = {};
  std::optional<Clip> clip = {};
  std::vector<TensorGroup> groups = {};  // a tensor belongs to the first group that matches its name, if any
  // The job ends after this number of evaluations in a row without a new best one. Those whose loss is not finite do
  // not count. nullopt: it does not end early.
  std::optional<std::int64_t> patience = {};
  std::optional<InitialWeights> initial_weights = {};  // read before the first step, unless the job resumes
  // Async: the maximum number of updates between reading the parameters and applying the gradient. nullopt: no limit.
  std::optional<std::int64_t> max_staleness = {};
  bool operator==(const Training&) const = default;
};

// What a job does if another job has claimed its checkpoint folder: fail; go on from the last commit (complete
// checkpoint) there; or begin from the start and replace the other job's checkpoints.
enum class OnTaken { fail, go_on, replace };
template <>
inline constexpr Spelling<OnTaken> spellings<OnTaken>[] = {
    {OnTaken::fail, "Fail"}, {OnTaken::go_on, "GoOn"}, {OnTaken::replace, "Replace"}};

struct Checkpoint {
  std::string folder;                // URL or path of this job's checkpoints
  std::int64_t every_seconds = 300;  // a checkpoint is written this long after the last one
  // A checkpoint is also written at each multiple of this number of steps, but in a bucket at most one in a second;
  // nullopt: only by time.
  std::optional<std::int64_t> every_steps = std::nullopt;
  std::int64_t keep_last = 3;  // number of the newest checkpoints that are not removed; nor is the best one
  // The first checkpoint at or after each multiple of this number of steps is not removed, either. nullopt: not set.
  std::optional<std::int64_t> keep_every_steps = std::nullopt;
  std::string resume;  // another job's folder to start from while `folder` has no checkpoint; empty: start from step 0
  OnTaken on_taken = OnTaken::fail;
  bool operator==(const Checkpoint&) const = default;
};

// How the members of a job protect their communication.
struct Security {
  bool tls = false;  // network connections between members are encrypted; shared memory is not
  bool operator==(const Security&) const = default;
};

struct Config {
  Strategy strategy = Strategy::single;
  Replicas ps;
  Replicas workers;
  int worker_gpus = 0;  // number of GPUs of each worker, or of the one process of single; 0: it computes on CPUs
  Model model;
  Data data;
  Training training;
  Checkpoint checkpoint;
  Security security = {};
  bool operator==(const Config&) const = default;
};

}  // namespace carrack::train
