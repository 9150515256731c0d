// Objects under URLs of one scheme: files under file:// (a bare path is a file), objects under gs://.
//
// An object is whole and durable once it is visible. All functions may be called from many threads at once. What a
// caller chooses on is a value; Error is thrown where the storage itself fails: no permission, no such bucket, retries
// used up.
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

// One state of one object. Equal means the same state; the text means something to the storage alone.
struct Version {
  std::string text;
  bool operator==(const Version&) const = default;
};

struct ObjectStat {
  std::uint64_t size = 0;
  Version version;
  bool operator==(const ObjectStat&) const = default;
};

struct Listed {
  std::string url;
  ObjectStat stat;
  bool operator==(const Listed&) const = default;
};

// A range of an object, as long as the memory it is read into.
struct Slice {
  std::uint64_t offset = 0;
  std::span<std::byte> into;
};

enum class ReadResult {
  complete,
  absent,
  changed,   // Is not the version asked for, or was replaced between two slices.
  past_end,  // A slice ends beyond the end of the object.
};

// The bytes of one version of an object in turn, from the first. For one thread at a time.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // Fills `into` with the next ones; unless complete, with what comes, and nothing more does.
  virtual ReadResult read(std::span<std::byte> into) = 0;
};

// By what fills slices of an object of that size.
std::unique_ptr<ObjectReader> reader_by(std::function<ReadResult(std::span<const Slice>)> read, std::uint64_t size);

struct CreateOptions {
  bool must_not_exist = false;
};

// Destroyed before its commit, it leaves nothing that anyone sees.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  // Makes the object visible. Nothing if it must not exist and does. Called once, last.
  virtual std::optional<ObjectStat> commit() = 0;
};

struct Latest {
  Bytes bytes;
  Version version;
  bool operator==(const Latest&) const = default;
};

// What latest and replace_if hold at most.
constexpr std::size_t small_object_limit = std::size_t{1} << 20;

class Storage {
 public:
  virtual ~Storage() = default;

  virtual std::optional<ObjectStat> stat(const std::string& url) = 0;
  // The objects whose URLs match, sorted: `?` is one character but `/`, `*` any number of them, `**` any number of all.
  virtual std::vector<Listed> list(const std::string& pattern) = 0;
  // Fills all slices from one version of the object, `version` if there is one; unless complete, with what comes.
  virtual ReadResult read(const std::string& url, std::span<const Slice> slices,
                          const std::optional<Version>& version) = 0;
  // Of the version that stat() gave. It must not outlive the storage. What is far away is read ahead.
  virtual std::unique_ptr<ObjectReader> open(const std::string& url, const ObjectStat& stat);
  virtual std::unique_ptr<ObjectWriter> create(const std::string& url, CreateOptions options) = 0;
  // Where two at once remove an object or one replaces it, the object that was there at the call is gone.
  // False if there was none.
  virtual bool remove(const std::string& url) = 0;

  // A small object that is changed by replace_if alone. Under file:// NAME is the highest NAME.<n>, see
  // docs/formats/head.md, so the functions above do not know it by its name.
  virtual std::optional<Latest> latest(const std::string& url) = 0;
  // Replaces `expected`, or creates the object where nothing is expected. The new version, or nothing: lost, the object
  // is not what was expected and its bytes are not these. Under gs:// a reply can be lost, and then who finds its own
  // bytes there has won; so the bytes hold something no other writer writes, a nonce.
  virtual std::optional<Version> replace_if(const std::string& url, const std::optional<Version>& expected,
                                            std::span<const std::byte> bytes) = 0;
};

// Throws Error, naming the URL, for a size above small_object_limit.
void require_small(const std::string& url, std::uint64_t size);

// All of an object, or nothing if there is none. Throws a Refused for one that is larger than what it is taken for can
// be; that ends so.
struct Possible {
  std::uint64_t bytes = ~std::uint64_t{0};
  std::string otherwise = "";
};
std::optional<Bytes> read_whole(Storage& storage, const std::string& url, const Possible& possible = {});

}  // namespace carrack::data
