#include "dataloader/cli/words.h"

#include <array>

#include "dataloader/cli/row_inputs.h"
#include "dataloader/cli/text.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

std::string span_text(const Range& range) {
  if (range.least > range.most) return "none";
  return counted(range.least) + (range.least == range.most ? "" : " to " + counted(range.most));
}

std::string extent_text(const Range& range) {
  return span_text(range) + (range.least == range.most && range.most == 1 ? " byte" : " bytes");
}

std::string number_text(float number) {
  return short_number(number);
}
std::string number_text(std::int64_t number) {
  return whole_number(number);
}

template <typename Number>
std::string numbers_text(const NumberSummary<Number>& numbers) {
  std::string text;
  if (numbers.count > 0 && numbers.least == numbers.most) text = "always " + number_text(numbers.least);
  if (numbers.count > 0 && numbers.least != numbers.most)
    text = number_text(numbers.least) + " to " + number_text(numbers.most) + ", mean " + short_number(numbers.mean());
  if (numbers.nans > 0) text += (text.empty() ? "" : ", ") + counted(numbers.nans) + " NaN";
  const std::uint64_t infinite = numbers.infinite + numbers.negative_infinite;
  if (infinite > 0) text += (text.empty() ? "" : ", ") + counted(infinite) + " infinite";
  return text;
}

std::string image_text(const std::string& format, const ImageSizes& sizes) {
  const auto size = [](std::uint64_t width, std::uint64_t height) {
    return std::to_string(width) + "x" + std::to_string(height);
  };
  std::string text = format + " " + size(sizes.width.least, sizes.height.least);
  if (sizes.width.least != sizes.width.most || sizes.height.least != sizes.height.most)
    text += " to " + size(sizes.width.most, sizes.height.most);
  return text;
}

std::string strings_text(const StringSummary& strings) {
  if (strings.lengths.count == 0) return "";
  std::string text;
  std::uint64_t images = 0;
  for (const auto& [format, sizes] : strings.images) {
    text += (text.empty() ? "" : ", ") + image_text(format, sizes);
    images += sizes.count;
  }
  if (images > 0 && images < strings.lengths.count)
    text += ", " + counted(strings.lengths.count - images) + " of " + counted(strings.lengths.count) + " no image";
  const Range lengths{static_cast<std::uint64_t>(strings.lengths.least),
                      static_cast<std::uint64_t>(strings.lengths.most)};
  if (images > 0) return text + ", " + extent_text(lengths);
  return (strings.texts == strings.lengths.count ? "text of " : "") + extent_text(lengths);
}

}  // namespace

std::string kind_text(const FileLook& file) {
  if (file.kind == Kind::lfs_pointer) return "a pointer of Git LFS; `git lfs pull` fetches the file itself";
  if (!file.holds_records()) return file.looks;
  if (file.bytes == 0) return "empty";
  if (file.kind == Kind::gzip) return "TFRecord, GZIP";
  return file.kind == Kind::zlib ? "TFRecord, ZLIB" : "TFRecord";
}

std::string conversion_of(const std::string& name) {
  const std::size_t last = name.size() - (name.ends_with(".gz") ? std::string_view(".gz").size() : 0) - 1;
  return "`carrack data convert " + printable(name) + " --to " + printable(name.substr(0, name.rfind('.', last))) +
         ".tfrecord`";
}

std::string no_records_text(const FileLook& file) {
  std::string text = printable(file.name) + ": holds no records: " + kind_text(file);
  if (kind_of_input(file.name) != InputKind::records)
    text += "; " + conversion_of(file.name) + " makes records of it";
  else if (file.looks == "text" || file.looks == "JSON")
    text += "; what is CSV or JSON lines is known by its name, which ends in .csv or .jsonl";
  return text;
}

std::string records_text(const FileLook& file) {
  if (file.whole) return counted(file.records, "record");
  const std::optional<std::uint64_t> estimate = file.estimated_records();
  return estimate ? "about " + counted(*estimate, "record") : "at least " + counted(file.records, "record");
}

std::string sizes_text(const Range& sizes, double median) {
  if (sizes.least > sizes.most) return "";
  const bool all_same = sizes.least == sizes.most;
  return extent_text(sizes) + " each" + (all_same ? "" : ", median " + counted(static_cast<std::uint64_t>(median)));
}

std::string fault_text(const Corrupt& fault) {
  return printable(text(fault)) + "; " + counted(fault.lost, "byte") + " lost";
}

std::string damage_text(std::uint64_t damaged, std::uint64_t lost) {
  return counted(damaged, "damaged span") + ", " + counted(lost, "byte") + " lost";
}

std::string messages_text(const Summary& summary) {
  using Message = ExampleWalker::Message;
  constexpr std::array<const char*, 3> names = {"tf.Example", "tf.SequenceExample",
                                                "neither tf.Example nor tf.SequenceExample"};
  std::string text;
  for (const Message message : {Message::example, Message::sequence_example, Message::other}) {
    const std::uint64_t count = summary.count(message);
    const char* name = names[static_cast<std::size_t>(message)];
    if (count == summary.records()) return name;
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count) + " " + name;
  }
  if (summary.first_other) text += " (the first is " + printable(*summary.first_other) + ")";
  return text;
}

std::string type_text(const FeatureSummary& feature) {
  constexpr std::array<const char*, 4> names = {"", "bytes", "float32", "int64"};
  std::string text;
  for (std::size_t dtype = 1; dtype < names.size(); ++dtype)
    if (feature.as[dtype] > 0) text += (text.empty() ? "" : " or ") + std::string(names[dtype]);
  return text.empty() ? "none" : text;
}

std::string values_text(const FeatureSummary& feature) {
  if (!feature.steps) return span_text(feature.values);
  const bool one = feature.steps->least == 1 && feature.steps->most == 1;
  return span_text(*feature.steps) + (one ? " step of " : " steps of ") + span_text(feature.values);
}

std::string contents_text(const FeatureSummary& feature) {
  std::string text;
  for (const std::string& part :
       {strings_text(feature.strings), numbers_text(feature.floats), numbers_text(feature.ints)})
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace carrack::data::cli
