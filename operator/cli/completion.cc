#include "operator/cli/completion.h"

#include <string>
#include <variant>
#include <vector>

#include "operator/cli/command_line.h"
#include "operator/codec/fields.h"
#include "operator/core/printable.h"

namespace carrack::control {
namespace {

constexpr const char* usage = R"sh(usage: carrack completion bash|zsh

Prints a script by which a shell completes the commands, options and files of `carrack`:

  bash  source <(carrack completion bash)     in ~/.bashrc
  zsh   source <(carrack completion zsh)      in ~/.zshrc, after compinit
)sh";

// When the user presses Tab, the script reads the commands and options from what --help prints, so they always match
// the installed program. If no word matches, the script completes a file name.
constexpr const char* script = R"sh(_carrack() {
  local word=${COMP_WORDS[COMP_CWORD]} at=1 command=() words=
  while [ $at -lt $COMP_CWORD ]; do
    command+=("${COMP_WORDS[$at]}")
    case ${COMP_WORDS[$at]} in
      data|checkpoint) at=$((at + 1)) ;;
      *) break ;;
    esac
  done
  case "${#command[@]}:${command[*]}" in
    0:) words="$(carrack --help | sed -n 's/^  \([a-z-][a-z-]*\)  .*/\1/p')" ;;
    1:data|1:checkpoint) words="$(carrack "${command[@]}" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')" ;;
    1:completion) words="bash zsh" ;;
    *) case $word in
         -*) words="$(carrack "${command[@]}" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u)" ;;
       esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _carrack carrack
)sh";

}  // namespace

int completion(std::span<char* const> arguments) {
  const CommandLine command{"completion", usage, {}};
  const auto parsed = parse_command_arguments(command, arguments);
  if (const auto* printed = std::get_if<Printed>(&parsed)) return print(*printed);
  const std::vector<std::string>& paths = std::get<CommandArguments>(parsed).paths;
  const std::string& shell = paths.front();
  if (paths.size() > 1) return print(usage_error(command, "takes one shell"));
  if (shell == "bash") return print({0, script, ""});
  if (shell == "zsh") return print({0, "autoload -U +X bashcompinit && bashcompinit\n" + std::string(script), ""});
  return print(usage_error(command, "does not know '" + printable(shell) + "'; " + suggestion(shell, {"bash", "zsh"})));
}

}  // namespace carrack::control
