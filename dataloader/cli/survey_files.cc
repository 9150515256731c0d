#include "dataloader/cli/survey_files.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataloader/cli/inputs.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/column_names_file.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/machine/limits.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// A file's share of the limit is at least this many bytes, because a single request reads this much anyway.
constexpr std::uint64_t file_bytes_min = std::uint64_t{256} << 10;

// The maximum number of faults that the result stores for all files together, so that many damaged files do not fill
// the memory. on_file() receives further faults, too.
constexpr std::size_t kept_faults_max = 100'000;

SurveyLimit limit_per_file(const SurveyLimit& limit, std::size_t files) {
  const std::uint64_t unlimited = SurveyLimit().bytes;
  const std::uint64_t count = std::max<std::uint64_t>(files, 1);
  return {std::max<std::uint64_t>(limit.records / count, 1),
          limit.bytes == unlimited ? unlimited : std::max(limit.bytes / count, file_bytes_min)};
}

std::uint64_t bytes_to_read(const std::vector<Listed>& files, const SurveyLimit& per_file) {
  std::uint64_t bytes = 0;
  for (const Listed& file : files) bytes += std::min(file.stat.size, per_file.bytes);
  return bytes;
}

struct FileResult {
  FileSurvey file;
  ColumnNames columns;
  Summary summary;
  std::string failure;    // why the file could not be read; empty if it could
  std::string ambiguity;  // see ambiguity() in selection.h
};

FileResult survey_one(Storage& storage, const ByteSource& file, const SurveyLimit& limit,
                      const SurveyOptions& options) {
  FileResult result;
  ExampleWalker walker;
  try {
    if (options.summarize) result.columns = read_column_names(storage, file.name());
    if (options.only) {
      result.ambiguity = ambiguity(*options.only, result.columns);
      if (!result.ambiguity.empty()) return result;
      result.summary.only = parse_selection(*options.only, result.columns);
    }
    result.file = survey_file(file, limit, [&](const Records& records) {
      if (!options.summarize) return;
      std::uint64_t number = records.first;
      for (const Record& record : records.records) result.summary.add(file.name(), number++, record.data, walker);
    });
  } catch (const Error& error) {
    result.failure = error.what();
  }
  return result;
}

// Collects the names of columns that are the same in all files. If the names for a feature differ between two files,
// its columns are shown without names.
class CommonNames {
 public:
  void add(const std::string& file, const ColumnNames& names) {
    if (first_file_.empty()) {
      first_file_ = file;
      first_ = common_ = names;
    }
    for (const auto& [feature, unused] : first_) compare(feature, file, names);
    for (const auto& [feature, unused] : names) compare(feature, file, names);
  }

  const ColumnNames& names() const { return common_; }
  // Returns a sentence about the first difference between the names of two files; empty if there is none.
  const std::string& difference() const { return difference_; }

 private:
  void compare(const std::string& feature, const std::string& file, const ColumnNames& names) {
    const auto before = first_.find(feature);
    const auto now = names.find(feature);
    if (before != first_.end() && now != names.end() && before->second == now->second) return;
    common_.erase(feature);
    if (!difference_.empty()) return;
    difference_ = "the columns of " + feature + " have " +
                  (before == first_.end() ? "names in " + file + " and none in " + first_file_
                   : now == names.end()   ? "names in " + first_file_ + " and none in " + file
                                          : "other names in " + file + " than in " + first_file_) +
                  ", so they are shown without names";
  }

  std::string first_file_;
  ColumnNames first_, common_;
  std::string difference_;
};

}  // namespace

ReadResult TrackedFile::read(std::span<const Slice> slices) const {
  check_interrupted();
  const ReadResult result = file_.read(slices);
  for (const Slice& slice : slices) {
    const std::uint64_t end = slice.offset + slice.into.size();
    const std::uint64_t before = end_.exchange(std::max(end, end_.load()));
    if (end > before) progress_.add(end - before);
  }
  return result;
}

unsigned thread_count(const Request& request) {
  return request.threads.value_or(static_cast<unsigned>(std::max(1.0, std::ceil(cpus_of_this_process()))));
}

Survey survey_files(const Request& request, const Storages& storages, const SurveyOptions& options) {
  const std::vector<Listed> files = list_files(storages, request.inputs);
  const SurveyLimit per_file = limit_per_file(options.limit, files.size());
  Progress progress(bytes_to_read(files, per_file), errors_are_on_a_terminal());
  Survey survey;
  if (options.only) survey.summary.only = parse_selection(*options.only);
  CommonNames columns;
  std::size_t kept_faults = 0;
  const auto has_bytes = [](const Listed& file) { return file.stat.size > 0; };
  const auto first = static_cast<std::size_t>(std::ranges::find_if(files, has_bytes) - files.begin());
  map_in_order(
      files.size(), thread_count(request),
      [&](std::size_t i) {
        Storage& storage = storages.for_url(files[i].url);
        const TrackedFile file(storage, files[i], progress);
        SurveyLimit limit = per_file;
        limit.at_least_one = i == first;
        return survey_one(storage, file, limit, options);
      },
      [&](std::size_t i, FileResult&& result) {
        if (!result.failure.empty()) {
          progress.clear();
          print_error("carrack data " + std::string(name_of(request.command)) + ": " + printable(result.failure) +
                      "\n");
          survey.all_read = false;
          return;
        }
        if (!result.ambiguity.empty())
          throw Refused("--feature: " + result.ambiguity + "; name the columns otherwise in " +
                        columns_beside(files[i].url) + ", or remove that file");
        if (!result.file.faults.empty()) progress.clear();
        options.on_file(result.file);
        if (result.file.records > 0) columns.add(files[i].url, result.columns);
        survey.summary.merge(result.summary);
        if ((kept_faults += result.file.faults.size()) > kept_faults_max) result.file.faults.clear();
        survey.files.push_back(std::move(result.file));
      });
  // A single value, such as x[2], is shown without the names of columns, so different names do not matter.
  const bool is_one_value = options.only && options.only->ends_with(']');
  if (!columns.difference().empty() && !is_one_value) {
    progress.clear();
    print_error("carrack data " + std::string(name_of(request.command)) + ": " + printable(columns.difference()) +
                "\n");
  }
  survey.columns = columns.names();
  survey.bytes = progress.done();
  survey.seconds = progress.seconds();
  return survey;
}

}  // namespace carrack::data::cli
