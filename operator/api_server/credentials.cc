#include "operator/api_server/credentials.h"

#include <algorithm>
#include <cctype>

#include "operator/api_server/exec_plugin.h"

namespace carrack::control {
namespace {

// Kubernetes renews a pod's token in its file long before the old one ends.
constexpr auto files_hold = std::chrono::minutes(1);

std::string trimmed(std::string text) {
  const auto is_blank = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_blank).base(), text.end());
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_blank));
  return text;
}

}  // namespace

Credentials::Credentials(Access access, EnvironmentMap environment, const Clock& clock)
    : access_(std::move(access)), environment_(std::move(environment)), clock_(clock) {}

Identity Credentials::identity() {
  if (!access_.tls) return {};  // nobody on the way may read it; kubectl sends none either
  const std::lock_guard lock(mutex_);
  const Moment now = clock_.now();
  const bool fresh = kept_ && now >= kept_->from && (!kept_->until || now < *kept_->until);
  if (!fresh) kept_ = asked(now);
  return kept_->identity;
}

void Credentials::refused(const Identity& identity) {
  const std::lock_guard lock(mutex_);
  if (kept_ && kept_->identity == identity) kept_.reset();
}

Credentials::Kept Credentials::asked(Moment now) const {
  Kept kept;
  kept.from = now;
  if (access_.exec) {
    ExecCredential printed = run_plugin(access_, environment_);
    kept.identity = std::move(printed.identity);
    kept.until = printed.until;
    return kept;
  }
  kept.identity = {trimmed(content_of(access_.token)), content_of(access_.certificate), content_of(access_.key)};
  const bool files = !access_.token.file.empty() || !access_.certificate.file.empty() || !access_.key.file.empty();
  if (files) kept.until = now + files_hold;
  return kept;
}

}  // namespace carrack::control
