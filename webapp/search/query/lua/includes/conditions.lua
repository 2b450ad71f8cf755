-- Conditions of a query on candidates.
-- `index` is what the keys of a generation and collection begin with.

-- Return the uid that owns a document, '0' if it is gone.
local function author_of(index, id)
  return string.match(redis.call('GET', index .. 'record:' .. id) or '0', '^%d+')
end

-- Return the ids that `keep` keeps, in order. It gets an id and its place.
local function select_ids(ids, keep)
  local kept = {}
  for place, id in ipairs(ids) do
    if keep(id, place) then kept[#kept + 1] = id end
  end
  return kept
end

-- Return the ids that a variant matches.
local function matched_by(index, ids, variant)
  for _, term in ipairs(variant.terms) do
    if #ids == 0 then return ids end
    local scores = redis.call('ZMSCORE', index .. 'term:' .. term, unpack(ids))
    ids = select_ids(ids, function(_, place) return scores[place] end)
  end
  if variant.phrase == '' then return ids end
  return select_ids(ids, function(id)
    local record = redis.call('GET', index .. 'record:' .. id)
    return record and string.find(record, variant.phrase, 1, true)
  end)
end

-- Return the ids for which all clauses and minimums hold.
local function matching(index, ids, plan)
  for _, clause in ipairs(plan.clauses) do
    local matches = {}
    for _, variant in ipairs(clause.variants) do
      for _, id in ipairs(matched_by(index, ids, variant)) do matches[id] = true end
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
