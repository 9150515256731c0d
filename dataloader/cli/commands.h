// The commands of `carrack data`; data_command() calls them. Each reads files, prints its result and returns the exit
// code: 0 for success, 1 if it has reported a file that is damaged, cannot be read, holds no records (except for
// inspect) or, for index, has no index that fits. They throw Refused for a request that cannot be carried out, Error if
// storage fails or damage ends the command, and Interrupted or ClosedPipe (terminal.h).
#pragma once

#include "dataloader/cli/request.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

int inspect(const Request& request, const Storages& storages);
int head(const Request& request, const Storages& storages);
int verify(const Request& request, const Storages& storages);
int index(const Request& request, const Storages& storages);
int stats(const Request& request, const Storages& storages);
int convert(const Request& request, const Storages& storages);
int bench(const Request& request, const Storages& storages);
int explain(const Request& request, const Storages& storages);

}  // namespace carrack::data::cli
