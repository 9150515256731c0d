// WeightsFile: reads tensors from a file with the weights of a model, for spec.training.initialWeights. The file is a
// safetensors file (PyTorch, Hugging Face), or a TensorFlow checkpoint, which consists of several files. Checkpoints of
// Carrack have the format of TensorFlow.
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

// A tensor in the file.
struct StoredWeights {
  std::string type;  // for messages, such as "float32"
  // The type of the stored elements, if they can be converted to float32: float32, float64, float16 or bfloat16.
  // nullopt for any other type, such as int32; such a tensor cannot be read.
  std::optional<data::Raw> element_type;
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
  // A text that differs between files of different content, and between the checkpoints of a folder.
  const std::string& version() const { return version_text_; }

  // Passes the stored bytes of these rows of a tensor to `take`, and possibly bytes of other rows, in pieces of whole
  // elements and of bounded size, on the calling thread. `take` also gets the offset of the piece in the tensor. `name`
  // must be in tensors() and have an element_type. If this throws, discard what was passed. If the job has removed a
  // checkpoint that open_weights() has chosen in its folder, throws Error with Blame::platform.
  virtual void read(const std::string& name, checkpoint::Rows rows, const checkpoint::TakeBytes& take) const = 0;

 protected:
  std::map<std::string, StoredWeights> tensors_;
  std::string version_text_;
};

// Opens a file, and reads its header or index. `url` is one of:
// - a path or URL that ends with .safetensors;
// - the prefix of the names of a TensorFlow checkpoint's files: "model" for model.index and model.data-00000-of-00001;
// - the checkpoint folder of a job, whose last commit is read, the file BEST in it, or the manifest of a checkpoint.
//
// `version` is empty, or the version() of an earlier result for the same URL. If a job's folder has several
// checkpoints, it selects the same one again. For other files it is ignored, so compare it with version() of the
// result. Throws Error with Blame::user if the file does not exist or cannot be read as such a file, with
// Blame::platform if a job has removed the chosen checkpoint meanwhile, and data::Error if the storage fails.
// `storages` must outlive the result.
std::unique_ptr<const WeightsFile> open_weights(const std::string& url, const data::Storages& storages,
                                                const std::string& version = "");

}  // namespace carrack::train
