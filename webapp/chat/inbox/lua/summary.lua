-- Return the entry of a chat on a member's list: its fields and its newest message.
--
-- ARGV     uid   whose list
-- RETURNS  {fields, how many members, {id, message} or {}}; {} for somebody who is not a member
-- WRITES   nothing
-- include chat/lua/includes/reader.lua

if not is_member(members, uid) then return {} end
local last = chat_number(chat, 'last')
local newest = last >= first_visible_id(visible_from, uid) and redis.call('HGET', messages, last)
return {redis.call('HGETALL', chat), redis.call('ZCARD', members), newest and {last, newest} or {}}
