#include "trainer/launch/launch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "trainer/launch/lines.h"

namespace carrack::train {

// What the line of a feature begins with.
enum class FeatureLine { float32, int64, image };
template <>
inline constexpr Spelling<FeatureLine> spellings<FeatureLine>[] = {
    {FeatureLine::float32, "float32"}, {FeatureLine::int64, "int64"}, {FeatureLine::image, "image"}};

namespace {

constexpr std::string_view contract_key = "carrack-launch";
constexpr int oldest_version = 1;
constexpr int version_of_stages = 2;
constexpr int version_of_images_mixes_and_snapshots = 3;
constexpr std::string_view log_mark = "log: ";

FeatureLine line_kind_of(const Feature& feature) {
  if (feature.image) return FeatureLine::image;
  return feature.type == FeatureType::float32 ? FeatureLine::float32 : FeatureLine::int64;
}

// The lowest that can say it.
int version_for(const Data& data) {
  const auto is_image = [](const Feature& feature) { return feature.image.has_value(); };
  if (!data.mix.empty() || snapshot_in(data) != nullptr || std::ranges::any_of(data.features, is_image))
    return version_of_images_mixes_and_snapshots;
  return data.stages == Data().stages ? oldest_version : version_of_stages;
}

template <class Lines>
void lines_of(Lines& lines, Model& model) {
  ModelKind kind = kind_of(model);
  lines.line("model.kind", kind);
  become(model, kind);
  if (auto* regression = std::get_if<LinearRegression>(&model)) {
    lines.line("model.input", regression->input);
    lines.line("model.target", regression->target);
  } else if (auto* tally = std::get_if<Tally>(&model)) {
    lines.line("model.record", tally->record);
    lines.line("model.records", tally->records);
  }
}

template <class Lines>
void lines_of(Lines& lines, Optimizer& optimizer) {
  OptimizerKind kind = kind_of(optimizer);
  lines.line("optimizer.kind", kind);
  become(optimizer, kind);
  if (auto* sgd = std::get_if<Sgd>(&optimizer)) {
    lines.line("optimizer.learningRate", sgd->learning_rate);
  } else if (auto* adam = std::get_if<Adam>(&optimizer)) {
    lines.line("optimizer.learningRate", adam->learning_rate);
    lines.line("optimizer.beta1", adam->beta1);
    lines.line("optimizer.beta2", adam->beta2);
    lines.line("optimizer.epsilon", adam->epsilon);
  }
}

template <class Lines>
void lines_of(Lines& lines, const std::string& key, Stage& stage) {
  StageKind kind = kind_of(stage);
  lines.first_word(key, kind);
  become(stage, kind);
  const auto line = [&](auto&... values) { lines.line(key, kind, values...); };
  if (auto* interleave = std::get_if<Interleave>(&stage)) line(interleave->cycle, interleave->block);
  if (auto* shard = std::get_if<Shard>(&stage)) line(shard->count, shard->index);
  if (auto* skip = std::get_if<Skip>(&stage)) line(skip->records);
  if (auto* take = std::get_if<Take>(&stage)) line(take->records);
  if (auto* shuffle = std::get_if<Shuffle>(&stage)) line(shuffle->kind, shuffle->block, shuffle->window);
  if (auto* repeat = std::get_if<Repeat>(&stage)) line(repeat->times);
  if (auto* cache = std::get_if<Cache>(&stage)) line(cache->memory);
  if (auto* filter = std::get_if<Filter>(&stage)) line(filter->min, filter->max, filter->feature);
  if (auto* snapshot = std::get_if<Snapshot>(&stage)) line(snapshot->folder);
}

template <class Lines>
void lines_of(Lines& lines, const std::string& key, std::vector<Stage>& stages) {
  lines.each(key, stages, [&](Stage& stage) { lines_of(lines, key, stage); });
}

template <class Lines>
void lines_of(Lines& lines, std::vector<MixedSet>& mix) {
  lines.each("data.mix", mix, [&](MixedSet& set) { lines.line("data.mix", set.weight); });
  for (std::size_t i = 0; i < mix.size(); ++i) {
    const std::string set = "data.mix." + std::to_string(i);
    lines.each(set + ".file", mix[i].files, [&](std::string& file) { lines.line(set + ".file", file); });
    lines_of(lines, set + ".stage", mix[i].stages);
  }
}

template <class Lines>
void lines_of(Lines& lines, int version, Feature& feature) {
  FeatureLine kind = line_kind_of(feature);
  if (version >= version_of_images_mixes_and_snapshots) lines.first_word("data.feature", kind);
  if (kind != FeatureLine::image) return lines.line("data.feature", feature.type, feature.size, feature.name);
  Image& image = feature.image ? *feature.image : feature.image.emplace();
  lines.line("data.feature", kind, image.height, image.width, image.channels, image.layout, image.crop.kind,
             image.crop.fraction, image.crop.least_area, image.mirror, image.black, image.white, feature.name);
  feature.size = values_in(image);
}

// The one list of the file's lines: written and read by it, so that neither direction can forget one.
template <class Lines>
void lines_of(Lines& lines, int version, Config& config) {
  lines.line("strategy", config.strategy);
  lines.line("replicas.ps", config.ps.min, config.ps.max);
  lines.line("replicas.worker", config.workers.min, config.workers.max);
  lines_of(lines, config.model);
  lines.each("data.file", config.data.files, [&](std::string& file) { lines.line("data.file", file); });
  if (version >= version_of_images_mixes_and_snapshots) lines_of(lines, config.data.mix);
  if (version >= version_of_stages) lines_of(lines, "data.stage", config.data.stages);
  lines.each("data.feature", config.data.features, [&](Feature& feature) { lines_of(lines, version, feature); });
  lines.line("training.batch", config.training.batch);
  lines.line("training.lanes", config.training.lanes);
  lines.line("training.epochs", config.training.epochs);
  lines_of(lines, config.training.optimizer);
  lines.line("training.seed", config.training.seed);
  lines.line("training.consistency", config.training.consistency);
  lines.line("training.reduction", config.training.reduction);
  lines.line("training.deterministic", config.training.deterministic);
  lines.line("checkpoint.folder", config.checkpoint.folder);
  lines.line("checkpoint.everySteps", config.checkpoint.every_steps);
  lines.line("checkpoint.resume", config.checkpoint.resume);
}

template <class Variables>
void variables_of(Variables& variables, Launch& launch) {
  variables("CARRACK_JOB", launch.job);
  variables("CARRACK_JOB_UID", launch.job_uid);
  variables("CARRACK_ROLE", launch.member.role);
  variables("CARRACK_INDEX", launch.member.index);
  variables("CARRACK_ATTEMPT", launch.fence.attempt);
  variables("CARRACK_INCARNATION", launch.fence.incarnation);
  variables("CARRACK_COORDINATOR", launch.places.coordinator);
  variables("CARRACK_LISTEN", launch.places.listen);
  variables("CARRACK_KEYS", launch.places.keys);
  variables("CARRACK_PROGRESS", launch.places.progress);
}

Config config_from(std::string_view text) {
  LineReader lines(text);
  int version = 0;
  lines.line(contract_key, version);
  if (version < oldest_version || version > contract_version) {
    throw Error(Blame::user, "the operator speaks contract " + std::to_string(version) + ", this trainer speaks " +
                                 std::to_string(oldest_version) + " to " + std::to_string(contract_version) +
                                 "; use the trainer image of the operator's release");
  }
  Config config;
  lines_of(lines, version, config);
  lines.end();
  return config;
}

}  // namespace

std::string log_line(std::string_view text) {
  std::string line = std::string(log_mark).append(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string without_log_lines(std::string_view printed) {
  // What is cut may begin within a line, which is then perhaps of the log; of one line alone all is told that there is.
  const std::size_t second_line = printed.find('\n') + 1;
  if (printed.size() >= termination_message_max && second_line > 0 && second_line < printed.size())
    printed.remove_prefix(second_line);
  std::string words;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size() - 1) + 1;
    if (!printed.starts_with(log_mark)) words += printed.substr(0, end);
    printed.remove_prefix(end);
  }
  return words.substr(0, words.find_last_not_of(" \r\n") + 1);
}

ModelKind kind_of(const Model& model) {
  return static_cast<ModelKind>(model.index());
}
OptimizerKind kind_of(const Optimizer& optimizer) {
  return static_cast<OptimizerKind>(optimizer.index());
}
StageKind kind_of(const Stage& stage) {
  return static_cast<StageKind>(stage.index());
}

const Snapshot* snapshot_in(const Data& data) {
  for (const Stage& stage : data.stages)
    if (const auto* snapshot = std::get_if<Snapshot>(&stage)) return snapshot;
  return nullptr;
}

Environment environment_of(const Launch& launch) {
  Environment environment;
  const auto write = [&](const char* name, const auto& value) { environment[name] = text_of(value); };
  Launch copy = launch;
  variables_of(write, copy);
  return environment;
}

std::string config_text(const Config& config) {
  const int version = version_for(config.data);
  LineWriter lines;
  lines.line(contract_key, version);
  Config copy = config;
  lines_of(lines, version, copy);
  return lines.text();
}

std::optional<std::uint64_t> bytes_in(std::string_view quantity) {
  constexpr std::pair<std::string_view, double> units[] = {{"", 1},          {"k", 1e3},       {"M", 1e6},
                                                           {"G", 1e9},       {"T", 1e12},      {"Ki", 0x1.0p10},
                                                           {"Mi", 0x1.0p20}, {"Gi", 0x1.0p30}, {"Ti", 0x1.0p40}};
  constexpr std::size_t longest = 17;
  const std::size_t end = std::min(quantity.find_first_not_of("0123456789."), quantity.size());
  const std::string_view digits = quantity.substr(0, end);
  double number = 0;
  const bool is_number = quantity.size() <= longest && !digits.empty() && digits.front() != '.' &&
                         digits.back() != '.' && parse(digits, number) && number > 0;
  const auto* unit = std::ranges::find(units, quantity.substr(end), &std::pair<std::string_view, double>::first);
  if (!is_number || unit == std::end(units)) return std::nullopt;
  return static_cast<std::uint64_t>(std::min(number * unit->second, 0x1.0p62));
}

std::string text_of(const Stage& stage) {
  LineWriter lines;
  Stage copy = stage;
  lines_of(lines, "stage", copy);
  const std::string line = lines.text();
  const std::size_t begin = line.find(' ') + 1;
  return line.substr(begin, line.size() - 1 - begin);
}

Launch launch_from(const Environment& environment, std::string_view config_text) {
  Launch launch;
  launch.config = config_from(config_text);
  const auto read = [&](const char* name, auto& value) {
    const auto found = environment.find(name);
    if (found == environment.end()) broken(name, "is not set; processes of a job are started by Carrack");
    if (!parse(found->second, value)) broken(name, "cannot be '" + found->second + "'");
  };
  variables_of(read, launch);
  return launch;
}

}  // namespace carrack::train
