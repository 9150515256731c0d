#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/copy.h"
#include "dataloader/cli/inputs.h"
#include "dataloader/cli/shard_writer.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/survey_files.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/indexes/column_names_file.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/records/frame.h"
#include "dataloader/storage/url.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// The number of a shard has five digits in the names of files, as in x-00000-of-00010.tfrecord.
constexpr std::uint64_t shards_max = 99'999;

// True if messages about these inputs count rows, as for CSV, JSON lines and arrays. Messages about TFRecords and
// programs count records.
bool are_rows(const Inputs& inputs) {
  return inputs.rows && inputs.kind != InputKind::program;
}

std::string describe_skipped(const CopyResult& copied, const Inputs& inputs) {
  std::string text = are_rows(inputs)
                         ? counted(copied.skipped, "row") + ", " + counted(copied.skipped_bytes, "byte") + " lost"
                         : describe_damage(copied.skipped, copied.skipped_bytes);
  if (copied.unread_inputs > 0) text += ", and all that follows in " + counted(copied.unread_inputs, "input");
  return text;
}

// Throws an Error if --on-damage skip has left out all records, because the result would be an empty file.
void require_records(const CopyResult& copied, const Inputs& inputs, const Request& request) {
  if (copied.records > 0 || copied.skipped == 0) return;
  throw Error("no record is left, so nothing is written: " + describe_skipped(copied, inputs) +
              (request.types.empty() ? "" : "; do the columns hold what --types says?"));
}

// Returns whether no more was skipped than --max-skipped allows. A share, such as 1%, limits the skipped rows, and also
// the skipped bytes if the size of the input is known, because a single skipped row can have most of the bytes: for
// example, if a quote is not closed. A loss of unknown size counts as more than any share below 100%.
bool is_within(const Request::SkipLimit& limit, const CopyResult& copied) {
  if (limit.count) return copied.skipped <= *limit.count;
  if (copied.unread_inputs > 0) return limit.share >= 1;
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0. : static_cast<double>(part) / static_cast<double>(all);
  };
  return share(copied.skipped, copied.skipped + copied.records) <= limit.share &&
         share(copied.skipped_bytes, copied.input_bytes) <= limit.share;
}

void require_few_skipped(const CopyResult& copied, const Inputs& inputs, const Request& request) {
  if (!request.max_skipped || is_within(*request.max_skipped, copied)) return;
  std::string of = ", of " + counted(copied.records + copied.skipped, are_rows(inputs) ? "row" : "record");
  if (copied.input_bytes > 0) of += " and " + counted(copied.input_bytes, "byte");
  throw Error("more is left out than --max-skipped " + request.max_skipped->typed +
              ", so nothing is written: " + describe_skipped(copied, inputs) + of);
}

void require_usable(const CopyResult& copied, const Inputs& inputs, const Request& request) {
  require_records(copied, inputs, request);
  require_few_skipped(copied, inputs, request);
}

// Returns the size of the frames (a record with its length and checksums) of all records of TFRecord files. Without
// compression this is the size of the files. If a file is compressed, or with --max-skipped, this function reads all
// files. It then also throws an Error if the conversion would skip too much, before convert() replaces any file.
std::uint64_t count_record_bytes(const Request& request, const Storages& storages, const Inputs& inputs) {
  if (!request.max_skipped && !has_compressed(inputs.files, storages)) return bytes_of(inputs.files);
  CopyResult found;
  std::uint64_t bytes = 0;
  for (const FileSurvey& file : survey_files(request, storages, {.summarize = false}).files) {
    bytes += file.frame_bytes;
    found.records += file.records;
    found.skipped += file.damaged_spans;
    found.skipped_bytes += file.lost_bytes;
    found.unread_inputs += file.ends_in_damage ? 1 : 0;
  }
  found.input_bytes = bytes + found.skipped_bytes;
  if (request.on_damage == OnDamage::skip) require_usable(found, inputs, request);
  return bytes;
}

// Returns the size of the frames of all records that will be written, by which they are divided into shards. To find
// the size for CSV, JSON lines and arrays, it converts all rows once without writing them.
std::uint64_t count_frame_bytes(const Request& request, const Storages& storages, const Inputs& inputs) {
  if (!inputs.rows) return count_record_bytes(request, storages, inputs);
  if (inputs.kind == InputKind::program)
    throw Refused(request.inputs.front() + ": cannot be cut into shards, as how much it writes is not known before");
  Progress no_progress(0, false);
  std::uint64_t bytes = 0;
  const WriteRecord count = [&](std::span<const std::byte> record) { bytes += frame::size_of(record.size()); };
  require_usable(copy_rows(request, storages, inputs, no_progress, count, 0), inputs, request);
  return bytes;
}

std::uint64_t shard_count(const Request& request, std::uint64_t frame_bytes) {
  if (request.shards) return *request.shards;
  if (!request.shard_size) return 1;
  const std::uint64_t shards =
      std::max<std::uint64_t>(1, (frame_bytes + *request.shard_size - 1) / *request.shard_size);
  if (shards > shards_max)
    throw Refused("--shard-size: makes " + counted(shards, "file") + ", and at most " + counted(shards_max) +
                  " have numbers");
  return shards;
}

