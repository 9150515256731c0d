// The current credentials for all connections to one API server. Files and plugins are read again when their
// credentials are due, and after the server has refused them. Safe for several threads. Nothing is written to disk.
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
  // `environment` is for plugins. `clock` must outlive this.
  Credentials(Access access, EnvironmentMap environment, const Clock& clock);

  const Access& access() const { return access_; }

  // May run a plugin, for up to 30 s. Throws Error if a file cannot be read or the plugin fails.
  Identity identity() EXCLUDES(mutex_);

  // The server has refused this identity: the next identity() reads it again, unless another one is cached by now.
  void discard(const Identity& identity) EXCLUDES(mutex_);

 private:
  struct CachedIdentity {
    Identity identity;
    Moment from;
    std::optional<Moment> until;  // nullopt: until it is refused
  };
  CachedIdentity read_identity(Moment now) const;

  const Access access_;
  const EnvironmentMap environment_;
  const Clock& clock_;
  Mutex mutex_;
  std::optional<CachedIdentity> cached_ GUARDED_BY(mutex_);
};

}  // namespace carrack::control
