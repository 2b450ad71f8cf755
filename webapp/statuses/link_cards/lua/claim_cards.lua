-- Claim statuses whose link card is due. A claim lasts until its lease runs out.
--
-- KEYS     due_cards       statuses.link_cards.due_cards(partition)
--          status_prefix   statuses.status.prefix(partition)
--          user_prefix     accounts.user.prefix(partition)
-- ARGV     limit        most statuses
--          lease        ms
--          skipped...   uids of members to pass over, with their bots
-- RETURNS  {status id, when the lease runs out, uid of its author or the owner of that bot, 0 if
--          it is gone}…
-- WRITES   due_cards

local now = now_ms()
local lease_expires = id_text(now + tonumber(lease))
local is_skipped = {}
for _, uid in ipairs(skipped) do is_skipped[uid] = true end
local claimed = {}
for _, id in ipairs(redis.call('ZRANGE', due_cards, '-inf', id_text(now), 'BYSCORE')) do
  local author = redis.call('HGET', status_prefix .. id, 'author') or '0'
  local owner = redis.call('HGET', user_prefix .. author, 'bot') or author
  if not is_skipped[owner] then
    redis.call('ZADD', due_cards, lease_expires, id)
    claimed[#claimed + 1] = {id, lease_expires, owner}
  end
  if #claimed >= tonumber(limit) then break end
end
return claimed
