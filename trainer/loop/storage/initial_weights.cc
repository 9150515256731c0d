#include "trainer/loop/storage/initial_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/records/raw_numbers.h"
#include "dataloader/text.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/error.h"
#include "trainer/launch/edit_distance.h"
#include "trainer/launch/tensor_groups.h"
#include "trainer/loop/storage/commit_store.h"
#include "trainer/loop/storage/weights_file.h"

namespace carrack::train {
namespace {

constexpr std::size_t lines_max = 5;    // maximum number of lines in a message
constexpr std::size_t nearest_max = 5;  // maximum number of names in a line
// The maximum number of names of the file, and the maximum length of a name, that are compared with a name that the
// file lacks. So finding the most similar names takes seconds at most.
constexpr std::size_t compared_max = 2'000, compared_size_max = 200;

// Where the file stores a tensor of this job.
struct Source {
  std::string name;
  bool transposed = false;
};

// True if this job reads the tensor from the file. Tensors that never change are statistics of the data instead.
bool is_from_file(const InitialWeights& initial, const std::string& tensor, bool never_changes) {
  return !never_changes && std::ranges::any_of(initial.tensors, [&](const std::string& pattern) {
    return matches_tensor(pattern, tensor);
  });
}

Source source_of(const InitialWeights& initial, const std::string& tensor, const WeightsFile& file) {
  Source source{tensor};
  const auto found = std::ranges::find(initial.names, tensor, &StoredName::tensor);
  if (found != initial.names.end()) {
    source.transposed = found->transposed;
    if (!found->stored_as.empty()) source.name = found->stored_as;
  }
  // A checkpoint of a TensorFlow object stores its variable `kernel` as `kernel/.ATTRIBUTES/VARIABLE_VALUE`.
  const std::string variable = source.name + "/.ATTRIBUTES/VARIABLE_VALUE";
  if (!file.tensors().contains(source.name) && file.tensors().contains(variable)) source.name = variable;
  return source;
}

// Returns a text such as "the nearest are a [3], b [2,3]", which names only tensors that can be read.
std::string nearest(const std::string& name, const WeightsFile& file) {
  std::vector<std::pair<std::size_t, std::string>> names;
  for (const auto& [other, stored] : file.tensors()) {
    if (!stored.element_type || other.size() > compared_size_max) continue;
    names.emplace_back(edit_distance(name, other),
                       data::excerpt(other, compared_size_max) + " " + checkpoint::text_of(stored.shape));
    if (names.size() == compared_max) break;
  }
  std::ranges::stable_sort(names, {}, [](const auto& one) { return one.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), nearest_max); ++i) text += (i == 0 ? "" : ", ") + names[i].second;
  if (names.empty()) return "it has no tensor of float32";
  return (names.size() <= nearest_max ? "it has " : "the nearest are ") + text;
}

// Returns the shape that this job's tensor must have in the file, which may store it transposed.
checkpoint::Shape wanted_shape(const PlacedTensor& tensor, const Source& source) {
  checkpoint::Shape shape = tensor.shape;
  if (source.transposed) std::ranges::reverse(shape);
  return shape;
}

bool fits(const PlacedTensor& tensor, const Source& source, const WeightsFile& file) {
  const auto found = file.tensors().find(source.name);
  return found != file.tensors().end() && found->second.element_type &&
         found->second.shape == wanted_shape(tensor, source);
}

// Returns why a tensor of the file cannot be used for this job's tensor, and what the user can change.
std::string problem_of(const PlacedTensor& tensor, const Source& source, const WeightsFile& file) {
  const std::string ours = tensor.name + " " + checkpoint::text_of(tensor.shape);
  const std::string theirs = data::excerpt(source.name, compared_size_max);
  const auto found = file.tensors().find(source.name);
  if (found == file.tensors().end()) {
    return "has no " + theirs + " for " + ours + "; " + nearest(source.name, file) +
           "; say in names what it is called there, or list in tensors only what is there";
  }
  const StoredWeights& stored = found->second;
  const std::string held = "has " + theirs + " as " + stored.type + " " + checkpoint::text_of(stored.shape);
  if (!stored.element_type) return held + "; what can be read is float32, float64, float16 and bfloat16";
  const std::string compared = held + ", and this job has " + ours;
  if (source.transposed) {
    return compared + ", which is " + checkpoint::text_of(wanted_shape(tensor, source)) + " there if it is transposed";
  }
  const bool is_turned = tensor.shape.size() == 2 && fits(tensor, {source.name, true}, file);
  return compared + (is_turned ? "; set transposed: true for it in names" : "");
}

// Throws unless the file has each tensor that this job reads from it, with the right shape and a type that can be read.
void require_tensors(const InitialWeights& initial, const Layout& layout, const WeightsFile& file) {
  std::vector<std::string> lines;
  std::uint64_t more = 0;
  for (const PlacedTensor& tensor : layout.tensors()) {
    const Source source = source_of(initial, tensor.name, file);
    if (!is_from_file(initial, tensor.name, tensor.never_changes()) || fits(tensor, source, file)) continue;
    if (lines.size() == lines_max) {
      ++more;
    } else {
      lines.push_back("spec.training.initialWeights: " + initial.from + " " + problem_of(tensor, source, file));
    }
  }
  if (lines.empty()) return;
  if (more > 0) lines.push_back("spec.training.initialWeights: " + data::counted(more, "more tensor") + " like that");
  throw Error(Blame::user, data::joined(lines, "\n"));
}

// Writes the elements of a stored tensor to their positions in a slice of this job's tensor.
class Target {
 public:
  Target(const Slice& slice, bool transposed, data::Raw type, std::span<float> values)
      : slice_(slice), transposed_(transposed), type_(type), values_(values) {}

