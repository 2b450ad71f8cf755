-- The chain that each change of an item begins.
--
-- KEYS     chains       rewards.chains.chains(id, 'trade')
--          due_chains   rewards.chains.due_chains(id, 'trade')

-- Begin the chain that pays, tells and lists what a script changed, and emit that. `fields`: the
-- item's. `values`: more than the item and its title. Needs EMITS chain_begun.
local function begin_trade(fields, version, values)
  local chain = id .. ':' .. version
  values.item, values.title = id, fields.title
  begin_chain(chains, due_chains, chain, values)
  emit('chain_begun', 'kind', 'trade', 'id', chain)
end
