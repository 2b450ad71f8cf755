-- Refuse if a folder is gone, or has no room for the status `id`.
-- `statuses`: the folder's set. `limit`: most statuses of one folder.
local function require_place(folders, number, statuses, id, limit)
  if redis.call('HEXISTS', folders, number) == 0 then refuse('NOFOLDER', number) end
  local is_in = redis.call('ZSCORE', statuses, id)
  if not is_in and redis.call('ZCARD', statuses) >= tonumber(limit) then
    refuse('FOLDERFULL', limit)
  end
end
