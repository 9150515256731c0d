// What a job's coordinator tells of it, as JSON at /progress: read by the operator, which trusts none of it, and by
// `carrack run`. docs/formats/progress.md has the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataloader/indexes/build_progress.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/launch/member.h"
#include "trainer/loop/roles/progress_socket.h"

namespace carrack::train {

// Who tells.
struct ProgressTeller {
  std::string job_uid;
  Fence fence;
};

struct ProgressReport {
  ProgressTeller teller;
  std::uint64_t batches_done = 0;
  std::optional<std::uint64_t> batches_total;  // Nothing: not known yet.
  double loss = 0;                             // Of the last batch, a record.
  Commit last_commit;
  bool drained = false;  // No worker is in, and the last commit holds all that is done.
};

std::string json_of(const ProgressReport& report);
// While the data is indexed, or its snapshot is made, nothing else is known, not even the last commit.
enum class DataWork { indexing, snapshot };
std::string json_of(const ProgressTeller& teller, DataWork work, const data::IndexingProgress& made);

class ProgressServer {
 public:
  // `HOST:PORT`; empty: nobody asks.
  explicit ProgressServer(const std::string& address);

  void show(const std::string& json);
  // Whether what is shown has been asked for, or nobody ever asks: then a coordinator may end.
  bool told() const { return !page_ || page_->told(); }

 private:
  std::optional<Page> page_;
};

}  // namespace carrack::train
