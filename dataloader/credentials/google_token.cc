#include "dataloader/credentials/google_token.h"

#include <optional>

#include "dataloader/credentials/signed_token.h"
#include "dataloader/credentials/token_service.h"
#include "dataloader/error.h"
#include "dataloader/storage/file/descriptor.h"

namespace carrack::data {
namespace {

// Credentials, and providers' tokens, are a few kilobytes.
constexpr std::size_t largest_file = std::size_t{64} << 10;

// Nothing if there is none.
std::optional<std::string> text_of_file(const std::string& path) {
  const std::optional<Descriptor> file = open_file(path);
  if (!file) return std::nullopt;
  std::string text(largest_file + 1, '\0');
  text.resize(read_at(*file, std::as_writable_bytes(std::span(text)), 0, path));
  if (text.size() > largest_file) throw Refused(path + ": is larger than 64 KiB, so it holds no credentials");
  return text;
}

class Search {
 public:
  Search(const GoogleSettings& settings, Moment now) : settings_(settings), now_(now), service_(settings) {}

  Token token() const {
    if (const std::string file = variable("GOOGLE_APPLICATION_CREDENTIALS"); !file.empty()) {
      const std::optional<std::string> text = text_of_file(file);
      if (!text) throw Refused("GOOGLE_APPLICATION_CREDENTIALS: there is no file " + file);
      return token_by(file, *text);
    }
    const std::string file = file_of_gcloud();
    const std::optional<std::string> text = file.empty() ? std::nullopt : text_of_file(file);
    return text ? token_by(file, *text) : token_of_machine(file);
  }

 private:
  // An empty one counts as unset.
  std::string variable(const std::string& name) const {
    const auto found = settings_.environment.find(name);
    return found == settings_.environment.end() ? "" : found->second;
  }

  // Nothing where there is no home folder.
  std::string file_of_gcloud() const {
    const std::string name = "/application_default_credentials.json";
    if (const std::string folder = variable("CLOUDSDK_CONFIG"); !folder.empty()) return folder + name;
    const std::string home = variable("HOME");
    return home.empty() ? "" : home + "/.config/gcloud" + name;
  }

  Token token_by(const std::string& file, const std::string& text) const {
    const Credentials credentials = credentials_from(file, text);
    Token token = std::visit([&](const auto& source) { return token_of(source, file); }, credentials.source);
    for (const Impersonation& step : credentials.impersonations) {
      token = service_.token(impersonation_request(step, token), file,
                             "grant who it is that asks the role Service Account Token Creator on that account");
    }
    return token;
  }

  Token token_of(const ServiceAccount& account, const std::string&) const { return signed_token(account, now_); }

  Token token_of(const AuthorizedUser& user, const std::string& file) const {
    return service_.token(refresh_request(user), file, "log in anew with `gcloud auth application-default login`");
  }

  Token token_of(const ExternalAccount& account, const std::string& file) const {
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

  // Where the provider's token is had, in words, and what is there.
  using Found = std::pair<std::string, std::string>;

  Found subject_text(const SubjectFile& subject, const std::string& file) const {
    const std::optional<std::string> text = text_of_file(subject.path);
    if (!text) throw Refused(subject.path + ": there is no such file, which " + file + " names");
    return {subject.path, *text};
  }

  Found subject_text(const SubjectUrl& subject, const std::string& file) const {
    return {file + ": " + without_query(subject.url), service_.body(subject_request(subject), file)};
  }

  bool is_of_google() const {
    try {
      return text_of_file(settings_.maker_file).value_or("").starts_with("Google");
    } catch (const Error&) {
      return false;  // A sandbox may hide it.
    }
  }

  Token token_of_machine(const std::string& file) const {
    const std::string told = variable("GCE_METADATA_HOST");
    const std::string host = told.empty() ? settings_.metadata_host : told;
    const bool expected = !told.empty() || is_of_google();
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
