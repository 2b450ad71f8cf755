-- Refuse if another folder of a member has this name. `number`: of a folder that may have
-- it, or nil.
local function require_free_name(folders, name, number)
  local stored = redis.call('HGETALL', folders)
  for i = 1, #stored, 2 do
    if stored[i + 1] == name and stored[i] ~= number then refuse('FOLDERNAMED', stored[i]) end
  end
end
