-- Purpose: leave a group, or take somebody out of it as an owner. A direct chat is only left with one's account.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = cid  2 = partition  3 = uid  4 = uid of who goes  5 = 1 when their account is deleted  6 = OUTBOX_MAX  7 = rid
-- Returns: 1, or 0 when they do not belong to it   Errors: NOCHAT, NOTINCHAT, ONLYOWNERS, OVERLOADED   Writes: all keys
-- include chat/members/lua/includes/remove_member_or_chat.lua
local cid, partition, uid, who, deleted, max, rid = unpack(ARGV)
local kind, REMOVED_MAX = field('kind'), 1000
if deleted ~= '1' then
  if not kind or kind == 'direct' then return refuse('NOCHAT') end
  if uid ~= who and not belongs(uid) then return refuse('NOTINCHAT') end
  if uid ~= who and not owns(uid) then return refuse('ONLYOWNERS') end
  local refusal = behind(outbox, max)
  if refusal then return refusal end
end
if not belongs(who) then return 0 end
take_out(cid, partition, who, rid)
if uid ~= who and field('kind') then -- they do not come back by themselves, nor by what they made
  redis.call('ZADD', removed, id_text(now_ms()), who)
  redis.call('ZREMRANGEBYRANK', removed, 0, -REMOVED_MAX - 1)
  local all = redis.call('HGETALL', invites)
  for index = 1, #all, 2 do
    if string.match(all[index + 1], ' (%d+)$') == who then redis.call('HDEL', invites, all[index]) end
  end
end
return 1
