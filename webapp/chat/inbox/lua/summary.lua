-- Purpose: what a list of chats says of one: what it is and its newest message, as a member may see it.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = uid
-- Returns: {fields, members, {id, message}}, {} for who does not belong to it   Errors: none   Writes: nothing
-- include chat/lua/includes/chat_context.lua
local uid = ARGV[1]
if not belongs(uid) then return {} end
local last = number('last')
local newest = last >= first_of(uid) and redis.call('HGET', messages, last)
return {redis.call('HGETALL', chat), redis.call('ZCARD', members), newest and {last, newest} or {}}
