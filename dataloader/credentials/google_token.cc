#include "dataloader/credentials/google_token.h"

#include <optional>

#include "dataloader/credentials/signed_token.h"
#include "dataloader/credentials/token_service.h"
#include "dataloader/error.h"
#include "dataloader/storage/file/descriptor.h"

namespace carrack::data {
namespace {

// Files of credentials and subject tokens have a few kilobytes, so a larger file is refused.
constexpr std::size_t file_bytes_max = std::size_t{64} << 10;

// Returns the text of a file; nullopt if the file does not exist.
std::optional<std::string> read_text_file(const std::string& path) {
  const std::optional<Descriptor> file = open_file(path);
  if (!file) return std::nullopt;
  std::string text(file_bytes_max + 1, '\0');
  text.resize(read_at(*file, std::as_writable_bytes(std::span(text)), 0, path));
  if (text.size() > file_bytes_max) throw Refused(path + ": is larger than 64 KiB, so it holds no credentials");
  return text;
}

// Looks for credentials in the same places as Google's own libraries: the file that GOOGLE_APPLICATION_CREDENTIALS
// names, gcloud's file, and the metadata server of this machine. Then gets a token for the credentials.
class Search {
 public:
  Search(const GoogleSettings& settings, Moment now) : settings_(settings), now_(now), service_(settings) {}

  Token token() const {
    if (const std::string file = variable("GOOGLE_APPLICATION_CREDENTIALS"); !file.empty()) {
      const std::optional<std::string> text = read_text_file(file);
      if (!text) throw Refused("GOOGLE_APPLICATION_CREDENTIALS: there is no file " + file);
      return token_from_file(file, *text);
    }
    const std::string file = gcloud_file();
    const std::optional<std::string> text = file.empty() ? std::nullopt : read_text_file(file);
    return text ? token_from_file(file, *text) : machine_token(file);
  }

 private:
  // Returns an environment variable; empty if it is not set.
  std::string variable(const std::string& name) const {
    const auto found = settings_.environment.find(name);
    return found == settings_.environment.end() ? "" : found->second;
  }

  // Returns where gcloud stores credentials; empty if neither CLOUDSDK_CONFIG nor HOME is set.
  std::string gcloud_file() const {
    const std::string name = "/application_default_credentials.json";
    if (const std::string folder = variable("CLOUDSDK_CONFIG"); !folder.empty()) return folder + name;
    const std::string home = variable("HOME");
    return home.empty() ? "" : home + "/.config/gcloud" + name;
  }

  Token token_from_file(const std::string& file, const std::string& text) const {
    const Credentials credentials = credentials_from(file, text);
    Token token = std::visit([&](const auto& source) { return source_token(source, file); }, credentials.source);
    for (const Impersonation& step : credentials.impersonations) {
      token = service_.token(impersonation_request(step, token), file,
                             "grant who it is that asks the role Service Account Token Creator on that account");
    }
    return token;
  }

  Token source_token(const ServiceAccount& account, const std::string&) const { return signed_token(account, now_); }

  Token source_token(const AuthorizedUser& user, const std::string& file) const {
    return service_.token(refresh_request(user), file, "log in again with `gcloud auth application-default login`");
  }

  Token source_token(const ExternalAccount& account, const std::string& file) const {
    return service_.token(exchange_request(account, subject_token(account, file)), file,
                          "look whether the identity pool's provider takes this issuer, audience and subject");
  }

  std::string subject_token(const ExternalAccount& account, const std::string& file) const {
    const auto [place, text] =
        std::visit([&](const auto& subject) { return subject_text(subject, file); }, account.subject);
    try {
      return subject_token_from(account, text);
    } catch (const Refused& reason) {
      throw Refused(place + ": " + reason.what());
    }
  }

  // Where the subject token was read from, for messages, and the text that was read.
  using PlaceAndText = std::pair<std::string, std::string>;

  PlaceAndText subject_text(const SubjectFile& subject, const std::string& file) const {
    const std::optional<std::string> text = read_text_file(subject.path);
    if (!text) throw Refused(subject.path + ": there is no such file, which " + file + " names");
    return {subject.path, *text};
  }

  PlaceAndText subject_text(const SubjectUrl& subject, const std::string& file) const {
    return {file + ": " + without_query(subject.url), service_.reply_body(subject_request(subject), file)};
  }

  // True if the firmware's product name says that this is a machine of Google Cloud.
  bool is_google_machine() const {
    try {
      return read_text_file(settings_.product_name_file).value_or("").starts_with("Google");
    } catch (const Error&) {
      return false;  // A sandbox may deny access to the file.
    }
  }

  Token machine_token(const std::string& file) const {
    const std::string configured = variable("GCE_METADATA_HOST");
    const std::string host = configured.empty() ? settings_.metadata_host : configured;
    const bool expected = !configured.empty() || is_google_machine();
    if (const std::optional<Token> token = service_.metadata_token(host, expected)) return *token;
    throw Refused("no Google Cloud credentials: GOOGLE_APPLICATION_CREDENTIALS is not set, there is no " +
                  (file.empty() ? "home folder" : file) + ", and no metadata server at " + host +
                  "; run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a file of "
                  "credentials, or STORAGE_EMULATOR_HOST to an emulator's address");
  }

  const GoogleSettings& settings_;
  const Moment now_;
  const TokenService service_;
};

}  // namespace

Token google_token(const GoogleSettings& settings, Moment now) {
  return Search(settings, now).token();
}

}  // namespace carrack::data
