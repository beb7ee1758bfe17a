// The Lua scripts of the Redis store: each is one atomic operation and may run twice with the same
// request id without harm.
//
// oa:version         number   versions of keys, tokens of leases
// oa:index           zset     all key names, for prefix listing; names of ended leases' keys are
// dropped when met oa:k:<key>         hash     v version, d value, t token of its lease (0 = none)
// oa:r:<request>     number   version that a compare-and-set made, for a minute: what a repeated
// request is answered with oa:l:<lease>       hash     o owner, t token, m ttl in ms; expires by
// itself oa:a:<token>       set      keys that end with this lease oa:e:<stream>      number   last
// cursor        oa:s:<stream>  Redis stream with ids <cursor>-0, field d oa:c:<counter>     number
// total oa:o:<kind>:<name> zset     remembered operation ids by their answer or order
#pragma once

namespace oneagent::redis_scripts {

// key, value, expected version (-1 any), request id, lease token (0 none), lease name -> {1,
// version} | {0, actual version} | {-1}
inline constexpr const char* kWriteKey = R"(
local k, request = 'oa:k:' .. ARGV[1], 'oa:r:' .. ARGV[4]
local expected = tonumber(ARGV[3])
if expected ~= -1 then
  local answered = redis.call('GET', request)
  if answered then return {1, tonumber(answered)} end
  local version = tonumber(redis.call('HGET', k, 'v') or 0)
  if expected ~= version then return {0, version} end
end
local token = ARGV[5]
local left = nil
if token ~= '0' then
  local l = 'oa:l:' .. ARGV[6]
  if redis.call('HGET', l, 't') ~= token then return {-1} end
  left = redis.call('PTTL', l)
end
local new = redis.call('INCR', 'oa:version')
redis.call('HSET', k, 'v', new, 'd', ARGV[2], 't', token)
if expected ~= -1 then redis.call('SET', request, new, 'PX', 60000) end
if left then
  local attached = 'oa:a:' .. token
  redis.call('SADD', attached, ARGV[1])
  redis.call('PEXPIRE', attached, left)
  redis.call('PEXPIRE', k, left)
else
  redis.call('PERSIST', k)
end
redis.call('ZADD', 'oa:index', 0, ARGV[1])
return {1, new}
)";

// key, expected version (-1 any) -> {1} | {0, actual version}
inline constexpr const char* kEraseKey = R"(
local k = 'oa:k:' .. ARGV[1]
local version = tonumber(redis.call('HGET', k, 'v') or 0)
if version == 0 then return {0, 0} end
local expected = tonumber(ARGV[2])
if expected ~= -1 and expected ~= version then return {0, version} end
redis.call('DEL', k)
redis.call('ZREM', 'oa:index', ARGV[1])
return {1}
)";

// lower bound, upper bound (both as ZRANGEBYLEX takes them), limit -> {key, value, version, key,
// ...}
inline constexpr const char* kListKeys = R"(
local from, limit, found = ARGV[1], tonumber(ARGV[3]), {}
while #found < 3 * limit do
  local want = limit - #found / 3
  local names = redis.call('ZRANGEBYLEX', 'oa:index', from, ARGV[2], 'LIMIT', 0, want)
  for _, name in ipairs(names) do
    local entry = redis.call('HMGET', 'oa:k:' .. name, 'd', 'v')
    if entry[2] then
      found[#found + 1] = name
      found[#found + 1] = entry[1]
      found[#found + 1] = tonumber(entry[2])
    else
      redis.call('ZREM', 'oa:index', name)
    end
    from = '(' .. name
  end
  if #names < want then break end
end
return found
)";

// stream, value, operation id -> cursor
inline constexpr const char* kAppend = R"(
local operations = 'oa:o:stream:' .. ARGV[1]
local seen = redis.call('ZSCORE', operations, ARGV[3])
if seen then return tonumber(seen) end
local cursor = redis.call('INCR', 'oa:e:' .. ARGV[1])
redis.call('XADD', 'oa:s:' .. ARGV[1], string.format('%.0f-0', cursor), 'd', ARGV[2])
redis.call('ZADD', operations, cursor, ARGV[3])
redis.call('ZREMRANGEBYRANK', operations, 0, -1 - tonumber(ARGV[4]))
return cursor
)";

// counter, amount, operation id, remembered operations -> total
inline constexpr const char* kAdd = R"(
local counter, operations = 'oa:c:' .. ARGV[1], 'oa:o:counter:' .. ARGV[1]
if redis.call('ZSCORE', operations, ARGV[3]) then return tonumber(redis.call('GET', counter) or 0) end
local newest = redis.call('ZREVRANGE', operations, 0, 0, 'WITHSCORES')
redis.call('ZADD', operations, tonumber(newest[2] or 0) + 1, ARGV[3])
redis.call('ZREMRANGEBYRANK', operations, 0, -1 - tonumber(ARGV[4]))
return redis.call('INCRBY', counter, ARGV[2])
)";

// Acquire, or keep alive when a token is given: name, owner, ttl, token (0 acquires)
// -> {1, token} | {0, owner, token, left} held by another | {-1} the token's lease has ended
inline constexpr const char* kRenewLease = R"(
local l = 'oa:l:' .. ARGV[1]
local held = redis.call('HMGET', l, 'o', 't', 'm')
local owner, ttl, token = ARGV[2], ARGV[3], held[2]
if ARGV[4] ~= '0' then
  if token ~= ARGV[4] then return {-1} end
  owner, ttl = held[1], held[3]
elseif held[1] and held[1] ~= owner then
  return {0, held[1], tonumber(token), redis.call('PTTL', l)}
end
if not token then token = string.format('%.0f', redis.call('INCR', 'oa:version')) end
redis.call('HSET', l, 'o', owner, 't', token, 'm', ttl)
redis.call('PEXPIRE', l, ttl)
local attached = 'oa:a:' .. token
for _, key in ipairs(redis.call('SMEMBERS', attached)) do
  if redis.call('HGET', 'oa:k:' .. key, 't') == token then
    redis.call('PEXPIRE', 'oa:k:' .. key, ttl)
  else
    redis.call('SREM', attached, key)
  end
end
redis.call('PEXPIRE', attached, ttl)
return {1, tonumber(token)}
)";

// name, token -> 1 | 0
inline constexpr const char* kRelease = R"(
local l, attached = 'oa:l:' .. ARGV[1], 'oa:a:' .. ARGV[2]
if redis.call('HGET', l, 't') ~= ARGV[2] then return 0 end
for _, key in ipairs(redis.call('SMEMBERS', attached)) do
  if redis.call('HGET', 'oa:k:' .. key, 't') == ARGV[2] then
    redis.call('DEL', 'oa:k:' .. key)
    redis.call('ZREM', 'oa:index', key)
  end
end
redis.call('DEL', l, attached)
return 1
)";

// name -> {owner, token, ttl, left} | {}
inline constexpr const char* kFindLease = R"(
local l = 'oa:l:' .. ARGV[1]
local held = redis.call('HMGET', l, 'o', 't', 'm')
if not held[1] then return {} end
return {held[1], tonumber(held[2]), tonumber(held[3]), redis.call('PTTL', l)}
)";

}  // namespace oneagent::redis_scripts
