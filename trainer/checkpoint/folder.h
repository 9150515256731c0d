// A job's checkpoint folder in storage. HEAD says who may commit, and which manifest was committed last. A job loads
// only what a HEAD names; tools may load other checkpoints, by manifest_named(). docs/formats/checkpoint.md describes
// the files. Members throw data::Error if the storage fails, and train::Error (user) if a file is not what Carrack
// wrote. claim() throws train::Error (platform) if HEAD keeps changing; save() and commit() throw (bug) if a file
// exists.
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

// The right to commit, which one start of a coordinator has until another start claims it.
struct Claim {
  Head head;
  data::Version version;
};

// The folder belongs to another job.
struct Taken {
  std::string job;
};

// What a job does with the commits of the job whose folder it takes over.
enum class Inheritance { go_on, replace };

// One start of a coordinator, with a `nonce` that no other write of HEAD has.
struct Claimant {
  std::string job;
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;
  std::string nonce;
};

// A later start of this job's coordinator has claimed the folder.
struct Superseded {};

// How a job starts, which HEAD records at its first claim.
struct Beginning {
  std::optional<Committed> resumed;  // Another job's commit to start from; HEAD drops it at the first commit.
  bool first_pass = false;
};

constexpr const char* head_name = "HEAD";

class CheckpointFolder {
 public:
  // `storage` must outlive this. `url` may end with a slash.
  CheckpointFolder(data::Storage& storage, std::string url);

  // Writes this fence to HEAD, unless HEAD names another job (Taken) or the same or a later start (Superseded). Each
  // call of claim() and commit() needs a `nonce` of its own. `beginning` is used by a job's first claim only.
  std::variant<Claim, Taken, Superseded> claim(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation,
                                               const std::string& nonce, const Beginning& beginning = {});

  // Makes `by` the owner of a folder that another job has claimed. Of the commits in it, by Inheritance,
  // - the last one becomes the one to go on from; `beginning` counts only if there is none; or
  // - the last one stays what HEAD names for those who only read, until this job has committed.
  // Returns nullopt if HEAD is not the one that was `found` any more. `by` must not have lost the folder before.
  std::optional<Claim> take_over(const Claim& found, const Claimant& by, Inheritance inheritance,
                                 const Beginning& beginning);
  // A job that wants to take the folder over writes a request. The coordinator that has the claim answers each by
  // writing HEAD once more with a new `nonce`. Returns false if the claim is lost.
  void request_answer(const std::string& job, const std::string& nonce);
  bool answer_request(Claim& claim, const std::string& nonce);
  // To be called by who has taken the folder over, or has given up.
  void withdraw_request();

  // nullopt if no job has claimed the folder.
  std::optional<Head> head();
  // The same, with the version of HEAD.
  std::optional<Claim> present_claim();

  // Why the folder has no object `name`, in words that follow its own: "does not exist; ", "is a file; " or "holds no
  // HEAD; ", and then `otherwise`; but "did you mean x/checkpoints?" if x is the folder of a `carrack run`.
  std::string absence_of(const std::string& name, const std::string& otherwise = "name the checkpoint folder of a job");

  // True if HEAD is unchanged since the claim or its last commit.
  bool holds(const Claim& claim);
  // True if this start of a coordinator is the last one that has claimed the folder.
  bool is_claimed_by(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation);

  struct SavedShard {
    ShardReport report;
    StoredFile file;
  };
  // Writes shard number `shard`, from 0, of `shards`; `tensors` adds its tensors. Needs no claim.
  SavedShard save(const Cut& cut, std::uint32_t shard, std::uint32_t shards,
                  const std::function<void(ShardWriter&)>& tensors);

  // Writes the index and the manifest, then HEAD, and updates `claim`. `manifest.files` has the shards; the index is
  // added. Returns false if the right to commit was lost; the checkpoint is then not committed.
  bool commit(Claim& claim, Manifest manifest, const Bundle& bundle, const std::string& nonce);

  // nullopt if the folder has none.
  std::optional<Statistics> statistics();
  // Returns false if the folder has some that are not to be replaced.
  bool write_statistics(const Statistics& statistics, bool replaces);

  // Removes the files that unneeded_files() names for the last committed `manifest`, one after the other as long as
  // `go_on` returns true. Needs no claim: no later commit needs them again. Any thread may call it beside the other
  // members.
  void remove_unneeded(const std::string& manifest, const Retention& retention, const std::function<bool()>& go_on);

  // nullopt before the first evaluation. Throws train::Error (user) if BEST is damaged.
  std::optional<Best> best();
  // Removes BEST if it names a checkpoint of a job that was replaced. To be called after a commit of the job that has
  // replaced it, and before anything of it is removed.
  void remove_replaced_best(const Head& head);
  // Replaces BEST. Needs no claim, but only the start that has it should do so.
  void write_best(const Best& best);

  // These throw train::Error (user) if a file is missing, damaged or too large: it was changed after it was committed.
  Manifest manifest(const Committed& committed);
  // The manifest of that name, whether or not HEAD names it.
  Manifest manifest_named(const std::string& name);
  // Reads the index. The shards are read by the result, which must not outlive this folder.
  StoredBundle open(const Manifest& manifest);

 private:
  StoredFile write_index(const Cut& cut, const Bundle& bundle);
  Committed write_manifest(const Manifest& manifest);
  StoredFile write(const std::string& name, std::string_view text);
  std::vector<std::string> names() const;
  std::string url_of(const std::string& name) const { return url_ + name; }

  data::Storage& storage_;
  std::string url_;              // Ends with '/'.
  data::Version answered_ = {};  // Of the last request.
};

}  // namespace carrack::checkpoint
