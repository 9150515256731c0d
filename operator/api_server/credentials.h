// Who we are, kept fresh, for all connections to one API server: tokens in files and plugins are asked again when they
// are due and after the server refused what they gave. May be called from any thread. Nothing of it is written to disk.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "operator/api_server/access.h"
#include "operator/api_server/exec_credential.h"
#include "operator/runtime/clock.h"

namespace carrack::control {

class Credentials {
 public:
  Credentials(Access access, EnvironmentMap environment, const Clock& clock);

  const Access& access() const { return access_; }

  // Throws Error where a file cannot be read or a plugin gives nothing.
  Identity identity();

  // The server did not take this: unless there is another by now, the next identity() asks anew.
  void refused(const Identity& identity);

 private:
  struct Kept {
    Identity identity;
    Moment from;
    std::optional<Moment> until;  // none: until it is refused
  };
  Kept asked(Moment now) const;

  const Access access_;
  const EnvironmentMap environment_;
  const Clock& clock_;
  std::mutex mutex_;  // of what follows
  std::optional<Kept> kept_;
};

}  // namespace carrack::control
