# actor <-> replay around the chunk stream, and the learner's rollback.
@0xa7d3e95c20b1684f;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("oneagent::proto");

# The body of a stream's hello.
struct Greeting {
  actor @0 :UInt32;
  run @1 :Text;              # the actor's; empty: not checked
}

# The body of its welcome. The array "state", when there is one, is the actor's stamp at `epoch`.
struct Place {
  era @0 :UInt64;
  epoch @1 :Int64;
  nextChunk @2 :UInt64;
}

# In the stream, behind the chunks that precede it; the array "state" holds the actor's state.
struct Stamp {
  actor @0 :UInt32;
  epoch @1 :Int64;
}

# A chunk was put into quarantine.
struct Quarantined {
  sequence @0 :UInt64;
  reason @1 :Text;
}

struct Rollback {
  epoch @0 :Int64;
  keepNewer @1 :Bool;
  sha256 @2 :Text;           # of replay.bin, from the manifest; empty: not checked
  run @3 :Text;              # the learner's; empty: not checked
}
