# learner -> actors and evaluators: the tensors are the message's arrays; the version is the envelope's.
@0xb8d0417f6ea39c52;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("oneagent::proto");

struct Weights {
  epoch @0 :Int64;
  envSteps @1 :Int64;
  incarnation @2 :UInt64;    # of the learner
  final @3 :Bool;            # the run is over
  configHash @4 :Text;
  granted @5 :Int64;         # actors may send chunks with a sequence below this
  shards @6 :List(Shard);    # what each array is a part of; empty: all are whole
  sources @7 :List(Text);    # where other ranks publish their shards of this version; of the first rank's message only

  struct Shard {
    shape @0 :List(Int64);   # of the whole tensor
    offsets @1 :List(Int64); # of the array within it
    hash @2 :UInt64;         # XXH3 of the array's bytes
  }
}
