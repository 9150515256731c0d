// A file with the weights of a model, in one of two formats: safetensors, or a bundle as TensorFlow and Carrack write
// it, which may be several files.
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
  std::string type;               // for people, such as "float32"
  std::optional<data::Raw> read;  // as what its elements are read; nullopt if they cannot become float32
  checkpoint::Shape shape;
};

// Members throw Error, with Blame::user, for a file that is not what its header or index says; data::Error if storage
// fails.
class WeightsFile {
 public:
  virtual ~WeightsFile() = default;
  WeightsFile() = default;
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  // By name in the file.
  const std::map<std::string, StoredWeights>& tensors() const { return tensors_; }
  // Other content of the file has another version, and so has another checkpoint of the same folder.
  const std::string& version() const { return version_text_; }

  // Gives `take` each byte of these rows of a tensor that can be read, and perhaps those of others, in pieces of whole
  // elements and of bounded size. If it throws, what was taken is of no use.
  virtual void read(const std::string& name, checkpoint::Rows rows, const checkpoint::TakeBytes& take) const = 0;

 protected:
  std::map<std::string, StoredWeights> tensors_;
  std::string version_text_;
};

// `url` ends with .safetensors, or is what the names of a bundle's files begin with, or a checkpoint as read_model()
// takes it. Of a folder with several it is the one that `version` is of, if that is not empty; of another file the
// result may have another version. Reads the header or the index. Throws as the members, also if there is no such file;
// Error, with Blame::platform, if the checkpoint that was chosen of several is not there any more. `storages` must
// outlive the result.
std::unique_ptr<const WeightsFile> open_weights(const std::string& url, const data::Storages& storages,
                                                const std::string& version = "");

}  // namespace carrack::train
