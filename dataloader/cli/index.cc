#include <map>
#include <optional>
#include <string>
#include <variant>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/inputs.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/survey_files.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/records/first_bytes.h"
#include "dataloader/records/index.h"
#include "dataloader/records/text_index.h"
#include "dataloader/records/wire.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// Returns the URL of the index of a file. Jobs look for an index under the names in docs/formats/index.md. Other
// programs look for a text index under the file's name with .idx appended.
std::string index_url(const std::string& file, const Request& request) {
  if (request.out.empty()) return request.text ? file + ".idx" : index_beside(file);
  const std::string folder = request.out.ends_with('/') ? request.out : request.out + "/";
  return folder + (request.text ? file.substr(file.find_last_of('/') + 1) + ".idx" : index_name(file));
}

// Throws Refused if two files would have the same index, which may happen with --out if their folders differ.
void require_distinct_indexes(const std::vector<Listed>& files, const Request& request) {
  std::map<std::string, std::string> owner;
  for (const Listed& file : files) {
    const auto [other, is_new] = owner.emplace(index_url(file.url, request), file.url);
    if (!is_new)
      throw Refused(other->first + ": would be the index of " + other->second + " and of " + file.url +
                    "; index them into two folders");
  }
}

// Returns why the bytes are not an index of the file; empty if they are.
std::string index_mismatch(const Bytes& bytes, const ByteSource& file, bool is_text) {
  if (is_text) {
    auto index = index_from_text(wire::text_of(bytes), file);
    const auto* problem = std::get_if<std::string>(&index);
    return problem ? *problem : "";
  }
  const auto index = index_from(bytes);
  if (const auto* problem = std::get_if<std::string>(&index)) return *problem;
  return std::get<Index>(index).stored() == file.stat() ? "" : "is of another version of " + file.name();
}

struct Outcome {
  std::string message;
  bool is_good = true;  // The index fits the file, or was written.
  bool is_written = false;
};

// Returns why the file cannot be indexed. Leaves out the number of lost bytes, which is unknown, because indexing ended
// at `corrupt`.
std::string unindexable_reason(const ByteSource& file, const Corrupt& corrupt) {
  const FileSurvey survey = survey_file(file, {.records = 1}, [](const Records&) {});
  if (!survey.holds_records()) return no_records_message(survey);
  return printable(corrupt.fault == Fault::wrong_kind ? corrupt.file + ": " + corrupt.message : text(corrupt));
}

Outcome write_index(Storage& storage, const std::string& name, const ByteSource& file, bool is_text) {
  if (is_text && compression_of(kind_of_file(file)) != Compression::none)
    return {printable(file.name() + ": " + compressed_text_index), false};
  const auto built = build_index(file);
  if (const auto* corrupt = std::get_if<Corrupt>(&built)) return {unindexable_reason(file, *corrupt), false};
  const Index& index = std::get<Index>(built);
  const std::string text = is_text ? text_index_of(index) : "";
  const Bytes bytes = is_text ? Bytes() : encode(index);
  defer_interrupts();  // Otherwise an interrupt would not remove the unfinished file.
  const std::unique_ptr<ObjectWriter> writer = storage.create(name, {});
  writer->write(is_text ? wire::bytes_of(text) : std::span(bytes));
  const std::uint64_t size = writer->commit().value().size;
  return {printable(name) + ": " + counted(index.records(), "record") + ", " + format_bytes(size), true, true};
}

Outcome index_one(const Request& request, const Storages& storages, const ByteSource& file) {
  const std::string name = index_url(file.name(), request);
  try {
    Storage& storage = storages.for_url(name);
    const std::optional<Bytes> existing = read_whole(storage, name);
    const std::string mismatch = existing ? index_mismatch(*existing, file, request.text) : "is missing";
    if (mismatch.empty()) return {printable(name) + ": fits"};
    if (request.check) return {printable(name) + ": " + printable(mismatch), false};
    return write_index(storage, name, file, request.text);
  } catch (const Error& error) {
    return {printable(error.what()), false};
  }
}

}  // namespace

int index(const Request& request, const Storages& storages) {
  const std::vector<Listed> files = list_files(storages, request.inputs);
  require_distinct_indexes(files, request);
  std::uint64_t written = 0, bad = 0;
  Progress progress(bytes_of(files), errors_are_on_a_terminal());
  map_in_order(
      files.size(), thread_count(request),
      [&](std::size_t i) {
        return index_one(request, storages, TrackedFile(storages.for_url(files[i].url), files[i], progress));
      },
      [&](std::size_t, const Outcome& outcome) {
        progress.clear();
        written += outcome.is_written ? 1 : 0;
        bad += outcome.is_good ? 0 : 1;
        if (outcome.is_good || request.check)
          print(outcome.message + "\n");
        else
          print_error("carrack data index: " + outcome.message + "\n");
      });
  const std::uint64_t fit = files.size() - written - bad;
  std::string result = request.check ? counted(fit) + " fit" : counted(written) + " indexed";
  if (!request.check && fit > 0) result += ", " + counted(fit) + " had an index that fits";
  if (bad > 0) result += ", " + counted(bad) + (request.check ? " do not" : " could not be");
  print(counted(files.size(), "file") + ": " + result + "\n");
  return bad == 0 ? 0 : 1;
}

}  // namespace carrack::data::cli
