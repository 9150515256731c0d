// The commands of `carrack data`. Each returns the exit code: 0 all is well, 1 something is not, which was told. They
// throw Refused where what was asked for cannot be, Error where storage fails, Interrupted and ClosedPipe.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/request.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

int inspect(const Request& request, const Storages& storages);
int head(const Request& request, const Storages& storages);
int verify(const Request& request, const Storages& storages);
int index(const Request& request, const Storages& storages);
int stats(const Request& request, const Storages& storages);
// A program that is read has this environment.
int convert(const Request& request, const Storages& storages, const std::vector<std::string>& environment);
int bench(const Request& request, const Storages& storages, const std::vector<std::string>& environment);
int explain(const Request& request, const Storages& storages, const std::vector<std::string>& environment);

}  // namespace carrack::data::cli
