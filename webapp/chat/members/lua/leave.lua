-- Leave a group, or remove a member as an owner. Only deleted accounts leave a direct chat.
--
-- KEYS     chat              hash: the chat
--          members           zset: uid -> unix us when they came
--          owners            set of uids
--          visible_from      hash: uid -> first message they see, newest when they came
--          messages          hash: id -> JSON
--          reactions         hash: message id -> JSON, emoji -> uids
--          changes           zset: message id -> revision
--          postings          zset: term and message id, at 0
--          records           hash: message id -> its words and terms
--          read_receipts     zset: uid -> message id
--          sent              hash: uid -> messages sent, and up to where they have read
--          fetch_positions   zset: uid -> message id
--          invites           hash: SHA-256 of the secret -> uses left, expiry, uid
--          outbox            stream: the partition's events
--          removed           zset: uid -> unix ms
-- ARGV     cid               the chat's id
--          partition         the chat's partition
--          uid               who acts
--          member            uid of who goes
--          account_deleted   1 if the account of `member` is deleted
--          outbox_max        OUTBOX_MAX
--          request_id
-- RETURNS  1, or 0 if they do not belong to it
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, OVERLOADED
-- WRITES   all keys
-- include chat/members/lua/includes/remove_member.lua
-- include chat/lua/includes/roles.lua
-- include chat/members/lua/includes/invites.lua

local REMOVED_MAX = 1000

local function check()
  local refusal = require_group(chat)
  if not refusal and uid ~= member then
    refusal = require_member(chat, members, uid) or require_owner(chat, owners, uid)
  end
  return refusal or behind(outbox, outbox_max)
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
  outbox = outbox, cid = cid, partition = partition,
}, member, request_id)
if uid ~= member and redis.call('HEXISTS', chat, 'kind') == 1 then bar_member() end
return 1
