#include "operator/cli/checkpoint.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/text.h"
#include "operator/cli/command_line.h"
#include "operator/codec/fields.h"
#include "operator/codec/job.h"
#include "operator/codec/node.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "trainer/checkpoint/survey.h"
#include "trainer/launch/launch.h"
#include "trainer/text_table.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"(usage: carrack checkpoint list FOLDER
       carrack checkpoint inspect CHECKPOINT
       carrack checkpoint verify CHECKPOINT

Says what is in the checkpoint folder of a job. A job may go on there meanwhile.

  list        the checkpoints in the folder
  inspect     one checkpoint: its place in the training, its tensors, and the model
  verify      reads all files of one checkpoint, or of all in a folder, and compares them with their checksums
  FOLDER      the checkpoint folder of a job, as path, file:// or gs://
  CHECKPOINT  such a folder, whose last checkpoint inspect takes, its BEST, or the .manifest file of one checkpoint
  --help      print this
)";

using checkpoint::Manifest;
using checkpoint::Survey;

std::uint64_t bytes_of(const Manifest& manifest) {
  std::uint64_t bytes = 0;
  for (const checkpoint::StoredFile& file : manifest.files) bytes += file.size;
  return bytes;
}

// Returns "  (last)", "  (replaced)", "  (best)" or two of these, such as "  (last, best)"; "" if the checkpoint is
// none of them. `replaced` is the last checkpoint of the job that had the folder before.
std::string mark_of(const Survey& survey, const std::string& name) {
  std::string marks;
  if (survey.head.committed && survey.head.committed->manifest == name) marks = "last";
  const auto& taken_over = survey.head.taken_over;
  if (taken_over && taken_over->kept && taken_over->kept->manifest == name) marks = "replaced";
  if (survey.best && survey.best->checkpoint.manifest == name) marks += marks.empty() ? "best" : ", best";
  return marks.empty() ? "" : "  (" + marks + ")";
}

// Returns the parts of a job's manifest that describe the model, the features that it reads, and how it was trained.
Node description_of(const std::string& config) {
  JobSpec job;
  job.config = train::parse_config_text(config);
  const Node manifest = job_node(job);
  const Node& spec = *child(manifest, "spec");
  Node::Map data{{"features", *child(*child(spec, "data"), "features")}};
  return {
      Node::Map{{"model", *child(spec, "model")}, {"data", {std::move(data)}}, {"training", *child(spec, "training")}}};
}

// Prints the content of a checkpoint folder. Each public function is one of the commands.
class Folder {
 public:
  Folder(const data::Storages& storages, std::string url)
      : url_(std::move(url)), storage_(storages.for_url(url_)), folder_(storage_, url_) {}

  void list() {
    const Survey all = survey();
    std::vector<train::TableLine> lines{{"step", "epoch", "record", "size", "digest", "file"}};
    for (const std::string& name : all.manifests) {
      const std::optional<Manifest> one = listed(name);
      if (!one) continue;
      lines.push_back({data::counted(one->cut.step), data::counted(one->epoch), data::counted(one->position),
                       data::format_bytes(bytes_of(*one)), data::crc32c_hex(one->digest), name + mark_of(all, name)});
    }
    print(lines.size() > 1 ? train::text_table(lines, "rrrrll") : url_ + " holds no checkpoint yet\n");
  }

  void inspect(const checkpoint::CheckpointName& name) {
    const Manifest one = checkpoint::manifest_of(name, folder_);
    const checkpoint::Bundle bundle = folder_.open(one).bundle;
    std::vector<train::TableLine> lines{{"tensor", "type", "shape"}};
    for (const auto& [tensor, what] : bundle.tensors) {
      lines.push_back({printable(tensor), checkpoint::name_of(what.dtype), checkpoint::text_of(what.shape)});
    }
    print(checkpoint::manifest_name(one.cut) + "\n" + "job " + one.job + "\nstep " + data::counted(one.cut.step) +
          ", after " + data::counted(one.position, "record") + " of epoch " + data::counted(one.epoch) + ", of seed " +
          std::to_string(one.seed) + "\ndata " + (one.order.empty() ? "unknown" : one.order) + "\n" +
          data::counted(one.files.size(), "file") + ", " + data::format_bytes(bytes_of(one)) + ", digest " +
          data::crc32c_hex(one.digest) + "\n\n" + train::text_table(lines, "lll"));
    if (one.config.empty()) return;
    print("\n" + to_yaml(description_of(one.config)));
  }

