-- Bring members' lists up to the newest message of a chat. Authors get the chat back on theirs.
--
-- KEYS     fences        core.events.fences(tag)
--          prefixes...   for each partition, the prefixes of the keys `chats`,
--                        `chat_state` and `chats_unfetched`
-- ARGV     cid       the chat's id
--          last_id   newest message
--          sent_at   unix ms of it
--          uids...   for each partition, `uid`, spaced, or for an author `uid=read:sent:sent_read`:
--                    id read up to, how many messages they have sent, and up to there
-- RETURNS  how many lists have the chat
-- WRITES   prefixes
-- FENCED

local changed = {}
local function sync(chats, chat_state, unfetched, uid, read_up_to, sent, sent_read)
  local is_author = read_up_to ~= ''
  local listed_at = redis.call('ZSCORE', chats, cid)
  if not is_author and not listed_at then return end
  -- Lower only a time that a wrong clock has made.
  local is_wrong = tonumber(listed_at or 0) > sent_at + AHEAD_MS
  redis.call('ZADD', chats, is_wrong and 'XX' or 'GT', sent_at, cid)
  redis.call('ZADD', unfetched, 'GT', last_id, cid)
  raise_state(chat_state, 'last:' .. cid, last_id)
  if is_author then
    raise_state(chat_state, 'read:' .. cid, read_up_to)
    raise_state(chat_state, 'sent:' .. cid, sent)
    raise_state(chat_state, 'sent_read:' .. cid, sent_read)
    redis.call('HDEL', chat_state, 'waiting:' .. cid, 'added:' .. cid)
  end
  changed[#changed + 1] = uid
end

for index, spaced in ipairs(uids) do
  local chats_prefix, state_prefix, unfetched_prefix = unpack(prefixes, 3 * index - 2, 3 * index)
  local pattern = '(%d+)=?(%d*):?(%d*):?(%d*)'
  for uid, read_up_to, sent, sent_read in string.gmatch(spaced, pattern) do
    sync(
      chats_prefix .. uid, state_prefix .. uid, unfetched_prefix .. uid,
      uid, read_up_to, sent, sent_read
    )
  end
end
if changed[1] then redis.call('PUBLISH', 'chat', 'b ' .. table.concat(changed, ' ')) end
return #changed
