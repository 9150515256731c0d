#include "dataloader/cli/summary/file_survey.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dataloader/cli/summary/file_format.h"
#include "dataloader/records/frame.h"

namespace carrack::data::cli {
namespace {

Bytes read_first_bytes(const ByteSource& file) {
  Bytes bytes(std::min<std::uint64_t>(file.stat().size, guess_bytes));
  if (file.read_at(0, bytes) != ReadResult::complete) bytes.clear();
  return bytes;
}

void add_records(FileSurvey& survey, Quantiles<double>& sizes, const Records& records) {
  for (const Record& record : records.records) {
    survey.sizes.add(record.data.size());
    sizes.add(static_cast<double>(record.data.size()));
    survey.frame_bytes += record.data.size() + frame::overhead;
  }
  survey.records += records.records.size();
}

void add_fault(FileSurvey& survey, Corrupt fault) {
  ++survey.damaged_spans;
  survey.lost_bytes += fault.lost;
  survey.ends_in_damage = survey.ends_in_damage || fault.fault == Fault::bad_stream;
  if (survey.faults.size() < FileSurvey::faults_max) survey.faults.push_back(std::move(fault));
}

// Returns the format of a file that has no records; empty if it has records, even if the first one is damaged.
std::string other_format(const FileSurvey& survey, std::span<const std::byte> first_bytes) {
  if (survey.kind == Kind::lfs_pointer) return kind_text(survey.kind);
  if (survey.kind == Kind::records || survey.records > 0 || survey.faults.empty()) return "";
  const Fault fault = survey.faults.front().fault;
  if (survey.kind == Kind::unknown) return fault == Fault::changed ? "" : guess_format(first_bytes);
  // The file inflates, but the inflated bytes do not begin with a record.
  return fault == Fault::bad_length ? std::string(survey.kind == Kind::gzip ? "GZIP" : "ZLIB") + " of something else"
                                    : "";
}

// Does the same as survey_file(), but ignores limit.at_least_one.
FileSurvey survey_up_to(const ByteSource& file, const SurveyLimit& limit, const OnRecords& on_records) {
  const Bytes begin = read_first_bytes(file);
  const PartOfSource beginning(file, file.name(), 0, std::min(file.stat().size, limit.bytes));
  FileSurvey survey;
  survey.name = file.name();
  survey.bytes = file.stat().size;
  survey.kind = kind_of(std::span(begin).first(std::min(begin.size(), first_bytes)));
  survey.complete = beginning.stat().size == survey.bytes;
  Quantiles<double> sizes;
  RecordReader reader(beginning, {.allow_truncated = !survey.complete});
  for (;;) {
    auto next = reader.next();
    if (std::holds_alternative<EndOfFile>(next)) break;
    if (Corrupt* fault = std::get_if<Corrupt>(&next)) {
      if (survey.records == limit.records) {  // All requested records come before the damage.
        survey.complete = false;
        break;
      }
      add_fault(survey, std::move(*fault));
      if (limit.stop_at_damage) {
        survey.complete = false;
        break;
      }
      continue;
    }
    Records& records = std::get<Records>(next);
    const bool at_limit = records.records.size() > limit.records - survey.records;
    if (at_limit) records.records = records.records.first(limit.records - survey.records);
    if (!records.records.empty()) {
      add_records(survey, sizes, records);
      on_records(records);
    }
    if (at_limit) {
      survey.complete = false;
      break;
    }
  }
  survey.median_size = Distribution(sizes).quantile(0.5);
  survey.other_format = other_format(survey, begin);
  return survey;
}

}  // namespace

std::optional<std::uint64_t> FileSurvey::estimated_records() const {
  if (kind != Kind::records || frame_bytes == 0) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<double>(records) * static_cast<double>(bytes) /
                                    static_cast<double>(frame_bytes));
}

FileSurvey survey_file(const ByteSource& file, SurveyLimit limit, const OnRecords& on_records) {
  for (;;) {
    FileSurvey survey = survey_up_to(file, limit, on_records);
    const bool has_any = survey.records > 0 || survey.damaged_spans > 0;
    if (has_any || !limit.at_least_one || limit.bytes >= survey.bytes) return survey;
    limit.bytes = std::max<std::uint64_t>(2 * limit.bytes, first_bytes);
  }
}

}  // namespace carrack::data::cli
