#include "operator/local/program_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

namespace carrack::control {
namespace {

constexpr std::size_t header_bytes = 256;  // the kernel reads no more to recognise a program

// Returns the beginning of the file; nullopt if it cannot be read. A file that cannot be read may still be a program,
// because the right to execute it is a separate one.
std::optional<std::string> header_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string header(header_bytes, '\0');
  const ssize_t size = read(file, header.data(), header.size());
  close(file);
  if (size < 0) return std::nullopt;
  header.resize(static_cast<std::size_t>(size));
  return header;
}

// Returns PROGRAM of a header that begins with "#! PROGRAM ARGUMENT"; empty if it names none.
std::string interpreter_in(std::string_view header) {
  header.remove_prefix(2);
  header = header.substr(0, header.find('\n'));
  const std::size_t begin = header.find_first_not_of(" \t");
  if (begin == header.npos) return "";
  header.remove_prefix(begin);
  return std::string(header.substr(0, header.find_first_of(" \t")));
}

}  // namespace

std::string fault_of_program(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return "is a folder, not a program";
  if (access(path.c_str(), X_OK) != 0) {
    return std::string("cannot be executed (") + std::strerror(errno) + ")" +
           (errno == EACCES ? "; `chmod +x` it, or name the program that runs it before it" : "");
  }
  const std::optional<std::string> header = header_of(path);
  if (!header) return "";
  if (header->starts_with("#!")) {
    const std::string interpreter = interpreter_in(*header);
    if (interpreter.empty() || access(interpreter.c_str(), X_OK) == 0) return "";
    return "is run by '" + interpreter + "', as its first line says, which cannot be executed (" +
           std::strerror(errno) + ")";
  }
  // A header that contains zeros is that of a binary program. The kernel may know how to run it.
  if (header->find('\0') != header->npos) return "";
  return "does not say what runs it; begin it with a line such as #!/bin/sh, or name the program that runs it before "
         "it";
}

}  // namespace carrack::control
