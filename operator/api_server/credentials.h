// The current credentials for all connections to one API server, cached in memory only. Files are read again after a
// minute, and plugins are run again when their credentials expire. Both also happen after discard(). Safe for several
// threads.
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
  // `environment` is the environment of the plugin, if `access` has one. `clock` must outlive this.
  Credentials(Access access, EnvironmentMap environment, const Clock& clock);

  const Access& access() const { return access_; }

  // Returns the cached identity, or reads it first if it has expired. A plugin may take 30 s, during which other
  // threads wait here. Empty for a server without TLS, because credentials are never sent unencrypted. Throws Error
  // with Blame::user if a file cannot be read or the plugin fails, with Blame::platform if no pipe can be made.
  Identity identity() EXCLUDES(mutex_);

  // Call this when the server has refused `identity`: the next identity() then reads the credentials again. No effect
  // unless `identity` is the one that is cached.
  void discard(const Identity& identity) EXCLUDES(mutex_);

 private:
  struct CachedIdentity {
    Identity identity;
    Moment from;                  // when it was read; it is not used if the clock is set back before this
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
