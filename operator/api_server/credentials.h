// The token or client certificate that all connections (Client) to one API server send, renewed as needed. It is cached
// in memory only. Token and certificate files are read again after a minute, because Kubernetes renews a pod's token in
// its file. A credential plugin is run again when its credentials expire. Safe for several threads.
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

  // Returns a copy of the cached identity, and reads it first if there is none or it has expired. A plugin may take
  // 30 s, during which other threads wait here. Empty for a server without TLS, because credentials are never sent
  // unencrypted. Throws Error with Blame::user if a file cannot be read or the plugin fails, with Blame::platform if no
  // pipe can be made.
  Identity identity() EXCLUDES(mutex_);

  // Call this when the server has refused `identity` (401): the next identity() then reads the credentials again. No
  // effect if another identity is cached by now, because another thread has renewed it.
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
