-- Purpose: take a member, or everything, out of a chat.
-- include chat/lua/includes/trim_history.lua
local function wipe(cid, partition, uids, rid)
  redis.call('UNLINK', chat, members, owners, since, messages, reactions, changes, seen, fetched, invites, removed)
  emit(outbox, partition, 'type', 'chat_gone', 'rid', rid, 'chat', cid, 'uids', uids)
  nudge('c', cid)
end
-- Whoever belongs to it longest, of people: a bot cannot look after a chat.
local function longest()
  for _, uid in ipairs(redis.call('ZRANGE', members, 0, -1)) do
    if string.sub(redis.call('HGET', since, uid) or '', -1) ~= 'b' then return uid end
  end
end
-- The last owner hands over; the last member takes everything along.
local function take_out(cid, partition, uid, rid)
  redis.call('ZREM', members, uid)
  redis.call('SREM', owners, uid)
  redis.call('HDEL', since, uid)
  redis.call('ZREM', seen, uid)
  redis.call('ZREM', fetched, uid)
  local heir = longest()
  if not heir then
    return wipe(cid, partition, table.concat({uid, unpack(redis.call('ZRANGE', members, 0, -1))}, ' '), rid)
  end
  if field('kind') ~= 'direct' and redis.call('SCARD', owners) == 0 then redis.call('SADD', owners, heir) end
  collect(cid, partition)
  emit(outbox, partition, 'type', 'chat_members', 'rid', rid, 'chat', cid, 'uids', uid, 'asked', '')
  nudge('c', cid)
end
