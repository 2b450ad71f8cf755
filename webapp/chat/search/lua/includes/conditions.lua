-- Conditions of a query on the records of messages.

local PHRASE_PART = 64 -- bytes of a phrase that cost as much as a term

-- Return the cost of comparing one record.
local function comparison_cost(clauses)
  local cost = 1
  for _, clause in ipairs(clauses) do
    for _, variant in ipairs(clause.variants) do
      local phrase_cost = math.ceil(#variant.phrase / PHRASE_PART)
      cost = cost + (phrase_cost > 0 and phrase_cost or #variant.terms)
    end
  end
  return cost
end

-- A record has a space before and after each word and term. A phrase has all its terms.
local function has_variant(record, variant)
  if variant.phrase ~= '' then return string.find(record, variant.phrase, 1, true) ~= nil end
  for _, term in ipairs(variant.terms) do
    if not string.find(record, ' ' .. term .. ' ', 1, true) then return false end
  end
  return true
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
local function matching_messages(records, ids, clauses)
  local matching = {}
  if not ids[1] then return matching end
  for place, record in ipairs(redis.call('HMGET', records, unpack(ids))) do
    if record and holds(record, clauses) then matching[#matching + 1] = ids[place] end
  end
  return matching
end
