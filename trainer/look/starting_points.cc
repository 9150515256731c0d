#include "trainer/look/starting_points.h"

#include <exception>
#include <string>

#include "dataloader/error.h"
#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/survey.h"

namespace carrack::train {
namespace {

constexpr const char* resume_field = "spec.checkpoint.resume";
constexpr const char* weights_field = "spec.training.initialWeights.from";

// Throws Error or data::Error if the folder has no commit, or its manifest cannot be read.
void require_commit(const std::string& url, const data::Storages& storages) {
  checkpoint::CheckpointFolder folder(storages.for_url(url), url);
  checkpoint::manifest_of({url, std::nullopt}, folder);
}

// Throws Error or data::Error unless `url` names weights: a .safetensors file, the beginning of the names of a
// checkpoint's files, or a job's checkpoint folder with a commit.
void require_weights(const std::string& url, const data::Storages& storages) {
  data::Storage& storage = storages.for_url(url);
  const checkpoint::CheckpointName name = checkpoint::parse_checkpoint_name(url);
  const bool is_file = url.ends_with(".safetensors");
  if (is_file ? storage.stat(url).has_value() : storage.stat(checkpoint::index_name(url)).has_value()) return;
  checkpoint::CheckpointFolder folder(storage, name.folder);
  const bool is_of_job = !is_file && (name.manifest || name.is_best || folder.head().has_value());
  if (is_of_job || (!is_file && !storage.is_remote() && data::is_folder(storage, url))) {
    checkpoint::manifest_of(name, folder);
    return;
  }
  throw data::Refused("there is no " + url +
                      "; name a .safetensors file, the checkpoint folder of a job, or what the names of a checkpoint's "
                      "files begin with");
}

}  // namespace

std::vector<LookProblem> look_at_starting_points(const Config& config, const std::string& job_uid,
                                                 const data::Storages& storages, const MayRead& may_read) {
  std::vector<LookProblem> problems;
  const auto look = [&](const std::string& field, const std::string& url, const auto& function) {
    if (url.empty()) return;
    try {
      if (may_read(url)) function(url);
    } catch (const std::exception& error) {
      problems.push_back({field, error.what()});
    }
  };
  bool goes_on = false;  // a job that goes on from the commit in its folder reads no other checkpoint and no weights
  look("spec.checkpoint.folder", config.checkpoint.folder, [&](const std::string& url) {
    const auto head = checkpoint::CheckpointFolder(storages.for_url(url), url).head();
    const bool is_replaced = head && head->job != job_uid && config.checkpoint.on_taken == OnTaken::replace;
    goes_on = head && head->committed && !is_replaced;
  });
  if (goes_on) return problems;
  look(resume_field, config.checkpoint.resume, [&](const std::string& url) { require_commit(url, storages); });
  if (const auto& weights = config.training.initial_weights)
    look(weights_field, weights->from, [&](const std::string& url) { require_weights(url, storages); });
  return problems;
}

}  // namespace carrack::train
