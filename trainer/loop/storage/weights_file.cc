#include "trainer/loop/storage/weights_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "dataloader/crc32c.h"
#include "dataloader/storage/url.h"
#include "dataloader/text.h"
#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/safetensors.h"
#include "trainer/checkpoint/survey.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{8} << 20;  // a multiple of each type's size: whole elements
constexpr std::uint64_t index_bytes_max = std::uint64_t{64} << 20;

std::optional<data::Raw> raw_of(checkpoint::DType dtype) {
  switch (dtype) {
    case checkpoint::DType::float32:
      return data::Raw::float32;
    case checkpoint::DType::float64:
      return data::Raw::float64;
    case checkpoint::DType::float16:
      return data::Raw::float16;
    case checkpoint::DType::bfloat16:
      return data::Raw::bfloat16;
    default:
      return std::nullopt;
  }
}

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(Blame::user, "spec.training.initialWeights.from: " + file + ": " + problem);
}

[[noreturn]] void refuse_missing(const std::string& file) {
  throw Error(Blame::user, "spec.training.initialWeights.from: there is no " + file +
                               "; name a .safetensors file, the checkpoint folder of a job, or what the names of a "
                               "checkpoint's files begin with");
}

template <class Value>
Value decoded_or_refused(checkpoint::Decoded<Value> decoded, const std::string& file) {
  if (const auto* corrupt = std::get_if<checkpoint::Corrupt>(&decoded)) refuse(file, corrupt->text);
  return std::get<Value>(std::move(decoded));
}

class SafeTensorsFile final : public WeightsFile {
 public:
  SafeTensorsFile(std::string url, data::Storage& storage) : url_(std::move(url)), storage_(storage) {
    const std::optional<data::ObjectStat> stat = storage.stat(url_);
    if (!stat) refuse_missing(url_);
    version_text_ = stat->version.text;
    std::string first(std::min<std::uint64_t>(stat->size, checkpoint::safetensors_size_bytes), '\0');
    fill(0, std::as_writable_bytes(std::span(first)));
    const auto size = decoded_or_refused(checkpoint::safetensors_header_size(first, stat->size), url_);
    std::string header(size, '\0');
    fill(checkpoint::safetensors_size_bytes, std::as_writable_bytes(std::span(header)));
    found_ = decoded_or_refused(checkpoint::decode_safetensors(std::move(header), stat->size), url_);
    for (const auto& [name, tensor] : found_) {
      tensors_[name] = {.type = tensor.dtype ? checkpoint::name_of(*tensor.dtype) : data::excerpt(tensor.type),
                        .element_type = tensor.dtype ? raw_of(*tensor.dtype) : std::nullopt,
                        .shape = tensor.shape};
    }
  }

  void read(const std::string& name, checkpoint::Rows rows, const checkpoint::TakeBytes& take) const override {
    const checkpoint::SafeTensor& tensor = found_.at(name);
    const std::uint64_t row = checkpoint::row_size(tensor.dtype.value(), tensor.shape);
    const std::uint64_t end = static_cast<std::uint64_t>(rows.begin + rows.count) * row;
    data::Bytes piece;
    for (std::uint64_t at = static_cast<std::uint64_t>(rows.begin) * row; at < end; at += piece.size()) {
      piece.resize(std::min(piece_bytes, end - at));
      fill(tensor.offset + at, piece);
      take(piece, at);
    }
  }

 private:
  void fill(std::uint64_t offset, std::span<std::byte> into) const {
    if (into.empty()) return;
    const data::Slice slice{offset, into};
    if (storage_.read(url_, {&slice, 1}, data::Version{version_text_}) != data::ReadResult::complete)
      refuse(url_, "changes while it is read");
  }

  std::string url_;
  data::Storage& storage_;
  checkpoint::SafeTensors found_;
};

// Where the files of a TensorFlow checkpoint (a bundle) are.
struct BundlePlace {
  std::string prefix;  // the beginning of the URLs of all its files
  std::string chosen;  // the checkpoint's name if it was chosen in a job's folder, so the job may remove it; or empty

  [[noreturn]] void refuse_absent(const std::string& file) const {
    if (chosen.empty()) refuse_missing(file);
    throw Error(Blame::platform, "spec.training.initialWeights.from: " + file +
                                     " is not there any more, as the job that wrote it has newer ones; this is tried "
                                     "again");
  }
};

