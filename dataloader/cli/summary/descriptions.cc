#include "dataloader/cli/summary/descriptions.h"

#include <array>

#include "dataloader/cli/summary/input_kind.h"
#include "dataloader/cli/summary/number_format.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

std::string format_range(const Range& range) {
  if (range.min > range.max) return "none";
  return counted(range.min) + (range.min == range.max ? "" : " to " + counted(range.max));
}

std::string format_byte_range(const Range& range) {
  return format_range(range) + (range.min == range.max && range.max == 1 ? " byte" : " bytes");
}

std::string format_number(float number) {
  return short_number(number);
}
std::string format_number(std::int64_t number) {
  return whole_number(number);
}

template <typename Number>
std::string describe_numbers(const NumberSummary<Number>& numbers) {
  std::string text;
  if (numbers.count > 0 && numbers.min == numbers.max) text = "always " + format_number(numbers.min);
  if (numbers.count > 0 && numbers.min != numbers.max)
    text = format_number(numbers.min) + " to " + format_number(numbers.max) + ", mean " + short_number(numbers.mean());
  if (numbers.nan_count > 0) text += (text.empty() ? "" : ", ") + counted(numbers.nan_count) + " NaN";
  const std::uint64_t infinities = numbers.infinities + numbers.negative_infinities;
  if (infinities > 0) text += (text.empty() ? "" : ", ") + counted(infinities) + " infinite";
  return text;
}

std::string describe_images(const std::string& format, const ImageSizes& sizes) {
  const auto size = [](std::uint64_t width, std::uint64_t height) {
    return std::to_string(width) + "x" + std::to_string(height);
  };
  std::string text = format + " " + size(sizes.width.min, sizes.height.min);
  if (sizes.width.min != sizes.width.max || sizes.height.min != sizes.height.max)
    text += " to " + size(sizes.width.max, sizes.height.max);
  return text;
}

std::string describe_strings(const StringSummary& strings) {
  if (strings.lengths.count == 0) return "";
  std::string text;
  std::uint64_t images = 0;
  for (const auto& [format, sizes] : strings.images) {
    text += (text.empty() ? "" : ", ") + describe_images(format, sizes);
    images += sizes.count;
  }
  if (images > 0 && images < strings.lengths.count)
    text += ", " + counted(strings.lengths.count - images) + " of " + counted(strings.lengths.count) + " no image";
  const Range lengths{static_cast<std::uint64_t>(strings.lengths.min), static_cast<std::uint64_t>(strings.lengths.max)};
  if (images > 0) return text + ", " + format_byte_range(lengths);
  return (strings.texts == strings.lengths.count ? "text of " : "") + format_byte_range(lengths);
}

}  // namespace

std::string describe_kind(const FileSurvey& file) {
  if (file.kind == Kind::lfs_pointer) return "a pointer of Git LFS; `git lfs pull` fetches the file itself";
  if (!file.holds_records()) return file.other_format;
  if (file.bytes == 0) return "empty";
  if (file.kind == Kind::gzip) return "TFRecord, GZIP";
  return file.kind == Kind::zlib ? "TFRecord, ZLIB" : "TFRecord";
}

std::string convert_command(const std::string& name) {
  const std::size_t last = name.size() - (name.ends_with(".gz") ? std::string_view(".gz").size() : 0) - 1;
  return "`carrack data convert " + printable(name) + " --to " + printable(name.substr(0, name.rfind('.', last))) +
         ".tfrecord`";
}

std::string no_records_message(const FileSurvey& file) {
  std::string text = printable(file.name) + ": holds no records: " + describe_kind(file);
  if (input_kind(file.name) != InputKind::records)
    text += "; " + convert_command(file.name) + " makes records of it";
  else if (file.other_format == "text" || file.other_format == "JSON")
    text += "; what is CSV or JSON lines is known by its name, which ends in .csv or .jsonl";
  return text;
}

std::string describe_record_count(const FileSurvey& file) {
  if (file.complete) return counted(file.records, "record");
  const std::optional<std::uint64_t> estimate = file.estimated_records();
  return estimate ? "about " + counted(*estimate, "record") : "at least " + counted(file.records, "record");
}

std::string describe_record_sizes(const Range& sizes, double median) {
  if (sizes.min > sizes.max) return "";
  const bool all_same = sizes.min == sizes.max;
  return format_byte_range(sizes) + " each" +
         (all_same ? "" : ", median " + counted(static_cast<std::uint64_t>(median)));
}

std::string fault_text(const Corrupt& fault, std::optional<std::uint64_t> line) {
  std::string what = text(fault);
  // text() begins with the file and the number of the row or record. The line number is inserted after them.
  const std::string beginning = fault.file + ": " + std::string(fault.unit) + " " + std::to_string(fault.record);
  if (line) what.insert(beginning.size(), " (line " + std::to_string(*line) + ")");
  return printable(what);
}

std::string describe_fault(const Corrupt& fault, std::optional<std::uint64_t> line) {
  return fault_text(fault, line) + "; " + counted(fault.lost, "byte") + " lost";
}

std::string describe_damage(std::uint64_t damaged, std::uint64_t lost) {
  return counted(damaged, "damaged span") + ", " + counted(lost, "byte") + " lost";
}

std::string describe_throughput(std::uint64_t bytes, double seconds) {
  return format_bytes(bytes) + " in " + with_one_decimal(seconds) + " s, " + format_rate(bytes, seconds);
}

std::string describe_messages(const Summary& summary) {
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
  if (summary.first_unknown) text += " (the first is " + printable(*summary.first_unknown) + ")";
  return text;
}

std::string describe_type(const FeatureSummary& feature) {
  constexpr std::array<const char*, 4> names = {"", "bytes", "float32", "int64"};
  std::string text;
  for (std::size_t dtype = 1; dtype < names.size(); ++dtype)
    if (feature.records_by_type[dtype] > 0) text += (text.empty() ? "" : " or ") + std::string(names[dtype]);
  return text.empty() ? "none" : text;
}

std::string describe_value_count(const FeatureSummary& feature) {
  if (!feature.steps) return format_range(feature.values);
  const bool one = feature.steps->min == 1 && feature.steps->max == 1;
  return format_range(*feature.steps) + (one ? " step of " : " steps of ") + format_range(feature.values);
}

std::string describe_contents(const FeatureSummary& feature) {
  std::string text;
  for (const std::string& part :
       {describe_strings(feature.strings), describe_numbers(feature.floats), describe_numbers(feature.ints)})
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace carrack::data::cli
