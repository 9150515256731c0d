// Storage: the interface to files and cloud objects, through which Carrack reads data and writes checkpoints. Each URL
// scheme has one implementation: FileStorage for file:// URLs and bare paths, GcsStorage for gs:// URLs. A file is
// called an object, too. Storages::for_url() returns the Storage of a URL.
//
// An object becomes visible with all its bytes in one moment, and is durable once the call that wrote it has returned.
// All functions of a Storage may be called from many threads at the same time. An outcome that callers decide on (an
// absent object, a lost replace_if) is a return value. All functions throw Error if the storage itself fails (no
// permission, no such bucket, no tries left), and Refused, which is an Error, for a text that is not a URL and if
// trying again cannot help.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carrack::data {

using Bytes = std::vector<std::byte>;

// Names one state of one object, such as a generation of Google Cloud Storage. If two versions of one object are equal,
// so are its bytes. Only the storage interprets the text. Versions are not ordered, and versions of different objects
// must not be compared.
struct Version {
  std::string text;
  bool operator==(const Version&) const = default;
};

struct ObjectStat {
  std::uint64_t size = 0;  // bytes
  Version version;
  bool operator==(const ObjectStat&) const = default;
};

// An object that list() has found.
struct Listed {
  std::string url;
  ObjectStat stat;
  bool operator==(const Listed&) const = default;
};

// A range of bytes of an object and the memory into which it is read. The range begins at `offset` and has the size of
// `into`.
struct Slice {
  std::uint64_t offset = 0;
  std::span<std::byte> into;
};

enum class ReadResult {
  complete,
  absent,    // The object does not exist.
  changed,   // The object has another version than the requested one, or was replaced while it was read.
  past_end,  // A slice ends beyond the end of the object.
};

// Reads one version of an object from its first byte to its last. For one thread at a time. After read() has thrown,
// the reader must not be used again.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // Fills all of `into` with the next bytes. Returns `past_end` if fewer bytes are left, so ask only for bytes that
  // exist. If the result is not `complete`, the content of `into` is unspecified and the reader must not be used again.
  virtual ReadResult read(std::span<std::byte> into) = 0;
};

// Makes an ObjectReader of a function that reads slices of an object of `size` bytes. For implementations of Storage
// and ByteSource without read-ahead. Each read() of the result calls `read` once with one slice, or not at all if no
// byte is left. The result owns `read`.
std::unique_ptr<ObjectReader> reader_by(std::function<ReadResult(std::span<const Slice>)> read, std::uint64_t size);

struct CreateOptions {
  bool must_not_exist = false;  // true: commit() does not replace an object
};

// Writes one object. If a writer is destroyed before commit(), no object becomes visible. After write() has thrown, it
// must only be destroyed. After commit() has thrown, it is unknown whether the object is visible. The storage must
// outlive the writer. For one thread at a time.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  // Appends bytes to the object; they are copied or written before it returns. May block.
  virtual void write(std::span<const std::byte> bytes) = 0;
  // Makes the object visible and returns its size and version. Returns nullopt if the object must not exist but does.
  // Call it once, after the last write().
  virtual std::optional<ObjectStat> commit() = 0;
};

// The content of a small object, and the version that replace_if() must name to replace it. See Storage::latest().
struct Latest {
  Bytes bytes;
  Version version;
  bool operator==(const Latest&) const = default;
};

// The maximum size in bytes of an object of latest() and replace_if(), which throw Error for larger ones.
constexpr std::size_t small_object_limit = std::size_t{1} << 20;

class Storage {
 public:
  virtual ~Storage() = default;

  // True if each read costs a request over a network, so that few large reads are faster than many small ones.
  virtual bool is_remote() const = 0;

  // Returns nullopt if the object does not exist.
  virtual std::optional<ObjectStat> stat(const std::string& url) = 0;
  // Returns the objects whose URLs match, sorted by URL; empty if none does. `?` matches one character except `/`, `*`
  // any number of characters except `/`, and `**` any number of any characters. Throws Refused for more than 16 of
  // `*` and `**`. Folders are not objects.
  virtual std::vector<Listed> list(const std::string& pattern) = 0;
  // Fills all slices, which may be in any order, from one version of the object: `version`, or the current version if
  // it is nullopt. Blocks until they are full. Returns `absent` or `changed` if that version does not exist any more.
  // If the result is not `complete`, the content of the slices is unspecified.
  virtual ReadResult read(const std::string& url, std::span<const Slice> slices,
                          const std::optional<Version>& version) = 0;
  // Returns a reader of the object from its first byte on. `stat` is a result of stat() or list() and decides which
  // version is read. Does not check that the object exists: the reader's read() does. The storage must outlive the
  // reader. A remote storage reads ahead.
  virtual std::unique_ptr<ObjectReader> open(const std::string& url, const ObjectStat& stat);
  // Returns a writer of the object. ObjectWriter::commit() makes the object visible, and replaces an existing one
  // unless options.must_not_exist. Missing folders are made.
  virtual std::unique_ptr<ObjectWriter> create(const std::string& url, CreateOptions options) = 0;
  // Removes the object. Returns false if it did not exist. If other callers remove or replace it at the same time, only
  // the version that existed at the call is certain to be removed.
  virtual bool remove(const std::string& url) = 0;

  // latest() reads, and replace_if() writes, a small object that is changed only by compare-and-set. Under file:// the
  // object NAME is stored as the file NAME.<n> with the highest n (docs/formats/head.md), so the functions above do not
  // find it under NAME. latest() returns nullopt if the object does not exist.
  virtual std::optional<Latest> latest(const std::string& url) = 0;
  // Replaces the version `expected`, which latest() or replace_if() has returned, or creates the object if `expected`
  // is nullopt. Returns the new version, or nullopt if the object has another version: another writer was first. Under
  // gs:// the reply to a successful write may be lost; an object with equal bytes then counts as written by this call,
  // so `bytes` must contain something that no other writer writes, such as a nonce.
  virtual std::optional<Version> replace_if(const std::string& url, const std::optional<Version>& expected,
                                            std::span<const std::byte> bytes) = 0;
};

// For implementations of latest() and replace_if(): throws Error, which names the URL, for a size above
// small_object_limit.
void require_small(const std::string& url, std::uint64_t size);

// True if a folder of that name, without a slash at its end, exists. In a remote storage it exists if an object is
// directly in it; this lists all such objects, which may be slow.
bool is_folder(Storage& storage, const std::string& name);

// The message for an empty list(): "no file matches x*", or for a remote storage "no object matches gs://b/x*".
std::string no_match_text(const Storage& storage, const std::string& pattern);

struct ReadLimit {
  std::uint64_t bytes_max = ~std::uint64_t{0};  // of the object; the default is no limit
  std::string hint = "";                        // appended to the message about a larger object
};

// Reads a whole object; if it is replaced meanwhile, reads the new version. Returns nullopt if it does not exist.
// Throws Refused for an object that is larger than the limit, and Error if it is replaced 10 times.
std::optional<Bytes> read_whole(Storage& storage, const std::string& url, const ReadLimit& limit = {});

}  // namespace carrack::data
