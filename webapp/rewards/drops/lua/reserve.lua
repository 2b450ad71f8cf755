-- Reserve a piece of a drop for a member, and begin the chain that pays and delivers it.
--
-- KEYS     drop     rewards.drops.drop(id)
--          orders   rewards.drops.drop_orders(id)
--          chains   rewards.chains.chains(id, 'order')
--          due      rewards.chains.due_chains(id, 'order')
-- ARGV     uid
--          age        days since the member joined
--          is_first   1 if the member never got a piece of any drop, or ''
-- RETURNS  the order's number
-- ERRORS   NODROP, NOTOPEN, CLOSED, AGAIN (the member has a piece or an order), DROPTOOEARLY (the
--          member joined too lately), SOLDOUT, DROPKEPT (what is left is for first pieces)
-- EMITS    chain_begun

local opens, closes, left, price, title, kind, days, kept = unpack(redis.call('HMGET', drop,
  'opens', 'closes', 'left', 'price', 'title', 'kind', 'days', 'kept'))
if not opens then refuse('NODROP', id) end
local now = now_ms()
local order = redis.call('HGET', orders, uid)
if order and not string.find(order, ' refused ', 1, true) then refuse('AGAIN', id) end
if now >= tonumber(closes) then refuse('CLOSED', id) end
if now < tonumber(opens) then refuse('NOTOPEN', id) end
if tonumber(age) < tonumber(days or 0) then refuse('DROPTOOEARLY', id) end
if tonumber(left) <= 0 then refuse('SOLDOUT', id) end
-- The share is for all once half of the time is over: perhaps nobody comes who never got one.
kept = now < (opens + closes) / 2 and tonumber(kept or 0) or 0
if is_first == '' and tonumber(left) <= kept then refuse('DROPKEPT', id) end
refuse_when_behind()

redis.call('HINCRBY', drop, 'left', -1)
local number = redis.call('HINCRBY', drop, 'taken', 1)
local mark = is_first ~= '' and kept > 0 and ' kept' or ''
if mark ~= '' then redis.call('HINCRBY', drop, 'kept', -1) end
redis.call('HSET', orders, uid, number .. ' reserved ' .. id_text(now) .. mark)
redis.call('PEXPIREAT', orders, tonumber(closes) + 90 * 86400000)
local chain = id .. ':' .. number
begin_chain(chains, due, chain, {drop = id, uid = uid, number = tostring(number), price = price,
  title = title, kind = kind, at = id_text(now)})
emit('chain_begun', 'kind', 'order', 'id', chain)
return number