// Returns the same text for all names of the same file, so that two names can be compared.
std::string canonical_name(const std::string& name) {
  const Url url = url_from(name);
  if (url.scheme != "file") return name;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::weakly_canonical(std::filesystem::absolute(url.name), failed);
  return failed ? url.name : path.string();
}

// Returns the existing files that the conversion replaces or removes: files with the new names, and their files of
// column names. With --shards or --shard-size it adds the shards of earlier conversions to the same name, even if their
// number was another one: a job that reads x-*.tfrecord would mix them with the new shards or, if a single file
// x.tfrecord is enough now, read only the old ones.
std::vector<std::string> existing_outputs(Storage& storage, const Output& output, const std::vector<std::string>& names,
                                          bool is_sharded) {
  std::set<std::string> candidates(names.begin(), names.end()), existing;
  if (is_sharded)
    for (const Listed& shard : storage.list(output.pattern())) candidates.insert(shard.url);
  for (const std::string& name : candidates)
    for (const std::string& one : {name, columns_beside(name)})
      if (storage.stat(one)) existing.insert(one);
  return {existing.begin(), existing.end()};
}

// Throws Refused if an output file is also an input, or exists and --force is missing.
void require_no_conflict(const std::vector<Listed>& inputs, const std::vector<std::string>& existing, bool force) {
  std::set<std::string> read;
  for (const Listed& file : inputs) read.insert(canonical_name(file.url));
  for (const std::string& name : existing) {
    if (read.contains(canonical_name(name)))
      throw Refused(name + ": is read, so it cannot be written; write another --to");
    if (!force) throw Refused(name + ": is there already; --force replaces it");
  }
}

// Throws Refused if a file of column names cannot be written because a folder has its name. Without this check the
// conversion would fail only after it has written the records.
void require_no_folders(Storage& storage, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (is_folder(storage, columns_beside(name)))
      throw Refused(columns_beside(name) + ": is a folder; remove it, or write another --to");
}

CopyResult copy(const Request& request, const Storages& storages, const Inputs& inputs, Progress& progress,
                const WriteRecord& write) {
  if (inputs.rows) return copy_rows(request, storages, inputs, progress, write);
  return copy_records(request, storages, inputs.files, progress, write);
}

CopyResult write_shards(const Request& request, const Storages& storages, const Inputs& inputs, Progress& progress,
                        ShardWriter& shards) {
  try {
    const CopyResult copied =
        copy(request, storages, inputs, progress, [&](std::span<const std::byte> record) { shards.write(record); });
    check_interrupted();
    require_usable(copied, inputs, request);
    shards.finish();
    return copied;
  } catch (...) {
    shards.remove_written();
    throw;
  }
}

}  // namespace

int convert(const Request& request, const Storages& storages) {
  const Output output = parse_output(request.to, request.compression);
  Storage& storage = storages.for_url(request.to);
  if (is_folder(storage, request.to)) throw Refused(request.to + ": is a folder; write the name of a file");
  const Inputs inputs = open_inputs(request, storages);
  const bool is_sharded = request.shards || request.shard_size;
  ShardWriter::Plan plan{{}, 0, request.force, thread_count(request)};
  if (is_sharded) plan.frame_bytes = count_frame_bytes(request, storages, inputs);
  const std::uint64_t count = shard_count(request, plan.frame_bytes);
  for (std::uint64_t i = 0; i < count; ++i) plan.names.push_back(output.name(i, count));
  const std::vector<std::string> existing = existing_outputs(storage, output, plan.names, is_sharded);
  require_no_conflict(inputs.files, existing, request.force);

  for (const std::string& sentence : inputs.notes) print(printable(sentence) + "\n");
  Progress progress(inputs.rows ? bytes_of_rows(inputs.files, storages) : bytes_of(inputs.files),
                    errors_are_on_a_terminal());
  if (!inputs.columns.empty() && !output.json_lines) {
    plan.column_names = column_names_text(inputs.columns);
    require_no_folders(storage, plan.names);
  }
  ShardWriter shards(storage, output, plan);
  const CopyResult copied = write_shards(request, storages, inputs, progress, shards);
  std::set<std::string> written(plan.names.begin(), plan.names.end());
  if (!plan.column_names.empty())
    for (const std::string& name : plan.names) written.insert(columns_beside(name));
  // Removes old shards and files of column names that the new files do not replace.
  for (const std::string& name : existing)
    if (!written.contains(name)) storage.remove(name);
  progress.clear();
  print(printable(plan.names.front()) + (count == 1 ? "" : " to " + printable(plan.names.back())) + ": " +
        counted(copied.records, "record") + "\n");
  if (copied.skipped > 0) print("left out: " + describe_skipped(copied, inputs) + "\n");
  const std::uint64_t bytes = inputs.rows && !inputs.files.empty() ? bytes_of(inputs.files) : progress.done();
  print("read " + describe_throughput(bytes, progress.seconds()) + "\n");
  return 0;
}

}  // namespace carrack::data::cli
