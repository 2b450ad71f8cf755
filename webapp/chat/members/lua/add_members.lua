-- Purpose: bring others into a group. Those who belong to it already stay as they are.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = cid  2 = partition  3 = uid  4 = the others' uids, spaced  5 = those of them who are to be asked  6 = CHAT_MEMBERS_MAX
--       7 = OUTBOX_MAX  8 = rid  9 = those of the others who are bots
-- Returns: how many are new   Errors: NOCHAT, NOTINCHAT, ONLYOWNERS, CHATFULL, OVERLOADED   Writes: members, since, seen, fetched
-- include chat/lua/includes/add_member.lua
local cid, partition, uid, others, asked, most, max, rid = unpack(ARGV)
local bots = set_of(ARGV[9])
local kind = field('kind')
if not kind or kind == 'direct' then return refuse('NOCHAT') end
if not belongs(uid) then return refuse('NOTINCHAT') end
if kind == 'announcement' and not owns(uid) then return refuse('ONLYOWNERS') end
local new = {}
for other in string.gmatch(others, '%d+') do
  if not belongs(other) then new[#new + 1] = other end
  if not owns(uid) and redis.call('ZSCORE', removed, other) then return refuse('ONLYOWNERS') end
end
if redis.call('ZCARD', members) + #new > tonumber(most) then return refuse('CHATFULL') end
local refusal = behind(outbox, max)
if refusal then return refusal end
if not new[1] then return 0 end
for _, other in ipairs(new) do
  enter(other, field('shared') == '1', bots[other])
  redis.call('ZREM', removed, other)
end
local uids = table.concat(new, ' ')
emit(outbox, partition, 'type', 'chat_members', 'rid', rid, 'chat', cid, 'uids', uids, 'asked', asked)
nudge('c', cid)
return #new
