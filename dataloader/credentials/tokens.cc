#include "dataloader/credentials/tokens.h"

#include <algorithm>

#include "dataloader/check.h"
#include "dataloader/error.h"

namespace carrack::data {
namespace {

// A new token is requested a random time in this range before the old token expires. A much earlier request would be in
// vain: the metadata server returns the old token again until about four minutes before it expires.
constexpr std::chrono::seconds lead_min{240};
constexpr std::chrono::seconds lead_max{300};
constexpr std::chrono::seconds retry_delay{30};

}  // namespace

std::string Tokens::token(const std::string& rejected) {
  MutexLock lock(mutex_);
  const Moment now = now_();
  const bool is_usable = cached_ && cached_->text != rejected && now >= cached_->from && now < cached_->until;
  if (is_usable && (is_fetching_ || now < cached_->renew)) return cached_->text;
  if (is_fetching_) {
    const std::uint64_t before = fetches_;
    while (fetches_ == before) fetched_.wait(lock);
  } else {
    is_fetching_ = true;
    lock.unlock();
    FetchResult result = fetch();
    lock.lock();
    finish_fetch(std::move(result), now);
  }
  CHECK(failure_ || cached_);
  if (!failure_ || is_usable) return cached_->text;
  if (failure_->is_refused) throw Refused(failure_->text);
  throw Error(failure_->text);
}

Tokens::FetchResult Tokens::fetch() const {
  try {
    return fetch_();
  } catch (const Refused& error) {
    return Failure{error.what(), true};
  } catch (const std::exception& error) {
    return Failure{error.what(), false};
  }
}

void Tokens::finish_fetch(FetchResult result, Moment started) {
  CHECK(is_fetching_);
  failure_.reset();
  if (const auto* token = std::get_if<Token>(&result)) {
    std::uniform_int_distribution<std::chrono::seconds::rep> lead(lead_min.count(), lead_max.count());
    const std::chrono::seconds before = std::min(std::chrono::seconds(lead(jitter_)), token->lifetime / 2);
    const Moment until = started + token->lifetime;
    cached_ = CachedToken{token->text, started, until - before, until};
  } else {
    failure_ = std::get<Failure>(std::move(result));
    if (cached_) cached_->renew = now_() + retry_delay;
  }
  is_fetching_ = false;
  ++fetches_;
  fetched_.notify_all();
}

}  // namespace carrack::data
