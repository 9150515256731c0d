#include "dataloader/credentials/tokens.h"

#include <algorithm>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// A metadata server gives the token that it has until four minutes before its end.
constexpr std::chrono::seconds latest_lead{240};
constexpr std::chrono::seconds earliest_lead{300};
constexpr std::chrono::seconds after_failure{30};

}  // namespace

std::string Tokens::token(const std::string& refused) {
  std::unique_lock lock(mutex_);
  const Moment now = now_();
  const bool usable = cached_ && cached_->text != refused && now >= cached_->from && now < cached_->until;
  if (usable && (asking_ || now < cached_->renew)) return cached_->text;
  if (asking_) {
    answered_.wait(lock, [this, before = answers_] { return answers_ != before; });
  } else {
    asking_ = true;
    lock.unlock();
    Answer answer = ask();
    lock.lock();
    take(std::move(answer), now);
  }
  if (!failure_ || usable) return cached_->text;
  if (failure_->refused) throw Refused(failure_->text);
  throw Error(failure_->text);
}

Tokens::Answer Tokens::ask() const {
  try {
    return ask_();
  } catch (const Refused& error) {
    return Failure{error.what(), true};
  } catch (const std::exception& error) {
    return Failure{error.what(), false};
  }
}

void Tokens::take(Answer answer, Moment asked) {
  failure_.reset();
  if (const auto* token = std::get_if<Token>(&answer)) {
    std::uniform_int_distribution<std::chrono::seconds::rep> lead(latest_lead.count(), earliest_lead.count());
    const std::chrono::seconds before = std::min(std::chrono::seconds(lead(jitter_)), token->lifetime / 2);
    const Moment until = asked + token->lifetime;
    cached_ = CachedToken{token->text, asked, until - before, until};
  } else {
    failure_ = std::get<Failure>(std::move(answer));
    if (cached_) cached_->renew = now_() + after_failure;
  }
  asking_ = false;
  ++answers_;
  answered_.notify_all();
}

}  // namespace carrack::data
