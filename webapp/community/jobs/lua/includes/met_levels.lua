-- Levels of skills, and which of them meet a need.
local LEVEL_MAX = 3

-- Return how many needed skills a member lacks, or has at a lower level or for fewer years.
-- `needed`: rows of folded name, level, years. `owned`: such rows by name.
local function count_lacking(needed, owned)
  local lacking = 0
  for _, skill in ipairs(needed) do
    local own = owned[skill[1]]
    if not own or own[2] < skill[2] or own[3] < skill[3] then lacking = lacking + 1 end
  end
  return lacking
end

-- Return skills by their folded names. `skills`: JSON, or false.
local function skills_by_name(skills)
  local found = {}
  for _, skill in ipairs(cjson.decode(skills or '[]')) do found[skill[1]] = skill end
  return found
end

-- Return those of some numbers that are below a bound, the highest first.
local function numbers_below(texts, bound)
  local found, most = {}, tonumber(bound)
  for _, text in ipairs(texts) do
    local number = tonumber(text)
    if number < most then found[#found + 1] = number end
  end
  table.sort(found, function(a, b) return a > b end)
  return found
end
