// A frame: one control message, followed by a tail of raw floats if it carries gradients or parameters. A frame is sent
// completely and arrives in parts. transport/frame_codec.h converts frames to bytes, and bytes to parts.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/piece.h"
#include "trainer/comm/protocol/tail.h"

namespace carrack::train {

// The value of Hello.protocol that this release sends.
constexpr std::uint32_t protocol_number = 2;
// The first protocol that has Norm, NormTotal and Push.squares.
constexpr std::uint32_t protocol_of_norms = 2;
// The reason to send when a job that clips by norm refuses a member with an earlier protocol.
constexpr std::string_view no_norms =
    "this job clips gradients by norm (spec.training.clip.norm), which a member of an earlier release cannot; use the "
    "trainer image of the operator's release";

struct Frame {
  wire::Message message;
  Tail tail;
};

// A part of a frame as it arrives: the message, and the next piece of the tail. A frame without a tail has one part,
// with an empty piece. A stream delivers the parts of a frame in order, without parts of other frames between them. If
// the stream ends before the last part, the other parts never arrive.
struct FramePart {
  // The only part of a whole frame.
  FramePart(Frame whole)  // NOLINT(google-explicit-constructor): a whole frame is a part like any other
      : message(std::make_shared<const wire::Message>(std::move(whole.message))), piece(std::move(whole.tail)) {}
  FramePart(std::shared_ptr<const wire::Message> of_frame, Piece next)
      : message(std::move(of_frame)), piece(std::move(next)) {}

  std::shared_ptr<const wire::Message> message;  // not null; all parts of a frame share it
  Piece piece;
};

}  // namespace carrack::train
