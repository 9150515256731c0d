// The entry point of `carrack data`, the command line tool that reports what TFRecord files hold, checks them, and
// converts other files to TFRecords. The main() of `carrack` calls it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// Runs the command and returns its exit code; docs/reference/data.md lists the codes. `arguments` are the arguments
// after `carrack data`, such as {"inspect", "x.tfrecord"}. Errors are printed to standard error, not thrown. `storages`
// returns the storages to read from and write to. It is called once, but not if only help or a wrong argument is
// reported; it may throw Refused or Error. `environment` is for the program of an input `exec:PROGRAM`; each entry is
// NAME=VALUE. After this call the process ignores SIGPIPE and SIGXFSZ and, if a command ran, handles SIGINT, SIGTERM
// and SIGHUP (terminal.h), for the rest of its life.
int data_command(std::span<char* const> arguments, const std::function<const Storages&()>& storages,
                 const std::vector<std::string>& environment);

}  // namespace carrack::data::cli
