# The start of frame 0 of every message. Arrays, little-endian, lie behind it and in the frames that follow; `arrays` says where.
# Rule of change: fields are only added, at the end; a change that old readers would misunderstand raises kSchemaVersion (core/base/version.h).
@0xd3c9a1f6b04e7a21;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("oneagent::proto");

enum Kind {
  none @0;

  # Answers of any request.
  error @1;                # body: Error
  done @2;                 # no body

  # Streams (core/net/stream_sender.h).
  streamHello @3;          # body: the application's
  streamWelcome @4;        # body: the application's; sequence: the next one expected
  streamHelloRequired @5;  # the receiver does not know the sender, or lost a message
  streamAck @6;            # sequence: everything through it is durable

  # Broadcasts (core/net/broadcast_publisher.h).
  broadcastWant @7;        # version: the one at hand
  broadcastHeartbeat @8;   # version: the newest published

  # The ring.
  chunk @9;                # trajectory.capnp: Chunk
  weights @10;             # weights.capnp: Weights
  sample @11;              # batch.capnp: SampleRequest
  batch @12;               # batch.capnp: Batch
  setPriorities @13;       # batch.capnp: Priorities
  checkpoint @14;          # control.capnp: Epoch
  commit @15;              # control.capnp: Epoch
  rollback @16;            # replay.capnp: Rollback
  tables @17;              # no body; answer: report
  status @18;              # no body; answer: report
  drain @19;               # no body; answer: done
  report @20;              # control.capnp: Report
  act @21;                 # arrays: observations; answer: actions
  stamp @22;               # replay.capnp: Stamp
  notice @23;              # to a stream's sender, may be lost; body: the application's
}

struct Envelope {
  schemaVersion @0 :UInt16;
  kind @1 :Kind;
  traceId @2 :UInt64;      # the same in every message that one cause sets off; 0 = none
  requestId @3 :UInt64;    # of a request and its answer
  deadlineMs @4 :Int64;    # wall time after which nobody waits for an answer; 0 = none
  sender @5 :Text;         # service name: "actor-0"
  incarnation @6 :UInt64;  # a restarted sender has a larger one
  sequence @7 :UInt64;     # streams
  version @8 :Int64;       # broadcasts
  stream @9 :StreamControl;
  body @10 :AnyPointer;    # the struct that belongs to the kind
  arrays @11 :List(ArrayDescriptor);
}

struct StreamControl {
  nonce @0 :UInt64;        # a welcome repeats its hello's
  windowItems @1 :UInt32;  # messages and bytes that may be unacknowledged
  windowBytes @2 :UInt64;
  durable @3 :UInt64;      # everything through this sequence is durable
}

struct ArrayDescriptor {
  name @0 :Text;
  dtype @1 :UInt8;         # core/base/dtype.h
  shape @2 :List(Int64);
  frame @3 :UInt32;        # frame that holds the elements, counted from the header's 0
  offset @4 :UInt64;       # of the first element in that frame, a multiple of 64; in frame 0 from the first multiple of 64 behind the header
}

struct Error {
  code @0 :Int32;          # absl::StatusCode
  text @1 :Text;
}
