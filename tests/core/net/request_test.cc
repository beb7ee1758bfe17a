#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "core/net/request_client.h"
#include "core/net/request_server.h"
#include "tests/support/message_samples.h"
#include "tests/support/net_peers.h"

namespace oneagent::net {
namespace {

using testing::HasSubstr;

std::string text_of(const Result<Message>& answer) {
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer->body<proto::Report>()->getText().cStr();
}

class RequestTest : public testing::TestWithParam<std::string> {
 protected:
  RequestClient client_of(const RequestServer& server, const std::string& name = "learner",
                          int64_t resend_ms = 1000) {
    return {context_,
            board_,
            {.name = name, .peer = "replay", .address = server.address(), .resend_ms = resend_ms}};
  }
  RequestServer serve(RequestServer::Handler handler) {
    return {context_,
            {.name = "replay", .address = test_address(GetParam(), folder_)},
            std::move(handler)};
  }

  TemporaryFolder folder_;
  WaitBoard board_;
  Context context_;
};

TEST_P(RequestTest, AnswersWithTheHandlersMessage) {
  RequestServer server =
      serve([](Request request) { request.reply(report_message("hello " + request.sender())); });
  LoopThread loop({&server});
  RequestClient client = client_of(server);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(text_of(client.call(Message(proto::Kind::STATUS), Deadline::after_ms(5000))),
              "hello learner");
}

TEST_P(RequestTest, CarriesArraysBothWays) {
  RequestServer server = serve([](Request request) {
    request.reply(Message(proto::Kind::BATCH, request.message().arrays));
  });
  LoopThread loop({&server});
  RequestClient client = client_of(server);
  const Result<Message> answer =
      client.call(Message(proto::Kind::SAMPLE, sample_arrays(5000)), Deadline::after_ms(5000));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(ring::equal(answer->arrays, sample_arrays(5000)));
}

TEST_P(RequestTest, TheHandlersStatusReachesTheCaller) {
  RequestServer server =
      serve([](Request request) { request.reply(absl::NotFoundError("no table \"x\"")); });
  LoopThread loop({&server});
  RequestClient client = client_of(server);
  EXPECT_EQ(client.call(Message(proto::Kind::SAMPLE), Deadline::after_ms(5000)).status(),
            absl::NotFoundError("no table \"x\""));
}

TEST_P(RequestTest, ARequestThatIsDroppedIsAnsweredWithAnError) {
  RequestServer server = serve([](Request) {});
  LoopThread loop({&server});
  RequestClient client = client_of(server);
  EXPECT_THAT(
      std::string(
          client.call(Message(proto::Kind::SAMPLE), Deadline::after_ms(5000)).status().message()),
      HasSubstr("without an answer"));
}

TEST_P(RequestTest, AnAnswerMayComeLaterAndResendsDoNotRunItAgain) {
  std::optional<Request> held;
  int ran = 0;
  RequestServer server = serve([&](Request request) {
    ++ran;
    held.emplace(std::move(request));
  });
  std::thread serving([&] {
    Poller poller;
    poller.add(server);
    const Deadline until = Deadline::after_ms(250);
    while (!until.expired()) poller.run_once(until);
    held->reply(report_message("late"));
  });
  RequestClient client = client_of(server, "learner", 50);
  EXPECT_EQ(text_of(client.call(Message(proto::Kind::SAMPLE), Deadline::after_ms(5000))), "late");
  serving.join();
  EXPECT_EQ(ran, 1);
  EXPECT_GE(client.counters().resent, 2u);
  EXPECT_GE(server.counters().duplicates, 2u);
}

TEST_P(RequestTest, AResentRequestGetsTheKeptReply) {
  int ran = 0;
  RequestServer server =
      serve([&](Request request) { request.reply(report_message(str("run ", ++ran))); });
  Socket raw(context_, Socket::Kind::kDealer);
  raw.connect(server.address());
  Message request(proto::Kind::STATUS);
  request.head.request_id = 3;
  request.head.sender = "raw";
  request.head.incarnation = 1;
  const Frames frames = *Codec().encode(request);
  Poller poller;
  poller.add(server);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(eventually([&] { return raw.try_send(frames); }));
    Frames reply;
    ASSERT_TRUE(eventually(
        [&] { return poller.run_once(Deadline::after_ms(1)), raw.try_receive(reply, 9); }));
    Message answer;
    ASSERT_TRUE(Codec().decode(std::move(reply), answer).ok());
    EXPECT_EQ(text_of(std::move(answer)), "run 1");
  }
  EXPECT_EQ(server.counters().duplicates, 2u);
}

TEST_P(RequestTest, TheDeadlineErrorSaysWhoDidNotAnswer) {
  std::vector<Request> held;
  RequestServer server = serve([&](Request request) { held.push_back(std::move(request)); });
  LoopThread loop({&server});
  RequestClient client = client_of(server);
  const Result<Message> answer = client.call(Message(proto::Kind::SAMPLE), Deadline::after_ms(50));
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status()));
  EXPECT_EQ(answer.status().message(),
            absl::string_view(
                str("replay at ", server.address().text(), ": no answer to sample within 50 ms")));
  loop.stop();
  EXPECT_TRUE(eventually([&] { return held.at(0).stale(); }));
  held.clear();
}

