// Claims HEAD for a job, and takes over a folder from another job.
#include <algorithm>
#include <utility>

#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::checkpoint {
namespace {

constexpr const char* request_name = "TAKEOVER";
// A claim is tried again if another process of this coordinator changes HEAD at the same time. More tries than this
// show a fault.
constexpr int claims_max = 20;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TakenOver taken_over_from(const Head& before, Inheritance inheritance) {
  TakenOver taken_over = before.taken_over.value_or(TakenOver{});
  taken_over.owners.push_back(before.job);
  if (taken_over.owners.size() > earlier_owners_max) taken_over.owners.erase(taken_over.owners.begin());
  taken_over.attempts = attempt_in_names(before) + 1;
  if (inheritance == Inheritance::replace) {
    taken_over.replaced_attempts = taken_over.attempts;
    if (before.committed) taken_over.kept = before.committed;
  }
  return taken_over;
}

}  // namespace

std::variant<Claim, Taken, Superseded> CheckpointFolder::claim(const std::string& job, std::uint64_t attempt,
                                                               std::uint64_t incarnation, const std::string& nonce,
                                                               const Beginning& beginning) {
  for (int attempts = 0; attempts < claims_max; ++attempts) {
    Head head{job, attempt, incarnation, nonce, std::nullopt, beginning.resumed, beginning.first_pass};
    std::optional<data::Version> expected;
    if (const std::optional<Claim> found = present_claim()) {
      if (found->head.job != job) return Taken{found->head.job};
      if (std::pair(found->head.attempt, found->head.incarnation) >= std::pair(attempt, incarnation)) {
        return Superseded{};
      }
      head.committed = found->head.committed;
      // All starts of a job resume the commit that the first one has chosen, unless the job resumes none any more.
      const bool is_chosen = found->head.committed || (found->head.resumed && beginning.resumed);
      if (is_chosen) head.resumed = found->head.resumed;
      head.first_pass = found->head.first_pass;
      head.taken_over = found->head.taken_over;
      expected = found->version;
    }
    const train::CrashPoint point("folder.claim");
    const std::string text = encode_head(head);
    if (auto version = storage_.replace_if(url_of(head_name), expected, bytes_of(text))) {
      return Claim{std::move(head), std::move(*version)};
    }
  }
  throw train::Error(train::Blame::platform, url_of(head_name) + ": changes faster than it can be claimed");
}

std::optional<Claim> CheckpointFolder::take_over(const Claim& found, const Claimant& by, Inheritance inheritance,
                                                 const Beginning& beginning) {
  if (has_lost_folder(found.head, by.job)) throw train::Error(train::Blame::bug, "a job takes over what it has lost");
  Head head{by.job, by.attempt, by.incarnation, by.nonce, std::nullopt, std::nullopt, beginning.first_pass};
  head.taken_over = taken_over_from(found.head, inheritance);
  if (inheritance == Inheritance::go_on && found.head.committed) {
    head.committed = found.head.committed;
    head.first_pass = found.head.first_pass;
  } else {
    head.resumed = beginning.resumed;
  }
  const std::string text = encode_head(head);
  const train::CrashPoint point("folder.take_over");
  auto version = storage_.replace_if(url_of(head_name), found.version, bytes_of(text));
  if (!version) return std::nullopt;
  return Claim{std::move(head), std::move(*version)};
}

void CheckpointFolder::request_answer(const std::string& job, const std::string& nonce) {
  const train::CrashPoint point("folder.request_answer");
  const auto object = storage_.create(url_of(request_name), {});
  object->write(bytes_of(seal("carrack takeover 1\njob " + job + "\nnonce " + nonce + "\n")));
  object->commit();
}

bool CheckpointFolder::answer_request(Claim& claim, const std::string& nonce) {
  const std::optional<data::ObjectStat> request = storage_.stat(url_of(request_name));
  if (!request || request->version == answered_) return true;
  Head head = claim.head;
  head.nonce = nonce;
  const std::string text = encode_head(head);
  const train::CrashPoint point("folder.answer_request");
  auto version = storage_.replace_if(url_of(head_name), claim.version, bytes_of(text));
  if (!version) return false;
  claim = Claim{std::move(head), std::move(*version)};
  answered_ = request->version;
  return true;
}

void CheckpointFolder::withdraw_request() {
  const train::CrashPoint point("folder.withdraw_request");
  storage_.remove(url_of(request_name));
}

void CheckpointFolder::remove_replaced_best(const Head& head) {
  if (!head.taken_over || head.taken_over->replaced_attempts == 0) return;
  std::optional<Best> found;
  try {
    found = best();
  } catch (const train::Error&) {
    return;  // BEST is damaged, and training does not need it.
  }
  const std::optional<Cut> cut = found ? cut_of_file(found->checkpoint.manifest) : std::nullopt;
  if (!cut || cut->attempt >= head.taken_over->replaced_attempts) return;
  const train::CrashPoint point("folder.remove_best");
  storage_.remove(url_of(best_name));
}

bool CheckpointFolder::holds(const Claim& claim) {
  const std::optional<data::Latest> latest = storage_.latest(url_of(head_name));
  return latest && latest->version == claim.version;
}

bool CheckpointFolder::is_claimed_by(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation) {
  const std::optional<Head> now = head();
  return now && now->job == job && now->attempt == attempt && now->incarnation == incarnation;
}

}  // namespace carrack::checkpoint
