// The current credentials for all connections to one API server, cached in memory only. Files are read again after a
// minute, plugins are run again when their credentials expire, and both after the server has refused the credentials.
// Safe for several threads.
#pragma once

#include <optional>
#include <string>

#include "dataloader/mutex.h"
#include "operator/api_server/access.h"
#include "operator/api_server/exec_credential.h"
#include "operator/runtime/clock.h"

namespace carrack::control {

class Credentials {
 public:
  // `environment` is passed to the plugin. `clock` must outlive this.
  Credentials(Access access, EnvironmentMap environment, const Clock& clock);

  const Access& access() const { return access_; }

  // Returns the cached identity, or reads it first. Running a plugin takes up to 30 s, in which other threads wait.
  // Empty for a server without TLS. Throws Error if a file cannot be read or the plugin fails.
  Identity identity() EXCLUDES(mutex_);

  // Call it when the server has refused `identity`: the next identity() then reads the credentials again. No effect if
  // another identity is cached by now.
  void discard(const Identity& identity) EXCLUDES(mutex_);

 private:
  struct CachedIdentity {
    Identity identity;
    Moment from;
    std::optional<Moment> until;  // nullopt: until the server refuses it
  };
  CachedIdentity read_identity(Moment now) const;

  const Access access_;
  const EnvironmentMap environment_;
  const Clock& clock_;
  Mutex mutex_;
  std::optional<CachedIdentity> cached_ GUARDED_BY(mutex_);
};

}  // namespace carrack::control
