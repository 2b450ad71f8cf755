-- Bring people into a group chat. Members stay as they are.
--
-- KEYS     owners            chat.chat_owners(cid)
--          removed           chat.members.chat_removed(cid)
-- ARGV     uid           who brings them
--          invitees      their uids, spaced
--          must_accept   those who must accept first, spaced
--          bots          those who are bots, spaced
--          members_max   config.chat_members_max
-- RETURNS  how many are new
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATFULL, CHATOFGROUP
-- WRITES   removed
-- EMITS    chat_members
-- include chat/lua/includes/roster.lua

require_group_chat(chat)
require_member(chat, members, uid)
require_writer(chat, owners, uid)
require_unbound(chat)

local new = {}
for invitee in string.gmatch(invitees, '%d+') do
  if not is_member(members, invitee) then new[#new + 1] = invitee end
  if not is_owner(owners, uid) and redis.call('ZSCORE', removed, invitee) then
    refuse('ONLYOWNERS', chat)
  end
end
local count = redis.call('ZCARD', members) + #new
if count > tonumber(members_max) then refuse('CHATFULL', chat) end
refuse_when_behind()
if not new[1] then return 0 end

local sees_history = redis.call('HGET', chat, 'shared') == '1'
local is_bot = set_of(bots)
for _, invitee in ipairs(new) do
  add_member(roster, invitee, sees_history, is_bot[invitee], uid)
  redis.call('ZREM', removed, invitee)
end
emit('chat_members', 'chat', cid, 'uids', table.concat(new, ' '), 'must_accept', must_accept,
  'added_by', uid)
publish('c', cid)
return #new
