-- Conditions of a query on candidates.
-- `index` is the prefix of the keys of a generation and collection.
-- include search/query/lua/includes/read_index.lua

-- Return the ids that `keep` keeps, in order. It gets an id and its place.
local function select_ids(ids, keep)
  local matching = {}
  for place, id in ipairs(ids) do
    if keep(id, place) then matching[#matching + 1] = id end
  end
  return matching
end

-- Return the ids that a variant matches. `records`: those that were read already, by id.
local function matched_by(index, ids, variant, records, spent)
  for _, term in ipairs(variant.terms) do
    if #ids == 0 then return ids end
    spent.work = spent.work + #ids
    local scores = redis.call('ZMSCORE', index .. 'term:' .. term, unpack(ids))
    ids = select_ids(ids, function(_, place) return scores[place] end)
  end
  if variant.phrase == '' then return ids end
  return select_ids(ids, function(id)
    records[id] = records[id] or redis.call('GET', index .. 'record:' .. id) or ''
    spent.work = spent.work + 1
    return string.find(records[id], variant.phrase, 1, true)
  end)
end

-- Return the ids for which all clauses and minimums hold. `spent.work` counts comparisons.
local function matching(index, ids, plan, spent)
  local records = {}
  for _, clause in ipairs(plan.clauses) do
    local matches, rest = {}, ids
    for _, variant in ipairs(clause.variants) do
      local found = matched_by(index, rest, variant, records, spent)
      for _, id in ipairs(found) do matches[id] = true end
      rest = select_ids(rest, function(id) return not matches[id] end)
    end
    ids = select_ids(ids, function(id) return (matches[id] or false) ~= clause.negated end)
  end
  for _, minimum in ipairs(plan.minimums) do
    local name, least = unpack(minimum)
    if #ids == 0 then return ids end
    local values = redis.call('ZMSCORE', index .. name, unpack(ids))
    ids = select_ids(ids, function(_, place) return tonumber(values[place] or 0) >= least end)
  end
  return ids
end
