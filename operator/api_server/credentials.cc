#include "operator/api_server/credentials.h"

#include <algorithm>
#include <cctype>

#include "operator/api_server/exec_plugin.h"

namespace carrack::control {
namespace {

// Files are read again after a minute. That is early enough, because Kubernetes renews the token in a pod's file long
// before the old one expires.
constexpr auto file_lifetime = std::chrono::minutes(1);

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
  if (!access_.tls) return {};  // Anybody on the network could read a token. kubectl sends none, either.
  const MutexLock lock(mutex_);
  const Moment now = clock_.now();
  const bool is_fresh = cached_ && now >= cached_->from && (!cached_->until || now < *cached_->until);
  if (!is_fresh) cached_ = read_identity(now);
  return cached_->identity;
}

void Credentials::discard(const Identity& identity) {
  const MutexLock lock(mutex_);
  if (cached_ && cached_->identity == identity) cached_.reset();
}

Credentials::CachedIdentity Credentials::read_identity(Moment now) const {
  CachedIdentity cached;
  cached.from = now;
  if (access_.exec) {
    ExecCredential printed = run_plugin(access_, environment_);
    cached.identity = std::move(printed.identity);
    cached.until = printed.until;
    return cached;
  }
  cached.identity = {trimmed(read_source(access_.token)), read_source(access_.certificate), read_source(access_.key)};
  const bool has_files = !access_.token.file.empty() || !access_.certificate.file.empty() || !access_.key.file.empty();
  if (has_files) cached.until = now + file_lifetime;
  return cached;
}

}  // namespace carrack::control
