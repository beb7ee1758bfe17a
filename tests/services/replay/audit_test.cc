#include "services/replay/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Ledger ledger_of(uint32_t actor, uint64_t last) {
  Ledger ledger;
  for (uint64_t sequence = 1; sequence <= last; ++sequence) ledger.add(actor, sequence);
  return ledger;
}

class Audit : public testing::Test {
 protected:
  AuditReport run(const Ledger& ledger) { return audit_acknowledged(folder_.path(), ledger); }
  void log(const std::string& name, const std::string& text) {
    write_atomic(folder_.path() / name, text);
  }

  TemporaryFolder folder_;
};

TEST_F(Audit, PassesWhenTheLedgerHoldsAllThatWasAcknowledged) {
  log("actor-1.log", "1\n2\n3 quarantined\n");
  const AuditReport report = run(ledger_of(1, 5));
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.acknowledged, 3u);
  EXPECT_EQ(report.in_ledger, 5u);
}

TEST_F(Audit, NamesAChunkThatWasAcknowledgedAndLost) {
  log("actor-1.log", "1\n2\n3\n");
  const AuditReport report = run(ledger_of(1, 2));
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.listed, ElementsAre(ring::ChunkKey{1, 3}));
  EXPECT_THAT(to_text(report), HasSubstr("actor-1/3"));
  EXPECT_EQ(to_json(report)["missing"], 1);
}

TEST_F(Audit, ActorsAreKeptApart) {
  log("actor-0.log", "1\n");
  EXPECT_EQ(run(ledger_of(1, 5)).missing, 1u);
}

TEST_F(Audit, AChunkSentAnewCountsOnce) {
  log("actor-0.log", "1\n2\n1\n2\n");
  const AuditReport report = run(ledger_of(0, 2));
  EXPECT_EQ(report.acknowledged, 2u);
  EXPECT_EQ(report.repeated, 2u);
}

TEST_F(Audit, ATornLastLineIsNoAcknowledgement) {
  log("actor-0.log", "1\n17");
  EXPECT_TRUE(run(ledger_of(0, 1)).passed());
}

TEST_F(Audit, ADamagedLogIsRefused) {
  log("actor-0.log", "1\nabc\n");
  EXPECT_THROW(run(ledger_of(0, 1)), Error);
}

}  // namespace
}  // namespace oneagent
