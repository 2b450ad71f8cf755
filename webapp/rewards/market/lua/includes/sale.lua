-- An item with its sale, and the chain that each change of it begins.
-- include core/store/lua/includes/ids.lua
-- include rewards/chains/lua/includes/begin_chain.lua

-- `sale`: the keys item, holds, payouts, prices, due, chains and due_chains, and the item's id.
-- This adds its `fields` by name.
local function load_sale(sale)
  local flat = redis.call('HGETALL', sale.item)
  sale.fields = {}
  for at = 1, #flat, 2 do sale.fields[flat[at]] = flat[at + 1] end
  return sale.fields
end

-- Change fields of an item, given as names and values. Return its new version.
local function change(sale, ...)
  redis.call('HSET', sale.item, ...)
  return redis.call('HINCRBY', sale.item, 'version', 1)
end

-- Note when something ends next: an offer or the sale.
local function note_end(sale)
  local next = tonumber(redis.call('HGET', sale.item, 'ends') or 0)
  for _, row in ipairs(redis.call('HVALS', sale.holds)) do
    local ends = cjson.decode(row)['until']
    if ends and (next == 0 or ends < next) then next = ends end
  end
  if next > 0 then redis.call('ZADD', sale.due, id_text(next), sale.id)
  else redis.call('ZREM', sale.due, sale.id) end
end

-- Begin the chain that pays, tells and lists what a script changed. The script emits the event.
-- `values`: more than the item and its title. Return its id.
local function begin_trade(sale, version, values)
  local chain = sale.id .. ':' .. version
  values.item, values.title = sale.id, sale.fields.title
  begin_chain(sale.chains, sale.due_chains, chain, values)
  return chain
end
