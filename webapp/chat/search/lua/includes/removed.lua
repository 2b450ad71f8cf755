-- Take messages that are gone out of the index, some at a time: a search never looks below `first`.
-- The field `indexed` of a chat is the first message whose words may be stored; it has none until
-- messages go. `history` is the table of trim_history.lua.

local UNINDEX_BATCH = 50 -- messages of one call: each has up to 200 terms

-- Note that the messages before `first` are gone. If none stay, the index goes at once.
local function set_first(history, first)
  local old_first = math.max(chat_number(history.chat, 'first'), 1)
  redis.call('HSETNX', history.chat, 'indexed', id_text(old_first))
  redis.call('HSET', history.chat, 'first', id_text(first))
  if first > chat_number(history.chat, 'last') then
    redis.call('UNLINK', history.postings, history.records)
    redis.call('HSET', history.chat, 'indexed', id_text(first))
  end
end

-- Take some of the messages that are gone out; later calls go on.
local function unindex_removed(history)
  local indexed = tonumber(redis.call('HGET', history.chat, 'indexed') or '')
  if not indexed then return end
  local last = math.min(chat_number(history.chat, 'first'), indexed + UNINDEX_BATCH) - 1
  if last < indexed then return end
  unindex_messages(history, id_range(indexed, last))
  redis.call('HSET', history.chat, 'indexed', id_text(last + 1))
end
