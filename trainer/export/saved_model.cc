#include "trainer/export/saved_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/evaluation/task.h"
#include "trainer/export/graph_builder.h"
#include "trainer/export/text_numbers.h"
#include "trainer/export/tf_operators.h"
#include "trainer/models/model.h"

namespace carrack::train {
namespace {

using saved_model::DataType;
using saved_model::DT_FLOAT;
using saved_model::DT_INT32;
using saved_model::DT_INT64;
using saved_model::DT_STRING;
using saved_model::DT_UINT8;
using tf::attr;

constexpr const char* predict_method = "tensorflow/serving/predict";
// The version of graphs that TensorFlow 2.21 writes, and the oldest version of TensorFlow's graphs that has functions
// in the form in which they are written here.
constexpr int graph_version = 2474, oldest_consumer = 12;

constexpr std::size_t bytes_max = std::numeric_limits<std::int32_t>::max();  // the maximum size of a protobuf message

Error too_large(std::size_t bytes) {
  return Error(Blame::user, "the model has " + data::format_bytes(bytes) +
                                "; a SavedModel with its weights as constants has at most 2.1 GB");
}

// Returns the shape of a value, with -1 for the number of records.
Shape shape_of(const Value& value) {
  Shape shape;
  for (const Dimension& dimension : value.shape) shape.push_back(dimension.of_rows ? -1 : dimension.count);
  return shape;
}

DataType type_of(const Value& value) {
  return value.type == Type::int64 ? DT_INT64 : DT_FLOAT;
}

// Returns the type in which a parsed tf.Example has the feature.
DataType parsed_type(FeatureType type) {
  switch (type) {
    case FeatureType::float32:
      return DT_FLOAT;
    case FeatureType::int64:
      return DT_INT64;
    case FeatureType::uint8:
    case FeatureType::text:
      return DT_STRING;
  }
  throw Error(Blame::bug, "a feature of no type");
}

saved_model::TensorInfo info(const std::string& output, DataType type, const Shape& shape) {
  saved_model::TensorInfo info;
  info.set_name(output + ":0");
  info.set_dtype(type);
  *info.mutable_tensor_shape() = tf::shape_of(shape);
  return info;
}

// Returns the name of the signature's input for a feature. TensorFlow makes a Python function of each signature, so the
// name must be a Python identifier.
std::string input_name(const std::string& feature) {
  constexpr std::string_view keywords[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                           "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                           "else",   "except", "finally", "for",      "from",     "global", "if",
                                           "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                           "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};
  std::string name;
  for (const char one : feature) {
    const bool is_digit = one >= '0' && one <= '9';
    const bool is_letter = (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z');
    if (is_digit && name.empty()) name += '_';
    name += is_digit || is_letter ? one : '_';
  }
  return std::ranges::find(keywords, name) == std::end(keywords) ? name : name + "_";
}

// Returns the names of the signature's inputs for these features. A feature whose name is a valid identifier has the
// same name as input. Other names get as many `_` at their end as are needed to make all names different.
std::vector<std::string> input_names(const std::vector<Feature>& features) {
  std::set<std::string> taken;
  for (const Feature& feature : features) {
    if (input_name(feature.name) == feature.name) taken.insert(feature.name);
  }
  std::vector<std::string> names;
  for (const Feature& feature : features) {
    std::string name = input_name(feature.name);
    while (name != feature.name && !taken.insert(name).second) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

class ModelWriter {
 public:
  ModelWriter(const Config& config, std::span<const float> parameters)
      : config_(config),
        parameters_(parameters),
        model_(inference_graph(config.model, config.data, Losses::left_out)),
        to_(*graph_def_.mutable_graph_def()),
        operators_(model_.graph, to_) {}

  saved_model::MetaGraph write() && {
    write_inputs();
    write_parameters();
    for (const Node& node : model_.graph.nodes()) operators_.append(node);
    write_outputs();
    if (can_parse()) add_signature("examples");
    add_signature("serving_default");
    graph_def_.mutable_meta_info_def()->add_tags("serve");
    auto& versions = *graph_def_.mutable_graph_def()->mutable_versions();
    versions.set_producer(graph_version);
    versions.set_min_consumer(oldest_consumer);
    return std::move(graph_def_);
  }

 private:
  const Value& value(ValueId id) const { return model_.graph.value(id); }

  // Whether the graph can read serialized tf.Examples. A model of images cannot: they are encoded in tf.Examples, and
  // TensorFlow would resize them in another way than the data loader.
  bool can_parse() const {
    return std::ranges::none_of(model_.features, [](const Feature& feature) { return feature.image.has_value(); });
  }

  void write_inputs() {
    const std::vector<std::string> names = input_names(model_.features);
    const std::vector<std::string> parsed = can_parse() ? parsed_features() : std::vector<std::string>();
    for (std::size_t i = 0; i < model_.features.size(); ++i) {
      const ValueId input = model_.graph.inputs()[i];
      const std::string name = "feature_" + std::to_string(i);
      const Feature& feature = model_.features[i];
      const bool is_text = feature.type == FeatureType::text;
      const DataType type = is_text ? DT_STRING : type_of(value(input));
      const tf::Attrs attrs{{"dtype", attr(type)}, {"shape", attr(tf::shape_of(shape_of(value(input))))}};
      if (parsed.empty()) {
        to_.add_named(name, "Placeholder", {}, attrs);
      } else {
        to_.add_named(name, "PlaceholderWithDefault", {parsed[i]}, attrs);
      }
      operators_.set(input, is_text ? tf::text_numbers(feature, name, to_) : name);
      inputs_[names[i]] = info(name, type, shape_of(value(input)));
    }
  }

  // Appends nodes that parse serialized tf.Examples. Returns the output for each feature.
  std::vector<std::string> parsed_features() {
    to_.add_named("examples", "Placeholder", {}, {{"dtype", attr(DT_STRING)}, {"shape", attr(tf::shape_of({-1}))}});
    std::vector<std::string> names, defaults;
    std::vector<DataType> types;
    std::vector<saved_model::TensorShape> shapes;
    for (const Feature& feature : model_.features) {
      const bool is_bytes = feature.type == FeatureType::uint8;
      names.push_back(feature.name);
      types.push_back(parsed_type(feature.type));
      const Shape shape = shape_of(value(model_.graph.inputs()[names.size() - 1]));
      shapes.push_back(tf::shape_of(is_bytes ? Shape() : Shape(shape.begin() + 1, shape.end())));
      defaults.push_back(to_.empty_constant(types.back()));
    }
    std::vector<std::string> inputs{"examples", to_.strings({}), to_.strings({}), to_.strings(names), to_.strings({})};
    inputs.insert(inputs.end(), defaults.begin(), defaults.end());
    const std::string parser = to_.add("ParseExampleV2", std::move(inputs),
                                       {{"Tdense", tf::types_attr(types)},
                                        {"num_sparse", attr(std::int64_t{0})},
                                        {"sparse_types", tf::types_attr({})},
                                        {"ragged_value_types", tf::types_attr({})},
                                        {"ragged_split_types", tf::types_attr({})},
                                        {"dense_shapes", tf::shapes_attr(shapes)}});
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string output = i == 0 ? parser : parser + ":" + std::to_string(i);
      outputs.push_back(model_.features[i].type == FeatureType::uint8 ? numbers_of_bytes(output, model_.features[i])
                                                                      : output);
    }
    return outputs;
  }

  std::string numbers_of_bytes(const std::string& bytes, const Feature& feature) {
    const std::string raw =
        to_.add("DecodeRaw", {bytes}, {{"out_type", attr(DT_UINT8)}, {"little_endian", attr(true)}});
    // Without this check, Reshape would make two records of a record with twice as many bytes.
    const std::string checked =
        to_.add("EnsureShape", {raw}, {{"T", attr(DT_UINT8)}, {"shape", attr(tf::shape_of({-1, feature.size}))}});
    const std::string floats = to_.add("Cast", {checked}, {{"SrcT", attr(DT_UINT8)}, {"DstT", attr(DT_FLOAT)}});
    std::vector<std::int32_t> sizes{-1};
    for (const std::int64_t size : train::shape_of(feature)) sizes.push_back(tf::int32_of(size));
    return to_.add("Reshape", {floats, to_.numbers(sizes)}, {{"T", attr(DT_FLOAT)}, {"Tshape", attr(DT_INT32)}});
  }

  void write_parameters() {
    const Layout layout = layout_of(model_graph(config_.model, config_.data));
    for (const ValueId parameter : model_.graph.parameters()) {
      const PlacedTensor& placed = layout.tensor(value(parameter).name);
      const auto values = parameters_.subspan(static_cast<std::size_t>(placed.range.begin),
                                              static_cast<std::size_t>(placed.range.size()));
      operators_.set(parameter, to_.floats(values, placed.shape));
    }
  }

  void write_outputs() {
    const std::string raw = operators_.output(model_.output);
    const Shape shape = shape_of(value(model_.output));
    const ModelTask task = task_of(config_.model, config_.data, {shape.begin() + 1, shape.end()});
    write_output("output", to_.add("Identity", {raw}, tf::of_floats()), DT_FLOAT, shape);
    if (task.kind == ModelTask::Kind::classes) {
      write_output("probabilities", to_.add("Softmax", {raw}, tf::of_floats()), DT_FLOAT, shape);
      write_class(raw, task.words);
    } else if (task.kind == ModelTask::Kind::labels) {
      write_output("probabilities", to_.add("Sigmoid", {raw}, tf::of_floats()), DT_FLOAT, shape);
    } else if (model_.target) {
      write_errors(raw, *model_.target, task);
    }
  }

  void write_class(const std::string& scores, const std::vector<std::string>& words) {
    const std::string greatest =
        to_.add("ArgMax", {scores, to_.number(-1)},
                {{"T", attr(DT_FLOAT)}, {"Tidx", attr(DT_INT32)}, {"output_type", attr(DT_INT64)}});
    write_output("class", greatest, DT_INT64, {-1});
    if (words.empty()) return;
    const tf::Attrs attrs{{"Tparams", attr(DT_STRING)}, {"Tindices", attr(DT_INT64)}, {"Taxis", attr(DT_INT32)}};
    const std::string word = to_.add("GatherV2", {to_.strings(words), greatest, to_.number(0)}, attrs);
    write_output("label", word, DT_STRING, {-1});
  }

  // Writes the squared errors of a model that reconstructs its input: `errors` for each column, and `error`, their
  // mean, for each record.
  void write_errors(const std::string& raw, ValueId target, const ModelTask& task) {
    const std::string wanted = operators_.output(target);
    const std::string squares = to_.add("SquaredDifference", {raw, wanted}, tf::of_floats());
    std::vector<std::int32_t> axes;
    for (std::int32_t axis = 1; axis < std::ssize(task.output); ++axis) axes.push_back(axis);
    const tf::Attrs attrs{{"T", attr(DT_FLOAT)}, {"Tidx", attr(DT_INT32)}, {"keep_dims", attr(false)}};
    const std::string of_each = axes.empty() ? squares : to_.add("Mean", {squares, to_.numbers(axes)}, attrs);
    write_output("errors", to_.add("Identity", {of_each}, tf::of_floats()), DT_FLOAT, {-1, task.width()});
    write_output("error", to_.add("Mean", {of_each, to_.numbers({1})}, attrs), DT_FLOAT, {-1});
  }

  void write_output(const std::string& name, const std::string& output, DataType type, const Shape& shape) {
    outputs_[name] = info(output, type, shape);
  }

  void add_signature(const std::string& name) {
    saved_model::SignatureDef& signature = (*graph_def_.mutable_signature_def())[name];
    signature.set_method_name(predict_method);
    if (name == "examples") {
      (*signature.mutable_inputs())["examples"] = info("examples", DT_STRING, {-1});
    } else {
      for (const auto& [input, tensor] : inputs_) (*signature.mutable_inputs())[input] = tensor;
    }
    for (const auto& [output, tensor] : outputs_) (*signature.mutable_outputs())[output] = tensor;
  }

  const Config& config_;
  std::span<const float> parameters_;
  InferenceGraph model_;
  saved_model::MetaGraph graph_def_;
  tf::GraphBuilder to_;
  tf::OperatorWriter operators_;
  std::map<std::string, saved_model::TensorInfo> inputs_, outputs_;  // by the names in signatures
};

}  // namespace

saved_model::SavedModel saved_model_of(const Config& config, std::span<const float> parameters) {
  if (parameters.size_bytes() > bytes_max) throw too_large(parameters.size_bytes());
  saved_model::SavedModel model;
  model.set_saved_model_schema_version(1);
  *model.add_meta_graphs() = ModelWriter(config, parameters).write();
  return model;
}

std::string bytes_of(const saved_model::SavedModel& model) {
  std::string bytes;
  google::protobuf::io::StringOutputStream text(&bytes);
  google::protobuf::io::CodedOutputStream stream(&text);
  stream.SetSerializationDeterministic(true);
  const bool is_written = model.ByteSizeLong() <= bytes_max && model.SerializeToCodedStream(&stream);
  stream.Trim();
  if (!is_written || stream.HadError()) throw too_large(model.ByteSizeLong());
  return bytes;
}

}  // namespace carrack::train
