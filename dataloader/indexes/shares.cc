#include "dataloader/indexes/shares.h"

#include <numeric>

#include "dataloader/order/permutation.h"
#include "dataloader/order/random.h"

namespace carrack::data {

std::vector<std::size_t> own_share(std::span<const std::uint64_t> sizes, Share share) {
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  const std::uint64_t bytes_each = total / share.members + (total % share.members == 0 ? 0 : 1);
  std::vector<std::size_t> own;
  std::uint64_t before = 0;
  for (std::size_t file = 0; file < sizes.size(); before += sizes[file++]) {
    // If no bytes are left, all further files are empty, and belong to member 0. For them the division would result in
    // a member that does not exist, or would be a division by 0 if all files are empty.
    const std::uint64_t owner = before == total ? 0 : before / bytes_each;
    if (owner == share.member) own.push_back(file);
  }
  return own;
}

std::vector<std::size_t> helping_order(std::size_t files, Share share) {
  const Permutation order(files, Random(share.member, "indexes"), 0);
  std::vector<std::size_t> all(files);
  for (std::size_t place = 0; place < files; ++place) all[place] = order.at(place);
  return all;
}

}  // namespace carrack::data
