-- Claim statuses whose link card is due. A claim lasts until its lease runs out.
--
-- KEYS     due_cards       statuses.link_cards.due_cards(partition)
--          status_prefix   statuses.status.prefix(partition)
-- ARGV     limit        most statuses
--          lease        ms
--          skipped...   uids of authors to pass over
-- RETURNS  {status id, when the lease runs out, its author's uid, 0 if it is gone}…
-- WRITES   due_cards

local now = now_ms()
local lease_expires = id_text(now + tonumber(lease))
local is_skipped = {}
for _, uid in ipairs(skipped) do is_skipped[uid] = true end
local claimed = {}
for _, id in ipairs(redis.call('ZRANGE', due_cards, '-inf', id_text(now), 'BYSCORE')) do
  local author = redis.call('HGET', status_prefix .. id, 'author') or '0'
  if not is_skipped[author] then
    redis.call('ZADD', due_cards, lease_expires, id)
    claimed[#claimed + 1] = {id, lease_expires, author}
  end
  if #claimed >= tonumber(limit) then break end
end
return claimed
