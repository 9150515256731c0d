// google-token MAKER_FILE METADATA_HOST [DEADLINE_MS]: prints what google_token() gives in this environment, as "TOKEN
// SECONDS", or the error; exits with 1 where it was refused, with 2 where asking again may help. Waits little, so that
// services_test.py need not.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "dataloader/credentials/google_token.h"
#include "dataloader/error.h"

int main(int argc, char** argv) {
  using namespace carrack::data;
  GoogleSettings settings{.environment = {}, .sleep = [](std::chrono::milliseconds) {}};
  settings.retries.tries = 3;
  settings.silence = std::chrono::milliseconds(500);
  if (argc != 3 && argc != 4) return 3;
  if (argc == 4) settings.time_max = std::chrono::milliseconds(std::stoi(argv[3]));
  settings.product_name_file = argv[1];
  settings.metadata_host = argv[2];
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    settings.environment.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  }
  try {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const Token token = google_token(settings, now);
    std::printf("%s %lld\n", token.text.c_str(), static_cast<long long>(token.lifetime.count()));
    return 0;
  } catch (const Refused& error) {
    std::printf("%s\n", error.what());
    return 1;
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
