#include <map>
#include <optional>
#include <string>
#include <variant>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/inputs.h"
#include "dataloader/cli/survey.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/cli/words.h"
#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/records/index.h"
#include "dataloader/records/text_index.h"
#include "dataloader/records/wire.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// As jobs look for it, docs/formats/index.md; other programs look for their own by the file's name.
std::string name_for(const std::string& file, const Request& request) {
  if (request.out.empty()) return request.text ? file + ".idx" : index_beside(file);
  const std::string folder = request.out.ends_with('/') ? request.out : request.out + "/";
  return folder + (request.text ? file.substr(file.find_last_of('/') + 1) + ".idx" : index_name(file));
}

// In another folder files of two folders may meet.
void require_one_each(const std::vector<Listed>& files, const Request& request) {
  std::map<std::string, std::string> owner;
  for (const Listed& file : files) {
    const auto [other, is_new] = owner.emplace(name_for(file.url, request), file.url);
    if (!is_new)
      throw Refused(other->first + ": would be the index of " + other->second + " and of " + file.url +
                    "; index them into two folders");
  }
}

// Why the index, if it is there, is not one of this file; empty if it is.
std::string why_unfit(const Bytes& bytes, const ByteSource& file, bool is_text) {
  if (is_text) {
    auto index = index_from_text(wire::text_of(bytes), file);
    const auto* problem = std::get_if<std::string>(&index);
    return problem ? *problem : "";
  }
  const auto index = index_from(bytes);
  if (const auto* problem = std::get_if<std::string>(&index)) return *problem;
  return std::get<Index>(index).file() == file.stat() ? "" : "is of another version of " + file.name();
}

struct Outcome {
  std::string said;
  bool is_good = true;
  bool is_written = false;
};

// Nothing is lost with it: it was only read as far as there.
std::string why_none(const ByteSource& file, const Corrupt& corrupt) {
  const FileLook look = look_at(file, {.records = 1}, [](const Records&) {});
  if (!look.holds_records()) return no_records_text(look);
  return printable(corrupt.fault == Fault::wrong_kind ? corrupt.file + ": " + corrupt.message : text(corrupt));
}

Outcome write_index(Storage& storage, const std::string& name, const ByteSource& file, bool is_text) {
  const auto built = build_index(file);
  if (const auto* corrupt = std::get_if<Corrupt>(&built)) return {why_none(file, *corrupt), false};
  const Index& index = std::get<Index>(built);
  const std::string text = is_text ? text_index_of(index) : "";
  const Bytes bytes = is_text ? Bytes() : encode(index);
  note_interrupts();
  const std::unique_ptr<ObjectWriter> writer = storage.create(name, {});
  writer->write(is_text ? wire::bytes_of(text) : std::span(bytes));
  const std::uint64_t size = writer->commit().value().size;
  return {printable(name) + ": " + counted(index.records(), "record") + ", " + format_bytes(size), true, true};
}

Outcome index_one(const Request& request, const Storages& storages, const ByteSource& file) {
  const std::string name = name_for(file.name(), request);
  try {
    Storage& storage = storages.for_url(name);
    const std::optional<Bytes> there = read_whole(storage, name);
    const std::string unfit = there ? why_unfit(*there, file, request.text) : "is missing";
    if (unfit.empty()) return {printable(name) + ": fits"};
    if (request.check) return {printable(name) + ": " + printable(unfit), false};
    return write_index(storage, name, file, request.text);
  } catch (const Error& error) {
    return {printable(error.what()), false};
  }
}

}  // namespace

int index(const Request& request, const Storages& storages) {
  const std::vector<Listed> files = files_of(storages, request.inputs);
  require_one_each(files, request);
  std::uint64_t size = 0, written = 0, bad = 0;
  for (const Listed& file : files) size += file.stat.size;
  Progress progress(size, errors_are_on_a_terminal());
  map_in_order(
      files.size(), threads_for(request),
      [&](std::size_t i) {
        return index_one(request, storages, WatchedFile(storages.for_url(files[i].url), files[i], progress));
      },
      [&](std::size_t, const Outcome& outcome) {
        progress.clear();
        written += outcome.is_written ? 1 : 0;
        bad += outcome.is_good ? 0 : 1;
        if (outcome.is_good || request.check)
          print(outcome.said + "\n");
        else
          print_error("carrack data index: " + outcome.said + "\n");
      });
  const std::uint64_t fit = files.size() - written - bad;
  std::string said = request.check ? counted(fit) + " fit" : counted(written) + " indexed";
  if (!request.check && fit > 0) said += ", " + counted(fit) + " had an index that fits";
  if (bad > 0) said += ", " + counted(bad) + (request.check ? " do not" : " could not be");
  print(counted(files.size(), "file") + ": " + said + "\n");
  return bad == 0 ? 0 : 1;
}

}  // namespace carrack::data::cli
