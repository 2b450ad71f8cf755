-- Find the newest messages of a chat that match a query, for a member. It only reads.
--
-- KEYS     postings       chat.search.chat_postings(cid)
--          records        chat.search.chat_search_records(cid)
-- ARGV     uid        who searches
--          clauses    JSON: {negated, variants: {terms, phrase}…}…
--          before     a message id to look below, or ''
--          since      unix ms of the first, or ''
--          until_ms   unix ms to look before, or ''
--          limit      messages
--          work_max   comparisons, about
-- RETURNS  {fields, how many members, {id, message}…, the lowest id looked at or 0 at the
--          end, its message}; {} for somebody who is not a member
-- WRITES   nothing
-- include chat/lua/includes/reader.lua

local BLOCK_MAX = 100 -- candidates that are compared together
local BLOCK_MIN = 10
if not is_member(members, uid) then return {} end
local first = math.max(chat_number(chat, 'first'), first_visible_id(visible_from, uid))
local newest, oldest = chat_number(chat, 'last'), first
local function id_at(time) return first_id_since(messages, first, newest, tonumber(time)) end
if since ~= '' then oldest = id_at(since) end
if until_ms ~= '' then newest = id_at(until_ms) - 1 end
if before ~= '' then newest = math.min(newest, tonumber(before) - 1) end
clauses, limit, work_max = cjson.decode(clauses), tonumber(limit), tonumber(work_max)

local terms, work = rarest_terms(postings, clauses)
local rows, reached, cost = {}, nil, comparison_cost(clauses)
local block = math.min(BLOCK_MAX, math.max(BLOCK_MIN, math.floor(work_max / cost)))
while newest >= oldest do
  local ids
  ids, reached = next_messages(postings, terms, newest, oldest, block)
  for _, id in ipairs(matching_messages(records, ids, clauses)) do
    if #rows < limit then rows[#rows + 1] = {id, redis.call('HGET', messages, id)} end
    if #rows == limit then reached = id break end
  end
  work = work + #ids * cost + block
  newest = (reached or oldest) - 1
  if #rows == limit or work >= work_max or not reached then break end
end
local body = reached and redis.call('HGET', messages, reached) or ''
return {redis.call('HGETALL', chat), redis.call('ZCARD', members), rows, reached or 0, body}
