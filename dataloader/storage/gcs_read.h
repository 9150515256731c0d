// Reading slices of one object: one generation for all of them, broken replies continued where they ended, and the
// checksum compared where a slice is the whole object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dataloader/storage/gcs_client.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class GcsRead {
 public:
  // `target` is the object's in the JSON API.
  GcsRead(GcsClient& client, std::string url, std::string target, std::optional<Version> version)
      : client_(client), url_(std::move(url)), target_(std::move(target)), version_(std::move(version)) {}

  // For each slice in turn, none of them empty.
  ReadResult fill(const Slice& slice);

 private:
  HttpRequest request_for(const Slice& rest) const;
  // What a reply that is not transient says; nothing if it brought bytes.
  std::optional<ReadResult> refusal(const HttpReply& reply) const;
  void take_head(const HttpReply& reply, const Slice& rest);
  bool is_whole_object(const Slice& slice) const;

  GcsClient& client_;
  const std::string url_;
  const std::string target_;
  std::optional<Version> version_;  // From the first reply on there is one.
  std::optional<std::uint64_t> object_size_;
  std::optional<std::string> crc32c_;  // Of the whole object, where the server tells.
};

}  // namespace carrack::data