TEST_P(RequestTest, ACallThatWaitsIsOnTheBoard) {
  std::optional<Request> held;
  RequestServer server = serve([&](Request request) { held.emplace(std::move(request)); });
  LoopThread loop({&server});
  RequestClient client = client_of(server);
  std::thread caller([&] {
    (void)client.call(Message(proto::Kind::SAMPLE), Deadline::after_ms(300),
                      "needs 1 item of rollout");
  });
  ASSERT_TRUE(eventually([&] { return !board_.snapshot().empty(); }));
  const WaitRow row = board_.snapshot()[0];
  EXPECT_EQ(row.waiter, "learner");
  EXPECT_EQ(row.holder, "replay");
  EXPECT_EQ(row.reason, "needs 1 item of rollout");
  caller.join();
  loop.stop();
}

TEST_P(RequestTest, ManyClientsAreKeptApart) {
  RequestServer server =
      serve([](Request request) { request.reply(report_message(request.sender())); });
  LoopThread loop({&server});
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([&, c] {
      const std::string name = str("actor-", c);
      RequestClient client = client_of(server, name);
      for (int i = 0; i < 50; ++i)
        ASSERT_EQ(text_of(client.call(Message(proto::Kind::STATUS), Deadline::after_ms(10000))),
                  name);
    });
  for (std::thread& client : clients) client.join();
}

INSTANTIATE_TEST_SUITE_P(Transports, RequestTest, testing::Values("inproc", "ipc", "tcp"),
                         [](const auto& info) { return info.param; });

TEST(Request, SaysNotConnectedWhenNobodyListens) {
  Context context;
  WaitBoard board;
  RequestClient client(context, board,
                       {.name = "learner", .peer = "replay", .address = free_tcp_address()});
  const Result<Message> answer = client.call(Message(proto::Kind::SAMPLE), Deadline::after_ms(100));
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("no answer to sample within 100 ms (not connected)"));
}

TEST(Request, AClientFindsAServerThatStartsLaterOrIsRestarted) {
  Context context;
  WaitBoard board;
  const Address address = free_tcp_address();
  RequestClient client(context, board,
                       {.name = "learner", .peer = "replay", .address = address, .resend_ms = 200});
  for (int life = 0; life < 3; ++life) {
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      Context own;
      RequestServer server(own, {.name = "replay", .address = address}, [&](Request request) {
        request.reply(report_message(str("life ", life)));
      });
      LoopThread loop({&server});
      std::this_thread::sleep_for(std::chrono::milliseconds(900));
    });
    EXPECT_EQ(text_of(client.call(Message(proto::Kind::STATUS), Deadline::after_ms(10000))),
              str("life ", life));
    later.join();
  }
}

