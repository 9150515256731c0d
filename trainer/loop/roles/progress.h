// The job's progress as JSON, which its coordinator serves at /progress for the operator and `carrack run`; neither
// trusts it. docs/formats/progress.md specifies the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataloader/indexes/build_progress.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/launch/member.h"
#include "trainer/loop/roles/progress_socket.h"

namespace carrack::train {

// The process that reports.
struct Reporter {
  std::string job_uid;
  Fence fence;
};

struct ProgressReport {
  Reporter reporter;
  std::uint64_t batches_done = 0;
  std::optional<std::uint64_t> batches_total;  // nullopt: not known yet
  double loss = 0;                             // per record, of the last batch; finite
  Commit last_commit;
  bool drained = false;  // no worker is here, and the last commit has all that is done
};

std::string to_json(const ProgressReport& report);
// While the data is indexed or its snapshot is written, nothing else is known yet, not even the last commit.
enum class DataWork { indexing, snapshot };
std::string to_json(const Reporter& reporter, DataWork work, const data::IndexingProgress& built);

class ProgressServer {
 public:
  // `address` is HOST:PORT; with an empty one nothing is served.
  explicit ProgressServer(const std::string& address);

  void show(const std::string& json);
  // Whether a client has read what is shown, or nothing is served: then the coordinator may end.
  bool was_read() const { return !socket_ || socket_->was_read(); }

 private:
  std::optional<ProgressSocket> socket_;
};

}  // namespace carrack::train
