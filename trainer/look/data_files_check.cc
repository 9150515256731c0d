#include "trainer/look/data_files_check.h"

#include <algorithm>
#include <optional>
#include <set>

#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/file_survey.h"
#include "dataloader/error.h"
#include "dataloader/indexes/data_files.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/first_bytes.h"
#include "dataloader/storage/url.h"
#include "dataloader/text.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t records_of_file = 3;
// The check reads the first bytes of a file to find its kind. It does so for the local files among this many first
// files of a list. In addition it reads records of the first, the middle and the last file.
constexpr std::size_t local_files_max = 1000;
// The maximum number of bytes that the check reads of a file as it is stored: record_bytes_max of TFRecords and
// compressed files, other_bytes_max of all other files.
constexpr std::uint64_t record_bytes_max = 64'000'000;
constexpr std::uint64_t other_bytes_max = 4096;

// At most this many files of a list get a problem of their own; further files are only counted.
constexpr std::size_t bad_files_max = 5;

struct File {
  data::Listed listed;
  std::string field;  // "spec.data.train.files[0]"
};

// Returns the problem of a file that does not begin like a TFRecord file.
std::string problem_of_kind(const data::cli::FileSurvey& file) {
  if (!file.holds_records()) return data::cli::no_records_message(file);
  if (file.kind == data::Kind::unknown && !file.faults.empty()) return data::text(file.faults.front());
  return file.name + ": " + data::kind_text(file.kind) +
         "; a job reads TFRecords, as `carrack data convert` writes them";
}

std::string text_of_no_match(data::Storage& storage, const std::string& pattern) {
  if (data::has_wildcard(pattern) || !data::is_folder(storage, pattern)) return data::no_match_text(storage, pattern);
  return pattern + " is a folder; name its files, as in " + data::in_folder(pattern, "*.tfrecord");
}

// Checks the files of one list, and collects their problems.
class SetOfFiles {
 public:
  SetOfFiles(const FileList& list, const data::Storages& storages, OnDamage on_damage, RecordCheck& check)
      : list_(list), storages_(storages), on_damage_(on_damage), check_(check) {}

  FilesFound look(const MayRead& may_read) {
    for (std::size_t i = 0; i < list_.patterns->size(); ++i) {
      const std::string& pattern = (*list_.patterns)[i];
      const std::string field = list_.field + "[" + std::to_string(i) + "]";
      guarded(field, [&] { may_read(pattern) ? list(pattern, field) : void(++found_.left_out); });
    }
    found_.files = files_.size();
    const bool is_known = found_.left_out == 0 && found_.problems.empty();
    if (is_known && std::ranges::all_of(files_, [](const File& file) { return file.listed.stat.size == 0; }))
      found_.problems.push_back({list_.field, "the files hold no record"});
    for (const std::size_t i : sampled()) guarded(files_[i].field, [&] { look_at(i); });
    if (bad_files_ > bad_files_max) {
      const std::string more = data::counted(bad_files_ - bad_files_max, "more file");
      found_.problems.push_back({list_.field, more + " cannot be used"});
    }
    return std::move(found_);
  }

 private:
  // Calls the function. If the function throws data::Error because the storage cannot be used, adds a problem of the
  // field. After the first such problem of a field, guarded() does nothing for that field.
  template <class Function>
  void guarded(const std::string& field, const Function& function) {
    if (failed_.contains(field)) return;
    try {
      function();
    } catch (const data::Error& error) {
      failed_.insert(field);
      found_.problems.push_back({field, std::string("cannot be looked at: ") + error.what()});
    }
  }

  void list(const std::string& pattern, const std::string& field) {
    data::Storage& storage = storages_.for_url(pattern);
    const auto found = data::data_files(storage, pattern, [](const std::string&) {});
    if (found.empty()) found_.problems.push_back({field, text_of_no_match(storage, pattern)});
    for (const data::DataFile& file : found) files_.push_back({file.file, field});
  }

  // Returns the indexes of the first, the middle and the last file, and of the local files among the first 1,000.
  std::vector<std::size_t> sampled() const {
    if (files_.empty()) return {};
    std::set<std::size_t> places{0, files_.size() / 2, files_.size() - 1};
    for (std::size_t i = 0; i < std::min(files_.size(), local_files_max); ++i) {
      if (!storages_.is_remote(files_[i].listed.url)) places.insert(i);
    }
    return {places.begin(), places.end()};
  }

  bool has_records_to_compare(std::size_t i) const {
    return i == 0 || i == files_.size() / 2 || i + 1 == files_.size();
  }

  void look_at(std::size_t i) {
    const File& file = files_[i];
    const data::StoredObject object(storages_.for_url(file.listed.url), file.listed.url, file.listed.stat);
    const data::Kind kind = data::kind_of_file(object);
    const bool may_hold_records = kind == data::Kind::records || kind == data::Kind::gzip || kind == data::Kind::zlib;
    if (may_hold_records && !has_records_to_compare(i)) return;
    const std::uint64_t bytes = may_hold_records ? record_bytes_max : other_bytes_max;
    std::string problem;
    const data::cli::FileSurvey survey =
        data::cli::survey_file(object, {records_of_file, bytes, true}, [&](const data::Records& records) {
          for (std::size_t at = 0; at < records.records.size(); ++at) {
            const std::string name = object.name() + ": record " + std::to_string(records.first + at);
            if (!check_.add(name, records.records[at].data) && problem.empty()) problem = name + " is not a tf.Example";
          }
        });
    // With `onDamage: skip` a job leaves out damaged records, so they are no problem.
    if (on_damage_ == OnDamage::skip && may_hold_records && survey.holds_records()) return;
    if (!may_hold_records || !survey.holds_records()) {
      problem = problem_of_kind(survey);
    } else if (!survey.faults.empty()) {
      problem = data::text(survey.faults.front());
    }
    if (!problem.empty()) add_problem_of_file(file.field, problem);
  }

  // Adds the problem, or only counts it if there are many: a pattern may match thousands of files of another kind.
  void add_problem_of_file(const std::string& field, const std::string& problem) {
    if (++bad_files_ <= bad_files_max) found_.problems.push_back({field, problem});
  }

  const FileList& list_;
  const data::Storages& storages_;
  OnDamage on_damage_;
  RecordCheck& check_;
  std::vector<File> files_ = {};
  std::set<std::string> failed_ = {};
  std::size_t bad_files_ = 0;
  FilesFound found_ = {};
};

}  // namespace

FilesFound look_at_files(const FileList& list, const data::Storages& storages, const MayRead& may_read,
                         OnDamage on_damage, RecordCheck& check) {
  return SetOfFiles(list, storages, on_damage, check).look(may_read);
}

}  // namespace carrack::train
