-- Find which of some documents of a collection match a query. It only reads.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     collection
--          plan         JSON: as in latest.lua
--          ids...       of the documents; those that are not in the collection do not match
-- RETURNS  the ids that match
-- WRITES   nothing

if #ids == 0 then return {} end
local index = read_index(generation, collection)
local scores = redis.call('ZMSCORE', index .. 'ids', unpack(ids))
local present = select_ids(ids, function(_, place) return scores[place] end)
return matching(index, present, cjson.decode(plan), {work = 0})
