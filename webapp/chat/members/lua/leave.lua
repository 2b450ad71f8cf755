-- Leave a group, or remove a member as an owner. Only deleted accounts leave a direct chat.
--
-- KEYS     chat              chat.chat(cid)
--          members           chat.chat_members(cid)
--          owners            chat.chat_owners(cid)
--          visible_from      chat.chat_visible_from(cid)
--          messages          chat.chat_messages(cid)
--          reactions         chat.chat_reactions(cid)
--          changes           chat.chat_changes(cid)
--          postings          chat.search.chat_postings(cid)
--          records           chat.search.chat_search_records(cid)
--          read_receipts     chat.chat_read_receipts(cid)
--          sent              chat.chat_sent(cid)
--          fetch_positions   chat.chat_fetch_positions(cid)
--          invites           chat.members.chat_invites(cid)
--          removed           chat.members.chat_removed(cid)
-- ARGV     cid               the chat's id
--          uid               who acts
--          member            uid of who goes
--          account_deleted   1 if the account of `member` is deleted
-- RETURNS  1, or 0 if they do not belong to it
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATOFGROUP, OVERLOADED
-- WRITES   all keys
-- EMITS    chat_deleted, chat_pictures_removed, chat_members
-- include chat/members/lua/includes/remove_member.lua
-- include chat/lua/includes/roles.lua
-- include chat/members/lua/includes/invites.lua

local REMOVED_MAX = 1000

local function check()
  local refusal = require_group(chat)
  if not refusal and uid ~= member then
    refusal = require_member(chat, members, uid)
      or require_owner(chat, owners, uid)
      or require_unbound(chat)
  end
  return refusal or behind()
end

-- A removed member comes back neither alone nor with an invitation that they made.
local function bar_member()
  redis.call('ZADD', removed, id_text(now_ms()), member)
  redis.call('ZREMRANGEBYRANK', removed, 0, -REMOVED_MAX - 1)
  for _, entry in ipairs(list_invites(invites)) do
    local _, _, creator = parse_invite(entry[2])
    if creator == member then redis.call('HDEL', invites, entry[1]) end
  end
end

local refusal = account_deleted ~= '1' and check()
if refusal then return refusal end
if not is_member(members, member) then return 0 end

remove_member({
  chat = chat, members = members, owners = owners, visible_from = visible_from,
  messages = messages, reactions = reactions, changes = changes, read_receipts = read_receipts,
  sent = sent, fetch_positions = fetch_positions, invites = invites, removed = removed,
  postings = postings, records = records,
  cid = cid,
}, member)
if uid ~= member and redis.call('HEXISTS', chat, 'kind') == 1 then bar_member() end
return 1