  // Returns the rows of the stored tensor that have elements of the slice. If it is transposed, these are all its rows.
  checkpoint::Rows rows() const {
    if (transposed_) return {0, slice_.shape[1]};
    return {slice_.row_begin, slice_.row_count};
  }

  // `bytes` are a piece of the stored tensor, and `at` is the offset of the piece from the tensor's first byte.
  void take(std::span<const std::byte> bytes, std::uint64_t at) {
    numbers_.resize(bytes.size() / data::size_of(type_));
    data::decode_numbers(bytes, type_, std::span<float>(numbers_));
    const auto first = static_cast<std::int64_t>(at / data::size_of(type_));
    transposed_ ? place_transposed(first) : place(first);
  }

 private:
  void place(std::int64_t first) {
    const std::int64_t begin = slice_.row_begin * (slice_.size / slice_.row_count), end = begin + slice_.size;
    const std::int64_t from = std::max(first, begin), to = std::min(first + std::ssize(numbers_), end);
    if (from >= to) return;
    std::copy(numbers_.begin() + (from - first), numbers_.begin() + (to - first), values_.begin() + (from - begin));
  }

  // A row of the stored tensor is a column of this job's tensor.
  void place_transposed(std::int64_t first) {
    const std::int64_t rows = slice_.shape[0], columns = slice_.shape[1];
    std::int64_t column = first / rows, row = first % rows - slice_.row_begin;
    for (const float number : numbers_) {
      if (row >= 0 && row < slice_.row_count) values_[static_cast<std::size_t>(row * columns + column)] = number;
      if (++row == rows - slice_.row_begin) {
        row = -slice_.row_begin;
        ++column;
      }
    }
  }

  const Slice& slice_;
  bool transposed_;
  data::Raw type_;
  std::span<float> values_;  // the values of the slice
  std::vector<float> numbers_;
};

// Describes values with which the tensor cannot begin. Returns "" if there are none.
std::string unusable(const std::string& tensor, std::span<const float> values) {
  if (!std::ranges::all_of(values, [](float one) { return std::isfinite(one); })) {
    return "NaN, infinity or a number beyond float32";
  }
  const bool is_variance = tensor.ends_with("/moving_variance");
  return is_variance && std::ranges::any_of(values, [](float one) { return one < 0; }) ? "a variance below 0" : "";
}

void read_slice(const InitialWeights& initial, const Slice& slice, const WeightsFile& file, std::span<float> values,
                const std::function<void()>& progressed) {
  const Source source = source_of(initial, slice.name, file);
  Target target(slice, source.transposed, file.tensors().at(source.name).element_type.value(), values);
  file.read(source.name, target.rows(), [&](std::span<const std::byte> bytes, std::uint64_t at) {
    progressed();
    target.take(bytes, at);
  });
  const std::string found = unusable(slice.name, values);
  if (found.empty()) return;
  throw Error(Blame::user, "spec.training.initialWeights: " + initial.from + " has " +
                               data::excerpt(source.name, compared_size_max) + " with " + found + ", so " + slice.name +
                               " cannot begin with it");
}

}  // namespace

std::string require_initial_weights(const Launch& launch, const Layout& layout, const data::Storages& storages) {
  const std::optional<InitialWeights>& initial = launch.config.training.initial_weights;
  if (!initial || has_commit(launch, storages)) return "";
  const std::unique_ptr<const WeightsFile> file = open_weights(initial->from, storages);
  require_tensors(*initial, layout, *file);
  return file->version();
}

void read_initial_weights(const InitialWeights& initial, const Layout& layout, Range range, std::span<float> values,
                          const data::Storages& storages, const std::string& version,
                          const std::function<void()>& progressed) {
  const std::unique_ptr<const WeightsFile> file = open_weights(initial.from, storages, version);
  if (!version.empty() && file->version() != version) {
    throw Error(Blame::platform, "spec.training.initialWeights.from: " + initial.from +
                                     " is not the file any more that the coordinator has checked; this is tried again");
  }
  require_tensors(initial, layout, *file);
  for (const Slice& slice : slices(layout, range)) {
    if (!is_from_file(initial, slice.name, slice.never_changes())) continue;
    read_slice(
        initial, slice, *file,
        values.subspan(static_cast<std::size_t>(slice.offset - range.begin), static_cast<std::size_t>(slice.size)),
        progressed);
  }
}

}  // namespace carrack::train
