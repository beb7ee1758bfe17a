# learner <-> replay: what to sample, what came, new priorities.
@0xe5a27d9b3c1f8046;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("oneagent::proto");

using Trajectory = import "trajectory.capnp";

struct SampleRequest {
  table @0 :Text;
  count @1 :UInt32;
  ticket @2 :UInt64;         # the same in every request for one batch, so that a lost answer is given again
}

# The chunk of item i has its arrays in the message under "<i>/<name>"; items of one chunk share them through `chunk`.
struct Batch {
  table @0 :Text;
  items @1 :List(SampledItem);
  chunks @2 :List(Trajectory.Chunk);
}

struct SampledItem {
  key @0 :UInt64;
  generation @1 :UInt64;
  probability @2 :Float64;
  item @3 :Trajectory.Item;
  chunk @4 :UInt32;          # index into chunks
}

struct Priorities {
  table @0 :Text;
  keys @1 :List(UInt64);
  generations @2 :List(UInt64);
  priorities @3 :List(Float64);
}
