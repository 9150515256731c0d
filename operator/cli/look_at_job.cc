#include "operator/cli/look_at_job.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "dataloader/storage/url.h"
#include "dataloader/text.h"
#include "trainer/look/look.h"

namespace carrack::control {
namespace {

// Returns why no file can be written into this folder; nullopt if one can. If the folder does not exist, checks whether
// it can be created in the nearest folder above it that exists.
std::optional<std::string> why_unwritable(const std::filesystem::path& folder) {
  std::filesystem::path above = folder;
  struct stat found {};
  while (stat(above.c_str(), &found) != 0) {
    if (errno != ENOENT || !above.has_relative_path())
      return "cannot make " + folder.string() + ": " + std::strerror(errno);
    above = above.parent_path();
  }
  if (!S_ISDIR(found.st_mode)) return above.string() + " is a file; name a folder";
  if (access(above.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return above.string() + " cannot be written to: " + std::strerror(errno);
}

std::optional<Problem> problem_of_checkpoints(const train::Config& config, const data::Storages& storages) {
  constexpr const char* field = "spec.checkpoint.folder";
  const std::string& folder = config.checkpoint.folder;
  try {
    if (storages.is_remote(folder)) return std::nullopt;
    if (const auto why = why_unwritable(data::url_from(folder).name)) return Problem{field, *why};
  } catch (const std::exception& error) {
    return Problem{field, error.what()};
  }
  return std::nullopt;
}

// Returns text such as "x (float32, 7)", "photo (image, 28x28x3)" or "words (text, 12)".
std::string text_of(const train::Feature& feature) {
  std::string type(train::spelled(feature.type)), size = std::to_string(feature.size);
  if (feature.image) {
    const train::Image& image = *feature.image;
    type = "image";
    size = std::to_string(image.height) + "x" + std::to_string(image.width) + "x" + std::to_string(image.channels);
  } else if (feature.shape) {
    size.clear();
    for (const std::int64_t dimension : *feature.shape) size += (size.empty() ? "" : "x") + std::to_string(dimension);
  }
  return feature.name + " (" + type + (size == "1" ? "" : ", " + size) + ")";
}

std::string features_text(const std::vector<train::Feature>& features) {
  constexpr std::size_t features_max = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(features.size(), features_max); ++i) {
    text += (i == 0 ? "features " : ", ") + text_of(features[i]);
  }
  return text + (features.size() > features_max ? ", ..." : "");
}

}  // namespace

FilesReport look_at_job(const JobSpec& job, WhichFiles which, const data::Storages& storages) {
  const train::Config& config = job.config;
  const train::Reach reach = which == WhichFiles::everything ? train::Reach::everything : train::Reach::local_files;
  const train::LookResult result = train::look_at(config, job.uid, storages, reach);
  FilesReport look;
  for (const train::LookProblem& problem : result.problems) look.problems.push_back({problem.field, problem.text});
  if (const auto problem = problem_of_checkpoints(config, storages)) look.problems.push_back(*problem);
  look.text = data::counted(result.training_files, "file");
  if (config.data.evaluation) look.text += ", " + data::counted(result.evaluation_files, "file") + " for evaluation";
  look.text += ", " + features_text(result.features);
  return look;
}

}  // namespace carrack::control
