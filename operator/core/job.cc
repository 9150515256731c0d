#include "operator/core/job.h"

namespace carrack::control {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

void fill_in_folder(JobSpec& spec) {
  replace_all(spec.config.checkpoint.folder, "$(NAME)", spec.name);
  replace_all(spec.config.checkpoint.folder, "$(UID)", spec.uid);
}

}  // namespace carrack::control
