-- Begin a direct chat of `uid` and `other`. With `needs_request` the other must accept it.
-- `roster` and `history` are the tables of add_member.lua and trim_history.lua.
local function begin_direct_chat(roster, history, uid, other, needs_request)
  redis.call('HSET', roster.chat, 'kind', 'direct', 'created', id_text(now_ms()), 'creator', uid,
    'last', 0, 'first', 1, 'rev', 0, 'retention', 'history')
  if not needs_request then redis.call('HSET', roster.chat, 'accepted', 1) end
  add_member(roster, uid)
  add_member(roster, other)
  emit('chat_members', 'chat', history.cid, 'uids', uid .. ' ' .. other,
    'must_accept', needs_request and other or '')
end
