// CheckpointFolder reads and writes a job's checkpoint folder, local or in object storage. A checkpoint is made in
// steps: each parameter server writes its shard with save(), then the coordinator calls commit(), which writes the
// index, the manifest and at last HEAD. HEAD is a small file that says which coordinator may commit (the claim), and
// which manifest is the last commit. It is changed only by compare-and-set, so a coordinator that was replaced cannot
// commit. A job continues only from checkpoints that a HEAD names; tools, and jobs with spec.training.initialWeights,
// may read others. docs/formats/checkpoint.md describes the files.
//
// All functions block, and throw data::Error if the storage fails, and train::Error with Blame::user if a file is not
// as Carrack wrote it. In addition, claim() throws Blame::platform if HEAD changes again and again, and save() and
// commit() throw Blame::bug if a file exists already.
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

// The right to commit. One process of a job's coordinator has it until another process claims the folder or takes it
// over. This is only its local copy: holds() and commit() find out whether it is still valid.
struct Claim {
  Head head;
  data::Version version;  // version of HEAD, for compare-and-set
};

// The result of claim() if the folder belongs to another job, which has the UID `job`.
struct Taken {
  std::string job;
};

// Whether a job that takes over a folder continues from the previous job's last commit, or starts anew and replaces it.
enum class Inheritance { go_on, replace };

// One process of a coordinator that wants a folder. `nonce` must be different for each write of HEAD.
struct Claimant {
  std::string job;
  std::uint64_t attempt = 0;
  std::uint64_t incarnation = 0;
  std::string nonce;
};

// The result of claim() if the same process, or a later one of this job's coordinator, has claimed the folder already.
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

  // Call it when a coordinator starts. Writes its attempt and incarnation to HEAD, unless HEAD names another job
  // (Taken), or the same or a later process (Superseded). From then on, earlier processes cannot commit. Each call of
  // claim() and commit() needs a new `nonce`. `beginning` is used by a job's first claim. Later claims use only its
  // `resumed`, and only while HEAD names no commit: it does not replace another `resumed` in HEAD, but if it is
  // nullopt, HEAD names none any more.
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
  // request_answer() is for a job that wants to take over the folder and must know whether the owner is alive: it
  // writes a request, and does not wait. The coordinator that has the claim calls answer_request() regularly. If there
  // is a new request, this writes HEAD again with the new `nonce` and updates `claim`; the change of HEAD proves that
  // the coordinator is alive. Without a new request it does nothing and returns true. It returns false if the claim is
  // lost.
  void request_answer(const std::string& job, const std::string& nonce);
  bool answer_request(Claim& claim, const std::string& nonce);
  // Removes the request. Call this after taking over the folder, or after giving up.
  void withdraw_request();

  // Reads HEAD. Returns nullopt if no job has claimed the folder.
  std::optional<Head> head();
  // Reads HEAD and its version, for take_over(); nullopt if no job has claimed the folder. Claims nothing.
  std::optional<Claim> present_claim();

  // For a message about a folder that has no file `name`: returns the end of a sentence that begins with the folder,
  // "does not exist; ", "is a file; " or "holds no NAME; ", and then `otherwise`. If the folder is that of a `carrack
  // run`, suggests its subfolder checkpoints instead of `otherwise`.
  std::string absence_of(const std::string& name, const std::string& otherwise = "name the checkpoint folder of a job");

  // True if HEAD has not changed since `claim` was created or last updated, so the right to commit is still there.
  bool holds(const Claim& claim);
  // True if HEAD names this process of the job's coordinator. Unlike holds(), needs no Claim, so others can call it.
  bool is_claimed_by(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation);

  struct SavedShard {
    ShardReport report;  // which rows were written, and where
    StoredFile file;     // for the manifest
  };
  // For a parameter server: writes shard number `shard`, from 0, of `shards`. `tensors` is called once, on the calling
  // thread, and adds the tensors to the writer. Needs no claim. The shard counts only once commit() has succeeded.
  SavedShard save(const Cut& cut, std::uint32_t shard, std::uint32_t shards,
                  const std::function<void(ShardWriter&)>& tensors);

  // For the coordinator: writes the index, the manifest and then HEAD, and updates `claim`. `manifest.files` must
  // contain the shards in order; the index is added to it. `bundle` is the result of merge() (shard.h). Returns false,
  // without a commit, if the right to commit was lost; files may then be left in the folder.
  bool commit(Claim& claim, Manifest manifest, const Bundle& bundle, const std::string& nonce);

  // Reads the file STATISTICS (statistics.h). Returns nullopt if the folder has none.
  std::optional<Statistics> statistics();
  // Writes it. Returns false, and writes nothing, if the folder has statistics and `replaces` is false.
  bool write_statistics(const Statistics& statistics, bool replaces);

  // Removes the files that unneeded_files() names for the last committed `manifest`, one by one, as long as `go_on`,
  // which is called before each file, returns true. Needs no claim, since no later commit can need these files. May run
  // on another thread at the same time as other functions.
  void remove_unneeded(const std::string& manifest, const Retention& retention, const std::function<bool()>& go_on);

  // Reads BEST (best.h): which checkpoint had the lowest loss. Returns nullopt before the first evaluation.
  std::optional<Best> best();
  // Removes BEST if it names a checkpoint of a job that was replaced. Call this after a commit of the replacing job,
  // and before removing files of the replaced one. A damaged BEST stays.
  void remove_replaced_best(const Head& head);
  // Replaces BEST. Needs no claim, but only the process that has the claim should call it.
  void write_best(const Best& best);

  // manifest(), manifest_named() and open() throw train::Error with Blame::user if a file is missing, damaged, or
  // larger than any that Carrack writes.

  // Reads the manifest that HEAD or BEST names, and checks its checksum.
  Manifest manifest(const Committed& committed);
  // Reads the manifest of that name, whether or not HEAD names it.
  Manifest manifest_named(const std::string& name);
  // Reads the index of a checkpoint, but no tensor. Pass the result to read_rows() (restore.h), which reads the shards.
  // It must not outlive this folder.
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
