// Which requests are in work and what the last reply to each client was. Internal to RequestServer
// and Request.
#pragma once

#include <list>
#include <map>
#include <string>

#include "core/net/codec.h"
#include "core/net/socket.h"

namespace oneagent::net {

class ReplyBook {
 public:
  static constexpr size_t kMaxClients = 1024;

  ReplyBook(Socket& socket, const Codec& codec, std::string name, size_t kept_bytes)
      : socket_(&socket), codec_(codec), name_(std::move(name)), kept_bytes_(kept_bytes) {}

  enum class Entry { kNew, kDuplicate, kFull };
  // Enters a request. A duplicate of an answered one is answered again here; of one in work, only
  // its way back is noted.
  Entry enter(const std::string& client, uint64_t request_id, const Frame& peer);
  // Sends the reply to the client's newest connection and keeps it. Does nothing when the request
  // is no longer the client's last.
  void reply(const std::string& client, const Message& request, Message answer);
  void close() { socket_ = nullptr; }  // the server is gone

 private:
  struct Client {
    uint64_t request_id = 0;
    bool in_work = false;
    Frame peer;
    Frames reply;
    size_t bytes = 0;
    std::list<std::string>::iterator age;
  };

  bool make_room();
  void keep(Client& client, Frames reply);
  void shrink(const Client& newest);

  Socket* socket_;
  const Codec& codec_;
  std::string name_;
  size_t kept_bytes_;
  size_t bytes_ = 0;
  std::map<std::string, Client> clients_;
  std::list<std::string> ages_;  // oldest first
};

}  // namespace oneagent::net
