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

// The right to commit. One process of a job's coordinator has it until another process claims it.
struct Claim {
  Head head;
  data::Version version;  // version of HEAD, for compare-and-set
};

// The result of claim() if the folder belongs to another job, which has the UID `job`.
struct Taken {
  std::string job;
};

// Whether a job that takes over a folder continues from the previous job's commits, or replaces them.
enum class Inheritance { go_on, replace };

// One process of a coordinator that wants a folder. `nonce` must be different for each write of HEAD.
struct Claimant {
  std::string job;
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;
  std::string nonce;
};

// The result of claim() if this process, or a later one of this job's coordinator, has claimed the folder.
struct Superseded {};

// How a job starts. HEAD records it when the job claims the folder for the first time.
struct Beginning {
  std::optional<Committed> resumed;  // another job's commit to start from; HEAD drops it at the first commit
  bool first_pass = false;           // see Head::first_pass
};

constexpr const char* head_name = "HEAD";

// Several threads may call the functions at the same time, but answer_request() only one at a time, and no thread may
// copy this object meanwhile.
class CheckpointFolder {
 public:
  // `storage` must outlive this. `url` may end with a slash.
  CheckpointFolder(data::Storage& storage, std::string url);

  // Writes this attempt and incarnation to HEAD, unless HEAD names another job (Taken), or the same or a later process
  // (Superseded). Each call of claim() and commit() needs a new `nonce`. `beginning` is used by a job's first claim;
  // later claims use only its `resumed`, and only while HEAD names neither a commit nor a `resumed`.
  std::variant<Claim, Taken, Superseded> claim(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation,
                                               const std::string& nonce, const Beginning& beginning = {});

  // Makes `by` the owner of a folder that another job has claimed. `inheritance` decides about the commits in it:
  // - go_on: training continues from the last commit. `beginning` is used only if there is none.
  // - replace: training starts from `beginning`. The last commit remains readable, as TakenOver::kept, until this job
  //   commits.
  // Returns nullopt if HEAD has changed since it was `found`. Throws Blame::bug if `by` has owned the folder and lost
  // it.
  std::optional<Claim> take_over(const Claim& found, const Claimant& by, Inheritance inheritance,
                                 const Beginning& beginning);
  // A job that wants to take over the folder calls request_answer(). The coordinator that has the claim calls
  // answer_request() regularly. It answers a new request by writing HEAD again with the new `nonce`, which proves that
  // the coordinator is alive, and updates `claim`. Without a new request it does nothing. It returns false if the claim
  // is lost.
  void request_answer(const std::string& job, const std::string& nonce);
  bool answer_request(Claim& claim, const std::string& nonce);
  // Removes the request. Call this after taking over the folder, or after giving up.
  void withdraw_request();

  // Returns nullopt if no job has claimed the folder.
  std::optional<Head> head();
  // Returns HEAD and its version; nullopt if no job has claimed the folder.
  std::optional<Claim> present_claim();

  // For a folder that has no object `name`: returns why, as the end of a sentence. This is "does not exist; ",
  // "is a file; " or "holds no NAME; ", followed by `otherwise`. If the folder is that of a `carrack run`, suggests its
  // checkpoints/ instead of `otherwise`.
  std::string absence_of(const std::string& name, const std::string& otherwise = "name the checkpoint folder of a job");

  // True if HEAD has not changed since `claim` was made or last updated.
  bool holds(const Claim& claim);
  // True if HEAD names this process of the job's coordinator.
  bool is_claimed_by(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation);

  struct SavedShard {
    ShardReport report;  // which rows were written, and where
    StoredFile file;     // for the manifest
  };
  // Writes shard number `shard`, which counts from 0, of `shards`. `tensors` is called once, on the calling thread, and
  // adds the tensors to the writer. Needs no claim.
  SavedShard save(const Cut& cut, std::uint32_t shard, std::uint32_t shards,
                  const std::function<void(ShardWriter&)>& tensors);

  // Writes the index, the manifest and then HEAD, and updates `claim`. `manifest.files` must contain the shards; the
  // index is added to it. Returns false, without a commit, if the right to commit was lost.
  bool commit(Claim& claim, Manifest manifest, const Bundle& bundle, const std::string& nonce);

  // Returns nullopt if the folder has no statistics.
  std::optional<Statistics> statistics();
  // Returns false, and writes nothing, if the folder has statistics and `replaces` is false.
  bool write_statistics(const Statistics& statistics, bool replaces);

  // Removes the files that unneeded_files() names for the last committed `manifest`, one by one, as long as `go_on`,
  // which is called before each file, returns true. Needs no claim, since no later commit can need these files. May run
  // on another thread at the same time as other functions.
  void remove_unneeded(const std::string& manifest, const Retention& retention, const std::function<bool()>& go_on);

  // Returns BEST; nullopt before the first evaluation.
  std::optional<Best> best();
  // Removes BEST if it names a checkpoint of a job that was replaced. Call this after a commit of the replacing job,
  // and before removing files of the replaced one. A damaged BEST stays.
  void remove_replaced_best(const Head& head);
  // Replaces BEST. Needs no claim, but only the process that has the claim should call it.
  void write_best(const Best& best);

  // manifest(), manifest_named() and open() throw train::Error with Blame::user if a file is missing, damaged, or
  // larger than any that Carrack writes.
  Manifest manifest(const Committed& committed);
  // Returns the manifest of that name, whether or not HEAD names it.
  Manifest manifest_named(const std::string& name);
  // Reads the index of a checkpoint. The result reads the shards when it is used, and must not outlive this folder.
  StoredBundle open(const Manifest& manifest);

 private:
  StoredFile write_index(const Cut& cut, const Bundle& bundle);
  Committed write_manifest(const Manifest& manifest);
  StoredFile write(const std::string& name, std::string_view text);
  std::vector<std::string> names() const;
  // Returns nullopt if the file does not exist. Throws train::Error with Blame::user if it is larger than `bytes_max`
  // or may not be read.
  std::optional<data::Bytes> read_file(const std::string& url, std::uint64_t bytes_max) const;
  std::string url_of(const std::string& name) const { return url_ + name; }

  data::Storage& storage_;
  std::string url_;              // ends with '/'
  data::Version answered_ = {};  // the version of the last request that was answered
};

}  // namespace carrack::checkpoint
