// A job's checkpoint folder in storage: HEAD says who may commit, and what was committed last. What a cut saves becomes
// a checkpoint only when HEAD names its manifest; until then nobody loads it. docs/formats/checkpoint.md has the files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "dataloader/storage/storage.h"
#include "trainer/checkpoint/head.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/shard.h"

namespace carrack::checkpoint {

// The right to commit, held by one start of one coordinator, until another takes it.
struct Claim {
  Head head;
  data::Version version;
};

// HEAD belongs to another job.
struct Taken {
  std::string job;
};

// HEAD was claimed by a later start of this job's coordinator.
struct Superseded {};

// What HEAD says from a job's first claim on.
struct Beginning {
  std::optional<Committed> resumed;  // Until the first commit.
  bool first_pass = false;
};

class CheckpointFolder {
 public:
  // `storage` outlives this.
  CheckpointFolder(data::Storage& storage, std::string url);

  // Takes HEAD for this fence; `nonce` is new for each process. A first claim has HEAD say how the job began.
  std::variant<Claim, Taken, Superseded> claim(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation,
                                               const std::string& nonce, const Beginning& beginning = {});

  // Who may commit here, and what was committed last. Nothing where nobody ever claimed the folder.
  std::optional<Head> head();

  // Whether nobody has taken HEAD since.
  bool holds(const Claim& claim);

  // Writes one shard of a cut under a name that no other cut has.
  struct SavedShard {
    ShardReport report;
    StoredFile file;
  };
  SavedShard save(const Cut& cut, std::uint32_t shard, std::uint32_t shards,
                  const std::function<void(ShardWriter&)>& tensors);

  // Writes the index and the manifest, then has HEAD name it. False: the right to commit was lost, nothing counts.
  // `manifest.files` is completed with the index.
  bool commit(Claim& claim, Manifest manifest, const Bundle& bundle, const std::string& nonce);

  // Throws Error where it is missing or corrupt: it was committed, so something outside has changed it.
  Manifest manifest(const Committed& committed);
  StoredBundle open(const Manifest& manifest);

 private:
  std::optional<Claim> present();
  StoredFile write_index(const Cut& cut, const Bundle& bundle);
  Committed write_manifest(const Manifest& manifest);
  StoredFile write(const std::string& name, std::string_view text);
  std::string url_of(const std::string& name) const { return url_ + name; }

  data::Storage& storage_;
  std::string url_;  // Ends in '/'.
};

}  // namespace carrack::checkpoint