  // Reads all files of the checkpoint that `name` names, or of all checkpoints if it names only the folder. Prints what
  // is damaged. Returns true if nothing is damaged.
  bool verify(const checkpoint::CheckpointName& name) {
    if (name.is_best) return report(verify_one(checkpoint::manifest_name(checkpoint::manifest_of(name, folder_).cut)));
    if (name.manifest) return report(verify_one(*name.manifest));
    bool is_good = true;
    const Survey all = survey();
    for (const std::string& one : all.manifests) {
      const std::vector<std::string> damage = verify_one(one);
      if (!damage.empty() && was_removed(one)) continue;
      is_good = report(damage) && is_good;
    }
    if (all.manifests.empty()) print(url_ + " holds no checkpoint yet\n");
    return is_good;
  }

 private:
  Survey survey() { return checkpoint::survey(storage_, url_); }

  // Returns true if a job has removed this checkpoint, which was there before. A job removes the manifest first.
  bool was_removed(const std::string& name) {
    const std::vector<std::string> left = survey().manifests;
    return std::ranges::find(left, name) == left.end();
  }

  // Returns the manifest of a checkpoint that was there before; nullopt if a job has removed it.
  std::optional<Manifest> listed(const std::string& name) {
    try {
      return folder_.manifest_named(name);
    } catch (const std::exception&) {
      if (was_removed(name)) return std::nullopt;
      throw;
    }
  }

  static void print(const std::string& text) { control::print({0, text, ""}); }

  // Prints each damage. Returns true if there is none.
  static bool report(const std::vector<std::string>& damage) {
    for (const std::string& one : damage) control::print({1, "", "carrack checkpoint: " + printable(one) + "\n"});
    return damage.empty();
  }

  // Reads all files of a checkpoint, and prints its name if none is damaged. Returns the damage.
  std::vector<std::string> verify_one(const std::string& name) {
    std::vector<std::string> damage;
    try {
      const Manifest one = folder_.manifest_named(name);
      damage = checkpoint::damage_in(storage_, url_, one);
      if (damage.empty()) {
        print(name + ": " + data::counted(one.files.size(), "file") + ", " + data::format_bytes(bytes_of(one)) +
              ", all as written\n");
      }
    } catch (const std::exception& error) {
      damage.emplace_back(error.what());
    }
    return damage;
  }

  std::string url_;
  data::Storage& storage_;
  checkpoint::CheckpointFolder folder_;
};

std::variant<CommandArguments, Printed> parse_arguments(std::span<char* const> arguments) {
  const CommandLine command{"checkpoint", usage, {}};
  auto parsed = parse_command_arguments(command, arguments);
  const auto* typed = std::get_if<CommandArguments>(&parsed);
  if (typed == nullptr) return parsed;
  const std::vector<std::string> known{"list", "inspect", "verify"};
  const std::string& verb = typed->paths.front();
  if (std::ranges::find(known, verb) == known.end()) {
    return usage_error(command, "does not know '" + printable(verb) + "'; " + suggestion(verb, known));
  }
  if (typed->paths.size() != 2) return usage_error(command, verb + " takes one folder or checkpoint");
  const checkpoint::CheckpointName place = checkpoint::parse_checkpoint_name(typed->paths[1]);
  if (verb == "list" && (place.manifest || place.is_best)) {
    return usage_error(command, "list takes a folder; inspect takes one checkpoint");
  }
  return parsed;
}

}  // namespace

int checkpoint(std::span<char* const> arguments, const std::function<const data::Storages&()>& storages) {
  return exit_code_of("checkpoint", [&]() -> int {
    const auto parsed = parse_arguments(arguments);
    if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
    const std::vector<std::string>& words = std::get<CommandArguments>(parsed).paths;
    const checkpoint::CheckpointName place = checkpoint::parse_checkpoint_name(words[1]);
    Folder folder(storages(), place.folder);
    if (words[0] == "list") folder.list();
    if (words[0] == "inspect") folder.inspect(place);
    return words[0] == "verify" && !folder.verify(place) ? 1 : 0;
  });
}

}  // namespace carrack::control
