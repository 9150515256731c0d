#include "dataloader/pipeline/explain.h"

#include "dataloader/cli/commands.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/cli/trial.h"
#include "dataloader/error.h"

namespace carrack::data::cli {

int explain(const Request& request, const Storages& storages, const std::vector<std::string>& environment) {
  const Inputs inputs = inputs_to_read(request, storages, environment);
  std::optional<Dataset> dataset = request.parse ? parsed(request, storages, inputs) : as_it_comes(inputs);
  if (!dataset) throw Refused(request.inputs.front() + ": holds no tf.Examples to parse; leave --parse out");
  if (request.shuffle) dataset = dataset->shuffle(*request.shuffle);
  dataset = dataset->batch(request.batch).repeat();
  const ReadingOptions options = means_for(request);
  const Reading reading(*dataset, storages, options);
  print(data::explain(reading.stages(), options));
  return 0;
}

}  // namespace carrack::data::cli