// The version() of a chosen checkpoint begins with its name and this character. So place_of() can find it again.
constexpr char after_chosen = ' ';

BundlePlace in_folder(const std::string& folder, std::string chosen) {
  std::string prefix = data::in_folder(folder, chosen);
  return {std::move(prefix), std::move(chosen)};
}

// Returns the checkpoint that a command such as `carrack predict` reads for the same name.
BundlePlace place_in_job(const checkpoint::CheckpointName& name, data::Storage& storage) {
  checkpoint::CheckpointFolder folder(storage, name.folder);
  try {
    return in_folder(name.folder, checkpoint::prefix_of(checkpoint::manifest_of(name, folder).cut));
  } catch (const Error& error) {
    throw Error(error.blame(), std::string("spec.training.initialWeights.from: ") + error.what());
  }
}

// Finds the checkpoint that `url` names: by the prefix of its files, its manifest, BEST, or the folder of a job. If
// `version` names a chosen checkpoint, returns that one again.
BundlePlace place_of(const std::string& url, data::Storage& storage, const std::string& version) {
  constexpr std::string_view of_manifest = ".manifest";
  const checkpoint::CheckpointName name = checkpoint::parse_checkpoint_name(url);
  if (const std::size_t end = version.find(after_chosen); end != version.npos) {
    return in_folder(name.folder, version.substr(0, end));
  }
  if (name.is_best) return place_in_job(name, storage);
  if (storage.stat(checkpoint::index_name(url))) return {url, ""};
  if (name.manifest) {
    const std::string chosen = name.manifest->substr(0, name.manifest->size() - of_manifest.size());
    return {data::in_folder(name.folder, chosen), ""};
  }
  const bool is_of_job = checkpoint::CheckpointFolder(storage, url).head().has_value();
  const bool is_folder = is_of_job || (!storage.is_remote() && data::is_folder(storage, url));
  return is_folder ? place_in_job(name, storage) : BundlePlace{url, ""};
}

class BundleFile final : public WeightsFile {
 public:
  BundleFile(const BundlePlace& place, data::Storage& storage) {
    const std::string index = checkpoint::index_name(place.prefix);
    const std::optional<data::Bytes> bytes =
        data::read_whole(storage, index, {index_bytes_max, "; it is not an index of a checkpoint"});
    if (!bytes) place.refuse_absent(index);
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    // The index has the checksums of all tensors, so its own checksum differs if any tensor differs.
    version_text_ = data::crc32c_hex(data::crc32c(*bytes));
    if (!place.chosen.empty()) version_text_ = place.chosen + after_chosen + version_text_;
    bundle_.prefix = place.prefix;
    bundle_.bundle = decoded_or_refused(checkpoint::decode_index(text), index);
    bundle_.read = [&storage, place](const std::string& file, std::uint64_t offset,
                                     std::span<std::byte> into) -> std::size_t {
      const data::Slice slice{offset, into};
      const data::ReadResult result = storage.read(file, {&slice, 1}, std::nullopt);
      if (result == data::ReadResult::complete) return into.size();
      if (result == data::ReadResult::absent && !place.chosen.empty()) place.refuse_absent(file);
      refuse(file, "is missing, or shorter than its index says");
    };
    for (const auto& [name, tensor] : bundle_.bundle.tensors) {
      tensors_[name] = {
          .type = checkpoint::name_of(tensor.dtype), .element_type = raw_of(tensor.dtype), .shape = tensor.shape};
    }
  }

  void read(const std::string& name, checkpoint::Rows rows, const checkpoint::TakeBytes& take) const override {
    if (const auto corrupt = checkpoint::read_pieces(bundle_, name, rows, take)) {
      throw Error(Blame::user, "spec.training.initialWeights.from: " + corrupt->text);
    }
  }

 private:
  checkpoint::StoredBundle bundle_;
};

}  // namespace

std::unique_ptr<const WeightsFile> open_weights(const std::string& url, const data::Storages& storages,
                                                const std::string& version) {
  data::Storage& storage = storages.for_url(url);
  if (url.ends_with(".safetensors")) return std::make_unique<const SafeTensorsFile>(url, storage);
  return std::make_unique<const BundleFile>(place_of(url, storage, version), storage);
}

}  // namespace carrack::train
