-- The one writer of points.
--
-- KEYS     points   rewards.points.points(uid)
--          ledger   rewards.points.ledger(uid)
--          done     rewards.points.ledger_done(uid)
--          totals   rewards.points.points_totals(uid)

local LEDGER_MAX, DONE_US = 10000, 90 * 86400 * 1000000

-- Return the balance after the entry of a reference, an error if it was refused for good, or nil.
local function answer_of(reference)
  local id = redis.call('ZSCORE', done, reference)
  if not id then return nil end
  if tonumber(id) < 0 then return redis.error_reply('POINTSREFUSED ' .. reference) end
  local entry = redis.call('XRANGE', ledger, id_text(id), id_text(id))[1]
  return tonumber(entry and entry[2][8] or redis.call('GET', points) or 0)
end

-- Remember the answer to a reference: `score` is an entry's id, or minus the time of a refusal.
local function answer(reference, score)
  local before = id_text(now_us() - DONE_US)
  redis.call('ZREMRANGEBYSCORE', done, '-' .. before, before)
  redis.call('ZADD', done, id_text(score), reference)
end

-- Change a member's points, once for a reference. Return the balance, or an error if it would be
-- below 0.
local function book(amount, reason, reference, note)
  local answered = answer_of(reference)
  if answered then return answered end
  local balance = tonumber(redis.call('GET', points) or 0) + amount
  if balance < 0 then return redis.error_reply('FUNDS ' .. balance) end
  local newest = redis.call('XREVRANGE', ledger, '+', '-', 'COUNT', 1)[1]
  local last = newest and tonumber(string.match(newest[1], '%d+')) or 0
  local id = math.max(now_us(), last + 1)
  redis.call('XADD', ledger, 'MAXLEN', LEDGER_MAX, id_text(id) .. '-0', 'amount', amount,
    'reason', reason, 'reference', reference, 'balance', balance, 'note', note or '')
  redis.call('SET', points, balance)
  redis.call('HINCRBY', totals, reason, amount)
  answer(reference, id)
  return balance
end
