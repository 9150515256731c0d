#include "dataloader/pipeline/explain.h"

#include "dataloader/cli/bench_pipeline.h"
#include "dataloader/cli/commands.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"

namespace carrack::data::cli {

int explain(const Request& request, const Storages& storages) {
  const Inputs inputs = open_bench_inputs(request, storages);
  std::optional<Dataset> dataset = request.parse ? parsed_rows(request, storages, inputs) : unparsed_rows(inputs);
  if (!dataset) throw Refused(request.inputs.front() + ": holds no tf.Examples to parse; leave --parse out");
  if (request.shuffle) dataset = dataset->shuffle(*request.shuffle);
  dataset = dataset->batch(request.batch).repeat();
  const ReadingOptions options = reading_options(request);
  const Reading reading(*dataset, storages, options);
  print(data::explain(reading.stages(), options));
  return 0;
}

}  // namespace carrack::data::cli
