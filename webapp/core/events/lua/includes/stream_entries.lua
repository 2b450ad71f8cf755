-- Ids and fields of stream entries.

local function parse(id)
  local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(sequence)
end

-- Return true if an id comes before another.
local function is_earlier(id, other)
  local ms, sequence = parse(id)
  local other_ms, other_sequence = parse(other)
  return ms < other_ms or ms == other_ms and sequence < other_sequence
end

-- Return the id that follows.
local function next_after(id)
  local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
  return ms .. '-' .. string.format('%.0f', tonumber(sequence) + 1)
end

-- Return a flat list of names and values as a table.
local function by_name(fields)
  local values = {}
  for index = 1, #fields, 2 do values[fields[index]] = fields[index + 1] end
  return values
end
