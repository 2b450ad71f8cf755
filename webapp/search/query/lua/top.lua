-- Find the documents of a collection that match a query and rank highest. It only reads.
--
-- A document's rank is one, and its likes, boosts and replies with these weights. It is halved for
-- every `half_life` between the document and `now`. (Redis in Action, 7.2, sorts by several
-- scores with a union of sorted sets; nothing is stored here.)
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     collection
--          plan         JSON: as in latest.lua
--          newest       id, the greatest to look at
--          oldest       id
--          limit        documents
--          scan_max     candidates that are examined, about
--          now          id of this moment
--          half_life    as a distance of ids
--          weights...   names of numbers and their weights
-- RETURNS  {id, author, rank, id, author, rank, ...; 1 if it stopped early}, the highest first
-- WRITES   nothing

local BLOCK = 200 -- candidates that are compared together
local WORK_MAX = 40000 -- comparisons, about
local index = read_index(generation, collection)
local query, spent = cjson.decode(plan), {work = 0}
local keys, found, top, scanned, last = sources(index, query.clauses), {}, newest, 0, nil

local function add_ranked(ids)
  if #ids == 0 then return end
  local ranks = {}
  for place = 1, #weights, 2 do
    local weight = weights[place + 1]
    for i, value in ipairs(redis.call('ZMSCORE', index .. weights[place], unpack(ids))) do
      ranks[i] = (ranks[i] or 1) + tonumber(value or 0) * weight
    end
  end
  for i, id in ipairs(ids) do
    local halvings = math.max(now - id, 0) / half_life
    found[#found + 1] = {id = id, rank = ranks[i] / math.pow(2, halvings)}
  end
end

repeat
  local ids
  ids, last = next_block(keys, top, oldest, BLOCK, spent)
  scanned = scanned + #ids
  add_ranked(matching(index, ids, query, spent))
  top = '(' .. (last or '0')
until not last or scanned >= tonumber(scan_max) or spent.work >= WORK_MAX
table.sort(found, function(a, b)
  if a.rank ~= b.rank then return a.rank > b.rank end
  return tonumber(a.id) > tonumber(b.id)
end)
local rows = {}
for place = 1, math.min(#found, limit) do
  local id, rank = found[place].id, found[place].rank
  for _, value in ipairs({id, author_of(index, id), string.format('%.17g', rank)}) do
    rows[#rows + 1] = value
  end
end
return {rows, last and 1 or 0}
