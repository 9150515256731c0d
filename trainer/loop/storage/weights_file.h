// A file with the weights of a model: a safetensors file, or a bundle of TensorFlow or Carrack, which may consist of
// several files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dataloader/records/example.h"
#include "dataloader/storage/storages.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::train {

struct StoredWeights {
  std::string type;               // for messages, such as "float32"
  std::optional<data::Raw> read;  // the type of the stored elements; nullopt: they cannot be converted to float32
  checkpoint::Shape shape;
};

// The functions throw Error with Blame::user for a file that is not as its header or index says, and data::Error if the
// storage fails. Several threads may read at the same time.
class WeightsFile {
 public:
  virtual ~WeightsFile() = default;
  WeightsFile() = default;
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  // Tensors by their name in the file.
  const std::map<std::string, StoredWeights>& tensors() const { return tensors_; }
  // Differs between files of different content, and between checkpoints of a folder.
  const std::string& version() const { return version_text_; }

  // Passes each byte of these rows of a tensor to `take`, and possibly bytes of other rows, in pieces of whole elements
  // and of bounded size, on the calling thread. The tensor must have a value in `StoredWeights::read`. If this throws,
  // discard what was passed. If the file is a checkpoint of a job that has several, and the job has removed it, throws
  // Error with Blame::platform.
  virtual void read(const std::string& name, checkpoint::Rows rows, const checkpoint::TakeBytes& take) const = 0;

 protected:
  std::map<std::string, StoredWeights> tensors_;
  std::string version_text_;
};

// Opens a file, and reads its header or index. `url` ends with .safetensors, or is the prefix of the names of a
// bundle's files, or a checkpoint: a job's folder, its BEST, or a manifest. If a job's folder has several checkpoints,
// `version`, unless empty, selects the one that had this version(). For other files `version` is ignored, so compare
// version() of the result. Throws Error with Blame::user if the file does not exist or cannot be read as such a file,
// data::Error if the storage fails. `storages` must outlive the result.
std::unique_ptr<const WeightsFile> open_weights(const std::string& url, const data::Storages& storages,
                                                const std::string& version = "");

}  // namespace carrack::train
