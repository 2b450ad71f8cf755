-- Store a new group chat without members. `...`: its other fields, names and values.
local function make_chat(chat, uid, ...)
  redis.call('HSET', chat, 'created', id_text(now_ms()), 'creator', uid,
    'last', 0, 'first', 1, 'rev', 0, ...)
end
