/* The hand-over of core/runtime/segment_runner.cc, for spin (protocol_test.sh): a source on one
 * strand, a worker on a second and a sink on a third, joined by two rings of PLACES places.
 *
 *   ready, ack   the counters of an edge; only the producer writes ready, only the reader ack
 *   content      what lies in a place: the number of the token + 1, or 0 while nobody may read it
 *   parked, bell a strand that found nothing to do; who writes a counter looks at parked after it
 *
 * Steps of different strands interleave at every statement, as they do where stores and loads on
 * both sides of a full fence do. Checked: no full place is written and no empty one read, tokens
 * arrive in order, no more tokens than places, and every strand ends, with or without an abort at
 * any moment (spin reports a strand that never ends as an invalid end state).
 *
 * Mutants, which spin must refuse: EARLY_ACK tells the producer before the place has been read,
 * NO_RECHECK parks without looking again, SILENT_ABORT does not ring the bells.
 */
#ifndef PLACES
#define PLACES 2
#endif
#ifndef TOKENS
#define TOKENS 4
#endif
#define EDGES 2
#define STRANDS 3

byte ready[EDGES], ack[EDGES];
byte content[EDGES * PLACES];
bool parked[STRANDS];
byte bell[STRANDS];
bool aborted;
byte ended;

#define FULL(edge) (ready[edge] - ack[edge] > 0)
#define FREE(edge) (ready[edge] - ack[edge] < PLACES)
#define PLACE(edge, token) content[(edge) * PLACES + (token) % PLACES]

inline ring(strand) {
  if
  :: parked[strand] -> parked[strand] = false; bell[strand] = 1
  :: else
  fi
}

/* Look again, then sleep until the bell rings. The bell is a counter there; here it holds one
 * ring, which the sleeper takes, so that a ring before the sleep ends the sleep. */
inline park(self, can_fire) {
  bell[self] = 0;
  parked[self] = true;
#ifdef NO_RECHECK
  bell[self] == 1;
#else
  if
  :: can_fire || aborted
  :: else -> bell[self] == 1
  fi;
#endif
  parked[self] = false
}

inline write(edge, token) {
  assert(PLACE(edge, token) == 0);
  PLACE(edge, token) = token + 1;
}

/* A function reads for a while: the place must not change meanwhile. */
inline read(edge, token) {
  assert(PLACE(edge, token) == token + 1);
  skip;
  assert(PLACE(edge, token) == token + 1);
  PLACE(edge, token) = 0;
}

inline publish(edge) {
  ready[edge]++;
  assert(ready[edge] - ack[edge] <= PLACES);
}

active proctype source() {
  byte token = 0;
  do
  :: token == TOKENS || aborted -> break
  :: token < TOKENS && !aborted ->
    if
    :: FREE(0) ->
      write(0, token);
      publish(0);
      ring(1);
      token++
    :: else -> park(0, FREE(0))
    fi
  od;
  ended++
}

/* The worker fires when its input is full and its result has a free place. */
active proctype worker() {
  byte token = 0;
  do
  :: token == TOKENS || aborted -> break
  :: token < TOKENS && !aborted ->
    if
    :: FULL(0) && FREE(1) ->
#ifdef EARLY_ACK
      ack[0]++;
      ring(0);
      read(0, token);
      write(1, token);
      publish(1);
      ring(2);
#else
      read(0, token);
      write(1, token);
      ack[0]++;
      publish(1);
      ring(0);
      ring(2);
#endif
      token++
    :: else -> park(1, (FULL(0) && FREE(1)))
    fi
  od;
  ended++
}

active proctype sink() {
  byte token = 0;
  do
  :: token == TOKENS || aborted -> break
  :: token < TOKENS && !aborted ->
    if
    :: FULL(1) ->
      read(1, token);
      ack[1]++;
      ring(1);
      token++
    :: else -> park(2, FULL(1))
    fi
  od;
  assert(aborted || ack[1] == TOKENS);
  ended++
}

/* Aborts at some moment, or never. Rings without looking, as the counter there is added to without
 * looking: a strand that parks later sees `aborted` first. */
active proctype abort() {
  if
  :: skip
  :: aborted = true;
#ifndef SILENT_ABORT
    bell[0] = 1;
    bell[1] = 1;
    bell[2] = 1;
#endif
  fi
}

/* Every run ends: fairness lets each strand move. */
ltl all_end { <> (ended == STRANDS) }
