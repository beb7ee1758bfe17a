# Small requests between services.
@0xc4e67a10d95b2f83;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("oneagent::proto");

struct Epoch {
  epoch @0 :Int64;
  folder @1 :Text;           # of the checkpoint, where the request writes or reads one
}

struct Report {
  text @0 :Text;             # JSON or plain words, as the kind says
}
