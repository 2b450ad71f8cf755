-- Where the matches of a query can be: the messages of its rarest condition.

local LOOKED_AT = 8 -- terms of a variant: one that is rare enough is among the first

-- Return the rarest of a variant's first terms, and how many messages have it; nil without terms.
local function rarest_of(postings, variant)
  local best, least
  for place = 1, math.min(#variant.terms, LOOKED_AT) do
    local term = variant.terms[place]
    local count = redis.call('ZLEXCOUNT', postings, '[' .. term .. ' ', '(' .. term .. '!')
    if not least or count < least then best, least = term, count end
  end
  return best, least
end

-- Return the terms that a match has one of: those of the condition with the fewest messages.
-- Nil if no condition says so: then every message may match. Return how many were counted, too.
local function rarest_terms(postings, clauses)
  local best, least
  local counted = 0
  for _, clause in ipairs(clauses) do
    local terms, total = {}, not clause.negated and 0
    for _, variant in ipairs(total and clause.variants or {}) do
      local term, count = rarest_of(postings, variant)
      counted = counted + math.min(#variant.terms, LOOKED_AT)
      total = term and total and total + count
      if term then terms[#terms + 1] = term end
    end
    if total and (not least or total < least) then best, least = terms, total end
  end
  return best, counted
end
