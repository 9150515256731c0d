#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "dataloader/cli/commands.h"
#include "dataloader/cli/copying.h"
#include "dataloader/cli/inputs.h"
#include "dataloader/cli/row_inputs.h"
#include "dataloader/cli/shards.h"
#include "dataloader/cli/survey.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/cli/words.h"
#include "dataloader/error.h"
#include "dataloader/records/first_bytes.h"
#include "dataloader/records/frame.h"
#include "dataloader/storage/url.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::uint64_t most_shards = 99'999;

bool is_compressed(Storage& storage, const Listed& file) {
  std::array<std::byte, first_bytes> bytes{};
  const std::span<std::byte> into = std::span(bytes).first(std::min<std::size_t>(bytes.size(), file.stat.size));
  const Slice slice{0, into};
  if (into.empty() || storage.read(file.url, {&slice, 1}, file.stat.version) != ReadResult::complete) return false;
  const Kind kind = kind_of(into);
  return kind == Kind::gzip || kind == Kind::zlib;
}

// The bytes of all frames: the sizes of the files, or once they are inflated, which takes a pass of its own.
std::uint64_t size_of_frames(const Request& request, const Storages& storages, const std::vector<Listed>& files) {
  std::uint64_t size = 0;
  bool is_plain = true;
  for (const Listed& file : files) {
    size += file.stat.size;
    is_plain = is_plain && !is_compressed(storages.for_url(file.url), file);
  }
  if (is_plain) return size;
  size = 0;
  for (const FileLook& look : survey(request, storages, {.summarises = false}).files) size += look.seen;
  return size;
}

std::uint64_t number_of_shards(const Request& request, std::uint64_t size) {
  if (request.shards) return *request.shards;
  if (!request.shard_size) return 1;
  const std::uint64_t shards = std::max<std::uint64_t>(1, (size + *request.shard_size - 1) / *request.shard_size);
  if (shards > most_shards)
    throw Refused("--shard-size: makes " + counted(shards, "file") + ", and at most " + counted(most_shards) +
                  " have numbers");
  return shards;
}

// One text for each place, however it is spelled.
std::string place_of(const std::string& name) {
  const Url url = url_from(name);
  if (url.scheme != "file") return name;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::weakly_canonical(std::filesystem::absolute(url.name), failed);
  return failed ? url.name : path.string();
}

// The files that are there under the names that are to be written, and other shards of that name, which readers of
// all shards would take for the same set.
std::vector<std::string> in_the_way(Storage& storage, const Output& output, const std::vector<std::string>& names) {
  std::set<std::string> taken;
  for (const std::string& name : names)
    if (storage.stat(name)) taken.insert(name);
  if (names.size() > 1)
    for (const Listed& shard : storage.list(output.pattern())) taken.insert(shard.url);
  return {taken.begin(), taken.end()};
}

void require_nothing_lost(const std::vector<Listed>& inputs, const std::vector<std::string>& taken, bool force) {
  std::set<std::string> read;
  for (const Listed& file : inputs) read.insert(place_of(file.url));
  for (const std::string& name : taken) {
    if (read.contains(place_of(name))) throw Refused(name + ": is read, so it cannot be written; write another --to");
    if (!force) throw Refused(name + ": is there already; --force replaces it");
  }
}

Copied copy(const Request& request, const Storages& storages, const Inputs& inputs, Progress& progress,
            const Write& write) {
  if (inputs.rows) return copy_rows(request, storages, *inputs.rows, progress, write);
  return copy_records(request, storages, inputs.files, progress, write);
}

// The bytes of the frames of all rows, which a pass of its own tells.
std::uint64_t size_of_rows(const Request& request, const Storages& storages, const Inputs& inputs) {
  if (inputs.kind == InputKind::program)
    throw Refused(request.inputs.front() + ": cannot be cut into shards, as how much it writes is not known before");
  Progress unseen(0, false);
  std::uint64_t size = 0;
  const Write add = [&](std::span<const std::byte> record) { size += frame::size_of(record.size()); };
  copy_rows(request, storages, *inputs.rows, unseen, add, 0);
  return size;
}

std::string left_out(const Copied& copied, const Inputs& inputs) {
  if (inputs.rows && inputs.kind != InputKind::program)
    return counted(copied.damaged, "row") + ", " + counted(copied.lost, "byte") + " lost";
  return damage_text(copied.damaged, copied.lost);
}

}  // namespace

int convert(const Request& request, const Storages& storages, const std::vector<std::string>& environment) {
  const Output output = output_from(request.to, request.compression);
  Storage& storage = storages.for_url(request.to);
  if (is_folder(storage, request.to)) throw Refused(request.to + ": is a folder; write the name of a file");
  const Inputs inputs = inputs_of(request, storages, environment);
  const bool sharded = request.shards || request.shard_size;
  Shards::Plan plan{{}, 0, request.force, threads_for(request)};
  if (sharded)
    plan.size = inputs.rows ? size_of_rows(request, storages, inputs) : size_of_frames(request, storages, inputs.files);
  const std::uint64_t count = number_of_shards(request, plan.size);
  for (std::uint64_t i = 0; i < count; ++i) plan.names.push_back(output.name(i, count));
  const std::vector<std::string> taken = in_the_way(storage, output, plan.names);
  require_nothing_lost(inputs.files, taken, request.force);

  for (const std::string& sentence : inputs.judged) print(printable(sentence) + "\n");
  Progress progress(inputs.bytes(), errors_are_on_a_terminal());
  Shards shards(storage, output, plan);
  Copied copied;
  try {
    copied =
        copy(request, storages, inputs, progress, [&](std::span<const std::byte> record) { shards.write(record); });
    stop_if_interrupted();
    shards.finish();
  } catch (...) {
    shards.take_back();
    throw;
  }
  for (const std::string& name : taken)
    if (std::find(plan.names.begin(), plan.names.end(), name) == plan.names.end()) storage.remove(name);
  progress.clear();
  print(printable(plan.names.front()) + (count == 1 ? "" : " to " + printable(plan.names.back())) + ": " +
        counted(copied.records, "record") + "\n");
  if (copied.damaged > 0) print("left out: " + left_out(copied, inputs) + "\n");
  print("read " +
        rate_text(inputs.rows && !inputs.files.empty() ? inputs.bytes() : progress.done(), progress.seconds()) + "\n");
  return 0;
}

}  // namespace carrack::data::cli