TEST(Request, AKilledServerIsAskedAgainOnceItIsBack) {
  TemporaryFolder folder;
  const Address address = test_address("ipc", folder);
  const auto server_life = [&](bool answers) {
    Context context;
    RequestServer server(context, {.name = "replay", .address = address}, [&](Request request) {
      if (!answers) ::pause();  // until killed, with the request in hand
      request.reply(report_message("second life"));
    });
    Poller poller;
    poller.add(server);
    while (true) poller.run_once(Deadline::after_ms(1000));
  };
  ChildProcess first([&] { server_life(false); });
  std::optional<ChildProcess> second;
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    first.kill();
    second.emplace([&] { server_life(true); });
  });
  Context context;
  WaitBoard board;
  RequestClient client(context, board,
                       {.name = "learner", .peer = "replay", .address = address, .resend_ms = 200});
  EXPECT_EQ(text_of(client.call(Message(proto::Kind::STATUS), Deadline::after_ms(10000))),
            "second life");
  killer.join();
}

TEST(Request, AnotherSchemaVersionIsRefusedInWordsAndTheServerGoesOn) {
  TemporaryFolder folder;
  Context context;
  WaitBoard board;
  RequestServer server(context, {.name = "replay", .address = test_address("ipc", folder)},
                       [](Request request) { request.reply(ok()); });
  LoopThread loop({&server});
  Socket raw(context, Socket::Kind::kDealer);
  raw.connect(server.address());
  Frames frames;
  frames.emplace_back(
      std::string_view(R"({"schema":2,"kind":"status","request":8,"sender":"old"})"));
  ASSERT_TRUE(eventually([&] { return raw.try_send(frames); }));
  Frames reply;
  ASSERT_TRUE(eventually([&] { return raw.try_receive(reply, 9); }));
  EXPECT_THAT(std::string(reply[0].text()), HasSubstr("old sent version 2"));
  EXPECT_THAT(std::string(reply[0].text()), HasSubstr("speaks version 1"));
  RequestClient client(context, board,
                       {.name = "learner", .peer = "replay", .address = server.address()});
  EXPECT_TRUE(client.call(Message(proto::Kind::STATUS), Deadline::after_ms(5000)).ok());
}

TEST(Request, KeptRepliesAreBoundedInBytes) {
  TemporaryFolder folder;
  Context context;
  WaitBoard board;
  RequestServer server(
      context,
      {.name = "replay", .address = test_address("inproc", folder), .kept_reply_bytes = 100'000},
      [](Request request) { request.reply(Message(proto::Kind::BATCH, sample_arrays(5000))); });
  LoopThread loop({&server});
  std::weak_ptr<const void> first_reply;
  for (int c = 0; c < 3; ++c) {
    RequestClient client(context, board,
                         {.name = str("c", c), .peer = "replay", .address = server.address()});
    const Result<Message> answer =
        client.call(Message(proto::Kind::SAMPLE), Deadline::after_ms(5000));
    ASSERT_TRUE(answer.ok());
    if (c == 0) first_reply = answer->arrays.at("observation").owner;
  }
  EXPECT_TRUE(eventually([&] { return first_reply.expired(); }));
}

TEST(Request, APortInUseIsNamed) {
  TemporaryFolder folder;
  Context context;
  const auto bind_twice = [&](const Address& address) {
    Socket first(context, Socket::Kind::kRouter);
    const Address bound = first.bind(address);
    try {
      Context other;  // another process, as far as ZeroMQ can tell
      Socket second(bound.transport == Transport::kInproc ? context : other, Socket::Kind::kRouter);
      second.bind(bound);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(bind_twice(test_address("tcp", folder)),
              testing::MatchesRegex("cannot bind tcp://127.0.0.1:[0-9]+: the port is in use"));
  EXPECT_THAT(bind_twice(test_address("ipc", folder)), HasSubstr("the name is in use"));
  EXPECT_THAT(bind_twice(test_address("inproc", folder)), HasSubstr("the name is in use"));
}

TEST(Request, AFolderThatDoesNotExistIsNamed) {
  Context context;
  Socket socket(context, Socket::Kind::kRouter);
  try {
    socket.bind(parse_address("ipc:///nowhere/replay"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ipc:///nowhere/replay: the folder does not exist"));
  }
}

}  // namespace
}  // namespace oneagent::net
