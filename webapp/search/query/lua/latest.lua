-- Find the newest documents of a collection that match a query. It only reads.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     collection
--          plan         JSON: `clauses` (`negated`, `variants` of `terms` and `phrase`), `minimums`
--          newest       id, the greatest to look at
--          oldest       id
--          limit        documents
--          scan_max     candidates that are examined, about
-- RETURNS  {id, author, id, author, ...; the last id that was looked at, '0' if there are no more;
--          1 if it stopped early}, the newest first
-- WRITES   nothing

local BLOCK = 200 -- candidates that are compared together
local WORK_MAX = 40000 -- comparisons, about
local index = read_index(generation, collection)
local query, spent = cjson.decode(plan), {work = 0}
local keys, found, top, scanned, reached = sources(index, query.clauses), {}, newest, 0, nil
repeat
  local ids, last = next_block(keys, top, oldest, BLOCK, spent)
  scanned, reached = scanned + #ids, last or '0'
  for _, id in ipairs(matching(index, ids, query, spent)) do
    if #found < 2 * limit then
      found[#found + 1] = id
      found[#found + 1] = author_of(index, id)
      if #found == 2 * limit then reached = id end
    end
  end
  top = '(' .. reached
  local is_enough = #found >= 2 * limit or scanned >= tonumber(scan_max)
until reached == '0' or is_enough or spent.work >= WORK_MAX
local stopped = reached ~= '0' and #found < 2 * limit
return {found, reached, stopped and 1 or 0}
