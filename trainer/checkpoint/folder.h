// A job's checkpoint folder in storage. HEAD says who may commit, and which manifest was committed last. A job loads
// only checkpoints that a HEAD names; tools may load others, with manifest_named(). docs/formats/checkpoint.md
// describes the files.
//
// All functions throw data::Error if the storage fails, and train::Error with Blame::user if a file is not as Carrack
// wrote it. In addition, claim() throws Blame::platform if HEAD keeps changing, and save() and commit() throw
// Blame::bug if a file exists already.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/storage/storage.h"
#include "trainer/checkpoint/best.h"
#include "trainer/checkpoint/head.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/retention.h"
#include "trainer/checkpoint/shard.h"
#include "trainer/checkpoint/statistics.h"

namespace carrack::checkpoint {

// The right to commit. One start of a coordinator has it until another start claims it.
struct Claim {
  Head head;
  data::Version version;  // of HEAD
};

// The folder belongs to another job, which `job` names by its UID.
struct Taken {
  std::string job;
};

// Whether a job that takes over a folder goes on from the previous job's commits, or replaces them.
enum class Inheritance { go_on, replace };

// One start of a coordinator. `nonce` must be different for each write of HEAD.
struct Claimant {
  std::string job;
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;
  std::string nonce;
};

// The same or a later start of this job's coordinator has claimed the folder.
struct Superseded {};

// How a job starts. HEAD records it when the job claims the folder for the first time.
struct Beginning {
  std::optional<Committed> resumed;  // another job's commit to start from; HEAD drops it at the first commit
  bool first_pass = false;           // as in Head
};

constexpr const char* head_name = "HEAD";

// Only answer_request() changes this object; any threads may call the other functions at the same time.
class CheckpointFolder {
 public:
  // `storage` must outlive this. `url` may end with a slash.
  CheckpointFolder(data::Storage& storage, std::string url);

  // Writes this fence to HEAD, unless HEAD names another job (Taken), or the same or a later start (Superseded). Each
  // call of claim() and commit() needs a new `nonce`. `beginning` is used only by a job's first claim.
  std::variant<Claim, Taken, Superseded> claim(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation,
                                               const std::string& nonce, const Beginning& beginning = {});

  // Makes `by` the owner of a folder that another job has claimed. `inheritance` decides about the commits in it:
  // - go_on: training goes on from the last commit. `beginning` is used only if there is none.
  // - replace: training starts from `beginning`. The last commit remains readable, as TakenOver::kept, until this job
  //   commits.
  // Returns nullopt if HEAD has changed since it was `found`. Throws Blame::bug if `by` has owned the folder and lost
  // it.
  std::optional<Claim> take_over(const Claim& found, const Claimant& by, Inheritance inheritance,
                                 const Beginning& beginning);
  // A job that wants to take over the folder writes a request. The coordinator that has the claim answers it by writing
  // HEAD again with a new `nonce`, which proves that it is alive. answer_request() does nothing without a new request,
  // and returns false if the claim is lost.
  void request_answer(const std::string& job, const std::string& nonce);
  bool answer_request(Claim& claim, const std::string& nonce);
  // Call this after taking over the folder, or after giving up.
  void withdraw_request();

  // Returns nullopt if no job has claimed the folder.
  std::optional<Head> head();
  // HEAD and its version; nullopt if no job has claimed the folder.
  std::optional<Claim> present_claim();

  // Says why the folder has no object `name`, as the end of a sentence: "does not exist; ", "is a file; " or "holds no
  // HEAD; ", followed by `otherwise`. If the folder is that of a `carrack run`, suggests its checkpoints/ instead.
  std::string absence_of(const std::string& name, const std::string& otherwise = "name the checkpoint folder of a job");

  // True if HEAD is unchanged since `claim` was made or has last committed.
  bool holds(const Claim& claim);
  // True if HEAD names this start of a coordinator.
  bool is_claimed_by(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation);

  struct SavedShard {
    ShardReport report;  // what was written where
    StoredFile file;     // for the manifest
  };
  // Writes shard number `shard`, which counts from 0. `tensors` adds the tensors to it. Needs no claim.
  SavedShard save(const Cut& cut, std::uint32_t shard, std::uint32_t shards,
                  const std::function<void(ShardWriter&)>& tensors);

  // Writes the index, the manifest and then HEAD, and updates `claim`. `manifest.files` must hold the shards; the index
  // is added to it. Returns false, without a commit, if the right to commit was lost.
  bool commit(Claim& claim, Manifest manifest, const Bundle& bundle, const std::string& nonce);

  // Returns nullopt if the folder has no statistics.
  std::optional<Statistics> statistics();
  // Returns false, and writes nothing, if the folder has statistics and `replaces` is false.
  bool write_statistics(const Statistics& statistics, bool replaces);

  // Removes the files that unneeded_files() names for the last committed `manifest`, one by one, while `go_on` returns
  // true. Needs no claim, since no later commit can need these files. May run on another thread at the same time as
  // other members.
  void remove_unneeded(const std::string& manifest, const Retention& retention, const std::function<bool()>& go_on);

  // Returns nullopt before the first evaluation.
  std::optional<Best> best();
  // Removes BEST if it names a checkpoint of a job that was replaced. Call it after a commit of the replacing job, and
  // before removing files of the replaced one.
  void remove_replaced_best(const Head& head);
  // Needs no claim, but only the start that has the claim should call it.
  void write_best(const Best& best);

  // These throw train::Error with Blame::user if a file is missing, damaged or too large: it has changed since it was
  // committed.
  Manifest manifest(const Committed& committed);
  // The manifest of that name, whether or not HEAD names it.
  Manifest manifest_named(const std::string& name);
  // Reads the index. The result reads the shards when it is used, and must not outlive this folder.
  StoredBundle open(const Manifest& manifest);

 private:
  StoredFile write_index(const Cut& cut, const Bundle& bundle);
  Committed write_manifest(const Manifest& manifest);
  StoredFile write(const std::string& name, std::string_view text);
  std::vector<std::string> names() const;
  std::string url_of(const std::string& name) const { return url_ + name; }

  data::Storage& storage_;
  std::string url_;              // ends with '/'
  data::Version answered_ = {};  // the version of the last request that was answered
};

}  // namespace carrack::checkpoint
