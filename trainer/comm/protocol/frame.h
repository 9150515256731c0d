// Frame: what one member of a job sends to another on a stream. It is a control message (message.proto), followed by
// raw floats, its tail, if it carries gradients or parameters. The sender passes a whole Frame to its endpoint. The
// receiver gets one FramePart after the other, so it can use the first floats of a large tail before the last ones
// arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/piece.h"
#include "trainer/comm/protocol/tail.h"

namespace carrack::train {

// The version of the messages that this release sends as Hello.protocol. message.proto lists all versions.
constexpr std::uint32_t protocol_number = 2;
// The first version with which a member can clip gradients by their norm over all servers (spec.training.clip.norm). It
// has the messages Norm and NormTotal, and the field Push.squares.
constexpr std::uint32_t protocol_of_norms = 2;
// The text of Refused.reason for a member with an earlier version, if the job clips gradients by norm.
constexpr std::string_view refusal_without_norms =
    "this job clips gradients by norm (spec.training.clip.norm), which a member of an earlier release cannot; use the "
    "trainer image of the operator's release";

struct Frame {
  wire::Message message;
  Tail tail;  // empty for most messages
};

// A part of a frame as it arrives: the message, which is the same in all parts of the frame, and the next piece of the
// tail. A frame without a tail has one part, with an empty piece; piece.is_last() is true in the last part of any
// frame. A stream delivers the parts of a frame in order, without parts of other frames between them. If the stream
// ends before the last part, the other parts never arrive.
struct FramePart {
  // Makes the only part of a frame that arrives whole, as it does within a process.
  FramePart(Frame whole)  // NOLINT(google-explicit-constructor): a whole frame is a part like any other
      : message(std::make_shared<const wire::Message>(std::move(whole.message))), piece(std::move(whole.tail)) {}
  FramePart(std::shared_ptr<const wire::Message> of_frame, Piece next)
      : message(std::move(of_frame)), piece(std::move(next)) {}

  std::shared_ptr<const wire::Message> message;  // not null; all parts of a frame share it
  Piece piece;
};

}  // namespace carrack::train
