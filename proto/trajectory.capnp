# actor -> replay: one chunk of steps and the items that point into it. The columns are the message's arrays.
@0x9f1b6c0e52d84a37;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("oneagent::proto");

struct Chunk {
  actor @0 :UInt32;
  sequence @1 :UInt64;
  steps @2 :Int64;           # T
  lanes @3 :Int64;           # N
  firstStep @4 :Int64;       # time index of the first row
  weightsVersion @5 :Int64;  # oldest version that acted
  items @6 :List(Item);
}

# Steps [begin, begin + length) of one lane (-1: all lanes), inserted into a table.
struct Item {
  table @0 :Text;
  begin @1 :Int64;
  length @2 :Int64;
  lane @3 :Int64 = -1;
  priority @4 :Float64 = 1.0;
}
