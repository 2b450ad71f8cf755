-- Conditions of a query on the records of messages.

-- Return how many ways the conditions may be met in: what comparing one record costs.
local function count_variants(clauses)
  local count = 1
  for _, clause in ipairs(clauses) do count = count + #clause.variants end
  return count
end

-- A record has a space before and after each word and term.
local function has_variant(record, variant)
  for _, term in ipairs(variant.terms) do
    if not string.find(record, ' ' .. term .. ' ', 1, true) then return false end
  end
  return string.find(record, variant.phrase, 1, true) ~= nil
end

local function has_any(record, variants)
  for _, variant in ipairs(variants) do
    if has_variant(record, variant) then return true end
  end
  return false
end

local function holds(record, clauses)
  for _, clause in ipairs(clauses) do
    if has_any(record, clause.variants) == clause.negated then return false end
  end
  return true
end

-- Return those of some ids whose records meet all conditions, in order. A deleted message has none.
local function matching(records, ids, clauses)
  local kept = {}
  if not ids[1] then return kept end
  for place, record in ipairs(redis.call('HMGET', records, unpack(ids))) do
    if record and holds(record, clauses) then kept[#kept + 1] = ids[place] end
  end
  return kept
end
